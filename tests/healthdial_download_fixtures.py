"""A release on a Hub stand-in on loopback, as a fixture; a plugin of the test modules that name it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.healthdial_downloads import CHUNK, EXTRA, RELEASE, REPO_ID, content
from tests.hub_stand_in import HubStandIn, hub_stand_in


@pytest.fixture
def hub_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubStandIn]:
    """A whole release of 29 tiny files and some that are none of it, with a cache of its own."""
    from huggingface_hub import constants

    with hub_stand_in(REPO_ID, {name: content(name) for name in RELEASE | EXTRA}) as stand_in:
        template = "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "ENDPOINT", stand_in.address)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", stand_in.address + template)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no_token"))
        monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", CHUNK)
        monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda _: None)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        yield stand_in
