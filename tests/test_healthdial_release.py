"""A whole release: what a clean one gives, what stops it, and that nothing in its files raises anything else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.healthdial_files import write_json, write_release
from benchmarks.healthdial_generator import GeneratedRelease, generate_release
from healthdial.findings import EXPECTED, Findings, Place
from healthdial.json_files import read_json, read_records
from healthdial.release import ReadOptions, Release, read_release, recorded_accounts
from healthdial.rows import classification_rows, dialogue_row, retrieval_rows, snippet_row
from healthdial.schema import features_of
from healthdial.tables import arrow_table
from hub.errors import BenchError, ReleaseError
from tests.healthdial_builders import (
    ACCOUNT,
    Record,
    assistant,
    database,
    dialogue_record,
    grounded,
    kinds,
    snippet_record,
)
from tests.healthdial_traps import release_with_traps

TEXTS = ReadOptions(audio=False)
STRICT = ReadOptions(audio=False, strict=True)
LIST = "dialogue_list_final.json"
PLACE = Place("eng", "dialogues")


def clean(**options: Any) -> GeneratedRelease:
    """A clean release without its audio."""
    small: Record = {"dialogues": 6, "snippets": 8, "parallel": 6, "seconds": (1.0, 1.2)}
    release = generate_release(**small | options)
    for folder in release.dialogues:
        release.audio[folder], release.system_audio[folder] = {}, {}
    return release


def write(folder: Path, **options: Any) -> Path:
    write_release(clean(**options), folder, dialogue_list_name="local")
    return folder


def english(folder: Path, change: Callable[[list[Any]], object]) -> Path:
    """Change the English dialogue list of a release."""
    file = folder / "english" / LIST
    records = json.loads(file.read_text(encoding="utf-8"))
    change(records)
    write_json(file, records)
    return folder


def test_a_clean_release(tmp_path: Path) -> None:
    release = read_release(write(tmp_path), TEXTS)
    assert kinds(release.findings) <= EXPECTED
    assert release.languages == ("ara", "zho", "eng", "spa")
    assert release.listed == dict.fromkeys(release.languages, 6)
    assert {language: len(own) for language, own in release.dialogues.items()} == release.listed
    assert len(release.knowledge.by_id) == 4 * 8
    assert {len(release.knowledge.corpus(language)) for language in release.languages} == {6}
    assert len(release.knowledge.parallel) == 6
    assert set(release.splits.split_of.values()) == {"train"}
    assert release.keys["eng"]["dialogue", "task_id"] == 6
    assert release.audio_sources == []
    assert not release.is_sample


def test_a_clean_release_passes_strict(tmp_path: Path) -> None:
    assert kinds(read_release(write(tmp_path), STRICT).findings) <= EXPECTED


def test_parts_of_a_release(tmp_path: Path) -> None:
    write(tmp_path)
    assert read_release(tmp_path, ReadOptions(languages=("spa",), audio=False)).languages == ("spa",)
    sizes = ReadOptions(split_sizes=(2, 1), audio=False)
    assert [*read_release(tmp_path, sizes).splits.split_of.values()][:6] == ["train"] * 2 + ["validation"] + [
        "test"
    ] * 3


@pytest.mark.parametrize(
    "trap",
    [
        "language_mismatch",
        "missing_task_id",
        "repeated_task_id",
        "several_speakers",
        "unequal_ids",
        "repeated_snippet_id",
        "unknown_snippet",
        "not_alternating",
        "retrieval_without_snippets",
        "flag_not_boolean",
        "contact_in_text",
        "empty_text",
        "byte_order_mark",
        "missing_file",
        "not_utf8",
        "conflicting_dialogue_lists",
    ],
)
def test_strict_stops_at_a_fault_and_names_it(tmp_path: Path, trap: str) -> None:
    planted = release_with_traps(tmp_path, [trap]).planted[trap]
    with pytest.raises(ReleaseError, match=f"^--strict: {trap}: ") as raised:
        read_release(tmp_path, STRICT)
    if trap not in ("unequal_ids", "missing_task_id", "repeated_snippet_id"):
        assert planted.language in str(raised.value)


@pytest.mark.parametrize("trap", ["missing_asr_result", "opening_with_name", "need_retrieval_absent"])
def test_strict_goes_on_after_a_note(tmp_path: Path, trap: str) -> None:
    release_with_traps(tmp_path, [trap])
    assert trap in kinds(read_release(tmp_path, STRICT).findings)


def test_dropped_dialogues_keep_their_positions_in_the_splits(tmp_path: Path) -> None:
    write(tmp_path)
    before = read_release(tmp_path, ReadOptions(split_sizes=(2, 1), audio=False))
    english(tmp_path, lambda records: records[0].update(task_id=None))
    after = read_release(tmp_path, ReadOptions(split_sizes=(2, 1), audio=False))
    dropped = before.dialogues["eng"][0].id
    assert after.splits.split_of == {name: split for name, split in before.splits.split_of.items() if name != dropped}
    assert after.splits.leaks == ()
    assert after.listed["eng"] == 6


def test_named_splits_leave_out_what_they_do_not_name(tmp_path: Path) -> None:
    write(tmp_path)
    named = read_release(tmp_path, TEXTS).splits.manifest(read_release(tmp_path, TEXTS).dialogues)
    left_out = named["eng"]["train"].pop()
    write_json(tmp_path / "splits.json", named)
    release = read_release(tmp_path, TEXTS)
    assert left_out not in {dialogue.id for dialogue in release.dialogues["eng"]}
    assert release.findings.count("without_split", "eng") == 1
    write_json(tmp_path / "splits.json", {})
    with pytest.raises(ReleaseError, match="no dialogue could be read"):
        read_release(tmp_path, TEXTS)


def test_a_release_without_any_dialogue(tmp_path: Path) -> None:
    write(tmp_path, folders=("english",))
    english(tmp_path, lambda records: records.clear())
    with pytest.raises(ReleaseError) as raised:
        read_release(tmp_path, TEXTS)
    assert str(raised.value) == (
        f"{tmp_path}: no dialogue could be read (the lists are empty); fetch the dialogue lists again"
    )


def test_a_release_whose_dialogues_are_all_left_out(tmp_path: Path) -> None:
    write(tmp_path, folders=("english",))
    english(tmp_path, lambda records: [record.pop("task_id") for record in records])
    with pytest.raises(ReleaseError, match=r"no dialogue could be read \(missing_task_id\); fetch"):
        read_release(tmp_path, TEXTS)


def test_an_empty_knowledge_base_leaves_the_dialogues(tmp_path: Path) -> None:
    write(tmp_path, folders=("english",))
    write_json(tmp_path / "who_database.json", [])
    release = read_release(tmp_path, TEXTS)
    assert len(release.dialogues["eng"]) == 6
    assert release.findings.count("unknown_snippet") > 0
    assert all(not turn.gold_snippet_ids for one in release.dialogues["eng"] for turn in one.turns)


def test_the_fingerprint_is_of_the_content_not_the_place(tmp_path: Path) -> None:
    first, second = (read_release(write(tmp_path / name), TEXTS).fingerprint for name in ("a", "b"))
    assert first == second
    english(tmp_path / "b", lambda records: records[0].update(note=1))
    assert read_release(tmp_path / "b", TEXTS).fingerprint != first


def test_recorded_accounts_are_those_of_the_names(tmp_path: Path) -> None:
    release = clean(folders=("english",))
    write_release(release, tmp_path)
    expected = sorted(user["id"] for user in release.users["english"])
    read = read_release(tmp_path, TEXTS)
    assert recorded_accounts(read.dialogues["eng"]) == expected
    assert expected[0] not in repr(read.dialogues)
    assert expected[0] not in repr(read.speakers)


def read_bytes(tmp_path: Path, content: bytes) -> tuple[Any, Findings]:
    file, findings = tmp_path / "list.json", Findings()
    file.write_bytes(content)
    return read_records(file, findings, PLACE), findings


def test_utf8_with_and_without_a_byte_order_mark(tmp_path: Path) -> None:
    content = '["¿Qué? \u00a0 نعم 是 😀"]'.encode()
    records, findings = read_bytes(tmp_path, content)
    assert records == ["¿Qué? \u00a0 نعم 是 😀"]
    assert not findings.counts
    assert read_bytes(tmp_path, b"\xef\xbb\xbf" + content)[0] == records
    assert read_bytes(tmp_path, b"\xef\xbb\xbf" + content)[1].counts == {("byte_order_mark", "eng"): 1}


SECRET = "Moth Lantern"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f'["{SECRET} ñ"]'.encode("latin-1"), r"not UTF-8 \(byte 15\)"),
        (f'["{SECRET}"]'.encode("utf-16"), "not UTF-8"),
        (f'[\n"{SECRET}",\n"{SECRET}'.encode(), r"not valid JSON \(line 3\)"),
        (f'["{SECRET}"] {SECRET}'.encode(), r"not valid JSON \(line 1\)"),
        (f'{{"{SECRET}": 1}}'.encode(), "expected a JSON list of records, found dict"),
        (f'"{SECRET}"'.encode(), "found str"),
        (b"null", "found NoneType"),
        (b"", "not valid JSON"),
        (b"\xef\xbb\xbf", "not valid JSON"),
        (b"[" * 100_000 + b"]" * 100_000, r"not valid JSON \(RecursionError\)"),
        (b"[" + b"9" * 5000 + b"]", "not valid JSON"),
    ],
    ids=["latin-1", "utf-16", "cut", "more", "object", "text", "null", "empty", "mark only", "deep", "long number"],
)
def test_damaged_files_are_named_and_never_quoted(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(ReleaseError, match=rf"list\.json: .*{message}.*fetch it again") as raised:
        read_bytes(tmp_path, content)
    assert "Moth" not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize("name", ["missing.json", "folder"])
def test_files_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(ReleaseError, match=f"{name}: cannot be read"):
        read_json(tmp_path / name, Findings(), PLACE)


def test_half_characters_become_the_replacement_character(tmp_path: Path) -> None:
    content = rb'["a\ud800b", {"\udfff": ["\ud83d\ude00", "\ud83d"]}, "\\ud800", 1, null]'
    records, _ = read_bytes(tmp_path, content)
    assert records == ["a\ufffdb", {"\ufffd": ["😀", "\ufffd"]}, r"\ud800", 1, None]


@pytest.mark.parametrize(
    "name", ["who_database.json", f"english/{LIST}", "english/user_list_final.json", "splits.json"]
)
def test_every_file_of_a_release_is_named_where_it_is_damaged(tmp_path: Path, name: str) -> None:
    write(tmp_path, folders=("english",))
    (tmp_path / name).write_bytes(b'[{"email": "moth@example.org"')
    with pytest.raises(ReleaseError, match=f"{name}: not valid JSON") as raised:
        read_release(tmp_path, TEXTS)
    assert "moth" not in str(raised.value)


UNEXPECTED: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 5.5, float("nan"), float("inf"), 10**30),
    *("", " ", "x", "undefined", "\ud800", "\x00", "\ufeff", "a\nb", "😀", "A" * 3000, "true"),
    *("ENG_٥٠", "eng_7", "ENG_²", "CHN_1", "x_ENG_1_0.wav", f"final_{ACCOUNT}_ENG_1_0.wav"),
    *([], {}, [None], ["a"], [[]], [1, 2], {"a": 1}, {"$oid": "a"}, {"role": "user"}),
)
BASE = database("a", "b")
SMALL: dict[str, Any] = {
    "who_database.json": [*BASE[::4], BASE[4], snippet_record("c", parallel_data=False)],
    f"english/{LIST}": [
        dialogue_record(1, answers=[grounded("s1", BASE[4])]) | {"annotator_email": "moth@example.org"},
        dialogue_record(2, answers=[assistant("s1")]),
    ],
    "english/user_list_final.json": [{"id": ACCOUNT, "gender": "female", "age_group": "25-29", "country": "Spain"}],
}
SCHEMAS = {
    name: features_of(name).arrow_schema
    for name in ("dialogues_eng", "turn_classification_eng", "retrieval_eng", "snippets_eng")
}


def paths(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return where everything inside a JSON value is, the value itself first."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [above, *(path for key, item in items for path in paths(item, (*above, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a copy of a JSON value with another value at one place."""
    if not path:
        return new
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = replaced(value[path[0]], path[1:], new)
    return copied


def read_everything(folder: Path) -> Release:
    """Read a release and make the tables of its texts."""
    release = read_release(folder, TEXTS)
    own, knowledge = release.dialogues["eng"], release.knowledge
    rows = {
        "dialogues_eng": [dialogue_row(one, knowledge, None) for one in own],
        "turn_classification_eng": [row for one in own for row in classification_rows(one)],
        "retrieval_eng": [row for one in own for row in retrieval_rows(one, knowledge)],
        "snippets_eng": [snippet_row(one, None, "WHO") for one in knowledge.of_language("eng")],
    }
    for config, listed in rows.items():
        arrow_table(listed, config, SCHEMAS[config])
    for finding in release.findings:
        str(finding).encode()
    return release


@pytest.mark.parametrize("name", SMALL)
def test_nothing_in_a_file_raises_anything_but_a_release_error(tmp_path: Path, name: str) -> None:
    """Put every unexpected value in every place of a file's first record: only another whole is an error, in words."""
    (tmp_path / "english").mkdir()
    for file, value in SMALL.items():
        write_json(tmp_path / file, value)
    assert not read_everything(tmp_path).findings.count("bad_record")
    stopped = set()
    for path in [(), *paths(SMALL[name][:1])[1:]]:
        for value in UNEXPECTED:
            changed = json.dumps(replaced(SMALL[name], path, value))
            (tmp_path / name).write_text(changed, encoding="utf-8")
            try:
                read_everything(tmp_path)
            except BenchError:
                stopped.add(path)
            except Exception as error:
                raise AssertionError(f"{path} {value!r}") from error
    assert stopped == {()}
