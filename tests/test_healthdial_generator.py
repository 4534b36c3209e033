"""The generator of HealthDial releases and the traps: the documented layout, the same bytes again, a trap a kind."""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.healthdial_files import DIALOGUE_LISTS, ExtraMember, Packing, write_release
from benchmarks.healthdial_generator import (
    FOLDERS,
    GeneratedRelease,
    generate_release,
    generate_sized,
    personal_strings,
)
from benchmarks.healthdial_signal import BANK_SECONDS, SAMPLE_RATE, Clip
from benchmarks.healthdial_text import LANGUAGES
from healthdial.findings import KINDS
from healthdial.release import read_release
from tests.healthdial_traps import (
    ALL_THAT_COMBINE,
    IN_CLEAN_RELEASES,
    MORE_TRAPS,
    NO_TRAP,
    STOPPING,
    TRAPS,
    TrappedRelease,
    release_with_traps,
)

RECORDED_NAME = re.compile(r"[0-9a-f]{24}_(ENG|ARA|CHN|ESP)_\d+_\d+\.wav")
SCRIPTS = {"english": "LATIN", "spanish": "LATIN", "arabic": "ARABIC", "chinese": "CJK"}


@pytest.fixture(scope="module")
def release() -> GeneratedRelease:
    return generate_release(dialogues=20)


@pytest.fixture(scope="module", params=["folder", "tar"])
def trapped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TrappedRelease:
    return release_with_traps(tmp_path_factory.mktemp("trapped") / "release", packing=request.param)


def tree(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file below a folder; what is no readable file has its mode instead."""
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        if file.is_file()
        else oct(file.stat().st_mode)
        for file in sorted(folder.rglob("*"))
        if not file.is_dir()
    }


def recordings(release: GeneratedRelease) -> Iterator[Callable[[], bytes]]:
    for folder in FOLDERS:
        yield from release.audio[folder].values()
        yield from release.system_audio[folder].values()


def answers(release: GeneratedRelease, folder: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for dialogue in release.dialogues[folder]:
        yield from zip(dialogue["utterance"][1::2], dialogue["utterance"][2::2], strict=True)


@pytest.mark.parametrize("packing", ["folder", "tar"])
def test_equal_seeds_give_equal_bytes(tmp_path: Path, packing: Packing) -> None:
    trees = []
    for name, seed in (("first", 1), ("second", 1), ("other", 2)):
        write_release(generate_release(dialogues=2, seconds=(1, 1.2), seed=seed), tmp_path / name, packing=packing)
        trees.append(tree(tmp_path / name))
    assert trees[0] == trees[1]
    assert trees[0] != trees[2]


def test_layout_of_folders(tmp_path: Path) -> None:
    release = generate_release(dialogues=2, seconds=(1, 1.2))
    write_release(release, tmp_path, dialogue_list_name="local")
    assert {file.name for file in tmp_path.iterdir()} == {"who_database.json", *FOLDERS}
    for folder in FOLDERS:
        inside = tmp_path / folder
        assert {file.name for file in inside.iterdir()} == {
            "dialogue_list_final.json",
            "user_list_final.json",
            "audio",
            "system_audio",
        }
        assert {file.name for file in (inside / "audio").iterdir()} == set(release.audio[folder])
        assert {file.name for file in (inside / "system_audio").iterdir()} == set(release.system_audio[folder])


def test_layout_of_archives(tmp_path: Path) -> None:
    release = generate_release(dialogues=3, folders=("english",), seconds=(1, 1.2))
    write_release(release, tmp_path, packing="tar")
    inside = tmp_path / "english"
    members: dict[str, list[str]] = {}
    for archive in sorted(inside.glob("*.tar.gz")):
        with tarfile.open(archive) as tar:
            members[archive.name] = tar.getnames()
    assert [*members] == [
        *(f"audio.part{part}.tar.gz" for part in (1, 2)),
        *(f"system_audio.part{part}.tar.gz" for part in (1, 2, 3)),
    ]
    assert {file.name for file in inside.iterdir()} == {DIALOGUE_LISTS["hub"], "user_list_final.json", *members}
    names = [name for part in members.values() for name in part]
    assert sorted(names) == sorted([*release.audio["english"], *release.system_audio["english"]])


def test_folders_never_get_members_that_lead_outside(tmp_path: Path) -> None:
    release = generate_release(dialogues=1, folders=("english",), seconds=(1, 1.2))
    release.extra_members["english"] = [ExtraMember("audio", "../../evil.wav", b"evil")]
    with pytest.raises(ValueError, match="archive"):
        write_release(release, tmp_path / "release")
    release.extra_members = {}
    release.audio["english"]["../../../evil.wav"] = lambda: b"evil"
    with pytest.raises(ValueError, match="outside"):
        write_release(release, tmp_path / "release")
    assert not list(tmp_path.glob("evil.wav"))


def test_recordings_can_be_read_and_do_not_compress_away(release: GeneratedRelease) -> None:
    import soundfile

    raw = flac = packed = 0
    for maker in recordings(release):
        content = maker()
        samples, rate = soundfile.read(io.BytesIO(content), dtype="int16")
        info = soundfile.info(io.BytesIO(content))
        assert (rate, info.channels, info.format, info.subtype) == (16_000, 1, "WAV", "PCM_16")
        assert 1.2 <= info.duration <= 3.0
        assert 100 < abs(samples.astype(int)).max() < 20_000
        encoded = io.BytesIO()
        soundfile.write(encoded, samples, rate, format="FLAC")
        raw, flac, packed = raw + len(content), flac + len(encoded.getvalue()), packed + len(zlib.compress(content, 1))
    assert 0.4 < flac / raw < 0.6
    assert packed / raw > 0.7


def test_clips_longer_than_the_bank_start_it_again() -> None:
    bank = BANK_SECONDS * SAMPLE_RATE
    samples = Clip(0, bank - 10, bank + 20).samples()
    assert len(samples) == bank + 20
    assert samples[10:].tolist() == [*Clip(0, 0, bank).samples().tolist(), *samples[10:20].tolist()]


def test_turns_are_legal_and_all_three_states_occur(release: GeneratedRelease) -> None:
    base = {snippet["unique_identifier"]: snippet for snippet in release.database}
    for folder in FOLDERS:
        states = set()
        for question, answer in answers(release, folder):
            assert (question["role"], answer["role"]) == ("user", "assistant")
            assert question["out_of_knowledge"] is answer["out_of_knowledge"]
            assert all(base[gold["unique_identifier"]] == gold and gold["parallel_data"] for gold in answer["snippet"])
            states.add((answer["need_retrieval"], answer["out_of_knowledge"], bool(answer["snippet"])))
        assert states == {(False, False, False), (True, False, True), (True, True, False)}
        with_unknown = {
            dialogue["task_id"]
            for dialogue in release.dialogues[folder]
            if any(utterance["out_of_knowledge"] for utterance in dialogue["utterance"])
        }
        assert len(with_unknown) == len(release.dialogues[folder]) // 10


def test_numbers_are_the_same_in_all_languages_and_are_no_positions(release: GeneratedRelease) -> None:
    numbers = {folder: [int(one["task_id"].split("_")[1]) for one in release.dialogues[folder]] for folder in FOLDERS}
    assert len({tuple(one) for one in numbers.values()}) == 1
    assert len(set(numbers["english"])) == 20
    assert all(number != position for position, number in enumerate(numbers["english"]))


def test_names_and_languages(release: GeneratedRelease) -> None:
    for folder in FOLDERS:
        code = LANGUAGES[folder].code
        accounts = {user["id"] for user in release.users[folder]}
        turns = {}
        for dialogue in release.dialogues[folder]:
            assert dialogue["language"] == code
            for turn, question in enumerate(dialogue["utterance"][1::2]):
                assert RECORDED_NAME.fullmatch(question["audio_name"])
                turns[question["audio_name"]] = f"{dialogue['task_id']}_{turn}.wav"
        assert set(turns) == set(release.audio[folder])
        assert all(name.split("_", 1)[1] == ending for name, ending in turns.items())
        assert {name.split("_")[0] for name in turns} == accounts
        spoken = sum(len(dialogue["utterance"]) // 2 + 1 for dialogue in release.dialogues[folder])
        assert len(release.system_audio[folder]) == spoken


def test_texts_are_in_their_script_and_normalised(release: GeneratedRelease) -> None:
    for folder, script in SCRIPTS.items():
        for question, answer in answers(release, folder):
            for text in (question["annotated_transcription"], question["generated_text"], answer["generated_text"]):
                assert {unicodedata.name(one).split()[0] for one in text if one.isalpha()} == {script}
                assert unicodedata.is_normalized("NFC", text)


def test_parallel_snippets_are_in_all_languages_once(release: GeneratedRelease) -> None:
    parallel = [one for one in release.database if one["parallel_data"]]
    pairs = {(one["parallel_identifier"], one["language"]) for one in parallel}
    assert len(pairs) == len(parallel) == 4 * 24
    assert len({identifier for identifier, _ in pairs}) == 24
    assert len({one["unique_identifier"] for one in release.database}) == len(release.database) == 4 * 40
    assert len({one["data"]["content"] for one in release.database}) == len(release.database)


def test_personal_strings_are_personal_and_in_no_text(release: GeneratedRelease) -> None:
    strings = personal_strings(release)
    user = release.users["english"][0]
    for key in ("id", "username", "email", "password", "date_added", "ip_address", "place_of_origin"):
        assert user[key] in strings
    assert {user["id"][:8], user["place_of_origin"].split(",")[0]} <= strings
    assert {release.dialogues["english"][0][key] for key in ("annotator_email", "submission_time")} <= strings
    texts = [str(one) for folder in FOLDERS for question, answer in answers(release, folder) for one in (
        question["annotated_transcription"], question["generated_text"], question["instruction"], answer
    )]  # fmt: skip
    assert not [string for string in strings for text in texts if string in text]


def test_a_clean_release_has_only_the_faults_of_its_forms(tmp_path: Path) -> None:
    write_release(generate_release(seconds=(1.05, 1.25)), tmp_path)
    kinds = {kind for kind, _ in read_release(tmp_path).findings.counts}
    assert kinds <= IN_CLEAN_RELEASES
    assert "personal_field" in kinds


@pytest.mark.parametrize("packing", ["folder", "tar"])
def test_sized_release_is_of_its_size(tmp_path: Path, packing: Packing) -> None:
    size = generate_sized(
        tmp_path, 0.012, packing=packing, seconds=(2, 4), snippets=30, parallel=20, show_progress=False
    )
    assert size == pytest.approx(12e6, rel=0.3)
    if packing == "folder":
        files = {folder: list((tmp_path / folder).rglob("*.wav")) for folder in FOLDERS}
        assert size == sum(file.stat().st_size for listed in files.values() for file in listed)
        assert min(len(listed) for listed in files.values()) > 0


def test_every_kind_has_a_trap_or_a_reason() -> None:
    assert set(TRAPS) | set(NO_TRAP) == set(KINDS)
    assert not set(TRAPS) & set(NO_TRAP)
    assert set(ALL_THAT_COMBINE) | set(STOPPING) == set(TRAPS) | set(MORE_TRAPS)
    assert all(kind in KINDS for trap in TRAPS.values() for kind in trap.also)


@pytest.mark.parametrize("name", [*TRAPS, *MORE_TRAPS])
def test_a_trap_changes_the_release(tmp_path: Path, name: str) -> None:
    """A release with a trap differs from the clean one of the same seed, in its language or in the knowledge base."""
    trap = {**TRAPS, **MORE_TRAPS}[name]
    packing = trap.packing or "folder"
    with_trap = release_with_traps(tmp_path / "trap", [name], packing=packing)
    assert with_trap.left_out == ()
    dialogues = len(with_trap.release.dialogues["arabic"])
    clean = generate_release(dialogues=dialogues, seconds=(1.05, 1.25), user_turns=(2, 2))
    if name == "split_leak":
        clean.audio = clean.system_audio = {folder: {} for folder in FOLDERS}
    write_release(clean, tmp_path / "clean", packing=packing)
    changed = dict(tree(tmp_path / "trap").items() ^ tree(tmp_path / "clean").items())
    assert changed
    places = {trap.folder, "who_database.json", "splits.json"}
    assert {path.split("/")[0] for path in changed} <= places


def test_traps_that_combine_do_not_share_a_place(trapped: TrappedRelease) -> None:
    own = [one.record for name, one in trapped.planted.items() if {**TRAPS, **MORE_TRAPS}[name].own_dialogue]
    assert len(set(own)) == len(own)
    assert set(trapped.planted) | set(trapped.left_out) == set(ALL_THAT_COMBINE)
    assert set(trapped.left_out) <= {"unsafe_member"}


def test_repeated_recordings_stand_in_two_parts(trapped: TrappedRelease) -> None:
    """The clean take comes first: in part 1 of the archives, or before the folder ``part2``."""
    inside = trapped.folder / "english"
    for kind in ("repeated_audio", "different_takes"):
        ending = f"_{trapped.planted[kind].record}_0.wav"
        if (inside / "audio").is_dir():
            found = sorted(
                path.relative_to(inside / "audio").as_posix() for path in (inside / "audio").rglob(f"*{ending}")
            )
            assert [path.count("/") for path in found] == [0, 1]
            continue
        for part in (1, 2):
            with tarfile.open(inside / f"audio.part{part}.tar.gz") as tar:
                assert sum(name.endswith(ending) for name in tar.getnames()) == 1


def test_personal_strings_include_those_of_traps(trapped: TrappedRelease) -> None:
    strings = personal_strings(trapped.release)
    tagged = trapped.planted["metadata_chunk"].record
    name = next(name for name in trapped.release.audio["english"] if name.endswith(f"_{tagged}_0.wav"))
    content = trapped.release.audio["english"][name]()
    assert sum(string.encode() in content for string in strings) >= 2
    contact = next(one for one in trapped.release.dialogues["english"] if "moth.lantern" in str(one))
    assert contact["task_id"] == trapped.planted["contact_in_text"].record
    assert "moth.lantern@mail.example.org" in strings
