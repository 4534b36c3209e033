"""What the commands of a push say and ask: strange files, the folder of the texts, the question, its interrupt."""

from __future__ import annotations

import io
import logging
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from healthdial import cli as healthdial_cli
from healthdial.card import TEXT_CARD_FILE
from hub import commands
from hub.errors import BenchError
from hub.faults import ContentRules
from hub.owned import is_owned
from tests.fake_hub import ORGANIZATION, FakeHub
from thai_dialect_bench import cli as thai_cli

pytest_plugins = ("tests.fake_hub_fixtures", "tests.healthdial_built_sample")

REPO_ID = f"{ORGANIZATION}/data"


@pytest.mark.parametrize(
    ("path", "owned"),
    [
        ("README.md", True),
        ("LICENSE.md", True),
        ("data/lanna/test-0123456789abcdef.parquet", True),
        ("data/lanna/test-00001-0123456789abcdef.parquet", True),
        ("splits.json", True),
        ("LICENSE", False),
        ("data/lanna/mine.parquet", False),
        ("data/lanna/a/test-0123456789abcdef.parquet", False),
        ("notes/README.md", False),
        (".gitattributes", False),
    ],
)
def test_the_paths_that_a_build_writes(path: str, owned: bool) -> None:
    assert is_owned(path, ContentRules(owned_files=(r"splits\.json",))) is owned


@pytest.mark.parametrize("name", ["notes.txt", "LICENSE", "data/lanna/mine.parquet", ".cache/a"])
def test_a_file_that_no_build_writes_stops_the_push_with_its_name(
    name: str, local_hub: FakeHub, sample_data: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(sample_data, tmp_path / "copy" / "thai_dialect_bench"))
    (folder / name).parent.mkdir(exist_ok=True)
    one = next(folder.glob("data/lanna/test-*.parquet"))
    (folder / name).write_bytes(one.read_bytes() if name.endswith(".parquet") else b"by hand")
    outcome = CliRunner().invoke(
        thai_cli.app, ["push", REPO_ID, "--dir", str(folder), "--sample", "--yes"], catch_exceptions=True
    )
    assert isinstance(outcome.exception, BenchError)
    assert name.split("/a")[0] in outcome.output + str(outcome.exception)
    assert not local_hub.requests("^PUT|POST|DELETE")


def test_a_git_attributes_file_is_not_sent(local_hub: FakeHub, sample_data: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(sample_data, tmp_path / "copy" / "thai_dialect_bench"))
    (folder / ".gitattributes").write_text("mine\n", encoding="utf-8")
    outcome = CliRunner().invoke(
        thai_cli.app, ["push", REPO_ID, "--dir", str(folder), "--sample", "--yes"], catch_exceptions=False
    )
    assert outcome.exit_code == 0
    assert local_hub.files(REPO_ID).get(".gitattributes") != b"mine\n"


def test_faults_of_the_texts_stand_under_the_folder_that_was_built(
    local_hub: FakeHub, healthdial_sample: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(healthdial_sample, tmp_path / "built" / "healthdial"))
    card = folder / TEXT_CARD_FILE
    card.write_text(
        card.read_text(encoding="utf-8").replace("\nlanguage:", "\nlanguage: [xx]\nold:"), encoding="utf-8"
    )
    outcome = CliRunner().invoke(healthdial_cli.app, ["push", REPO_ID, "--dir", str(folder), "--sample", "--yes"])
    assert isinstance(outcome.exception, BenchError)
    assert str(outcome.exception).startswith(f"{folder}: ")
    assert f"{folder}: " in outcome.output
    assert "healthdial-texts-" not in outcome.output + str(outcome.exception)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("answer", "is_yes"), [("y\n", True), ("Yes\n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_the_question(answer: str, is_yes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    if is_yes:
        commands._ask()
        return
    with pytest.raises(BenchError, match="nothing was sent"):
        commands._ask()


def test_an_interrupt_at_the_question_is_one(
    local_hub: FakeHub, sample_data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_: str = "") -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("builtins.input", interrupt)
    arguments = ["thai-dialect-bench", "push", REPO_ID, "--dir", str(sample_data), "--sample"]
    monkeypatch.setattr("sys.argv", arguments)
    with pytest.raises(SystemExit) as caught:
        thai_cli.main()
    assert caught.value.code == 130
    printed = capsys.readouterr()
    assert printed.out.endswith("Nothing was sent.\n")
    assert "Abort" not in printed.out + printed.err
    assert not local_hub.store.repositories


def test_log_lines_of_a_push_are_plain(
    local_hub: FakeHub, sample_data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    local_hub.refuse("GET /api/whoami", 503)
    # What a library may have set up.
    prefixed = logging.StreamHandler()
    prefixed.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
    logging.getLogger().addHandler(prefixed)
    try:
        options = commands.PushOptions(REPO_ID, "v1", dry_run=True)
        commands.push(commands.PushContent(sample_data, ContentRules(), (), "", "", is_sample=True), options)
    finally:
        logging.getLogger().removeHandler(prefixed)
    lines = [line for line in capsys.readouterr().err.splitlines() if "503" in line]
    assert lines == ["asking what the token may do: status 503; again in 1 s (try 1 of 6)"]


@pytest.mark.parametrize(("revision", "said"), [("nope", "has no revision nope"), ("v1", None)])
def test_a_run_on_a_revision_that_is_not_there(
    revision: str, said: str | None, local_hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tasks.checks import DATA_SETS, check_data
    from tasks.errors import RunError

    local_hub.add_repository(REPO_ID, {"README.md": b"x"}, tags=["v1"])
    for data_set in DATA_SETS:
        monkeypatch.setenv(data_set.variable, f"{REPO_ID}@{revision}")
        if said is None:
            check_data(data_set)
            continue
        with pytest.raises(RunError, match=f"{data_set.variable}={REPO_ID}@{revision}: the data set {said}; give"):
            check_data(data_set)
