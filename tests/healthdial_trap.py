"""What a trap is: a fault put into a generated HealthDial release at a known place; and the tools to put it there."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.healthdial_files import Packing
from benchmarks.healthdial_generator import GeneratedRelease
from benchmarks.healthdial_records import Record, account_id, system_file_name, user
from benchmarks.healthdial_signal import HEADER_BYTES, random_clip
from benchmarks.healthdial_text import LANGUAGES, Language


@dataclass(frozen=True)
class Site:
    """The dialogue where a trap sits.

    Attributes:
        folder: Its language folder.
        position: Its position in every language's list.
        dialogue: The dialogue itself.
    """

    folder: str
    position: int
    dialogue: Record

    @property
    def task_id(self) -> str:
        return str(self.dialogue["task_id"])

    @property
    def language(self) -> Language:
        return LANGUAGES[self.folder]

    @property
    def random(self) -> Random:
        return Random(self.task_id)

    def user(self, turn: int) -> Record:
        """Return the user utterance of a 0-based user turn."""
        return self.dialogue["utterance"][2 * turn + 1]

    def assistant(self, turn: int) -> Record:
        """Return the assistant utterance of a 0-based assistant turn; 0 is the opening."""
        return self.dialogue["utterance"][2 * turn]

    @property
    def grounded(self) -> Record:
        """The first answer that has gold snippets."""
        return next(one for one in self.dialogue["utterance"] if one.get("snippet"))


BeforeWriting = Callable[[GeneratedRelease, Site], "str | None"]
AfterWriting = Callable[[Path, Site], "str | None"]


@dataclass(frozen=True)
class Trap:
    """A fault of one kind.

    Attributes:
        kind: Name in ``healthdial.findings.KINDS``.
        before: Changes the release in memory. Returns what names the record, or None for the site's task id.
        after: Changes the written release; likewise.
        folder: Language folder where it sits.
        own_dialogue: Whether it needs a dialogue to itself.
        packing: The only packing it can stand in, or None for both.
        dialogues: Dialogues a language that it needs at least.
        also: Kinds that come with it and cannot be kept apart.
    """

    kind: str
    before: BeforeWriting | None = None
    after: AfterWriting | None = None
    folder: str = "english"
    own_dialogue: bool = True
    packing: Packing | None = None
    dialogues: int = 0
    also: tuple[str, ...] = ()


def before(change: BeforeWriting, **options: Any) -> Trap:
    """Return the trap of a change in memory; its name is the kind."""
    return Trap(_name(change), before=change, **options)


def after(change: AfterWriting, **options: Any) -> Trap:
    """Return the trap of a change on disk; its name is the kind."""
    return Trap(_name(change), after=change, **options)


def _name(change: Callable[..., object]) -> str:
    return change.__name__


def say(release: GeneratedRelease, site: Site, turn: int, transcript: str, recognised: str | None = None) -> None:
    """Give a user turn another transcript, a recognition that fits it, and a recording of the right length."""
    utterance = site.user(turn)
    utterance["annotated_transcription"] = transcript
    utterance["annotated_asr_result"] = site.language.as_recognised(transcript) if recognised is None else recognised
    seconds = max(1.1, site.language.seconds(transcript))
    release.audio[site.folder][utterance["audio_name"]] = random_clip(site.random, seconds, 1)


def user_samples(release: GeneratedRelease, site: Site, turn: int) -> npt.NDArray[np.int16]:
    """Return the samples of a user turn's clean recording, shape (n,), 16 kHz."""
    content = release.audio[site.folder][site.user(turn)["audio_name"]]()
    return np.frombuffer(content[HEADER_BYTES:], dtype=np.int16)


def set_user_audio(release: GeneratedRelease, site: Site, turn: int, content: bytes) -> None:
    """Give a user turn other bytes under the same name."""
    release.audio[site.folder][site.user(turn)["audio_name"]] = lambda: content


def set_system_audio(release: GeneratedRelease, site: Site, turn: int, content: bytes) -> None:
    """Give an assistant turn other bytes under the same name."""
    release.system_audio[site.folder][system_file_name(site.task_id, turn)] = lambda: content


def rename_user_audio(release: GeneratedRelease, site: Site, turn: int, name: str) -> None:
    """Rename a user turn's recording, in its utterance and on disk."""
    files = release.audio[site.folder]
    files[name] = files.pop(site.user(turn)["audio_name"])
    site.user(turn)["audio_name"] = name


def give_account(release: GeneratedRelease, site: Site, account: str) -> None:
    """Give all recordings of a dialogue another account."""
    for turn in range(len(site.dialogue["utterance"]) // 2):
        rename_user_audio(release, site, turn, f"{account}_{site.task_id}_{turn}.wav")


def add_speaker(release: GeneratedRelease, site: Site, **changes: Any) -> None:
    """Give a dialogue a speaker of its own, who differs from others by ``changes``."""
    speaker = user(site.random, site.language) | changes
    release.users[site.folder].append(speaker)
    site.dialogue["annotator_email"] = speaker["email"]
    give_account(release, site, speaker["id"])


def new_account(site: Site) -> str:
    """Return an account id that no speaker has."""
    return account_id(site.random)


def append_dialogue(release: GeneratedRelease, site: Site, **changes: Any) -> Record:
    """Append a copy of a dialogue that the importer has to leave out; it has no recordings of its own."""
    copied = copy.deepcopy(site.dialogue) | changes
    release.dialogues[site.folder].append(copied)
    return copied


def snippets_of(release: GeneratedRelease, folder: str, *, parallel: bool) -> list[Record]:
    """Return a language's snippets that are, or are not, in the parallel set."""
    code = LANGUAGES[folder].code
    listed = [one for one in release.database if isinstance(one, dict)]
    return [one for one in listed if one["language"] == code and one["parallel_data"] is parallel]


def append_snippet(release: GeneratedRelease, like: Record, label: str, **changes: Any) -> Record:
    """Append a snippet that is not parallel: a copy of ``like`` with a text and an id of its own, then ``changes``."""
    copied = copy.deepcopy(like)
    copied["data"]["content"] = f"{label}: {copied['data']['content']}"
    copied |= {"parallel_data": False, "parallel_identifier": None, "unique_identifier": snippet_id(label)}
    release.database.append(copied | changes)
    return release.database[-1]


def snippet_id(label: str) -> str:
    """Return a UUID4 text that belongs to a label."""
    return str(uuid.UUID(int=Random(label).getrandbits(128), version=4))
