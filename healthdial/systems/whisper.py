"""Whisper in transformers as a recogniser: language and task forced, long recordings by its own algorithm."""

from __future__ import annotations

from typing import Any, ClassVar

from healthdial.audio import SAMPLE_RATE
from healthdial.languages import LANGUAGES
from healthdial.systems.recognition import DEFAULT_BATCH_SECONDS, WINDOW_S, Recognizer, Samples, is_long


class WhisperRecognizer(Recognizer):
    """Any Whisper checkpoint.

    The decoder starts with the tokens of the data's language and of transcription, so that nothing is detected or
    translated. An English-only checkpoint has no such tokens and hears everything as English. Recordings up to 30 s
    are decoded without time stamps. Longer ones go through the sequential long-form algorithm of
    ``WhisperForConditionalGeneration.generate``: each window starts where the last whole segment of the one before
    ended, without its text as a prompt and without a second try at a higher temperature.
    """

    least_seconds: ClassVar[float] = WINDOW_S

    def __init__(
        self, model: Any, feature_extractor: Any, tokenizer: Any, batch_seconds: float = DEFAULT_BATCH_SECONDS
    ) -> None:
        super().__init__(batch_seconds)
        self.model, self.feature_extractor, self.tokenizer = model, feature_extractor, tokenizer

    def transcribe_batch(self, recordings: list[Samples], language: str) -> list[str]:
        """Transcribe short and long recordings apart: time stamps change what is decoded."""
        texts = [""] * len(recordings)
        for long in (False, True):
            positions = [index for index, samples in enumerate(recordings) if is_long(samples) == long]
            if not positions:
                continue
            chosen = [recordings[index] for index in positions]
            inputs = self._long_inputs(chosen) if long else self._short_inputs(chosen)
            tokens = self._generate(inputs, language, long)
            decoded = self.tokenizer.batch_decode(tokens, skip_special_tokens=True)
            for index, text in zip(positions, decoded, strict=True):
                texts[index] = text
        return texts

    def _short_inputs(self, recordings: list[Samples]) -> dict[str, Any]:
        return dict(self._features(recordings, padding="max_length"))

    def _long_inputs(self, recordings: list[Samples]) -> dict[str, Any]:
        """Return features made for each recording by itself, so that no answer depends on the rest of a batch."""
        from torch.nn.utils.rnn import pad_sequence

        single = [self._features([samples], padding="longest", truncation=False) for samples in recordings]
        features = pad_sequence([one["input_features"][0].T for one in single], batch_first=True).transpose(1, 2)
        mask = pad_sequence([one["attention_mask"][0] for one in single], batch_first=True)
        return {"input_features": features, "attention_mask": mask}

    def _features(self, recordings: list[Samples], **how: Any) -> Any:
        return self.feature_extractor(
            recordings, sampling_rate=SAMPLE_RATE, return_tensors="pt", return_attention_mask=True, **how
        )

    def _generate(self, inputs: dict[str, Any], language: str, with_timestamps: bool) -> Any:
        import torch

        settings = self.model.generation_config
        forced: dict[str, str] = {}
        if getattr(settings, "is_multilingual", hasattr(settings, "lang_to_id")):
            forced = {"language": LANGUAGES[language].hub_code, "task": "transcribe"}
        features = inputs["input_features"].to(self.model.device, self.model.dtype)
        with torch.inference_mode():
            return self.model.generate(
                input_features=features,
                attention_mask=inputs["attention_mask"].to(self.model.device),
                return_timestamps=with_timestamps,
                condition_on_prev_tokens=False,
                do_sample=False,
                num_beams=1,
                **forced,
            )
