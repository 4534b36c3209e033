"""Read a release: knowledge base, dialogues, speakers and splits, personal data dropped on the way in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from healthdial.dialogues import Dialogue, DialogueReader
from healthdial.findings import EXPECTED, Findings, Place
from healthdial.json_files import read_json, read_records
from healthdial.knowledge import KnowledgeBase, read_knowledge, snippet_id
from healthdial.layout import AudioSources, ReleaseFiles, find_release
from healthdial.schema import PACKAGE_FOLDER
from healthdial.speakers import RawSpeaker, read_speakers
from healthdial.splits import SPLIT_SIZES, SplitAssignment, SplitBy, assign_splits
from hub.errors import ReleaseError
from hub.fingerprint import combined_fingerprint, file_sha256, fingerprint

SAMPLE_FOLDER = PACKAGE_FOLDER / "sample"


@dataclass(frozen=True)
class ReadOptions:
    """How a release is read.

    Attributes:
        languages: ISO 639-3 codes; None for all that are there.
        split_by: ``position`` or ``number``.
        split_sizes: Dialogues of train and validation by position.
        keep_contacts: Leave e-mail addresses and telephone numbers in human texts.
        audio: Look for audio.
        strict: Stop at the first fault that is more than a note.
    """

    languages: tuple[str, ...] | None = None
    split_by: SplitBy = "position"
    split_sizes: tuple[int, int] = SPLIT_SIZES
    keep_contacts: bool = False
    audio: bool = True
    strict: bool = False


@dataclass(frozen=True)
class Release:
    """A release in memory, without its audio.

    Attributes:
        files: Where everything lies.
        fingerprint: SHA-256 of the JSON files.
        knowledge: The knowledge base of all languages.
        dialogues: Language -> dialogues that have a split, in list order.
        speakers: Speakers as listed; stays local.
        splits: Which dialogue is in which split.
        findings: Every fault met so far.
        keys: Language -> counts of (role or ``dialogue``, key) over the records.
        listed: Language -> records in the dialogue list.
        is_sample: It is the bundled sample.
    """

    files: ReleaseFiles
    fingerprint: str
    knowledge: KnowledgeBase
    dialogues: dict[str, list[Dialogue]]
    speakers: list[RawSpeaker]
    splits: SplitAssignment
    findings: Findings
    keys: dict[str, Counter[tuple[str, str]]]
    listed: dict[str, int]
    is_sample: bool

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages read, in order."""
        return tuple(self.dialogues)

    @property
    def audio_sources(self) -> list[AudioSources]:
        """Where all recordings lie."""
        return [sources for files in self.files.languages.values() for sources in files.audio]


def read_release(folder: Path, options: ReadOptions | None = None) -> Release:
    """Read the JSON files of a release.

    Args:
        folder: The folder that holds ``who_database.json``, or its parent.
        options: How to read it.

    Raises:
        ReleaseError: Something is missing, unreadable or contradictory, or ``strict`` met a fault.
    """
    options = options or ReadOptions()
    findings = Findings(strict=options.strict)
    files = find_release(folder, options.languages, findings, audio=options.audio)
    records = read_records(files.database, findings, Place("", "snippets"))
    knowledge = read_knowledge(records, findings)
    by_id = {identifier: record for record in reversed(records) if (identifier := snippet_id(record))}
    dialogues: dict[str, list[Dialogue]] = {}
    keys: dict[str, Counter[tuple[str, str]]] = {}
    listed: dict[str, int] = {}
    speakers: list[RawSpeaker] = []
    for language in tqdm(files.languages, desc="read", unit="language", leave=False):
        place = Place(language, "dialogues")
        own = read_records(files.languages[language].dialogues, findings, place)
        reader = DialogueReader(language, knowledge, by_id, findings, options.keep_contacts)
        dialogues[language] = reader.read(own)
        keys[language], listed[language] = reader.keys, len(own)
        speakers += _speakers(files.languages[language].speakers, language, findings)
    named = read_json(files.splits, findings, Place("", "splits")) if files.splits else None
    splits = assign_splits(dialogues, findings, split_by=options.split_by, named=named, sizes=options.split_sizes)
    kept = {code: [one for one in own if one.id in splits.split_of] for code, own in dialogues.items()}
    if not any(kept.values()):
        why = _why_left_out(findings) if any(listed.values()) else "the lists are empty"
        raise ReleaseError(f"{files.root}: no dialogue could be read ({why}); fetch the dialogue lists again")
    return Release(
        files=files,
        fingerprint=_fingerprint(files),
        knowledge=knowledge,
        dialogues=kept,
        speakers=speakers,
        splits=splits,
        findings=findings,
        keys=keys,
        listed=listed,
        is_sample=files.root.resolve() == SAMPLE_FOLDER,
    )


def _why_left_out(findings: Findings) -> str:
    """Return the names of the kinds of fault for which whole dialogues were left out."""
    dropped = [one for one in findings if one.kind.policy == "drop" and one.kind.name not in EXPECTED]
    kinds = {one.kind.name for one in dropped if one.place.file == "dialogues" and one.place.utterance is None}
    return ", ".join(sorted(kinds))


def recorded_accounts(dialogues: Sequence[Dialogue]) -> list[str]:
    """Return the accounts that the user turns of these dialogues point to; personal, so never printed."""
    names = (turn.recording for dialogue in dialogues for turn in dialogue.user_turns)
    return sorted({name.prefix for name in names if name is not None and name.prefix})


def _speakers(file: Path | None, language: str, findings: Findings) -> list[RawSpeaker]:
    if file is None:
        return []
    return read_speakers(read_records(file, findings, Place(language, "speakers")), language, findings)


def _fingerprint(files: ReleaseFiles) -> str:
    """Return the SHA-256 over the JSON files that were read."""
    named = {"database": files.database}
    for language, own in files.languages.items():
        named[f"{language} dialogues"] = own.dialogues
        if own.speakers:
            named[f"{language} speakers"] = own.speakers
    if files.splits:
        named["splits"] = files.splits
    return combined_fingerprint(fingerprint([name, file_sha256(file)]) for name, file in named.items())
