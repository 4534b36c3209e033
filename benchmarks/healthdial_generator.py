"""A HealthDial release of any size, with invented text, people and signal, in the layout of the real one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from benchmarks.healthdial_files import ExtraMember, Packing, write_release
from benchmarks.healthdial_records import (
    Record,
    dialogue,
    dialogue_numbers,
    plan,
    snippet,
    system_file_name,
    user,
)
from benchmarks.healthdial_signal import HEADER_BYTES, SAMPLE_RATE, VOICES, Clip, random_clip
from benchmarks.healthdial_text import LANGUAGES

FOLDERS = tuple(LANGUAGES)

AudioFiles = dict[str, Callable[[], bytes]]

_ACCOUNT = re.compile(r"[0-9a-f]{24}")
_PERSONAL_OF_USER = ("id", "username", "email", "password", "date_added", "ip_address", "secondary_languages")
_PLACES_OF_USER = ("place_of_origin", "region_of_residence")
_PERSONAL_OF_DIALOGUE = ("annotator_email", "start_time", "submission_time")


@dataclass
class GeneratedRelease:
    """A release in memory; audio is made when it is written.

    Attributes:
        database: ``who_database.json``.
        dialogues: Dialogue list of each language folder.
        users: Speaker list of each language folder.
        audio: Human user speech: folder -> file name, which may hold folders -> maker of its bytes.
        system_audio: Synthetic system speech, likewise.
        extra_members: More archive members of each language folder.
        extra_personal: Personal strings that stand elsewhere than in the fields of a speaker, a dialogue or in the
            account id of a file name.
    """

    database: list[Record] = field(default_factory=list)
    dialogues: dict[str, list[Record]] = field(default_factory=dict)
    users: dict[str, list[Record]] = field(default_factory=dict)
    audio: dict[str, AudioFiles] = field(default_factory=dict)
    system_audio: dict[str, AudioFiles] = field(default_factory=dict)
    extra_members: dict[str, list[ExtraMember]] = field(default_factory=dict)
    extra_personal: set[str] = field(default_factory=set)


def generate_release(
    *,
    dialogues: int = 6,
    folders: tuple[str, ...] = FOLDERS,
    snippets: int = 40,
    parallel: int = 24,
    speakers: int = 12,
    seconds: tuple[float, float] = (1.2, 3.0),
    user_turns: tuple[int, int] = (2, 4),
    seed: int = 0,
) -> GeneratedRelease:
    """Return a clean release; equal arguments give equal bytes.

    Args:
        dialogues: Dialogues of each language, at least 1. With 5 or more, all three turn states occur.
        folders: Language folders.
        snippets: Knowledge snippets of each language.
        parallel: How many of them are parallel, at least 1.
        speakers: Speakers of each language; no more than there are dialogues.
        seconds: Shortest and longest recording; texts are as long as it takes to say them.
        user_turns: Fewest and most user turns of a dialogue, at least 2.
        seed: Another seed gives another release.
    """
    release = GeneratedRelease()
    random = Random(f"healthdial {seed}")
    numbers = dialogue_numbers(random, dialogues)
    plans = [plan(random, position, random.randint(*user_turns), parallel) for position in range(dialogues)]
    for folder in folders:
        language = LANGUAGES[folder]
        random = Random(f"healthdial {seed} {folder}")
        base = [snippet(random, language, index, parallel=index < parallel) for index in range(snippets)]
        users = [user(random, language) for _ in range(min(speakers, dialogues))]
        release.database += base
        release.users[folder] = users
        release.dialogues[folder], release.audio[folder], release.system_audio[folder] = [], {}, {}
        for position, (number, exchanges) in enumerate(zip(numbers, plans, strict=True)):
            lasting = [random.uniform(*seconds) for _ in range(2 * len(exchanges) + 1)]
            task_id, speaker = f"{language.code}_{number}", users[position % len(users)]
            one = dialogue(random, language, task_id, exchanges, base, speaker, lasting)
            release.dialogues[folder].append(one)
            voice = random.randrange(1, VOICES)
            for utterance, length in zip(one["utterance"][1::2], lasting[1::2], strict=True):
                release.audio[folder][utterance["audio_name"]] = random_clip(random, length, voice)
            for turn, length in enumerate(lasting[::2]):
                release.system_audio[folder][system_file_name(task_id, turn)] = random_clip(random, length, 0)
    return release


def generate_sized(
    folder: Path,
    gigabytes: float,
    *,
    packing: Packing = "folder",
    seconds: tuple[float, float] = (10.0, 20.0),
    user_turns: tuple[int, int] = (5, 9),
    snippets: int = 2317,
    parallel: int = 1618,
    speakers: int = 23,
    compresslevel: int = 1,
    seed: int = 0,
    show_progress: bool = True,
) -> int:
    """Write a release of about so many gigabytes (10^9 bytes) of audio, made while it is written.

    Args:
        folder: Where to write it.
        gigabytes: Size of all WAV files, spread over the four languages, user and system speech.
        packing: Unpacked folders or archives.
        seconds: Shortest and longest recording.
        user_turns: Fewest and most user turns of a dialogue, at least 2. The fewer, the more dialogues there are: by
            default 4 GB are 139 a language, all in the training split, which is the first 400; (2, 2) gives 417.
        snippets: Knowledge snippets of each language.
        parallel: How many of them are parallel.
        speakers: Speakers of each language.
        compresslevel: Of gzip, for archives.
        seed: Another seed gives another release.
        show_progress: Show a progress bar on standard error.

    Returns:
        Bytes of all WAV files.
    """
    from tqdm import tqdm

    clip_bytes = HEADER_BYTES + 2 * SAMPLE_RATE * sum(seconds) / 2
    dialogue_bytes = clip_bytes * (sum(user_turns) + 1) * len(FOLDERS)
    release = generate_release(
        dialogues=max(1, round(gigabytes * 1e9 / dialogue_bytes)),
        snippets=snippets,
        parallel=parallel,
        speakers=speakers,
        seconds=seconds,
        user_turns=user_turns,
        seed=seed,
    )
    total = sum(maker.size for maker in _makers(release) if isinstance(maker, Clip))
    with tqdm(total=total, unit="B", unit_scale=True, desc="audio", disable=not show_progress) as bar:
        write_release(release, folder, packing=packing, compresslevel=compresslevel, on_bytes=bar.update)
    return total


def personal_strings(release: GeneratedRelease) -> set[str]:
    """Return all strings of a release that must never reach an output, message or log.

    They are e-mail addresses, user names, password hashes, times, network addresses, places and secondary languages in
    free text, account ids (24 hex digits) and their first 8 digits, which are a time.
    """
    strings = set(release.extra_personal)
    for listed in (*release.users.values(), *release.dialogues.values()):
        for record in listed:
            if not isinstance(record, dict):
                continue
            strings |= {record.get(key) or "" for key in (*_PERSONAL_OF_USER, *_PERSONAL_OF_DIALOGUE)}
            places = [record.get(key) or "" for key in _PLACES_OF_USER]
            strings |= {part for place in places for part in (place, place.split(",")[0])}
    names = [name for files in (*release.audio.values(), *release.system_audio.values()) for name in files]
    accounts = {found for text in (*names, *strings) for found in _ACCOUNT.findall(text)}
    return (strings | accounts | {account[:8] for account in accounts}) - {""}


def _makers(release: GeneratedRelease) -> Iterator[Callable[[], bytes]]:
    for files in (*release.audio.values(), *release.system_audio.values()):
        yield from files.values()
