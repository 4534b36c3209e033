"""Draw the report's plots as SVG: scores by language, filtering by number of candidates, groups of speakers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from healthdial.languages import LANGUAGES
from healthdial.report.comparison_tables import group_title, measure_title
from healthdial.report.disparities import Disparity
from healthdial.report.measures import Measure
from healthdial.report.results import Setting
from healthdial.report.scores import MEAN, Cell, best_run
from healthdial.report.tables import Layout, run_title, runs_of
from metrics.report_pages import inline_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette, told apart with any colour vision; markers differ too."""
MARKERS = "osD^vPX"
_SALT = "healthdial"
_COLUMNS = 3


def score_plot(cells: Sequence[Cell], layout: Layout) -> str | None:
    """Return every main measure by language and system, with 95 % intervals, a panel each."""
    from matplotlib.figure import Figure

    measures = _main_measures(cells)
    if not measures:
        return None
    lines = -(-len(measures) // _COLUMNS)
    columns = min(len(measures), _COLUMNS)
    figure = Figure(figsize=(0.6 + 3.4 * columns, 0.4 + 2.9 * lines), layout="constrained")
    panels = list(figure.subplots(lines, columns, squeeze=False).flat)
    for axes in panels[len(measures) :]:
        axes.set_axis_off()
    for axes, measure in zip(panels, measures, strict=False):
        _draw_scores(axes, [cell for cell in cells if cell.measure is measure and cell.language != MEAN])
        axes.set_title(measure_title(measure) + (" (lower is better)" if measure.lower_is_better else ""), fontsize=9)
    return _svg(figure, "scores", layout.title("HealthDial: main measures"))


def _draw_scores(axes: Axes, cells: Sequence[Cell]) -> None:
    languages = list(LANGUAGES)
    runs = list(dict.fromkeys((cell.system, cell.setting) for cell in cells))
    for number, run in enumerate(runs):
        own = [cell for cell in cells if (cell.system, cell.setting) == run]
        offset = 0.6 * ((number + 0.5) / len(runs) - 0.5)
        places = [languages.index(cell.language) + offset for cell in own]
        _draw_points(axes, places, own, number, run_title(run))
    # Runs on other items have other levels.
    chances = dict.fromkeys((cell.language, cell.chance) for cell in cells if cell.chance is not None)
    for number, (language, chance) in enumerate(chances):
        place = languages.index(language)
        axes.plot(
            *([place - 0.4, place + 0.4], [chance, chance]),
            color="#6b7280",
            linestyle=":",
            label=None if number else "chance",
        )
    axes.set_xticks(range(len(languages)), [language.title for language in LANGUAGES.values()], fontsize=8)
    axes.set_xlim(-0.6, len(languages) - 0.4)
    _finish(axes)


def _draw_points(axes: Axes, places: Sequence[float], cells: Sequence[Cell], number: int, label: str) -> None:
    """Draw scores with their intervals at places of the x axis."""
    color, marker = COLORS[number % len(COLORS)], MARKERS[number % len(MARKERS)]
    values = [cell.estimate.value for cell in cells]
    for place, cell in zip(places, cells, strict=True):
        axes.plot([place, place], [cell.estimate.low, cell.estimate.high], color=color, linewidth=1.5)
    axes.plot(places, values, marker, color=color, markersize=5, label=label)


def candidates_plot(cells: Sequence[Cell], layout: Layout) -> str | None:
    """Return exact match of filtering by the number of candidates; None where no system was run with several."""
    from matplotlib.figure import Figure

    exact = [cell for cell in cells if cell.measure.name == "exact_match" and cell.language != MEAN]
    counts = sorted({setting.candidates for _, setting in runs_of(exact, "filtering")})
    languages = [code for code in LANGUAGES if any(cell.language == code for cell in exact)]
    if len(counts) < 2:
        return None
    figure = Figure(figsize=(0.8 + 2.5 * len(languages), 3.3), layout="constrained")
    panels = figure.subplots(1, len(languages), sharey=True, squeeze=False)[0]
    for axes, language in zip(panels, languages, strict=True):
        own = [cell for cell in exact if cell.language == language]
        names = list(dict.fromkeys(map(_curve, own)))
        for number, name in enumerate(names):
            curve = sorted((c for c in own if _curve(c) == name), key=lambda cell: cell.setting.candidates)
            offset = 0.2 * ((number + 0.5) / len(names) - 0.5)
            places = [counts.index(cell.setting.candidates) + offset for cell in curve]
            color = COLORS[number % len(COLORS)]
            axes.plot(places, [cell.estimate.value for cell in curve], color=color, linewidth=1)
            _draw_points(axes, places, curve, number, run_title(name))
        axes.set_xticks(range(len(counts)), [str(count) for count in counts], fontsize=8)
        axes.set_xlim(-0.3, len(counts) - 0.7)
        axes.set_title(LANGUAGES[language].title, fontsize=10)
        axes.set_xlabel("candidates", fontsize=8)
        _finish(axes, below=-0.2)
    panels[0].set_ylabel("exact match (%)", fontsize=8)
    return _svg(figure, "candidates", layout.title("HealthDial: filtering by number of candidates"))


def _curve(cell: Cell) -> tuple[str, Setting]:
    """Return the system and setting of a score whatever the number of candidates."""
    return cell.system, replace(cell.setting, candidates=0)


def group_plots(found: Sequence[Disparity], cells: Sequence[Cell], layout: Layout) -> list[tuple[str, str]]:
    """Return (title, SVG) of each main measure by groups of speakers, for the system that is best in it."""
    plots = []
    for measure in _main_measures(cells):
        best = best_run(cells, measure.component, measure.name)
        own = [one for one in found if one.measure is measure and (one.system, one.setting) == best and one.groups]
        if own:
            title = layout.title(f"{measure_title(measure)}, {run_title(best)}")
            plots.append((title, _group_plot(own, measure, title)))
    return plots


def _group_plot(found: Sequence[Disparity], measure: Measure, title: str) -> str:
    """Draw a panel for each language, a line for each group."""
    from matplotlib.figure import Figure

    languages = list(dict.fromkeys(one.language for one in found))
    tallest = max(sum(len(o.groups) for o in found if o.language == code) for code in languages)
    lines = -(-len(languages) // 2)
    columns = min(len(languages), 2)
    figure = Figure(figsize=(5.2 * columns, lines * (0.9 + 0.25 * (tallest + 4))), layout="constrained")
    panels = list(figure.subplots(lines, columns, squeeze=False, sharex=True).flat)
    for axes in panels[len(languages) :]:
        axes.set_axis_off()
    for axes, language in zip(panels, languages, strict=False):
        labels: list[str] = []
        for number, one in enumerate(one for one in found if one.language == language):
            color = COLORS[number % len(COLORS)]
            for score in one.groups:
                height = len(labels)
                axes.plot([score.estimate.low, score.estimate.high], [height, height], color=color, linewidth=1.5)
                axes.plot([score.estimate.value], [height], MARKERS[number], color=color, markersize=5)
                labels.append(f"{group_title(one.field, score.group)} ({score.speakers})")
        axes.set_yticks(range(len(labels)), labels, fontsize=8)
        axes.set_ylim(len(labels) - 0.5, -0.5)
        axes.set_title(LANGUAGES[language].title, fontsize=10)
        axes.grid(axis="x", color="#e5e7eb")
        axes.tick_params(axis="x", labelsize=8, labelbottom=True)
        axes.spines[["top", "right"]].set_visible(False)
    figure.supxlabel(measure.title + (" (lower is better)" if measure.lower_is_better else ""), fontsize=8)
    return _svg(figure, f"{measure.component}-{measure.name}", f"HealthDial: {title}")


def _svg(figure: Figure, salt: str, title: str) -> str:
    """Return a figure with a title on it, so that no picture goes without its caveats; on the left, for phones."""
    figure.suptitle(title, x=0.01, horizontalalignment="left", fontsize=10)
    return inline_svg(figure, f"{_SALT}-{salt}", title)


def _main_measures(cells: Sequence[Cell]) -> list[Measure]:
    """Return the main measures that were scored, in order."""
    return list({id(cell.measure): cell.measure for cell in cells if cell.measure.is_main}.values())


def _finish(axes: Axes, below: float = -0.1) -> None:
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.grid(axis="y", color="#e5e7eb")
    axes.tick_params(axis="y", labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, below), ncols=3)
