"""Write a generated HealthDial release to disk, as unpacked folders or as archives, with constant memory."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from benchmarks.healthdial_generator import GeneratedRelease

Packing = Literal["folder", "tar"]
AudioKind = Literal["audio", "system_audio"]
DIALOGUE_LISTS = {"hub": "dialogue_list_final_with_sys_speech.json", "local": "dialogue_list_final.json"}
USER_LIST = "user_list_final.json"
DATABASE = "who_database.json"


@dataclass(frozen=True)
class ExtraMember:
    """An archive member besides the recordings: in the last part, while a recording of its name is in the first.

    Where a release is written as folders, it becomes ``<kind>/part2/<name>``; unsafe ones are for archives only.

    Attributes:
        kind: Archives that hold it.
        name: Name in the archive.
        content: Its bytes.
        link_target: What it points to, if it is a symbolic link.
    """

    kind: AudioKind
    name: str
    content: bytes = b""
    link_target: str = ""

    @property
    def unsafe(self) -> bool:
        """Whether it is a link or would be written outside its folder."""
        return bool(self.link_target) or not is_inside(self.name)


def write_release(
    release: GeneratedRelease,
    folder: Path,
    *,
    packing: Packing = "folder",
    dialogue_list_name: Literal["hub", "local"] = "hub",
    parts: int = 2,
    compresslevel: int = 1,
    on_bytes: Callable[[int], object] | None = None,
) -> None:
    """Write a release.

    Args:
        release: What to write.
        folder: Where; made if missing.
        packing: ``folder`` for ``audio/`` and ``system_audio/``, ``tar`` for archives of the Hub's names.
        dialogue_list_name: Name of the dialogue list on the Hub, or the one the authors' downloader gives it.
        parts: Archives of user speech; system speech has one more.
        compresslevel: Of gzip, 0 to 9.
        on_bytes: Called with the size of every recording written, one call at a time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / DATABASE, release.database)
    lock = Lock()

    def count(size: int) -> None:
        if on_bytes is not None:
            with lock:
                on_bytes(size)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        jobs = []
        for name, dialogues in release.dialogues.items():
            (folder / name).mkdir(exist_ok=True)
            write_json(folder / name / DIALOGUE_LISTS[dialogue_list_name], dialogues)
            write_json(folder / name / USER_LIST, release.users[name])
            extras = release.extra_members.get(name, [])
            kinds: tuple[tuple[AudioKind, dict[str, Callable[[], bytes]], int], ...] = (
                ("audio", release.audio[name], parts),
                ("system_audio", release.system_audio[name], parts + 1),
            )
            for kind, files, count_of_parts in kinds:
                of_kind = [member for member in extras if member.kind == kind]
                if packing == "folder":
                    jobs.append(pool.submit(_write_folder, folder / name / kind, files, of_kind, count))
                    continue
                for part, members in enumerate(_parts(files, of_kind, count_of_parts), 1):
                    archive = folder / name / f"{kind}.part{part}.tar.gz"
                    jobs.append(pool.submit(write_archive, archive, members, compresslevel, count))
        for job in jobs:
            job.result()


def write_archive(
    archive: Path,
    members: Iterable[tuple[str, Callable[[], bytes], str]],
    compresslevel: int = 1,
    on_bytes: Callable[[int], object] | None = None,
) -> None:
    """Write a gzip tar of (name, maker of its bytes, link target or empty); the same members give the same bytes."""
    with (
        archive.open("wb") as stream,
        gzip.GzipFile("", "wb", compresslevel, stream, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name, maker, link_target in members:
            info = tarfile.TarInfo(name)
            content = maker()
            if link_target:
                info.type, info.linkname = tarfile.SYMTYPE, link_target
            else:
                info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
            if on_bytes is not None:
                on_bytes(len(content))


def write_json(file: Path, value: Any) -> None:
    """Write a value as UTF-8 JSON, characters unescaped."""
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        json.dump(value, stream, ensure_ascii=False, indent=1)


def is_inside(name: str) -> bool:
    """Return whether a relative path stays in its folder."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _write_folder(
    folder: Path, files: dict[str, Callable[[], bytes]], extras: list[ExtraMember], count: Callable[[int], object]
) -> None:
    makers = dict(files)
    for member in extras:
        if member.unsafe:
            raise ValueError("a link or a path outside its folder can only be written into an archive")
        makers[f"part2/{member.name}"] = _constant(member.content)
    for name, maker in makers.items():
        if not is_inside(name):
            raise ValueError("a recording's path leads outside its folder")
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        content = maker()
        file.write_bytes(content)
        count(len(content))


def _parts(
    files: dict[str, Callable[[], bytes]], extras: list[ExtraMember], parts: int
) -> Iterator[Iterator[tuple[str, Callable[[], bytes], str]]]:
    """Yield the members of each archive; files of any kind of audio that has none make no archive."""
    repeated = {member.name for member in extras}
    for part in range(parts if files or extras else 0):
        own = [name for index, name in enumerate(files) if (0 if name in repeated else index % parts) == part]
        more = extras if part == parts - 1 else []
        yield _members(files, own, more)


def _members(
    files: dict[str, Callable[[], bytes]], names: list[str], extras: list[ExtraMember]
) -> Iterator[tuple[str, Callable[[], bytes], str]]:
    for name in names:
        yield name, files[name], ""
    for member in extras:
        yield member.name, _constant(member.content), member.link_target


def _constant(content: bytes) -> Callable[[], bytes]:
    return lambda: content
