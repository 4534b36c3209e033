"""Check what lies in a data set's folder: no code, no pickle, no link, nothing hidden, nothing that nobody owns."""

from __future__ import annotations

import os
import pickletools
import zipfile
from collections.abc import Iterator
from pathlib import Path

from hub.faults import ContentRules, Fault, path_place
from hub.owned import HUBS_OWN_FILE, is_owned

MAX_FILE_BYTES = 50_000_000_000
"""Largest file that the Hub takes."""

CODE_SUFFIXES = frozenset(
    (
        *(".py", ".pyc", ".pyi", ".pyx", ".ipynb", ".sh", ".bash", ".bat", ".cmd", ".ps1", ".rb", ".pl", ".r", ".lua"),
        *(".js", ".mjs", ".ts", ".html", ".htm", ".svg", ".wasm", ".jar", ".exe", ".dll", ".so", ".dylib"),
    )
)
"""What a computer or a browser may run."""
CODE_STARTS = (b"#!", b"MZ", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
"""First bytes of scripts and of programs of Windows, Linux, macOS and Java."""
PICKLE_SUFFIXES = frozenset(
    (
        *(".pkl", ".pickle", ".pck", ".joblib", ".dill", ".pt", ".pth", ".ckpt", ".bin", ".npy", ".npz", ".h5"),
        *(".hdf5", ".model"),
    )
)
"""Names under which pickles, or files that may hold one, are kept."""
DATA_STARTS = (b"PAR1", b"\x89PNG")
"""First bytes of files that are no pickle although their bytes could be read as one."""
PNG_START = b"\x89PNG\r\n\x1a\n"
"""The first bytes of every PNG (PNG specification, section 5.2)."""
PICTURE_CHUNKS = frozenset(
    (*(b"IHDR", b"PLTE", b"IDAT", b"IEND"), *(b"tRNS", b"cHRM", b"gAMA", b"sBIT", b"sRGB", b"bKGD", b"pHYs"))
)
"""Chunks of a PNG that a program needs to draw it (section 11); others may hold texts, times and thumbnails."""
HEAD_BYTES = 65536
"""How much of a file is looked at for a pickle without a mark of its own."""
CUT_PICKLE_OPCODES = 64
"""Opcodes that no text has at its start by chance, for a pickle longer than that."""


def check_files(folder: Path, rules: ContentRules) -> Iterator[Fault]:
    """Yield at most one fault for each file of a folder, and one for a hidden folder.

    Args:
        folder: The data set's folder.
        rules: Which other files belong to it, and which are left alone.
    """
    for path in published_files(folder, rules):
        fault = _fault_of(folder, path, rules)
        if fault:
            yield Fault(fault[0], path_place(folder, path), fault[1])


def published_files(folder: Path, rules: ContentRules) -> list[Path]:
    """Return the files that a push would look at, sorted: links as such, a hidden folder for all that is in it."""
    found = []
    for place, folders, files in os.walk(folder):
        hidden_or_links = [name for name in folders if name.startswith(".") or (Path(place) / name).is_symlink()]
        folders[:] = sorted(set(folders) - set(hidden_or_links))
        found += [Path(place) / name for name in (*files, *hidden_or_links)]
    script = folder.resolve().name + ".py"
    return sorted(
        path
        for path in found
        if path == folder / script or not rules.leaves_alone(path.relative_to(folder).as_posix())
    )


def _fault_of(folder: Path, path: Path, rules: ContentRules) -> tuple[str, str] | None:
    """Return kind and message of the gravest fault of a file."""
    relative = path.relative_to(folder).as_posix()
    if path.is_symlink():
        return "link", "a link: its target would not be published, or one from outside would. Put the file here."
    if path.name.startswith(".") and relative != HUBS_OWN_FILE:
        return "hidden_file", "hidden, so neither the loader nor the viewer sees it. Remove it."
    if relative == folder.resolve().name + ".py":
        return "loading_script", "a script named like the data set: loader and viewer refuse the whole set. Remove it."
    content = _dangerous_content(path)
    if content:
        return content
    if relative != HUBS_OWN_FILE and not is_owned(relative, rules):
        return "unknown_file", "no file that a build of this data set writes, so a push refuses it. Remove it."
    picture = _picture_fault(path)
    if picture:
        return picture
    if path.stat().st_size > MAX_FILE_BYTES:
        return "file_bytes", f"larger than the {MAX_FILE_BYTES:,} bytes that the Hub takes. Build with more shards."
    return None


def _dangerous_content(path: Path) -> tuple[str, str] | None:
    """Return the fault of code or of a pickle, by name and by content."""
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    suffix = path.suffix.lower()
    if suffix in PICKLE_SUFFIXES or _is_pickle(head) or _zip_holds_pickle(path, head):
        return "pickle", "a pickle, which may run code when it is read. Remove it or write its content as Parquet."
    if suffix in CODE_SUFFIXES or head.startswith(CODE_STARTS):
        return "code", "code or a page that runs code; a data set holds none. Remove it."
    return None


def _picture_fault(path: Path) -> tuple[str, str] | None:
    """Return the fault of a PNG that is cut, or that holds more than a picture."""
    with path.open("rb") as stream:
        if not stream.read(len(PNG_START)).startswith(PNG_START):
            return ("image_damaged", "no PNG. Draw it again.") if path.suffix.lower() == ".png" else None
        chunks: list[bytes] = []
        while chunks[-1:] != [b"IEND"]:
            head = stream.read(8)
            chunks.append(head[4:])
            body = int.from_bytes(head[:4], "big") + 4  # with its checksum
            if len(head) < 8 or len(stream.read(body)) < body:
                return "image_damaged", "a PNG that is cut. Draw it again."
        if set(chunks) - PICTURE_CHUNKS or stream.read(1):
            return (
                "image_metadata",
                "holds more than a picture (texts, times or other chunks), which may be personal. Save it without "
                "metadata.",
            )
    return None


def _is_pickle(head: bytes) -> bool:
    """Return whether a file starts like a pickle: by the mark of protocols 2 to 5, or by its opcodes before those."""
    if len(head) > 1 and head[0] == 0x80 and 2 <= head[1] <= 5:
        return True
    if head.startswith(DATA_STARTS):
        return False
    opcodes = 0
    try:
        for opcode, _, position in pickletools.genops(head):
            opcodes += 1
            if opcode.name == "STOP":
                return opcodes > 1 and position == len(head) - 1
    except Exception:  # pickletools raises many kinds of error on what is no pickle
        return len(head) == HEAD_BYTES and opcodes >= CUT_PICKLE_OPCODES
    return False


def _zip_holds_pickle(path: Path, head: bytes) -> bool:
    """Return whether a file is an archive with a pickle in it, as those of torch are."""
    if not head.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return any(Path(name).suffix.lower() in PICKLE_SUFFIXES for name in archive.namelist())
    except (zipfile.BadZipFile, OSError):
        return False
