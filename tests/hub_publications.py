"""Made-up data sets to publish on the stand-in Hub, and the steps of a push, for the tests of `hub.publish`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hub.publish import Published, publish
from hub.publish_plan import Plan, Publication, plan
from tests.fake_hub import ORGANIZATION

REPO_ID = f"{ORGANIZATION}/some.data_set"
OWNED = (r"README\.md", r"LICENSE\.md", r"data/.+\.parquet", r"plots/.+\.png", r"splits\.json")
CARD = "---\nlicense: mit\n---\n# Made up\n"
FILES: dict[str, bytes] = {
    "README.md": CARD.encode(),
    "splits.json": b'{"test": ["a"]}',
    "data/one/test-aaaa.parquet": b"PAR1 one" * 1000,
    "data/two/test-bbbb.parquet": b"PAR1 two" * 2000,
    "plots/lengths.png": b"\x89PNG made up",
}


def write_files(folder: Path, files: Mapping[str, bytes]) -> dict[str, Path]:
    """Write files and return them by their path in the repository."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return {name: folder / name for name in files}


def made_publication(folder: Path, files: Mapping[str, bytes] = FILES, **changes: Any) -> Publication:
    """Write files and return what publishes them."""
    given: dict[str, Any] = {"repo_id": REPO_ID, "owned": OWNED, "tag": "v1.0.0", "message": "Version 1"}
    return Publication(files=write_files(folder, files), **{**given, **changes})


def make_plan(publication: Publication) -> Plan:
    from huggingface_hub import HfApi

    return plan(publication, HfApi())


def push(publication: Publication) -> Published:
    from huggingface_hub import HfApi

    api = HfApi()
    return publish(plan(publication, api), api)
