"""Keys of the answer cache: what a model's answer to a document depends on."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tasks.lighteval_fixes.repair import ANSWERS_VERSION

WHOLE_FILE_BYTES = 16 << 20
"""Files up to this size are hashed whole; larger ones by size, time of change and samples."""

SAMPLES = 16
SAMPLE_BYTES = 64 << 10

SECRET_FIELDS = ("api_key", "inference_server_auth", "env_vars", "proxies")
"""Fields of lighteval's model configurations that may hold a password or a token."""

_WITHOUT_EFFECT = {
    *SECRET_FIELDS,
    "cache_dir",
    "concurrent_requests",
    "parallel_calls_count",
    "verbose",
    "timeout",
    "api_max_retry",
    "api_retry_sleep",
    "api_retry_multiplier",
}
_FILE_FIELDS = ("model_name", "tokenizer", "base_model", "model_definition_file_path")
_ENGINES = {"VLLMModelConfig": "vllm", "SGLangModelConfig": "sglang"}


def digest(value: Any) -> str:
    """Return the SHA-256 (64 hex digits) of a value as JSON; what JSON does not know is written by `str`."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def without_secrets(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a model's settings with every key, token and password replaced by ``***``."""
    return {
        name: "***" if value and name in SECRET_FIELDS else _without_password(value)
        for name, value in settings.items()
    }


def document_key(doc: Any, method: str) -> str:
    """Return the key of one document: the same for the same request, whatever task it stands in.

    Args:
        doc: A lighteval `Doc` without images.
        method: Name of the sampling method, e.g. ``GENERATIVE``.
    """
    request: dict[str, Any] = {
        "method": method,
        "query": doc.query,
        "instruction": doc.instruction,
        "few_shot": [[shot.query, shot.instruction, shot.get_golds()] for shot in doc.fewshot_samples],
        "generation_size": doc.generation_size,
        "stop_sequences": list(doc.stop_sequences or []),
        "num_samples": doc.num_samples,
        "use_logits": doc.use_logits,
        "grammar": doc.generation_grammar,
    }
    if method != "GENERATIVE":
        request |= {"choices": doc.choices, "unconditioned_query": doc.unconditioned_query}
    return digest(request)


def model_description(config: Any, model: Any = None) -> dict[str, Any]:
    """Return what an answer depends on besides the document; its `digest` is the model's key.

    Args:
        config: lighteval's configuration of the model, a pydantic model.
        model: The model. A custom model whose answers depend on more than its configuration and its own file, for
            instance on a folder of saved outputs, says so in an attribute ``answers_fingerprint`` (a string).
    """
    settings = without_secrets(config.model_dump())
    settings = {name: value for name, value in settings.items() if name not in _WITHOUT_EFFECT}
    packages = ["lighteval", "transformers", *filter(None, [_ENGINES.get(type(config).__name__)])]
    return {
        "kind": type(config).__name__,
        "settings": settings,
        "files": {name: source_fingerprint(config, name) for name in _FILE_FIELDS if settings.get(name)},
        "versions": {package: _version(package) for package in packages},
        "repairs": ANSWERS_VERSION,
        "answers_fingerprint": getattr(model, "answers_fingerprint", ""),
    }


def source_fingerprint(config: Any, field: str) -> str:
    """Return a fingerprint of the files that a field of a configuration names.

    A file or folder here is fingerprinted by its content, a model of the Hub by the commit in the local cache; a
    name that is neither (an endpoint's model) by nothing.
    """
    name = getattr(config, field)
    path = Path(name).expanduser()
    if path.exists():
        return digest([file_fingerprint(file) for file in _model_files(path, getattr(config, "subfolder", None))])
    return _hub_commit(name, getattr(config, "revision", None))


def file_fingerprint(file: Path) -> list[Any]:
    """Return name, size and content of a file: all of a small file, samples and the time of change of a large one."""
    status = file.stat()
    content = hashlib.sha256()
    with file.open("rb") as stream:
        if status.st_size <= WHOLE_FILE_BYTES:
            content.update(stream.read())
            return [file.name, status.st_size, content.hexdigest()]
        for sample in range(SAMPLES):
            stream.seek((status.st_size - SAMPLE_BYTES) * sample // (SAMPLES - 1))
            content.update(stream.read(SAMPLE_BYTES))
    return [file.name, status.st_size, status.st_mtime_ns, content.hexdigest()]


def _model_files(path: Path, subfolder: str | None) -> Iterator[Path]:
    """Yield the files that loading from ``path`` can read: not hidden ones, not folders such as old checkpoints."""
    if path.is_file():
        yield path
        return
    for folder in (path, path / subfolder) if subfolder else (path,):
        if folder.is_dir():
            yield from sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))


def _hub_commit(name: str, revision: str | None) -> str:
    """Return the commit of a Hub model in the local cache; empty where there is none. Sends no request."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    for file in ("config.json", "tokenizer_config.json", "adapter_config.json"):
        try:
            found = try_to_load_from_cache(name, file, revision=revision)
        except HFValidationError:
            return ""
        if isinstance(found, str):
            return Path(found).parent.name
    return ""


def _without_password(value: Any) -> Any:
    """Return a text without the ``user:password@`` of an address in it; anything else as it is."""
    return re.sub(r"(?<=://)[^/@\s]+@", "***@", value) if isinstance(value, str) else value


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
