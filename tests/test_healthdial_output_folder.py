"""Where a build may write: not over the release or its key, not a sample over a release, not into a file."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.healthdial_files import write_release
from benchmarks.healthdial_generator import generate_release
from healthdial import build as build_module
from healthdial import cli
from healthdial.build import BuildOptions, build, build_sample
from healthdial.release import SAMPLE_FOLDER, ReadOptions, read_release
from hub.errors import BenchError, ReleaseError
from tests.healthdial_built import files_of, options

pytest_plugins = ("tests.healthdial_fixtures",)
pytestmark = pytest.mark.usefixtures("quick_plots")

TEXTS = ReadOptions(audio=False)


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A release of one English dialogue in ``tmp_path/data/release``."""
    folder = tmp_path / "data" / "release"
    write_release(generate_release(dialogues=1, folders=("english",), seconds=(1.05, 1.2)), folder)
    return folder


@pytest.fixture
def no_recording_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_module, "index_recordings", lambda *_: pytest.fail("recordings were read"))


@pytest.mark.usefixtures("no_recording_is_read")
@pytest.mark.parametrize("out", ["data/release", "data", ".", "data/link", "data/nowhere/.."])
def test_a_folder_that_holds_the_release_is_refused_before_anything_is_written(
    release: Path, tmp_path: Path, out: str
) -> None:
    (tmp_path / "data" / "link").symlink_to(release)
    key = tmp_path / "data" / "new.key"
    before = sorted(tmp_path.rglob("*")), files_of(tmp_path)
    with pytest.raises(
        ReleaseError, match=r"^the release \(.*release\) lies inside the output folder .*another --out"
    ):
        build(read_release(release), tmp_path / out, BuildOptions(workers=1, k=1, speaker_key=key))
    assert (sorted(tmp_path.rglob("*")), files_of(tmp_path)) == before


@pytest.mark.usefixtures("no_recording_is_read")
@pytest.mark.parametrize("key_is_there", [True, False])
def test_a_folder_that_holds_the_speaker_key_is_refused_before_anything_is_written(
    release: Path, tmp_path: Path, key_is_there: bool
) -> None:
    out = tmp_path / "out"
    key = out / "private" / "speaker.key"
    if key_is_there:
        key.parent.mkdir(parents=True)
        key.write_text("k" * 64)
    before = sorted(tmp_path.rglob("*")), files_of(tmp_path)
    with pytest.raises(ReleaseError, match=r"^the speaker key \(.*speaker.key\) lies inside the output folder"):
        build(read_release(release), out, BuildOptions(workers=1, k=1, speaker_key=key))
    assert (sorted(tmp_path.rglob("*")), files_of(tmp_path)) == before


def test_a_folder_inside_the_release_or_beside_it_will_do(release: Path, tmp_path: Path) -> None:
    for out in (release / "out", tmp_path / "data" / "release-built"):
        assert build(read_release(release, TEXTS), out, options(tmp_path)).folder == out
        assert (out / "README.md").is_file()


def test_the_sample_is_built_around_its_own_files_and_beside_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the package, whose folder is the default --out and holds the sample."""
    copied = tmp_path / "package" / "sample"
    shutil.copytree(SAMPLE_FOLDER, copied)
    monkeypatch.setattr("healthdial.release.SAMPLE_FOLDER", copied)
    monkeypatch.setattr(build_module, "SAMPLE_FOLDER", copied)
    before = files_of(copied)
    built = build_sample(copied.parent, BuildOptions(workers=1, speaker_key=copied.parent / "speaker.key"))
    assert built.origin == build_module.SAMPLE_ORIGIN
    assert (copied.parent / "README.md").is_file()
    assert files_of(copied) == before
    assert not (copied.parent / "speaker.key").exists()


@pytest.mark.usefixtures("no_recording_is_read")
@pytest.mark.parametrize("out", ["a_file", "a_file/inside"])
def test_a_file_as_the_output_folder_is_one_error_at_once(release: Path, tmp_path: Path, out: str) -> None:
    (tmp_path / "a_file").write_text("text")
    key = tmp_path / "new.key"
    with pytest.raises(BenchError, match=rf"/{out}: cannot be written \((File exists|Not a directory)\)") as raised:
        build(read_release(release), tmp_path / out, BuildOptions(workers=1, k=1, speaker_key=key))
    assert str(raised.value).count("\n") == 0
    assert (tmp_path / "a_file").read_text() == "text"
    assert not key.exists()


def test_the_sample_never_replaces_a_build_of_a_release(release: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(read_release(release, TEXTS), out, options(tmp_path))
    before = files_of(out)
    with pytest.raises(BenchError, match=r"/out holds a build of a release, which the sample does not replace"):
        build_sample(out, BuildOptions(workers=1))
    assert files_of(out) == before


def test_a_release_replaces_a_build_of_the_sample_and_the_sample_its_own(release: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = build_sample(out, BuildOptions(workers=2))
    assert build_sample(out, BuildOptions(workers=2)).origin == first.origin
    built = build(read_release(release, TEXTS), out, options(tmp_path))
    assert f"Origin of these rows: `{built.origin}`" in (out / "README.md").read_text(encoding="utf-8")
    assert {config.name[-3:] for config in built.configs if "turns_" in config.name} == {"eng"}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("--languages eng", "--languages"),
        ("--no-audio", "--no-audio"),
        ("--split-by number", "--split-by"),
        ("--allow-leak", "--allow-leak"),
        ("--allow-damaged", "--allow-damaged"),
        ("--speaker-key key", "--speaker-key"),
        ("--keep-contacts", "--keep-contacts"),
        ("--strict", "--strict"),
        ("--download downloads", "--download"),
        ("--strict --no-audio", "--no-audio, --strict"),
    ],
)
def test_options_for_releases_are_refused_with_the_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: str, named: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli.gc, "freeze", lambda: None)
    monkeypatch.setattr("sys.argv", ["healthdial", "build", "--sample", "--out", "out", *arguments.split()])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 1
    expected = f"healthdial: error: {named} is for --release; the sample is always built whole"
    assert capsys.readouterr().err.strip().splitlines()[-1] == expected
    assert [*tmp_path.iterdir()] == []
