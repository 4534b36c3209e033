"""Every fault that a HealthDial release can hold, each planted at a known place of a generated release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.healthdial_files import Packing, write_release
from benchmarks.healthdial_generator import GeneratedRelease, generate_release
from benchmarks.healthdial_records import OOK_PERIOD, OOK_POSITION
from benchmarks.healthdial_text import LANGUAGES
from healthdial.findings import KINDS
from tests.healthdial_audio_traps import AUDIO_TRAPS, METADATA_CHUNK
from tests.healthdial_file_traps import FILE_TRAPS
from tests.healthdial_record_traps import RECORD_TRAPS
from tests.healthdial_text_traps import TEXT_TRAPS
from tests.healthdial_trap import Site, Trap

TRAPS: dict[str, Trap] = {trap.kind: trap for trap in (*RECORD_TRAPS, *TEXT_TRAPS, *AUDIO_TRAPS, *FILE_TRAPS)}
"""One trap for each kind of fault."""
MORE_TRAPS: dict[str, Trap] = {METADATA_CHUNK.kind: METADATA_CHUNK}
"""Traps that are no fault of a kind, but must leave no trace."""
NO_TRAP: dict[str, str] = {
    "field_given_up": "comes from the k that the build asks for, whatever the files hold",
}
"""Kinds without a trap, and why."""
IN_CLEAN_RELEASES = frozenset({"personal_field", "free_text_coarsened"})
"""Kinds that a release without any trap has too, since people fill in forms; ``field_given_up`` may come with it."""
STOPPING: tuple[str, ...] = tuple(name for name in TRAPS if KINDS[name].policy == "stop")
"""Traps that end the build: one at a time."""
ALL_THAT_COMBINE: tuple[str, ...] = tuple(name for name in (*TRAPS, *MORE_TRAPS) if name not in STOPPING)
"""Traps that can stand together in one release; each has a dialogue or record to itself."""

SHORT_RECORDINGS = (1.05, 1.25)
USER_TURNS = (2, 2)
CLEAN_DIALOGUES = 3


@dataclass(frozen=True)
class Planted:
    """Where a trap sits.

    Attributes:
        kind: Its kind.
        language: ISO 639-3 code.
        record: Task id, snippet id, parallel id, position in the list, or kind of file.
        also: Kinds that come with it.
    """

    kind: str
    language: str
    record: str
    also: tuple[str, ...]


@dataclass(frozen=True)
class TrappedRelease:
    """A written release with traps.

    Attributes:
        folder: Where it lies.
        release: What was written, before traps on disk.
        planted: Its traps by name.
        left_out: Traps that cannot stand in this packing.
    """

    folder: Path
    release: GeneratedRelease
    planted: dict[str, Planted]
    left_out: tuple[str, ...]


def release_with_traps(
    folder: Path,
    names: Iterable[str] = ALL_THAT_COMBINE,
    *,
    packing: Packing = "folder",
    dialogue_list_name: Literal["hub", "local"] = "hub",
    seed: int = 0,
) -> TrappedRelease:
    """Write a release that holds the named traps and no other fault but those of ``IN_CLEAN_RELEASES``.

    Args:
        folder: Where to write it.
        names: Keys of ``TRAPS`` and ``MORE_TRAPS``; each gets a dialogue to itself where it needs one.
        packing: Unpacked folders or archives.
        dialogue_list_name: Name of the dialogue lists.
        seed: Another seed gives another release.
    """
    known = TRAPS | MORE_TRAPS
    asked = [known[name] for name in names]
    traps = [trap for trap in asked if trap.packing in (None, packing)]
    positions = dict(zip((trap.kind for trap in traps if trap.own_dialogue), _own_positions(), strict=False))
    needed = [max(positions.values(), default=0) + CLEAN_DIALOGUES, *(trap.dialogues for trap in traps)]
    release = generate_release(dialogues=max(needed), seconds=SHORT_RECORDINGS, user_turns=USER_TURNS, seed=seed)
    sites = {trap.kind: _site(release, trap, positions.get(trap.kind, 0)) for trap in traps}
    records = {trap.kind: trap.before(release, sites[trap.kind]) for trap in traps if trap.before}
    write_release(release, folder, packing=packing, dialogue_list_name=dialogue_list_name)
    records |= {trap.kind: trap.after(folder, sites[trap.kind]) for trap in traps if trap.after}
    planted = {
        trap.kind: Planted(
            trap.kind, LANGUAGES[trap.folder].iso, records[trap.kind] or sites[trap.kind].task_id, trap.also
        )
        for trap in traps
    }
    return TrappedRelease(folder, release, planted, tuple(trap.kind for trap in asked if trap not in traps))


def _own_positions() -> Iterator[int]:
    """Yield the positions of dialogues for traps: not the first, which is shared, nor those with an unknown answer."""
    position = 0
    while True:
        position += 1
        if position % OOK_PERIOD != OOK_POSITION:
            yield position


def _site(release: GeneratedRelease, trap: Trap, position: int) -> Site:
    return Site(trap.folder, position, release.dialogues[trap.folder][position])
