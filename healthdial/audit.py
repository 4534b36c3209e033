"""One pass over a release: the check list that settles what its documentation leaves open, and every fault by name."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import asdict, dataclass
from typing import Any, Literal

from healthdial.audio import ProcessedAudio
from healthdial.audio_pass import (
    AudioPass,
    Indexes,
    index_recordings,
    inspect_recordings,
    report_unused,
    resolve_turns,
)
from healthdial.dialogues import DOCUMENTED_KEYS
from healthdial.findings import Findings
from healthdial.languages import LANGUAGES
from healthdial.published import (
    DIALOGUES,
    HOURS,
    MOST_GOLD,
    OOK_DIALOGUES,
    PARALLEL_SETS,
    RETRIEVAL_SHARE,
    SNIPPETS,
    SPEAKERS,
    TRAIN_DIALOGUES,
    TURNS,
    VALIDATION_DIALOGUES,
)
from healthdial.release import Release, recorded_accounts
from healthdial.rows import parallel_dialogues, parallel_turn_rows
from healthdial.speakers import Publication, is_plain, publish_speakers

Verdict = Literal["as expected", "differs", "broken", "-"]

SPLIT_SIZES = {
    "train": TRAIN_DIALOGUES,
    "validation": VALIDATION_DIALOGUES,
    "test": DIALOGUES - TRAIN_DIALOGUES - VALIDATION_DIALOGUES,
}

INVARIANTS = (
    "conflicting_dialogue_lists",
    "split_leak",
    "damaged_archive",
    "missing_part",
    "much_missing_audio",
    "misfiled_dialogue",
    "unreadable_audio",
    "not_utf8",
    "not_alternating",
    "repeated_task_id",
    "repeated_snippet_id",
    "unknown_snippet",
    "unsafe_member",
    "different_takes",
)
"""Kinds of fault that no sound release has: the audit fails on any of them."""


@dataclass(frozen=True)
class Check:
    """One line of the check list.

    Attributes:
        what: What was counted.
        language: ISO 639-3 code, or an empty string for all.
        expected: What the paper or the authors' code says, in words.
        found: What the files say, in words.
        verdict: Whether they agree; ``-`` where nothing is expected.
    """

    what: str
    language: str
    expected: str
    found: str
    verdict: Verdict


@dataclass(frozen=True)
class Audit:
    """The outcome of an audit.

    Attributes:
        checks: The check list.
        findings: Every fault.
        publication: Speakers as they would be published, with the k reached.
        k: The k asked for.
    """

    checks: tuple[Check, ...]
    findings: Findings
    publication: Publication
    k: int

    @property
    def broken(self) -> list[str]:
        """Names of broken invariants: kinds of fault, and checks."""
        kinds = [kind for kind in INVARIANTS if self.findings.count(kind)]
        return kinds + [f"{check.what} {check.language}".strip() for check in self.checks if check.verdict == "broken"]

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as data."""
        from healthdial.build import report_of

        return {
            "broken": self.broken,
            "checks": [asdict(check) for check in self.checks],
            "k": self.k,
            "k_reached": self.publication.k_reached,
            "given_up": {language: list(fields) for language, fields in self.publication.given_up.items()},
            **report_of(self.findings),
        }


def audit(release: Release, how: AudioPass, k: int) -> Audit:
    """Check a release against what is documented of it.

    Args:
        release: The release.
        how: How recordings are read; nothing is kept of them.
        k: Speakers who must share each published combination.

    Raises:
        ReleaseError: A file cannot be read.
    """
    findings = release.findings
    recorded = {language: recorded_accounts(own) for language, own in release.dialogues.items()}
    publication = publish_speakers(release.speakers, recorded, b"audit", k, findings)
    indexes = index_recordings(release, how, findings)
    processed = {
        key: inspect_recordings(resolve_turns(release, indexes, *key), how, findings) for key in sorted(indexes)
    }
    report_unused(indexes, findings)
    for _, versions in parallel_dialogues(release.dialogues, release.splits.split_of):
        # The rows are not needed: what differs between languages is reported on the way.
        deque(parallel_turn_rows(versions, release.knowledge, findings), maxlen=0)
    checks = [
        *_knowledge_checks(release),
        *_dialogue_checks(release),
        *_speaker_checks(release, publication),
        *_audio_checks(indexes, processed),
        *_key_inventory(release),
    ]
    return Audit(tuple(checks), findings, publication, k)


def _check(what: str, language: str, expected: object, found: object, *, invariant: bool = False) -> Check:
    """Return a check of equal values."""
    agrees = expected == found
    verdict: Verdict = "as expected" if agrees else "broken" if invariant else "differs"
    return Check(what, language, _words(expected), _words(found), verdict)


def _near(what: str, language: str, expected: float, found: float, tolerance: float, unit: str = "") -> Check:
    """Return a check of values that may differ by a share of the expected one."""
    agrees = abs(found - expected) <= tolerance * expected
    return Check(what, language, f"{expected:g}{unit}", f"{found:.4g}{unit}", "as expected" if agrees else "differs")


def _told(what: str, language: str, found: object) -> Check:
    """Return a line that expects nothing."""
    return Check(what, language, "", _words(found), "-")


def _words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_words(number)}" for name, number in value.items())
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _knowledge_checks(release: Release) -> list[Check]:
    knowledge = release.knowledge
    counts = Counter(snippet.language for snippet in knowledge.by_id.values())
    corpus = {language: len(knowledge.corpus(language)) for language in LANGUAGES}
    return [
        _check("snippets", "", sum(SNIPPETS.values()), len(knowledge.by_id)),
        *(_check("snippets", language, SNIPPETS[language], counts[language]) for language in LANGUAGES),
        _check("complete parallel sets", "", PARALLEL_SETS, len(knowledge.parallel)),
        *(
            _check("parallel snippets", language, len(knowledge.parallel), corpus[language], invariant=True)
            for language in LANGUAGES
        ),
    ]


def _dialogue_checks(release: Release) -> list[Check]:
    checks = []
    for language, dialogues in release.dialogues.items():
        splits = Counter(release.splits.split_of[dialogue.id] for dialogue in dialogues)
        ook = sum(any(turn.out_of_knowledge for turn in dialogue.turns[::2]) for dialogue in dialogues)
        gold = max((len(turn.gold_snippet_ids) for one in dialogues for turn in one.turns), default=0)
        checks += [
            _check("dialogues in the list", language, DIALOGUES, release.listed[language]),
            _check("dialogues kept", language, DIALOGUES, len(dialogues)),
            _check("splits", language, SPLIT_SIZES, {split: splits[split] for split in SPLIT_SIZES}),
            _check("OOK dialogues", language, OOK_DIALOGUES, ook),
            Check(
                "most gold snippets of a turn",
                language,
                f"at most {MOST_GOLD}",
                str(gold),
                "as expected" if gold <= MOST_GOLD else "differs",
            ),
        ]
    test_sets = {
        language: frozenset(one.number for one in own if release.splits.split_of[one.id] == "test")
        for language, own in release.dialogues.items()
    }
    equal = len(set(test_sets.values())) == 1
    checks.append(_check("test numbers equal in all languages", "", "yes", "yes" if equal else "no", invariant=True))
    return checks + _turn_checks(release)


def _turn_checks(release: Release) -> list[Check]:
    """Return the counts that could be the paper's 41,988, and the shares that need retrieval."""
    dialogues = [dialogue for own in release.dialogues.values() for dialogue in own]
    user = sum(len(dialogue.user_turns) for dialogue in dialogues)
    answers = [turn for dialogue in dialogues for turn in dialogue.turns[::2]]
    later = [turn for turn in answers if turn.index]
    return [
        _check("turns: user turns", "", TURNS, user),
        _check("turns: assistant turns", "", TURNS, len(answers)),
        _check("turns: all utterances", "", TURNS, user + len(answers)),
        _near("share that needs retrieval, with openings", "", RETRIEVAL_SHARE, _share(answers), 0.01),
        _near("share that needs retrieval, without openings", "", RETRIEVAL_SHARE, _share(later), 0.01),
    ]


def _share(turns: list[Any]) -> float:
    return sum(turn.needs_retrieval for turn in turns) / len(turns) if turns else 0.0


def _speaker_checks(release: Release, publication: Publication) -> list[Check]:
    checks = []
    for language, own in release.dialogues.items():
        accounts = recorded_accounts(own)
        listed = sum(speaker.language == language for speaker in release.speakers)
        given_up = " ".join(publication.given_up[language]) or "nothing"
        checks += [
            _check("speakers with recordings", language, SPEAKERS[language], len(accounts)),
            _check("speakers listed", language, SPEAKERS[language], listed),
            _told("k reached", language, f"{publication.k_reached[language]}, given up: {given_up}"),
        ]
    return checks


def _audio_checks(indexes: Indexes, processed: dict[tuple[str, str], list[ProcessedAudio]]) -> list[Check]:
    checks = []
    for (language, kind), index in sorted(indexes.items()):
        named, own = len(index.files), processed[language, kind]
        rates = Counter(f"{one.sample_rate} Hz" if one.sample_rate else "unknown" for one in own)
        checks += [
            _check(f"{kind} files with a documented name", language, named + index.unnamed, named),
            _told(f"{kind} recordings by sample rate", language, dict(sorted(rates.items())) or "none"),
            _told(f"{kind} recordings by status", language, dict(sorted(Counter(o.status for o in own).items())) or 0),
        ]
    for kind, expected in HOURS.items():
        seconds = sum(one.duration_s or 0.0 for key, own in processed.items() if key[1] == kind for one in own)
        if any(key[1] == kind for key in processed):
            checks.append(_near(f"{kind} speech", "", expected, seconds / 3600, 0.02, " h"))
    return checks


def _key_inventory(release: Release) -> list[Check]:
    """Return the keys of the records by role.

    An undocumented key that is no plain name or stands only once is counted but not named: it may be a personal value.
    """
    checks = []
    for language, keys in release.keys.items():
        for role in ("dialogue", "assistant", "user"):
            counts = {key: count for (of, key), count in sorted(keys.items()) if of == role}
            named = {
                key: count for key, count in counts.items() if key in DOCUMENTED_KEYS or (is_plain(key) and count > 1)
            }
            other = sum(counts.values()) - sum(named.values())
            checks.append(_told(f"keys of {role} records", language, named | ({"other": other} if other else {})))
    return checks
