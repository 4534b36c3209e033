"""A release on a Hub stand-in on loopback, as a fixture; a plugin of the test modules that name it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_hub import FakeHub, fake_hub
from tests.fake_hub_fixtures import point_client_at
from tests.healthdial_downloads import CHUNK, EXTRA, RELEASE, REPO_ID, TOKEN, content


@pytest.fixture
def hub_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A whole release of 29 tiny files and some that are none of it, with a cache of its own; nobody is logged in."""
    from huggingface_hub import constants

    with fake_hub(tmp_path / "hub") as hub:
        hub.add_account(TOKEN, "reader", role="read")
        hub.add_repository(REPO_ID, {name: content(name) for name in RELEASE | EXTRA}, tags=["v1"])
        point_client_at(hub, monkeypatch)
        monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", CHUNK)
        yield hub
