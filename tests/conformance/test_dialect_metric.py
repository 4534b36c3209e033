"""The dialect metric on the authors' release: what it must reach, by name what it does not, and the page's figures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks import dialect_metric_figures as figures
from benchmarks.dialect_metric import crossed_table, matchers_table, models_table
from benchmarks.dialect_metric_data import SCORED_TASKS, ReleasedTexts, read_texts
from benchmarks.dialect_metric_targets import Target, all_targets
from tests.conftest import REPOSITORY
from thai_dialect_bench.lexicons import dialect_counter
from thai_dialect_bench.schema import DIALECTS

MISSED = {
    # Two of the 40 Dambro references have no word that the lexicon knows: 0.975 is the most that can be had.
    "(a) dambro, summarization + translation_from_english",
    "(a) dambro, summarization",
    # One of the 20 has none.
    "(a) isan, translation_from_english",
    "(a) lanna, translation_from_english",
    # People gave 30.5 to answers that are Central Thai or English; with them the order of the six cells goes.
    "(b) Typhoon1.5-70b, dambro",
    "(b) Spearman over 6 of 6 cells",
    # GPT-4o's Lanna has few different words, but many of them: people, and the count of different words, see that.
    "(c) by share: Gemini2 / GPT-4o, lanna",
    "(c) by distinct: Gemini2 / GPT-4o, isan",
}
"""The targets of issue 6 that are not reached; one that is reached after all must be taken out."""


@pytest.fixture(scope="module")
def texts(upstream: Path) -> ReleasedTexts:
    return read_texts(upstream)


@pytest.fixture(scope="module")
def targets(texts: ReleasedTexts) -> Mapping[str, Target]:
    return {target.name: target for target in all_targets(texts, [dialect_counter(name) for name in DIALECTS])}


def test_all_is_reached_but_what_is_named(targets: Mapping[str, Target]) -> None:
    assert {name for name, target in targets.items() if target.reached is None} == set()
    assert {name for name, target in targets.items() if not target.reached} == MISSED


def test_no_central_reference_is_taken_for_a_dialect(targets: Mapping[str, Target]) -> None:
    for name, target in targets.items():
        if name.startswith("(a)"):
            assert re.search(r"Central (\S+)$", target.value), target.value
            assert float(target.value.rsplit(" ", 1)[1]) <= 5


def test_typhoons_dambro_has_no_dambro_word(texts: ReleasedTexts) -> None:
    counter = dialect_counter("dambro")
    answers = [one for task in SCORED_TASKS for one in texts.answers["Typhoon1.5-70b", "dambro", task]]
    assert sum(counter.counts(answer.text, answer.given).own for answer in answers) == 0


@pytest.mark.parametrize("dialect", DIALECTS)
def test_other_varieties_do_not_pass_for_the_dialect(texts: ReleasedTexts, dialect: str) -> None:
    counter = dialect_counter(dialect)
    assert figures.marked_passages(texts, counter) <= 0.05
    for other in ("central", *DIALECTS):
        references = [one for task in SCORED_TASKS for one in texts.references[other, task]]
        generation, precision = figures.generation(counter, references), figures.precision(counter, references)
        if other == dialect:
            assert generation >= 90
            assert precision >= 99
        else:
            assert generation <= (20 if {dialect, other} == {"isan", "lanna"} else 5)
            assert not precision >= 50  # nan where no dialect word was found


def test_the_benchmarks_page_has_the_figures_of_this_run(targets: Mapping[str, Target]) -> None:
    page = (REPOSITORY / "benchmarks" / "README.md").read_text(encoding="utf-8")
    for target in targets.values():
        assert f"| {target.name} | {target.value} |" in page, target


def test_the_benchmarks_page_has_the_tables_of_this_run(texts: ReleasedTexts) -> None:
    page = (REPOSITORY / "benchmarks" / "README.md").read_text(encoding="utf-8")
    counters = [dialect_counter(name) for name in DIALECTS]
    for table in (models_table(texts, counters), crossed_table(texts, counters), matchers_table(texts, counters)):
        for row in table.rows:
            assert f"| {' | '.join(row)} |" in page, row
