"""The commands of `annotate`: from output files to links, status, export and import."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.annotation_studies import a_preference, write_outputs
from thai_dialect_bench.annotation.store import Store
from thai_dialect_bench.cli_annotate import app
from thai_dialect_bench.errors import BenchError


def run(*arguments: object, said: str = "") -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=said)
    if isinstance(result.exception, BenchError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def study(tmp_path: Path) -> Path:
    outputs = write_outputs(tmp_path / "outputs", "food", "lanna", "north")
    file = tmp_path / "pilot.sqlite"
    printed = run(
        *("new", file, outputs, "--kind", "preference", "--dialect", "lanna", "--annotators", 3),
        *("--address", "https://example.org/space/"),
    )
    assert "3 items, 2 models (quokka-70b-secret, zebra-9b-secret), 3 judgements for each of 3 annotators" in printed
    links = re.findall(r"^(A\d\d)  https://example\.org/space/\?key=(\S+)$", printed, re.MULTILINE)
    assert [code for code, _ in links] == ["A01", "A02", "A03"]
    for code, key in links:
        found = Store(file).annotator_of_key(key)
        assert found is not None
        assert found.code == code
    return file


def test_from_outputs_to_export_and_back(study: Path, tmp_path: Path) -> None:
    store = Store(study)
    store.consent("A02", "lanna", "25-34")
    store.save("A02", 1, a_preference(reason="=ดี"))
    assert re.search(r"A02 +lanna +25-34 +yes +1 +3", run("status", study))
    files = {name: tmp_path / f"out.{name}" for name in ("jsonl", "csv", "annotators")}
    printed = run("export", study, *(part for name, file in files.items() for part in (f"--{name}", file)))
    assert "1 judgements." in printed
    assert files["csv"].read_bytes().startswith(b"\xef\xbb\xbfstudy,kind,item,")
    assert "A02,lanna,25-34,1,3" in files["annotators"].read_text(encoding="utf-8-sig")
    run("withdraw", study, "A02", "--yes")
    assert re.search(r"A02 +- +- +withdrawn +0 +3", run("status", study))
    assert re.search(r"A01 +- +- +no +0 +3", run("status", study))
    for file in (files["jsonl"], files["csv"]):
        with pytest.raises(BenchError, match="A02 withdrew"):
            run("import", study, file)
    store.consent("A02", "lanna", "25-34")
    for file in (files["jsonl"], files["csv"]):
        run("import", study, file)
    assert store.task("A02", 1).verdict == a_preference(reason="=ดี")


def test_a_new_link_replaces_a_lost_one(study: Path) -> None:
    printed = run("link", study, "A03")
    key = printed.strip().rpartition("key=")[2]
    found = Store(study).annotator_of_key(key)
    assert found is not None
    assert found.code == "A03"


def test_nothing_is_deleted_unless_it_is_meant(study: Path) -> None:
    store = Store(study)
    store.consent("A01", "lanna", "25-34")
    store.save("A01", 0, a_preference())
    with pytest.raises(BenchError, match="nothing was deleted"):
        run("withdraw", study, "A01", said="n\n")
    assert store.annotators()[0].judged == 1


def test_an_export_to_nowhere_says_what_to_give(study: Path) -> None:
    with pytest.raises(BenchError, match="give --jsonl FILE"):
        run("export", study)


def served(*arguments: object) -> tuple[str, BaseException | None]:
    result = CliRunner().invoke(app, ["serve", *map(str, arguments)])
    return result.output, result.exception


def test_no_address_is_printed_for_a_study_that_is_not_there(tmp_path: Path) -> None:
    printed, error = served(tmp_path / "missing.sqlite")
    assert isinstance(error, BenchError)
    assert "no such study" in str(error)
    assert printed == ""


def test_no_address_is_printed_for_a_port_that_is_taken(study: Path) -> None:
    pytest.importorskip("gradio")
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        printed, error = served(study, "--port", other.getsockname()[1])
    assert isinstance(error, BenchError)
    assert "cannot listen on 127.0.0.1" in str(error)
    assert "Serving" not in printed


def test_the_address_is_printed_when_the_study_is_served(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gradio = pytest.importorskip("gradio")
    monkeypatch.setattr(gradio.Blocks, "block_thread", lambda blocks: blocks.close())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    printed, error = served(study, "--port", port)
    assert error is None
    assert f"Serving {study} on http://127.0.0.1:{port}; stop with Ctrl-C." in printed.replace("\n", "")
