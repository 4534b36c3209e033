"""A stand-in Hub that the clients of this process talk to, as a fixture; a plugin of the test modules that name it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_hub import FakeHub, fake_hub


def point_client_at(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``huggingface_hub``, which read the environment when it was imported, use a stand-in and caches of its own.

    Its retries do not wait. No token is set.
    """
    from huggingface_hub import constants, hf_api

    template = "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "ENDPOINT", hub.address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", hub.address + template)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(hub.folder / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    # Else the first request of a process may be one about the program that runs it.
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_TELEMETRY", True)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(hub.folder / "no_token"))
    monkeypatch.setattr(hf_api.api, "endpoint", hub.address)
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda _: None)
    monkeypatch.delenv("HF_TOKEN", raising=False)


def point_datasets_at(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``datasets`` use a stand-in, as above."""
    from datasets import config

    monkeypatch.setattr(config, "HF_ENDPOINT", hub.address)
    monkeypatch.setattr(config, "HUB_DATASETS_URL", hub.address + "/datasets/{repo_id}/resolve/{revision}/{path}")
    for name in ("HF_DATASETS_CACHE", "HF_MODULES_CACHE", "DOWNLOADED_DATASETS_PATH", "EXTRACTED_DATASETS_PATH"):
        monkeypatch.setattr(config, name, hub.folder / "datasets" / name.lower())


@pytest.fixture
def local_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """An empty Hub; the clients are logged in to it with a token that may write."""
    with fake_hub(tmp_path / "hub") as hub:
        point_client_at(hub, monkeypatch)
        point_datasets_at(hub, monkeypatch)
        monkeypatch.setenv("HF_TOKEN", hub.token)
        yield hub
