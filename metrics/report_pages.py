"""Render HTML pages of reports: each one self-contained file, from a template in the frame that all share."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TEMPLATES = Path(__file__).resolve().parent / "templates"


def render_page(template: str, folder: Path | None = None, **values: Any) -> str:
    """Return a page as HTML; every value is escaped but those that the template marks as safe.

    Args:
        template: File name in `folder` or in ``metrics/templates/``.
        folder: Templates of a data set.
        **values: Variables of the template.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*([folder] if folder else []), _TEMPLATES]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**values)


def inline_svg(figure: Figure, salt: str, title: str = "") -> str:
    """Return a figure as inline SVG: text kept as text, no date, ids that do not change from run to run.

    Args:
        figure: What was drawn.
        salt: Makes ids; another one for each figure of a page.
        title: Title of the image, which browsers and screen readers tell; empty: none.
    """
    import matplotlib as mpl

    stream = io.StringIO()
    metadata = {"Date": None} | ({"Title": title} if title else {})
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": salt}):
        figure.savefig(stream, format="svg", metadata=metadata, transparent=True)
    text = stream.getvalue()
    return text[text.index("<svg") :]
