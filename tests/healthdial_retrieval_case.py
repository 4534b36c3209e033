"""What tests of HealthDial's retrievers share: the sample, its documents, models as lighteval makes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from lighteval.models.custom.custom_model import CustomModelConfig
from lighteval.models.model_loader import load_model
from lighteval.tasks.requests import Doc

from healthdial.build import BuildOptions, build_sample
from healthdial.data import BuiltData
from healthdial.schema import DATA_VARIABLE, data_location
from healthdial.systems.vector_cache import CACHE_VARIABLE
from tasks.healthdial_docs import retrieval_doc
from tests.conftest import REPOSITORY


@pytest.fixture(scope="module")
def built_sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The bundled sample, built, as the data set of this module's tests, with a cache of their own."""
    folder = tmp_path_factory.mktemp("retrieval")
    options = BuildOptions(workers=1, k=1, speaker_key=folder / "speaker.key")
    built = build_sample(folder / "healthdial", options).folder
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_VARIABLE, str(built))
        patch.setenv(CACHE_VARIABLE, str(folder / "cache"))
        yield built


def documents(language: str) -> list[Doc]:
    """Return the queries of a language's test split as the task makes them."""
    rows = BuiltData(data_location()).rows(f"retrieval_{language}", "test")
    made = (retrieval_doc(row, f"healthdial_retrieval:{language}") for row in rows)
    return [doc for doc in made if doc is not None]


def rankings(system: str, string: str, docs: list[Doc]) -> list[list[str]]:
    """Return the rankings of documents by a model file of ``healthdial/systems``, loaded as lighteval loads it."""
    file = REPOSITORY / "healthdial" / "systems" / f"{system}.py"
    model = load_model(CustomModelConfig(model_name=string, model_definition_file_path=str(file)))
    assert model.config.model_name == string.partition("=")[0]
    return [json.loads(response.text[0]) for response in model.greedy_until(docs)]
