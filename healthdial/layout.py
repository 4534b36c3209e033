"""Find the files of a release in a folder: the documented layout, under both names, with or without archives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from healthdial.findings import Findings, Place
from healthdial.languages import LANGUAGES
from hub.errors import ReleaseError
from hub.fingerprint import file_sha256

DATABASE = "who_database.json"
DIALOGUE_LISTS = ("dialogue_list_final.json", "dialogue_list_final_with_sys_speech.json")
"""The downloader's name and the Hub's name of one file."""
SPEAKER_LIST = "user_list_final.json"
SPLIT_LISTS = "splits.json"

AudioKind = Literal["user", "system"]
AUDIO_FOLDERS: dict[AudioKind, str] = {"user": "audio", "system": "system_audio"}
_PART = re.compile(r"(?P<kind>audio|system_audio)\.part(?P<part>\d+)\.tar(?:\.gz)?")


@dataclass(frozen=True)
class AudioSources:
    """Where the recordings of one kind and language lie.

    Attributes:
        language: ISO 639-3 code.
        kind: ``user`` or ``system``.
        folder: Folder of unpacked files, or None.
        archives: Tar parts in the order of their numbers; empty where the folder is used.
    """

    language: str
    kind: AudioKind
    folder: Path | None
    archives: tuple[Path, ...]

    @property
    def place(self) -> str:
        """Kind of file, for reports."""
        return f"{self.kind} audio"


@dataclass(frozen=True)
class LanguageFiles:
    """The files of one language."""

    language: str
    dialogues: Path
    speakers: Path | None
    audio: tuple[AudioSources, ...]


@dataclass(frozen=True)
class ReleaseFiles:
    """The files of a release.

    Attributes:
        root: Folder of ``who_database.json``.
        database: The knowledge base.
        languages: Language -> its files, in our order of languages.
        splits: Explicit id lists (the bundled sample has them), or None.
    """

    root: Path
    database: Path
    languages: dict[str, LanguageFiles]
    splits: Path | None


def find_release(folder: Path, languages: Sequence[str] | None, findings: Findings, *, audio: bool) -> ReleaseFiles:
    """Find the files of a release.

    Args:
        folder: The folder that holds ``who_database.json``, or its parent.
        languages: ISO 639-3 codes to use; None for all that are there.
        findings: Collects faults of the layout.
        audio: Look for audio.

    Raises:
        ReleaseError: It is not a release, a language asked for is missing, or two lists contradict each other.
    """
    root = _root(folder)
    found = {}
    for language in languages or LANGUAGES:
        files = _language_files(root, language, findings, audio=audio)
        if files is not None:
            found[language] = files
        elif languages is not None:
            raise ReleaseError(f"{root}: no dialogues of {language}: {_expected(language)} is missing")
    if not found:
        raise ReleaseError(f"{root}: no language has a dialogue list, such as {_expected('eng')}")
    splits = root / SPLIT_LISTS
    return ReleaseFiles(root, root / DATABASE, found, splits if splits.is_file() else None)


def _root(folder: Path) -> Path:
    """Return the folder that holds the knowledge base: the given one or one inside it."""
    if (folder / DATABASE).is_file():
        return folder
    inner = sorted(folder.glob(f"*/{DATABASE}")) if folder.is_dir() else []
    if len(inner) == 1:
        return inner[0].parent
    problem = f"{len(inner)} folders inside it have one" if inner else "it is not there, nor in a folder inside"
    raise ReleaseError(f"{folder}: a HealthDial release has a file {DATABASE}; {problem}")


def _expected(language: str) -> str:
    return f"{LANGUAGES[language].folder}/{DIALOGUE_LISTS[0]}"


def _language_files(root: Path, language: str, findings: Findings, *, audio: bool) -> LanguageFiles | None:
    """Return the files of a language, or None where it has no dialogue list."""
    folder = root / LANGUAGES[language].folder
    lists = [folder / name for name in DIALOGUE_LISTS if (folder / name).is_file()]
    if not lists:
        return None
    if len(lists) > 1:
        _compare_lists(lists, language, findings)
    speakers: Path | None = folder / SPEAKER_LIST
    if speakers is not None and not speakers.is_file():
        findings.add("missing_file", Place(language, "speakers"), SPEAKER_LIST)
        speakers = None
    sources = tuple(_audio_sources(folder, language, kind, findings) for kind in AUDIO_FOLDERS) if audio else ()
    return LanguageFiles(language, lists[0], speakers, sources)


def _compare_lists(lists: list[Path], language: str, findings: Findings) -> None:
    """Report two dialogue lists; stop where they differ, since nothing says which one is right."""
    place = Place(language, "dialogues")
    if file_sha256(lists[0]) == file_sha256(lists[1]):
        findings.add("both_dialogue_lists", place)
        return
    findings.add("conflicting_dialogue_lists", place)
    raise ReleaseError(
        f"{lists[0].parent}: {lists[0].name} and {lists[1].name} differ; remove the one that is not the release's"
    )


def _audio_sources(folder: Path, language: str, kind: AudioKind, findings: Findings) -> AudioSources:
    """Return where the recordings of a kind lie: the unpacked folder if there is one, else the archives.

    The authors' downloader leaves the archives in ``<language>/<language>/``, so that is looked at too.
    """
    name = AUDIO_FOLDERS[kind]
    unpacked = folder / name
    has_folder = unpacked.is_dir() and any(not entry.name.startswith(".") for entry in unpacked.iterdir())
    parts: dict[int, Path] = {}
    for place in (folder / folder.name, folder):
        for file in sorted(place.glob(f"{name}.part*.tar*")):
            match = _PART.fullmatch(file.name)
            if match and match["kind"] == name and file.is_file():
                parts[int(match["part"])] = file
    archives = tuple(parts[part] for part in sorted(parts))
    missing = sorted(set(range(1, max(parts, default=0) + 1)) - parts.keys())
    if missing and not has_folder:
        findings.add("missing_part", Place(language, f"{kind} audio"), f"part {', '.join(map(str, missing))}")
    if has_folder and archives:
        findings.add("archives_beside_folder", Place(language, f"{kind} audio"), f"{len(archives)} archives")
        archives = ()
    if not has_folder and not archives:
        findings.add("no_audio_files", Place(language, f"{kind} audio"))
    return AudioSources(language, kind, unpacked if has_folder else None, archives)
