"""A dual encoder of transformers for sound and text (CLAP), without chance: fixed windows, weights as saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from healthdial.systems.pretrained import whole_checkpoints
from healthdial.systems.vector_cache import module_fingerprint
from hub.errors import BenchError

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

WINDOWS_PER_BATCH = 8
TEXTS_PER_BATCH = 32


@dataclass(frozen=True)
class AudioTextEncoder:
    """A model with its processor; vectors have length 1.

    Attributes:
        model: A model with ``get_audio_features`` and ``get_text_features``, in evaluation mode, in single precision.
        processor: Its processor, with ``tokenizer`` and ``feature_extractor``.
    """

    model: Any
    processor: Any

    @classmethod
    def load(cls, model: str, revision: str | None = None) -> AudioTextEncoder:
        """Load a model onto this process's device.

        Args:
            model: Folder or Hub id.
            revision: Branch, tag or commit on the Hub.

        Raises:
            BenchError: It can't be loaded, has no encoder for audio or text, or lacks weights.
        """
        from accelerate import PartialState
        from transformers import AutoModel, AutoProcessor

        try:
            processor = AutoProcessor.from_pretrained(model, revision=revision)
            with whole_checkpoints(model):
                loaded = AutoModel.from_pretrained(model, revision=revision)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise BenchError(f"{model}: transformers can't load it ({str(error).splitlines()[0]})") from error
        if not hasattr(loaded, "get_audio_features") or not hasattr(loaded, "get_text_features"):
            raise BenchError(
                f"{model}: {type(loaded).__name__} does not encode both audio and text; take a CLAP model, "
                "such as laion/clap-htsat-unfused"
            )
        return cls(loaded.float().eval().to(PartialState().device), processor)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of weights, structure and tokenizer."""
        return module_fingerprint(self.model, self.processor.tokenizer)

    @property
    def sample_rate(self) -> int:
        """Hz of the waveforms that the model takes."""
        return int(self.processor.feature_extractor.sampling_rate)

    @property
    def window(self) -> int:
        """Samples that the model takes at once: 10 s for CLAP."""
        return int(self.processor.feature_extractor.nb_max_samples)

    @property
    def longest_text(self) -> int:
        """Tokens that the model takes at once."""
        config = self.model.config.text_config
        # RoBERTa's positions start behind the padding token's.
        positions = config.max_position_embeddings - config.pad_token_id - 1
        return int(min(self.processor.tokenizer.model_max_length, positions))

    def texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, shape (texts, dimensions); what is too long loses its end."""
        import numpy as np

        order = sorted(range(len(texts)), key=lambda index: (len(texts[index]), index))
        vectors = []
        for start in range(0, len(order), TEXTS_PER_BATCH):
            inputs = self.processor.tokenizer(
                [texts[index] for index in order[start : start + TEXTS_PER_BATCH]],
                padding=True,
                truncation=True,
                max_length=self.longest_text,
                return_tensors="pt",
            )
            vectors.append(
                self._vectors(
                    self.model.get_text_features,
                    input_ids=inputs["input_ids"],
                    attention_mask=inputs["attention_mask"],
                )
            )
        by_length = np.concatenate(vectors)
        result = np.empty_like(by_length)
        result[order] = by_length
        return result

    def windows(self, waveforms: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Return the vectors of waveforms, shape (waveforms, dimensions).

        Args:
            waveforms: At most ``window`` samples each, at least 1, at ``sample_rate``; shorter ones are padded or
                repeated as the model's processor does with short sounds.
        """
        import numpy as np
        import torch

        vectors = []
        for start in range(0, len(waveforms), WINDOWS_PER_BATCH):
            inputs = self.processor.feature_extractor(
                list(waveforms[start : start + WINDOWS_PER_BATCH]), sampling_rate=self.sample_rate, return_tensors="pt"
            )
            if "is_longer" in inputs:
                # No window is longer. CLAP's processor says so of one that it draws by chance.
                inputs["is_longer"] = torch.zeros_like(torch.as_tensor(inputs["is_longer"]))
            vectors.append(self._vectors(self.model.get_audio_features, **inputs))
        return np.concatenate(vectors)

    def _vectors(self, encode: Any, **inputs: torch.Tensor) -> NDArray[np.float32]:
        import torch

        device = self.model.device
        with torch.inference_mode():
            output = encode(
                **{
                    name: tensor.to(device, torch.float32 if tensor.is_floating_point() else tensor.dtype)
                    for name, tensor in inputs.items()
                }
            )
            # A tensor before transformers 5.
            features = getattr(output, "pooler_output", output)
            vectors: NDArray[np.float32] = torch.nn.functional.normalize(features, dim=-1).cpu().numpy()
        return vectors


def windows_of(end: int, window: int) -> list[tuple[int, int]]:
    """Return the (start, end) of the windows that cover a waveform's first ``end`` samples.

    Whole windows follow each other from the start; what is left is covered by one that ends with the waveform and
    overlaps its predecessor. So no window is short unless the waveform is, the current question is heard whole if it
    fits, and queries that start alike share windows.

    Args:
        end: Samples, at least 0.
        window: Samples of a window, at least 1.
    """
    windows = [(start, start + window) for start in range(0, end - window + 1, window)]
    if end % window:
        windows.append((max(0, end - window), end))
    return windows
