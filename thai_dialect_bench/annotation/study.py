"""What a study is: the items, the models' answers to them, and for whom; checked before anything is stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.judgement_record import FIELDS, Kind
from thai_dialect_bench.schema import DIALECTS

DEFAULT_TASKS: dict[Kind, tuple[str, ...]] = {
    "dialect_score": ("qa", "summarization", "translation_from_english"),
    "preference": ("food", "conversation"),
}
"""The tasks that the paper had judged in each way (arXiv 2504.05898, human evaluation)."""
MOST_ANNOTATORS = 999


@dataclass(frozen=True)
class Answer:
    """One model's answer to one item, as it is read from a source.

    Attributes:
        item: Name of the item, e.g. ``food-03``.
        task: A key of ``schema.TASKS``.
        dialect: The variety of the item.
        prompt: The prompt that was answered.
        model: Name of the model.
        text: The answer.
        place: Where it was read, for messages.
    """

    item: str
    task: str
    dialect: str
    prompt: str
    model: str
    text: str
    place: str


@dataclass(frozen=True)
class Item:
    """An item of a study.

    Attributes:
        item: Name of the item.
        task: A key of ``schema.TASKS``.
        prompt: The prompt that all models answered.
        answers: Model -> answer.
    """

    item: str
    task: str
    prompt: str
    answers: dict[str, str] = field(hash=False)


@dataclass(frozen=True)
class Study:
    """A study: what is judged, in which way, and by how many.

    Attributes:
        name: Name for the organisers; annotators never see it.
        kind: ``dialect_score`` or ``preference``.
        dialect: The dialect that is judged.
        models: Names of the models, in the order that makes the first of a pair ``a``.
        items: Items by name.
        annotators: Codes of the annotators.
        seed: Seed of every random order.
    """

    name: str
    kind: Kind
    dialect: str
    models: tuple[str, ...]
    items: tuple[Item, ...]
    annotators: tuple[str, ...]
    seed: int


@dataclass(frozen=True)
class Choice:
    """What an organiser takes from the answers that were read.

    Attributes:
        kind: ``dialect_score`` or ``preference``.
        dialect: The dialect that is judged.
        models: Models to take; all that answered if empty.
        tasks: Tasks to take; ``DEFAULT_TASKS`` of the kind if empty.
        items: Names of items to take; all if empty.
    """

    kind: Kind
    dialect: str
    models: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    items: tuple[str, ...] = ()


def make_study(answers: Iterable[Answer], choice: Choice, *, name: str, annotators: int, seed: int) -> Study:
    """Return a study of the answers that are chosen.

    Args:
        answers: All answers that were read.
        choice: Which of them.
        name: Name for the organisers.
        annotators: How many links are made.
        seed: Seed of every random order.

    Raises:
        BenchError: Nothing is left, a model or item is not there, a model lacks an item, two answers of a model to
            one item or two prompts of one item differ, or a pair needs more models.
    """
    _check_choice(choice, annotators)
    tasks = choice.tasks or DEFAULT_TASKS[choice.kind]
    fitting = [answer for answer in answers if answer.dialect == choice.dialect and answer.task in tasks]
    if not fitting:
        raise BenchError(
            f"no answers in {choice.dialect} to the tasks {', '.join(tasks)}; give other sources or tasks"
        )
    models = _chosen(choice.models, sorted({answer.model for answer in fitting}), "model")
    names = _chosen(choice.items, sorted({answer.item for answer in fitting}), "item")
    if choice.kind == "preference" and len(models) < 2:
        raise BenchError(f"a preference needs answers of at least two models; there is only {models[0]}")
    items = _items([answer for answer in fitting if answer.model in models and answer.item in names], models)
    codes = tuple(f"A{index:02d}" for index in range(1, annotators + 1))
    return Study(name, choice.kind, choice.dialect, models, items, codes, seed)


def _check_choice(choice: Choice, annotators: int) -> None:
    if choice.kind not in FIELDS:
        raise BenchError(f"a study is one of {', '.join(FIELDS)}, not {choice.kind!r}")
    if choice.dialect not in DIALECTS:
        raise BenchError(f"the dialect is one of {', '.join(DIALECTS)}, not {choice.dialect!r}")
    if not 1 <= annotators <= MOST_ANNOTATORS:
        raise BenchError(f"a study has 1 to {MOST_ANNOTATORS} annotators, not {annotators}")


def _chosen(wanted: Sequence[str], there: Sequence[str], what: str) -> tuple[str, ...]:
    """Return what is wanted, in that order, or all that is there."""
    missing = [name for name in wanted if name not in there]
    if missing:
        raise BenchError(f"no answers for the {what} {', '.join(missing)}; there are: {', '.join(there)}")
    if len(set(wanted)) != len(wanted):
        raise BenchError(f"a {what} is named twice: {', '.join(wanted)}")
    return tuple(wanted) or tuple(there)


def _items(answers: Sequence[Answer], models: Sequence[str]) -> tuple[Item, ...]:
    """Return the items by name, each with one prompt and the answers of all models."""
    first: dict[str, Answer] = {}
    texts: dict[str, dict[str, Answer]] = {}
    for answer in answers:
        same_item = first.setdefault(answer.item, answer)
        if same_item.prompt != answer.prompt:
            raise BenchError(
                f"{answer.item} has two prompts, in {same_item.place} and {answer.place}; "
                "take answers that were made on one build of the data"
            )
        same_model = texts.setdefault(answer.item, {}).setdefault(answer.model, answer)
        if same_model is not answer:
            raise BenchError(
                f"{answer.model} answers {answer.item} twice, in {same_model.place} and {answer.place}; give one"
            )
    for item, of_models in sorted(texts.items()):
        missing = [model for model in models if model not in of_models]
        if missing:
            raise BenchError(
                f"{', '.join(missing)} has no answer to {item}; run it on the item, or choose items with --item"
            )
    return tuple(
        Item(item, first[item].task, first[item].prompt, {model: texts[item][model].text for model in models})
        for item in sorted(texts)
    )
