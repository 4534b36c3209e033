"""The Gradio app of a study: one component that shows the pages, one function that answers its messages."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thai_dialect_bench.annotation.pages import script, style
from thai_dialect_bench.annotation.session import Page, Session, Suggest, no_suggestions
from thai_dialect_bench.annotation.store import Store
from thai_dialect_bench.errors import BenchError

if TYPE_CHECKING:
    from gradio import Blocks

TITLE = "การประเมินภาษาถิ่น / Dialect annotation"
FONTS = ["system-ui", "Noto Sans Thai", "Thonburi", "Leelawadee UI", "sans-serif"]
"""Fonts of the reader's machine; Gradio's default theme would ask Google for its own."""
MARGINS = ".gradio-container > .main { padding: 1rem clamp(0.5rem, 3vw, 2rem); }"
"""Gradio's own margins take a quarter of a phone's width."""


def build_app(file: Path, *, suggest: Suggest = no_suggestions, contact: str = "") -> Blocks:
    """Return the app of a study.

    Args:
        file: The study.
        suggest: Finds what may be a dialect unit.
        contact: Whom an annotator can ask, shown with the consent.

    Raises:
        BenchError: The file is no study, or Gradio is not installed.
    """
    session = Session(Store(file), suggest, contact)
    gradio = _import_gradio()

    def respond(data: Any) -> Page:
        """Answer one message; Gradio gives the arguments of the browser's call as a list."""
        return session.respond(data[0] if isinstance(data, list) and len(data) == 1 else data)

    with gradio.Blocks(title=TITLE, analytics_enabled=False) as app:
        gradio.HTML(
            value="",
            html_template='<div class="annotation"></div>',
            css_template=style(),
            js_on_load=script(),
            apply_default_css=False,
            server_functions=[respond],
        )
    return app


def serve(
    file: Path,
    *,
    suggest: Suggest = no_suggestions,
    contact: str = "",
    host: str = "127.0.0.1",
    port: int | None = None,
    block: bool = True,
    started: Callable[[], object] | None = None,
) -> str:
    """Serve a study and return its address.

    A Space needs no more than ``serve(Path("/data/study.sqlite"), suggest=suggested_units, host="0.0.0.0")`` in its
    ``app.py``, with `thai_dialect_bench.lexicons.suggested_units`, and persistent storage.

    Args:
        file: The study.
        suggest: Finds what may be a dialect unit.
        contact: Whom an annotator can ask, shown with the consent.
        host: Address to listen on; ``0.0.0.0`` for all.
        port: Port; the first free one from 7860 if None.
        block: Serve until the process is stopped.
        started: Called once the study is served, before the process waits.

    Raises:
        BenchError: The file is no study, Gradio is not installed, or the port is taken.
    """
    app = build_app(file, suggest=suggest, contact=contact)
    gradio = _import_gradio()
    try:
        _, address, _ = app.launch(
            server_name=host,
            server_port=port,
            share=False,
            quiet=True,
            ssr_mode=False,
            enable_monitoring=False,
            prevent_thread_lock=True,
            footer_links=[],
            max_file_size=1,  # nobody has a file to give
            blocked_paths=[f"{file.resolve()}{end}" for end in ("", "-wal", "-shm")],
            css=MARGINS,
            theme=gradio.themes.Default(font=FONTS, font_mono=["monospace"]),
        )
    except OSError as error:
        where = f"{host}:{port}" if port else host
        raise BenchError(f"cannot listen on {where}, which may be taken; give another --port or --host") from error
    if started:
        started()
    if block:
        app.block_thread()
    return str(address)


def _import_gradio() -> Any:
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    try:
        import gradio
    except ImportError as error:
        raise BenchError(
            f"the annotation tool needs Gradio ({error}): pip install 'thai-dialect-bench[annotate]'"
        ) from error
    return gradio
