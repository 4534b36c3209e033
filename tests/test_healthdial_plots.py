"""Plots: the same bytes twice whatever the user's settings, no software or date inside, and no silent gaps."""

from __future__ import annotations

import io

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from healthdial import plots
from healthdial.plots import DPI, TITLES, WIDTH_INCHES, draw_plots
from healthdial.statistics import describe
from tests.healthdial_toy_rows import ALL_LANGUAGES, Rows, toy_rows

TOKENIZERS = dict.fromkeys(ALL_LANGUAGES, str.split)


def draw(rows: Rows, given_up: dict[str, tuple[str, ...]] | None = None) -> dict[str, bytes]:
    return draw_plots(describe(rows, TOKENIZERS), rows, given_up or {})


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Every text of every plot by title, filled when plots are drawn."""
    found: dict[str, list[str]] = {}

    def keep(figure: Figure, title: str) -> bytes:
        found[title] = [artist.get_text() for artist in figure.findobj(Text) if artist.get_visible()]
        return b""

    monkeypatch.setattr(plots, "_png", keep)
    return found


def test_plots_are_byte_identical_whatever_the_settings() -> None:
    first = draw(toy_rows())
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "black", "savefig.dpi": 50}):
        assert draw(toy_rows()) == first
        assert mpl.rcParams["font.size"] == 20
    assert list(first) == list(TITLES)


def test_images_have_a_fixed_width_and_name_no_software() -> None:
    for content in draw(toy_rows()).values():
        image = Image.open(io.BytesIO(content))
        assert image.format == "PNG"
        assert image.width == WIDTH_INCHES * DPI
        assert set(image.info) <= {"dpi"}


def test_a_column_given_up_is_called_not_published(texts: dict[str, list[str]]) -> None:
    draw(toy_rows(), {"spa": ("language_variety",)})
    by_variety = texts["Speakers and user speech by language variety"]
    assert sum(text.startswith("not published") for text in by_variety) == 1
    assert "eng of the valley" in by_variety
    assert "spa of the valley" not in by_variety
    assert not any("not published" in text for text in texts["Speakers and user speech by gender"])


def test_values_not_given_are_shown(texts: dict[str, list[str]]) -> None:
    draw(toy_rows())
    assert texts["Speakers and user speech by language variety"].count("not given") == len(ALL_LANGUAGES)


def test_bars_are_labelled_with_hours_or_without_audio_with_turns(texts: dict[str, list[str]]) -> None:
    draw(toy_rows(("eng",)))
    assert any(text.endswith(" min") for text in texts["Speakers and user speech by gender"])
    draw(toy_rows(("eng",), audio=False))
    by_gender = texts["Speakers and user speech by gender"]
    assert {"4", "6", "share of user turns"} <= set(by_gender)
    assert not any(text.endswith(" min") for text in by_gender)


def test_words_show_the_size_of_the_samples(texts: dict[str, list[str]]) -> None:
    draw(toy_rows())
    words = texts["Human beside generated user turns"]
    assert "Types (type-token ratio) among 63 tokens" in words
    assert words.count("13 (0.206)") == words.count("6 (0.095)") == len(ALL_LANGUAGES)
    assert words.count("13.0") == words.count("7.0") == len(ALL_LANGUAGES)


def test_durations_are_left_out_without_audio_and_said_to_be_missing_in_part(texts: dict[str, list[str]]) -> None:
    assert "durations.png" not in draw(toy_rows(audio=False))
    draw({**toy_rows(("eng",)), **toy_rows(("ara",), audio=False)})
    assert texts["Durations of turns"].count("no audio") == 1


def test_longer_turns_are_in_the_last_bar_and_it_says_so(texts: dict[str, list[str]]) -> None:
    rows = toy_rows(("eng",))
    draw(rows)
    assert "seconds" in texts["Durations of turns"]
    rows["user_turns_eng"]["test"][0]["duration_s"] = 3600.0
    draw(rows)
    assert "seconds (last bar: 120 or more)" in texts["Durations of turns"]
