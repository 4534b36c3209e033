"""The way that a user would take instead: PyThaiNLP's newmm with the lexicons' spellings in its dictionary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pythainlp.corpus.common import thai_words
from pythainlp.tokenize import word_tokenize
from pythainlp.util import Trie

from metrics.dialect_lexicon import Lexicon
from metrics.dialect_matching import DialectMatcher
from metrics.dialect_tokens import Meaning, Token

THAI = re.compile("[ก-\u0e4e]")


class NewmmMatcher(DialectMatcher):
    """newmm's longest matching; words are looked up by their spelling only."""

    def __init__(self, lexicons: Sequence[Lexicon]) -> None:
        super().__init__(lexicons)
        self._words = thai_words()
        self._trie = Trie(self._words | {spelling for lexicon in lexicons for spelling in lexicon.by_spelling})
        self._tokens_of_text = lru_cache(maxsize=4096)(self._cut_text)

    def tokens(self, text: str) -> list[Token]:
        """Cuts a text into newmm's tokens that begin with a Thai letter."""
        return list(self._tokens_of_text(text))

    def _cut_text(self, text: str) -> tuple[Token, ...]:
        tokens: list[Token] = []
        start = 0
        for word in word_tokenize(text, custom_dict=self._trie, engine="newmm"):
            end = start + len(word)
            meanings = tuple(
                Meaning(lexicon.name, entry, exact=True)
                for lexicon in self.lexicons
                if (entry := lexicon.by_spelling.get(word)) is not None
            )
            if THAI.match(word):
                tokens.append(Token(word, start, end, word in self._words, meanings))
            start = end
        return tuple(tokens)
