"""Lay an analysis of judgements out as tables: Tables 2, 3 and 6 with the paper's numbers, and what they lack."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from metrics.agreement import DEFAULT_RESAMPLES, WEIGHTS, Kappa
from metrics.preference import MERGE_RULE
from metrics.report_tables import Table, with_interval
from metrics.resampling import Estimate
from thai_dialect_bench.agreement import Analysis, Discussion, PairPreference
from thai_dialect_bench.automatic_scores import ScoreCorrelation
from thai_dialect_bench.human_scores import ModelScore
from thai_dialect_bench.paper_human import TABLE_2, TABLE_3, TABLE_6, Table2Row, paper_title, table_2_pair
from thai_dialect_bench.schema import VARIETIES

ASPECT_TITLES = {
    "generation": "Generation",
    "fluency": "Fluency",
    "average": "Average",
    "dialect_choice": "Dialect",
    "answer_choice": "Answer",
}
EXTRA = "pip install 'thai-dialect-bench[agreement]'"
_INTERVAL = "95 % bootstrap interval over items"
_MOST_UNDEFINED = DEFAULT_RESAMPLES // 20
"""Resamples that may be undefined; an interval that leaves out more is not shown."""


def all_tables(
    analysis: Analysis, correlations: Sequence[ScoreCorrelation], *, intervals: bool = False, most: int | None = None
) -> list[Table]:
    """Return the tables that have rows.

    Args:
        analysis: The analysis.
        correlations: Of an automatic score; may be empty.
        intervals: Print both ends of the intervals instead of their half-width.
        most: Answers to discuss that are listed; None: all.
    """
    tables = [
        score_table(analysis, intervals),
        preference_table(analysis),
        strength_table(analysis, intervals),
        kappa_table(analysis, intervals),
        alpha_table(analysis, intervals),
        bias_table(analysis, intervals),
        correlation_table(correlations),
        discussion_table(analysis, most),
    ]
    return [table for table in tables if table.rows]


def score_table(analysis: Analysis, intervals: bool) -> Table:
    """Return Generation, Fluency and their average by model and dialect, as Table 3."""
    printed = [TABLE_3.get(paper_title(s.model) or "", {}).get(s.dialect) for s in analysis.scores]
    header = ["Model", "Dialect", "G", "F", "Avg", "Answers", "Annotators", "Missing"]
    header += ["Paper G", "F", "Avg"] if any(printed) else []
    rows = [
        (*_score_cells(score, intervals), *([f"{x:.2f}" for x in paper or ()] or [""] * (len(header) - 8)))
        for score, paper in zip(analysis.scores, printed, strict=True)
    ]
    note = (
        "Generation (G), Fluency (F) and the mean of the two (Avg), 0-100: mean over an answer's annotators, then "
        f"over answers; {_shown(intervals)}. Missing: labels left empty."
    )
    if any(printed):
        note += " The paper's numbers are of other annotators and answers; two of its averages are misprints."
    note += _left_out(e for s in analysis.scores for e in (s.generation, s.fluency, s.average))
    return Table("Human scores (Table 3)", tuple(header), tuple(rows), note)


def _score_cells(score: ModelScore, intervals: bool) -> list[str]:
    estimates = (score.generation, score.fluency, score.average)
    counts = (score.answers, score.annotators, score.left_out)
    return [
        score.model,
        VARIETIES[score.dialect].title,
        *(_estimate(estimate, intervals) for estimate in estimates),
        *map(str, counts),
    ]


def preference_table(analysis: Analysis) -> Table:
    """Return the verdicts by pair of models, dialect and aspect, as Table 2."""
    printed = [_table_2_row(preference) for preference in analysis.preferences]
    header = ["A", "B", "Dialect", "Right", "A/B/Both/None", "Split", "A wins %", "p", "p (Holm)"]
    header += ["Paper"] if any(printed) else []
    rows = []
    for pair, paper in zip(analysis.preferences, printed, strict=True):
        counts, test = pair.counts, pair.test
        share = Estimate(100 * test.share, 100 * test.low, 100 * test.high, math.nan, test.decided)
        cells = [pair.model_a, pair.model_b, VARIETIES[pair.dialect].title, ASPECT_TITLES[pair.aspect]]
        cells += [_counts(Table2Row(counts.a, counts.b, counts.both, counts.none)), str(pair.split)]
        cells += [_estimate(share, intervals=True), _p_value(test.p_value), _p_value(pair.p_holm)]
        cells += [_counts(paper) if paper else ""] if any(printed) else []
        rows.append(tuple(cells))
    note = (
        f"Items by verdict. Votes merge by the rule {MERGE_RULE}: a system is good where at least half of the "
        "annotators say so (better, or both good); this is the majority's choice where there is one, and one vote "
        "for each of two systems gives both. Split: items on which the annotators differ. A wins: share of the items "
        "on which one is better, with its exact 95 % interval. p: exact sign test, and corrected for all tests here."
    )
    if left_out := sum(pair.left_out for pair in analysis.preferences):
        note += f" {left_out} items without a choice are left out."
    if any(printed):
        note += " The paper says neither which of the two aspects it prints nor how it merges votes."
    return Table("Preferences (Table 2)", tuple(header), tuple(rows), note)


def _table_2_row(preference: PairPreference) -> Table2Row | None:
    """Return the paper's counts; `PairPreference` already has the table's order."""
    pair = table_2_pair(preference.model_a, preference.model_b)
    return TABLE_2[pair].get(preference.dialect) if pair else None


def strength_table(analysis: Analysis, intervals: bool) -> Table:
    """Return the Bradley-Terry fits of groups of more than two models."""
    rows = tuple(
        (
            VARIETIES[entry.dialect].title,
            ASPECT_TITLES[entry.aspect],
            entry.strength.system,
            _estimate(entry.strength.estimate, intervals),
            str(entry.strength.comparisons),
        )
        for entry in analysis.strengths
    )
    note = (
        f"Natural logarithm of the strength, the mean of each group 0; {_shown(intervals)}. Both and none count as "
        "half a win of each; each compared pair gets half a win more on either side, so that no strength is infinite."
    )
    sweep = "some models of the group won, or lost, all verdicts with the others, so the half wins set the distance"
    note += _left_out((entry.strength.estimate for entry in analysis.strengths), sweep)
    return Table("Ranking (Bradley-Terry)", ("Dialect", "Right", "Model", "Strength", "Verdicts"), rows, note)


def kappa_table(analysis: Analysis, intervals: bool) -> Table:
    """Return Cohen's kappa of every two annotators, as Table 6."""
    rows = []
    for entry in analysis.pair_agreements:
        plain = entry.kappa["none"]
        paper = TABLE_6.get(entry.aspect, {}).get(entry.dialect)
        rows.append(
            (
                VARIETIES[entry.dialect].title,
                ASPECT_TITLES[entry.aspect],
                " & ".join(entry.annotators),
                str(plain.pairs),
                str(plain.left_out),
                f"{100 * plain.agreement:.0f} %",
                *(_kappa(entry.kappa.get(weights), intervals) for weights in WEIGHTS),
                "" if paper is None else f"{paper:.2f}",
            )
        )
    header = ("Dialect", "Aspect", "Annotators", "Both", "One", "Equal", "Kappa", "Linear", "Quadratic", "Paper")
    note = (
        "Cohen's kappa of answers that both labelled (Both; One: labelled by one of them, left out), unweighted as in "
        "the paper, and with linear and quadratic weights where labels have an order; Equal: share of equal labels; "
        f"{_shown(intervals)}. - : not defined, since both gave one and the same label throughout; read Equal."
    )
    note += _left_out(kappa.estimate for entry in analysis.pair_agreements for kappa in entry.kappa.values())
    return Table("Agreement of two annotators (Table 6)", header, tuple(rows), note)


def alpha_table(analysis: Analysis, intervals: bool) -> Table:
    """Return Krippendorff's alpha of all annotators."""
    rows = tuple(
        (
            VARIETIES[entry.dialect].title,
            ASPECT_TITLES[entry.aspect],
            str(entry.annotators),
            *(
                (str(entry.alpha.answers), str(entry.alpha.left_out), _estimate(entry.alpha.estimate, intervals))
                if entry.alpha
                else ("", "", "not computed")
            ),
        )
        for entry in analysis.group_agreements
    )
    note = (
        "Krippendorff's alpha, ordinal for scores, nominal for choices, of answers with two labels or more (One: with "
        f"one label, left out); {_shown(intervals)}. - : not defined, since one label was given throughout."
    )
    note += _left_out(entry.alpha.estimate for entry in analysis.group_agreements if entry.alpha)
    if any(entry.alpha is None for entry in analysis.group_agreements):
        note = f"Alpha needs the library krippendorff: {EXTRA}"
    header = ("Dialect", "Aspect", "Annotators", "Answers", "One", "Alpha")
    return Table("Agreement of all annotators", header, rows, note)


def bias_table(analysis: Analysis, intervals: bool) -> Table:
    """Return how much higher or lower each annotator labels than the others."""
    rows = tuple(
        (
            VARIETIES[entry.dialect].title,
            ASPECT_TITLES[entry.aspect],
            entry.bias.annotator,
            f"{100 * entry.bias.mean:.2f}",
            _estimate(_hundredfold(entry.bias.estimate), intervals, sign=True),
            str(entry.bias.answers),
        )
        for entry in analysis.biases
    )
    note = (
        "Mean: of all labels of the annotator, 0-100. Bias: own label minus the mean of the others' of the same "
        f"answer, in points of 100; {_shown(intervals)}."
    )
    return Table("Annotators", ("Dialect", "Aspect", "Annotator", "Mean", "Bias", "Shared answers"), rows, note)


def correlation_table(correlations: Sequence[ScoreCorrelation]) -> Table:
    """Return the correlations of an automatic score."""
    rows = tuple(
        (
            VARIETIES[entry.dialect].title if entry.dialect else "All",
            ASPECT_TITLES[entry.aspect],
            entry.level,
            str(entry.correlation.observations),
            str(entry.unmatched),
            str(entry.unused),
            _estimate(entry.correlation.spearman, intervals=True),
            _estimate(entry.correlation.pearson, intervals=True),
        )
        for entry in correlations
    )
    note = (
        "With the annotators' mean, per answer and per system (the mean of a model in a dialect, from three on), "
        f"{_shown(intervals=True)}. Unscored: judged answers without an automatic score; Unjudged: the reverse; both "
        "are left out. - : not defined, since one of the two is constant."
    )
    note += _left_out(e for c in correlations for e in (c.correlation.spearman, c.correlation.pearson))
    header = ("Dialect", "Human score", "Level", "n", "Unscored", "Unjudged", "Spearman", "Pearson")
    return Table("Automatic score", header, rows, note)


def discussion_table(analysis: Analysis, most: int | None) -> Table:
    """Return the answers on which the annotators differ, most first."""
    found = analysis.discussions
    rows = tuple(_discussion_cells(entry) for entry in found[:most])
    note = "Difference: mean distance of two annotators' labels, 0-1; two different choices are 1 apart."
    if len(rows) < len(found):
        note += f" {len(rows)} of {len(found)}; --html, --csv and --json have all."
    return Table("To discuss", ("Item", "Dialect", "Model", "Aspect", "Difference", "Labels"), rows, note)


def _discussion_cells(entry: Discussion) -> tuple[str, ...]:
    answer = entry.answer
    return (
        answer.item,
        VARIETIES[answer.dialect].title,
        answer.model + (f" (a), {answer.model_b} (b)" if answer.model_b else ""),
        ASPECT_TITLES[entry.aspect],
        f"{entry.disagreement:.2f}",
        ", ".join(_labels(entry)),
    )


def _labels(entry: Discussion) -> Iterator[str]:
    for who, label in entry.labels.items():
        yield f"{who}: {label}" if isinstance(label, str) else f"{who}: {label:g}"


def _estimate(estimate: Estimate, intervals: bool, *, sign: bool = False) -> str:
    """Return a value with its interval if that can be told; - where the value is not defined."""
    if math.isnan(estimate.value):
        return "-"
    low, high = (estimate.low, estimate.high) if _is_told(estimate) else (math.nan, math.nan)
    if intervals:
        return with_interval(estimate.value, low, high, both_ends=True, sign=sign)
    # Kappa and correlations lie below 1: one digit of their half-width would say too little.
    number = with_interval(estimate.value, math.nan, math.nan, both_ends=False, sign=sign)
    half = (high - low) / 2
    return number if math.isnan(half) else f"{number} ±{half:.2f}"


def _is_told(estimate: Estimate) -> bool:
    """Whether enough of the resamples are defined for their interval to be that of the value."""
    return estimate.undefined <= _MOST_UNDEFINED


def _left_out(estimates: Iterable[Estimate], why: str = "more than 5 % of the resamples are not defined") -> str:
    """Return what a note says of values without an interval; nothing where none of them lacks it."""
    told = all(_is_told(estimate) or math.isnan(estimate.value) for estimate in estimates)
    return "" if told else f" Without an interval: {why}."


def _kappa(kappa: Kappa | None, intervals: bool) -> str:
    return "" if kappa is None else _estimate(kappa.estimate, intervals)


def _hundredfold(estimate: Estimate) -> Estimate:
    values = (100 * estimate.value, 100 * estimate.low, 100 * estimate.high, 100 * estimate.standard_error)
    return Estimate(*values, items=estimate.items, undefined=estimate.undefined)


def _counts(row: Table2Row) -> str:
    return " / ".join(map(str, row))


def _p_value(value: float) -> str:
    return "<.0001" if value < 0.0001 else f"{value:.4f}"


def _shown(intervals: bool) -> str:
    """What stands beside a value."""
    return f"with its {_INTERVAL}" if intervals else f"± is half of its {_INTERVAL}"
