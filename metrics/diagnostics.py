"""What drives a text score besides skill: wrong script, empty or cut answers, prefaces, length."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metrics.prefaces import TABLE_VERSION, opening_preface
from metrics.signature import DEFINITIONS_VERSION, Signature
from metrics.thai_tokenizer import NewmmTokenizer, Tokenizer

Script = Literal["thai", "latin"]


class Count(IntEnum):
    """Positions of the statistics vector; each entry of an item is 0 or 1 but for the two token counts."""

    ITEMS = 0
    WRONG_SCRIPT = 1
    NO_LETTERS = 2
    EMPTY = 3
    PREFACE = 4
    END_KNOWN = 5
    CUT_BY_CAP = 6
    PROMPT_KNOWN = 7
    PROMPT_CUT = 8
    REFERENCES = 9
    HYPOTHESIS_TOKENS = 10
    REFERENCE_TOKENS = 11


@dataclass(frozen=True)
class DiagnosticsSummary:
    """Shares (0-1) of a set of answers; nan where there is nothing to take the share of.

    Attributes:
        items: Number of answers.
        wrong_script: Share of answers with too many letters outside the expected script.
        no_letters: Share of answers that are not empty and hold no letter.
        empty: Share of answers without any character but white space.
        opening_preface: Share of answers that open with a preface (`metrics.prefaces`).
        cut_by_token_cap: Share of answers that the token cap ended, over `end_known`.
        end_known: Answers of which it is known how they ended.
        prompt_cut: Share of answers to a prompt that was cut, over `prompt_known`.
        prompt_known: Answers of which it is known whether their prompt was cut.
        length_ratio: Tokens of the answers over tokens of the references, over `references`.
        references: Answers that have a reference.
    """

    items: int
    wrong_script: float
    no_letters: float
    empty: float
    opening_preface: float
    cut_by_token_cap: float
    end_known: int
    prompt_cut: float
    prompt_known: int
    length_ratio: float
    references: int


@dataclass(frozen=True)
class Diagnostics:
    """Counts of an answer that explain its score.

    In the release of arXiv 2504.05898 these, not dialect skill, drive several published numbers: an 8-billion model
    answers in Thai where English is asked, another writes eleven times the reference's length.

    | answer | wrong_script | no_letters | empty |
    |---|---|---|---|
    | ``""``, white space only | 0 | 0 | 1 |
    | ``"1984"``, ``"..."`` | 0 | 1 | 0 |
    | at most `foreign_share` of the letters in other scripts | 0 | 0 | 0 |
    | more than `foreign_share` of the letters in other scripts | 1 | 0 | 0 |

    A letter is a character of Unicode category L; Thai vowels and tone marks above and below the line are marks (M)
    and don't count. How an answer ended:

    | finished | output_tokens and token_cap | cut by the cap |
    |---|---|---|
    | True | any | no |
    | False | any | yes |
    | None | both known | yes if output_tokens >= token_cap |
    | None | one unknown | unknown |

    Attributes:
        expected_script: Script of the language asked for: ``thai`` or ``latin``.
        tokenizer: Counts the tokens of the length ratio.
        foreign_share: Share of an answer's letters (0-1) that may stand in other scripts. 0.5: the wrong script has
            the majority. A third also finds answers that quote the right translation inside a longer explanation.

    Raises:
        ValueError: If the expected script is another, or the share is not in [0, 1).
    """

    expected_script: Script
    tokenizer: Tokenizer = field(default_factory=NewmmTokenizer)
    foreign_share: float = 0.5

    def __post_init__(self) -> None:
        if self.expected_script not in ("thai", "latin"):
            raise ValueError(f"expected_script must be 'thai' or 'latin', got {self.expected_script!r}")
        if not 0 <= self.foreign_share < 1:
            raise ValueError(f"foreign_share must be at least 0 and below 1, got {self.foreign_share}")

    def statistics(
        self,
        hypothesis: str,
        reference: str | None,
        *,
        output_tokens: int | None = None,
        token_cap: int | None = None,
        finished: bool | None = None,
        prompt_tokens_cut: int | None = None,
    ) -> NDArray[np.float64]:
        """Counts of one answer.

        Args:
            hypothesis: The answer.
            reference: Its reference; None or "" where it has none, then its length is not counted.
            output_tokens: The model's tokens in the answer, if known.
            token_cap: Largest number of tokens the model was allowed, if known.
            finished: Whether the model itself ended the answer, if known.
            prompt_tokens_cut: Tokens cut from the prompt, if known.

        Returns:
            Shape (12,), in the order of `Count`; sums of it go to `summary`.

        Raises:
            TypeError: If the hypothesis is not a str.
        """
        if not isinstance(hypothesis, str):
            raise TypeError(f"the hypothesis is a {type(hypothesis).__name__}, not a str; read missing answers as ''")
        counts = np.zeros(len(Count))
        counts[Count.ITEMS] = 1
        letters = letters_by_script(hypothesis)
        foreign = letters.total() - letters[self.expected_script]
        counts[Count.WRONG_SCRIPT] = foreign > self.foreign_share * letters.total()
        counts[Count.EMPTY] = not hypothesis.strip()
        counts[Count.NO_LETTERS] = letters.total() == 0 and not counts[Count.EMPTY]
        counts[Count.PREFACE] = opening_preface(hypothesis) is not None
        cut = _cut_by_cap(output_tokens, token_cap, finished)
        counts[Count.END_KNOWN] = cut is not None
        counts[Count.CUT_BY_CAP] = bool(cut)
        counts[Count.PROMPT_KNOWN] = prompt_tokens_cut is not None
        counts[Count.PROMPT_CUT] = bool(prompt_tokens_cut)
        if reference:
            counts[Count.REFERENCES] = 1
            counts[Count.HYPOTHESIS_TOKENS] = len(self.tokenizer.tokenize(hypothesis))
            counts[Count.REFERENCE_TOKENS] = len(self.tokenizer.tokenize(reference))
        return counts

    def summary(self, sums: NDArray[np.float64]) -> DiagnosticsSummary:
        """Shares and ratios of a sum of statistics.

        Args:
            sums: Shape (12,).

        Returns:
            The summary; a share of nothing is nan.
        """

        def share(part: Count, whole: Count) -> float:
            return float(sums[part] / sums[whole]) if sums[whole] else float("nan")

        return DiagnosticsSummary(
            items=int(sums[Count.ITEMS]),
            wrong_script=share(Count.WRONG_SCRIPT, Count.ITEMS),
            no_letters=share(Count.NO_LETTERS, Count.ITEMS),
            empty=share(Count.EMPTY, Count.ITEMS),
            opening_preface=share(Count.PREFACE, Count.ITEMS),
            cut_by_token_cap=share(Count.CUT_BY_CAP, Count.END_KNOWN),
            end_known=int(sums[Count.END_KNOWN]),
            prompt_cut=share(Count.PROMPT_CUT, Count.PROMPT_KNOWN),
            prompt_known=int(sums[Count.PROMPT_KNOWN]),
            length_ratio=share(Count.HYPOTHESIS_TOKENS, Count.REFERENCE_TOKENS),
            references=int(sums[Count.REFERENCES]),
        )

    def signature(self) -> Signature:
        """The settings, the version of the preface table and the tokenizer of the length ratio."""
        return (
            Signature.of(
                "diagnostics", script=self.expected_script, foreign=str(self.foreign_share), prefaces=TABLE_VERSION
            )
            .with_fields(**self.tokenizer.signature_fields())
            .with_fields(v=DEFINITIONS_VERSION)
        )


def letters_by_script(text: str) -> Counter[str]:
    """Counts letters (Unicode category L) by script.

    Args:
        text: Any text.

    Returns:
        Counts for ``thai``, ``latin`` and ``other``.
    """
    letters: Counter[str] = Counter()
    for character, count in Counter(text).items():
        script = _script(character)
        if script is not None:
            letters[script] += count
    return letters


@lru_cache(maxsize=4096)
def _script(character: str) -> str | None:
    """Script of a letter; None for anything else. The Unicode name begins with the script for these two."""
    if not unicodedata.category(character).startswith("L"):
        return None
    name = unicodedata.name(character, "").partition(" ")[0].lower()
    return name if name in ("thai", "latin") else "other"


def _cut_by_cap(output_tokens: int | None, token_cap: int | None, finished: bool | None) -> bool | None:
    if finished is not None:
        return not finished
    if output_tokens is None or token_cap is None:
        return None
    return output_tokens >= token_cap
