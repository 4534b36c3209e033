"""Render HTML pages: each one self-contained file from a template of this package."""

from __future__ import annotations

from typing import Any

from thai_dialect_bench.schema import PACKAGE_FOLDER


def render_page(template: str, **values: Any) -> str:
    """Return a page as HTML; every value is escaped but those that the template marks as safe.

    Args:
        template: File name in ``templates/``.
        **values: Variables of the template.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PACKAGE_FOLDER / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**values)
