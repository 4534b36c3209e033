"""Fixtures of the speech systems: the sample built, tiny models saved, recordings; a plugin of the test modules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from healthdial.audio import AUDIO_STATUSES, SAMPLE_RATE
from healthdial.build import build_sample
from healthdial.data import BuiltData, decoded
from healthdial.schema import DATA_VARIABLE
from hub.location import DataLocation
from tests.test_tasks_processes import Place
from tests.tiny_speech_models import save_tiny_ctc, save_tiny_moonshine, save_tiny_vits, save_tiny_whisper


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Where runs happen, with the sample built and every tiny model saved."""
    folder = tmp_path_factory.mktemp("speech")
    build_sample(folder / "data")
    save_tiny_whisper(folder / "whisper")
    save_tiny_whisper(folder / "english_whisper", is_multilingual=False)
    save_tiny_ctc(folder / "ctc")
    save_tiny_ctc(folder / "ctc_without_mask", norm="group")
    save_tiny_moonshine(folder / "moonshine")
    save_tiny_vits(folder / "vits")
    return Place(folder, {DATA_VARIABLE: str(folder / "data"), "HF_HUB_OFFLINE": "1"})


@pytest.fixture
def data(place: Place, monkeypatch: pytest.MonkeyPatch) -> BuiltData:
    monkeypatch.setenv(DATA_VARIABLE, str(place.folder / "data"))
    monkeypatch.chdir(place.folder)
    return BuiltData(DataLocation(str(place.folder / "data")))


@pytest.fixture(scope="session")
def recordings(place: Place) -> list[np.ndarray]:
    """Recordings of 3 to 5 s in the order of the data set."""
    built = BuiltData(DataLocation(str(place.folder / "data")))
    ids = [row["utterance_id"] for row in built.rows("user_turns_eng", "test")]
    return [decoded(content) for _, content in built.recordings("user_turns_eng", "test", ids)]


@pytest.fixture(scope="session")
def long_recording(recordings: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(recordings)[: 40 * SAMPLE_RATE]


@pytest.fixture
def one_without_recording(data: BuiltData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[BuiltData, str]:
    """The built sample, its first English turn without a recording; and the id of that turn."""
    source = Path(data.location.path)
    (tmp_path / "data").mkdir()
    for item in source.iterdir():
        if item.name != "data":
            (tmp_path / item.name).symlink_to(item)
    for item in (source / "data").iterdir():
        if item.name != "user_turns_eng":
            (tmp_path / "data" / item.name).symlink_to(item)
    (tmp_path / "data" / "user_turns_eng").mkdir()
    for file in (source / "data" / "user_turns_eng").iterdir():
        table = pq.read_table(file)
        missing = {"audio": None, "duration_s": None, "audio_status": AUDIO_STATUSES.index("missing")}
        for name, value in missing.items():
            column = table.schema.get_field_index(name)
            values = [value, *table[name].to_pylist()[1:]]
            table = table.set_column(
                column, table.schema.field(column), pa.array(values, table.schema.field(column).type)
            )
        pq.write_table(table, tmp_path / "data" / "user_turns_eng" / file.name)
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    built = BuiltData(DataLocation(str(tmp_path)))
    return built, built.rows("user_turns_eng", "test")[0]["utterance_id"]
