"""Cuts Thai text into Central words and dialect words: the cheapest path through both, by how frequent words are."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from metrics.central_words import central_words
from metrics.dialect_lexicon import Lexicon, LexiconEntry
from metrics.dialect_tokens import FOREIGN, SIGNS, VOWEL_OR_TONE, Meaning, Token, joined, without_pieces
from metrics.short_memo import short_memo
from metrics.thai_pronunciation import candidate_key, is_central_word, same_pronunciation
from metrics.thai_script import LEAD_VOWELS, MARK_VOWELS, TONE_MARKS, ZERO_WIDTH
from metrics.thai_syllables import Plain, read_syllables
from metrics.thai_tokenizer import NewmmTokenizer

MATCHING_VERSION = "1"
"""Raised whenever the same text and lexicons can give other tokens."""

_MOST_SYLLABLES = 5
"""Longest word that is looked up by its sound."""

# Costs are -ln of a word's share of running text. A dialect word is taken to be as frequent as a common Central one,
# so that it beats rare Central words that it is made of (แห and ลง in แหลง), not frequent ones that contain it.
_DIALECT_COST = 9.0
_CONTEXT_COST = 12.0
"""Of a word that is also Central, at most: of เด็กน้อย and the like the dictionary's counts are too low."""
_SOUND_COST = 1.5
"""Added where a word is known by its sound only."""
_UNKNOWN_COST = 13.0
"""A cluster of letters that belongs to no word; rarer than any word of the dictionary together with a share of one."""

_RUNS = re.compile(f"[ก-\u0e3a\u0e40-\u0e4e][ก-\u0e3a\u0e40-\u0e4e{ZERO_WIDTH}]*")
_GAP = f"[{ZERO_WIDTH}]*"
_FOLDED = re.compile(
    f"(?P<dropped>[{ZERO_WIDTH}]+)|(?P<ae>เ{_GAP}เ)|\u0e4d(?:{_GAP}(?P<tone>[{TONE_MARKS}]))?{_GAP}า"
    f"|(?P<tone_first>[{TONE_MARKS}]){_GAP}\u0e4d{_GAP}า|(?P<mark>[{TONE_MARKS}]){_GAP}(?P<vowel>[{MARK_VOWELS}])"
)
_NO_START = frozenset("ะาำๅๆฯ์\u0e4d\u0e4e\u0e3a" + MARK_VOWELS + TONE_MARKS)
_SILENT = re.compile("[ก-ฮ][ิุ]?์")


class DialectMatcher:
    """Finds the words of several dialects in running text.

    A run of Thai letters is cut where the product of the words' shares of running text is largest (unigram
    segmentation): Central words count as often as in the Thai National Corpus (PyThaiNLP's ``tnc``), each lexicon
    spelling like a common word, letters in no word as very rare. So a longer Central word wins over a dialect word
    inside it (กะลา over กะ), and a dialect word over rare Central words that it happens to be made of. A word that
    is no Central word and no spelling of the lexicon is looked up by its sound (`metrics.thai_pronunciation`).

    Args:
        lexicons: The lexicons; their names are the dialects of `metrics.thai_tones.DIALECTS`.

    Raises:
        ValueError: If a name is not a dialect's, or stands twice.
    """

    def __init__(self, lexicons: Sequence[Lexicon]) -> None:
        self.lexicons = tuple(sorted(lexicons, key=lambda lexicon: lexicon.name))
        names = [lexicon.name for lexicon in self.lexicons]
        if len(set(names)) != len(names):
            raise ValueError(f"two of the lexicons {', '.join(names)} have one name; a name is a dialect's")
        self._exact = _by_spelling(self.lexicons)
        self._prefixes = {spelling[:end] for spelling in self._exact for end in range(1, len(spelling) + 1)}
        self._by_sound = {lexicon.name: _by_sound(lexicon) for lexicon in self.lexicons}
        self._tokens_of_run = short_memo(self._cut)

    def __deepcopy__(self, memo: dict[int, object]) -> DialectMatcher:
        """Returns itself, as nothing in it can be changed; lighteval copies the metrics of every task."""
        return self

    def __reduce__(self) -> tuple[type[DialectMatcher], tuple[tuple[Lexicon, ...]]]:
        """Goes to another process as its lexicons."""
        return type(self), (self.lexicons,)

    @property
    def lexicon_sha256(self) -> str:
        """SHA-256 of the lexicons' hashes in the order of their names, 64 hexadecimal digits."""
        hashes = sorted(f"{lexicon.name}:{lexicon.sha256}" for lexicon in self.lexicons)
        return hashlib.sha256("\n".join(hashes).encode()).hexdigest()

    def signature_fields(self) -> Mapping[str, str]:
        """Version of PyThaiNLP, whose dictionary and word counts decide what is Central, and hash of the former."""
        tokenizer = NewmmTokenizer()
        return {"pythainlp": tokenizer.library_version, "dict": tokenizer.dictionary_sha256[:8]}

    def tokens(self, text: str) -> list[Token]:
        """Cuts a text.

        Args:
            text: Any string; nothing in it raises.

        Returns:
            The tokens in order. Spaces, other scripts and digits are between them.
        """
        found = []
        for run in _RUNS.finditer(text):
            folded, places = _fold(run[0])
            for token in self._tokens_of_run(folded):
                start, end = places[token.start] + run.start(), places[token.end] + run.start()
                meanings = () if _is_abbreviation(text, token.text, start, end) else token.meanings
                found.append(Token(token.text, start, end, token.central, meanings))
        return found

    def _cut(self, run: str) -> tuple[Token, ...]:
        starts = [place for place in range(len(run)) if _may_begin(run, place)]
        borders = {*starts, len(run)}
        by_sound: dict[int, list[Token]] = defaultdict(list)
        for token in self._sound_tokens(run):
            by_sound[token.start].append(token)
        costs = {len(run): 0.0}
        chosen: dict[int, Token] = {}
        for start, following in reversed(list(zip(starts, [*starts[1:], len(run)], strict=True))):
            text = run[start:following]
            unknown = Token(text, start, following, False)
            best, token = costs[following] + (0.0 if text in SIGNS else _UNKNOWN_COST), unknown
            for cost, candidate in self._candidates(run, start, borders, by_sound[start]):
                if cost + costs[candidate.end] < best:
                    best, token = cost + costs[candidate.end], candidate
            costs[start], chosen[start] = best, token
        path = list(_path(chosen, starts[0] if starts else len(run), len(run)))
        return tuple(joined(without_pieces(path)))

    def _candidates(
        self, run: str, start: int, borders: set[int], by_sound: Sequence[Token]
    ) -> Iterator[tuple[float, Token]]:
        """Cost and token of each word that may begin at a place."""
        words, prefixes = central_words()
        for end in range(start + 1, len(run) + 1):
            text = run[start:end]
            if text not in prefixes and text not in self._prefixes:
                break
            if end not in borders:
                continue
            central = words.get(text)
            meanings = self._exact.get(text, ())
            if meanings:
                only_context = all(meaning.entry.certainty == "context" for meaning in meanings)
                cost = _CONTEXT_COST if only_context and central is not None else _DIALECT_COST
                yield min(cost, central or cost), Token(text, start, end, central is not None, meanings)
            elif central is not None:
                yield central, Token(text, start, end, True)
        for token in by_sound:
            if token.end in borders:
                yield _DIALECT_COST + _SOUND_COST, token

    def _sound_tokens(self, run: str) -> Iterator[Token]:
        """Words that sound like a lexicon's, are spelled otherwise and are no Central words."""
        pieces = read_syllables(run)
        for first in range(len(pieces)):
            meanings_of_end: dict[int, list[Meaning]] = defaultdict(list)
            for dialect, index in self._by_sound.items():
                key: tuple[str, ...] = ()
                made_of_words = True  # ว่าศาล is no respelling of ว่าซั่น, ยะกั๋น none of ยะก๋าน
                for piece in pieces[first : first + _MOST_SYLLABLES]:
                    if isinstance(piece, Plain) or not VOWEL_OR_TONE.search(piece.text) or FOREIGN.match(piece.text):
                        break
                    key += candidate_key(piece.text, dialect)
                    if key not in index:
                        break
                    text = run[pieces[first].start : piece.end]
                    made_of_words = made_of_words and (is_central_word(piece.text) or piece.text in self._exact)
                    if index[key] and not made_of_words and text not in self._exact and not is_central_word(text):
                        entry = _same_word(text, index[key], dialect)
                        if entry:
                            meanings_of_end[piece.end].append(Meaning(dialect, entry, exact=False))
            for end, meanings in meanings_of_end.items():
                start = pieces[first].start
                yield Token(run[start:end], start, end, False, tuple(meanings))


def _by_spelling(lexicons: Sequence[Lexicon]) -> Mapping[str, tuple[Meaning, ...]]:
    found: dict[str, tuple[Meaning, ...]] = defaultdict(tuple)
    for lexicon in lexicons:
        for spelling, entry in lexicon.by_spelling.items():
            found[_fold(spelling)[0]] += (Meaning(lexicon.name, entry, exact=True),)
    return dict(found)


_SoundIndex = Mapping[tuple[str, ...], Sequence[tuple[str, LexiconEntry]]]


def _by_sound(lexicon: Lexicon) -> _SoundIndex:
    """Candidate key, or the beginning of one, to spellings and entries; a beginning that is no key has none."""
    index: dict[tuple[str, ...], list[tuple[str, LexiconEntry]]] = defaultdict(list)
    for spelling, entry in lexicon.by_spelling.items():
        if entry.certainty == "context":
            continue
        key = candidate_key(spelling, lexicon.name)
        for end in range(1, len(key)):
            index[key[:end]] += []
        index[key].append((spelling, entry))
    return dict(index)


def _same_word(text: str, words: Sequence[tuple[str, LexiconEntry]], dialect: str) -> LexiconEntry | None:
    return next((entry for spelling, entry in words if same_pronunciation(text, spelling, dialect)), None)


def _fold(run: str) -> tuple[str, Sequence[int]]:
    """Writes a run in one way (sara am, sara ae, mark after vowel, no zero-width); and where each letter stood."""
    if not _FOLDED.search(run):
        return run, range(len(run) + 1)
    letters: list[str] = []
    places: list[int] = []
    end = 0
    for match in _FOLDED.finditer(run):
        letters += run[end : match.start()]
        places += range(end, match.start())
        new = _folded(match)
        letters += new
        places += [match.start()] * len(new)
        end = match.end()
    return "".join(letters) + run[end:], [*places, *range(end, len(run) + 1)]


def _folded(match: re.Match[str]) -> str:
    if match["dropped"]:
        return ""
    if match["ae"]:
        return "แ"
    if match["mark"]:
        return match["vowel"] + match["mark"]
    return (match["tone"] or match["tone_first"] or "") + "ำ"


def _may_begin(run: str, place: int) -> bool:
    if place == 0 or run[place] in SIGNS or run[place - 1] in SIGNS:
        return True
    return run[place] not in _NO_START and run[place - 1] not in LEAD_VOWELS and not _SILENT.match(run, place)


def _is_abbreviation(text: str, word: str, start: int, end: int) -> bool:
    """Whether a word is letters beside a full stop, as กก in กก.ตร."""
    return "." in (text[start - 1 : start], text[end : end + 1]) and not VOWEL_OR_TONE.search(word)


def _path(chosen: Mapping[int, Token], start: int, end: int) -> Iterator[Token]:
    while start < end:
        yield chosen[start]
        start = chosen[start].end
