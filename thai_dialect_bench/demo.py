"""Choose and build the data of `make demo`: a release given, else the authors' repository, else the sample."""

from __future__ import annotations

from pathlib import Path

from thai_dialect_bench.build import BuiltDataset, build, build_sample
from thai_dialect_bench.errors import UnreachableError
from thai_dialect_bench.release import read_release
from thai_dialect_bench.schema import PACKAGE_FOLDER, SAMPLE_ORIGIN
from thai_dialect_bench.source import REPOSITORY, archive_url, open_source

REACH_SECONDS = 5.0


def build_for_demo(release: str | None, out: Path) -> BuiltDataset:
    """Build the data set into the package's folder, so that ``load_dataset("thai_dialect_bench", ...)`` works.

    Args:
        release: A release to build from. Faults in it, or in what was fetched, are errors, never a reason to take the
            sample.
        out: Where the sample is built if the package's folder already holds a real build, which it never replaces.
    """
    if release:
        with open_source(release) as folder:
            return build(read_release(folder), PACKAGE_FOLDER)
    try:
        with open_source(archive_url(), timeout=REACH_SECONDS) as folder:
            return build(read_release(folder), PACKAGE_FOLDER)
    except UnreachableError as error:
        print(
            f"The authors' repository {REPOSITORY} cannot be had ({error}). Using the bundled SAMPLE: it shows that "
            "the chain works, its scores are comparable with nothing."
        )
    return build_sample(out / "thai_dialect_bench" if _holds_real_build(PACKAGE_FOLDER) else PACKAGE_FOLDER)


def _holds_real_build(folder: Path) -> bool:
    """Return whether a folder holds a build of anything but the sample."""
    card = folder / "README.md"
    return card.is_file() and f"Origin of these rows: `{SAMPLE_ORIGIN}`" not in card.read_text(encoding="utf-8")
