"""The figures of the dialect metric on the released texts: telling apart, human levels, preferences, respelling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from benchmarks.dialect_metric_data import PREFERENCE_TASKS, SCORED_TASKS, Answer, ReleasedTexts, respelled
from metrics.dialect import DialectCounter, DialectGeneration, DialectPrecision, level
from metrics.dialect_identification import identify_variety
from thai_dialect_bench.paper_human import TABLE_2, TABLE_3

Shares = NDArray[np.float64]


@dataclass(frozen=True)
class Separation:
    """Dialect against Central references (a).

    Attributes:
        auc: Area under the ROC curve of the answers' shares, 0-1.
        dialect: Generation of the dialect references, 0-100.
        central: Generation of the Central ones, 0-100.
    """

    auc: float
    dialect: float
    central: float


@dataclass(frozen=True)
class HumanCell:
    """A cell of Table 3 (b): Generation by people, by the fixed threshold, and by one from the other items."""

    model: str
    dialect: str
    human: float
    fixed: float
    crossed: float


@dataclass(frozen=True)
class PreferenceCell:
    """A cell of Table 2 (c): net items of 20 for the first model.

    Attributes:
        human: Items for the first less items for the second.
        share: The same by the answers' shares.
        distinct: The same by how many different dialect words the answers have.
    """

    pair: tuple[str, str]
    dialect: str
    human: int
    share: int
    distinct: int


@dataclass(frozen=True)
class Respelling:
    """Scores after dialect words were respelled (e): pairs of texts, and how many have the same level and counts."""

    texts: int
    same_level: int
    same_counts: int
    largest_change: float


@dataclass(frozen=True)
class Coverage:
    """How much of what the references change from Central is known to the lexicon.

    Attributes:
        changed: Share of the letters of changed words that lie in marked words, 0-1.
        not_central: The same, of changed words that are no Central words.
    """

    changed: float
    not_central: float


def shares(counter: DialectCounter, answers: Sequence[Answer]) -> Shares:
    """Return the share of each answer."""
    return np.array([counter.counts(answer.text, answer.given).share for answer in answers])


def generation(counter: DialectCounter, answers: Sequence[Answer]) -> float:
    """Return Generation with the fixed threshold."""
    return _value(DialectGeneration(counter), answers)


def precision(counter: DialectCounter, answers: Sequence[Answer]) -> float:
    """Return the precision; nan where there is no dialect word."""
    return _value(DialectPrecision(counter), answers)


def _value(metric: DialectGeneration | DialectPrecision, answers: Sequence[Answer]) -> float:
    return float(metric.values(sum(metric.statistics(answer.text, given=answer.given) for answer in answers)))


def separation(texts: ReleasedTexts, counter: DialectCounter, tasks: Sequence[str] = SCORED_TASKS) -> Separation:
    """Tell the dialect references of some tasks, taken together, from the Central ones."""
    own = [one for task in tasks for one in texts.references[counter.dialect, task]]
    central = [one for task in tasks for one in texts.references["central", task]]
    labels = [1] * len(own) + [0] * len(central)
    auc = float(roc_auc_score(labels, shares(counter, [*own, *central])))
    return Separation(auc, generation(counter, own), generation(counter, central))


def marked_passages(texts: ReleasedTexts, counter: DialectCounter) -> float:
    """Return the share of Central passages that are taken to have some dialect, 0-1."""
    return float(np.mean([level(counter.counts(passage).share) > 0 for passage in texts.passages]))


def crossed_generation(
    texts: ReleasedTexts, counter: DialectCounter, answers: Mapping[str, Sequence[Answer]]
) -> float:
    """Return Generation with half the mean share of the references of all other items as the threshold.

    Args:
        texts: The release's texts.
        counter: The dialect's.
        answers: By task.
    """
    levels = []
    for task, task_answers in answers.items():
        references = shares(counter, texts.references[counter.dialect, task])
        others = (references.sum() - references) / (len(references) - 1)
        levels += [level(share, mean / 2) for share, mean in zip(shares(counter, task_answers), others, strict=True)]
    return 100 * float(np.mean(levels))


def human_cells(texts: ReleasedTexts, counter: DialectCounter) -> Iterator[HumanCell]:
    """Yield the cells of Table 3 of a dialect, summarization and translation from English taken together."""
    for model, cells in TABLE_3.items():
        answers = {task: texts.answers[model, counter.dialect, task] for task in SCORED_TASKS}
        fixed = generation(counter, [answer for task in SCORED_TASKS for answer in answers[task]])
        crossed = crossed_generation(texts, counter, answers)
        yield HumanCell(model, counter.dialect, cells[counter.dialect].generation, fixed, crossed)


def preference_cells(texts: ReleasedTexts, counter: DialectCounter) -> Iterator[PreferenceCell]:
    """Yield the cells of Table 2 of a dialect; dialect words that stand in the topic are left out."""
    for pair, cells in TABLE_2.items():
        cell = cells[counter.dialect]
        first, second = (_preference_values(texts, counter, model) for model in pair)
        net = np.sign(first - second).sum(axis=0)
        yield PreferenceCell(pair, counter.dialect, cell.a - cell.b, int(net[0]), int(net[1]))


def _preference_values(texts: ReleasedTexts, counter: DialectCounter, model: str) -> Shares:
    """Share and number of different dialect words of each answer, shape (items, 2)."""
    values = []
    for task in PREFERENCE_TASKS:
        answers = texts.answers[model, counter.dialect, task]
        for answer, share in zip(answers, shares(counter, answers), strict=True):
            units = counter.units(answer.text, answer.given)
            values.append((share, len({unit.entry.form for unit in units if unit.kind != "wrong"})))
    return np.array(values, dtype=np.float64)


def identification(
    texts: ReleasedTexts, counter: DialectCounter, varieties: Sequence[str]
) -> dict[tuple[str, str], int]:
    """Count references by true and identified variety; level dialects are ``undecided``."""
    counts: dict[tuple[str, str], int] = {}
    for variety in varieties:
        for reference in (one for task in SCORED_TASKS for one in texts.references[variety, task]):
            key = variety, identify_variety(reference.text, counter.matcher) or "undecided"
            counts[key] = counts.get(key, 0) + 1
    return counts


def respelling(texts: ReleasedTexts, counter: DialectCounter, model: str = "Gemini2", steps: int = 3) -> Respelling:
    """Compare references and a model's answers with copies whose dialect words have other spellings."""
    originals = [
        answer
        for task in SCORED_TASKS
        for answer in (*texts.references[counter.dialect, task], *texts.answers[model, counter.dialect, task])
    ]
    copies = [(answer, respelled(answer, counter, step + 1)) for answer in originals for step in range(steps)]
    pairs = [(answer, copy) for answer, copy in copies if copy != answer]
    counts = [tuple(counter.counts(one.text, one.given) for one in pair) for pair in pairs]
    return Respelling(
        texts=len(pairs),
        same_level=sum(level(before.share) == level(after.share) for before, after in counts),
        same_counts=sum(before == after for before, after in counts),
        largest_change=max((abs(before.share - after.share) for before, after in counts), default=0.0),
    )


def coverage(texts: ReleasedTexts, counter: DialectCounter) -> Coverage:
    """Align each reference with its Central one, word by word, and look at the words that differ."""
    letters = np.zeros((2, 2))
    for task in SCORED_TASKS:
        references = texts.references[counter.dialect, task], texts.references["central", task]
        for own, central in zip(*references, strict=True):
            letters += _changed_letters(own.text, central.text, counter)
    changed, not_central = letters[:, 1] / letters[:, 0]
    return Coverage(float(changed), float(not_central))


def _changed_letters(own: str, central: str, counter: DialectCounter) -> NDArray[np.float64]:
    """Letters of changed words, and those marked, shape (2, 2): of all, and of such that are no Central words."""
    tokens, others = counter.matcher.tokens(own), counter.matcher.tokens(central)
    starts = {unit.start for unit in counter.units(own) if unit.kind != "wrong"}
    words, other_words = ([token.text for token in side] for side in (tokens, others))
    aligned = SequenceMatcher(None, words, other_words, autojunk=False)
    letters = np.zeros((2, 2))
    for operation, first, last, _, _ in aligned.get_opcodes():
        for token in tokens[first:last] if operation in ("replace", "delete") else ():
            found = len(token.text) * np.array([1, token.start in starts])
            letters[0] += found
            letters[1] += 0 if token.central else found
    return letters
