"""Render the pages of a preview from what they show."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hub.preview_cells import Cell

GENERATOR = "thai-dialect-bench preview"
"""Stands in every page, so that a later preview knows which pages it may replace."""
INDEX = "index.html"

_TEMPLATES = Path(__file__).resolve().parent / "templates"
_OPEN_LIST = 8
"""Configs up to which the list of all configs is open on every page."""


@dataclass(frozen=True)
class PreviewColumn:
    """A column: its name, its type in short, and its type with all fields and classes."""

    name: str
    type: str
    whole_type: str


@dataclass(frozen=True)
class PreviewRow:
    """A row: its position in the split, and its cells in the order of the columns."""

    index: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class PreviewSplit:
    """A split: its name, its number of rows, its columns, and the rows that are shown."""

    name: str
    total: int
    columns: tuple[PreviewColumn, ...]
    rows: tuple[PreviewRow, ...]


@dataclass(frozen=True)
class ConfigLink:
    """A link to a config's page.

    Attributes:
        name: Name of the config.
        label: Its name within its group, such as ``ara`` for ``snippets_ara``.
        is_default: Whether the loader takes it when none is named.
        rows: Split -> number of rows.
    """

    name: str
    label: str
    is_default: bool
    rows: Mapping[str, int]

    @property
    def file(self) -> str:
        """Name of the page; never ``index.html``, nor a path to another folder."""
        return f"config-{quote(self.name, safe='')}.html"


@dataclass(frozen=True)
class ConfigGroup:
    """Configs whose names are the same up to the last ``_``; without a name: those that share theirs with none."""

    name: str
    links: tuple[ConfigLink, ...]


@dataclass(frozen=True)
class Site:
    """What all pages of a preview say.

    Attributes:
        data_set: Its name in the card.
        links: One for each config, in the card's order; labelled with the whole names.
    """

    data_set: str
    links: tuple[ConfigLink, ...]

    @property
    def is_sample(self) -> bool:
        """Whether the card's name marks made-up rows."""
        return "SAMPLE" in self.data_set

    @cached_property
    def groups(self) -> tuple[ConfigGroup, ...]:
        """The links by group, in the order of each group's first config, those of no group last."""
        starts = Counter(_start(link.name) for link in self.links)
        grouped: dict[str, list[ConfigLink]] = {}
        for link in self.links:
            name = _start(link.name) if starts[_start(link.name)] > 1 else ""
            label = link.name.removeprefix(f"{name}_") if name else link.name
            grouped.setdefault(name, []).append(ConfigLink(link.name, label, link.is_default, link.rows))
        return tuple(ConfigGroup(name, tuple(grouped[name])) for name in sorted(grouped, key=lambda name: not name))


def index_page(site: Site) -> str:
    """Return the page with links to all configs."""
    return _render("preview_index.html.j2", site, title=site.data_set)


def config_page(site: Site, config: str, splits: Sequence[PreviewSplit]) -> str:
    """Return the page of a config."""
    return _render(
        "preview_config.html.j2",
        site,
        title=f"{config} - {site.data_set}",
        config=config,
        configs=len(site.links),
        is_short=len(site.links) <= _OPEN_LIST,
        columns=list(dict.fromkeys(column for split in splits for column in split.columns)),
        splits=splits,
    )


def _start(config: str) -> str:
    """Return a config's name up to its last ``_``; empty without one."""
    return config.rpartition("_")[0]


def _render(template: str, site: Site, **values: Any) -> str:
    """Return a page; every value is escaped but the stylesheet."""
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (_TEMPLATES / "preview.css").read_text(encoding="utf-8")
    digest = base64.b64encode(sha256(style.encode("utf-8")).digest()).decode("ascii")
    return environment.get_template(template).render(
        data_set=site.data_set,
        is_sample=site.is_sample,
        groups=site.groups,
        generator=GENERATOR,
        style=Markup(style),
        style_hash=f"sha256-{digest}",
        **values,
    )
