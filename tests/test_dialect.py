"""Dialect Generation and precision: what counts, levels, edge cases, sums, and signatures."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from metrics.corpus_metric import corpus_score, corpus_statistics
from metrics.dialect import (
    FULL_SHARE,
    DialectCounter,
    DialectCounts,
    DialectGeneration,
    DialectPrecision,
    level,
    read_lexicons,
)
from metrics.dialect_lexicon import LexiconError
from metrics.resampling import bootstrap_interval
from metrics.signature import Signature
from tests.dialect_words import ISAN, LANNA, made_lexicon, made_matcher

quick = settings(deadline=None, derandomize=True, database=None)

METRICS: list[Callable[[DialectCounter], Any]] = [DialectGeneration, DialectPrecision]
# Two words of Isan of three places; one Central word of one; one word of each dialect; no place at all.
ANSWERS = ["เฮ็ดแล้วเว้าว่าไม่", "เราเดิน", "เฮ็ดแล้วอู้", "วันนี้ฝนตก"]


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> DialectCounter:
    return DialectCounter(made_matcher(tmp_path_factory.mktemp("lexicons"), isan=ISAN, lanna=LANNA), "isan")


def counts(right: int = 0, shared: int = 0, context: int = 0, wrong: int = 0, due: int = 0) -> DialectCounts:
    return DialectCounts(right, shared, context, wrong, due)


# Counts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("เฮ็ดแล้วเว้าว่าไม่", counts(right=2, due=1)),
        ("เฮาบ่กะเฮ็ด", counts(right=1, shared=2, context=1)),
        ("คนกะไป", counts()),
        ("อู้กับเรา", counts(wrong=1, due=1)),
        ("ทำ พูด ไม่ เรา อะไร", counts(due=5)),
        # The equivalents of context words are not due.
        ("เหมือน จะ ก็", counts()),
        ("ทํา ท\u200bำ ทำ", counts(due=3)),
        ("", counts()),
        (" \n\u00a0", counts()),
        ("He says 12 😀", counts()),
    ],
)
def test_counts(counter: DialectCounter, text: str, found: DialectCounts) -> None:
    assert counter.counts(text) == found


def test_an_equivalent_that_the_dialect_uses_too_is_not_due(tmp_path: Path) -> None:
    matcher = made_matcher(tmp_path, isan=("เว้า - พูด|คุย exclusive", "คุย - โม้ context"))
    assert DialectCounter(matcher, "isan").counts("พูด คุย") == counts(due=1)


def test_the_share_is_of_the_places_where_the_dialect_has_a_word() -> None:
    every = counts(right=3, shared=2, context=1, wrong=1, due=5)
    assert (every.own, every.share) == (6, (3 + 3 * (3.75 / 4.75) ** 2) / 12)
    assert counts().share == 0.0
    assert counts(wrong=1, due=1).share == 0.0
    assert counts(context=1).share == 1.0


def test_words_that_were_given_do_not_count(counter: DialectCounter) -> None:
    text = "เฮาเว้าอยู่เฮือน"
    assert counter.counts(text) == counts(right=2, shared=1)
    assert counter.counts(text, "เฮียน") == counts(right=1, shared=1)
    assert counter.counts(text, "คน เฮาเว่า") == counts(right=1)
    assert counter.counts(text, text) == counts()
    assert [unit.text for unit in counter.units(text, "เฮียน")] == ["เฮา", "เว้า"]
    # What is left to say in the dialect stays due.
    assert counter.counts("เราพูด", "เราพูด") == counts(due=2)


def test_the_order_of_the_lexicons_does_not_matter(tmp_path: Path) -> None:
    """A wrong word of two dialects is always said to be of the same one."""
    lexicons = [
        made_lexicon(tmp_path, "isan", ISAN),
        made_lexicon(tmp_path, "lanna", ("แหลง - พูด exclusive",)),
        made_lexicon(tmp_path, "dambro", ("แหลง - พูด exclusive",)),
    ]
    units = [DialectCounter(order, "isan").units("คนแหลง เฮ็ด") for order in (lexicons, lexicons[::-1])]
    assert units[0] == units[1]
    assert [unit.kind for unit in units[0]] == ["wrong", "right"]


def test_a_counter_is_made_of_lexicons_or_of_their_matcher(counter: DialectCounter) -> None:
    units = [
        DialectCounter(made_of, "isan").units("เฮาเว่า") for made_of in (counter.matcher, counter.matcher.lexicons)
    ]
    assert units[0] == units[1] == counter.units("เฮาเว่า")


@pytest.mark.parametrize(("dialect", "names"), [("dambro", r"\(isan, lanna\)"), ("central", r"\(isan, lanna\)")])
def test_a_dialect_without_a_lexicon_is_refused(counter: DialectCounter, dialect: str, names: str) -> None:
    with pytest.raises(ValueError, match=f"no lexicon of '{dialect}' among the lexicons given {names}"):
        DialectCounter(counter.matcher, dialect)
    with pytest.raises(ValueError, match=r"no lexicon of 'isan' .* \(none\)"):
        DialectCounter([], "isan")


def test_lexicons_of_a_folder(tmp_path: Path) -> None:
    with pytest.raises(LexiconError, match="no lexicon there"):
        read_lexicons(tmp_path)
    for name in ("lanna", "isan"):
        made_lexicon(tmp_path, name, ISAN)
    (tmp_path / "README.md").write_text("not one")
    assert [lexicon.name for lexicon in read_lexicons(tmp_path)] == ["isan", "lanna"]


# Levels


@pytest.mark.parametrize(
    ("share", "full_share", "found"),
    [
        (0.0, FULL_SHARE, 0.0),
        (0.0249, FULL_SHARE, 0.0),
        (0.025, FULL_SHARE, 0.5),
        (0.2499, FULL_SHARE, 0.5),
        (0.25, FULL_SHARE, 1.0),
        (1.0, FULL_SHARE, 1.0),
        (0.09, 1.0, 0.0),
        (0.1, 1.0, 0.5),
        (0.99, 1.0, 0.5),
        (1.0, 1.0, 1.0),
    ],
)
def test_levels(share: float, full_share: float, found: float) -> None:
    assert level(share, full_share) == found


@pytest.mark.parametrize("full_share", [0.0, -0.1, 1.01, math.nan])
def test_a_full_share_that_is_none_is_refused(counter: DialectCounter, full_share: float) -> None:
    with pytest.raises(ValueError, match="full_share must be above 0 and at most 1"):
        DialectGeneration(counter, full_share=full_share)


def test_an_unknown_scale_is_refused(counter: DialectCounter) -> None:
    scale: Any = "percent"
    with pytest.raises(ValueError, match="unknown scale 'percent'; choose levels or share"):
        DialectGeneration(counter, scale=scale)


# Scores


def test_generation_of_a_corpus(counter: DialectCounter) -> None:
    references = ["ไม่ถูกใช้"] * len(ANSWERS)
    assert corpus_score(DialectGeneration(counter), ANSWERS, references).value == pytest.approx(100 * 2 / 4)
    shares = DialectGeneration(counter, scale="share")
    assert corpus_score(shares, ANSWERS, references).value == pytest.approx(100 * (2 / 3 + 1 / 2) / 4)
    assert corpus_score(DialectGeneration(counter, full_share=0.6), ANSWERS, references).value == pytest.approx(37.5)


def test_precision_of_a_corpus(counter: DialectCounter) -> None:
    assert corpus_score(DialectPrecision(counter), ANSWERS, [""] * 4).value == pytest.approx(100 * 3 / 4)


@pytest.mark.parametrize("make", METRICS)
def test_references_are_not_looked_at(counter: DialectCounter, make: Callable[[DialectCounter], Any]) -> None:
    metric = make(counter)
    alone = metric.statistics("เฮ็ดอู้")
    for references in ([""], ["เฮ็ด"], ["อู้", "พูด"]):
        assert metric.statistics("เฮ็ดอู้", references).tolist() == alone.tolist()


def test_given_words_are_left_out_of_the_scores(counter: DialectCounter) -> None:
    text, given_text = "อยู่เฮือนอู้", "เฮือน"
    assert DialectGeneration(counter).statistics(text).tolist() == [1.0, 1.0]
    assert DialectGeneration(counter).statistics(text, given=given_text).tolist() == [0.0, 1.0]
    assert DialectPrecision(counter).statistics(text).tolist() == [1.0, 2.0]
    assert DialectPrecision(counter).statistics(text, given=given_text).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("text", ["", " ", "English 12 😀", "ฝนตกมาก", "คนกะไป"])
def test_text_without_dialect_words(counter: DialectCounter, text: str) -> None:
    generation, precision = DialectGeneration(counter), DialectPrecision(counter)
    assert generation.statistics(text).tolist() == [0.0, 1.0]
    assert precision.statistics(text).tolist() == [0.0, 0.0]
    assert corpus_score(generation, [text], [""]).value == 0.0
    assert math.isnan(corpus_score(precision, [text], [""]).value)


@pytest.mark.parametrize("make", METRICS)
def test_values(counter: DialectCounter, make: Callable[[DialectCounter], Any]) -> None:
    metric = make(counter)
    with np.errstate(all="raise"):
        values = metric.values(np.array([[0.0, 0.0], [1.0, 4.0], [2.0, 2.0]]))
        assert math.isnan(float(metric.values(np.zeros(2))))
    assert values.shape == (3,)
    assert math.isnan(values[0])
    assert values[1:].tolist() == [25.0, 100.0]


@pytest.mark.parametrize("make", METRICS)
def test_other_types_are_refused(counter: DialectCounter, make: Callable[[DialectCounter], Any]) -> None:
    metric = make(counter)
    for hypothesis, references in (
        (None, [""]),
        (math.nan, [""]),
        (b"x", [""]),
        ("x", "x"),
        ("x", [None]),
        ("x", [1.0]),
    ):
        with pytest.raises(TypeError):
            metric.statistics(hypothesis, references)
    for text in (None, math.nan):
        with pytest.raises(TypeError):
            metric.statistics("x", given=text)
    with pytest.raises(ValueError, match="no reference"):
        metric.statistics("x", [])
    with pytest.raises(TypeError, match=f"{metric.name}, item 1: the hypothesis is a float"):
        corpus_score(metric, ["x", math.nan], ["", ""])  # type: ignore[list-item]


@pytest.mark.parametrize("make", METRICS)
def test_statistics_add_up(counter: DialectCounter, make: Callable[[DialectCounter], Any]) -> None:
    metric = make(counter)
    each = [metric.statistics(answer) for answer in ANSWERS]
    whole = corpus_score(metric, ANSWERS, [""] * len(ANSWERS))
    assert whole.sums.tolist() == (sum(each[:2]) + sum(each[2:])).tolist()
    assert whole.value == float(metric.values(sum(each)))
    estimate = bootstrap_interval(corpus_statistics(metric, ANSWERS, [""] * len(ANSWERS)), metric.values)
    assert estimate.value == whole.value
    assert 0 <= estimate.low <= whole.value <= estimate.high <= 100
    assert estimate.standard_error > 0


# Signatures and copies


@pytest.mark.parametrize("make", METRICS)
def test_the_signature_names_what_the_score_depends_on(
    counter: DialectCounter, tmp_path: Path, make: Callable[[DialectCounter], Any]
) -> None:
    signature = make(counter).signature()
    assert Signature.parse(str(signature)) == signature
    assert signature.metric == make(counter).name
    assert signature.get("lexicon") == counter.matcher.lexicon_sha256[:8]
    assert (signature.get("dialect"), signature.get("lexicons")) == ("isan", "isan+lanna")
    assert make(DialectCounter(counter.matcher.lexicons[::-1], "isan")).signature() == signature
    others = [
        make(DialectCounter(counter.matcher, "lanna")),
        make(DialectCounter(made_matcher(tmp_path, isan=ISAN), "isan")),
        make(DialectCounter(made_matcher(tmp_path, isan=ISAN, lanna=LANNA[1:]), "isan")),
    ]
    assert len({str(signature), *(str(other.signature()) for other in others)}) == 4


def test_the_signature_of_generation_has_its_settings(counter: DialectCounter) -> None:
    metric = DialectGeneration(counter)
    settings_of = [metric, replace(metric, full_share=0.3), replace(metric, scale="share")]
    found = [(each.signature().get("full"), each.signature().get("scale")) for each in settings_of]
    assert found == [("0.25", "levels"), ("0.3", "levels"), ("0.25", "share")]


@pytest.mark.parametrize("make", METRICS)
def test_copies_and_pickles(counter: DialectCounter, make: Callable[[DialectCounter], Any]) -> None:
    metric = make(counter)
    copied = copy.deepcopy(metric)
    assert copied.counter.matcher is counter.matcher
    for other in (copied, pickle.loads(pickle.dumps(metric))):
        assert other.signature() == metric.signature()
        assert other.statistics("เฮาเว่าอู้").tolist() == metric.statistics("เฮาเว่าอู้").tolist()
