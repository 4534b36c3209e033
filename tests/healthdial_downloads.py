"""The files of a made-up release on the Hub, and a download of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from healthdial.download import fetch_release
from healthdial.languages import LANGUAGES
from tests.fake_hub import FakeHub, Seen

REPO_ID = "made-up/HealthDial"
TOKEN = "hf_madeUpSecretToken"
FOLDERS = [language.folder for language in LANGUAGES.values()]
TEXT = ["dialogue_list_final_with_sys_speech.json", "user_list_final.json"]
AUDIO = ["audio.part1.tar.gz", "audio.part2.tar.gz", *(f"system_audio.part{part}.tar.gz" for part in (1, 2, 3))]
CHUNK = 64
"""Bytes that the client writes at a time in these tests; it writes 10 MB otherwise."""


def content(name: str) -> bytes:
    return name.encode() * 20


def text_files(*folders: str) -> set[str]:
    return {"who_database.json", *(f"{folder}/{name}" for folder in folders for name in TEXT)}


def audio_files(*folders: str) -> set[str]:
    return {f"{folder}/{name}" for folder in folders for name in AUDIO}


RELEASE = text_files(*FOLDERS) | audio_files(*FOLDERS)
EXTRA = {"README.md", "LICENSE", ".gitattributes", "english_sample/processed_result.json", "english/notes.txt"}


def fetch(folder: Path | None, *languages: str, audio: bool = False, **options: Any) -> Path:
    return fetch_release(REPO_ID, folder, languages=languages or ("eng",), audio=audio, **options)


def downloads(hub: FakeHub, file: str) -> list[Seen]:
    """Return the requests for the content of a file of the release, in order."""
    return hub.requests(rf"^GET /datasets/{REPO_ID}/resolve/[^/]+/{re.escape(file)}$")


def downloaded(hub: FakeHub) -> set[str]:
    """Return the paths of all files of the release whose content was asked for."""
    return {file for file in hub.files(REPO_ID) if downloads(hub, file)}


def files_in(folder: Path) -> set[str]:
    files = (file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    return {file.as_posix() for file in files if file.parts[0] != ".cache"}


def assert_one_plain_line(error: BaseException) -> None:
    assert "\n" not in str(error)
    assert TOKEN not in str(error)
    assert "https://" not in str(error).replace("https://huggingface.co", "")
