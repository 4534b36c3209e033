"""Load a recogniser by its id on the Hub or its folder: Whisper, CTC, or any other speech-seq2seq model."""

from __future__ import annotations

import logging
from typing import Any

from healthdial.audio import SAMPLE_RATE
from healthdial.systems.ctc import OVERLAP_S, CtcRecognizer
from healthdial.systems.pretrained import whole_checkpoints
from healthdial.systems.recognition import DEFAULT_BATCH_SECONDS, WINDOW_S, Recognizer, Samples, is_long
from healthdial.systems.whisper import WhisperRecognizer
from hub.errors import BenchError

logger = logging.getLogger(__name__)


class PipelineRecognizer(Recognizer):
    """Any other speech-seq2seq model, through transformers' ``automatic-speech-recognition`` pipeline.

    The pipeline has no common way to name a language: these models detect or know it. They get one recording at a
    time, since padding changes what some of them hear (Moonshine normalises over the whole input). Recordings over
    30 s are cut into windows that overlap by 10 s, whose texts the pipeline joins at their longest common sequence;
    a window has at most as many tokens as the model's own settings say, or else 256.
    """

    def __init__(self, pipeline: Any, batch_seconds: float = DEFAULT_BATCH_SECONDS) -> None:
        super().__init__(batch_seconds)
        self.pipeline = pipeline
        self.model = pipeline.model

    def transcribe_batch(self, recordings: list[Samples], language: str) -> list[str]:
        """Transcribe one recording after the other; the language is not told."""
        return [self._text(samples) for samples in recordings]

    def _text(self, samples: Samples) -> str:
        windows = {"chunk_length_s": WINDOW_S, "stride_length_s": OVERLAP_S, "ignore_warning": True}
        answer = self.pipeline(
            {"raw": samples, "sampling_rate": SAMPLE_RATE},
            generate_kwargs={"num_beams": 1, "do_sample": False},
            **(windows if is_long(samples) else {}),
        )
        return str(answer["text"])


def load_recognizer(
    model: str, revision: str | None = None, batch_seconds: float = DEFAULT_BATCH_SECONDS
) -> Recognizer:
    """Load a recogniser onto this process's device, in half precision on a GPU, in evaluation mode.

    Args:
        model: Id on the Hub, or a folder.
        revision: Branch, tag or commit on the Hub.
        batch_seconds: Most seconds of speech in a batch.

    Raises:
        BenchError: There is no such model, it is not one that transcribes speech, or it lacks weights.
    """
    from transformers import (
        AutoConfig,
        AutoFeatureExtractor,
        AutoModelForCTC,
        AutoModelForSpeechSeq2Seq,
        AutoTokenizer,
    )
    from transformers.models.auto.modeling_auto import MODEL_FOR_CTC_MAPPING, MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING

    try:
        config = AutoConfig.from_pretrained(model, revision=revision)
        is_ctc = type(config) in MODEL_FOR_CTC_MAPPING
        if not is_ctc and type(config) not in MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING:
            raise BenchError(f"{model} is a {config.model_type} model; needed is a speech-seq2seq or a CTC model")
        kind = AutoModelForCTC if is_ctc else AutoModelForSpeechSeq2Seq
        with whole_checkpoints(model):
            loaded = kind.from_pretrained(model, revision=revision)
        feature_extractor = AutoFeatureExtractor.from_pretrained(model, revision=revision)
        tokenizer = AutoTokenizer.from_pretrained(model, revision=revision)
    except (OSError, ValueError, RuntimeError) as error:
        raise BenchError(f"{model} cannot be loaded ({type(error).__name__}: {_first_line(error)})") from error
    on_device(loaded)
    if is_ctc:
        return CtcRecognizer(loaded, feature_extractor, tokenizer, batch_seconds)
    if config.model_type == "whisper":
        return WhisperRecognizer(loaded, feature_extractor, tokenizer, batch_seconds)
    from transformers import pipeline

    logger.warning(f"{model}: the language of the recordings is not told to a {config.model_type} model")
    return PipelineRecognizer(
        pipeline(
            "automatic-speech-recognition",
            model=loaded,
            feature_extractor=feature_extractor,
            tokenizer=tokenizer,
            device=loaded.device,
        ),
        batch_seconds,
    )


def on_device(model: Any) -> None:
    """Move a model to this process's device, in half precision if that is a GPU; set its evaluation mode."""
    import torch
    from accelerate import PartialState

    device = PartialState().device
    model.to(device=device, dtype=torch.float16 if device.type == "cuda" else torch.float32)
    model.eval()


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0]
