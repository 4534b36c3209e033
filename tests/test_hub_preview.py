"""The preview of a built data set: what its pages show, what they load, where they may be written."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow.parquet as pq
import pytest
import soundfile
from datasets import Audio, ClassLabel, Features, List, Value

from hub.card import read_card
from hub.errors import BenchError
from hub.first_rows import first_rows
from hub.preview import write_preview
from hub.preview_cells import type_name
from hub.preview_pages import ConfigLink, Site
from tests.hub_folders import copy_of, edit_card, entry, file_of, made_table, read_table, replace_table
from tests.hub_pages import ShownCell, ShownPage, browse, read_page

STRING = Value("string")
SCRIPT = "<script>document.title = 'ran'</script><img src=x onerror=alert(1)>&amp;\"'"
TURNS = [{"role": "user", "text": 'ناجح "جدًا"', "ids": ["a", None]}]


def recording(seed: int, seconds: float = 0.3) -> bytes:
    """Return noise as FLAC."""
    stream = io.BytesIO()
    noise = np.random.default_rng(seed).uniform(-0.5, 0.5, int(16000 * seconds))
    soundfile.write(stream, noise, 16000, format="FLAC", subtype="PCM_16")
    return stream.getvalue()


def preview_of(folder: Path, columns: dict[str, list[Any]], features: dict[str, Any], **options: Any) -> ShownPage:
    """Return the page of config ``isan`` with other rows; the pages lie in ``pages`` beside the folder."""
    replace_table(folder, "isan", made_table(columns, features))
    write_preview(folder, folder.parent / "pages", **options)
    return read_page(folder.parent / "pages" / "config-isan.html")


def cells_of(folder: Path, feature: Any, values: list[Any]) -> list[ShownCell]:
    """Return the cells of a page with one column."""
    return [row[0] for row in preview_of(folder, {"cell": values}, {"cell": feature}).rows]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def folder(sample_data: Path, tmp_path: Path) -> Path:
    """A copy of the Thai sample that a test may change."""
    return copy_of(sample_data, tmp_path)


def test_every_row_of_the_sample_is_shown(sample_data: Path, tmp_path: Path) -> None:
    pages = write_preview(sample_data, tmp_path / "pages")
    configs = [config.name for config in read_card(sample_data).configs]
    assert [page.name for page in pages] == ["index.html", *(f"config-{name}.html" for name in configs)]
    for name in configs:
        page = read_page(tmp_path / "pages" / f"config-{name}.html")
        rows = read_table(sample_data, name).to_pylist()
        assert [[cell.text for cell in row] for row in page.rows] == [[as_shown(v) for v in r.values()] for r in rows]
        assert {cell.direction for row in page.rows for cell in row} == {"auto"}
    assert set(contents(tmp_path / "pages")) == {page.name for page in pages}


def as_shown(value: str | bool | None) -> str:
    """Return how a page shows a value of the Thai data set."""
    if isinstance(value, str) and value.strip():
        return value
    return json.dumps(value)


def test_all_links_lead_to_something_beside_the_page(folder: Path) -> None:
    audio = [{"bytes": recording(seed), "path": None} for seed in range(2)]
    preview_of(folder, {"audio": audio}, {"audio": Audio(16000, decode=False)})
    pages = {page.name: read_page(page) for page in (folder.parent / "pages").glob("*.html")}
    for name, page in pages.items():
        assert page.links
        for link in page.links:
            target, _, part = link.partition("#")
            assert target == "" or (folder.parent / "pages" / unquote(target)).is_file()
            assert part == "" or part in pages[target or name].ids
        assert {f"config-{other}.html" for other in ("central", "isan", "qa_v1")} <= set(page.links)


def test_markup_in_cells_and_names_is_text(folder: Path) -> None:
    edit_card(folder, lambda metadata: metadata.update(pretty_name=SCRIPT))
    features = {SCRIPT: STRING, "label": ClassLabel(names=[SCRIPT]), "list": List(STRING)}
    page = preview_of(folder, {SCRIPT: [SCRIPT], "label": [0], "list": [[SCRIPT]]}, features)
    assert [cell.text for cell in page.rows[0]] == [SCRIPT, f"0{SCRIPT}", json.dumps([SCRIPT])]
    assert page.headings[1] == f"{SCRIPT}|string"
    assert not {"script", "img"} & {*page.tags, *read_page(folder.parent / "pages" / "index.html").tags}


def test_nothing_outside_may_be_loaded(folder: Path) -> None:
    page = preview_of(folder, {"cell": ["a"]}, {"cell": STRING})
    digest = base64.b64encode(sha256(page.style.encode()).digest()).decode()
    assert page.metas["Content-Security-Policy"].split("; ") == [
        *("default-src 'none'", f"style-src 'sha256-{digest}'", "media-src 'self' file:"),
        *("base-uri 'none'", "form-action 'none'"),
    ]
    assert "url(" not in page.style
    assert "import" not in page.style


def test_null_blank_strings_and_the_word_null_are_told_apart(folder: Path) -> None:
    cells = cells_of(folder, STRING, [None, "", " \n", "null", '""', "a\n b"])
    assert [(cell.kind, cell.text) for cell in cells] == [
        *(("null", "null"), ("blank", '""'), ("blank", '" \\n"')),
        *(("text", "null"), ("text", '""'), ("text", "a\n b")),
    ]


def test_classes_have_their_names_beside_the_number(folder: Path) -> None:
    cells = cells_of(folder, ClassLabel(names=["no", "yes"]), [1, 0, -1, None])
    assert [cell.text for cell in cells] == ["1yes", "0no", "-1no label", "null"]


@pytest.mark.parametrize(
    ("feature", "value", "shown"),
    [
        (List(STRING), ["ก", None], '["ก",null]'),
        (List(STRING), [], "[]"),
        ({"a": Value("int32"), "b": STRING}, {"a": 1, "b": "x"}, '{"a":1,"b":"x"}'),
        (
            List({"role": STRING, "text": STRING, "ids": List(STRING)}),
            TURNS,
            '[{"role":"user","text":"ناجح \\"جدًا\\"","ids":["a",null]}]',
        ),
        (Value("bool"), True, "true"),
        (Value("float64"), 0.25, "0.25"),
    ],
)
def test_values_are_shown_as_compact_json(folder: Path, feature: Any, value: Any, shown: str) -> None:
    assert [cell.text for cell in cells_of(folder, feature, [value])] == [shown]


def test_types_are_named(folder: Path) -> None:
    features = {"a": STRING, "b": ClassLabel(names=["no", "yes"]), "c": List({"x": Value("int32")}), "d": Audio(8000)}
    columns: dict[str, list[Any]] = {"a": ["t"], "b": [0], "c": [[{"x": 1}]], "d": [None]}
    page = preview_of(folder, columns, features)
    assert page.headings == ["row", "a|string", "b|ClassLabel", "c|list of struct", "d|Audio, 8000 Hz"]
    assert "ClassLabel: 0 no, 1 yes" in page.text
    assert "list of struct {x: int32}" in page.text
    assert type_name(Features({"e": Audio()})["e"]) == "Audio"


def test_cells_are_cut_as_the_viewer_cuts_them(folder: Path) -> None:
    page = preview_of(
        folder, {"text": ["ก" * 10_000] * 12, "list": [["x"] * 50] * 12}, {"text": STRING, "list": List(STRING)}
    )
    expected = first_rows([file_of(folder, "isan")], "isan", "test")
    assert [cell.kind == "cut" for row in page.rows for cell in row] == [
        name in row.cut for row in expected.rows for name in row.cells
    ]
    assert page.rows[9][0].text == expected.rows[9].cells["text"] + "… cut"
    assert page.rows[9][1].text == expected.rows[9].cells["list"] + "… cut"
    assert page.rows[0][0].text == "ก" * 10_000
    assert "first 10 of 12 rows" in page.text


def test_fewer_rows_can_be_asked_for(sample_data: Path, tmp_path: Path) -> None:
    write_preview(sample_data, tmp_path / "pages", rows=2)
    page = read_page(tmp_path / "pages" / "config-isan.html")
    assert len(page.rows) == 2
    assert "first 2 of 29 rows" in page.text


def test_recordings_are_files_with_the_bytes_of_the_data_set(folder: Path) -> None:
    audio = [{"bytes": recording(seed), "path": "a.flac"} for seed in (0, 1, 0)]
    odd = {"bytes": b"no sound", "path": "b.raw"}
    page = preview_of(folder, {"audio": [*audio, None, odd]}, {"audio": Audio(16000, decode=False)})
    table = pq.read_table(file_of(folder, "isan"))
    cells = [row[0] for row in page.rows]
    for cell, value in zip(cells[:3], table["audio"].to_pylist(), strict=False):
        assert cell.source == f"audio/{sha256(value['bytes']).hexdigest()}.flac"
        assert (folder.parent / "pages" / cell.source).read_bytes() == value["bytes"]
    assert [cell.text for cell in cells[3:]] == ["null", "recording of unknown format, 8 bytes"]
    assert len(list((folder.parent / "pages" / "audio").iterdir())) == 2


@pytest.mark.parametrize(("name", "marked"), [("Made (SAMPLE)", True), ("Made", False)])
def test_a_sample_is_marked_on_every_page(folder: Path, name: str, marked: bool) -> None:
    edit_card(folder, lambda metadata: metadata.update(pretty_name=name))
    for page in write_preview(folder, folder.parent / "pages"):
        assert (name in read_page(page).text, "SAMPLE. Made-up rows" in read_page(page).text) == (True, marked)


def test_configs_are_grouped_by_the_start_of_their_names() -> None:
    names = ("speakers", "turns_ara", "turns_zho", "snippets_eng", "turns_x_eng", "qa_v1", "snippets_spa")
    site = Site("Made", tuple(ConfigLink(name, name, False, {}) for name in names))
    assert [(group.name, [link.label for link in group.links]) for group in site.groups] == [
        *(("turns", ["ara", "zho"]), ("snippets", ["eng", "spa"]), ("", ["speakers", "turns_x_eng", "qa_v1"])),
    ]


def test_no_name_of_a_config_leaves_the_folder(folder: Path) -> None:
    def rename(metadata: dict[Any, Any]) -> None:
        entry(metadata, "configs", "isan")["config_name"] = "../ไทย #1?"

    edit_card(folder, rename)
    pages = write_preview(folder, folder.parent / "pages")
    assert {page.parent for page in pages} == {folder.parent / "pages"}
    links = [unquote(link) for link in read_page(pages[0]).links]
    assert all((folder.parent / "pages" / link).is_file() for link in links)
    assert len(links) == len(pages) - 1


def test_pages_are_the_same_each_time_and_old_ones_go(folder: Path) -> None:
    pages = folder.parent / "pages"
    write_preview(folder, pages)
    before = contents(pages)
    audio = [{"bytes": recording(0), "path": None}]
    original = read_table(folder, "isan")
    preview_of(folder, {"audio": audio}, {"audio": Audio(16000, decode=False)})
    (pages / ".preview-killed").mkdir()
    assert len(contents(pages)) == len(before) + 1
    replace_table(folder, "isan", original)
    write_preview(folder, pages)
    assert contents(pages) == before
    assert {path.suffix for path in pages.iterdir()} == {".html"}


def _foreign_file(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")


def _foreign_page(folder: Path) -> None:
    (folder / "index.html").write_text("<p>mine")


def _foreign_recording(folder: Path) -> None:
    (folder / "audio").mkdir()
    (folder / "audio" / "mine.flac").write_bytes(b"fLaC")


def _link(folder: Path) -> None:
    (folder.parent / "elsewhere").mkdir()
    (folder / "audio").symlink_to(folder.parent / "elsewhere")


@pytest.mark.parametrize("put", [_foreign_file, _foreign_page, _foreign_recording, _link])
def test_a_folder_with_other_things_is_left_alone(
    sample_data: Path, tmp_path: Path, put: Callable[[Path], None]
) -> None:
    out = tmp_path / "pages"
    out.mkdir()
    put(out)
    before = contents(out)
    with pytest.raises(BenchError, match="holds something else"):
        write_preview(sample_data, out)
    assert contents(out) == before


@pytest.mark.parametrize("place", [".", "pages", "data/../plots/pages"])
def test_the_data_sets_folder_is_left_alone(folder: Path, place: str) -> None:
    before = contents(folder)
    with pytest.raises(BenchError, match="in the data set's folder"):
        write_preview(folder, folder / place)
    assert contents(folder) == before


def _empty(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize(("damage", "message"), [(Path.unlink, "match no file"), (_empty, "cannot be read")])
def test_a_broken_split_is_named_and_an_earlier_preview_stays(
    folder: Path, damage: Callable[[Path], None], message: str
) -> None:
    write_preview(folder, folder.parent / "pages")
    before = contents(folder.parent / "pages")
    damage(file_of(folder, "qa_v1"))
    with pytest.raises(BenchError, match=f"config qa_v1, split test: .*{message}"):
        write_preview(folder, folder.parent / "pages")
    assert contents(folder.parent / "pages") == before


@pytest.mark.parametrize("rows", [0, 101])
def test_a_number_of_rows_out_of_range_is_refused(sample_data: Path, tmp_path: Path, rows: int) -> None:
    with pytest.raises(BenchError, match="1 to 100"):
        write_preview(sample_data, tmp_path / "pages", rows=rows)


def test_chromium_shows_the_page_and_plays_its_recordings(folder: Path, tmp_path: Path) -> None:
    audio = [{"bytes": recording(0, 0.3), "path": None}, {"bytes": recording(1, 0.7), "path": None}]
    texts = ["مرحبا", SCRIPT]
    preview_of(folder, {"audio": audio, "text": texts}, {"audio": Audio(16000, decode=False), "text": STRING})
    found, console = browse(folder.parent / "pages" / "config-isan.html", tmp_path)
    assert console == []
    assert [state >= 1 for state, _ in found["players"]] == [True, True]
    assert [duration for _, duration in found["players"]] == pytest.approx([0.3, 0.7], abs=0.01)
    assert found["directions"] == ["ltr", "rtl", "ltr", "ltr"]
    assert (found["scripts"], found["overflows"], found["styled"]) == (0, False, True)
