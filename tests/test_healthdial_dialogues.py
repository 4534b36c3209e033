"""Dialogues: typed turns of the documented records, and every illegal state by its name and place."""

from __future__ import annotations

import copy

import pytest

from healthdial.dialogues import DialogueReader, Turn
from healthdial.findings import Findings
from healthdial.knowledge import KnowledgeBase
from tests.healthdial_builders import (
    ACCOUNT,
    OTHER_ACCOUNT,
    SIX_GOLD,
    SIX_SNIPPETS,
    Record,
    assistant,
    changed,
    dialogue_record,
    grounded,
    kinds,
    ook,
    read_dialogues,
    read_one,
)


def test_a_clean_dialogue_has_no_fault() -> None:
    record = dialogue_record(answers=[grounded("s1", SIX_GOLD[0], SIX_GOLD[2]), assistant("s2"), ook("s3")])
    (dialogue,), findings = read_dialogues([record], base=SIX_SNIPPETS)
    assert not findings.counts
    assert (dialogue.id, dialogue.language, dialogue.number, dialogue.position) == ("eng-0050", "eng", 50, 0)
    turns = dialogue.turns
    assert [turn.role for turn in turns] == ["assistant", "user"] * 3 + ["assistant"]
    assert [turn.index for turn in turns] == list(range(7))
    assert [turn.text for turn in turns[::2]] == ["s0", "s1", "s2", "s3"]
    assert turns[1] == Turn(
        1,
        "user",
        "Written: u1",
        transcription="u1",
        asr_whisper1="u1",
        prompt="Ask.",
        recording=turns[1].recording,
    )
    assert turns[1].recording is not None
    assert (turns[1].recording.prefix, turns[1].recording.turn) == (ACCOUNT, (50, 0))
    assert [turn.needs_retrieval for turn in turns[::2]] == [False, True, False, True]
    assert [turn.out_of_knowledge for turn in turns] == [False] * 5 + [True, True]
    assert [turn.gold_snippet_ids for turn in turns[::2]] == [(), ("a-eng", "c-eng"), (), ()]
    assert all(turn.in_knowledge for turn in turns)


def test_utterance_ids_and_answers() -> None:
    (dialogue,), _ = read_dialogues([dialogue_record(50)])
    assert [dialogue.utterance_id(index) for index in (0, 3, 4, 12)] == [
        "eng-0050-s00",
        "eng-0050-u03",
        "eng-0050-s04",
        "eng-0050-s12",
    ]
    assert [dialogue.answer(turn) for turn in dialogue.user_turns] == [dialogue.turns[2], dialogue.turns[4]]


def test_roles_of_the_tools_are_mapped() -> None:
    record = dialogue_record()
    for index, utterance in enumerate(record["utterance"]):
        utterance["role"] = ("Assistant", "Patient")[index % 2]
    turns, findings = read_one(record)
    assert [turn.role for turn in turns] == ["assistant", "user", "assistant", "user", "assistant"]
    assert findings.counts == {("tool_role", "eng"): 5}


def break_alternation(record: Record, how: str) -> None:
    turns = record["utterance"]
    if how == "two users":
        del turns[2]
    elif how == "user first":
        del turns[0]
    elif how == "two assistants":
        del turns[1]
    else:
        turns[1]["role"] = {"unknown": "doctor", "number": 3, "absent": None, "list": ["user"]}[how]


@pytest.mark.parametrize("how", ["two users", "user first", "two assistants", "unknown", "number", "absent", "list"])
def test_turns_that_do_not_alternate(how: str) -> None:
    record = dialogue_record()
    break_alternation(record, how)
    dialogues, findings = read_dialogues([record])
    assert dialogues == []
    assert findings.counts == {("not_alternating", "eng"): 1}


@pytest.mark.parametrize("utterance", [None, "text", 7, [], ["assistant"]])
def test_an_utterance_that_is_no_object(utterance: object) -> None:
    record = dialogue_record()
    record["utterance"][2] = utterance
    dialogues, findings = read_dialogues([record])
    assert dialogues == []
    assert kinds(findings) == {"not_alternating"}


def test_a_trailing_user_turn_has_no_answer() -> None:
    record = dialogue_record()
    del record["utterance"][4]
    (dialogue,), findings = read_dialogues([record])
    assert findings.counts == {("trailing_user_turn", "eng"): 1}
    assert dialogue.answer(dialogue.turns[3]) is None


@pytest.mark.parametrize(
    "record",
    [
        None,
        "ENG_50",
        50,
        [],
        {},
        {"task_id": "ENG_50"},
        dialogue_record() | {"utterance": None},
        dialogue_record() | {"utterance": []},
        dialogue_record() | {"utterance": {"0": assistant("s0")}},
        dialogue_record() | {"utterance": "s0"},
    ],
)
def test_what_cannot_be_a_dialogue_is_left_out_by_its_position(record: object) -> None:
    dialogues, findings = read_dialogues([dialogue_record(), record])
    assert [dialogue.number for dialogue in dialogues] == [50]
    assert findings.counts == {("bad_record", "eng"): 1}
    assert "position 1" in str(next(iter(findings)))


@pytest.mark.parametrize("task_id", [None, 50, "", "50", "ENG-50", "FRA_50", ["ENG_50"], {"$oid": "ENG_50"}])
def test_a_dialogue_without_a_task_id(task_id: object) -> None:
    dialogues, findings = read_dialogues([dialogue_record() | {"task_id": task_id}])
    assert dialogues == []
    assert findings.counts == {("missing_task_id", "eng"): 1}


def test_a_repeated_task_id_keeps_the_first_and_positions_count_every_record() -> None:
    repeated = dialogue_record(50, answers=[assistant("another")])
    records = [None, dialogue_record(50), repeated, dialogue_record(9) | {"task_id": "ENG-9"}, dialogue_record(7)]
    dialogues, findings = read_dialogues(records)
    assert [(dialogue.number, dialogue.position) for dialogue in dialogues] == [(50, 1), (7, 4)]
    assert dialogues[0].turns[2].text == "s1"
    assert findings.count("repeated_task_id") == 1


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"language": "ESP"}, "task id eng, language spa"),
        ({"language": "FRA"}, "task id eng, language unknown"),
        ({"language": ["ENG"]}, "task id eng, language unknown"),
    ],
)
def test_a_language_that_is_not_the_folders(changes: Record, detail: str) -> None:
    (dialogue,), findings = read_dialogues([dialogue_record() | changes])
    assert dialogue.language == "eng"
    assert [(one.kind.name, one.detail) for one in findings] == [("language_mismatch", detail)]


@pytest.mark.parametrize("language", ["ARA", "arabic", "FRA", None])
def test_another_languages_dialogue_is_left_out_and_the_own_one_of_its_number_kept(language: str | None) -> None:
    own = dialogue_record(12, answers=[assistant("own answer")])
    other = dialogue_record(12, code="ARA") | {"language": language}
    dialogues, findings = read_dialogues([dialogue_record(10), other, own])
    assert [(one.number, one.position) for one in dialogues] == [(10, 0), (12, 2)]
    assert [turn.text for turn in dialogues[1].turns[::2]] == ["s0", "own answer"]
    said = "ara" if language in ("ARA", "arabic") else "unknown"
    assert [(one.kind.name, str(one.place), one.detail) for one in findings] == [
        ("misfiled_dialogue", "eng dialogues position 1", f"task id ara, language {said}")
    ]


@pytest.mark.parametrize("value", ["ENG", "eng", "english", "en"])
def test_language_values_of_every_code_system(value: str) -> None:
    assert not read_dialogues([dialogue_record() | {"language": value}])[1].counts


def test_recordings_of_chinese_and_spanish_carry_the_releases_codes() -> None:
    for language, code in (("zho", "CHN"), ("spa", "ESP")):
        (dialogue,), findings = read_dialogues([dialogue_record(code=code)], language=language)
        assert not findings.counts
        assert dialogue.id == f"{language}-0050"


@pytest.mark.parametrize(
    "name",
    [
        None,
        "",
        7,
        [f"{ACCOUNT}_ENG_50_0.wav"],
        "recording.wav",
        f"{ACCOUNT}_ENG_51_0.wav",
        f"{ACCOUNT}_ESP_50_0.wav",
        f"{ACCOUNT}_ENG_50.wav",
    ],
)
def test_a_recording_without_a_name_or_of_another_dialogue_is_not_followed(name: object) -> None:
    turns, findings = read_one(changed(1, audio_name=name))
    assert turns[1].recording is None
    assert findings.counts == {("audio_name", "eng"): 1}
    assert ACCOUNT not in str(next(iter(findings)))


def test_a_recording_in_a_folder_is_found_by_its_base_name() -> None:
    turns, findings = read_one(changed(1, audio_name=f"audio/part1/{ACCOUNT}_ENG_50_0.wav"))
    assert not findings.counts
    assert turns[1].recording is not None


def test_the_index_of_a_recording_counts_user_turns() -> None:
    turns, findings = read_one(changed(3, audio_name=f"{ACCOUNT}_ENG_50_3.wav"))
    assert [(one.kind.name, one.place.utterance, one.detail) for one in findings] == [
        ("audio_index", 3, "3 instead of 1")
    ]
    assert turns[3].recording is not None
    assert turns[3].recording.index == 3


def test_a_final_prefix_is_removed() -> None:
    turns, findings = read_one(changed(1, audio_name=f"final_{ACCOUNT}_ENG_50_0.wav"))
    assert findings.counts == {("final_prefix", "eng"): 1}
    assert turns[1].recording is not None
    assert turns[1].recording.prefix == ACCOUNT


def test_two_accounts_in_one_dialogue() -> None:
    _, findings = read_one(changed(3, audio_name=f"{OTHER_ACCOUNT}_ENG_50_1.wav"))
    assert [(one.kind.name, one.detail) for one in findings] == [("several_speakers", "2 accounts")]
    assert ACCOUNT not in repr(findings)
    assert OTHER_ACCOUNT not in repr(findings)


def test_a_system_recording_is_any_name_in_its_record_counted_by_assistant_turns() -> None:
    turns, findings = read_one(changed(4, system_speech="synthetic_ENG_50_2.wav"))
    assert not findings.counts
    assert turns[4].recording is not None
    assert turns[4].recording.turn == (50, 2)
    assert turns[2].recording is None
    _, findings = read_one(changed(4, system_speech="synthetic_ENG_50_4.wav"))
    assert kinds(findings) == {"audio_index"}


def test_contacts_are_masked_in_what_people_said_only() -> None:
    text = "Mail moth@example.org"
    changes = dict.fromkeys(("annotated_transcription", "annotated_asr_result", "generated_text"), text)
    turns, findings = read_one(changed(1, **changes))
    assert (turns[1].transcription, turns[1].asr_whisper1) == ("Mail [contact]", "Mail [contact]")
    assert turns[1].text == text
    assert findings.counts == {("contact_in_text", "eng"): 2}
    turns, findings = read_one(changed(1, **changes), keep_contacts=True)
    assert (turns[1].transcription, turns[1].asr_whisper1) == (text, text)
    assert findings.counts == {("contact_in_text", "eng"): 2}


@pytest.mark.parametrize("text", [None, "", "undefined", 7, ["text"]])
def test_texts_that_are_none(text: object) -> None:
    turns, findings = read_one(changed(1, annotated_transcription=text, generated_text=text, instruction=text))
    assert (turns[1].transcription, turns[1].text, turns[1].prompt) == (None, None, None)
    assert findings.counts == {("empty_text", "eng"): 3}


def test_a_missing_asr_result_is_a_note_and_an_empty_one_is_none() -> None:
    turns, findings = read_one(changed(1, annotated_asr_result=None))
    assert turns[1].asr_whisper1 is None
    assert findings.counts == {("missing_asr_result", "eng"): 1}
    assert kinds(read_one(changed(1, annotated_asr_result="undefined"))[1]) == {"empty_text"}


def test_personal_fields_are_reported_by_key_and_never_kept() -> None:
    record = changed(1, user_agent="Pocketphone of Moth")
    record |= {"annotator_email": "moth@example.org", "start_time": "2025-01-02", "moth@example.org": 1}
    (dialogue,), findings = read_dialogues([record], base=SIX_SNIPPETS)
    assert findings.counts == {("personal_field", "eng"): 4}
    assert {one.detail for one in findings} == {"annotator_email", "start_time", "user_agent", ""}
    for text in ("moth", "Moth", "2025-01-02"):
        assert text not in repr(findings.examples)
        assert text not in repr(dialogue)


def test_keys_are_counted_by_role() -> None:

    reader = DialogueReader("eng", KnowledgeBase({}, {}), {}, Findings())
    reader.read([dialogue_record(1), dialogue_record(2)])
    assert reader.keys["dialogue", "task_id"] == 2
    assert reader.keys["assistant", "need_retrieval"] == 6
    assert reader.keys["user", "audio_name"] == 4
    assert reader.keys["user", "need_retrieval"] == 0


@pytest.mark.parametrize(
    ("opening", "noted"), [("Welcome to the NHS line.", True), ("Hello, I am an AI. OK?", False), ("¿IA?", False)]
)
def test_an_opening_that_names_an_organisation(opening: str, noted: bool) -> None:
    _, findings = read_one(changed(0, generated_text=opening))
    assert kinds(findings) == ({"opening_with_name"} if noted else set())


def test_reading_changes_no_record() -> None:
    records = [changed(1, audio_name=f"final_{ACCOUNT}_ENG_50_0.wav"), None]
    before = copy.deepcopy(records)
    read_dialogues(records, base=SIX_SNIPPETS)
    assert records == before


def test_an_empty_list() -> None:
    dialogues, findings = read_dialogues([])
    assert dialogues == []
    assert not findings.counts
