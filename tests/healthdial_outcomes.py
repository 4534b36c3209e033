"""What a build must have done about each trap of ``tests.healthdial_traps``: one check a kind, on what was built."""

from __future__ import annotations

from collections.abc import Callable

from healthdial.rows import DEMOGRAPHICS
from tests.healthdial_audio_outcomes import AUDIO_OUTCOMES
from tests.healthdial_outcome import Outcome, has_no_trace_of, is_whole
from tests.healthdial_text_traps import FAILED_RECOGNITION, TELEPHONE


def _no_snippet_says(outcome: Outcome, start: str) -> bool:
    return not [row for row in outcome.snippets if row["content"].startswith(start)]


def _unknown_language(outcome: Outcome) -> bool:
    ids = {
        row["snippet_id"] for code in ("ara", "zho", "eng", "spa") for row in outcome.built.rows(f"snippets_{code}")
    }
    return outcome.planted.record not in ids


def _repeated_snippet_id(outcome: Outcome) -> bool:
    ids = [row["snippet_id"] for row in outcome.snippets]
    return ids.count(outcome.planted.record) == 1 and _no_snippet_says(outcome, "second of this id")


def _repeated_snippet_text(outcome: Outcome) -> bool:
    again = next(row for row in outcome.snippets if row["snippet_id"] == outcome.planted.record)
    return [row["content"] for row in outcome.snippets].count(again["content"]) == 2


def _incomplete_parallel_set(outcome: Outcome) -> bool:
    alone = [row for row in outcome.snippets if row["parallel_id"] == outcome.planted.record]
    complete = {row["parallel_id"] for row in outcome.built.rows("snippets_parallel")}
    return [row["is_parallel"] for row in alone] == [True] and outcome.planted.record not in complete


def _parallel_without_id(outcome: Outcome) -> bool:
    row = next(row for row in outcome.snippets if row["snippet_id"] == outcome.planted.record)
    return row["is_parallel"] and row["parallel_id"] is None


def _gold_is_of_the_language(outcome: Outcome) -> bool:
    own = {row["snippet_id"] for row in outcome.snippets}
    return bool(outcome.grounded) and all(set(row["gold_snippet_ids"]) <= own for row in outcome.user)


def _gold_not_parallel(outcome: Outcome) -> bool:
    return len(outcome.grounded["gold_snippet_ids"]) == len(outcome.grounded["gold_parallel_ids"]) + 1


def _unequal_ids(outcome: Outcome) -> bool:
    in_parallel = {row["dialogue_number"] for row in outcome.built.rows("parallel_turns")}
    return (
        not outcome.rows("dialogues")
        and bool(outcome.built.of_dialogue("dialogues_eng", outcome.number))
        and outcome.number not in in_parallel
    )


def _misfiled_dialogue(outcome: Outcome) -> bool:
    """Return whether the dialogue of the misfiled number is the language's own, from the record after it."""
    own = outcome.release.dialogues["english"][int(outcome.planted.record) + 1]
    number = int(own["task_id"].split("_")[1])
    turns = outcome.built.of_dialogue("user_turns_eng", number)
    said = [one["annotated_transcription"] for one in own["utterance"][1::2]]
    return [(row["transcription"], row["audio_status"]) for row in turns] == [(text, "ok") for text in said]


def _parallel_labels(outcome: Outcome) -> bool:
    """Return whether the side-by-side view has the English gold and the language's own config its own."""
    shown = outcome.built.of_dialogue("parallel_turns", outcome.number)
    english = outcome.built.of_dialogue("user_turns_eng", outcome.number)
    own = {row["turn_index"] + 1: sorted(row["gold_parallel_ids"]) for row in outcome.user}
    expected = {row["turn_index"] + 1: sorted(row["gold_parallel_ids"]) for row in english}
    found = {row["turn_index"]: row["gold_parallel_ids"] for row in shown if row["turn_index"] in expected}
    return found == expected != own


def _parallel_lengths(outcome: Outcome) -> bool:
    shown = [row["turn_index"] for row in outcome.built.of_dialogue("parallel_turns", outcome.number)]
    return shown == [0, 1, 2] and [row["audio_status"] for row in outcome.user] == ["ok"]


def _several_speakers(outcome: Outcome) -> bool:
    speakers = [row["speaker_id"] for row in outcome.user]
    return len(set(speakers)) == 2 and None not in speakers and outcome.rows("dialogues")[0]["speaker_id"] is None


def _trailing_user_turn(outcome: Outcome) -> bool:
    last = outcome.user[-1]
    return last["needs_retrieval"] is None and last["gold_snippet_ids"] == [] and len(outcome.system) == 2


def _ook_mismatch(outcome: Outcome) -> bool:
    return outcome.user[0]["out_of_knowledge"] is True and outcome.system[1]["out_of_knowledge"] is False


def _snippets_without_retrieval(outcome: Outcome) -> bool:
    row = outcome.grounded
    return row["needs_retrieval"] is False and not outcome.is_item(row)


def _retrieval_without_snippets(outcome: Outcome) -> bool:
    found = [row for row in outcome.user if row["needs_retrieval"] and not row["gold_snippet_ids"]]
    return len(found) == 1 and not found[0]["out_of_knowledge"] and not outcome.is_item(found[0])


def _ook_with_snippets(outcome: Outcome) -> bool:
    found = [row for row in outcome.user if row["out_of_knowledge"]]
    return len(found) == 1 and len(found[0]["gold_snippet_ids"]) > 0 and outcome.is_item(found[0])


def _ook_without_retrieval(outcome: Outcome) -> bool:
    found = [row for row in outcome.user if row["out_of_knowledge"]]
    return [row["needs_retrieval"] for row in found] == [False] and not outcome.is_item(found[0])


def _flag_not_boolean(outcome: Outcome) -> bool:
    said = [outcome.system[0]["needs_retrieval"], outcome.user[0]["out_of_knowledge"]]
    return said == [False, False] and outcome.grounded["needs_retrieval"] is True


def _repeated_gold(outcome: Outcome) -> bool:
    gold = outcome.grounded["gold_snippet_ids"]
    return len(gold) == len(set(gold))


def _unused_speaker(outcome: Outcome) -> bool:
    speakers = {row["speaker_id"] for row in outcome.built.rows("user_turns_eng")}
    listed = {row["speaker_id"] for row in outcome.built.rows("speakers") if row["language"] == "eng"}
    return listed == speakers - {None} and all(row["user_turns"] for row in outcome.built.rows("speakers"))


def _speaker_says_nothing(outcome: Outcome) -> bool:
    return not any(outcome.speaker[column] for column in DEMOGRAPHICS)


def _speaker_field_missing(outcome: Outcome) -> bool:
    missing = [outcome.speaker[column] for column in ("gender", "age_group", "education")]
    return missing == [None] * 3 and outcome.speaker["language_variety"] is not None


def _missing_file(outcome: Outcome) -> bool:
    own = [row for row in outcome.built.rows("speakers") if row["language"] == "spa"]
    return len(own) > 1 and not any(row[column] for row in own for column in DEMOGRAPHICS)


def _byte_order_mark(outcome: Outcome) -> bool:
    own = [row for row in outcome.built.rows("speakers") if row["language"] == "zho"]
    return all(row["gender"] and row["age_group"] for row in own)


def _text_is_raw(*transcripts: str) -> Callable[[Outcome], bool]:
    return lambda outcome: [row["transcription"] for row in outcome.user[: len(transcripts)]] == [*transcripts]


def _placeholder(outcome: Outcome) -> bool:
    said = [(row["transcription"], row["asr_whisper1"]) for row in outcome.user]
    turns = outcome.rows("dialogues")[0]["turns"]
    return said == [(None, None), (None, "we walk to the lake")] and FAILED_RECOGNITION not in str(turns)


def _empty_text(outcome: Outcome) -> bool:
    nulls = [outcome.user[0]["transcription"], outcome.user[1]["transcription"]]
    return [*nulls, outcome.user[0]["generated_alternative"], outcome.user[1]["prompt"]] == [None] * 4


def _contact(outcome: Outcome) -> bool:
    told = str(
        [outcome.user, outcome.rows("dialogues"), outcome.rows("turn_classification"), outcome.rows("retrieval")]
    )
    said = [row["transcription"] for row in outcome.user]
    masked = said == ["Please write to [contact] today.", "My number is [contact] at home."]
    return masked and TELEPHONE not in told and "moth.lantern" not in told


OUTCOMES: dict[str, Callable[[Outcome], bool]] = {
    "unknown_language": _unknown_language,
    "misfiled_dialogue": _misfiled_dialogue,
    "language_mismatch": is_whole,
    "bad_record": lambda outcome: has_no_trace_of(outcome, 9001),
    "tool_role": is_whole,
    "missing_task_id": lambda o: (
        len(o.built.rows("dialogues_eng")) == len({row["dialogue_id"] for row in o.built.rows("dialogues_eng")})
    ),
    "repeated_task_id": lambda o: len(o.rows("dialogues")) == 1 and "second of two" not in o.system[0]["text"],
    "several_speakers": _several_speakers,
    "unequal_ids": _unequal_ids,
    "parallel_labels": _parallel_labels,
    "parallel_lengths": _parallel_lengths,
    "repeated_snippet_id": _repeated_snippet_id,
    "snippet_without_id": lambda o: _no_snippet_says(o, "empty id") and _no_snippet_says(o, "no id"),
    "repeated_snippet_text": _repeated_snippet_text,
    "incomplete_parallel_set": _incomplete_parallel_set,
    "parallel_without_id": _parallel_without_id,
    "snippet_drift": lambda o: _gold_is_of_the_language(o) and "changed later" not in str(o.snippets),
    "unknown_snippet": _gold_is_of_the_language,
    "snippet_of_other_language": _gold_is_of_the_language,
    "gold_not_parallel": _gold_not_parallel,
    "not_alternating": lambda o: has_no_trace_of(o, 9002) and has_no_trace_of(o, 9003),
    "trailing_user_turn": _trailing_user_turn,
    "audio_index": is_whole,
    "ook_mismatch": _ook_mismatch,
    "snippets_without_retrieval": _snippets_without_retrieval,
    "retrieval_without_snippets": _retrieval_without_snippets,
    "ook_with_snippets": _ook_with_snippets,
    "ook_without_retrieval": _ook_without_retrieval,
    "need_retrieval_absent": lambda o: o.system[0]["needs_retrieval"] is False,
    "flag_not_boolean": _flag_not_boolean,
    "not_in_knowledge": lambda o: o.grounded["needs_retrieval"] and not o.is_item(o.grounded),
    "too_many_gold": lambda o: len(o.grounded["gold_snippet_ids"]) == 7,
    "repeated_gold": _repeated_gold,
    "opening_with_name": lambda o: "NHS" in o.system[0]["text"] == o.user[0]["previous_system_text"],
    "speaker_field_missing": _speaker_field_missing,
    "repeated_speaker": lambda o: "90+" not in {row["age_group"] for row in o.built.rows("speakers")},
    "unused_speaker": _unused_speaker,
    "unknown_speaker": _speaker_says_nothing,
    "speech_rate": lambda o: is_whole(o) and len(o.user[0]["transcription"]) > 100,
    "transcript_far_from_asr": lambda o: is_whole(o) and "juice" in o.user[0]["asr_whisper1"],
    "unusual_characters": _text_is_raw("Can\u00a0I drink cafe\u0301 now\u200f?", "She wrote \ufefb and \ufdf2 here."),
    "traditional_characters": _text_is_raw("這個藥對頭髮還有幫助嗎？"),
    "placeholder_transcript": _placeholder,
    "empty_text": _empty_text,
    "missing_asr_result": lambda o: [row["asr_whisper1"] for row in o.user] == [None, None],
    "contact_in_text": _contact,
    "personal_field": is_whole,
    "unknown_variety": lambda o: o.speaker["language_variety"] is None and o.speaker["gender"] is not None,
    "free_text_coarsened": lambda o: o.speaker["language_variety"] == "British English",
    **AUDIO_OUTCOMES,
    "both_dialogue_lists": lambda o: len(o.built.rows("dialogues_ara")) > 50,
    "byte_order_mark": _byte_order_mark,
    "missing_file": _missing_file,
    "without_split": lambda o: has_no_trace_of(o, o.number),
    "archives_beside_folder": lambda o: {row["audio_status"] for row in o.built.rows("user_turns_ara")} == {"ok"},
}
"""Kind -> whether the build did what the kind's policy says."""
