"""Draw the report's two plots as SVG: a heat map of scores, and drops from Central with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metrics.report_pages import inline_svg
from thai_dialect_bench.schema import ALL_TASKS, DIALECTS, VARIETIES
from thai_dialect_bench.scores import Cell
from thai_dialect_bench.tables import tasks_of

VARIETY_COLORS = {"isan": "#b45309", "lanna": "#0f766e", "dambro": "#6d28d9"}


def heat_map(cells: Sequence[Cell]) -> str:
    """Return the scores of every model, task and variety as an SVG heat map."""
    from matplotlib.figure import Figure

    tasks = tasks_of(cells)
    models = list(dict.fromkeys(cell.model for cell in cells))
    scores = {(cell.model, cell.task, cell.variety): cell.estimate.value for cell in cells}
    figure = Figure(figsize=(1.2 + 2.3 * len(tasks), 1.3 + 0.42 * len(models)), layout="constrained")
    axes = figure.subplots(1, len(tasks), sharey=True, squeeze=False)[0]
    for axis, task in zip(axes, tasks, strict=True):
        grid = np.array([[scores.get((model, task, variety), np.nan) for variety in VARIETIES] for model in models])
        top = max(float(np.nanmax(grid)), 1.0)
        axis.imshow(grid, aspect="auto", cmap="YlGnBu", vmin=0, vmax=top)
        axis.set_title(f"{ALL_TASKS[task].title} ({_metric_title(task)})", fontsize=10)
        axis.set_xticks(range(len(VARIETIES)), [name.capitalize() for name in VARIETIES], fontsize=8)
        axis.set_yticks(range(len(models)), models, fontsize=9)
        for (row, column), value in np.ndenumerate(grid):
            if not np.isnan(value):
                color = "white" if value > 0.6 * top else "black"
                axis.text(column, row, f"{value:.1f}", ha="center", va="center", fontsize=8, color=color)
    return inline_svg(figure, "thai-dialect-bench")


def drop_plot(cells: Sequence[Cell]) -> str | None:
    """Return the drops from Central with their 95 % intervals as SVG; floors only where there is nothing else."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    with_drop = [cell for cell in cells if cell.drop is not None]
    with_drop = [cell for cell in with_drop if not cell.is_floor] or with_drop
    if not with_drop:
        return None
    tasks = tasks_of(with_drop)
    models = list(dict.fromkeys(cell.model for cell in with_drop))
    figure = Figure(figsize=(1.2 + 2.5 * len(tasks), 1.4 + 0.6 * len(models)), layout="constrained")
    axes = figure.subplots(1, len(tasks), sharey=True, squeeze=False)[0]
    for axis, task in zip(axes, tasks, strict=True):
        axis.axvline(0, color="#9ca3af", linewidth=1)
        axis.set_title(ALL_TASKS[task].title, fontsize=10)
        for cell in with_drop:
            if cell.task == task:
                _draw_drop(axis, cell, models.index(cell.model))
        axis.set_yticks(range(len(models)), models, fontsize=9)
        axis.set_ylim(len(models) - 0.5, -0.5)
        axis.grid(axis="x", color="#e5e7eb")
        axis.set_xlabel("drop from Central (points)", fontsize=8)
        axis.tick_params(axis="x", labelsize=8)
    handles = [
        Line2D([], [], color=VARIETY_COLORS[name], marker="o", label=VARIETIES[name].title) for name in DIALECTS
    ]
    handles.append(Line2D([], [], color="#6b7280", marker="o", markerfacecolor="white", label="not significant"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    return inline_svg(figure, "thai-dialect-bench")


def _draw_drop(axis: object, cell: Cell, row: int) -> None:
    """Draw one drop; the varieties of a model stand a little apart."""
    assert cell.drop is not None
    difference, color = cell.drop.difference, VARIETY_COLORS[cell.variety]
    height = row + 0.22 * (DIALECTS.index(cell.variety) - 1)
    axis.plot([difference.low, difference.high], [height, height], color=color, linewidth=1.5)  # type: ignore[attr-defined]
    face = color if cell.drop.significant else "white"
    axis.plot([difference.value], [height], "o", color=color, markerfacecolor=face, markersize=5)  # type: ignore[attr-defined]


def _metric_title(task: str) -> str:
    return {"rouge_l": "ROUGE-L", "bleu": "BLEU"}[ALL_TASKS[task].metric or ""]
