"""The built sample keeps the dataset viewer's statistics: no values or lengths that differ by exactly 1."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from healthdial import plots
from healthdial.build import BuildOptions, build_sample
from healthdial.languages import LANGUAGES
from healthdial.schema import columns_of, config_names
from tests.healthdial_built import Built, no_drawing

CONFIGS = config_names(tuple(LANGUAGES))
FEW_STRINGS = 10
"""Distinct values up to which the viewer counts strings instead of measuring them."""


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Built:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plots, "draw_plots", no_drawing)
        return Built(build_sample(tmp_path_factory.mktemp("sample") / "healthdial", BuildOptions(workers=1)))


def measured(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return what the viewer makes a histogram of: integers, lengths of strings, lengths of lists; None for others."""
    if pa.types.is_integer(column.type):
        return column
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        few = pc.count_distinct(column).as_py() <= FEW_STRINGS
        return None if few else pc.utf8_length(column)
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        return pc.list_value_length(column)
    return None


def differing_by_one(table: pa.Table, classes: set[str]) -> Iterator[str]:
    """Yield the columns whose greatest value or length is the smallest plus 1; classes are counted, so never are."""
    for name in table.column_names:
        values = None if name in classes else measured(table[name])
        if values is None or values.null_count == len(values):
            continue
        ends = pc.min_max(values).as_py()
        if ends["max"] - ends["min"] == 1:
            yield f"{name} {ends['min']} to {ends['max']}"


@pytest.mark.parametrize("config", CONFIGS)
def test_no_values_or_lengths_of_the_sample_differ_by_exactly_1(sample: Built, config: str) -> None:
    classes = {name for name, kind in columns_of(config).items() if isinstance(kind, tuple)}
    found = {}
    for split in next(one for one in sample.dataset.configs if one.name == config).splits:
        table = pa.concat_tables([pq.read_table(sample.folder / file) for file in split.files])
        found[split.name] = list(differing_by_one(table, classes))
    assert found
    assert {split: columns for split, columns in found.items() if columns} == {}


def test_the_sample_has_every_config(sample: Built) -> None:
    assert sample.configs == CONFIGS


def test_what_would_break_the_statistics_is_found() -> None:
    words = [f"{number:02d}" for number in range(11)]
    table = pa.table(
        {
            "integer": pa.array([3, None, 4] + [3] * 8),
            "wide integer": pa.array([3, None, 5] + [3] * 8),
            "same": pa.array([3] * 11),
            "label": pa.array([0, 1] + [0] * 9),
            "true": pa.array([True, False] + [True] * 9),
            "many strings": pa.array([*words[:-1], "010"]),
            "few strings": pa.array(["a", "bb"] + ["a"] * 9),
            "list": pa.array([["a"], ["a", "b"]] + [["a"]] * 9),
            "nothing": pa.array([None] * 11, pa.int32()),
            "float": pa.array([0.0, 1.0] + [0.0] * 9),
        }
    )
    assert [*differing_by_one(table, {"label"})] == ["integer 3 to 4", "many strings 2 to 3", "list 1 to 2"]
