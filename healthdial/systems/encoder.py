"""A fine-tuned encoder as a lighteval model: says which turns need retrieval."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.languages import LANGUAGES
from healthdial.schema import RETRIEVAL_LABELS
from healthdial.systems.model_state import files_state
from healthdial.systems.model_string import ModelString
from healthdial.systems.pretrained import whole_checkpoints
from hub.errors import BenchError
from metrics import lighteval_models as base

BATCH_SIZE = 32
"""As in the authors' scripts."""


class EncoderModel(base.AnsweringModel):
    """A classifier that ``healthdial train-classifier`` made, or any with the labels no_retrieval and retrieval.

    The model string is ``NAME=FOLDER``: NAME stands in the results, FOLDER holds a model, or one for each language
    in a folder of its code. Run it with ``python -m tasks custom xlm-roberta-large=out/classifier
    healthdial/systems/encoder.py "healthdial_turn_classification|0"``.

    Raises:
        BenchError: The model string has no folder, or there is no such model.
    """

    is_sharded = True
    components = ("healthdial_turn_classification",)

    def __init__(self, config: ModelConfig) -> None:
        asked = ModelString.parse(config.model_name, ())
        self._folder = Path(asked.model).expanduser()
        super().__init__(config.model_copy(update={"model_name": asked.name}))

    @property
    def answers_fingerprint(self) -> str:
        """The state of the classifiers."""
        return files_state((self._folder, *(self._folder / language for language in LANGUAGES)))

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return `` yes`` or `` no`` for every turn."""
        answers = [""] * len(docs)
        positions: dict[Path, list[int]] = defaultdict(list)
        for position, doc in enumerate(docs):
            positions[self._folder_of(base.specific(doc)["language"])].append(position)
        for folder, own in positions.items():
            texts = [base.specific(docs[position])["text"] for position in own]
            for position, needed in zip(own, needs_retrieval(folder, texts), strict=True):
                answers[position] = " yes" if needed else " no"
        return answers

    def _folder_of(self, language: str) -> Path:
        for folder in (self._folder / language, self._folder):
            if (folder / "config.json").is_file():
                return folder
        raise BenchError(
            f"encoder: no model in {self._folder} nor for {language} in it; "
            "make one with `healthdial train-classifier --out ...`"
        )


def needs_retrieval(folder: Path, texts: list[str]) -> list[bool]:
    """Return for every text whether a classifier takes it for a turn that needs retrieval.

    Texts longer than the model takes lose what the tokenizer's own side of truncation says.

    Args:
        folder: A sequence classifier of transformers with its tokenizer.
        texts: Windows as in the column ``text``.

    Raises:
        BenchError: The classifier does not have the two labels, or lacks weights.
    """
    import torch
    from accelerate import PartialState

    device = PartialState().device
    tokenizer, model = _loaded(folder)
    positive = _positive_label(folder, model.config)
    model.to(device).eval()
    needed: list[bool] = []
    for start in range(0, len(texts), BATCH_SIZE):
        batch = tokenizer(texts[start : start + BATCH_SIZE], truncation=True, padding=True, return_tensors="pt")
        with torch.inference_mode():
            logits = model(**batch.to(device)).logits
        needed += (logits.argmax(dim=-1) == positive).tolist()
    return needed


def _loaded(folder: Path) -> tuple[Any, Any]:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    with whole_checkpoints(str(folder)):
        return tokenizer, AutoModelForSequenceClassification.from_pretrained(folder, use_safetensors=True)


def _positive_label(folder: Path, config: Any) -> int:
    if set(config.label2id) != set(RETRIEVAL_LABELS):
        raise BenchError(
            f"{folder}: its labels are {', '.join(map(str, config.label2id))}, they must be "
            f"{' and '.join(RETRIEVAL_LABELS)}; make one with `healthdial train-classifier`"
        )
    return int(config.label2id[RETRIEVAL_LABELS[1]])
