"""Speaker records: they are read as the form has them, nothing private is shown, and ids are stable and opaque."""

from __future__ import annotations

import random
from typing import Any

import pytest

from healthdial.findings import Findings
from healthdial.speakers import (
    AGE_GROUPS,
    EDUCATION_LEVELS,
    FIELDS_GIVEN_UP,
    GENDERS,
    PERSONAL_FIELDS,
    RawSpeaker,
    Speaker,
    is_personal,
    publish_speakers,
    read_speakers,
)
from hub.errors import ReleaseError
from tests.healthdial_speaker_records import KEY, account, details, publish, raw, record

SECRETS = ("0a1b2c3d4e5f60718293a4b5", "maria.example", "5 Made Up Lane", "Leeds", "secret-hash", "2024-01-02")


def test_a_record_is_read() -> None:
    findings = Findings()
    (speaker,) = read_speakers([record()], "eng", findings)
    assert speaker == RawSpeaker(
        account(0),
        "eng",
        gender="female",
        age_group="25-29",
        education="secondary",
        primary_language="British English of Leeds",
        country="United Kingdom",
        place_of_origin="5 Made Up Lane, Leeds, United Kingdom",
        region_of_residence="Leeds, United Kingdom",
    )
    assert speaker.language_variety == "British English"
    assert details(findings, "free_text_coarsened") == ["primary_language, place_of_origin, region_of_residence"]
    assert sum(findings.counts.values()) == 1


def test_the_lists_are_those_of_the_form() -> None:
    assert AGE_GROUPS[:3] == ("18-24", "25-29", "30-34")
    assert AGE_GROUPS[-3:] == ("80-84", "85-89", "90+")
    assert len(AGE_GROUPS) == 15
    assert (len(GENDERS), len(EDUCATION_LEVELS)) == (5, 5)


@pytest.mark.parametrize("value", [{"$oid": account(7)}, account(7), f" {account(7)}\n"])
def test_an_id_may_be_an_object_of_the_database(value: Any) -> None:
    (speaker,) = read_speakers([record(id=value)], "eng", Findings())
    assert speaker.account == account(7)


@pytest.mark.parametrize(
    "bad", [None, 3, "text", [], {}, {"id": None}, {"id": ""}, {"id": 5}, {"id": {}}, {"id": {"$oid": 5}}, {"id": []}]
)
def test_a_record_without_an_id_is_left_out(bad: Any) -> None:
    findings = Findings()
    assert [speaker.account for speaker in read_speakers([bad, record(1)], "eng", findings)] == [account(1)]
    assert findings.count("bad_record") == 1
    assert str(findings.first("bad_record")).startswith("eng speakers [0]: ")


@pytest.mark.parametrize("records", [None, {}, {"users": []}, "text", 3])
def test_a_file_that_is_no_list_gives_no_speakers(records: Any) -> None:
    findings = Findings()
    assert read_speakers(records, "eng", findings) == []
    assert findings.count("bad_record") == 1


def test_of_a_repeated_account_the_first_entry_is_kept() -> None:
    findings = Findings()
    (speaker,) = read_speakers([record(gender="male"), record(gender="female")], "eng", findings)
    assert speaker.gender == "male"
    assert str(findings.first("repeated_speaker")).startswith("eng speakers [1]: ")


@pytest.mark.parametrize("value", ["woman of Leeds", "", None, 3, ["female"], {"a": 1}, True])
def test_values_outside_the_form_are_null_and_not_printed(value: Any) -> None:
    findings = Findings()
    changes: dict[str, Any] = {"gender": value, "age_group": value, "education_level": value}
    (speaker,) = read_speakers([record(**changes)], "eng", findings)
    assert (speaker.gender, speaker.age_group, speaker.education) == (None, None, None)
    assert details(findings, "speaker_field_missing") == list(changes)


def test_case_spaces_and_dashes_of_form_values_do_not_matter() -> None:
    changes: dict[str, Any] = {"gender": " Non Binary", "age_group": "30 – 34", "education_level": "Higher_Education"}
    (speaker,) = read_speakers([record(**changes)], "eng", Findings())
    assert (speaker.gender, speaker.age_group, speaker.education) == ("non-binary", "30-34", "higher-education")


@pytest.mark.parametrize("value", [None, 3, ["British English"], {}, " ", "null", "undefined"])
def test_free_text_of_another_type_is_null(value: Any) -> None:
    findings = Findings()
    names = ("primary_language", "place_of_origin", "region_of_residence", "country")
    (speaker,) = read_speakers([record(**dict.fromkeys(names, value))], "eng", findings)
    assert speaker.language_variety is None
    assert details(findings, "speaker_field_missing") == list(names)
    assert findings.count("unknown_variety") == findings.count("free_text_coarsened") == 0


def test_text_that_is_not_recognised_is_reported_without_it() -> None:
    findings = Findings()
    changes: dict[str, Any] = {
        "primary_language": "that of Leeds",
        "country": "Leeds",
        "place_of_origin": "5 Made Up Lane",
    }
    (speaker,) = read_speakers([record(**changes)], "eng", findings)
    assert speaker.language_variety is None
    assert str(findings.first("unknown_variety")).startswith("eng speakers [0]: ")
    assert not any(secret in str(finding) for finding in findings for secret in SECRETS)


def test_personal_fields_are_reported_by_key_only() -> None:
    findings = Findings()
    keys = ("email", "username", "password", "date_added", "role", "lastLoginTime", "useremail", "IPAddress")
    extra: dict[str, Any] = dict.fromkeys(keys, "maria.example")
    read_speakers([record(**extra)], "eng", findings)
    assert details(findings, "personal_field") == list(extra)


@pytest.mark.parametrize(
    "key", ["maria.example@example.org", f"email_{account(3)}", "email of maria.example", "email" * 20]
)
def test_a_personal_key_that_is_no_plain_name_is_not_printed(key: str) -> None:
    findings = Findings()
    read_speakers([{**record(), key: 1}], "eng", findings)
    assert details(findings, "personal_field") == ["a key that is not a plain name"]


def test_keys_that_are_needed_are_not_personal() -> None:
    assert not [key for key in record() if is_personal(key)]
    assert all(is_personal(key) for key in PERSONAL_FIELDS)
    assert {"annotator_email", "username", "email", "password", "date_added", "role", "submission_time"} <= (
        PERSONAL_FIELDS
    )


def test_nothing_private_is_shown_anywhere() -> None:
    findings = Findings()
    private = {"email": "maria.example@example.org", "password": "secret-hash", "date_added": "2024-01-02"}
    records = [record(number, **private, gender="of Leeds") for number in range(6)] + [record(0), {"no": "Leeds"}]
    speakers = read_speakers(records, "eng", findings)
    publication = publish(speakers, findings=findings)
    shown = [repr(speakers), *map(str, speakers), *map(repr, speakers), repr(publication), str(publication)]
    shown += [text for finding in findings for text in (str(finding), repr(finding))]
    shown += [repr(list(publication.speakers.values())), f"{speakers[0]}"]
    assert shown[1] == "RawSpeaker(language='eng')"
    for text in shown:
        assert not any(secret in text for secret in (*SECRETS, account(0)[:12])), text


@pytest.mark.parametrize(
    "records",
    [["Leeds"], [{"id": 5, "email": "maria.example", "gender": "Leeds"}], [record(), record(gender="Leeds")]],
)
def test_strict_errors_show_nothing_private(records: list[Any]) -> None:
    with pytest.raises(ReleaseError) as caught:
        read_speakers(records, "eng", Findings(strict=True))
    assert not any(secret in repr(caught.value) for secret in (*SECRETS, account(0)))


def test_ids_do_not_depend_on_the_order_of_anything() -> None:
    speakers = [raw(number) for number in range(23)]
    expected = publish(speakers).speakers
    assert sorted(speaker.speaker_id for speaker in expected.values()) == [f"spk_eng_{n:02d}" for n in range(1, 24)]
    for seed in range(5):
        shuffled = random.Random(seed).sample(speakers, len(speakers))
        assert list(publish(shuffled).speakers.items()) == list(expected.items())
    as_set = {"eng": {speaker.account for speaker in speakers}}
    assert publish_speakers(speakers, as_set, KEY, 5, Findings()).speakers == expected


def test_ids_are_those_of_hmac_sha256() -> None:
    """Expected order: `printf %s eng:a | openssl dgst -sha256 -hmac kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk`, and so on."""
    speakers = publish_speakers([], {"eng": ["a", "b", "c", "d"]}, KEY, 1, Findings()).speakers
    assert [name for _, name in speakers] == ["b", "d", "a", "c"]


def test_another_key_or_language_gives_another_order() -> None:
    accounts = [account(number) for number in range(23)]

    def order(language: str, key: bytes) -> list[str]:
        return [name for _, name in publish_speakers([], {language: accounts}, key, 1, Findings()).speakers]

    assert order("eng", KEY) != order("eng", b"other")
    assert order("eng", KEY) != order("spa", KEY)
    assert order("eng", KEY) != sorted(accounts)


@pytest.mark.parametrize(
    ("count", "first", "last"), [(99, "spk_eng_01", "spk_eng_99"), (100, "spk_eng_001", "spk_eng_100")]
)
def test_from_a_hundred_speakers_on_ids_have_three_digits(count: int, first: str, last: str) -> None:
    ids = [speaker.speaker_id for speaker in publish([raw(number) for number in range(count)]).speakers.values()]
    assert (ids[0], ids[-1]) == (first, last)


def test_an_account_that_is_not_listed_is_published_without_fields() -> None:
    findings = Findings()
    publication = publish_speakers([raw(0)], {"eng": [account(0), account(1)]}, KEY, 1, findings)
    unknown = publication.speakers["eng", account(1)]
    assert unknown == Speaker(unknown.speaker_id, "eng")
    assert publication.speakers["eng", account(0)].gender == "female"
    assert str(findings.first("unknown_speaker")).startswith(f"eng speakers {unknown.speaker_id}: ")


def test_a_speaker_without_recordings_is_neither_published_nor_counted() -> None:
    findings = Findings()
    speakers = [raw(number) for number in range(5)]
    publication = publish_speakers(speakers, {"eng": [account(number) for number in range(4)]}, KEY, 5, findings)
    assert findings.count("unused_speaker") == 1
    assert ("eng", account(4)) not in publication.speakers
    assert publication.given_up["eng"] == FIELDS_GIVEN_UP


def test_one_account_may_be_listed_in_two_languages() -> None:
    speakers = [raw(0), RawSpeaker(account(0), "spa", gender="male")]
    published = publish_speakers(speakers, {"eng": [account(0)], "spa": [account(0)]}, KEY, 1, Findings()).speakers
    assert {language: speaker.gender for (language, _), speaker in published.items()} == {
        "eng": "female",
        "spa": "male",
    }
