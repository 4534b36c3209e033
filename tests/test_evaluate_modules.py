"""The Hugging Face evaluate modules load from the repository without a network and agree with the metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import evaluate
import pytest

from metrics.thai_text import Bleu, NewmmTokenizer, RougeL, bootstrap_median, corpus_score, corpus_statistics
from tests.conftest import REPOSITORY

HYPOTHESES = ["ผมชอบกินข้าวเหนียวกับส้มตำ", "วันนี้ฝนตก แต่ผมลืมเอาร่มมา"]
REFERENCES = ["ผมชอบกินข้าวเหนียวกับไก่ย่าง", "วันนี้ฝนตกหนัก แต่ผมเอาร่มมา"]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("evaluate")


@pytest.fixture
def load(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(REPOSITORY)
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", str(cache / "modules"))
    return lambda name: evaluate.load(f"metrics/evaluate_modules/{name}", cache_dir=str(cache / "data"))


def test_thai_bleu(load: Any) -> None:
    result = load("thai_bleu").compute(predictions=HYPOTHESES, references=[[text] for text in REFERENCES])
    expected = corpus_score(Bleu(), HYPOTHESES, REFERENCES)
    score = Bleu().score(expected.sums)
    assert result == {
        "thai_bleu": expected.value,
        "precisions": list(score.precisions),
        "brevity_penalty": score.brevity_penalty,
        "hypothesis_length": score.hypothesis_length,
        "reference_length": score.reference_length,
        "items": 2,
        "signature": str(expected.signature),
    }
    assert 0 < result["thai_bleu"] < 100


def test_thai_rouge(load: Any) -> None:
    result = load("thai_rouge").compute(predictions=HYPOTHESES, references=REFERENCES, bootstrap_seed=1)
    expected = corpus_score(RougeL(), HYPOTHESES, REFERENCES)
    item_scores = corpus_statistics(RougeL(), HYPOTHESES, REFERENCES)[:, 0]
    assert result == {
        "thai_rouge_l": expected.value,
        "thai_rouge_l_bootstrap_median": bootstrap_median(item_scores, seed=1),
        "items": 2,
        "signature": str(expected.signature),
    }
    assert 0 < result["thai_rouge_l"] < 100


@pytest.mark.parametrize(("name", "key"), [("thai_bleu", "thai_bleu"), ("thai_rouge", "thai_rouge_l")])
def test_options_reach_the_tokenizer(load: Any, name: str, key: str) -> None:
    texts = {"predictions": ["สีดํานํ้าเเล้วไปกินข้าว"], "references": ["สีดำน้ำแล้วไปกินข้าว"]}
    module = load(name)
    assert module.compute(**texts)[key] < 90
    result = module.compute(**texts, normalization="nfc_sara_am", keep_whitespace=False)
    assert result[key] == pytest.approx(100)
    tokenizer = NewmmTokenizer(keep_whitespace=False, normalization="nfc_sara_am")
    assert "|".join(f"{field}:{value}" for field, value in tokenizer.signature_fields().items()) in result["signature"]


def test_several_references(load: Any) -> None:
    references = [[REFERENCES[0], HYPOTHESES[0]], [REFERENCES[1], HYPOTHESES[1]]]
    result = load("thai_rouge").compute(predictions=HYPOTHESES, references=references)
    assert result["thai_rouge_l"] == 100
    assert "|nrefs:2|" in result["signature"]
