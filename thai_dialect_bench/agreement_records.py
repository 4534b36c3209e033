"""Write an analysis of judgements with full precision: JSON by table, CSV one line a record, HTML."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from metrics.agreement import DEFAULT_RESAMPLES
from metrics.preference import MERGE_RULE
from metrics.report_tables import csv_text
from metrics.resampling import DEFAULT_SEED, Estimate
from metrics.signature import DEFINITIONS_VERSION, Signature
from thai_dialect_bench.agreement import Analysis
from thai_dialect_bench.agreement_tables import all_tables
from thai_dialect_bench.automatic_scores import ScoreCorrelation
from thai_dialect_bench.judgements import escaped_cell
from thai_dialect_bench.pages import render_page
from thai_dialect_bench.paper_human import TABLE_2, TABLE_3, TABLE_6, paper_title, table_2_pair

Record = dict[str, Any]

# Fields whose parts are named as if they stood in the record itself.
_TRANSPARENT = ("estimate", "answer", "counts", "correlation")


def signature(analysis: Analysis) -> Signature:
    """Return how the numbers came about."""
    library = version("krippendorff") if any(entry.alpha for entry in analysis.group_agreements) else "none"
    return Signature.of(
        "agreement",
        judgements=analysis.judgements,
        merge=MERGE_RULE,
        interval="percentile-by-item",
        resamples=DEFAULT_RESAMPLES,
        seed=DEFAULT_SEED,
        krippendorff=library,
        scipy=version("scipy"),
        v=DEFINITIONS_VERSION,
    )


def records(analysis: Analysis, correlations: Sequence[ScoreCorrelation]) -> dict[str, list[Record]]:
    """Return flat records by table; what is not defined is nan, and the paper's numbers have keys ``paper_...``."""
    tables: dict[str, Sequence[Any]] = {
        **{field.name: getattr(analysis, field.name) for field in dataclasses.fields(analysis)[1:]},
        "correlations": correlations,
    }
    return {name: [_flat(entry) | _paper(name, entry) for entry in entries] for name, entries in tables.items()}


def as_json(analysis: Analysis, correlations: Sequence[ScoreCorrelation]) -> str:
    """Return the records as JSON; what is not defined is null."""
    content: Record = {"signature": str(signature(analysis)), **records(analysis, correlations)}
    return json.dumps(_without_nan(content), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_csv(analysis: Analysis, correlations: Sequence[ScoreCorrelation]) -> str:
    """Return the records as CSV, the table's name first; what is not defined is empty, formulas are escaped."""
    lines = [
        {"table": table} | {name: escaped_cell(_cell(value)) for name, value in record.items()}
        for table, entries in records(analysis, correlations).items()
        for record in entries
    ]
    return csv_text(list(dict.fromkeys(name for line in lines for name in line)), lines)


def as_html(analysis: Analysis, correlations: Sequence[ScoreCorrelation]) -> str:
    """Return all tables as one self-contained page."""
    paragraphs = [f"{analysis.judgements} judgements.", str(signature(analysis))]
    tables = all_tables(analysis, correlations, intervals=True)
    return render_page(
        "tables.html.j2", title="Human evaluation: agreement", paragraphs=paragraphs, page_tables=tables
    )


def _flat(value: Any, prefix: str = "") -> Record:
    """Return the fields of nested dataclasses and mappings as one level: ``kappa_none``, ``kappa_none_low``, ...

    ``..._undefined`` counts the resamples that an interval leaves out.
    """
    if isinstance(value, Estimate):
        name = prefix.rstrip("_")
        ends = {f"{name}_low": value.low, f"{name}_high": value.high}
        return {name: value.value, **ends, f"{name}_undefined": value.undefined}
    if dataclasses.is_dataclass(value):
        items: Mapping[str, Any] = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    elif hasattr(value, "_asdict"):
        items = value._asdict()
    elif isinstance(value, Mapping):
        items = value
    else:
        joined = " & ".join(value) if isinstance(value, tuple) else value
        return {prefix.rstrip("_"): joined}
    flat: Record = {}
    for name, entry in items.items():
        inner = prefix if name in _TRANSPARENT else f"{prefix}{name}_"
        flat |= {"labels": dict(entry)} if name == "labels" and isinstance(entry, Mapping) else _flat(entry, inner)
    return flat


def _paper(table: str, entry: Any) -> Record:
    """Return what the paper prints for the same model or pair, dialect and aspect."""
    printed: Record = {}
    if table == "scores":
        row = TABLE_3.get(paper_title(entry.model) or "", {}).get(entry.dialect)
        printed = row._asdict() if row else {}
    elif table == "preferences" and (pair := table_2_pair(entry.model_a, entry.model_b)):
        printed = TABLE_2[pair][entry.dialect]._asdict() if entry.dialect in TABLE_2[pair] else {}
    elif table == "pair_agreements" and entry.dialect in TABLE_6.get(entry.aspect, {}):
        printed = {"kappa": TABLE_6[entry.aspect][entry.dialect]}
    return {f"paper_{name}": value for name, value in printed.items()}


def _cell(value: Any) -> Any:
    """Return a value for CSV."""
    if isinstance(value, dict):
        return ", ".join(f"{who}: {label}" for who, label in value.items())
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else value


def _without_nan(value: Any) -> Any:
    """Return a JSON value with null in the place of nan."""
    if isinstance(value, dict):
        return {name: _without_nan(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_without_nan(entry) for entry in value]
    return None if isinstance(value, float) and math.isnan(value) else value
