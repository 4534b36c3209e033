"""lighteval tasks of HealthDial: every component in every language, on the test split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lighteval.tasks.lighteval_task import LightevalTaskConfig

from healthdial.languages import LANGUAGES
from healthdial.schema import data_location
from tasks import healthdial_docs as docs
from tasks import healthdial_metrics as metrics
from tasks import healthdial_responses as responses
from tasks import healthdial_speech as speech
from tasks.healthdial_query_recordings import query_recordings
from tasks.lighteval_fixes import apply

GROUP = "healthdial"
VERSION = 1
"""Raised whenever a task's results are no longer comparable with earlier ones."""


@dataclass(frozen=True)
class Component:
    """A component of the spoken dialogue system, as a task.

    Attributes:
        name: Name in the task's name.
        config: Config of the rows, without the language.
        to_doc: Row -> document.
        metrics: Language -> metrics.
        few_shot_split: Where few-shot examples come from.
        max_new_tokens: Cap of an answer in tokens.
        stops: Texts at which an answer ends; a model without a chat template would go on with an example of its own.
    """

    name: str
    config: str
    to_doc: Callable[..., Any]
    metrics: Callable[[str], list[Any]]
    few_shot_split: str = "validation"
    max_new_tokens: int = 256
    stops: tuple[str, ...] = ()


COMPONENTS = {
    component.name: component
    for component in (
        Component("asr", "user_turns", docs.asr_doc, metrics.error_rates),
        Component("tts", "user_turns", docs.tts_doc, speech.synthesis),
        Component(
            "turn_classification",
            "turn_classification",
            docs.classification_doc,
            lambda _: metrics.classification(),
            few_shot_split="train",
            max_new_tokens=10,
        ),
        Component("retrieval", "retrieval", docs.retrieval_doc, lambda _: metrics.retrieval()),
        Component(
            "speech_retrieval",
            "retrieval",
            docs.retrieval_doc,
            lambda _: [*metrics.retrieval(), query_recordings()],
        ),
        Component("filtering", "filtering", docs.filtering_doc, lambda _: metrics.selection(), stops=("\nDialogue:",)),
        Component(
            "response_generation",
            "system_turns",
            docs.response_doc,
            responses.responses,
            # Its dialogue goes on, or a next example starts.
            stops=("\nuser:", "\nSnippets:"),
        ),
        Component("pipeline", "user_turns", docs.pipeline_doc, responses.pipeline_errors),
    )
}


def task_config(component: Component, language: str) -> LightevalTaskConfig:
    """Return lighteval's configuration of a component in a language."""
    location = data_location()
    return LightevalTaskConfig(
        name=f"{GROUP}_{component.name}:{language}",
        prompt_function=component.to_doc,
        hf_repo=location.path,
        hf_revision=location.revision,
        hf_subset=f"{component.config}_{language}",
        hf_avail_splits=("train", "validation", "test"),
        evaluation_splits=("test",),
        few_shots_split=component.few_shot_split,
        # Drawn for each document by a fixed seed; lighteval 0.13.0's "random" takes the first of the split for all.
        few_shots_select="random_sampling_from_train",
        generation_size=component.max_new_tokens,
        # A list: without one, lighteval 0.13.0 adds a tuple to a list for models that have no chat template.
        stop_sequence=list(component.stops),
        metrics=component.metrics(language),
        version=VERSION,
    )


apply()
TASKS_TABLE = [task_config(component, language) for component in COMPONENTS.values() for language in LANGUAGES]
