"""Statistics of rows: counted by hand on a few made-up rows, in equal samples, and independent of row order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from healthdial.speakers import AGE_GROUPS, GENDERS
from healthdial.statistics import NOT_GIVEN, LanguageStatistics, describe, turn_state
from healthdial.word_statistics import EqualSample, equal_sample
from tests.healthdial_toy_rows import ALL_LANGUAGES, GENERATED, TRANSCRIPTION, Rows, toy_rows


@dataclass(frozen=True)
class Splitter:
    name: str = "white space 1.0"

    def __call__(self, text: str) -> list[str]:
        return text.split()


TOKENIZERS = dict.fromkeys(ALL_LANGUAGES, Splitter())


def english(rows: Rows) -> LanguageStatistics:
    return describe(rows, TOKENIZERS)["eng"]


@pytest.fixture
def rows() -> Rows:
    return toy_rows()


def test_turns_and_dialogues(rows: Rows) -> None:
    found = english(rows)
    assert found.dialogues == {"train": 2, "validation": 1, "test": 2}
    assert (found.turns.user, found.turns.system, found.turns.answers, found.turns.utterances) == (10, 15, 10, 25)
    assert found.mean_user_turns == 2.0


def test_languages_come_in_the_projects_order_and_only_if_built() -> None:
    assert list(describe(toy_rows(("spa", "ara")), TOKENIZERS)) == ["ara", "spa"]


def test_retrieval_with_and_without_openings(rows: Rows) -> None:
    found = english(rows)
    # five grounded answers and one refusal among 15 system turns, five of which are openings
    assert found.retrieval_share == pytest.approx(6 / 15)
    assert found.retrieval_share_without_opening == pytest.approx(6 / 10)
    assert found.turn_states == {"no_retrieval": 9, "grounded": 5, "out_of_knowledge": 1}
    assert (found.out_of_knowledge_dialogues, found.out_of_knowledge_turns) == (1, 1)
    assert found.max_gold == 2


@pytest.mark.parametrize(
    ("needs", "gold", "out", "state"),
    [
        (False, [], False, "no_retrieval"),
        (True, ["a"], False, "grounded"),
        (True, [], True, "out_of_knowledge"),
        (True, [], False, "contradictory"),
        (False, ["a"], False, "contradictory"),
        (True, ["a"], True, "contradictory"),
        (False, [], True, "contradictory"),
    ],
)
def test_turn_states(needs: bool, gold: list[str], out: bool, state: str) -> None:
    assert turn_state({"needs_retrieval": needs, "gold_snippet_ids": gold, "out_of_knowledge": out}) == state


def test_hours_and_audio_status(rows: Rows) -> None:
    found = english(rows)
    # two user turns of 4.5, 5.5, 6.5, 7.5, 8.5 s; three system turns of the same plus 7 s
    assert found.user_hours == pytest.approx(2 * 32.5 / 3600)
    assert found.system_hours == pytest.approx(3 * (32.5 + 35) / 3600)
    assert found.audio_status == {"user": {"ok": 6, "converted": 4}, "system": {"ok": 9, "converted": 6}}


def test_hours_are_unknown_without_audio() -> None:
    found = english(toy_rows(audio=False))
    assert found.user_hours is None
    assert found.system_hours is None
    assert all(group.hours is None and group.hour_share is None for group in found.groups["gender"])


def test_a_turn_without_recording_has_no_hours_but_counts(rows: Rows) -> None:
    rows["user_turns_eng"]["train"][0]["duration_s"] = None
    found = english(rows)
    assert found.user_hours == pytest.approx((2 * 32.5 - 4.5) / 3600)
    assert found.turns.user == 10


def test_speakers_and_groups(rows: Rows) -> None:
    found = english(rows)
    assert (found.speakers, found.speakers_in_train_and_test) == (2, 2)
    first, second = found.groups["gender"]
    assert (first.value, first.speakers, first.user_turns) == (GENDERS[0], 1, 4)
    assert first.turn_share == pytest.approx(0.4)
    assert first.hours == pytest.approx(2 * (4.5 + 7.5) / 3600)
    assert first.hour_share == pytest.approx(12 / 32.5)
    assert first.speaker_share == second.speaker_share == 0.5
    assert [group.value for group in found.groups["age_group"]] == list(AGE_GROUPS[:2])


def test_a_null_is_its_own_group_and_last(rows: Rows) -> None:
    groups = english(rows).groups["language_variety"]
    assert [(group.value, group.speakers) for group in groups] == [("eng of the valley", 1), (NOT_GIVEN, 1)]


def test_groups_are_ordered_as_on_the_form_not_by_size(rows: Rows) -> None:
    for row in [*rows["user_turns_eng"]["train"], *rows["user_turns_eng"]["test"]]:
        row["gender"] = None
    for row in rows["user_turns_eng"]["validation"]:
        row["gender"] = GENDERS[2]
    rows["user_turns_eng"]["test"][0]["gender"] = GENDERS[1]
    assert [group.value for group in english(rows).groups["gender"]] == [GENDERS[1], GENDERS[2], NOT_GIVEN]


def test_a_turn_without_speaker_is_no_speaker(rows: Rows) -> None:
    rows["user_turns_eng"]["train"][0]["speaker_id"] = None
    assert english(rows).speakers == 2


def test_words_over_all_turns(rows: Rows) -> None:
    words = english(rows).words
    assert words.tokenizer == "white space 1.0"
    assert (words.human.turns, words.generated.turns, words.pairs) == (9, 10, 9)
    assert words.human.mean_tokens == len(TRANSCRIPTION.split()) == 13
    assert words.generated.mean_tokens == len(GENERATED.split()) == 7
    assert (words.human.types, words.generated.types) == (13, 6)
    assert words.human.type_token_ratio == pytest.approx(13 / 117)


def test_samples_have_the_same_size_on_both_sides_and_in_all_languages(rows: Rows) -> None:
    for row in rows["user_turns_zho"]["test"]:
        row["transcription"] = None
    found = describe(rows, TOKENIZERS)
    # nine pairs of 7 generated tokens; five pairs where the test transcripts are missing
    assert {code: found[code].words.within.size for code in found} == {"ara": 63, "zho": 35, "eng": 63, "spa": 63}
    assert {found[code].words.between.size for code in found} == {35}
    assert found["eng"].words.within == EqualSample(63, 13, 6)


def test_a_language_without_pairs_does_not_shrink_the_others(rows: Rows) -> None:
    for split in rows["user_turns_ara"].values():
        for row in split:
            row["generated_alternative"] = None
    found = describe(rows, TOKENIZERS)
    assert found["ara"].words.within == found["ara"].words.between == EqualSample(0, 0, 0)
    assert found["ara"].words.between.human_ratio is None
    assert found["eng"].words.between.size == 63


def test_samples_do_not_depend_on_row_order(rows: Rows) -> None:
    number_the_words(rows)
    expected = describe(rows, TOKENIZERS)
    for config in rows:
        for split in rows[config].values():
            split.reverse()
    assert describe(rows, TOKENIZERS) == expected


def test_all_languages_draw_the_same_turns(rows: Rows) -> None:
    number_the_words(rows)
    rows["user_turns_spa"]["train"][0]["generated_alternative"] = None
    found = describe(rows, TOKENIZERS)
    assert found["ara"].words.between == found["eng"].words.between


def number_the_words(rows: Rows) -> None:
    """Give every turn words of its own, the same in all languages, so that the choice of turns shows in the types."""
    for config, splits in rows.items():
        if config.startswith("user_turns"):
            for row in [row for split in splits.values() for row in split]:
                place = 10 * row["dialogue_number"] + row["turn_index"]
                row["transcription"] = " ".join(["so"] * (place % 7 + 5) + [f"w{place}"])
                row["generated_alternative"] = f"w{place} is"


def test_a_sample_cuts_the_last_turn() -> None:
    assert equal_sample(["a", "b", "a", "c"], ["x", "x", "x", "y"], 3) == EqualSample(3, 2, 1)


def test_a_sample_cannot_be_larger_than_a_side() -> None:
    with pytest.raises(ValueError, match="cannot take 3 tokens of 4 human and 2 generated ones"):
        equal_sample(list("abcd"), list("xy"), 3)


def test_the_default_tokenizers_are_the_projects(rows: Rows) -> None:
    names = {code: found.words.tokenizer for code, found in describe(rows).items()}
    assert names["zho"].startswith("jieba ")
    assert names["eng"].startswith("nltk ")


def test_a_text_of_white_space_is_no_text(rows: Rows) -> None:
    row: dict[str, Any] = rows["user_turns_eng"]["test"][0]
    row["transcription"] = " \n"
    assert english(rows).words.human.turns == 8
