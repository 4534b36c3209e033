"""All tasks of this project in one module, which is what lighteval's ``--custom-tasks`` takes."""

from __future__ import annotations

from tasks import healthdial, thai_dialect

TASKS_TABLE = [*thai_dialect.TASKS_TABLE, *healthdial.TASKS_TABLE]
