"""What must happen before lighteval is imported: no download, no foreign cache folder, no needless import."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

LITELLM_BACKEND = "lighteval.models.endpoints.litellm_model"
TINY_BENCHMARKS = "lighteval.tasks.tasks.tiny_benchmarks"


def prepare_import(uses_litellm: bool) -> None:
    """Import lighteval's backends without a request to the network; a second call does nothing.

    Args:
        uses_litellm: False spares the import of litellm, 2 to 3 seconds.
    """
    stub_tiny_benchmarks()
    if LITELLM_BACKEND in sys.modules:
        return
    use_bundled_model_prices()
    if uses_litellm:
        import_litellm_without_disk_cache()
    else:
        import_backend_without_litellm()


def stub_tiny_benchmarks() -> None:
    """Put an empty module in the place of one of lighteval's task modules.

    Fault (0.13.0): importing `tiny_benchmarks` downloads a pickle, so that without internet every command dies,
    whatever its task. Nothing is replaced where the pickle was downloaded before.
    """
    lighteval = find_spec("lighteval")
    if TINY_BENCHMARKS in sys.modules or lighteval is None or lighteval.origin is None:
        return
    if (Path(lighteval.origin).parent / "tasks" / "tasks" / "tinyBenchmarks.pkl").is_file():
        return
    stub: Any = ModuleType(TINY_BENCHMARKS, "Stands in for a module that downloads a file while it is imported.")
    stub.TASKS_TABLE = []
    sys.modules[TINY_BENCHMARKS] = stub


def use_bundled_model_prices() -> None:
    """Make litellm read its own copy of the price list.

    Fault (litellm 1.x, which lighteval imports for every command): the list is fetched from GitHub, with three
    tries and up to 8 seconds without internet.
    """
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")


def import_backend_without_litellm() -> None:
    """Import lighteval's litellm backend as if litellm were not installed.

    Fault (0.13.0): every command imports litellm, which takes 2 to 3 seconds, and makes a folder `.litellm_cache`
    in the working directory.
    """
    # What the backend imports from lighteval must see the truth, so it comes first.
    for module in ("lighteval.data", "lighteval.models.abstract_model", "lighteval.utils.cache_management"):
        importlib.import_module(module)
    imports: Any = importlib.import_module("lighteval.utils.imports")
    is_available = imports.is_package_available
    with _replaced(imports, "is_package_available", lambda name: name != "litellm" and is_available(name)):
        importlib.import_module(LITELLM_BACKEND)


def import_litellm_without_disk_cache() -> None:
    """Import lighteval's litellm backend without a cache of its own.

    Fault (0.13.0): the import opens a cache of answers in `.litellm_cache` of the working directory. It serves
    answers of another server under the same address, and leaves the folder behind.
    """
    try:
        version("litellm")
    except PackageNotFoundError:
        return
    caching: Any = importlib.import_module("litellm.caching.caching")
    with _replaced(caching, "Cache", lambda **_: None):
        importlib.import_module(LITELLM_BACKEND)


def load_custom_tasks_only() -> None:
    """Make the registry of lighteval import the custom task module and none of its own.

    Fault (0.13.0): its own task modules download data of NLTK while they are imported.
    """
    from lighteval.tasks.registry import Registry

    def load_all_task_configs(custom_tasks: Any = None, load_multilingual: bool = False) -> dict[str, Any]:
        return Registry._extract_configs(Registry.create_custom_tasks_module(custom_tasks))

    Registry.load_all_task_configs = staticmethod(load_all_task_configs)  # type: ignore[method-assign]


@contextlib.contextmanager
def _replaced(module: Any, name: str, value: Any) -> Iterator[None]:
    original = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, original)
