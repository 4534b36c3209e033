"""Reads yes or no out of an answer in English, Spanish, Arabic or Chinese."""

from __future__ import annotations

import re
import unicodedata

_YES = frozenset({"yes", "true", "sí", "نعم", "是", "是的"})
_NO = frozenset({"no", "false", "لا", "否", "不是", "不"})
# "yes or no" repeats the question and answers nothing.
_OR = frozenset({"or", "o", "أو", "或", "或者", "/", "|"})
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
# Han characters run on without spaces, so a run of them is a word of its own beside letters of other scripts.
_WORD = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+(?:[-'’][^\W_{_HAN}]+)*|[/|]")
_ARABIC_MARKS = re.compile("[\u064b-\u0652\u0670\u0640]")


def parse_yes_no(answer: str) -> bool | None:
    """Reads a yes/no answer by whole words.

    Yes: ``yes true sí نعم 是 是的``; no: ``no false لا 否 不是 不``, in any case, with or without Arabic vowel marks.
    A Chinese word is a whole run of Han characters, so neither ``是`` in ``但是`` nor ``否`` in ``是否`` counts.
    Spanish ``si`` without its accent means "if" and counts only as the whole answer.

    | answer | value | why |
    |---|---|---|
    | first word is yes or no | that | what follows explains: ``No, the user said yes`` |
    | else all yes/no words agree | that | ``The answer is: yes`` |
    | else yes and no words | None | no telling which one is meant |
    | ``yes or no``, ``yes/no`` | left out | repeats the question |
    | ``I know``, ``yesterday``, ``no-one`` | None | parts of words |
    | empty, anything else | None | not parsed; never a label by default |

    Args:
        answer: What the model wrote.

    Returns:
        True for yes, False for no, None where the answer cannot be read.

    Raises:
        TypeError: If the answer is not a str.
    """
    if not isinstance(answer, str):
        raise TypeError(f"the answer is a {type(answer).__name__}, not a str; read missing answers as ''")
    words = _without_questions(_words(answer))
    if words == ["si"]:
        return True
    labels = [word in _YES for word in words if word in _YES or word in _NO]
    if not labels:
        return None
    starts = words[0] in _YES or words[0] in _NO
    return labels[0] if starts or len(set(labels)) == 1 else None


def _words(answer: str) -> list[str]:
    text = unicodedata.normalize("NFKC", answer).casefold()
    return _WORD.findall(_ARABIC_MARKS.sub("", text))


def _without_questions(words: list[str]) -> list[str]:
    """Drops each yes-or-no and no-or-yes, and slashes that stand elsewhere."""
    kept: list[str] = []
    position = 0
    while position < len(words):
        first, connector, second = [*words[position : position + 3], "", ""][:3]
        if connector in _OR and ((first in _YES and second in _NO) or (first in _NO and second in _YES)):
            position += 3
            continue
        if first not in "/|":
            kept.append(first)
        position += 1
    return kept
