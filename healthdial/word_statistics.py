"""Compare human and generated user turns word by word: counts, and types among equally many tokens."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WordTokenizer = Callable[[str], Sequence[str]]
"""Text to words; ``name`` is its name in reports (``healthdial.tokenization.Tokenizer``)."""

SAMPLE_SEED = 20260528
"""Part of the hash that orders the turns of an equal-sized sample."""


@dataclass(frozen=True)
class TextStatistics:
    """Words of one side (human or generated), over all its turns with text.

    Attributes:
        turns: Turns with text.
        tokens: Their tokens.
        types: Distinct tokens.
    """

    turns: int
    tokens: int
    types: int

    @property
    def type_token_ratio(self) -> float | None:
        """Types / tokens; falls as texts grow, so compare ``EqualSample`` instead. None without tokens."""
        return self.types / self.tokens if self.tokens else None

    @property
    def mean_tokens(self) -> float | None:
        """Tokens per turn; None without turns."""
        return self.tokens / self.turns if self.turns else None


@dataclass(frozen=True)
class EqualSample:
    """Types among equally many tokens of both sides; see ``equal_sample``.

    Attributes:
        size: Tokens drawn from each side.
        human_types: Distinct tokens among those of the human side.
        generated_types: Distinct tokens among those of the generated side.
    """

    size: int
    human_types: int
    generated_types: int

    @property
    def human_ratio(self) -> float | None:
        """Type-token ratio of the human side; None for an empty sample."""
        return self.human_types / self.size if self.size else None

    @property
    def generated_ratio(self) -> float | None:
        """Type-token ratio of the generated side; None for an empty sample."""
        return self.generated_types / self.size if self.size else None


@dataclass(frozen=True)
class WordStatistics:
    """Human (``transcription``) beside generated (``generated_alternative``) user turns of one language.

    Attributes:
        tokenizer: Name of the tokenizer, with its version.
        human: All transcribed turns.
        generated: All turns with a generated alternative.
        pairs: Turns with both texts; the samples are drawn from these.
        within: Sample as large as the smaller side of this language.
        between: Sample of the same size in all languages.
    """

    tokenizer: str
    human: TextStatistics
    generated: TextStatistics
    pairs: int
    within: EqualSample
    between: EqualSample


def describe_words(
    user_turns: Mapping[str, Iterable[Mapping[str, Any]]], tokenizers: Mapping[str, WordTokenizer]
) -> dict[str, WordStatistics]:
    """Return the word statistics of every language.

    Args:
        user_turns: ISO 639-3 code -> rows of ``user_turns_*``, all splits.
        tokenizers: ISO 639-3 code -> text to words.
    """
    turns = {code: _tokenize(rows, tokenizers[code]) for code, rows in user_turns.items()}
    sizes = {code: min(map(len, _both_sides(found))) for code, found in turns.items()}
    common = min((size for size in sizes.values() if size), default=0)
    return {
        code: _describe_language(turns[code], getattr(tokenizers[code], "name", "unnamed"), sizes[code], common)
        for code in turns
    }


@dataclass(frozen=True)
class _TokenizedTurn:
    """Tokens of one user turn; None where a side has no text."""

    human: Sequence[str] | None
    generated: Sequence[str] | None


def _tokenize(user: Iterable[Mapping[str, Any]], tokenizer: WordTokenizer) -> list[_TokenizedTurn]:
    """Return the tokens of all user turns, in the order in which samples draw them."""

    def tokens(text: str | None) -> Sequence[str] | None:
        # Millions of tokens, few of them distinct: each is kept once.
        return [sys.intern(str(token)) for token in tokenizer(text)] if text and text.strip() else None

    return [
        _TokenizedTurn(tokens(row["transcription"]), tokens(row["generated_alternative"]))
        for row in sorted(user, key=_draw_order)
    ]


def _draw_order(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the sort key of a turn: the same for the versions of one turn in all languages."""
    place = f"{SAMPLE_SEED}:{row['dialogue_number']}:{row['turn_index']}"
    return hashlib.sha256(place.encode()).hexdigest(), row["utterance_id"]


def _both_sides(turns: Iterable[_TokenizedTurn]) -> tuple[list[str], list[str]]:
    """Return the tokens of both sides, joined over the turns that have both."""
    pairs = [(turn.human, turn.generated) for turn in turns if turn.human is not None and turn.generated is not None]
    return [token for human, _ in pairs for token in human], [token for _, generated in pairs for token in generated]


def equal_sample(human: Sequence[str], generated: Sequence[str], size: int) -> EqualSample:
    """Return the types among the first ``size`` tokens of both sides.

    A type-token ratio falls with the number of tokens, so texts are compared at the same number:

    1. Only turns that have both a transcription and a generated alternative are used.
    2. They are put in the order of the SHA-256 of ``SAMPLE_SEED``, dialogue number and turn index: at random with
       regard to content, the same in every build, whatever other turns there are, and the same in all languages.
    3. From each side tokens are taken turn by turn in this order until there are ``size`` of them; the last turn is
       cut. The side with the longer turns gives fewer turns.
    4. ``size`` is the token count of the smaller side: of this language for ``within``, the smallest of all languages
       for ``between``.

    It is one draw, without an interval. Between languages the ratio also depends on what the tokenizers call a word.

    Args:
        human: Tokens of the human side in drawing order; at least ``size``.
        generated: Tokens of the generated side in drawing order; at least ``size``.
        size: Tokens to take of each.

    Raises:
        ValueError: A side has fewer tokens.
    """
    if min(len(human), len(generated)) < size:
        raise ValueError(f"cannot take {size} tokens of {len(human)} human and {len(generated)} generated ones")
    return EqualSample(size, len(set(human[:size])), len(set(generated[:size])))


def _describe_language(turns: Sequence[_TokenizedTurn], name: str, within: int, common: int) -> WordStatistics:
    """Return the word statistics of one language."""
    human, generated = _both_sides(turns)
    return WordStatistics(
        tokenizer=name,
        human=_describe_side([turn.human for turn in turns if turn.human is not None]),
        generated=_describe_side([turn.generated for turn in turns if turn.generated is not None]),
        pairs=sum(turn.human is not None and turn.generated is not None for turn in turns),
        within=equal_sample(human, generated, within),
        between=equal_sample(human, generated, min(common, within)),
    )


def _describe_side(texts: Sequence[Sequence[str]]) -> TextStatistics:
    return TextStatistics(len(texts), sum(map(len, texts)), len({token for text in texts for token in text}))
