"""Render HTML pages: each one self-contained file from a template of this package."""

from __future__ import annotations

from typing import Any

from metrics import report_pages
from thai_dialect_bench.schema import PACKAGE_FOLDER


def render_page(template: str, **values: Any) -> str:
    """Return a page as HTML; every value is escaped but those that the template marks as safe.

    Args:
        template: File name in ``templates/`` of this package or of ``metrics``.
        **values: Variables of the template.
    """
    return report_pages.render_page(template, PACKAGE_FOLDER / "templates", **values)
