"""The data set card's tables as lists of cells: counts, statistics beside the published ones, groups and faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from healthdial import published
from healthdial.audio import AUDIO_STATUSES
from healthdial.findings import KINDS, Finding, Findings
from healthdial.languages import LANGUAGES
from healthdial.schema import SPLITS, BuiltConfig
from healthdial.statistics import DEMOGRAPHICS, LanguageStatistics

Statistics = Mapping[str, LanguageStatistics]

NOTHING = "-"
NOT_PUBLISHED = "not published"
TURN_STATES = {
    "no_retrieval": "no retrieval",
    "grounded": "grounded",
    "out_of_knowledge": "out of knowledge",
    "contradictory": "contradictory labels",
}
PLACES_SHOWN = 3


@dataclass(frozen=True)
class Table:
    """A table of the card.

    Attributes:
        header: Titles of its columns.
        rows: Its rows, each with as many cells as the header.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        """Return the table in Markdown."""
        lines = [self.header, ("---",) * len(self.header), *self.rows]
        return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def configs_table(built: Sequence[BuiltConfig]) -> Table:
    """Return the rows of every config by split."""
    rows = []
    for config in built:
        by_split = {split.name: split.rows for split in config.splits}
        other = [f"{rows_:,} (`{name}`)" for name, rows_ in by_split.items() if name not in SPLITS]
        counts = [f"{by_split[name]:,}" if name in by_split else "" for name in SPLITS]
        rows.append((f"`{config.name}`", *counts, ", ".join(other), f"{config.rows:,}"))
    return Table(("Config", *SPLITS, "Only split", "All"), tuple(rows))


def overview_table(statistics: Statistics) -> Table:
    """Return the counts of every language, with sums where a sum has a meaning."""
    measures: list[tuple[str, Callable[[LanguageStatistics], float | None], str, bool]] = [
        *((f"dialogues, {split}", _dialogues_of(split), ",", True) for split in SPLITS),
        ("user turns", lambda found: found.turns.user, ",", True),
        ("system turns, opening counted", lambda found: found.turns.system, ",", True),
        ("system turns without openings", lambda found: found.turns.answers, ",", True),
        ("utterances of both", lambda found: found.turns.utterances, ",", True),
        ("user turns per dialogue", lambda found: found.mean_user_turns, ".2f", False),
        ("user speech, hours", lambda found: found.user_hours, ",.2f", True),
        ("system speech, hours", lambda found: found.system_hours, ",.2f", True),
        ("system turns that need retrieval", lambda found: found.retrieval_share, ".1%", False),
        ("the same without openings", lambda found: found.retrieval_share_without_opening, ".1%", False),
        ("dialogues with an out-of-knowledge turn", lambda found: found.out_of_knowledge_dialogues, ",", True),
        ("out-of-knowledge user turns", lambda found: found.out_of_knowledge_turns, ",", True),
        ("most gold snippets of a turn", lambda found: found.max_gold, "d", False),
        ("speakers", lambda found: found.speakers, ",", True),
        ("speakers heard in both train and test", lambda found: found.speakers_in_train_and_test, ",", True),
    ]
    rows = []
    for name, measure, form, summable in measures:
        values = [measure(found) for found in statistics.values()]
        known = [value for value in values if value is not None]
        total = [sum(known)] if summable and known else [None]
        rows.append((name, *(number(value, form) for value in (*values, *total))))
    return Table(("", *_titles(statistics), "All"), tuple(rows))


def turn_states_table(statistics: Statistics) -> Table:
    """Return the system turns of each state."""
    return Table(
        ("State of the system turn", *_titles(statistics)),
        tuple(
            (title, *(f"{found.turn_states.get(state, 0):,}" for found in statistics.values()))
            for state, title in TURN_STATES.items()
        ),
    )


def audio_table(statistics: Statistics) -> Table:
    """Return the turns of each audio status; no rows if no turn has one."""
    return Table(
        ("Language", "Turns", *AUDIO_STATUSES),
        tuple(
            (LANGUAGES[language].title, side, *(f"{counts.get(status, 0):,}" for status in AUDIO_STATUSES))
            for language, found in statistics.items()
            for side, counts in found.audio_status.items()
        ),
    )


def groups_table(statistics: Statistics, given_up: Mapping[str, Sequence[str]]) -> Table:
    """Return speakers, turns and hours of every demographic group."""
    rows = []
    for column in DEMOGRAPHICS:
        for language, found in statistics.items():
            title = (f"`{column}`", LANGUAGES[language].title)
            if column in given_up.get(language, ()):
                rows.append((*title, NOT_PUBLISHED, "", "", ""))
                continue
            rows += [
                (
                    *title,
                    group.value,
                    f"{group.speakers:,} ({group.speaker_share:.1%})",
                    f"{group.user_turns:,} ({group.turn_share:.1%})",
                    f"{group.hours:,.2f} ({group.hour_share or 0:.1%})" if group.hours is not None else NOTHING,
                )
                for group in found.groups[column]
            ]
    return Table(("Column", "Language", "Value", "Speakers", "User turns", "Hours"), tuple(rows))


def words_table(statistics: Statistics) -> Table:
    """Return words of human and generated turns, over all turns."""
    return Table(
        ("Language", "Text", "Turns", "Tokens", "Types", "Type-token ratio", "Tokens per turn"),
        tuple(
            (
                LANGUAGES[language].title,
                side,
                f"{text.turns:,}",
                f"{text.tokens:,}",
                f"{text.types:,}",
                number(text.type_token_ratio, ".4f"),
                number(text.mean_tokens, ".2f"),
            )
            for language, found in statistics.items()
            for side, text in (("human", found.words.human), ("generated", found.words.generated))
        ),
    )


def equal_samples_table(statistics: Statistics) -> Table:
    """Return types and ratios of human and generated turns among equally many tokens."""
    return Table(
        ("Language", "Sample", "Tokens of each", "Human types", "Generated types", "Human ratio", "Generated ratio"),
        tuple(
            (
                LANGUAGES[language].title,
                name,
                f"{sample.size:,}",
                f"{sample.human_types:,}",
                f"{sample.generated_types:,}",
                number(sample.human_ratio, ".4f"),
                number(sample.generated_ratio, ".4f"),
            )
            for language, found in statistics.items()
            for name, sample in (("this language", found.words.within), ("all languages", found.words.between))
        ),
    )


def privacy_table(
    statistics: Statistics, k_reached: Mapping[str, int], given_up: Mapping[str, Sequence[str]]
) -> Table:
    """Return speakers, the k reached and the columns given up, by language."""
    return Table(
        ("Language", "Speakers", "Speakers who share the rarest combination", "Columns given up"),
        tuple(
            (
                LANGUAGES[language].title,
                f"{found.speakers:,}",
                f"{k_reached[language]:,}" if language in k_reached else NOTHING,
                ", ".join(f"`{name}`" for name in given_up.get(language, ())) or "none",
            )
            for language, found in statistics.items()
        ),
    )


def findings_table(findings: Findings, languages: Sequence[str]) -> Table:
    """Return every kind of fault that was met, with counts by language and the first places."""
    codes = [*languages, *sorted({code for _, code in findings.counts} - set(languages))]
    rows = []
    for name, kind in KINDS.items():
        counts = [findings.counts.get((name, code), 0) for code in codes]
        if any(counts):
            rows.append((f"`{name}`", kind.text, kind.policy, *map(str, counts), "; ".join(_places(findings, name))))
    titles = [LANGUAGES[code].title if code in LANGUAGES else "Any" for code in codes]
    return Table(("Kind", "What was met and done", "Policy", *titles, "First places"), tuple(rows))


def published_table(statistics: Statistics, built: Sequence[BuiltConfig]) -> Table:
    """Return the paper's figures (text, appendix A.5, table 4) beside those of a build of all four languages."""
    found = list(statistics.values())
    rows = {config.name: config.rows for config in built}
    system_turns = sum(one.turns.system for one in found)
    answers = sum(one.turns.answers for one in found)
    needing = sum((one.retrieval_share or 0) * one.turns.system for one in found)
    dialogues = sum(sum(one.dialogues.values()) for one in found)
    user_turns = sum(one.turns.user for one in found)
    english = statistics["eng"].words
    hours = [[getattr(one, side) or 0 for one in found] for side in ("user_hours", "system_hours")]
    return Table(
        ("", "Published", "Here"),
        (
            ("dialogues", f"{published.DIALOGUES * len(LANGUAGES):,}", f"{dialogues:,}"),
            (
                "turns",
                f"{published.TURNS:,}, not said of what",
                f"{user_turns:,} user turns; {system_turns:,} system turns ({answers:,} without openings); "
                f"{user_turns + system_turns:,} utterances",
            ),
            (
                "user turns per dialogue",
                f"{published.USER_TURNS_PER_DIALOGUE}",
                number(user_turns / dialogues if dialogues else None, ".2f"),
            ),
            (
                "hours of user / system speech",
                f"about {_joined(published.HOURS, '.0f')}",
                " / ".join(f"{sum(side):.1f}" for side in hours),
            ),
            ("speakers ara / zho / eng / spa", _joined(published.SPEAKERS), _by_language(statistics, "speakers")),
            (
                "snippets ara / zho / eng / spa",
                _joined(published.SNIPPETS),
                " / ".join(f"{rows.get(f'snippets_{code}', 0):,}" for code in LANGUAGES),
            ),
            (
                "parallel snippets of a language",
                f"{published.PARALLEL_SETS:,}",
                f"{rows.get('snippets_parallel', 0):,}",
            ),
            (
                "turns that need retrieval",
                f"{published.RETRIEVAL_SHARE:.1%}",
                f"{number(needing / system_turns if system_turns else None, '.1%')} of system turns, "
                f"{number(needing / answers if answers else None, '.1%')} without openings",
            ),
            (
                "dialogues with an out-of-knowledge turn",
                f"{published.OOK_DIALOGUES / published.DIALOGUES:.0%}",
                _by_language(statistics, "out_of_knowledge_dialogues"),
            ),
            ("most gold snippets of a turn", f"{published.MOST_GOLD}", str(max(one.max_gold for one in found))),
            (
                "tokens per English user turn, human / generated",
                _joined(published.ENGLISH_TOKENS, ".2f"),
                " / ".join(number(text.mean_tokens, ".2f") for text in (english.human, english.generated)),
            ),
        ),
    )


def _joined(values: Mapping[str, float], form: str = ",") -> str:
    return " / ".join(f"{value:{form}}" for value in values.values())


def _by_language(statistics: Statistics, attribute: str) -> str:
    return " / ".join(str(getattr(statistics[code], attribute)) for code in LANGUAGES)


def _places(findings: Findings, kind: str) -> list[str]:
    """Return the first place of each language in turn, then the second, up to ``PLACES_SHOWN``."""
    lists = [found for (name, _), found in sorted(findings.examples.items()) if name == kind]
    ranked: list[tuple[int, int, Finding]] = [
        (position, index, finding) for index, found in enumerate(lists) for position, finding in enumerate(found[:3])
    ]
    return [str(finding.place) for _, _, finding in sorted(ranked, key=lambda entry: entry[:2])[:PLACES_SHOWN]]


def _dialogues_of(split: str) -> Callable[[LanguageStatistics], int]:
    return lambda found: found.dialogues[split]


def _titles(statistics: Statistics) -> list[str]:
    return [LANGUAGES[language].title for language in statistics]


def number(value: float | None, form: str) -> str:
    """Return a number in a format, or a dash for None."""
    return NOTHING if value is None else format(value, form)


def _cell(text: str) -> str:
    """Return a text that stays in its cell."""
    return " ".join(text.split()).replace("|", "\\|")
