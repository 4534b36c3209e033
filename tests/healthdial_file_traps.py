"""Traps in the files of a written HealthDial release: lists, archives, encodings."""

from __future__ import annotations

import json
import os
import re
import stat
import tarfile
from pathlib import Path

from benchmarks.healthdial_files import DIALOGUE_LISTS, USER_LIST, write_archive, write_json
from benchmarks.healthdial_text import LANGUAGES
from tests.healthdial_trap import Site, after

DIALOGUES, USERS = "dialogues", "speakers"
_TASK_ID = re.compile(r"[A-Z]{3}_(\d+)")


def dialogue_list(folder: Path) -> Path:
    """Return the one dialogue list of a language folder."""
    return next(folder / name for name in DIALOGUE_LISTS.values() if (folder / name).is_file())


def other_dialogue_list(folder: Path) -> Path:
    """Return where the dialogue list would lie under its other name."""
    return next(folder / name for name in DIALOGUE_LISTS.values() if not (folder / name).is_file())


def both_dialogue_lists(release: Path, site: Site) -> str:
    folder = release / site.folder
    other_dialogue_list(folder).write_bytes(dialogue_list(folder).read_bytes())
    return DIALOGUES


def conflicting_dialogue_lists(release: Path, site: Site) -> str:
    folder = release / site.folder
    text = dialogue_list(folder).read_text(encoding="utf-8")
    other_dialogue_list(folder).write_text(text.replace('"assistant"', '"Assistant"', 1), encoding="utf-8")
    return DIALOGUES


def not_utf8(release: Path, site: Site) -> str:
    file = dialogue_list(release / site.folder)
    file.write_bytes(file.read_text(encoding="utf-8").encode("latin-1"))
    return DIALOGUES


def byte_order_mark(release: Path, site: Site) -> str:
    file = release / site.folder / USER_LIST
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    return USERS


def missing_file(release: Path, site: Site) -> str:
    (release / site.folder / USER_LIST).unlink()
    return USERS


def without_split(release: Path, site: Site) -> None:
    """Write the split's id lists, a third of the dialogues each, without one dialogue."""
    listed = json.loads(dialogue_list(release / site.folder).read_text(encoding="utf-8"))
    task_ids = [str(one.get("task_id")) for one in listed if isinstance(one, dict)]
    numbers = list(dict.fromkeys(int(match[1]) for one in task_ids if (match := _TASK_ID.fullmatch(one))))
    third = len(numbers) // 3 + 1
    splits = {
        language.iso: {
            split: [
                f"{language.iso}-{number:04d}"
                for number in numbers[part * third : (part + 1) * third]
                if (language.folder, number) != (site.folder, int(site.task_id.split("_")[1]))
            ]
            for part, split in enumerate(("train", "validation", "test"))
        }
        for language in LANGUAGES.values()
    }
    write_json(release / "splits.json", splits)


def unreadable_audio(release: Path, site: Site) -> None:
    """Put a file in the place of a recording that nobody can open, not even root: a socket's."""
    file = release / site.folder / "audio" / site.user(0)["audio_name"]
    file.unlink()
    os.mknod(file, stat.S_IFSOCK | 0o600)


def archives_beside_folder(release: Path, site: Site) -> str:
    """Pack recordings beside their folder, or unpack archives beside themselves."""
    folder = release / site.folder
    if (folder / "audio").is_dir():
        files = sorted(file for file in (folder / "audio").iterdir() if file.is_file())
        write_archive(folder / "audio.part1.tar.gz", [(file.name, file.read_bytes, "") for file in files])
    for archive in sorted(folder.glob("audio.part*.tar.gz")):
        with tarfile.open(archive) as tar:
            tar.extractall(folder / "audio", filter="data")
    return "audio"


def missing_part(release: Path, site: Site) -> str:
    """Leave out the first archive of one kind and a middle one of the other."""
    for name in ("audio.part1.tar.gz", "system_audio.part2.tar.gz"):
        (release / site.folder / name).unlink()
    return "audio"


def damaged_archive(release: Path, site: Site) -> str:
    """Cut an archive off after three fifths."""
    archive = release / site.folder / "audio.part2.tar.gz"
    os.truncate(archive, archive.stat().st_size * 3 // 5)
    return archive.name


FILE_TRAPS = (
    after(both_dialogue_lists, folder="arabic", own_dialogue=False),
    after(conflicting_dialogue_lists, folder="arabic", own_dialogue=False),
    after(not_utf8, folder="spanish", own_dialogue=False),
    after(byte_order_mark, folder="chinese", own_dialogue=False),
    after(missing_file, folder="spanish", own_dialogue=False, also=("unknown_speaker",)),
    after(without_split, also=("unequal_ids", "orphan_audio")),
    after(unreadable_audio, packing="folder"),
    after(archives_beside_folder, folder="arabic", own_dialogue=False),
    after(missing_part, own_dialogue=False, packing="tar", also=("missing_audio",)),
    after(damaged_archive, own_dialogue=False, packing="tar", also=("missing_audio",)),
)
