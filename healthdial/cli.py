"""The command `healthdial`: says plainly that this version does not import HealthDial yet."""

from __future__ import annotations

import sys


def main() -> None:
    """Exit with code 1 and one line: nothing of HealthDial can be built by this version."""
    sys.exit("healthdial: not in this version yet; only the Thai dialect benchmark is (see CHANGELOG.md)")
