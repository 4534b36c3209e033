"""The files of a release: both names of the dialogue list, the parent folder, folders and archives of audio."""

from __future__ import annotations

from pathlib import Path

import pytest

from healthdial.findings import Findings
from healthdial.layout import ReleaseFiles, find_release
from hub.errors import ReleaseError
from tests.healthdial_builders import kinds

FOLDERS = {"ara": "arabic", "zho": "chinese", "eng": "english", "spa": "spanish"}
LOCAL, HUB = "dialogue_list_final.json", "dialogue_list_final_with_sys_speech.json"


def make(root: Path, *files: str) -> Path:
    """Write empty files, and the knowledge base."""
    for name in ("who_database.json", *files):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("[]", encoding="utf-8")
    return root


def english(*audio: str, name: str = LOCAL) -> list[str]:
    return [f"english/{file}" for file in (name, "user_list_final.json", *audio)]


def find(
    folder: Path, languages: tuple[str, ...] | None = None, *, audio: bool = True
) -> tuple[ReleaseFiles, Findings]:
    findings = Findings()
    return find_release(folder, languages, findings, audio=audio), findings


@pytest.mark.parametrize("name", [LOCAL, HUB])
def test_both_names_of_the_dialogue_list(tmp_path: Path, name: str) -> None:
    files = [f"{folder}/{one}" for folder in FOLDERS.values() for one in (name, "user_list_final.json")]
    found, findings = find(make(tmp_path, *files), audio=False)
    assert list(found.languages) == ["ara", "zho", "eng", "spa"]
    for language, own in found.languages.items():
        assert own.dialogues == tmp_path / FOLDERS[language] / name
        assert own.speakers == tmp_path / FOLDERS[language] / "user_list_final.json"
        assert own.audio == ()
    assert (found.root, found.database, found.splits) == (tmp_path, tmp_path / "who_database.json", None)
    assert not findings.counts


def test_both_lists_of_one_content_are_noted(tmp_path: Path) -> None:
    _, findings = find(make(tmp_path, *english(), f"english/{HUB}"), audio=False)
    assert findings.counts == {("both_dialogue_lists", "eng"): 1}


def test_two_lists_of_different_content_stop(tmp_path: Path) -> None:
    make(tmp_path, *english(), f"english/{HUB}")
    (tmp_path / "english" / HUB).write_text("[1]", encoding="utf-8")
    findings = Findings()
    with pytest.raises(ReleaseError, match=f"{LOCAL} and {HUB} differ"):
        find_release(tmp_path, None, findings, audio=False)
    assert kinds(findings) == {"conflicting_dialogue_lists"}


def test_the_folder_or_its_parent(tmp_path: Path) -> None:
    make(tmp_path / "data", *english())
    (tmp_path / "code").mkdir()
    assert find(tmp_path)[0].root == find(tmp_path / "data")[0].root == tmp_path / "data"


def test_a_parent_of_two_releases_is_none(tmp_path: Path) -> None:
    for name in ("data", "old"):
        make(tmp_path / name, *english())
    with pytest.raises(ReleaseError, match="2 folders"):
        find(tmp_path)


@pytest.mark.parametrize("name", ["empty", "missing", "file"])
def test_what_is_no_release(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("[]", encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"who_database\.json"):
        find(tmp_path / name)


def test_languages_that_are_there(tmp_path: Path) -> None:
    make(tmp_path, *english(), f"spanish/{HUB}", "chinese/other.json")
    assert list(find(tmp_path)[0].languages) == ["eng", "spa"]
    assert list(find(tmp_path, ("spa",))[0].languages) == ["spa"]
    with pytest.raises(ReleaseError, match=r"zho: chinese/dialogue_list_final\.json is missing"):
        find(tmp_path, ("eng", "zho"))


def test_no_language_at_all(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"english/dialogue_list_final\.json"):
        find(make(tmp_path))


def test_a_missing_speaker_list_is_reported(tmp_path: Path) -> None:
    found, findings = find(make(tmp_path, f"english/{LOCAL}"), audio=False)
    assert found.languages["eng"].speakers is None
    assert findings.counts == {("missing_file", "eng"): 1}


def test_named_splits_are_found(tmp_path: Path) -> None:
    assert find(make(tmp_path, *english(), "splits.json"), audio=False)[0].splits == tmp_path / "splits.json"


def test_no_audio_is_reported_only_where_it_is_wanted(tmp_path: Path) -> None:
    make(tmp_path, *english())
    (tmp_path / "english" / "audio").mkdir()
    found, findings = find(tmp_path)
    assert findings.counts == {("no_audio_files", "eng"): 2}
    assert [(one.kind, one.folder, one.archives) for one in found.languages["eng"].audio] == [
        ("user", None, ()),
        ("system", None, ()),
    ]
    assert not find(tmp_path, audio=False)[1].counts


def test_unpacked_folders(tmp_path: Path) -> None:
    found, findings = find(make(tmp_path, *english("audio/a.wav", "system_audio/b/c.wav")))
    user, system = found.languages["eng"].audio
    assert (user.folder, user.archives) == (tmp_path / "english" / "audio", ())
    assert (system.folder, system.archives) == (tmp_path / "english" / "system_audio", ())
    assert (user.place, system.place) == ("user audio", "system audio")
    assert not findings.counts


def test_archives_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    parts = [f"audio.part{part}.tar.gz" for part in (10, 2, *range(9, 2, -1), 1)]
    junk = ["audio.part11.tar.gz.tmp", "audio.partx.tar.gz", "audio.tar.gz"]
    found, findings = find(make(tmp_path, *english(*parts, *junk, "system_audio.part1.tar")))
    user, system = found.languages["eng"].audio
    assert [file.name for file in user.archives] == [f"audio.part{part}.tar.gz" for part in range(1, 11)]
    assert [file.name for file in system.archives] == ["system_audio.part1.tar"]
    assert user.folder is system.folder is None
    assert not findings.counts


def test_archives_where_the_authors_downloader_leaves_them(tmp_path: Path) -> None:
    nested = [f"english/{kind}.part{part}.tar.gz" for kind in ("audio", "system_audio") for part in (1, 2)]
    found, findings = find(make(tmp_path, *english(*nested)))
    for sources, kind in zip(found.languages["eng"].audio, ("audio", "system_audio"), strict=True):
        assert sources.archives == tuple(
            tmp_path / "english" / "english" / f"{kind}.part{part}.tar.gz" for part in (1, 2)
        )
    assert not findings.counts


@pytest.mark.parametrize(
    ("parts", "missing"),
    [((2,), "1"), ((1, 3), "2"), ((2, 4, 6), "1, 3, 5"), ((1, 10), "2, 3, 4, 5, 6, 7, 8, 9"), ((1, 2), None)],
)
def test_a_gap_in_the_numbers_of_archives_is_reported(
    tmp_path: Path, parts: tuple[int, ...], missing: str | None
) -> None:
    """Archives in both places count together; a folder in the place of archives needs none of them."""
    names = [f"{'english/' * (part % 2)}audio.part{part}.tar.gz" for part in parts]
    _, findings = find(make(tmp_path / "a", *english(*names, "system_audio/b.wav", "system_audio.part2.tar.gz")))
    found = [(str(one.place), one.detail) for one in findings if one.kind.name == "missing_part"]
    assert found == ([("eng user audio", f"part {missing}")] if missing else [])


def test_the_folder_is_used_where_archives_lie_beside_it(tmp_path: Path) -> None:
    kept = ["audio/a.wav", "english/audio.part1.tar.gz", "system_audio.part1.tar.gz"]
    found, findings = find(make(tmp_path, *english(*kept)))
    user, system = found.languages["eng"].audio
    assert (user.folder, user.archives) == (tmp_path / "english" / "audio", ())
    assert (system.folder, len(system.archives)) == (None, 1)
    assert findings.counts == {("archives_beside_folder", "eng"): 1}


def test_a_folder_of_hidden_files_is_no_unpacked_audio(tmp_path: Path) -> None:
    found, findings = find(make(tmp_path, *english("audio/.DS_Store", "audio.part1.tar.gz", "system_audio/b.wav")))
    assert [file.name for file in found.languages["eng"].audio[0].archives] == ["audio.part1.tar.gz"]
    assert not findings.counts
