"""The commands `healthdial build` and `healthdial audit` on generated releases: options, exit codes, errors."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from benchmarks.healthdial_files import Packing, write_release
from benchmarks.healthdial_generator import generate_release, personal_strings
from healthdial import cli
from healthdial.findings import KINDS
from healthdial.schema import config_names
from tests.healthdial_built import CleanRelease, files_of
from tests.healthdial_text_traps import TELEPHONE
from tests.healthdial_traps import STOPPING, TRAPS, TrappedRelease, release_with_traps

pytest_plugins = ("tests.healthdial_fixtures",)
pytestmark = pytest.mark.usefixtures("quick_plots")


@dataclass(frozen=True)
class Ran:
    """What a command left: its exit code, standard output and standard error."""

    code: int
    out: str
    error: str


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run the command in this process, as the console script does; its speaker key goes to ``tmp_path``."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(cli.gc, "freeze", lambda: None)
    # Plain text from the library that prints help and usage errors.
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "200")

    def command(*arguments: object) -> Ran:
        monkeypatch.setattr("sys.argv", ["healthdial", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            cli.main()
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        captured = capsys.readouterr()
        assert "Traceback" not in captured.out + captured.err
        return Ran(code, captured.out, captured.err)

    return command


@pytest.fixture(scope="session")
def leaking(tmp_path_factory: pytest.TempPathFactory) -> TrappedRelease:
    """A release of which two dialogues are in different splits in Spanish."""
    return release_with_traps(tmp_path_factory.mktemp("leaking") / "release", ["split_leak"])


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of one English and one Chinese dialogue, written."""
    folder = tmp_path_factory.mktemp("small") / "release"
    write_release(generate_release(dialogues=1, folders=("english", "chinese"), seconds=(1.05, 1.2)), folder)
    return folder


def columns(out: Path, config: str, *names: str) -> list[dict[str, object]]:
    """Return columns of a built config by split and file, in name order."""
    files = sorted((out / "data" / config).glob("*.parquet"))
    return [row for file in files for row in pq.read_table(file, columns=[*names]).to_pylist()]


def last_line(text: str) -> str:
    return text.strip().splitlines()[-1]


@pytest.mark.parametrize("asked", ["ENG, esp", "es,english"])
def test_languages_of_any_code_system(clean: CleanRelease, run: Run, tmp_path: Path, asked: str) -> None:
    ran = run("build", "--release", clean.folder, "--out", tmp_path / "out", "--languages", asked, "--no-audio")
    assert ran.code == 0
    card = yaml.safe_load((tmp_path / "out" / "README.md").read_text(encoding="utf-8").split("\n---\n")[0])
    found = [config["config_name"] for config in card["configs"]]
    shared = ["parallel_turns"]  # needs all four
    assert found == [name for name in config_names(("eng", "spa")) if name not in shared]
    assert card["language"] == ["en", "es"]
    assert last_line(ran.out).startswith(f'Load it: load_dataset("{tmp_path / "out"}", "user_turns_eng"')


def test_the_parent_folder_will_do_and_the_key_is_made(clean: CleanRelease, run: Run, tmp_path: Path) -> None:
    (tmp_path / "parent").mkdir()
    (tmp_path / "parent" / "data").symlink_to(clean.folder)
    options = ("--languages", "eng", "--no-audio", "--k", 1)
    key = tmp_path / "config" / "healthdial" / "speaker.key"
    assert run("build", "--release", tmp_path / "parent", "--out", tmp_path / "out", *options).code == 0
    made = key.read_text()
    assert key.stat().st_mode & 0o077 == 0
    assert run("build", "--release", clean.folder, "--out", tmp_path / "again", *options).code == 0
    assert key.read_text() == made
    assert files_of(tmp_path / "out") == files_of(tmp_path / "again")


def test_no_audio_gives_rows_without_audio(clean: CleanRelease, run: Run, tmp_path: Path) -> None:
    ran = run("build", "--release", clean.folder, "--out", tmp_path / "out", "--languages", "zho", "--no-audio")
    rows = columns(tmp_path / "out", "user_turns_zho", "audio", "duration_s", "transcription")
    assert (ran.code, len(rows)) == (0, len(clean.built.rows("user_turns_zho")))
    assert {(row["audio"], row["duration_s"]) for row in rows} == {(None, None)}
    assert all(row["transcription"] for row in rows)
    assert "Speech: 0.00 h user, 0.00 h system." in ran.out


@pytest.mark.parametrize(("audio_format", "magic"), [("flac", b"fLaC"), ("wav", b"RIFF")])
def test_audio_format_and_checks(small: Path, run: Run, tmp_path: Path, audio_format: str, magic: bytes) -> None:
    arguments = ("--audio-format", audio_format, "--no-audio-checks", "--workers", 1)
    assert run("build", "--release", small, "--out", tmp_path / "out", *arguments).code == 0
    rows = columns(tmp_path / "out", "user_turns_eng", "audio", "audio_sha256", "utterance_id")
    for row in rows:
        audio = row["audio"]
        assert isinstance(audio, dict)
        assert audio["bytes"][:4] == magic
        assert audio["path"] == f"{row['utterance_id']}.{audio_format}"
    assert {row["audio_sha256"] for row in rows} == {None}


def split_of(out: Path, language: str, number: int) -> str:
    lists = json.loads((out / "splits.json").read_text(encoding="utf-8"))[language]
    return next(split for split, ids in lists.items() if f"{language}-{number:04d}" in ids)


def test_a_leak_stops_the_build_unless_splits_go_by_number(leaking: TrappedRelease, run: Run, tmp_path: Path) -> None:
    number = int(leaking.planted["split_leak"].record.split("_")[1])
    build = ("build", "--release", leaking.folder, "--languages", "eng,spa", "--no-audio", "--out", tmp_path / "out")
    stopped = run(*build)
    assert stopped.code == 1
    assert "2 dialogues are in different splits in different languages" in last_line(stopped.error)
    assert "--split-by number" in stopped.error
    assert not (tmp_path / "out").exists()
    assert run(*build, "--split-by", "number").code == 0
    assert split_of(tmp_path / "out", "eng", number) == split_of(tmp_path / "out", "spa", number)


def test_a_leak_is_allowed_when_asked(small: Path, run: Run, tmp_path: Path) -> None:
    release = tmp_path / "release"
    shutil.copytree(small, release)
    number = int(json.loads(next((small / "english").glob("dialogue*")).read_text())[0]["task_id"].split("_")[1])
    leak = {"eng": {"train": [f"eng-{number:04d}"]}, "zho": {"test": [f"zho-{number:04d}"]}}
    (release / "splits.json").write_text(json.dumps(leak))
    build = ("build", "--release", release, "--no-audio", "--out", tmp_path / "out")
    assert "1 dialogues are in different splits" in run(*build).error
    allowed = run(*build, "--allow-leak")
    assert allowed.code == 0
    assert "split_leak 1" in allowed.out
    assert [split_of(tmp_path / "out", language, number) for language in ("eng", "zho")] == ["train", "test"]


def test_contacts_are_kept_when_asked(run: Run, tmp_path: Path) -> None:
    trapped = release_with_traps(tmp_path / "release", ["contact_in_text"])
    kept = ("--languages", "eng", "--no-audio", "--keep-contacts")
    ran = run("build", "--release", trapped.folder, "--out", tmp_path / "out", *kept)
    assert ran.code == 0
    assert "contact_in_text 4" in ran.out
    told = str(columns(tmp_path / "out", "user_turns_eng", "transcription"))
    assert TELEPHONE in told
    assert "[contact]" not in told
    assert TELEPHONE not in (tmp_path / "out" / "import_report.json").read_text(encoding="utf-8")


def test_strict_stops_at_a_fault_and_names_its_place(clean: CleanRelease, run: Run, tmp_path: Path) -> None:
    trapped = release_with_traps(tmp_path / "release", ["snippet_drift"])
    strict = ("--out", tmp_path / "out", "--languages", "eng", "--no-audio", "--strict", "--k", 1)
    ran = run("build", "--release", trapped.folder, *strict)
    assert ran.code == 1
    place = f"eng dialogues {trapped.planted['snippet_drift'].record} utterance "
    assert last_line(ran.error).startswith(f"healthdial: error: --strict: snippet_drift: {place}")
    assert run("audit", "--release", clean.folder, "--no-audio", "--strict", "--k", 1).code == 0


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("build",), "give either --release FOLDER (or a data set on the Hub), or --sample"),
        (("build", "--sample", "--release", "{release}"), "give either --release FOLDER"),
        (("build", "--release", "{release}", "--languages", "klingon,eng"), "--languages: klingon is none of ara"),
        (("build", "--release", "{release}", "--languages", "arabic"), "no dialogues of ara"),
        (("build", "--release", "{release}", "--languages", "zho", "--split-by", "number"), "English is missing"),
        (("build", "--release", "{tmp}/nowhere"), "nowhere: no such folder"),
        (("build", "--release", "{tmp}"), "a HealthDial release has a file who_database.json"),
        (("build", "--release", "{release}", "--out", "{tmp}/a_file"), "a_file: cannot be written"),
        (("build", "--release", "{release}", "--speaker-key", "{tmp}/a_file"), "a_file: not a speaker key"),
        (("audit",), "give --release FOLDER"),
        (("audit", "--release", "{release}", "--languages", ","), "--languages: "),
        (("audit", "--release", "{release}", "--json", "{tmp}/a_file/x.json"), "x.json: cannot be written"),
    ],
)
def test_a_wrong_value_is_one_line(
    small: Path, run: Run, tmp_path: Path, arguments: tuple[str, ...], expected: str
) -> None:
    (tmp_path / "a_file").write_text("text")
    filled = [argument.format(release=small, tmp=tmp_path) for argument in arguments]
    if filled[0] == "build" and "--out" not in filled:
        filled += ["--out", str(tmp_path / "out")]
    ran = run(*filled, "--no-audio")
    assert ran.code == 1
    assert last_line(ran.error).startswith("healthdial: error: ")
    assert expected in last_line(ran.error)
    assert not (tmp_path / "out" / "README.md").exists()


@pytest.mark.parametrize(
    ("option", "value"),
    [("--audio-format", "mp3"), ("--split-by", "luck"), ("--k", "0"), ("--workers", "0"), ("--wrong", "1")],
)
def test_a_value_that_no_option_takes_is_a_usage_error(
    small: Path, run: Run, tmp_path: Path, option: str, value: str
) -> None:
    ran = run("build", "--release", small, "--out", tmp_path / "out", option, value)
    assert ran.code == 2
    assert option in ran.error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", [(), ("build",), ("audit",)])
def test_help(run: Run, command: tuple[str, ...]) -> None:
    ran = run(*command, "--help")
    assert ran.code == 0
    assert "--help" in ran.out
    told = {
        "build": ("--release", "--sample", "--audio-format", "--k", "--allow-leak"),
        "audit": ("--json", "--strict"),
    }
    assert all(option in ran.out for option in told.get("".join(command), ("build", "audit")))


@pytest.mark.parametrize("kind", STOPPING)
def test_what_stops_a_build_fails_its_audit(leaking: TrappedRelease, run: Run, tmp_path: Path, kind: str) -> None:
    """The audit writes everything found, where it can go on; it exits with 1 either way and tells nobody's data."""
    assert KINDS[kind].policy == "stop"
    packing: Packing = TRAPS[kind].packing or "folder"
    trapped = leaking if kind == "split_leak" else release_with_traps(tmp_path / "release", [kind], packing=packing)
    report = tmp_path / "audit.json"
    audited = run("audit", "--release", trapped.folder, "--json", report, "--workers", 1, "--k", 1)
    built = run("build", "--release", trapped.folder, "--out", tmp_path / "out", "--workers", 1)
    assert (audited.code, built.code) == (1, 1)
    assert not (tmp_path / "out" / "README.md").exists()
    told = audited.out + audited.error + built.out + built.error
    if kind in ("conflicting_dialogue_lists", "not_utf8"):
        assert not report.exists()
        assert "dialogue_list_final" in last_line(audited.error)
    else:
        assert last_line(audited.error).startswith(f"healthdial: error: invariants are broken: {kind}")
        content = report.read_text(encoding="utf-8")
        value = json.loads(content)
        assert kind in value["broken"]
        assert next(fault for fault in value["faults"] if fault["kind"] == kind)["places"]
        assert f"\n{kind} [stop]: " in audited.out
        told += content
    assert not [string for string in personal_strings(trapped.release) if string in told]


def test_an_audit_of_a_clean_release_exits_with_0(clean: CleanRelease, run: Run, tmp_path: Path) -> None:
    report = tmp_path / "audit.json"
    ran = run("audit", "--release", clean.folder, "--json", report, "--workers", 1)
    assert (ran.code, ran.error.count("error")) == (0, 0)
    assert last_line(ran.out) == "No invariant is broken."
    value = json.loads(report.read_text(encoding="utf-8"))
    assert value["broken"] == []
    assert {*value} == {"broken", "checks", "k", "k_reached", "given_up", "faults"}
    assert not [string for string in personal_strings(clean.release) if string in ran.out + report.read_text()]
