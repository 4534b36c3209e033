"""Speaker records of the release to what may be published of them: opaque ids, a few coarse fields, k-anonymity."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from healthdial.findings import Findings, Place
from healthdial.varieties import language_variety
from hub.errors import BenchError

FIELDS_GIVEN_UP = ("education", "language_variety", "age_group", "gender")
"""Published fields, in the order in which they are given up until each combination has k speakers."""

GENDERS = ("female", "male", "non-binary", "not-listed", "prefer-not-to-say")
AGE_GROUPS = ("18-24", *(f"{age}-{age + 4}" for age in range(25, 90, 5)), "90+")
EDUCATION_LEVELS = ("primary", "secondary", "higher-education", "other", "prefer-not-to-say")

PERSONAL_FIELDS = frozenset(
    {
        *("annotator_email", "email", "username", "user_name", "password", "role", "date_added", "ip", "ip_address"),
        *("submission_time", "start_time", "end_time", "created_at", "updated_at", "last_login", "timestamp"),
        *("name", "first_name", "last_name", "full_name", "phone", "phone_number", "address", "date_of_birth"),
    }
)
"""Keys with personal data; `is_personal` knows more by their words."""

_PERSONAL_WORDS = frozenset(
    {
        *("annotator", "user", "login", "account", "hash", "salt", "token", "session", "cookie", "ip", "agent"),
        *(
            "device",
            "date",
            "time",
            "created",
            "updated",
            "added",
            "name",
            "street",
            "postcode",
            "dob",
            "bank",
            "iban",
        ),
    }
)
_PERSONAL_STEMS = ("mail", "passw", "phone", "mobile", "address", "birth", "username", "surname", "timestamp", "@")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PLAIN_KEY = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)*")
_LONGEST_KEY = 40

_ID_KEYS = ("id", "_id")
_FORM_VALUES = {"gender": GENDERS, "age_group": AGE_GROUPS, "education_level": EDUCATION_LEVELS}
_FREE_TEXT = ("primary_language", "place_of_origin", "region_of_residence")


@dataclass(frozen=True)
class RawSpeaker:
    """A speaker as listed in the release; stays on this machine, so only the language is shown.

    Attributes:
        account: Account id of the annotation tool.
        language: ISO 639-3 code.
        gender: One of ``GENDERS``, or None.
        age_group: One of ``AGE_GROUPS``, or None.
        education: One of ``EDUCATION_LEVELS``, or None.
        primary_language: Free text.
        country: Name of a country.
        place_of_origin: Free text, city and country.
        region_of_residence: Free text, city and country.
    """

    account: str = field(repr=False)
    language: str
    gender: str | None = field(default=None, repr=False)
    age_group: str | None = field(default=None, repr=False)
    education: str | None = field(default=None, repr=False)
    primary_language: str | None = field(default=None, repr=False)
    country: str | None = field(default=None, repr=False)
    place_of_origin: str | None = field(default=None, repr=False)
    region_of_residence: str | None = field(default=None, repr=False)

    @property
    def language_variety(self) -> str | None:
        """The variety that the free text points to, of a closed list."""
        return language_variety(self.language, self.primary_language, self.country, self.place_of_origin)


@dataclass(frozen=True)
class Speaker:
    """What may be published of a speaker.

    Attributes:
        speaker_id: Opaque id such as ``spk_eng_07``.
        language: ISO 639-3 code.
        gender: One of ``GENDERS``; None if unknown or given up.
        age_group: One of ``AGE_GROUPS``; None if unknown or given up.
        education: One of ``EDUCATION_LEVELS``; None if unknown or given up.
        language_variety: One of ``varieties.VARIETIES``; None if unknown or given up.
    """

    speaker_id: str
    language: str
    gender: str | None = None
    age_group: str | None = None
    education: str | None = None
    language_variety: str | None = None


@dataclass(frozen=True)
class Publication:
    """The published speakers of all languages.

    Attributes:
        speakers: (language, account) -> speaker; not shown, as accounts are private.
        k_reached: Language -> smallest number of its speakers that share a published combination; the number of its
            speakers if nothing is published about any.
        given_up: Language -> fields that are null for all its speakers, in the order in which they were given up.
    """

    speakers: dict[tuple[str, str], Speaker] = field(repr=False)
    k_reached: dict[str, int]
    given_up: dict[str, tuple[str, ...]]


def is_personal(key: str) -> bool:
    """Return whether a record's key looks like one with personal data (an e-mail, a name, a time, an address)."""
    lower = key.lower()
    words = {word.lower() for word in _WORD.findall(key)}
    return lower in PERSONAL_FIELDS or bool(words & _PERSONAL_WORDS) or any(stem in lower for stem in _PERSONAL_STEMS)


def is_plain(key: str) -> bool:
    """Return whether a key is made of letters as field names are, so that it can be printed."""
    return bool(_PLAIN_KEY.fullmatch(key)) and len(key) <= _LONGEST_KEY


def read_speakers(records: Any, language: str, findings: Findings) -> list[RawSpeaker]:
    """Read the parsed ``user_list_final.json`` of one language.

    Personal fields are left unread. Findings name the position in the list and the field, never a value.

    Args:
        records: A list of JSON objects; ``id`` is text or ``{"$oid": text}``. Anything else is reported.
        language: ISO 639-3 code.
        findings: Where faults are counted: bad_record, repeated_speaker, personal_field, speaker_field_missing,
            unknown_variety, free_text_coarsened.

    Returns:
        The speakers in the order of the list, each account once.
    """
    if not isinstance(records, list):
        findings.add("bad_record", Place(language, "speakers"), "the file is not a JSON list")
        return []
    speakers: dict[str, RawSpeaker] = {}
    for position, record in enumerate(records):
        place = Place(language, "speakers", f"[{position}]")
        account = _account(record)
        if account is None:
            findings.add("bad_record", place, "not a JSON object with an id")
            continue
        _report_personal_fields(record, place, findings)
        if account in speakers:
            findings.add("repeated_speaker", place)
            continue
        speakers[account] = _read_speaker(record, account, place, findings)
    return list(speakers.values())


def publish_speakers(
    raw: Iterable[RawSpeaker], recorded: Mapping[str, Collection[str]], key: bytes, k: int, findings: Findings
) -> Publication:
    """Give the speakers with recordings opaque ids, and publish as much about them as k-anonymity leaves.

    Ids number a language's accounts from 01 in the order of HMAC-SHA256(key, ``language:account``): the same input
    and key give the same ids, and without the key the order says nothing. Within a language, fields are given up in
    the order of ``FIELDS_GIVEN_UP`` until at least k speakers share each published combination (Sweeney 2002,
    k-anonymity, with suppression of whole columns). A speaker about whom nothing is published is no combination. A
    language with fewer than k speakers gives up every field.

    Args:
        raw: Speakers as listed; of an account listed twice in a language the first counts.
        recorded: Language -> accounts with at least one dialogue, in any order.
        key: Secret of `load_or_make_key`.
        k: Speakers who must share a combination, 1 or more; 1 publishes everything.
        findings: Where faults are counted: unknown_speaker, unused_speaker, field_given_up.

    Raises:
        BenchError: ``k`` is under 1.
    """
    if k < 1:
        raise BenchError(f"k is {k}: at least 1 speaker must share a combination; give 1 or more (5 is usual).")
    listed: dict[tuple[str, str], RawSpeaker] = {}
    for speaker in raw:
        listed.setdefault((speaker.language, speaker.account), speaker)
    for language, account in listed:
        if account not in recorded.get(language, ()):
            findings.add("unused_speaker", Place(language, "speakers"))
    publication = Publication({}, {}, {})
    for language in sorted(recorded):
        ids = _opaque_ids(language, recorded[language], key)
        full = {account: _speaker(speaker_id, language, listed, account) for account, speaker_id in ids.items()}
        for account, speaker_id in ids.items():
            if (language, account) not in listed:
                findings.add("unknown_speaker", Place(language, "speakers", speaker_id))
        given_up = _fields_to_give_up(list(full.values()), k)
        for name in given_up:
            findings.add("field_given_up", Place(language, "speakers"), f"{name}, k = {k}")
        published = {account: _without(speaker, given_up) for account, speaker in full.items()}
        publication.speakers.update({(language, account): speaker for account, speaker in published.items()})
        publication.k_reached[language] = _smallest_group(published.values())
        publication.given_up[language] = given_up
    return publication


def _account(record: Any) -> str | None:
    """Return a record's account id, or None if it is no object with an id."""
    if not isinstance(record, dict):
        return None
    value = next((record[key] for key in _ID_KEYS if key in record), None)
    if isinstance(value, dict):
        value = value.get("$oid")
    return value.strip() or None if isinstance(value, str) else None


def _report_personal_fields(record: dict[str, Any], place: Place, findings: Findings) -> None:
    """Report keys that look personal; a key that is no plain word may itself be personal, and is not printed."""
    for key in filter(is_personal, record):
        findings.add("personal_field", place, key if is_plain(key) else "a key that is not a plain name")


def _read_speaker(record: dict[str, Any], account: str, place: Place, findings: Findings) -> RawSpeaker:
    """Read the fields that are needed of one record."""
    form = {name: _form_value(record.get(name), allowed) for name, allowed in _FORM_VALUES.items()}
    text = {name: _text(record.get(name)) for name in (*_FREE_TEXT, "country")}
    for name, value in {**form, **text}.items():
        if value is None:
            findings.add("speaker_field_missing", place, name)
    speaker = RawSpeaker(account, language=place.language, education=form.pop("education_level"), **form, **text)
    coarsened = [name for name in _FREE_TEXT if text[name]]
    if coarsened:
        findings.add("free_text_coarsened", place, ", ".join(coarsened))
    if speaker.language_variety is None and any(text.values()):
        findings.add("unknown_variety", place)
    return speaker


def _form_value(value: Any, allowed: Collection[str]) -> str | None:
    """Return a value of the form's list, however its case, spaces and dashes are written, or None."""
    written = re.sub(r"[\s_–-]+", "-", value.strip().lower()) if isinstance(value, str) else None
    return written if written in allowed else None


def _text(value: Any) -> str | None:
    """Return free text, or None where there is none (form values are text, even `null`)."""
    text = value.strip() if isinstance(value, str) else ""
    return None if text.lower() in ("", "null", "undefined", "none") else text


def _opaque_ids(language: str, accounts: Iterable[str], key: bytes) -> dict[str, str]:
    """Return account -> opaque id, in the order of the ids."""

    def place_in_order(account: str) -> bytes:
        message = f"{language}:{account}".encode("utf-8", "surrogatepass")
        return hmac.new(key, message, hashlib.sha256).digest()

    ordered = sorted(set(accounts), key=place_in_order)
    digits = max(2, len(str(len(ordered))))
    return {account: f"spk_{language}_{number:0{digits}d}" for number, account in enumerate(ordered, start=1)}


def _speaker(speaker_id: str, language: str, listed: Mapping[tuple[str, str], RawSpeaker], account: str) -> Speaker:
    """Return a speaker with every field that is known."""
    raw = listed.get((language, account))
    if raw is None:
        return Speaker(speaker_id, language)
    return Speaker(speaker_id, language, raw.gender, raw.age_group, raw.education, raw.language_variety)


def _fields_to_give_up(speakers: Collection[Speaker], k: int) -> tuple[str, ...]:
    """Return the shortest start of ``FIELDS_GIVEN_UP`` without which every combination has k speakers."""
    if len(speakers) < k:
        return FIELDS_GIVEN_UP if speakers else ()
    starts = (FIELDS_GIVEN_UP[:count] for count in range(len(FIELDS_GIVEN_UP) + 1))
    return next(start for start in starts if _smallest_group([_without(speaker, start) for speaker in speakers]) >= k)


def _without(speaker: Speaker, fields: Iterable[str]) -> Speaker:
    """Return a speaker without some fields."""
    nothing: dict[str, Any] = dict.fromkeys(fields)
    return replace(speaker, **nothing)


def _smallest_group(speakers: Collection[Speaker]) -> int:
    """Return how many speakers share the rarest combination; all of them if nothing is published about any."""
    combinations = Counter(tuple(getattr(speaker, name) for name in FIELDS_GIVEN_UP) for speaker in speakers)
    counts = [count for combination, count in combinations.items() if any(combination)]
    return min(counts, default=len(speakers))
