"""A release with every trap, in folders and archives: each is found at its place, and treated as its policy says."""

from __future__ import annotations

import json
from collections.abc import Collection

import pytest

from benchmarks.healthdial_generator import personal_strings
from healthdial.audit import INVARIANTS
from healthdial.audit_text import audit_text
from healthdial.findings import KINDS, Finding
from tests.healthdial_built import CleanRelease, TrappedBuild, files_of
from tests.healthdial_outcome import Outcome
from tests.healthdial_outcomes import OUTCOMES
from tests.healthdial_traps import ALL_THAT_COMBINE, IN_CLEAN_RELEASES, MORE_TRAPS, Planted

pytest_plugins = ("tests.healthdial_fixtures",)

UTTERANCES: dict[str, Collection[int]] = {
    **dict.fromkeys(("need_retrieval_absent", "opening_with_name"), (0,)),
    **dict.fromkeys(("ook_mismatch", "several_system_files"), (2,)),
    **dict.fromkeys(("trailing_user_turn", "audio_index", "shared_recording"), (3,)),
    **dict.fromkeys(
        ("extensible_header", "channels", "sample_rate", "silent", "clipped", "too_short", "too_long"), (1,)
    ),
    **dict.fromkeys(("missing_audio", "repeated_audio", "different_takes", "final_prefix", "personal_field"), (1,)),
    **dict.fromkeys(("speech_rate", "transcript_far_from_asr", "traditional_characters"), (1,)),
    **dict.fromkeys(("audio_name", "unusual_characters", "placeholder_transcript", "empty_text"), (1, 3)),
    **dict.fromkeys(("missing_asr_result", "contact_in_text", "sample_format", "empty_audio"), (1, 3)),
    **dict.fromkeys(("other_container", "undecodable", "streamed_header"), (0, 1, 3)),
    "tool_role": range(5),
}
"""Kind -> utterances where it is planted; other kinds are of a whole record, or of the first answer with gold."""

FILES = {
    "unused_speaker": ("speakers",),
    "byte_order_mark": ("speakers",),
    "missing_file": ("speakers",),
    "both_dialogue_lists": ("dialogues",),
    "no_audio_files": ("system audio",),
    "archives_beside_folder": ("user audio",),
    "orphan_audio": ("user audio", "system audio"),
    **dict.fromkeys(("nested_audio", "junk_member", "unsafe_member"), ("user audio", "audio.part1", "audio.part2")),
}
"""Kind -> kinds of file that its places may name, where they name no record."""


def planted(build: TrappedBuild, kind: str) -> Planted:
    if kind in build.trapped.left_out:
        pytest.skip("cannot stand in this packing")
    return build.trapped.planted[kind]


def expected_record(build: TrappedBuild, trap: Planted) -> str:
    """Return what a finding must name: the planted record, as the importer writes it."""
    users = [one["id"] if isinstance(one, dict) else "" for one in build.trapped.release.users["english"]]
    if trap.kind in ("bad_record", "misfiled_dialogue", "missing_task_id"):
        return f"position {trap.record}"
    if trap.kind == "snippet_without_id":
        return f"record {trap.record}"
    if trap.kind == "unknown_language":
        listed = [
            one.get("unique_identifier") if isinstance(one, dict) else "" for one in build.trapped.release.database
        ]
        return f"record {listed.index(trap.record)}"
    if trap.kind == "repeated_speaker":
        return f"[{trap.record}]"
    if trap.kind in ("speaker_field_missing", "unknown_variety", "free_text_coarsened"):
        dialogue = next(one for one in build.trapped.release.dialogues["english"] if one.get("task_id") == trap.record)
        return f"[{users.index(dialogue['utterance'][1]['audio_name'].split('_')[0])}]"
    if trap.kind == "unknown_speaker":
        return str(Outcome(build, trap).user[0]["speaker_id"])
    if trap.kind in ("unequal_ids", "parallel_labels", "parallel_lengths"):
        return trap.record.split("_")[1]
    return trap.record


def findings_of(build: TrappedBuild, kind: str) -> list[Finding]:
    return [one for one in build.built.dataset.findings if one.kind.name == kind]


@pytest.mark.parametrize("kind", [kind for kind in ALL_THAT_COMBINE if kind not in MORE_TRAPS])
def test_a_trap_is_found_at_its_place(traps: TrappedBuild, kind: str) -> None:
    trap = planted(traps, kind)
    found = findings_of(traps, kind)
    assert {one.place.language for one in found} & {trap.language, ""}
    if kind in FILES:
        assert found[0].place.record == ""
        assert all(one.place.file.startswith(FILES[kind]) for one in found)
        return
    there = [one.place for one in found if one.place.record == expected_record(traps, trap)]
    assert there
    if kind in UTTERANCES:
        assert {place.utterance for place in there} - {None} == set(UTTERANCES[kind])


@pytest.mark.parametrize("kind", ALL_THAT_COMBINE)
def test_what_the_build_did_about_a_trap(traps: TrappedBuild, kind: str) -> None:
    assert OUTCOMES[kind](Outcome(traps, planted(traps, kind)))


def test_nothing_else_is_found(traps: TrappedBuild) -> None:
    kinds = {kind for kind, _ in traps.built.dataset.findings.counts}
    assert kinds == (set(traps.trapped.planted) - set(MORE_TRAPS)) | IN_CLEAN_RELEASES


def test_the_report_and_the_card_name_every_kind(traps: TrappedBuild) -> None:
    kinds = {kind for kind, _ in traps.built.dataset.findings.counts}
    report = json.loads((traps.built.folder / "import_report.json").read_text(encoding="utf-8"))
    card = (traps.built.folder / "README.md").read_text(encoding="utf-8")
    assert {fault["kind"] for fault in report["faults"]} == kinds
    assert all(len(fault["places"]) <= fault["count"] for fault in report["faults"])
    assert not [kind for kind in kinds if f"| `{kind}` | {KINDS[kind].text} |" not in card]


def test_the_audit_finds_what_the_build_finds_and_names_it(traps: TrappedBuild) -> None:
    assert traps.audit.findings.counts == traps.built.dataset.findings.counts
    text = audit_text(traps.audit)
    for kind, _ in traps.audit.findings.counts:
        assert f"\n{kind} [{KINDS[kind].policy}]: " in text
    assert set(traps.audit.broken) >= {kind for kind in INVARIANTS if kind in traps.trapped.planted}
    assert text.endswith(f"BROKEN: {', '.join(traps.audit.broken)}.")


def test_no_personal_data_in_anything_told_or_built(traps: TrappedBuild) -> None:
    files = files_of(traps.built.folder)
    texts = [content.decode() for name, content in files.items() if name.endswith((".md", ".json"))]
    texts += [audit_text(traps.audit), json.dumps(traps.audit.as_json(), ensure_ascii=False), *files]
    for config in traps.built.configs:
        texts.append(str([{**row, "audio": None} for row in traps.built.rows(config)]))
    together = "\n".join(texts)
    assert len(texts) > 30
    assert [string for string in personal_strings(traps.trapped.release) if string in together] == []


def test_an_audit_of_a_clean_release_breaks_nothing(clean: CleanRelease) -> None:
    from healthdial.audio_pass import AudioPass
    from healthdial.audit import audit
    from healthdial.release import read_release

    outcome = audit(read_release(clean.archives), AudioPass("wav", True, 1), 1)
    assert outcome.broken == []
    assert {kind for kind, _ in outcome.findings.counts} == IN_CLEAN_RELEASES
    verdicts = {(check.what, check.language): check.verdict for check in outcome.checks}
    assert verdicts["test numbers equal in all languages", ""] == "as expected"
    assert verdicts["user files with a documented name", "zho"] == "as expected"
    assert verdicts["dialogues kept", "eng"] == "differs"
    assert audit_text(outcome).endswith("No invariant is broken.")
