"""Published speakers: every combination of fields has k speakers, and fields are given up in order until it has."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healthdial.findings import Findings
from healthdial.speakers import (
    AGE_GROUPS,
    EDUCATION_LEVELS,
    FIELDS_GIVEN_UP,
    GENDERS,
    Publication,
    RawSpeaker,
    publish_speakers,
)
from hub.errors import BenchError
from tests.healthdial_speaker_records import KEY, account, combinations, details, publish, raw


def rare(field: str) -> dict[str, str]:
    """A value of one field that nobody else has."""
    values = {"education": "primary", "language_variety": "Irish English", "age_group": "90+", "gender": "non-binary"}
    return {"primary_language" if field == "language_variety" else field: values[field]}


@pytest.mark.parametrize("steps", range(1, 5))
def test_fields_are_given_up_in_order_up_to_the_rare_one(steps: int) -> None:
    """22 speakers alike and a lone one that differs in one field: the fields up to that one go, the later stay."""
    findings = Findings()
    speakers = [raw(number) for number in range(22)] + [raw(22, **rare(FIELDS_GIVEN_UP[steps - 1]))]
    publication = publish(speakers, findings=findings)
    assert publication.given_up["eng"] == FIELDS_GIVEN_UP[:steps]
    assert publication.k_reached["eng"] == 23
    assert details(findings, "field_given_up") == [f"{name}, k = 5" for name in FIELDS_GIVEN_UP[:steps]]
    for speaker in publication.speakers.values():
        nulls = [name for name in FIELDS_GIVEN_UP if getattr(speaker, name) is None]
        assert nulls == list(FIELDS_GIVEN_UP[:steps])


def test_speakers_who_are_all_alike_keep_everything() -> None:
    publication = publish([raw(number) for number in range(23)])
    assert publication.given_up["eng"] == ()
    assert publication.k_reached["eng"] == 23
    assert set(combinations(publication)) == {("secondary", "British English", "25-29", "female")}


@pytest.mark.parametrize(("rare_ones", "given_up"), [(5, ()), (4, ("education",))])
def test_k_speakers_are_enough_and_one_fewer_are_not(rare_ones: int, given_up: tuple[str, ...]) -> None:
    speakers = [raw(number, **(rare("education") if number < rare_ones else {})) for number in range(23)]
    publication = publish(speakers)
    assert publication.given_up["eng"] == given_up
    assert publication.k_reached["eng"] == (23 if given_up else 5)


def test_a_lone_value_is_hidden_for_all_and_not_only_for_its_speaker() -> None:
    """If only the non-binary speaker were null, the null would tell."""
    publication = publish([raw(number) for number in range(22)] + [raw(22, gender="non-binary")])
    assert combinations(publication) == {(None, None, None, None): 23}


@pytest.mark.parametrize("count", range(1, 5))
def test_fewer_than_k_speakers_give_up_everything(count: int) -> None:
    publication = publish([raw(number) for number in range(count)])
    assert publication.given_up["eng"] == FIELDS_GIVEN_UP
    assert combinations(publication) == {(None, None, None, None): count}
    assert publication.k_reached["eng"] == count


def test_a_single_known_speaker_among_unknown_ones_gives_up_everything() -> None:
    publication = publish_speakers([raw(0)], {"eng": [account(number) for number in range(23)]}, KEY, 5, Findings())
    assert combinations(publication) == {(None, None, None, None): 23}


def test_speakers_of_whom_nothing_is_known_are_no_combination() -> None:
    speakers = [raw(number) for number in range(6)]
    publication = publish_speakers(speakers, {"eng": [account(number) for number in range(8)]}, KEY, 5, Findings())
    assert publication.given_up["eng"] == ()
    assert publication.k_reached["eng"] == 6


def test_languages_are_counted_apart() -> None:
    speakers = [raw(number) for number in range(5)] + [RawSpeaker(account(9), "spa", gender="female")]
    recorded = {"eng": [account(number) for number in range(5)], "spa": [account(9)]}
    publication = publish_speakers(speakers, recorded, KEY, 5, Findings())
    assert publication.given_up == {"eng": (), "spa": FIELDS_GIVEN_UP}


def test_no_speakers_at_all() -> None:
    assert publish_speakers([], {}, KEY, 5, Findings()) == Publication({}, {}, {})
    assert publish_speakers([], {"eng": []}, KEY, 5, Findings()) == Publication({}, {"eng": 0}, {"eng": ()})


def test_k_of_one_publishes_all() -> None:
    speakers = [raw(0), raw(1, gender="non-binary", age_group="90+")]
    publication = publish(speakers, k=1)
    assert publication.given_up["eng"] == ()
    assert publication.k_reached["eng"] == 1


@pytest.mark.parametrize("k", [0, -1])
def test_k_under_one_is_an_error(k: int) -> None:
    with pytest.raises(BenchError, match=f"k is {k}"):
        publish([raw(0)], k=k)


VALUES = st.fixed_dictionaries(
    {
        "gender": st.sampled_from((*GENDERS[:3], None)),
        "age_group": st.sampled_from((*AGE_GROUPS[:3], None)),
        "education": st.sampled_from((*EDUCATION_LEVELS[:2], None)),
        "primary_language": st.sampled_from(("British English", "Irish English", "Elvish", None)),
    }
)


@given(fields=st.lists(VALUES, max_size=30), unlisted=st.integers(0, 3), k=st.integers(1, 8), most_alike=st.booleans())
def test_every_published_combination_has_k_speakers(
    fields: list[dict[str, Any]], unlisted: int, k: int, most_alike: bool
) -> None:
    alike = [raw(100 + number) for number in range(20 if most_alike else 0)]
    speakers = [raw(number, **values) for number, values in enumerate(fields)] + alike
    accounts = [speaker.account for speaker in speakers] + [account(200 + number) for number in range(unlisted)]
    publication = publish_speakers(speakers, {"eng": accounts}, KEY, k, Findings())
    counts = {values: count for values, count in combinations(publication).items() if any(values)}
    assert all(count >= k for count in counts.values())
    assert publication.k_reached["eng"] == min(counts.values(), default=len(accounts))
    given_up = publication.given_up["eng"]
    assert given_up == FIELDS_GIVEN_UP[: len(given_up)]
    if given_up and len(accounts) >= k:  # one field fewer would not have been enough
        kept = FIELDS_GIVEN_UP[len(given_up) - 1 :]
        before = Counter(tuple(getattr(speaker, name) for name in kept) for speaker in speakers)
        assert any(count < k for values, count in before.items() if any(values))
