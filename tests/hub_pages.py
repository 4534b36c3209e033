"""Read pages of a preview, without a browser and in headless Chromium, for tests."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

_PROBE = """<body><iframe id="frame"></iframe><pre id="found"></pre><script>
const frame = document.getElementById("frame");
const load = player => new Promise(tell => {
  player.onloadedmetadata = player.onerror = () => tell([player.readyState, player.duration]);
  player.preload = "auto"; player.load();
});
frame.onload = async () => {
  const page = frame.contentDocument;
  const players = await Promise.all([...page.querySelectorAll("audio")].map(load));
  const direction = cell => getComputedStyle(cell).direction;
  document.getElementById("found").textContent = JSON.stringify({
    players, directions: [...page.querySelectorAll("td")].map(direction), scripts: page.scripts.length,
    overflows: page.documentElement.scrollWidth > page.documentElement.clientWidth,
    styled: getComputedStyle(page.body).maxWidth !== "none",
  });
};
frame.style = "width: 390px; height: 800px";
frame.src = PAGE;
</script>"""


@dataclass
class ShownCell:
    """A cell of a page: the classes of its content, its ``dir``, its text, the link of its player."""

    kind: str = ""
    direction: str = ""
    text: str = ""
    source: str = ""


@dataclass
class ShownPage(HTMLParser):
    """What a page holds.

    Attributes:
        rows: Cells of each row of all tables, without the rows of headings.
        headings: Texts of the columns' headings.
        links: All ``href`` and ``src``.
        ids: All ``id``.
        tags: Names of all elements.
        metas: ``name`` or ``http-equiv`` -> ``content``.
        text: All text but the stylesheet's.
        style: The stylesheet.
    """

    rows: list[list[ShownCell]] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    metas: dict[str, str] = field(default_factory=dict)
    text: str = ""
    style: str = ""
    _open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.links += [given[name] for name in ("href", "src") if name in given]
        self.ids += [given["id"]] if "id" in given else []
        if tag == "meta" and "content" in given:
            self.metas[given.get("name") or given["http-equiv"]] = given["content"]
        elif tag == "tr" and "tbody" in self._open:
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append(ShownCell(direction=given.get("dir", "")))
        elif tag == "div" and "td" in self._open:
            self.rows[-1][-1].kind = given["class"]
        elif tag == "audio":
            self.rows[-1][-1].source = given["src"]
        elif tag == "th" and "thead" in self._open:
            self.headings.append("")
        if tag not in ("meta", "wbr"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self._open:
            self.style += data
            return
        self.text += data
        if "td" in self._open:
            self.rows[-1][-1].text += data
        elif "th" in self._open and "thead" in self._open:
            self.headings[-1] += f"|{data}" if "small" in self._open else data


TRIES = 5


def read_page(file: Path) -> ShownPage:
    """Return what a page holds; fails if its elements are not closed in order."""
    page = ShownPage()
    page.feed(file.read_text(encoding="utf-8"))
    page.close()
    assert page._open == []
    return page


def browse(file: Path, tmp_path: Path) -> tuple[dict[str, Any], list[str]]:
    """Open a page 390 px wide in headless Chromium and load its players; skips the test without Chromium.

    Returns:
        What the page's document says, and the lines of the console.
    """
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no chromium on the PATH; install it to test pages in a browser")
    probe = tmp_path / "probe.html"
    probe.write_text(_PROBE.replace("PAGE", json.dumps(file.as_uri())), encoding="utf-8")
    command = [
        *(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
        *("--enable-logging=stderr", "--allow-file-access-from-files", "--virtual-time-budget=20000"),
        *(f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", probe.as_uri()),
    ]
    found, console = "", [""]
    for _ in range(TRIES):
        # On a busy machine Chromium's virtual time may be over before the page is there.
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        found = ran.stdout.split('<pre id="found">')[1].split("</pre>")[0]
        console = [line for line in ran.stderr.splitlines() if "CONSOLE" in line]
        if found:
            break
    return json.loads(found or "{}"), console
