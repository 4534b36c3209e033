"""Checkpoints that lack weights are refused, unless nothing uses what they lack."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from transformers import AutoModelForSequenceClassification, PreTrainedModel, Wav2Vec2ForCTC, XLMRobertaModel

from healthdial.systems.encoder import needs_retrieval
from healthdial.systems.pretrained import whole_checkpoints
from healthdial.systems.recognizers import load_recognizer
from healthdial.systems.sentence_encoder import SentenceEncoder
from hub.errors import BenchError
from tests.conformance.test_healthdial_upstream_faults_recognition import without_weights
from tests.tiny_encoder import save_tiny_encoder
from tests.tiny_speech_models import save_tiny_ctc, save_tiny_whisper


def test_a_classifier_without_its_output_layer_is_refused(tmp_path: Path) -> None:
    labels = {"id2label": {0: "no_retrieval", 1: "retrieval"}, "label2id": {"no_retrieval": 0, "retrieval": 1}}
    save_tiny_encoder(tmp_path)
    AutoModelForSequenceClassification.from_pretrained(tmp_path, **labels).save_pretrained(tmp_path)
    assert len(needs_retrieval(tmp_path, ["How long does fever last?"])) == 1
    without_weights(tmp_path, "classifier.out_proj")
    with pytest.raises(BenchError, match=r"2 weights are not in the checkpoint .*: classifier.out_proj.bias, "):
        needs_retrieval(tmp_path, ["How long does fever last?"])


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    save_tiny_ctc(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"vocab_size": 7}))
    with pytest.raises(BenchError, match=f"{tmp_path} cannot be loaded"):
        load_recognizer(str(tmp_path))
    with pytest.raises(BenchError, match="tiny: 2 weights are not in the checkpoint"), whole_checkpoints("tiny"):
        Wav2Vec2ForCTC.from_pretrained(tmp_path, ignore_mismatched_sizes=True)


def test_what_only_training_uses_may_be_absent(tmp_path: Path) -> None:
    """As it is of facebook/wav2vec2-base-960h."""
    save_tiny_ctc(tmp_path / "whole")
    save_tiny_ctc(tmp_path / "cut")
    without_weights(tmp_path / "cut", "masked_spec_embed")
    sound = [np.sin(np.arange(16_000, dtype=np.float32) / 9)]
    texts = [load_recognizer(str(tmp_path / name)).transcribe(sound, "eng") for name in ("whole", "cut")]
    assert texts[0] == texts[1] != [""]


def test_a_text_encoder_may_lack_a_pooler(tmp_path: Path) -> None:
    """As masked language models do; vectors are means of all positions."""
    pytest.importorskip("sentence_transformers")
    save_tiny_encoder(tmp_path / "whole")
    save_tiny_encoder(tmp_path / "cut")
    without_weights(tmp_path / "cut", "pooler.")
    whole, cut = (SentenceEncoder.load(str(tmp_path / name)).documents(["Fever"]) for name in ("whole", "cut"))
    assert np.array_equal(whole, cut)


def test_a_model_that_encodes_no_text_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    save_tiny_whisper(tmp_path)
    with pytest.raises(BenchError, match="does not encode text; take a text encoder"):
        SentenceEncoder.load(str(tmp_path))


def test_loading_is_as_before_afterwards(tmp_path: Path) -> None:
    save_tiny_encoder(tmp_path)
    before = PreTrainedModel.__dict__["from_pretrained"]
    with whole_checkpoints("tiny"):
        model, report = XLMRobertaModel.from_pretrained(tmp_path, output_loading_info=True)
        assert isinstance(XLMRobertaModel.from_pretrained(tmp_path), XLMRobertaModel)
    assert isinstance(model, XLMRobertaModel)
    assert not report["missing_keys"]
    with pytest.raises(OSError, match="nowhere"), whole_checkpoints("tiny"):
        XLMRobertaModel.from_pretrained(tmp_path / "nowhere")
    assert PreTrainedModel.__dict__["from_pretrained"] is before
