"""Traps in the records of a HealthDial release: identity and codes, knowledge base, structure of turns."""

from __future__ import annotations

import copy
from typing import Any

from benchmarks.healthdial_generator import GeneratedRelease
from benchmarks.healthdial_records import Record, system_file_name
from tests.healthdial_trap import (
    Site,
    add_speaker,
    append_dialogue,
    append_snippet,
    before,
    give_account,
    new_account,
    rename_user_audio,
    snippet_id,
    snippets_of,
)

TRAIN_DIALOGUES = 400


def unknown_language(release: GeneratedRelease, site: Site) -> str:
    like = snippets_of(release, site.folder, parallel=False)[0]
    return append_snippet(release, like, "unknown language", language="FRA")["unique_identifier"]


def misfiled_dialogue(release: GeneratedRelease, site: Site) -> str:
    """Put another language's version of a dialogue before the own one."""
    listed = release.dialogues[site.folder]
    position = listed.index(site.dialogue)
    listed.insert(position, copy.deepcopy(_version(release, site, "arabic")))
    return str(position)


def language_mismatch(release: GeneratedRelease, site: Site) -> None:
    site.dialogue["language"] = "ESP"


def bad_record(release: GeneratedRelease, site: Site) -> str:
    """Append what is no object to every list, and a dialogue without utterances."""
    del append_dialogue(release, site, task_id="ENG_9001")["utterance"]
    lists: tuple[list[Any], ...] = (release.database, release.users[site.folder], release.dialogues[site.folder])
    for listed in lists:
        listed.append(["not a record"])
    return str(len(release.dialogues[site.folder]) - 1)


def tool_role(release: GeneratedRelease, site: Site) -> None:
    for index, utterance in enumerate(site.dialogue["utterance"]):
        utterance["role"] = ("Assistant", "Patient")[index % 2]


def missing_task_id(release: GeneratedRelease, site: Site) -> str:
    append_dialogue(release, site, task_id="ENG-EXAMPLE")
    del append_dialogue(release, site)["task_id"]
    return str(len(release.dialogues[site.folder]) - 1)


def repeated_task_id(release: GeneratedRelease, site: Site) -> None:
    append_dialogue(release, site)["utterance"][0]["generated_text"] = "This is the second of two."


def several_speakers(release: GeneratedRelease, site: Site) -> None:
    """Give the second turn to another listed speaker."""
    account = site.user(0)["audio_name"].split("_")[0]
    other = next(one for one in release.users[site.folder] if isinstance(one, dict) and one["id"] != account)
    rename_user_audio(release, site, 1, f"{other['id']}_{site.task_id}_1.wav")


def split_leak(release: GeneratedRelease, site: Site) -> str:
    """Swap a training and a validation dialogue in one language; without audio, which nobody needs to see it."""
    listed = release.dialogues[site.folder]
    listed[0], listed[TRAIN_DIALOGUES] = listed[TRAIN_DIALOGUES], listed[0]
    for folder in release.dialogues:
        release.audio[folder], release.system_audio[folder] = {}, {}
    return str(listed[0]["task_id"])


def unequal_ids(release: GeneratedRelease, site: Site) -> None:
    """Take the dialogue out of one language, with its recordings."""
    ending = f"_{site.task_id}_"
    release.dialogues[site.folder].remove(site.dialogue)
    for files in (release.audio[site.folder], release.system_audio[site.folder]):
        for name in [name for name in files if ending in name]:
            del files[name]


def parallel_labels(release: GeneratedRelease, site: Site) -> None:
    """Give an answer other gold than its versions have."""
    had = {one["unique_identifier"] for one in site.grounded["snippet"]}
    others = (one for one in snippets_of(release, site.folder, parallel=True) if one["unique_identifier"] not in had)
    site.grounded["snippet"] = [copy.deepcopy(next(others))]


def parallel_lengths(release: GeneratedRelease, site: Site) -> None:
    """End a dialogue one exchange before its versions."""
    question, _ = site.dialogue["utterance"][-2:]
    del site.dialogue["utterance"][-2:]
    del release.audio[site.folder][question["audio_name"]]
    del release.system_audio[site.folder][system_file_name(site.task_id, len(site.dialogue["utterance"]) // 2 + 1)]


def repeated_snippet_id(release: GeneratedRelease, site: Site) -> str:
    like = snippets_of(release, site.folder, parallel=False)[0]
    repeated = append_snippet(release, like, "second of this id", unique_identifier=like["unique_identifier"])
    return repeated["unique_identifier"]


def snippet_without_id(release: GeneratedRelease, site: Site) -> str:
    like = snippets_of(release, site.folder, parallel=False)[0]
    append_snippet(release, like, "empty id", unique_identifier="")
    del append_snippet(release, like, "no id")["unique_identifier"]
    return str(len(release.database) - 1)


def repeated_snippet_text(release: GeneratedRelease, site: Site) -> str:
    like = snippets_of(release, site.folder, parallel=False)[0]
    return append_snippet(release, like, "same text", data=copy.deepcopy(like["data"]))["unique_identifier"]


def incomplete_parallel_set(release: GeneratedRelease, site: Site) -> str:
    like = snippets_of(release, site.folder, parallel=False)[0]
    only_here = "fact-sheets/detail/page-900::1"
    append_snippet(release, like, "alone", parallel_data=True, parallel_identifier=only_here)
    return only_here


def parallel_without_id(release: GeneratedRelease, site: Site) -> str:
    like = snippets_of(release, site.folder, parallel=False)[0]
    return append_snippet(release, like, "no parallel id", parallel_data=True)["unique_identifier"]


def snippet_drift(release: GeneratedRelease, site: Site) -> None:
    site.grounded["snippet"][0]["data"]["content"] += " This was changed later."


def unknown_snippet(release: GeneratedRelease, site: Site) -> None:
    gold = site.grounded["snippet"]
    gold.append(copy.deepcopy(gold[0]) | {"unique_identifier": snippet_id("unknown")})


def snippet_of_other_language(release: GeneratedRelease, site: Site) -> None:
    site.grounded["snippet"].append(copy.deepcopy(snippets_of(release, "spanish", parallel=True)[0]))


def gold_not_parallel(release: GeneratedRelease, site: Site) -> None:
    site.grounded["snippet"].append(copy.deepcopy(snippets_of(release, site.folder, parallel=False)[0]))


def not_alternating(release: GeneratedRelease, site: Site) -> str:
    """Append a dialogue with two user turns in a row, and one that the user opens."""
    del append_dialogue(release, site, task_id="ENG_9002")["utterance"][2]
    del append_dialogue(release, site, task_id="ENG_9003")["utterance"][0]
    return "ENG_9002"


def trailing_user_turn(release: GeneratedRelease, site: Site) -> None:
    answers = (len(site.dialogue["utterance"]) - 1) // 2
    site.dialogue["utterance"].pop()
    files = release.system_audio[site.folder]
    del files[next(name for name in files if name.endswith(f"_{site.task_id}_{answers}.wav"))]


def audio_index(release: GeneratedRelease, site: Site) -> None:
    """Number the second recording by its utterance, as the annotation tool's single saves are."""
    account = site.user(1)["audio_name"].split("_")[0]
    rename_user_audio(release, site, 1, f"{account}_{site.task_id}_3.wav")


def audio_name(release: GeneratedRelease, site: Site) -> None:
    """Point the first turn to a name that cannot be read, the second to another dialogue; both lack their file."""
    for turn, name in enumerate(("recording.wav", f"{new_account(site)}_ENG_9004_0.wav")):
        del release.audio[site.folder][site.user(turn)["audio_name"]]
        site.user(turn)["audio_name"] = name
        release.extra_personal |= {name.split("_")[0]} - {"recording.wav"}


def ook_mismatch(release: GeneratedRelease, site: Site) -> None:
    site.user(0)["out_of_knowledge"] = True


def snippets_without_retrieval(release: GeneratedRelease, site: Site) -> None:
    site.grounded["need_retrieval"] = False


def retrieval_without_snippets(release: GeneratedRelease, site: Site) -> None:
    site.grounded["snippet"] = []


def ook_with_snippets(release: GeneratedRelease, site: Site) -> None:
    index = site.dialogue["utterance"].index(site.grounded)
    for utterance in site.dialogue["utterance"][index - 1 : index + 1]:
        utterance["out_of_knowledge"] = True


def ook_without_retrieval(release: GeneratedRelease, site: Site) -> None:
    ook_with_snippets(release, site)
    site.grounded.update(need_retrieval=False, snippet=[])


def need_retrieval_absent(release: GeneratedRelease, site: Site) -> None:
    del site.assistant(0)["need_retrieval"]


def flag_not_boolean(release: GeneratedRelease, site: Site) -> None:
    site.assistant(0)["need_retrieval"] = "False"
    site.grounded["need_retrieval"] = "true"
    site.user(0)["out_of_knowledge"] = 0


def not_in_knowledge(release: GeneratedRelease, site: Site) -> None:
    site.grounded["in_knowledge"] = False


def too_many_gold(release: GeneratedRelease, site: Site) -> None:
    site.grounded["snippet"] = copy.deepcopy(snippets_of(release, site.folder, parallel=True)[:7])


def repeated_gold(release: GeneratedRelease, site: Site) -> None:
    site.grounded["snippet"].append(copy.deepcopy(site.grounded["snippet"][0]))


def opening_with_name(release: GeneratedRelease, site: Site) -> None:
    site.assistant(0)["generated_text"] = "Hi, the NHS line."


def speaker_field_missing(release: GeneratedRelease, site: Site) -> None:
    add_speaker(release, site, gender=None, age_group="about forty", education_level="")


def repeated_speaker(release: GeneratedRelease, site: Site) -> str:
    listed = release.users[site.folder]
    listed.append(listed[0] | {"age_group": "90+"})
    return str(len(listed) - 1)


def unused_speaker(release: GeneratedRelease, site: Site) -> str:
    listed = release.users[site.folder]
    listed.append(copy.deepcopy(listed[0]) | {"id": new_account(site)})
    return str(len(listed) - 1)


def unknown_speaker(release: GeneratedRelease, site: Site) -> None:
    give_account(release, site, new_account(site))


def _version(release: GeneratedRelease, site: Site, folder: str) -> Record:
    """Return the dialogue of the site's number in another language."""
    number = site.task_id.split("_")[1]
    return next(one for one in release.dialogues[folder] if one["task_id"].split("_")[1] == number)


RECORD_TRAPS = (
    before(unknown_language, own_dialogue=False),
    before(misfiled_dialogue),
    before(language_mismatch),
    before(bad_record, own_dialogue=False),
    before(tool_role),
    before(missing_task_id, own_dialogue=False),
    before(repeated_task_id),
    before(several_speakers),
    before(
        split_leak,
        folder="spanish",
        own_dialogue=False,
        dialogues=TRAIN_DIALOGUES + 2,
        also=("no_audio_files", "missing_audio", "unused_speaker"),
    ),
    before(unequal_ids, folder="spanish"),
    before(parallel_labels, folder="spanish"),
    before(parallel_lengths, folder="spanish"),
    before(repeated_snippet_id, own_dialogue=False),
    before(snippet_without_id, own_dialogue=False),
    before(repeated_snippet_text, own_dialogue=False),
    before(incomplete_parallel_set, own_dialogue=False),
    before(parallel_without_id, own_dialogue=False),
    before(snippet_drift),
    before(unknown_snippet),
    before(snippet_of_other_language),
    before(gold_not_parallel),
    before(not_alternating, own_dialogue=False),
    before(trailing_user_turn, also=("parallel_lengths",)),
    before(audio_index),
    before(audio_name, also=("missing_audio",)),
    before(ook_mismatch, also=("parallel_labels",)),
    before(snippets_without_retrieval, also=("parallel_labels",)),
    before(retrieval_without_snippets, also=("parallel_labels",)),
    before(ook_with_snippets, also=("parallel_labels",)),
    before(ook_without_retrieval, also=("parallel_labels",)),
    before(need_retrieval_absent),
    before(flag_not_boolean),
    before(not_in_knowledge),
    before(too_many_gold, also=("parallel_labels",)),
    before(repeated_gold),
    before(opening_with_name),
    before(speaker_field_missing),
    before(repeated_speaker, own_dialogue=False),
    before(unused_speaker, own_dialogue=False),
    before(unknown_speaker),
)
