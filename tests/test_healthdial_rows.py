"""Rows of every text config: the authors' windows and queries, labels on the answer, ids, parallel views."""

from __future__ import annotations

from typing import Any

import pytest

from healthdial.dialogues import Dialogue
from healthdial.findings import KINDS, Findings
from healthdial.knowledge import read_knowledge
from healthdial.rows import (
    classification_rows,
    dialogue_row,
    filtering_rows,
    parallel_dialogues,
    parallel_snippet_rows,
    parallel_turn_rows,
    retrieval_rows,
    snippet_row,
    system_turn_row,
    user_turn_row,
)
from healthdial.schema import AUDIO_CONFIGS, columns_of, config_names, features_of
from healthdial.speakers import Speaker
from healthdial.tables import arrow_table
from tests.healthdial_builders import (
    CODES,
    Record,
    assistant,
    database,
    dialogue_record,
    grounded,
    knowledge_of,
    ook,
    read_dialogues,
    snippet_record,
)

BASE = database("a", "b")
KNOWLEDGE = knowledge_of(BASE)
GOLD = {record["unique_identifier"]: record for record in BASE}
SPEAKER = Speaker("spk_eng_07", "eng", "female", "25-29", None, "en-GB")
AUDIO_COLUMNS = {"audio", "duration_s", "audio_sha256", "audio_status"}


def answers(code: str = "eng") -> list[Record]:
    """No retrieval, grounded, out of knowledge: the three legal states."""
    return [assistant("s1"), grounded("s2", GOLD[f"b-{code}"], GOLD[f"a-{code}"]), ook("s3")]


def one(record: Record, language: str = "eng") -> Dialogue:
    (dialogue,), _ = read_dialogues([record], language=language, base=BASE)
    return dialogue


def in_all_languages(number: int = 50) -> dict[str, Dialogue]:
    return {iso: one(dialogue_record(number, answers=answers(iso), code=code), iso) for iso, code in CODES.items()}


@pytest.fixture
def dialogue() -> Dialogue:
    return one(dialogue_record(answers=answers()))


def test_ids_of_a_turn(dialogue: Dialogue) -> None:
    row = user_turn_row(dialogue, dialogue.turns[3], KNOWLEDGE, SPEAKER)
    assert row["utterance_id"] == "eng-0050-u03"
    assert row["dialogue_id"] == "eng-0050"
    assert (row["dialogue_number"], row["language"], row["turn_index"]) == (50, "eng", 3)
    assert system_turn_row(dialogue, dialogue.turns[4], KNOWLEDGE)["utterance_id"] == "eng-0050-s04"


def test_user_turn_k_is_answered_by_system_turn_k_plus_1(dialogue: Dialogue) -> None:
    users = [user_turn_row(dialogue, turn, KNOWLEDGE, None) for turn in dialogue.turns[1::2]]
    systems = [system_turn_row(dialogue, turn, KNOWLEDGE) for turn in dialogue.turns[::2]]
    assert [row["user_turn"] for row in users] == [0, 1, 2]
    assert [row["system_turn"] for row in systems] == [0, 1, 2, 3]
    assert [row["text"] for row in systems] == ["s0", "s1", "s2", "s3"]
    for row in users:
        answer = systems[row["user_turn"] + 1]
        assert answer["turn_index"] == row["turn_index"] + 1
        labels = ("needs_retrieval", "out_of_knowledge", "gold_snippet_ids", "gold_parallel_ids")
        assert [row[label] for label in labels] == [answer[label] for label in labels]
        assert row["previous_system_text"] == systems[row["user_turn"]]["text"]


def test_a_user_turn(dialogue: Dialogue) -> None:
    row = user_turn_row(dialogue, dialogue.turns[3], KNOWLEDGE, SPEAKER)
    assert (row["transcription"], row["asr_whisper1"], row["generated_alternative"]) == ("u2", "u2", "Written: u2")
    assert (row["prompt"], row["previous_system_text"], row["voice_source"]) == ("Ask.", "s1", "human")
    assert (row["needs_retrieval"], row["out_of_knowledge"]) == (True, False)
    assert row["gold_snippet_ids"] == ["b-eng", "a-eng"]
    assert row["gold_parallel_ids"] == ["fact-sheets/detail/made-up::b", "fact-sheets/detail/made-up::a"]
    assert (row["speaker_id"], row["gender"], row["age_group"]) == ("spk_eng_07", "female", "25-29")
    assert (row["education"], row["language_variety"]) == (None, "en-GB")


def test_without_a_speaker_nothing_is_said_of_one(dialogue: Dialogue) -> None:
    row = user_turn_row(dialogue, dialogue.turns[1], KNOWLEDGE, None)
    fields = ("speaker_id", "gender", "age_group", "education", "language_variety")
    assert {row[name] for name in fields} == {None}


def test_the_questions_own_mark_is_kept_where_the_answers_differs() -> None:
    record = dialogue_record(answers=[ook("s1")])
    record["utterance"][1]["out_of_knowledge"] = False
    dialogue = one(record)
    row = user_turn_row(dialogue, dialogue.turns[1], KNOWLEDGE, None)
    assert (row["needs_retrieval"], row["out_of_knowledge"]) == (True, False)
    assert [item["out_of_knowledge"] for item in retrieval_rows(dialogue, KNOWLEDGE)] == [True]


def test_a_trailing_user_turn_has_no_labels_and_is_no_item() -> None:
    record = dialogue_record(answers=answers())
    del record["utterance"][6]
    dialogue = one(record)
    row = user_turn_row(dialogue, dialogue.turns[5], KNOWLEDGE, None)
    assert (row["needs_retrieval"], row["gold_snippet_ids"], row["gold_parallel_ids"]) == (None, [], [])
    assert [item["query_id"] for item in retrieval_rows(dialogue, KNOWLEDGE)] == ["eng-0050-u03"]
    assert [item["turn_index"] for item in classification_rows(dialogue)] == [0, 2, 4]


def test_windows_of_turn_classification(dialogue: Dialogue) -> None:
    rows = list(classification_rows(dialogue))
    assert [row["text"] for row in rows] == [
        "",
        "system: s0 user: u1",
        "user: u1 system: s1 user: u2",
        "user: u2 system: s2 user: u3",
    ]
    assert [row["label"] for row in rows] == ["no_retrieval", "no_retrieval", "retrieval", "retrieval"]
    assert [row["is_opening"] for row in rows] == [True, False, False, False]
    assert [row["utterance_id"] for row in rows] == [f"eng-0050-s0{index}" for index in (0, 2, 4, 6)]


def test_windows_take_gold_transcripts_stripped() -> None:
    record = dialogue_record(answers=[assistant(" s1\n")])
    record["utterance"][0]["generated_text"] = "\ts0 "
    record["utterance"][1] |= {"annotated_transcription": "  Said  so. ", "annotated_asr_result": "heard"}
    assert [row["text"] for row in classification_rows(one(record))] == ["", "system: s0 user: Said  so."]


def test_a_window_without_a_transcript() -> None:
    record = dialogue_record()
    record["utterance"][1]["annotated_transcription"] = None
    assert [row["text"] for row in classification_rows(one(record))][1:] == [
        "system: s0 user: ",
        "user:  system: s1 user: u2",
    ]


def test_queries_are_all_utterances_up_to_the_turn_joined_by_one_space(dialogue: Dialogue) -> None:
    rows = list(retrieval_rows(dialogue, KNOWLEDGE))
    assert [(row["query_id"], row["query"]) for row in rows] == [
        ("eng-0050-u03", "s0 u1 s1 u2"),
        ("eng-0050-u05", "s0 u1 s1 u2 s2 u3"),
    ]
    assert [row["gold_snippet_ids"] for row in rows] == [["b-eng", "a-eng"], []]
    assert [row["out_of_knowledge"] for row in rows] == [False, True]
    assert [row["turn_index"] for row in rows] == [3, 5]
    assert "utterance_id" not in rows[0]


def test_queries_are_raw_transcripts_and_skip_what_is_no_text() -> None:
    record = dialogue_record(answers=[assistant("s1"), grounded("s2", GOLD["a-eng"])])
    record["utterance"][1]["annotated_transcription"] = "undefined"
    record["utterance"][3] |= {"annotated_transcription": " It\u00a0hurts ", "annotated_asr_result": "heard"}
    assert [row["query"] for row in retrieval_rows(one(record), KNOWLEDGE)] == ["s0 s1  It\u00a0hurts "]


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        (assistant("s1"), 0),
        (grounded("s1", GOLD["a-eng"]), 1),
        (ook("s1"), 1),
        (grounded("s1"), 0),
        (grounded("s1", GOLD["a-eng"], in_knowledge=False), 0),
        (assistant("s1", snippet=[GOLD["a-eng"]]), 0),
        (assistant("s1", out_of_knowledge=True), 0),
        (grounded("s1", GOLD["a-eng"], out_of_knowledge=True), 1),
    ],
)
def test_which_turns_are_retrieval_items(answer: Record, items: int) -> None:
    assert len(list(retrieval_rows(one(dialogue_record(answers=[answer])), KNOWLEDGE))) == items


def test_filtering_items_are_retrieval_items_with_candidates(dialogue: Dialogue) -> None:
    retrieval = list(retrieval_rows(dialogue, KNOWLEDGE))
    rows = filtering_rows(retrieval, [[("a-eng", 2.5), ("b-eng", 0.5)], []])
    assert rows[0] == retrieval[0] | {"candidate_ids": ["a-eng", "b-eng"], "candidate_scores": [2.5, 0.5]}
    assert rows[1] == retrieval[1] | {"candidate_ids": [], "candidate_scores": []}
    with pytest.raises(ValueError, match="zip"):
        filtering_rows(retrieval, [[]])


def test_a_dialogue(dialogue: Dialogue) -> None:
    row = dialogue_row(dialogue, KNOWLEDGE, SPEAKER)
    assert {name: row[name] for name in row if name != "turns"} == {
        "dialogue_id": "eng-0050",
        "dialogue_number": 50,
        "language": "eng",
        "speaker_id": "spk_eng_07",
        "topic": "Sleep",
        "has_ook": True,
        "n_user_turns": 3,
    }
    assert [turn["text"] for turn in row["turns"]] == ["s0", "u1", "s1", "u2", "s2", "u3", "s3"]
    assert [turn["needs_retrieval"] for turn in row["turns"]] == [False, None, False, None, True, None, True]
    assert [turn["gold_snippet_ids"] for turn in row["turns"][3:5]] == [[], ["b-eng", "a-eng"]]
    assert [turn["generated_alternative"] for turn in row["turns"][:2]] == [None, "Written: u1"]
    assert row["turns"][6]["utterance_id"] == "eng-0050-s06"


def test_a_dialogue_without_gold_has_no_topic() -> None:
    row = dialogue_row(one(dialogue_record()), KNOWLEDGE, None)
    assert (row["topic"], row["has_ook"], row["speaker_id"]) == (None, False, None)


def test_snippets(dialogue: Dialogue) -> None:
    assert snippet_row(KNOWLEDGE.by_id["a-zho"], "2025-05-11", "WHO") == {
        "snippet_id": "a-zho",
        "topic": "Sleep",
        "title": "Overview",
        "content": "Text of a-zho (1).",
        "parallel_id": "fact-sheets/detail/made-up::a",
        "is_parallel": True,
        "language": "zho",
        "type": "fact_sheet",
        "url": "https://www.who.int/news-room/fact-sheets/detail/made-up",
        "crawl_date": "2025-05-11",
        "licence": "WHO",
    }


@pytest.mark.parametrize(("said", "kept"), [("qa_pair", "qa_pair"), ("news", None), (None, None), (["qa_pair"], None)])
def test_types_of_snippets(said: Any, kept: str | None) -> None:
    record = snippet_record("x", data={"type": said, "content": "Text."}, parallel_data=False)
    knowledge = read_knowledge([record], Findings())
    assert snippet_row(knowledge.by_id["x"], None, "WHO")["type"] == kept


def test_parallel_snippets_are_complete_sets_ordered_by_id() -> None:
    alone = snippet_record("z-eng", parallel_identifier="a-first")
    rows = parallel_snippet_rows(read_knowledge([*database("b", "a"), alone], Findings()))
    assert [row["parallel_id"][-3:] for row in rows] == ["::a", "::b"]
    assert {rows[0][f"snippet_id_{language}"] for language in CODES} == {f"a-{language}" for language in CODES}
    assert rows[1]["content_spa"] == "Text of b-spa (1)."
    assert set(rows[0]) == set(columns_of("snippets_parallel"))


def test_parallel_turns_stand_side_by_side() -> None:
    findings = Findings()
    rows = list(parallel_turn_rows(in_all_languages(), KNOWLEDGE, findings))
    assert not findings.counts
    assert [(row["turn_index"], row["role"]) for row in rows] == [
        (index, ("assistant", "user")[index % 2]) for index in range(7)
    ]
    question, answer, refusal = rows[3], rows[4], rows[6]
    for language in CODES:
        assert (question[f"text_{language}"], question[f"generated_{language}"]) == ("u2", "Written: u2")
        assert (answer[f"text_{language}"], answer[f"generated_{language}"]) == ("s2", None)
        assert question[f"utterance_id_{language}"] == f"{language}-0050-u03"
    assert (question["needs_retrieval"], question["gold_parallel_ids"]) == (None, [])
    assert (answer["needs_retrieval"], answer["out_of_knowledge"]) == (True, False)
    assert answer["gold_parallel_ids"] == ["fact-sheets/detail/made-up::a", "fact-sheets/detail/made-up::b"]
    assert (refusal["needs_retrieval"], refusal["out_of_knowledge"], refusal["gold_parallel_ids"]) == (True, True, [])
    assert set(question) == set(columns_of("parallel_turns"))


def test_parallel_turns_end_with_the_shortest_language() -> None:
    versions = in_all_languages()
    versions["eng"] = one(dialogue_record(answers=answers()[:1]))
    findings = Findings()
    assert [row["turn_index"] for row in parallel_turn_rows(versions, KNOWLEDGE, findings)] == [0, 1, 2]
    assert [str(one) for one in findings] == [
        f"dialogues 50: {KINDS['parallel_lengths'].text} (ara 7, zho 7, eng 3, spa 7)"
    ]


@pytest.mark.parametrize(
    ("changes", "turn"),
    [
        ({"snippet": [GOLD["a-ara"]]}, 4),
        ({"snippet": []}, 4),
        ({"out_of_knowledge": True}, 4),
        ({"need_retrieval": False}, 4),
        ({"out_of_knowledge": True}, 3),
    ],
)
def test_labels_of_parallel_turns_are_the_english_ones(changes: Record, turn: int) -> None:
    """Arabic comes first in our order, and is the language that differs."""
    versions, findings = in_all_languages(), Findings()
    expected = list(parallel_turn_rows(versions, KNOWLEDGE, Findings()))
    record = dialogue_record(answers=answers("ara"), code="ARA")
    record["utterance"][turn].update(changes)
    rows = list(parallel_turn_rows(versions | {"ara": one(record, "ara")}, KNOWLEDGE, findings))
    assert rows == expected
    assert [(found.kind.name, str(found.place), found.detail) for found in findings] == [
        ("parallel_labels", f"dialogues 50 utterance {turn}", "ara")
    ]


def test_a_difference_in_english_is_shown_and_every_other_language_named() -> None:
    versions, findings = in_all_languages(), Findings()
    versions["eng"] = one(dialogue_record(answers=[assistant("s1"), grounded("s2", GOLD["a-eng"]), ook("s3")]))
    rows = list(parallel_turn_rows(versions, KNOWLEDGE, findings))
    assert rows[4]["gold_parallel_ids"] == ["fact-sheets/detail/made-up::a"]
    assert [found.detail for found in findings] == ["ara zho spa"]


def test_dialogues_of_all_languages_and_one_split() -> None:
    dialogues = {
        language: [Dialogue(language, number, position, ()) for position, number in enumerate((3, 1, 2, 4))]
        for language in CODES
    }
    del dialogues["spa"][3]
    split_of = {one.id: "train" for own in dialogues.values() for one in own} | {"zho-0002": "test"}
    found = parallel_dialogues(dialogues, split_of)
    assert [(split, versions["ara"].number) for split, versions in found] == [("train", 1), ("train", 3)]
    assert list(found[0][1]) == ["ara", "zho", "eng", "spa"]
    assert parallel_dialogues({"eng": dialogues["eng"]}, split_of) == []


def test_rows_have_the_columns_of_their_configs_and_fit_their_types(dialogue: Dialogue) -> None:
    retrieval = list(retrieval_rows(dialogue, KNOWLEDGE))
    rows = {
        "user_turns_eng": [user_turn_row(dialogue, turn, KNOWLEDGE, SPEAKER) for turn in dialogue.user_turns],
        "system_turns_eng": [system_turn_row(dialogue, turn, KNOWLEDGE) for turn in dialogue.turns[::2]],
        "dialogues_eng": [dialogue_row(dialogue, KNOWLEDGE, SPEAKER)],
        "snippets_eng": [snippet_row(snippet, None, "WHO") for snippet in KNOWLEDGE.of_language("eng")],
        "turn_classification_eng": list(classification_rows(dialogue)),
        "retrieval_eng": retrieval,
        "filtering_eng": filtering_rows(retrieval, [[("a-eng", 1.0)], []]),
        "parallel_turns": list(parallel_turn_rows(in_all_languages(), KNOWLEDGE, Findings())),
        "snippets_parallel": parallel_snippet_rows(KNOWLEDGE),
    }
    assert set(rows) == set(config_names(("eng",))) - {"speakers"}
    for config, own in rows.items():
        has_audio = config.rsplit("_", 1)[0] in AUDIO_CONFIGS
        assert {*own[0], *(AUDIO_COLUMNS if has_audio else ())} == set(columns_of(config))
        filled = [row | dict.fromkeys(AUDIO_COLUMNS) for row in own] if has_audio else own
        table = arrow_table(filled, config, features_of(config).arrow_schema)
        assert table.num_rows == len(own)


def test_classes_become_their_numbers() -> None:
    schema = features_of("turn_classification_eng").arrow_schema
    rows = list(classification_rows(one(dialogue_record(answers=answers()))))
    assert arrow_table(rows, "turn_classification_eng", schema)["label"].to_pylist() == [0, 0, 1, 1]
    unknown = [rows[0] | {"label": None}]
    assert arrow_table(unknown, "turn_classification_eng", schema)["label"].to_pylist() == [None]
    with pytest.raises(KeyError, match="perhaps"):
        arrow_table([rows[0] | {"label": "perhaps"}], "turn_classification_eng", schema)
