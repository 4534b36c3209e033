"""Vectors of texts, kept on disk by everything that makes them what they are."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub.errors import BenchError
from hub.files import write_atomically
from hub.fingerprint import fingerprint

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

CACHE_VARIABLE = "HEALTHDIAL_CACHE"
_LAYOUT = 1
"""Raised whenever vectors of the same key would be others."""


def default_folder() -> Path:
    """Return where vectors are kept: ``HEALTHDIAL_CACHE``, else ``healthdial`` in the user's cache folder."""
    if own := os.environ.get(CACHE_VARIABLE):
        return Path(own).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "healthdial"


@dataclass(frozen=True)
class VectorCache:
    """A folder of vectors.

    Attributes:
        folder: Where they are; made when needed, may be deleted at any time.
    """

    folder: Path = field(default_factory=default_folder)

    def vectors(
        self,
        key: Mapping[str, Any],
        texts: Sequence[str],
        encode: Callable[[Sequence[str]], NDArray[np.float32]],
    ) -> NDArray[np.float32]:
        """Return the vectors of texts, computed if they aren't there.

        The file is named by the SHA-256 of the key and of every text in order. Of several processes that want the same
        vectors, one computes them and the others wait.

        Args:
            key: What decides on the vectors besides the texts: weights, prefix, lengths.
            texts: Texts.
            encode: Texts -> vectors, shape (texts, dimensions).

        Raises:
            BenchError: The folder cannot be written.
        """
        from filelock import FileLock

        name = fingerprint({"layout": _LAYOUT, "key": dict(key), "texts": list(texts)})
        file = self.folder / "vectors" / f"{name}.npy"
        lock = FileLock(file.with_suffix(".lock"))
        with self._named_errors():
            file.parent.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        try:
            vectors = _read(file, len(texts))
            if vectors is None:
                vectors = encode(texts)
                with self._named_errors():
                    write_atomically(file, _as_npy(vectors))
        finally:
            lock.release()
        return vectors

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise BenchError(
                f"{self.folder}: vectors cannot be kept there ({error.strerror or type(error).__name__}). "
                f"Free space, or name another folder in {CACHE_VARIABLE}."
            ) from error


def module_fingerprint(module: torch.nn.Module, tokenizer: Any) -> str:
    """Return the SHA-256 of a loaded model: weights, structure and tokenizer.

    Args:
        module: The model; its text form names layers and pooling, not the longest text.
        tokenizer: The tokenizer of ``transformers`` or ``tokenizers`` that feeds it.
    """
    import torch

    digest = hashlib.sha256(str(module).encode())
    for name, tensor in sorted(module.state_dict().items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    described = backend.to_str() if hasattr(backend, "to_str") else repr(sorted(tokenizer.get_vocab().items()))
    digest.update(described.encode())
    return digest.hexdigest()


def _read(file: Path, rows: int) -> NDArray[np.float32] | None:
    """Return saved vectors; None where there are none or the file is damaged."""
    import numpy as np

    try:
        vectors: NDArray[np.float32] = np.load(file, allow_pickle=False)
    except (FileNotFoundError, ValueError, EOFError):
        return None
    return vectors if vectors.shape[:1] == (rows,) and vectors.ndim == 2 else None


def _as_npy(vectors: NDArray[np.float32]) -> bytes:
    import numpy as np

    stream = io.BytesIO()
    np.save(stream, vectors, allow_pickle=False)
    return stream.getvalue()
