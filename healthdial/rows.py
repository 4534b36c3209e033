"""Rows of every config, made from dialogues, knowledge base and speakers; audio columns are filled in later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from healthdial.dialogues import ASSISTANT, USER, Dialogue, Turn
from healthdial.findings import Findings, Place
from healthdial.knowledge import KnowledgeBase, Snippet
from healthdial.languages import LANGUAGES
from healthdial.schema import RETRIEVAL_LABELS, SNIPPET_TYPES
from healthdial.speakers import Speaker
from healthdial.tables import Row

DEMOGRAPHICS = ("gender", "age_group", "education", "language_variety")


def user_turn_row(
    dialogue: Dialogue, turn: Turn, knowledge: KnowledgeBase, speaker: Speaker | None, voice_source: str = "human"
) -> Row:
    """Return a row of ``user_turns_*`` without its audio columns; labels are those of the answer."""
    answer = dialogue.answer(turn)
    gold = answer.gold_snippet_ids if answer else ()
    return {
        "transcription": turn.transcription,
        "asr_whisper1": turn.asr_whisper1,
        "generated_alternative": turn.text,
        "prompt": turn.prompt,
        **_place(dialogue, turn),
        "user_turn": turn.index // 2,
        "previous_system_text": dialogue.turns[turn.index - 1].text,
        "needs_retrieval": answer.needs_retrieval if answer else None,
        "out_of_knowledge": turn.out_of_knowledge,
        **_gold(gold, knowledge),
        "speaker_id": speaker.speaker_id if speaker else None,
        **{field: getattr(speaker, field) if speaker else None for field in DEMOGRAPHICS},
        "voice_source": voice_source,
    }


def system_turn_row(dialogue: Dialogue, turn: Turn, knowledge: KnowledgeBase) -> Row:
    """Return a row of ``system_turns_*`` without its audio columns."""
    return {
        "text": turn.text,
        **_place(dialogue, turn),
        "system_turn": turn.index // 2,
        "needs_retrieval": turn.needs_retrieval,
        "out_of_knowledge": turn.out_of_knowledge,
        **_gold(turn.gold_snippet_ids, knowledge),
        "voice_source": "synthetic",
    }


def dialogue_row(dialogue: Dialogue, knowledge: KnowledgeBase, speaker: Speaker | None) -> Row:
    """Return a row of ``dialogues_*``; its topic is that of the first gold snippet."""
    gold = [identifier for turn in dialogue.turns for identifier in turn.gold_snippet_ids]
    return {
        "dialogue_id": dialogue.id,
        "dialogue_number": dialogue.number,
        "language": dialogue.language,
        "speaker_id": speaker.speaker_id if speaker else None,
        "topic": (knowledge.by_id[gold[0]].topic or None) if gold else None,
        "has_ook": any(turn.out_of_knowledge for turn in dialogue.turns),
        "n_user_turns": len(dialogue.user_turns),
        "turns": [_nested_turn(dialogue, turn) for turn in dialogue.turns],
    }


def _nested_turn(dialogue: Dialogue, turn: Turn) -> Row:
    is_user = turn.role == USER
    return {
        "role": turn.role,
        "text": turn.transcription if is_user else turn.text,
        "generated_alternative": turn.text if is_user else None,
        "prompt": turn.prompt,
        "needs_retrieval": None if is_user else turn.needs_retrieval,
        "out_of_knowledge": turn.out_of_knowledge,
        "gold_snippet_ids": list(turn.gold_snippet_ids),
        "utterance_id": dialogue.utterance_id(turn.index),
    }


def classification_rows(dialogue: Dialogue) -> Iterator[Row]:
    """Yield a dialogue's rows of ``turn_classification_*``: one for each assistant turn.

    The text is the window of the authors' scripts: empty for the opening, ``system: s0 user: u1`` for the
    first answer, then ``user: system: user:``, each part stripped.
    """
    for turn in dialogue.turns:
        if turn.role == ASSISTANT:
            window = dialogue.turns[max(turn.index - 3, 0) : turn.index]
            yield {
                "text": " ".join(_spoken_line(one) for one in window),
                "label": RETRIEVAL_LABELS[turn.needs_retrieval],
                "is_opening": turn.index == 0,
                **_place(dialogue, turn),
            }


def _spoken_line(turn: Turn) -> str:
    name = "user" if turn.role == USER else "system"
    return f"{name}: {(spoken_text(turn) or '').strip()}"


def spoken_text(turn: Turn) -> str | None:
    """Return what was said: the transcript of a user turn, the text of an assistant turn."""
    return turn.transcription if turn.role == USER else turn.text


def retrieval_rows(dialogue: Dialogue, knowledge: KnowledgeBase) -> Iterator[Row]:
    """Yield a dialogue's rows of ``retrieval_*``: one for each user turn whose answer needs retrieval.

    The query is all utterances up to the turn, joined by one space (the authors' scripts). Turns without gold that are
    not marked out of knowledge have no right answer, and turns marked as not in the knowledge base are skipped
    upstream: neither is an item.
    """
    for turn in dialogue.user_turns:
        answer = dialogue.answer(turn)
        if answer is None or not answer.needs_retrieval or not answer.in_knowledge:
            continue
        if not answer.gold_snippet_ids and not answer.out_of_knowledge:
            continue
        said = [spoken_text(one) for one in dialogue.turns[: turn.index + 1]]
        place = _place(dialogue, turn)
        yield {
            "query_id": place.pop("utterance_id"),
            "query": " ".join(text for text in said if text is not None),
            **_gold(answer.gold_snippet_ids, knowledge),
            "out_of_knowledge": answer.out_of_knowledge,
            **place,
        }


def filtering_rows(retrieval: Sequence[Row], candidates: Sequence[Sequence[tuple[str, float]]]) -> list[Row]:
    """Return the rows of ``filtering_*``: retrieval items with their candidates.

    Args:
        retrieval: Rows of ``retrieval_*``.
        candidates: For each, (snippet id, score) from the best on.
    """
    return [
        {
            **row,
            "candidate_ids": [identifier for identifier, _ in ranked],
            "candidate_scores": [score for _, score in ranked],
        }
        for row, ranked in zip(retrieval, candidates, strict=True)
    ]


def snippet_row(snippet: Snippet, crawl_date: str | None, licence: str) -> Row:
    """Return a row of ``snippets_*``."""
    return {
        "snippet_id": snippet.id,
        "topic": snippet.topic,
        "title": snippet.title,
        "content": snippet.content,
        "parallel_id": snippet.parallel_id,
        "is_parallel": snippet.is_parallel,
        "language": snippet.language,
        "type": snippet.type if snippet.type in SNIPPET_TYPES else None,
        "url": snippet.url,
        "crawl_date": crawl_date,
        "licence": licence,
    }


def parallel_snippet_rows(knowledge: KnowledgeBase) -> list[Row]:
    """Return the rows of ``snippets_parallel``: complete parallel sets, ordered by parallel id."""
    rows = []
    for parallel_id, versions in sorted(knowledge.parallel.items()):
        row: Row = {"parallel_id": parallel_id}
        for language, snippet in versions.items():
            row[f"title_{language}"] = snippet.title
            row[f"content_{language}"] = snippet.content
            row[f"topic_{language}"] = snippet.topic
            row[f"snippet_id_{language}"] = snippet.id
        rows.append(row)
    return rows


def parallel_turn_rows(
    versions: Mapping[str, Dialogue], knowledge: KnowledgeBase, findings: Findings
) -> Iterator[Row]:
    """Yield the rows of ``parallel_turns`` of one dialogue: the turns that all languages have, side by side.

    Labels and gold are the English ones, from which the others were translated; where a language has others, that is
    reported.

    Args:
        versions: Language -> the dialogue of one number; all four languages.
        knowledge: The knowledge base.
        findings: Collects ``parallel_labels`` and ``parallel_lengths``.
    """
    english = versions["eng"]
    lengths = {language: len(dialogue.turns) for language, dialogue in versions.items()}
    if len(set(lengths.values())) > 1:
        detail = ", ".join(f"{language} {length}" for language, length in lengths.items())
        findings.add("parallel_lengths", Place("", "dialogues", str(english.number)), detail)
    for turns in zip(*(dialogue.turns for dialogue in versions.values()), strict=False):
        reference = english.turns[turns[0].index]
        labels = _parallel_labels(reference, knowledge)
        others = [
            language
            for language, turn in zip(versions, turns, strict=True)
            if _parallel_labels(turn, knowledge) != labels
        ]
        if others:
            place = Place("", "dialogues", str(english.number), reference.index)
            findings.add("parallel_labels", place, " ".join(others))
        row: Row = {
            "dialogue_number": english.number,
            "turn_index": reference.index,
            "role": reference.role,
            **labels,
        }
        for (language, dialogue), turn in zip(versions.items(), turns, strict=True):
            row[f"text_{language}"] = spoken_text(turn)
            row[f"generated_{language}"] = turn.text if turn.role == USER else None
            row[f"utterance_id_{language}"] = dialogue.utterance_id(turn.index)
        yield row


def _parallel_labels(turn: Turn, knowledge: KnowledgeBase) -> Row:
    """Return what a turn and its translations should have in common."""
    return {
        "needs_retrieval": None if turn.role == USER else turn.needs_retrieval,
        "out_of_knowledge": turn.out_of_knowledge,
        "gold_parallel_ids": sorted(_gold(turn.gold_snippet_ids, knowledge)["gold_parallel_ids"]),
    }


def parallel_dialogues(
    dialogues: Mapping[str, Sequence[Dialogue]], split_of: Mapping[str, str]
) -> list[tuple[str, dict[str, Dialogue]]]:
    """Return (split, language -> dialogue) of the numbers that all four languages have in one split, by number."""
    by_number: dict[int, dict[str, Dialogue]] = {}
    for language in LANGUAGES:
        for dialogue in dialogues.get(language, ()):
            by_number.setdefault(dialogue.number, {})[language] = dialogue
    found = []
    for _, versions in sorted(by_number.items()):
        splits = {split_of[dialogue.id] for dialogue in versions.values()}
        if len(versions) == len(LANGUAGES) and len(splits) == 1:
            found.append((splits.pop(), versions))
    return found


def _place(dialogue: Dialogue, turn: Turn) -> dict[str, Any]:
    return {
        "utterance_id": dialogue.utterance_id(turn.index),
        "dialogue_id": dialogue.id,
        "dialogue_number": dialogue.number,
        "language": dialogue.language,
        "turn_index": turn.index,
    }


def _gold(identifiers: Sequence[str], knowledge: KnowledgeBase) -> dict[str, list[str]]:
    """Return gold ids, and the parallel ids of those that have one."""
    parallel = [knowledge.by_id[identifier].parallel_id for identifier in identifiers]
    return {
        "gold_snippet_ids": list(identifiers),
        "gold_parallel_ids": [parallel_id for parallel_id in parallel if parallel_id],
    }
