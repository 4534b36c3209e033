"""CTC models in transformers as recognisers: greedy, in overlapping windows, without the frames of the padding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from healthdial.audio import SAMPLE_RATE
from healthdial.systems.recognition import DEFAULT_BATCH_SECONDS, WINDOW_S, Recognizer, Samples

OVERLAP_S = 5.0
"""Heard on each side of a window and then left to the window beside it: a sixth, as transformers' pipeline has it."""


@dataclass(frozen=True)
class Window:
    """A piece of a recording.

    Attributes:
        samples: What the model hears.
        before: Samples at its start that the window before answers for.
        after: Samples at its end that the window after answers for.
    """

    samples: Samples
    before: int
    after: int


def windows_of(samples: Samples) -> Iterator[Window]:
    """Yield windows of at most 30 s that overlap by 10 s, 5 s of which each of the two answers for."""
    length, overlap = int(WINDOW_S * SAMPLE_RATE), int(OVERLAP_S * SAMPLE_RATE)
    start = 0
    while True:
        is_last = start + length >= len(samples)
        yield Window(samples[start : start + length], overlap if start else 0, 0 if is_last else overlap)
        if is_last:
            return
        start += length - 2 * overlap


class CtcRecognizer(Recognizer):
    """Any CTC model, such as wav2vec 2.0.

    These models have no language to set: which they know was settled in training. The pipeline of transformers reads
    text from the padding of a batch; here the frames of the padding are cut off. Models that were trained without an
    attention mask (wav2vec 2.0 with group norm, by their feature extractor) or don't tell how many frames they make
    of a recording get one recording at a time, since padding would change what they hear.
    """

    def __init__(
        self, model: Any, feature_extractor: Any, tokenizer: Any, batch_seconds: float = DEFAULT_BATCH_SECONDS
    ) -> None:
        super().__init__(batch_seconds)
        self.model, self.feature_extractor, self.tokenizer = model, feature_extractor, tokenizer

    @property
    def can_pad(self) -> bool:
        """Whether a recording gets the same answer in a batch as alone."""
        has_lengths = hasattr(self.model, "_get_feat_extract_output_lengths")
        return has_lengths and bool(getattr(self.feature_extractor, "return_attention_mask", False))

    def transcribe_batch(self, recordings: list[Samples], language: str) -> list[str]:
        """Transcribe recordings; the language is not told."""
        windows = [list(windows_of(samples)) for samples in recordings]
        flat = [window for group in windows for window in group]
        groups = [flat] if self.can_pad else [[window] for window in flat]
        tokens = iter([one for group in groups for one in self._tokens(group)])
        joined = [list(chain.from_iterable(next(tokens) for _ in group)) for group in windows]
        # As transformers' pipeline decodes: the blank is a special token, and has to part two equal letters.
        return [self.tokenizer.decode(one, skip_special_tokens=False) for one in joined]

    def _tokens(self, windows: list[Window]) -> list[list[int]]:
        """Return the likeliest token of every frame that a window answers for."""
        import torch

        inputs = self.feature_extractor(
            [window.samples for window in windows],
            sampling_rate=SAMPLE_RATE,
            padding=True,
            return_tensors="pt",
            **({"return_attention_mask": True} if self.can_pad else {}),
        ).to(self.model.device)
        name = self.model.main_input_name
        inputs[name] = inputs[name].to(self.model.dtype)
        with torch.inference_mode():
            likeliest = self.model(**inputs).logits.argmax(dim=-1).cpu()
        frames = [likeliest.shape[1]] * len(windows)
        if self.can_pad:
            lengths = inputs["attention_mask"].sum(-1)
            frames = self.model._get_feat_extract_output_lengths(lengths).clamp(min=0).tolist()
        return [
            row[_frame(window.before, window, count) : count - _frame(window.after, window, count)].tolist()
            for row, window, count in zip(likeliest, windows, frames, strict=True)
        ]


def _frame(samples: int, window: Window, frames: int) -> int:
    return round(samples / len(window.samples) * frames)
