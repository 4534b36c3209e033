"""Fine-tune an encoder that tells the turns that need retrieval, as the paper's XLM-R classifiers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from healthdial.data import BuiltData
from healthdial.schema import RETRIEVAL_LABELS
from healthdial.systems.pretrained import require_weights
from hub.errors import BenchError
from hub.files import write_atomically
from hub.fingerprint import fingerprint

if TYPE_CHECKING:
    from transformers import Trainer, TrainingArguments

RECORD_FILE = "healthdial_training.json"
"""In the folder of a trained model: its settings, its data, and what came out; without a result while it trains."""
CHECKPOINTS = "checkpoints"

Example = dict[str, Any]


@dataclass(frozen=True)
class TrainingSettings:
    """How a classifier is trained; the defaults are the paper's where it has them (arXiv 2605.30107, its scripts).

    Attributes:
        model: Encoder to start from: an id on the Hub or a folder. The paper names XLM-R large; its script loads base.
        revision: Branch, tag or commit of the encoder.
        learning_rate: Highest learning rate, which falls linearly to 0.
        batch_size: Examples of a training step, over all processes together.
        eval_batch_size: Examples of an evaluation step in each process.
        epochs: Passes over the training split; the one with the best validation accuracy is kept, the first of equals.
        weight_decay: Of AdamW.
        max_length: Longest text in tokens; longer ones lose their beginning, so that the user's last words stay.
        seed: Of the new output layer, the order of examples and dropout. The authors' script sets none.
    """

    model: str = "FacebookAI/xlm-roberta-large"
    revision: str | None = None
    learning_rate: float = 2e-5
    batch_size: int = 16
    eval_batch_size: int = 32
    epochs: int = 3
    weight_decay: float = 0.01
    max_length: int = 512
    seed: int = 42


@dataclass(frozen=True)
class TrainingData:
    """What a classifier learns from.

    Attributes:
        languages: ISO 639-3 codes.
        origin: ``sample`` or ``release@<fingerprint>``.
        train: Texts and whether each needs retrieval.
        validation: The same, to choose the best epoch by.
    """

    languages: tuple[str, ...]
    origin: str
    train: tuple[tuple[str, bool], ...]
    validation: tuple[tuple[str, bool], ...]

    @classmethod
    def read(cls, data: BuiltData, languages: Sequence[str]) -> TrainingData:
        """Read the turns of some languages from a built data set.

        Raises:
            BenchError: A language is not in the data set.
        """
        splits = [
            tuple(
                (row["text"], row["label"] == RETRIEVAL_LABELS[1])
                for language in languages
                for row in data.rows(f"turn_classification_{language}", split)
            )
            for split in ("train", "validation")
        ]
        return cls(tuple(languages), data.origin, splits[0], splits[1])

    def description(self) -> dict[str, Any]:
        """Return what a record says of the data: languages, origin, sizes and a fingerprint of texts and labels."""
        return {
            "languages": list(self.languages),
            "origin": self.origin,
            "train": len(self.train),
            "validation": len(self.validation),
            "sha256": fingerprint([list(self.train), list(self.validation)]),
        }


def train_classifier(data: TrainingData, settings: TrainingSettings, folder: Path) -> dict[str, Any]:
    """Train a classifier and save it with its tokenizer as safetensors; return its record.

    The folder can be given to ``healthdial/systems/encoder.py`` or to any program that reads transformers' models.
    A training that was stopped goes on from its last whole epoch; one that is finished is not repeated. Equal seeds
    give equal weights on one machine and number of processes. Under ``torchrun`` or ``accelerate launch`` every
    process calls this function.

    Args:
        data: What to learn from.
        settings: How.
        folder: Where the model goes; its checkpoints lie in a folder inside until it is finished.

    Returns:
        The record as in ``healthdial_training.json``: settings, data, versions, result.

    Raises:
        BenchError: The folder holds another training, the encoder cannot be loaded, or the batch size cannot be
            divided among the processes.
    """
    import torch

    started = {
        "settings": asdict(settings),
        "data": data.description(),
        "versions": {name: version(name) for name in ("torch", "transformers", "accelerate")},
    }
    earlier = _record_of(folder, started)
    if earlier.get("result"):
        return earlier
    arguments = _arguments(settings, folder / CHECKPOINTS)
    if arguments.process_index == 0:
        _write_record(folder, started | {"result": None})
        _drop_incomplete(folder / CHECKPOINTS)
    trainer = _trainer(data, settings, arguments)
    with arguments.main_process_first(desc="the record and whole checkpoints"):
        last = _last_checkpoint(folder / CHECKPOINTS)
    # The import of lighteval's own models switches gradients off.
    with torch.enable_grad():
        trained = trainer.train(resume_from_checkpoint=last)
    scores = trainer.evaluate()
    trainer.save_model(str(folder))
    result = {
        "validation_accuracy": scores["eval_accuracy"],
        "validation_loss": scores["eval_loss"],
        "training_loss": trained.training_loss,
        "best_step": trainer.state.best_global_step,
        "steps": trainer.state.global_step,
        "processes": arguments.world_size,
        "encoder_commit": getattr(getattr(trainer.model, "config", None), "_commit_hash", None),
    }
    record = started | {"result": result}
    if trainer.is_world_process_zero():
        _write_record(folder, record)
        # A pickle, which the record replaces.
        (folder / "training_args.bin").unlink()
        shutil.rmtree(folder / CHECKPOINTS)
    trainer.accelerator.wait_for_everyone()
    return record


def _arguments(settings: TrainingSettings, checkpoints: Path) -> TrainingArguments:
    import torch
    from transformers import TrainingArguments

    devices = _devices()
    if settings.batch_size % devices:
        raise BenchError(
            f"a batch of {settings.batch_size} cannot be divided among {devices} devices; choose another --batch-size "
            "or number of processes"
        )
    return TrainingArguments(
        output_dir=str(checkpoints),
        learning_rate=settings.learning_rate,
        per_device_train_batch_size=settings.batch_size // devices,
        per_device_eval_batch_size=settings.eval_batch_size,
        num_train_epochs=settings.epochs,
        weight_decay=settings.weight_decay,
        eval_strategy="epoch",
        save_strategy="epoch",
        logging_strategy="epoch",
        # The best and the last.
        save_total_limit=1,
        load_best_model_at_end=True,
        metric_for_best_model="accuracy",
        greater_is_better=True,
        seed=settings.seed,
        data_seed=settings.seed,
        # On, transformers 5.24 multiplies the mean losses of XLM-R by the number of processes.
        average_tokens_across_devices=False,
        dataloader_pin_memory=torch.cuda.is_available(),
        report_to="none",
    )


def _devices() -> int:
    """Return among how many devices a step is divided: the processes, or the GPUs of a single process."""
    import os

    import torch

    if "LOCAL_RANK" in os.environ:
        return int(os.environ.get("WORLD_SIZE", "1"))
    return max(1, torch.cuda.device_count())


def _trainer(data: TrainingData, settings: TrainingSettings, arguments: TrainingArguments) -> Trainer:
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        DataCollatorWithPadding,
        Trainer,
        set_seed,
    )

    # The output layer is new: its weights are drawn here.
    set_seed(settings.seed)
    names = dict(enumerate(RETRIEVAL_LABELS))
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            settings.model, revision=settings.revision or "main", truncation_side="left"
        )
        model, report = AutoModelForSequenceClassification.from_pretrained(
            settings.model,
            revision=settings.revision or "main",
            num_labels=len(names),
            id2label=names,
            label2id={name: number for number, name in names.items()},
            output_loading_info=True,
        )
    except (OSError, ValueError) as error:
        raise BenchError(f"{settings.model}: no encoder that can be loaded ({error})") from error
    require_weights(settings.model, (name for name in report["missing_keys"] if _is_of_encoder(name, model)))
    # Saved with the tokenizer: who uses the model cuts texts as it saw them.
    tokenizer.model_max_length = min(settings.max_length, tokenizer.model_max_length)
    return Trainer(
        model=model,
        args=arguments,
        train_dataset=_examples(tokenizer, data.train),
        eval_dataset=_examples(tokenizer, data.validation),
        data_collator=DataCollatorWithPadding(tokenizer),
        processing_class=tokenizer,
        compute_metrics=_accuracy,
    )


def _is_of_encoder(weight: str, model: Any) -> bool:
    """Return whether a weight is of the encoder, not of the output layer or the pooling before it."""
    return weight.startswith(f"{model.base_model_prefix}.") and ".pooler." not in weight


def _examples(tokenizer: Any, labelled: Sequence[tuple[str, bool]]) -> Any:
    encoded = tokenizer([text for text, _ in labelled], truncation=True)
    return [
        {name: values[position] for name, values in encoded.items()} | {"labels": int(needed)}
        for position, (_, needed) in enumerate(labelled)
    ]


def _accuracy(prediction: Any) -> dict[str, float]:
    return {"accuracy": float((prediction.predictions.argmax(axis=-1) == prediction.label_ids).mean())}


def _record_of(folder: Path, started: dict[str, Any]) -> dict[str, Any]:
    """Return the record of a folder, empty if it has none.

    Raises:
        BenchError: It is the record of another training.
    """
    file = folder / RECORD_FILE
    if not file.is_file():
        return {}
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    other = [name for name in ("settings", "data") if record.get(name) != started[name]]
    if other:
        raise BenchError(f"{folder} holds a training with other {' and '.join(other)}; choose another --out")
    return record


def _write_record(folder: Path, record: dict[str, Any]) -> None:
    text = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    write_atomically(folder / RECORD_FILE, text.encode("utf-8"))


def _drop_incomplete(checkpoints: Path) -> None:
    """Delete checkpoints that a kill left half written; their last file is ``trainer_state.json``."""
    for checkpoint in checkpoints.glob("checkpoint-*"):
        if not _is_json(checkpoint / "trainer_state.json"):
            shutil.rmtree(checkpoint)


def _is_json(file: Path) -> bool:
    try:
        json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return True


def _last_checkpoint(checkpoints: Path) -> str | None:
    from transformers.trainer_utils import get_last_checkpoint

    return get_last_checkpoint(str(checkpoints)) if checkpoints.is_dir() else None
