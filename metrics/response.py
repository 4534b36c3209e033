"""Answers of an assistant: refusals where there is no knowledge and where there is, and support by snippets.

Refusals are found by `metrics.refusals`, sentences by `metrics.sentences`.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache, partial
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from metrics.asr_normalization import RULES_VERSION, check_normalization, normalize
from metrics.chinese_words import chinese_words, jieba_version
from metrics.corpus_metric import References, check_item
from metrics.refusals import TABLE_VERSION, is_refusal
from metrics.resampling import Values
from metrics.sentences import sentences
from metrics.signature import DEFINITIONS_VERSION, Signature
from metrics.stop_words import LISTS_VERSION, STOP_WORDS

_STEMMERS = {"ara": "arabic", "eng": "english", "spa": "spanish"}


class RefusalCount(IntEnum):
    """Positions of the statistics vector of `Refusals`."""

    OOK = 0
    OOK_REFUSED = 1
    GROUNDED = 2
    GROUNDED_REFUSED = 3


@dataclass(frozen=True)
class Refusals:
    """How often an assistant says that it doesn't know: a lexical measure.

    ``refusal_rate = 100 * refused OOK turns / OOK turns``, higher is better;
    ``false_refusal_rate = 100 * refused grounded turns / grounded turns``, lower is better. A turn is OOK (out of
    knowledge) if knowledge is needed and no snippet has it, grounded if it has gold snippets; greetings and thanks are
    neither and not counted. Each rate is nan without such turns. An empty answer refuses nothing.

    Three values: of two OOK turns one refused, refusal rate 50; of four grounded turns one refused, false refusal
    rate 25; no OOK turn, refusal rate nan.

    Attributes:
        language: ISO 639-3 code: ``ara``, ``zho``, ``eng`` or ``spa``.

    Raises:
        ValueError: If the language is unknown.
    """

    language: str
    name: ClassVar[str] = "refusals"
    measures: ClassVar[tuple[str, ...]] = ("refusal_rate", "false_refusal_rate")

    def __post_init__(self) -> None:
        check_normalization("normalized", self.language)

    def statistics(self, answer: str, *, out_of_knowledge: bool, is_grounded: bool) -> NDArray[np.float64]:
        """Counts of one turn.

        Args:
            answer: What the assistant says; may be empty.
            out_of_knowledge: Whether no snippet answers the user.
            is_grounded: Whether the turn has gold snippets.

        Returns:
            Shape (4,), in the order of `RefusalCount`.

        Raises:
            ValueError: If the turn is both.
        """
        if out_of_knowledge and is_grounded:
            raise ValueError("a turn with gold snippets is not out of knowledge; pass one of both")
        refused = is_refusal(answer, self.language)
        counts = (out_of_knowledge, out_of_knowledge and refused, is_grounded, is_grounded and refused)
        return np.array(counts, dtype=np.float64)

    def values_of(self, measure: str) -> Values:
        """Returns the function from sums of statistics, shape (..., 4), to a measure, 0-100, shape (...)."""
        if measure not in self.measures:
            raise ValueError(f"unknown measure {measure!r}; expected one of {', '.join(self.measures)}")
        first = RefusalCount.OOK if measure == "refusal_rate" else RefusalCount.GROUNDED
        return partial(_share, above=first + 1, below=first)

    def signature(self) -> Signature:
        """The measure's settings."""
        fields = {"lang": self.language, "kind": "lexical", "table": TABLE_VERSION, "rules": RULES_VERSION}
        return Signature.of(self.name, **fields, v=DEFINITIONS_VERSION)


class SupportCount(IntEnum):
    """Positions of the statistics vector of `LexicalSupport`."""

    SENTENCES = 0
    SUPPORTED = 1
    ANSWERS = 2
    WHOLLY_SUPPORTED = 3


@dataclass(frozen=True)
class LexicalSupport:
    """Share of sentences whose content words stand in the given snippets: a lexical measure of groundedness.

    A sentence is supported if at least `threshold` of its distinct content words are among those of all snippets
    together. ``lexical_support = 100 * supported sentences / sentences``, both summed over answers;
    ``lexical_support_answers = 100 * answers whose every sentence is supported / answers``.

    | step | Arabic | Chinese | English | Spanish |
    |---|---|---|---|---|
    | normalisation | `metrics.asr_normalization`, ``normalized`` | the same | the same | the same |
    | words | at spaces | jieba | at spaces | at spaces |
    | content words | not in `metrics.stop_words` | the same | the same | the same |
    | compared | NLTK's Snowball stems | whole words | Snowball stems | Snowball stems |

    | case | value | why |
    |---|---|---|
    | a sentence without content words | not counted | it says nothing that needs support |
    | an answer without counted sentences, an empty one too | counts as an unsupported answer | silence must not win |
    | no snippets | no sentence is supported | nothing supports it |
    | no sentences, no answers | nan | a share of nothing |

    It knows neither synonyms nor negation: a paraphrase counts as unsupported, "never drink it" as supported by
    "drink it". On the bundled sample's 56 grounded answers (67 sentences, four languages, threshold 0.5): 94.0 with
    title and content of their own gold snippets, 1.5 with those of other turns. At 0.3 these are 94.0 and 6.4, at 0.7
    79.1 and 0.8.

    Three values, snippet ``Drink two litres of water a day.``: ``Drink water.`` 100; ``Drink water. Eat apples.`` 50;
    ``Drink cold milk.`` 0 (one of three content words).

    Attributes:
        language: ISO 639-3 code: ``ara``, ``zho``, ``eng`` or ``spa``.
        threshold: Share of content words, above 0 and at most 1.

    Raises:
        ValueError: If the language is unknown or the threshold out of range.
    """

    language: str
    threshold: float = 0.5
    name: ClassVar[str] = "lexical_support"
    measures: ClassVar[tuple[str, ...]] = ("lexical_support", "lexical_support_answers")

    def __post_init__(self) -> None:
        check_normalization("normalized", self.language)
        if not 0 < self.threshold <= 1:
            raise ValueError(f"threshold must be above 0 and at most 1, got {self.threshold}")

    def statistics(self, hypothesis: str, references: References) -> NDArray[np.float64]:
        """Counts of one answer.

        Args:
            hypothesis: The answer; may be empty.
            references: Texts of the snippets as the prompt shows them, titles too; may be none.

        Returns:
            Shape (4,), in the order of `SupportCount`.

        Raises:
            TypeError: If something is not a str.
        """
        check_item(hypothesis, references or [""])
        known = frozenset().union(*(content_words(snippet, self.language) for snippet in references))
        said = [words for text in sentences(hypothesis) if (words := content_words(text, self.language))]
        supported = sum(len(words & known) >= self.threshold * len(words) for words in said)
        return np.array([len(said), supported, 1, bool(said) and supported == len(said)], dtype=np.float64)

    def values(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Share of supported sentences of sums of statistics, shape (..., 4): 0-100, shape (...)."""
        return _share(sums, above=SupportCount.SUPPORTED, below=SupportCount.SENTENCES)

    def values_of(self, measure: str) -> Values:
        """Returns the function from sums of statistics, shape (..., 4), to a measure, 0-100, shape (...)."""
        if measure not in self.measures:
            raise ValueError(f"unknown measure {measure!r}; expected one of {', '.join(self.measures)}")
        if measure == "lexical_support":
            return self.values
        return partial(_share, above=SupportCount.WHOLLY_SUPPORTED, below=SupportCount.ANSWERS)

    def signature(self) -> Signature:
        """The measure's settings, with the versions of its libraries."""
        words = {"tok": "jieba", "jieba": jieba_version()} if self.language == "zho" else {"tok": "space"}
        stems = {"stems": "snowball", "nltk": version("nltk")} if self.language in _STEMMERS else {"stems": "none"}
        return (
            Signature.of(self.name, lang=self.language, kind="lexical", threshold=f"{self.threshold:g}")
            .with_fields(norm="normalized", rules=RULES_VERSION, **words, **stems)
            .with_fields(stop=LISTS_VERSION, v=DEFINITIONS_VERSION)
        )


@lru_cache(maxsize=32768)
def content_words(text: str, language: str) -> frozenset[str]:
    """Returns the distinct content words of a text, as `LexicalSupport` compares them.

    Args:
        text: Any text.
        language: ISO 639-3 code: ``ara``, ``zho``, ``eng`` or ``spa``.

    Raises:
        ValueError: If the language is unknown.
    """
    normalized = normalize(text, "normalized", language)
    words: Sequence[str] = chinese_words(normalized) if language == "zho" else normalized.split()
    content = {word for word in words if any(map(str.isalnum, word))} - STOP_WORDS[language]
    return frozenset(content if language == "zho" else map(_stemmer(language).stem, content))


@lru_cache(maxsize=len(_STEMMERS))
def _stemmer(language: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old code on new Pythons
        return importlib.import_module("nltk.stem.snowball").SnowballStemmer(_STEMMERS[language])


def _share(sums: NDArray[np.float64], *, above: int, below: int) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(100 * sums[..., above] / sums[..., below])
