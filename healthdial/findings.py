"""What the importer finds wrong in a release: each kind of fault, what is done about it, and where it was met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from hub.errors import ReleaseError

Policy = Literal["note", "keep", "convert", "drop", "stop"]
"""``note``: harmless. ``keep``: kept as it is, and reported. ``convert``: made conforming. ``drop``: the value or
record is left out. ``stop``: the build ends, or goes on only with an option that says so."""

EXPECTED = frozenset({"personal_field", "free_text_coarsened", "field_given_up"})
"""Kinds that every release has and that are no fault of it: what is done for the speakers' privacy."""

EXAMPLES_KEPT = 1000
"""Places kept for each kind and language; every occurrence is counted."""


@dataclass(frozen=True)
class Kind:
    """A kind of fault.

    Attributes:
        name: Name in reports.
        policy: What the build does.
        text: What was met and what is done, in words.
    """

    name: str
    policy: Policy
    text: str


def _kinds(*entries: tuple[str, Policy, str]) -> dict[str, Kind]:
    return {name: Kind(name, policy, text) for name, policy, text in entries}


KINDS: dict[str, Kind] = _kinds(
    # identity and codes
    ("unknown_language", "drop", "a language value that is none of the four; the record is left out"),
    ("misfiled_dialogue", "drop", "a dialogue whose task id and language both name another language; left out"),
    ("language_mismatch", "keep", "the record's language differs from its folder's or its id's; the folder's is used"),
    ("both_dialogue_lists", "note", "the dialogue list lies there under both names, with the same content"),
    ("conflicting_dialogue_lists", "stop", "two dialogue lists of different content; remove the wrong one"),
    ("bad_record", "drop", "a record that is not a JSON object, or lacks what it is for; left out"),
    ("tool_role", "convert", "a role name of the annotation tool (Assistant, Patient); mapped"),
    ("missing_task_id", "drop", "a dialogue without a task id of the form LANG_NUMBER; left out"),
    ("repeated_task_id", "drop", "a task id met before; the first dialogue is kept"),
    (
        "several_speakers",
        "keep",
        "recordings of one dialogue come from several accounts; each turn keeps its own",
    ),
    ("split_leak", "stop", "one dialogue number is in different splits in different languages"),
    ("unequal_ids", "keep", "a dialogue number that not every language has"),
    ("parallel_labels", "note", "a turn whose labels or gold differ between languages; the English ones are shown"),
    ("parallel_lengths", "note", "a dialogue that has more turns in one language; only the common ones are parallel"),
    ("without_split", "drop", "a dialogue that the split's id list does not name; left out"),
    # knowledge base
    ("repeated_snippet_id", "drop", "a snippet id met before; the first snippet is kept"),
    ("snippet_without_id", "drop", "a snippet without an id; left out (a URL is not an id)"),
    ("repeated_snippet_text", "note", "a snippet with the text of an earlier one; both are kept under their ids"),
    ("incomplete_parallel_set", "keep", "a parallel id that not every language has once; not in snippets_parallel"),
    ("parallel_without_id", "keep", "a snippet marked parallel without a parallel id"),
    ("snippet_drift", "convert", "a snippet copied into a turn differs from the knowledge base; the base is used"),
    ("unknown_snippet", "drop", "a gold snippet that the knowledge base lacks; left out"),
    ("snippet_of_other_language", "drop", "a gold snippet of another language; left out, it cannot be retrieved"),
    ("gold_not_parallel", "keep", "a gold snippet outside the parallel set, so outside the retrieval corpus"),
    # turn structure
    ("not_alternating", "drop", "turns do not alternate from the assistant on; the dialogue is left out"),
    ("trailing_user_turn", "keep", "a dialogue ends on a user turn, which has no answer and no gold"),
    (
        "audio_index",
        "keep",
        "the number in a recording's name is not that of its user turn; the name is followed",
    ),
    ("audio_name", "drop", "a recording's name that cannot be read or belongs to another dialogue; not followed"),
    ("ook_mismatch", "keep", "question and answer are marked differently as out of knowledge"),
    ("snippets_without_retrieval", "keep", "snippets on a turn that needs no retrieval"),
    (
        "retrieval_without_snippets",
        "keep",
        "retrieval needed, but neither snippets nor an OOK mark; not a retrieval item",
    ),
    ("ook_with_snippets", "keep", "snippets on an out-of-knowledge turn"),
    ("ook_without_retrieval", "keep", "an out-of-knowledge turn that is marked as needing no retrieval"),
    ("need_retrieval_absent", "note", "need_retrieval is absent or null; read as false"),
    ("flag_not_boolean", "convert", "a flag that is text or a number; read as what it says"),
    ("not_in_knowledge", "keep", "in_knowledge is false; kept, but not among the retrieval and filtering items"),
    ("too_many_gold", "keep", "more than five gold snippets"),
    ("repeated_gold", "convert", "a gold snippet given twice on one turn; kept once"),
    ("opening_with_name", "note", "the opening names an organisation; it is part of retrieval queries"),
    # audio
    ("other_container", "convert", "a file named .wav that is FLAC, Ogg, WebM, MP4 or MP3"),
    ("undecodable", "keep", "audio that cannot be decoded here; the row is kept without audio"),
    (
        "streamed_header",
        "convert",
        "a WAV header with a length of 0, 0xFFFFFFFF or beyond the file; rewritten",
    ),
    ("extensible_header", "note", "a WAVE_FORMAT_EXTENSIBLE header; the samples are the same"),
    ("channels", "convert", "more than one channel; mixed down"),
    ("sample_rate", "convert", "a sample rate other than 16 kHz; resampled"),
    ("sample_format", "convert", "samples other than 16-bit integers; converted"),
    ("missing_audio", "keep", "no recording of a turn; the row is kept without audio"),
    ("empty_audio", "keep", "a recording without samples; the row is kept without audio"),
    ("unreadable_audio", "stop", "a file that cannot be read from disk; repair it, the rest is built"),
    ("silent", "keep", "a silent recording; suspect"),
    ("clipped", "keep", "a clipped recording; suspect"),
    ("too_short", "keep", "a recording under 1 s; suspect"),
    ("too_long", "keep", "a recording over 120 s; suspect"),
    ("nested_audio", "note", "audio in folders inside a folder or archive; found by base name"),
    ("junk_member", "note", "files that are not audio (._*, .DS_Store and the like); skipped"),
    ("unsafe_member", "drop", "an archive member with an unsafe path, or a link or device; never read"),
    ("repeated_audio", "note", "the same file twice; one is kept"),
    ("shared_recording", "keep", "several turns point to one recording; suspect from the second on"),
    ("different_takes", "keep", "two different files of one name; the first is kept, suspect"),
    ("archives_beside_folder", "note", "archives beside their unpacked folder; the folder is used"),
    ("missing_part", "stop", "a gap in the numbers of the archives; fetch the missing one"),
    ("much_missing_audio", "stop", "many turns without a recording: an archive is missing or half unpacked"),
    ("damaged_archive", "stop", "an archive that ends early or is damaged; fetch it again"),
    ("speech_rate", "keep", "a recording far too short or long for its transcript: perhaps another take"),
    ("transcript_far_from_asr", "keep", "a transcript that differs from its first ASR result in most characters"),
    ("final_prefix", "convert", "a left-over `final_` before the account in a recording's name; removed"),
    ("several_system_files", "keep", "several system recordings fit one turn; the first by name is kept, suspect"),
    ("orphan_audio", "note", "recordings that no turn points to; not in the data set"),
    ("no_audio_files", "keep", "no audio of this kind at all; rows are kept without audio"),
    # text
    ("not_utf8", "stop", "a file that is not UTF-8"),
    ("byte_order_mark", "convert", "a byte order mark at the start of a file; removed"),
    ("unusual_characters", "note", "non-breaking spaces, direction marks, presentation forms, unassigned or not NFC"),
    ("traditional_characters", "note", "traditional Chinese characters in a transcript"),
    ("placeholder_transcript", "drop", "a placeholder of the annotation tool instead of a transcript; null"),
    ("empty_text", "drop", "an empty, `undefined` or `null` text; null"),
    ("missing_asr_result", "note", "no first ASR result; null"),
    # privacy
    ("personal_field", "drop", "a field with personal data; dropped unread"),
    ("contact_in_text", "convert", "an e-mail address or telephone number in a text; masked as [contact]"),
    ("unknown_speaker", "keep", "recordings of an account that the speaker list lacks; no demographics"),
    ("repeated_speaker", "drop", "an account listed twice; the first entry is kept"),
    ("unused_speaker", "note", "a speaker without any recording; not in the data set"),
    ("unknown_variety", "note", "a language or place in free text that is not recognised; variety null"),
    ("free_text_coarsened", "convert", "places and languages in free text; reduced to a variety"),
    (
        "field_given_up",
        "drop",
        "a demographic field given up so that k speakers share each combination",
    ),
    ("speaker_field_missing", "note", "a demographic value that is missing or not of the form's list; null"),
    # files
    ("missing_file", "keep", "a file of the release that is not there"),
)


@dataclass(frozen=True)
class Place:
    """Where something was met; never holds a file name with an account id, nor any personal value.

    Attributes:
        language: ISO 639-3 code, or an empty string.
        file: Kind of file (``dialogues``, ``snippets``, ``speakers``, ``user audio``, ``system audio``), or an archive
            by its documented name.
        record: Task id, snippet id, or position in the list.
        utterance: 0-based utterance index, or None.
    """

    language: str
    file: str
    record: str = ""
    utterance: int | None = None

    def __str__(self) -> str:
        parts = [
            self.language,
            self.file,
            self.record,
            "" if self.utterance is None else f"utterance {self.utterance}",
        ]
        return " ".join(part for part in parts if part)


@dataclass(frozen=True)
class Finding:
    """One fault at one place; ``detail`` says what, without personal data."""

    kind: Kind
    place: Place
    detail: str = ""

    def __str__(self) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.place}: {self.kind.text}{detail}"


@dataclass
class Findings:
    """All faults of a release, counted by kind and language, with the first places of each.

    Attributes:
        strict: Raise at the first fault that is more than a note; kinds of ``EXPECTED`` are none.
    """

    strict: bool = False
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: dict[tuple[str, str], list[Finding]] = field(default_factory=dict)

    def add(self, kind: str, place: Place, detail: str = "", times: int = 1) -> None:
        """Count a fault.

        Args:
            kind: A name in ``KINDS``.
            place: Where it was met.
            detail: What was met, without personal data.
            times: How often at this place.

        Raises:
            ReleaseError: ``strict`` is set and the kind is more than a note.
        """
        finding = Finding(KINDS[kind], place, detail)
        self.counts[kind, place.language] += times
        kept = self.examples.setdefault((kind, place.language), [])
        if len(kept) < EXAMPLES_KEPT:
            kept.append(finding)
        if self.strict and finding.kind.policy != "note" and kind not in EXPECTED:
            raise ReleaseError(f"--strict: {kind}: {finding}")

    def count(self, kind: str, language: str | None = None) -> int:
        """Return how often a kind was met, in one language or in all."""
        return sum(n for (name, code), n in self.counts.items() if name == kind and language in (None, code))

    def first(self, kind: str) -> Finding | None:
        """Return the first finding of a kind, or None."""
        return next((found[0] for (name, _), found in self.examples.items() if name == kind), None)

    def __iter__(self) -> Iterator[Finding]:
        """Yield the kept findings, by kind in the order of ``KINDS``, then language, then as met."""
        order = {name: index for index, name in enumerate(KINDS)}
        for key in sorted(self.examples, key=lambda key: (order[key[0]], key[1])):
            yield from self.examples[key]
