"""Which file belongs to which turn: recordings of a folder or of archives, indexed by dialogue and turn."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from healthdial.archives import ArchiveIndex
from healthdial.audio import ProcessedAudio
from healthdial.dialogues import USER, Turn
from healthdial.findings import Findings, Place
from healthdial.layout import AudioSources
from healthdial.recording_names import AUDIO_SUFFIXES, RecordingName, parse_recording_name
from hub.errors import ReleaseError
from hub.fingerprint import file_sha256


@dataclass(frozen=True, slots=True)
class StoredRecording:
    """One file of a recording.

    Attributes:
        name: Its name in parts.
        base_name: Its base name; personal, so not in the representation.
        path: The file in a folder, or the spool that holds it.
        offset: Where it starts in the spool; None for a file of its own.
        length: Length in bytes in the file or spool.
        modified_ns: Time of the file's last change, which tells a changed file from a finished one.
        raw_sha256: SHA-256 of the release's bytes; None where not computed yet.
        processed: What became of it, without content; None for a file that is not processed yet.
    """

    name: RecordingName
    base_name: str = field(repr=False)
    path: Path = field(repr=False)
    offset: int | None
    length: int
    modified_ns: int = 0
    raw_sha256: str | None = None
    processed: ProcessedAudio | None = None


@dataclass(frozen=True, slots=True)
class Resolved:
    """The recording of a turn, with the faults of finding it.

    Attributes:
        recording: The file, or None where there is none.
        faults: (kind, detail) pairs.
    """

    recording: StoredRecording | None
    faults: tuple[tuple[str, str], ...] = ()

    @property
    def is_suspect(self) -> bool:
        """True where another take may have been meant."""
        doubtful = ("different_takes", "several_system_files", "shared_recording")
        return any(kind in doubtful for kind, _ in self.faults)


@dataclass
class RecordingIndex:
    """All recordings of one kind and language.

    Attributes:
        sources: Where they lie.
        by_turn: (dialogue number, index) -> files, in the order of parts and names.
        unnamed: Files whose names are not of the documented form or of another language.
        used: Names that a turn of the dialogues resolved to.
    """

    sources: AudioSources
    by_turn: dict[tuple[int, int], list[StoredRecording]] = field(default_factory=lambda: defaultdict(list))
    unnamed: int = 0
    used: set[RecordingName] = field(default_factory=set, repr=False)

    def add(self, base_name: str, path: Path, offset: int | None, length: int, **known: object) -> None:
        """Index one file."""
        name = parse_recording_name(base_name)
        if name is None or name.language != self.sources.language:
            self.unnamed += 1
            return
        self.by_turn[name.turn].append(StoredRecording(name, base_name, path, offset, length, **known))  # type: ignore[arg-type]

    @property
    def files(self) -> list[StoredRecording]:
        """All files with a name of the documented form."""
        return [recording for group in self.by_turn.values() for recording in group]

    def resolve(self, number: int, turn: Turn) -> Resolved:
        """Return the recording of a turn.

        User turns follow the name in their record. System turns take the file that ends in ``_<task id>_<k>``, ``k``
        counting assistant turns (the authors' scripts), or the one their record names.

        Args:
            number: Number of the dialogue.
            turn: The turn.
        """
        candidates = self.candidates(number, turn)
        if not candidates:
            return Resolved(None, (("missing_audio", self.sources.place),))
        faults = []
        if candidates[0].name in self.used:
            faults.append(("shared_recording", ""))
        self.used.update(one.name for one in candidates)
        names = sorted({one.base_name.removeprefix("final_") for one in candidates})
        if len(names) > 1:
            faults.append(("several_system_files", f"{len(names)} files"))
            candidates = [one for one in candidates if one.base_name.removeprefix("final_") == names[0]]
        if len(candidates) > 1:
            faults.append(_compare_takes(candidates))
        return Resolved(candidates[0], tuple(faults))

    def candidates(self, number: int, turn: Turn) -> list[StoredRecording]:
        """Return the files that may be the recording of a turn, in the order of parts and names."""
        key = turn.recording.turn if turn.recording else (number, turn.index // 2)
        found = self.by_turn.get(key, []) if turn.recording or turn.role != USER else []
        if turn.recording and (turn.role == USER or any(one.name == turn.recording for one in found)):
            return [one for one in found if one.name == turn.recording]
        return found

    def orphans(self) -> int:
        """Return the number of files that no turn resolved to."""
        return sum(one.name not in self.used for one in self.files)


def _compare_takes(recordings: Sequence[StoredRecording]) -> tuple[str, str]:
    """Return the fault of several files of one name."""
    try:
        hashes = [one.raw_sha256 or file_sha256(one.path) for one in recordings]
    except OSError:
        return "different_takes", "one of them cannot be read"
    distinct = list(dict.fromkeys(hashes))
    if len(distinct) == 1:
        return "repeated_audio", f"{len(hashes)} times"
    return "different_takes", "SHA-256 " + ", ".join(digest[:16] for digest in distinct)


def index_folder(sources: AudioSources, findings: Findings) -> RecordingIndex:
    """Index the unpacked recordings of a kind and language; links to files are followed, links to folders are not.

    Args:
        sources: Where they lie; its folder is used.
        findings: Collects what is unusual in the folder.

    Raises:
        ReleaseError: The folder, or one inside it, cannot be listed.
    """
    try:
        return _index_folder(sources, findings)
    except OSError as error:
        # Without the cause: it names the file, and with it an account.
        reason = error.strerror or type(error).__name__
        raise ReleaseError(f"{sources.folder}: cannot be listed ({reason}); repair it") from None


def _index_folder(sources: AudioSources, findings: Findings) -> RecordingIndex:
    index = RecordingIndex(sources)
    counts: Counter[str] = Counter()
    assert sources.folder is not None
    for entry in _walk(sources.folder):
        if entry.name.startswith(".") or not entry.name.lower().endswith(AUDIO_SUFFIXES):
            counts["junk_member"] += 1
        else:
            path = Path(entry.path)
            counts["nested_audio"] += path.parent != sources.folder
            # The Hub's cache and git-annex hold every file as a link. A broken one is found unreadable later.
            stat = entry.stat(follow_symlinks=not entry.is_symlink() or path.exists())
            index.add(entry.name, path, None, stat.st_size, modified_ns=stat.st_mtime_ns)
    _report(counts, sources, sources.place, findings)
    return index


def _walk(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield the files below a folder in sorted order, links as they are."""
    with os.scandir(folder) as entries:
        ordered = sorted(entries, key=lambda entry: entry.name)
    for entry in ordered:
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path))
        else:
            yield entry


def index_archives(
    sources: AudioSources, parts: Iterable[tuple[Path, ArchiveIndex]], findings: Findings
) -> RecordingIndex:
    """Index the recordings of archives that were read.

    Args:
        sources: Where they came from.
        parts: (spool, index) of each archive, in the order of the parts.
        findings: Collects what is unusual in the archives, and damage.
    """
    index = RecordingIndex(sources)
    for archive, (spool, part) in zip(sources.archives, parts, strict=True):
        counts = Counter({"junk_member": part.junk, "nested_audio": part.nested})
        _report(counts, sources, archive.name, findings)
        for reason, times in part.unsafe.items():
            findings.add("unsafe_member", Place(sources.language, archive.name), reason, times)
        if part.damage:
            findings.add("damaged_archive", Place(sources.language, archive.name), part.damage)
        for member in part.members:
            index.add(
                member.base_name,
                spool,
                member.offset,
                member.length,
                raw_sha256=member.raw_sha256,
                processed=member.processed,
            )
    return index


def _report(counts: Counter[str], sources: AudioSources, file: str, findings: Findings) -> None:
    for kind, times in sorted(counts.items()):
        if times:
            findings.add(kind, Place(sources.language, file), times=times)
