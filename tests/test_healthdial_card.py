"""The card and the terms: valid for the Hub, every column documented, faults and missing fields told, no address."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from datasets import Features
from huggingface_hub import DatasetCard, DatasetCardData

from healthdial.card import CardInput, metadata_of, render_card, render_terms, size_category, text_part
from healthdial.findings import Findings, Place
from healthdial.languages import LANGUAGES
from healthdial.plots import TITLES
from healthdial.schema import (
    CORPUS_SPLIT,
    SPEAKERS_SPLIT,
    SPLITS,
    BuiltConfig,
    BuiltSplit,
    config_names,
    features_of,
)
from healthdial.statistics import describe
from tests.healthdial_toy_rows import ALL_LANGUAGES, toy_rows

E_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[a-z]{2,}")


def built_config(name: str) -> BuiltConfig:
    if name.startswith("snippets"):
        splits = [BuiltSplit(CORPUS_SPLIT, (f"data/{name}/corpus-00.parquet",), 9, 900, 1900)]
    elif name == "speakers":
        splits = [BuiltSplit(SPEAKERS_SPLIT, ("data/speakers/speakers-00.parquet",), 8, 800, 1800)]
    else:
        files = {split: (f"data/{name}/{split}-00.parquet",) for split in SPLITS}
        files["test"] = tuple(f"data/{name}/test-0{part}.parquet" for part in (0, 1))
        splits = [BuiltSplit(split, files[split], 40, 4000, 9000) for split in SPLITS]
    return BuiltConfig(name, tuple(splits), features_of(name)._to_yaml_list())


def card_input(languages: tuple[str, ...] = ALL_LANGUAGES, audio: bool = True, **changes: Any) -> CardInput:
    rows = toy_rows(languages, audio)
    card = CardInput(
        origin="release@0123456789ab",
        languages=languages,
        built=tuple(map(built_config, config_names(languages))),
        statistics=describe(rows, dict.fromkeys(languages, str.split)),
        findings=Findings(),
        plots=tuple(TITLES),
        audio_format="flac" if audio else None,
        split_source="list position in each language",
        k=5,
        k_reached=dict.fromkeys(languages, 2),
        given_up={},
        tokenizers={language: f"splitter of {language} 1.0" for language in languages},
        example=rows[f"user_turns_{languages[0]}"]["test"][0],
    )
    return replace(card, **changes)


@pytest.fixture
def sample() -> CardInput:
    return card_input(origin="sample")


def section(text: str, title: str) -> str:
    """Return the text under a heading, up to the next one of the same or a higher level."""
    level = title.split(" ")[0]
    start = text.index(f"\n{title}\n") + len(title) + 2
    following = re.search(rf"^#{{1,{len(level)}}} ", text[start:], re.MULTILINE)
    return text[start : start + following.start()] if following else text[start:]


def documented_columns(text: str, title: str) -> list[str]:
    cells = [line.split("|")[1] for line in section(text, title).splitlines() if line.startswith("| `")]
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


@pytest.mark.parametrize("config", config_names(("eng",)))
@pytest.mark.parametrize("audio", [True, False])
def test_every_column_is_documented_once_and_nothing_else(config: str, audio: bool) -> None:
    base = config.removesuffix("eng") + "*" if config.endswith("_eng") else config
    documented = documented_columns(render_card(card_input(audio=audio)), f"### `{base}`")
    assert sorted(documented) == sorted(features_of(config))


def test_the_fields_of_nested_turns_are_documented() -> None:
    text = section(render_card(card_input()), "### `dialogues_*`")
    assert all(f"`{name}`" in text for name in features_of("dialogues_eng")["turns"].feature)


@pytest.mark.parametrize("card", [card_input(), card_input(audio=False), card_input(origin="sample")])
def test_the_hub_reads_the_metadata(card: CardInput) -> None:
    data = DatasetCard(render_card(card)).data
    assert isinstance(data, DatasetCardData)
    assert data.to_dict() == metadata_of(card)
    assert DatasetCardData(**metadata_of(card)).language == ["ar", "zh", "en", "es"]
    assert data.size_categories == ["1K<n<10K"]


def test_metadata_of_a_release() -> None:
    data = metadata_of(card_input())
    assert (data["license"], data["license_link"]) == ("other", "LICENSE.md")
    assert data["pretty_name"] == "HealthDial"
    assert "automatic-speech-recognition" in data["task_categories"]


def test_metadata_of_the_sample(sample: CardInput) -> None:
    data = metadata_of(sample)
    assert (data["license"], data["pretty_name"]) == ("mit", "HealthDial (SAMPLE)")
    assert "license_link" not in data


def test_only_recordings_of_people_are_gated(sample: CardInput) -> None:
    gate = metadata_of(card_input())["extra_gated_fields"]
    assert list(gate.values()) == ["text", "text", "country", "text", *["checkbox"] * 4]
    for card in (sample, card_input(audio=False)):
        assert not [key for key in metadata_of(card) if key.startswith("extra_gated")]


def test_configs_name_every_file_and_one_is_the_default() -> None:
    card = card_input()
    configs = {config["config_name"]: config for config in metadata_of(card)["configs"]}
    assert [name for name, config in configs.items() if config.get("default")] == ["user_turns_eng"]
    assert configs["user_turns_zho"]["data_files"][2] == {
        "split": "test",
        "path": ["data/user_turns_zho/test-00.parquet", "data/user_turns_zho/test-01.parquet"],
    }
    assert configs["snippets_eng"]["data_files"] == [
        {"split": "corpus", "path": "data/snippets_eng/corpus-00.parquet"}
    ]


def test_the_first_config_is_the_default_without_english() -> None:
    card = card_input(("zho", "spa"))
    assert metadata_of(card)["configs"][0] == {
        **metadata_of(card)["configs"][0],
        "config_name": "user_turns_zho",
        "default": True,
    }
    assert 'load_dataset("healthdial", "user_turns_zho", split="test")' in render_card(card)


def test_dataset_info_gives_the_features_back() -> None:
    for info in metadata_of(card_input())["dataset_info"]:
        assert Features._from_yaml_list(info["features"]) == features_of(info["config_name"])
    assert (info["download_size"], info["dataset_size"]) == (800, 1800)


@pytest.mark.parametrize(
    ("rows", "category"),
    [(999, "n<1K"), (1000, "1K<n<10K"), (99_999, "10K<n<100K"), (250_000, "100K<n<1M"), (10**7, "10M<n<100M")],
)
def test_size_categories(rows: int, category: str) -> None:
    assert size_category(rows) == category


def test_configs_table_counts_by_split() -> None:
    text = render_card(card_input())
    assert "| `user_turns_eng` | 40 | 40 | 40 |  | 120 |" in text
    assert "| `snippets_eng` |  |  |  | 9 (`corpus`) | 9 |" in text


def test_faults_are_told_with_counts_and_places() -> None:
    findings = Findings()
    for number in range(5):
        findings.add("missing_audio", Place("eng", "user audio", f"ENG_{number}", 3))
    findings.add("missing_audio", Place("zho", "user audio", "CHN_9"))
    findings.add("orphan_audio", Place("", "user audio"), times=7)
    text = section(render_card(card_input(findings=findings)), "## Known faults")
    assert (
        "| `missing_audio` | no recording of a turn; the row is kept without audio | keep | 0 | 1 | 5 | 0 | 0 |"
        in text
    )
    assert "eng user audio ENG_0 utterance 3; zho user audio CHN_9; eng user audio ENG_1 utterance 3 |" in text
    assert re.search(r"`orphan_audio` .*\| note \| 0 \| 0 \| 0 \| 0 \| 7 \|", text)
    assert "`clipped`" not in text


def test_details_of_faults_stay_in_the_audit() -> None:
    findings = Findings()
    findings.add("personal_field", Place("eng", "speakers", "[0]"), "someone@example.org")
    assert not E_MAIL.search(render_card(card_input(findings=findings)))


def test_leaks_are_told() -> None:
    findings = Findings()
    findings.add("split_leak", Place("", "dialogues"), times=12)
    assert "**Leak: 12 dialogue numbers are in different splits" in render_card(card_input(findings=findings))
    assert "Leak:" not in render_card(card_input())
    assert "was not looked at" in render_card(card_input(("eng",)))


def test_columns_given_up_are_not_published() -> None:
    text = section(
        render_card(card_input(given_up={"ara": ("education",)}, k_reached={"ara": 6, "zho": 5, "eng": 5, "spa": 5})),
        "## Speakers and privacy",
    )
    assert "| Arabic | 2 | 6 | `education` |" in text
    assert "| `education` | Arabic | not published |" in text
    assert "| `education` | Spanish | primary | 2 (100.0%) | 10 (100.0%) | 0.02 (100.0%) |" in text


def test_statistics_are_told() -> None:
    text = section(render_card(card_input()), "## Statistics")
    assert "| dialogues, train | 2 | 2 | 2 | 2 | 8 |" in text
    assert "| the same without openings | 60.0% | 60.0% | 60.0% | 60.0% | - |" in text
    assert "| English | human | 9 | 117 | 13 | 0.1111 | 13.00 |" in text
    assert "| English | all languages | 63 | 13 | 6 | 0.2063 | 0.0952 |" in text
    assert "splitter of zho 1.0" in text


def test_published_figures_stand_beside_a_whole_release_only(sample: CardInput) -> None:
    whole = render_card(card_input())
    assert "| turns | 41,988, not said of what | 40 user turns; 60 system turns (40 without openings); 100" in whole
    assert "| turns that need retrieval | 75.5% | 40.0% of system turns, 60.0% without openings |" in whole
    assert "| speakers ara / zho / eng / spa | 24 / 23 / 23 / 23 | 2 / 2 / 2 / 2 |" in whole
    for card in (sample, card_input(("eng", "spa"))):
        assert "| Published |" not in render_card(card)


def test_contradictory_labels_are_told() -> None:
    card = card_input()
    found = replace(card.statistics["eng"], turn_states={"grounded": 8, "contradictory": 3})
    text = render_card(replace(card, statistics={**card.statistics, "eng": found}))
    assert "3 system turns have labels that are none of the three" in text
    assert "labels that are none of the three" not in render_card(card)


def test_audio_is_described_only_if_it_was_built() -> None:
    with_audio, without = render_card(card_input()), render_card(card_input(audio=False, plots=()))
    assert "| English | user | 6 | 4 | 0 | 0 | 0 |" in with_audio
    assert "soundfile.read" in with_audio
    assert "Built without audio" in without
    assert "soundfile.read" not in without
    assert "### Plots" not in without


def test_plots_are_shown_with_alternative_text() -> None:
    text = render_card(card_input(plots=("words.png",)))
    assert "![Human beside generated user turns](plots/words.png)" in text
    assert "plots/durations.png" not in text


def test_the_example_has_no_audio() -> None:
    card = card_input()
    text = render_card(replace(card, example={"audio": b"RIFF", **card.example}))
    assert '"utterance_id": "ara-0004-u01"' in text
    assert '"audio":' not in text


def test_the_sample_says_what_it_is(sample: CardInput) -> None:
    text = render_card(sample)
    assert "# HealthDial (SAMPLE)" in text
    assert "All voices are synthetic" in text
    assert "None of it is medical advice" in text
    assert "SAMPLE" not in render_card(card_input())


@pytest.mark.parametrize("card", [card_input(), card_input(audio=False), card_input(origin="sample")])
def test_no_address_and_no_unfilled_template(card: CardInput) -> None:
    for text in (render_card(card), render_terms(card)):
        assert not E_MAIL.search(text)
        assert "{{" not in text
        assert "{%" not in text
        assert "ommunity" in text or card.is_sample


@pytest.mark.parametrize("text", [render_card(card_input()), render_terms(card_input())])
def test_three_regimes_and_no_clinical_use(text: str) -> None:
    for words in (
        "Copyright (c) 2025 The HEALTHDIAL Authors",
        "cambridgeltl/HealthDial",
        "World Health Organization",
        "ot for clinical use",
        "2026.findings-acl.1275",
        "tags of",
    ):
        assert words in text


def test_terms_of_builds_differ_in_what_they_hold(sample: CardInput) -> None:
    assert "This build has no recordings" in render_terms(card_input(audio=False))
    assert "This build has no recordings" not in render_terms(card_input())
    assert "does not bind the sample" in render_terms(sample)


def test_every_language_is_named() -> None:
    text = render_card(card_input())
    assert "Spoken dialogues in Arabic, Chinese, English and Spanish:" in text
    assert all(f"`{code}` {language.title}" in text for code, language in LANGUAGES.items())


@pytest.mark.parametrize("card", [card_input(), card_input(origin="sample")])
def test_the_card_of_the_texts_alone_leaves_the_recordings_out(card: CardInput) -> None:
    texts = text_part(card)
    data, text = metadata_of(texts), render_card(texts)
    with_audio = {name for name in config_names(ALL_LANGUAGES) if "audio" in features_of(name)}
    assert {config["config_name"] for config in data["configs"]} == set(config_names(ALL_LANGUAGES)) - with_audio
    assert [config["config_name"] for config in data["configs"] if config.get("default")] == ["dialogues_eng"]
    assert not [key for key in data if key.startswith("extra_gated")]
    assert "speech" not in data["tags"] + data["task_categories"]
    assert 'load_dataset("healthdial", "dialogues_eng", split="test")' in text
    assert text.count("user_turns_") == text.count("system_turns_") == 1
    assert "`audio`" not in text
    for config in config_names(("eng",)):
        if config not in with_audio:
            base = config.removesuffix("eng") + "*" if config.endswith("_eng") else config
            assert sorted(documented_columns(text, f"### `{base}`")) == sorted(features_of(config))
