"""Training of the turn classifier: it learns, twice the same, goes on after a kill, and serves as a model."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from healthdial.data import BuiltData
from healthdial.systems.encoder import needs_retrieval
from healthdial.training import CHECKPOINTS, RECORD_FILE, TrainingData, TrainingSettings, train_classifier
from hub.errors import BenchError
from hub.location import DataLocation
from tests.conformance.test_healthdial_upstream_faults_recognition import without_weights
from tests.conftest import REPOSITORY
from tests.tiny_encoder import LONGEST, save_tiny_encoder

pytest_plugins = ("tests.healthdial_text_sample",)

ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1"}
KILLED = """
import json, os, signal, sys
from pathlib import Path
from transformers import Trainer
from tests.test_healthdial_training import TrainingSettings, toy_data, train_classifier

save = Trainer._save_checkpoint
def save_and_die(*arguments):
    save(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
Trainer._save_checkpoint = save_and_die
train_classifier(toy_data(), TrainingSettings(**json.loads(sys.argv[1])), Path(sys.argv[2]))
"""
"""A training that is killed after its first checkpoint."""

ASKS = tuple(f"user: how long does number {number} last?" for number in range(12))
THANKS = tuple(f"user: thanks, goodbye {number}" for number in range(12))


def toy_data() -> TrainingData:
    """Questions and goodbyes, which differ in their letters."""
    labelled = tuple((text, text in ASKS) for pair in zip(ASKS, THANKS, strict=True) for text in pair)
    return TrainingData(("eng",), "sample", labelled[:16], labelled[16:])


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """More threads than free cores make steps of a tiny model slow."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> TrainingSettings:
    encoder = save_tiny_encoder(tmp_path_factory.mktemp("encoder"))
    return TrainingSettings(model=str(encoder), learning_rate=2e-2, batch_size=4, epochs=3)


@pytest.fixture(scope="module")
def trained(settings: TrainingSettings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    train_classifier(toy_data(), settings, folder)
    return folder


def record_of(folder: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((folder / RECORD_FILE).read_text(encoding="utf-8"))
    return record


def test_it_learns(trained: Path) -> None:
    assert record_of(trained)["result"]["validation_accuracy"] == 1.0
    assert needs_retrieval(trained, [*ASKS, *THANKS]) == [True] * 12 + [False] * 12


def test_the_defaults_are_the_papers() -> None:
    defaults = TrainingSettings()
    assert defaults.model == "FacebookAI/xlm-roberta-large"
    assert (defaults.learning_rate, defaults.weight_decay, defaults.epochs) == (2e-5, 0.01, 3)
    assert (defaults.batch_size, defaults.eval_batch_size) == (16, 32)


def test_the_folder_is_safe_and_says_how_it_was_made(trained: Path, settings: TrainingSettings) -> None:
    files = {path.name for path in trained.iterdir()}
    assert files == {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", RECORD_FILE}
    record = record_of(trained)
    assert record["settings"]["seed"] == settings.seed
    assert record["data"] | {"sha256": ""} == {
        **{"languages": ["eng"], "origin": "sample", "train": 16, "validation": 8},
        "sha256": "",
    }
    assert len(record["data"]["sha256"]) == 64
    assert record["result"]["steps"] == 12
    assert json.loads((trained / "config.json").read_text())["label2id"] == {"no_retrieval": 0, "retrieval": 1}


def test_long_texts_lose_their_beginning(trained: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(trained)
    ids = tokenizer("a" * LONGEST + ASKS[0], truncation=True)["input_ids"]
    assert len(ids) == LONGEST
    assert tokenizer.decode(ids, skip_special_tokens=True).endswith("a" + ASKS[0])


def test_an_equal_seed_gives_equal_weights(trained: Path, settings: TrainingSettings, tmp_path: Path) -> None:
    for seed, is_equal in ((settings.seed, True), (settings.seed + 1, False)):
        folder = tmp_path / str(seed)
        train_classifier(toy_data(), replace(settings, seed=seed), folder)
        weights = (folder / "model.safetensors").read_bytes()
        assert (weights == (trained / "model.safetensors").read_bytes()) is is_equal


def test_a_finished_training_is_not_repeated(trained: Path, settings: TrainingSettings) -> None:
    before = (trained / "model.safetensors").stat().st_mtime_ns
    assert train_classifier(toy_data(), settings, trained) == record_of(trained)
    assert (trained / "model.safetensors").stat().st_mtime_ns == before


def test_another_training_is_not_overwritten(trained: Path, settings: TrainingSettings) -> None:
    with pytest.raises(BenchError, match="holds a training with other settings; choose another --out"):
        train_classifier(toy_data(), replace(settings, epochs=2), trained)
    with pytest.raises(BenchError, match="other data"):
        train_classifier(replace(toy_data(), origin="release@1"), settings, trained)


def test_no_such_encoder(settings: TrainingSettings, tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="no encoder that can be loaded"):
        train_classifier(toy_data(), replace(settings, model=str(tmp_path)), tmp_path / "out")


def test_an_encoder_with_random_layers_is_not_trained(settings: TrainingSettings, tmp_path: Path) -> None:
    """The output layer is new anyway; a layer of the encoder that the checkpoint lacks is a damaged checkpoint."""
    folder = without_weights(save_tiny_encoder(tmp_path / "encoder"), "encoder.layer.0.output.dense")
    with pytest.raises(BenchError, match="2 weights are not in the checkpoint and would be random"):
        train_classifier(toy_data(), replace(settings, model=str(folder)), tmp_path / "out")


def test_a_killed_training_goes_on(trained: Path, settings: TrainingSettings, tmp_path: Path) -> None:
    """Its weights are those of a training that was never killed."""
    out = tmp_path / "out"
    arguments = [json.dumps(asdict(settings)), str(out)]
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, *arguments], cwd=REPOSITORY, env=ONE_THREAD, capture_output=True
    )
    assert killed.returncode == -signal.SIGKILL
    assert record_of(out)["result"] is None
    assert [path.name for path in (out / CHECKPOINTS).iterdir()] == ["checkpoint-4"]
    # As if the kill had come while the next one was written.
    half = out / CHECKPOINTS / "checkpoint-999"
    half.mkdir()
    shutil.copy(out / CHECKPOINTS / "checkpoint-4" / "model.safetensors", half)
    record = train_classifier(toy_data(), settings, out)
    assert record["result"]["steps"] == 12
    assert not (out / CHECKPOINTS).exists()
    assert (out / "model.safetensors").read_bytes() == (trained / "model.safetensors").read_bytes()


def test_the_sample_through_the_command_in_two_processes(
    built_texts: Path, settings: TrainingSettings, tmp_path: Path
) -> None:
    command = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "--no-python", sys.executable]
    command += ["-c", "from healthdial.cli import main; main()"]
    command += ["train-classifier", "--data", str(built_texts), "--model", settings.model, "--out", "out"]
    command += ["--languages", "en,spa", "--epochs", "2", "--batch-size", "4"]
    environment = {**ONE_THREAD, "PYTHONPATH": str(REPOSITORY), "ACCELERATE_USE_CPU": "true"}
    subprocess.run([sys.executable, *command], cwd=tmp_path, env=environment, check=True, capture_output=True)
    data = BuiltData(DataLocation(str(built_texts)))
    for language in ("eng", "spa"):
        record = record_of(tmp_path / "out" / language)
        assert record["data"] == TrainingData.read(data, [language]).description()
        assert (record["result"]["processes"], record["result"]["steps"]) == (2, 4)
        # ln 2 for a classifier that knows nothing: the loss is not multiplied by the number of processes.
        assert 0.5 < record["result"]["training_loss"] < 0.9


def test_a_batch_is_divided_evenly(
    monkeypatch: pytest.MonkeyPatch, settings: TrainingSettings, tmp_path: Path
) -> None:
    monkeypatch.setenv("LOCAL_RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(BenchError, match="a batch of 4 cannot be divided among 3 devices"):
        train_classifier(toy_data(), settings, tmp_path / "out")
