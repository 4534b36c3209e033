"""Draw the card's plots as PNG files: speakers by group, human beside generated words, durations of turns."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from healthdial.languages import LANGUAGES
from healthdial.statistics import LanguageStatistics, Rows, SpeakerGroup, rows_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLES: dict[str, str] = {
    "speakers_by_gender.png": "Speakers and user speech by gender",
    "speakers_by_age_group.png": "Speakers and user speech by age group",
    "speakers_by_language_variety.png": "Speakers and user speech by language variety",
    "words.png": "Human beside generated user turns",
    "durations.png": "Durations of turns",
}
"""File name -> title, which is also the plot's alternative text on the card."""

NOT_PUBLISHED = "not published"
WIDTH_INCHES = 8.0
DPI = 160
"""1,280 pixels wide; shown at 800 the smallest text is 11 pixels high."""

BLUE, ORANGE = "#0072B2", "#E69F00"
"""Two colours of Okabe and Ito's palette, told apart with any colour vision and, by lightness, in grey."""
BIN_SECONDS = (0.5, 1.0, 3.0)
MOST_BINS = 41
"""The narrowest of the bins that gives at most so many bars is drawn."""
LONGEST_SECONDS = 120
"""Bars of longer turns are drawn in the last bin."""


def draw_plots(
    statistics: Mapping[str, LanguageStatistics], rows: Rows, given_up: Mapping[str, Sequence[str]]
) -> dict[str, bytes]:
    """Return the card's plots; equal input gives equal bytes with the same version of matplotlib.

    Args:
        statistics: ISO 639-3 code -> its statistics.
        rows: The rows they were made from; of these only ``duration_s`` is read.
        given_up: ISO 639-3 code -> demographic columns that are null for all its speakers so that groups stay large.

    Returns:
        File name (a key of ``TITLES``) -> PNG. ``durations.png`` is missing where no turn has a duration.
    """
    with _default_style():
        plots = {
            f"speakers_by_{column}.png": _speakers_plot(column, statistics, given_up)
            for column in ("gender", "age_group", "language_variety")
        }
        plots["words.png"] = _words_plot(statistics)
        durations = {
            (language, side): _durations(rows, f"{side}_turns_{language}")
            for language in statistics
            for side in ("user", "system")
        }
        if any(durations.values()):
            plots["durations.png"] = _durations_plot(list(statistics), durations)
        return {name: _png(figure, TITLES[name]) for name, figure in plots.items()}


def _speakers_plot(
    column: str, statistics: Mapping[str, LanguageStatistics], given_up: Mapping[str, Sequence[str]]
) -> Figure:
    """Draw the shares of speakers and of user speech in every group, one panel a language."""
    with_hours = any(found.user_hours is not None for found in statistics.values())
    shown = {
        language: found.groups[column]
        for language, found in statistics.items()
        if column not in given_up.get(language, ())
    }
    groups = [group for found in shown.values() for group in found]
    largest = max((max(group.speaker_share, _speech_share(group, with_hours)) for group in groups), default=1.0)
    figure, panels = _grid(list(statistics), 0.8 + 0.4 * max(map(len, shown.values()), default=1))
    for language, axes in panels:
        if language not in shown:
            _write_instead(axes, f"{NOT_PUBLISHED}\n(groups would be too small)")
        elif not shown[language]:
            _write_instead(axes, "no turns")
        else:
            _draw_groups(axes, shown[language], with_hours)
            axes.set_xlim(0, 120 * (largest or 1.0))
    _legend(figure, ["share of speakers", f"share of user {'speech' if with_hours else 'turns'}"])
    return figure


def _draw_groups(axes: Axes, groups: Sequence[SpeakerGroup], with_hours: bool) -> None:
    """Draw two bars a group, in percent, each labelled with its absolute value."""
    _draw_pairs(
        axes,
        [group.value for group in groups],
        [100 * group.speaker_share for group in groups],
        [100 * _speech_share(group, with_hours) for group in groups],
        [f"{group.speakers}" for group in groups],
        [_spoken_time(group.hours or 0.0) if with_hours else f"{group.user_turns:,}" for group in groups],
    )
    axes.set_xlabel("%", fontsize=9)


def _spoken_time(hours: float) -> str:
    """Return hours as text, in minutes below one."""
    return f"{hours:.1f} h" if hours >= 1 else f"{60 * hours:.1f} min"


def _speech_share(group: SpeakerGroup, with_hours: bool) -> float:
    """Return a group's share of the language's hours, or of its turns where no language has hours."""
    return (group.hour_share or 0.0) if with_hours else group.turn_share


def _words_plot(statistics: Mapping[str, LanguageStatistics]) -> Figure:
    """Draw tokens per turn, and types among equally many tokens, human beside generated."""
    from matplotlib.figure import Figure

    names = [LANGUAGES[language].title for language in statistics]
    words = [found.words for found in statistics.values()]
    size = max((found.between.size for found in words), default=0)
    figure = Figure(figsize=(WIDTH_INCHES, 1.6 + 0.62 * max(len(names), 1)), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    means = [[side.mean_tokens or 0.0 for side in (found.human, found.generated)] for found in words]
    _draw_pairs(
        left,
        names,
        [human for human, _ in means],
        [generated for _, generated in means],
        [f"{human:.1f}" for human, _ in means],
        [f"{generated:.1f}" for _, generated in means],
    )
    left.set_title("Mean tokens per turn", fontsize=10)
    samples = [found.between for found in words]
    _draw_pairs(
        right,
        names,
        [sample.human_types for sample in samples],
        [sample.generated_types for sample in samples],
        [f"{sample.human_types:,} ({sample.human_ratio or 0:.3f})" for sample in samples],
        [f"{sample.generated_types:,} ({sample.generated_ratio or 0:.3f})" for sample in samples],
    )
    right.set_title(f"Types (type-token ratio) among {size:,} tokens", fontsize=10)
    left.set_xlim(0, 1.2 * max([value for pair in means for value in pair], default=1) or 1)
    most = max((max(sample.human_types, sample.generated_types) for sample in samples), default=1)
    right.set_xlim(0, 1.45 * most or 1)
    _legend(figure, ["human (transcription)", "generated (machine-translated but for English)"])
    return figure


def _durations_plot(languages: Sequence[str], durations: Mapping[tuple[str, str], Sequence[float]]) -> Figure:
    """Draw the durations of user and system turns as outlined histograms, one panel a language."""
    longest = min(max(max(found) for found in durations.values() if found), LONGEST_SECONDS)
    width = next((width for width in BIN_SECONDS if longest / width < MOST_BINS), BIN_SECONDS[-1])
    edges = [width * number for number in range(int(longest / width) + 2)]
    figure, panels = _grid(languages, 2.1)
    styles = (("user", BLUE, "-", 0.30), ("system", ORANGE, "--", 0.30))
    for language, axes in panels:
        for side, color, line, opacity in styles:
            found = [min(duration, edges[-1]) for duration in durations[language, side]]
            if found:
                weights = [100 / len(found)] * len(found)
                axes.hist(found, edges, weights=weights, histtype="stepfilled", color=color, alpha=opacity)
                axes.hist(found, edges, weights=weights, histtype="step", color=color, linestyle=line, linewidth=1.6)
        if not any(durations[language, side] for side, *_ in styles):
            _write_instead(axes, "no audio")
            continue
        axes.set_xlim(0, edges[-1])
        axes.set_xlabel("seconds" + (f" (last bar: {edges[-2]:.0f} or more)" if longest == LONGEST_SECONDS else ""))
        axes.set_ylabel("% of turns")
        axes.grid(axis="y", color="#e5e7eb")
    _legend(figure, ["user turns", "system turns (dashed)"])
    return figure


def _durations(rows: Rows, config: str) -> list[float]:
    return [row["duration_s"] for row in rows_of(rows, config) if row["duration_s"] is not None]


def _draw_pairs(
    axes: Axes,
    names: Sequence[str],
    first: Sequence[float],
    second: Sequence[float],
    first_labels: Sequence[str],
    second_labels: Sequence[str],
) -> None:
    """Draw two horizontal bars for each name, from top to bottom, labelled at their ends."""
    for offset, values, labels, color in ((-0.2, first, first_labels, BLUE), (0.2, second, second_labels, ORANGE)):
        bars = axes.barh([position + offset for position in range(len(names))], values, height=0.38, color=color)
        axes.bar_label(bars, labels, padding=3, fontsize=8)
    axes.set_yticks(range(len(names)), names, fontsize=9)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="x", labelsize=8)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right"]].set_visible(False)


def _grid(languages: Sequence[str], panel_inches: float) -> tuple[Figure, list[tuple[str, Axes]]]:
    """Return a figure with a titled panel for each language, two in a row."""
    from matplotlib.figure import Figure

    columns = min(2, max(len(languages), 1))
    lines = max(-(-len(languages) // columns), 1)
    figure = Figure(figsize=(WIDTH_INCHES, 0.9 + panel_inches * lines), layout="constrained")
    every = list(figure.subplots(lines, columns, squeeze=False).flat)
    for axes in every[len(languages) :]:
        axes.set_axis_off()
    panels = list(zip(languages, every, strict=False))
    for language, axes in panels:
        axes.set_title(LANGUAGES[language].title, fontsize=10)
    return figure, panels


def _write_instead(axes: Axes, text: str) -> None:
    """Write into a panel why it has no bars."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.text(0.5, 0.5, text, ha="center", va="center", fontsize=10, color="#4b5563", transform=axes.transAxes)


def _legend(figure: Figure, labels: Sequence[str]) -> None:
    """Put a legend of the two colours under a figure."""
    from matplotlib.patches import Patch

    handles = [Patch(color=color, label=label) for color, label in zip((BLUE, ORANGE), labels, strict=True)]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=9, frameon=False)


@contextmanager
def _default_style() -> Iterator[None]:
    """Draw with matplotlib's own settings, whatever the user's are."""
    from matplotlib import style

    with style.context("default", after_reset=True):
        yield


def _png(figure: Figure, title: str) -> bytes:
    """Return a figure as PNG: fixed resolution, and no date, version or software name in it."""
    figure.suptitle(title, fontsize=12)
    stream = io.BytesIO()
    metadata: dict[str, Any] = {"Software": None}
    figure.savefig(stream, format="png", dpi=DPI, metadata=metadata)
    return stream.getvalue()
