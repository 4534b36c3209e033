"""Word and character error rates of transcripts: edits are counted once, every measure is read off the counts.

Counts are in `metrics.edit_counts`, normalisations in `metrics.asr_normalization`, the view of an alignment in
`metrics.asr_alignment`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from metrics.asr_normalization import check_normalization, normalize, signature_fields
from metrics.chinese_words import chinese_words, jieba_version
from metrics.corpus_metric import References, check_item
from metrics.edit_counts import EditCounts, edit_numbers
from metrics.signature import DEFINITIONS_VERSION, Signature

_SEVERAL_SPACES = re.compile(r"\s\s+")


@dataclass(frozen=True)
class _ErrorRate(ABC):
    """Errors summed over a corpus by units of the references summed over it: the core of both rates.

    Attributes:
        language: ISO 639-3 code: ``ara``, ``zho``, ``eng`` or ``spa``.
        normalization: Name of a normalisation of `metrics.asr_normalization`, applied to both sides.

    Raises:
        ValueError: If the language or normalisation is unknown.
    """

    language: str
    normalization: str = "raw"

    def __post_init__(self) -> None:
        check_normalization(self.normalization, self.language)

    @property
    @abstractmethod
    def name(self) -> str:
        """Short name in lower case."""

    @abstractmethod
    def units(self, text: str) -> Sequence[str]:
        """Splits a text into what is counted, after normalisation."""

    @abstractmethod
    def _unit_fields(self) -> Mapping[str, str]:
        """Says in a signature's fields what is counted."""

    def statistics(self, hypothesis: str, references: References) -> NDArray[np.float64]:
        """Counts the edits of one item.

        Args:
            hypothesis: The transcript of the system; may be empty.
            references: At least one reference; may be empty texts.

        Returns:
            Shape (4,): hits, substitutions, deletions, insertions.

        Raises:
            TypeError: If something is not a str.
            ValueError: If there is no reference.
        """
        check_item(hypothesis, references)
        said = self.units(hypothesis)
        if hypothesis in references:  # the commonest case of a good system
            return np.array((len(said), 0, 0, 0), dtype=np.float64)
        if len(references) == 1:
            return np.array(edit_numbers(self.units(references[0]), said), dtype=np.float64)
        counts = [np.array(edit_numbers(self.units(text), said), dtype=np.float64) for text in references]
        return min(counts, key=self.values)

    def values(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Error rate of sums of statistics.

        Args:
            sums: Shape (..., 4).

        Returns:
            The rate in percent, shape (...); above 100 where there are many insertions.
        """
        return np.asarray(100 * sums[..., 1:].sum(axis=-1) / np.maximum(sums[..., :3].sum(axis=-1), 1))

    def score(self, sums: NDArray[np.float64]) -> EditCounts:
        """Returns one sum of statistics, shape (4,), as counts."""
        return EditCounts(*(int(count) for count in sums))

    def signature(self) -> Signature:
        """The metric's settings for one reference an item."""
        return (
            Signature.of(self.name, nrefs=1)
            .with_fields(**signature_fields(self.normalization, self.language), **self._unit_fields())
            .with_fields(v=DEFINITIONS_VERSION)
        )


@dataclass(frozen=True)
class WordErrorRate(_ErrorRate):
    """Word error rate of a corpus: ``100 * (S + D + I) / (H + S + D)``, each summed over all items first.

    With ``normalization="raw"`` the value is that of arXiv 2605.30107 (times 100), which is that of ``evaluate``'s
    ``wer`` and of jiwer 4: two or more white spaces become one space, the ends are stripped, words stand between
    spaces; case, punctuation and marks count. Chinese is cut by jieba first.

    | parameter | paper | jiwer's default | here |
    |---|---|---|---|
    | corpus | errors and lengths summed | the same | the same |
    | normalisation | none | none | ``raw``, or ``normalized`` (table in `metrics.asr_normalization`) |
    | Chinese words | jieba, default mode | between spaces | jieba, default mode |
    | scale | fraction | fraction | percent in `values`, fraction in `EditCounts.error_rate` |

    | case | value | why |
    |---|---|---|
    | empty reference, empty hypothesis | 0 | silence was heard as silence; adds nothing to a corpus |
    | empty reference, hypothesis of n units | n insertions | the corpus rate rises and stays defined |
    | all references empty, n insertions | 100 * n | as if there were one unit; the value of jiwer 4; evaluate fails |
    | empty hypothesis | all units of the reference are deletions: 100 | nothing was transcribed |
    | text of white space only, or of punctuation only when normalised | as empty | it has no units |
    | several references | the counts of the lowest rate, the first of equals | the closest counts |
    | lists that differ in length | ValueError naming the lengths, by `corpus_score` | a shifted list has no score |

    Three values: ``take two tablets`` against itself 0; heard as ``take too tablets`` 33.33 (one substitution of 3);
    heard as ``take two tablets every day`` 66.67 (two insertions).
    """

    name: ClassVar[str] = "wer"

    def units(self, text: str) -> Sequence[str]:
        """Splits a text into words.

        Args:
            text: A transcript.

        Returns:
            The words of the normalised text; none of white space alone.
        """
        normalized = text if self.normalization == "raw" else normalize(text, self.normalization, self.language)
        if self.language == "zho":
            normalized = _jieba_spaced(normalized)
        if normalized.isprintable():  # of white space only the plain space is
            return normalized.split()
        return [word for word in _single_spaced(normalized).split(" ") if word]

    def _unit_fields(self) -> Mapping[str, str]:
        return {"unit": "word", **_word_fields(self.language)}


@dataclass(frozen=True)
class CharacterErrorRate(_ErrorRate):
    """Character error rate of a corpus: ``100 * (S + D + I) / (H + S + D)``, each summed over all items first.

    A character is a code point. In Arabic, English and Spanish the single spaces between words are characters, as in
    ``evaluate``'s ``cer``, with which ``normalization="raw"`` agrees. In Chinese no white space is: ``cer``. The paper
    (arXiv 2605.30107) counts Chinese on text with a space between jieba's words, where each added space is a
    character and a moved cut an error: ``cer_spaced``, to compare with its numbers only.

    | parameter | paper | evaluate's default | here |
    |---|---|---|---|
    | spaces, Chinese | added between jieba's words | kept | removed; added with ``spaced=True`` |
    | spaces, other languages | kept, runs as one | the same | the same |
    | normalisation | none | none | ``raw``, or ``normalized`` (table in `metrics.asr_normalization`) |
    | scale | fraction | fraction | percent in `values`, fraction in `EditCounts.error_rate` |

    Empty texts, several references and lists that differ in length: the table of `WordErrorRate`.

    Three values: ``医生说每天要吃两次这种药片`` heard as ``医生说每天要吃两次这种药品`` 7.69 (one character of 13),
    and 5.00 with ``spaced=True`` (of 20); ``我今天有点头疼啊`` heard as ``我今天有点头疼`` 12.50 (one of 8), and 16.67
    spaced (the last word and its space, of 12); English ``two`` heard as ``too`` 33.33.

    Attributes:
        spaced: Chinese only: whether a space stands between jieba's words and counts.

    Raises:
        ValueError: If `spaced` is set for another language.
    """

    spaced: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.spaced and self.language != "zho":
            raise ValueError(f"spaced=True is for Chinese (zho), not for {self.language!r}; leave it out")

    @property
    def name(self) -> str:
        """``cer`` or ``cer_spaced``."""
        return "cer_spaced" if self.spaced else "cer"

    def units(self, text: str) -> str:
        """Returns the characters that are counted.

        Args:
            text: A transcript.

        Returns:
            The normalised text, its spaces kept, removed or added as the class says.
        """
        normalized = text if self.normalization == "raw" else normalize(text, self.normalization, self.language)
        if self.spaced:
            normalized = _jieba_spaced(normalized)
        elif self.language == "zho":
            return "".join(normalized.split())
        return _single_spaced(normalized)

    def _unit_fields(self) -> Mapping[str, str]:
        if self.language != "zho":
            return {"unit": "character", "space": "kept"}
        if not self.spaced:
            return {"unit": "character", "space": "dropped"}
        return {"unit": "character", "space": "added", **_word_fields(self.language)}


def _jieba_spaced(text: str) -> str:
    return " ".join(chinese_words(text))


def _single_spaced(text: str) -> str:
    """The white space rules of jiwer's and evaluate's transformations: a lone tab or line feed stays."""
    if "  " not in text and text.isprintable():  # of white space only the plain space is
        return text.strip()
    return _SEVERAL_SPACES.sub(" ", text).strip()


def _word_fields(language: str) -> Mapping[str, str]:
    return {"tok": "jieba", "jieba": jieba_version()} if language == "zho" else {"tok": "space"}
