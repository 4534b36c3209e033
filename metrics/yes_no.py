"""Reads yes or no out of an answer in English, Spanish, Arabic or Chinese."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_YES = frozenset({"yes", "true", "sí", "نعم", "是", "是的", "需要"})
_NO = frozenset({"no", "false", "لا", "كلا", "否", "不是", "不", "不需要", "无需", "無需"})
# "No doubt", "لا شك": these also say no to the next word only.
_DETERMINERS = frozenset({"no", "لا"})
_NEGATIONS = re.compile(r"not|never|cannot|\w+n['’]t|ليس|ليست|.*(?:不是|并非|並非)")
# "yes or no" repeats the question and answers nothing.
_OR = frozenset({"or", "o", "أو", "或", "或者", "/", "|"})
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
# Han characters run on without spaces, so a run of them is a word of its own beside letters of other scripts.
_WORD = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+(?:[-'’][^\W_{_HAN}]+)*|[/|]")
_CLAUSE = re.compile(r"[.:;!?,\n،؛؟。、—–]|\s-\s")
_ARABIC_MARKS = re.compile("[\u064b-\u0652\u0670\u0640]")


def parse_yes_no(answer: str) -> bool | None:
    """Reads a yes/no answer by whole words.

    Yes: ``yes true sí نعم 是 是的 需要``; no: ``no false لا كلا 否 不是 不 不需要 无需 無需``, in any case, with or
    without Arabic vowel marks. A Chinese word is a whole run of Han characters, so neither ``是`` in ``但是`` counts,
    nor ``否`` in ``是否``. Spanish ``si`` without its accent means "if" and counts only as the whole answer.

    | answer | value | why |
    |---|---|---|
    | nothing but yes and no words, both kinds | None | ``yes\\nno``, ``是\\n否``: the choices once more |
    | first word is yes or no | that | what follows explains: ``No, the user said yes`` |
    | so, but ``no`` or ``لا`` goes on in its clause, and a yes follows | None | ``No doubt, yes``: no to that word |
    | not so, a negation before yes or no in its clause | None | ``The answer is not yes``, ``It isn't true`` |
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
    text = _ARABIC_MARKS.sub("", unicodedata.normalize("NFKC", answer).casefold())
    words = _without_questions(_WORD.findall(text))
    if words == ["si"]:
        return True
    labels = [word in _YES for word in words if _is_label(word)]
    if not labels:
        return None
    if len(set(labels)) == 1:
        return labels[0] if _is_label(words[0]) or not _is_label_negated(text) else None
    if not _is_label(words[0]) or len(labels) == len(words) or _is_determiner(text, words[0]):
        return None
    return labels[0]


def _is_label(word: str) -> bool:
    return word in _YES or word in _NO


def _clauses(text: str) -> Iterator[list[str]]:
    return filter(None, map(_WORD.findall, _CLAUSE.split(text)))


def _is_label_negated(text: str) -> bool:
    """Whether a yes or no follows a negation in its clause."""
    for words in _clauses(text):
        negated = next((at for at, word in enumerate(words) if _NEGATIONS.fullmatch(word)), len(words))
        if any(map(_is_label, words[negated + 1 :])):
            return True
    return False


def _is_determiner(text: str, first: str) -> bool:
    """Whether the first word, a label, says no to the word after it only: its clause goes on."""
    clause = next(words for words in _clauses(text) if first in words)
    return first in _DETERMINERS and clause[-1] != first


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
