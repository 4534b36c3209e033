"""Word and character error rates, against jiwer and by hand; the view of an alignment."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import jiwer
import jiwer.transforms as tr
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.asr import CharacterErrorRate, WordErrorRate
from metrics.asr_alignment import alignment_text, display_width
from metrics.chinese_words import chinese_words
from metrics.corpus_metric import corpus_score, corpus_statistics
from metrics.edit_counts import EditCounts, count_edits
from metrics.resampling import bootstrap_interval
from tests.conftest import REPOSITORY

quick = settings(deadline=None, derandomize=True, database=None)

METRICS = (
    WordErrorRate("eng"),
    WordErrorRate("zho", "normalized"),
    CharacterErrorRate("ara", "normalized"),
    CharacterErrorRate("zho"),
    CharacterErrorRate("zho", spaced=True),
)

# What evaluate's cer gives jiwer; its wer takes jiwer's defaults.
EVALUATE_CER = tr.Compose(
    [tr.RemoveMultipleSpaces(), tr.Strip(), tr.ReduceToSingleSentence(""), tr.ReduceToListOfListOfChars()]
)


def jiwer_counts(references: list[str], hypotheses: list[str], transform: tr.Compose | None = None) -> EditCounts:
    """One call an utterance, the counts added, as evaluate does."""
    total = EditCounts(0, 0, 0, 0)
    for reference, hypothesis in zip(references, hypotheses, strict=True):
        out = (
            jiwer.process_words(reference, hypothesis, transform, transform)
            if transform
            else jiwer.process_words(reference, hypothesis)
        )
        total += EditCounts(out.hits, out.substitutions, out.deletions, out.insertions)
    return total


# The worked values of the docstrings and of the upstream scorer's two kinds of CER, by hand.
@pytest.mark.parametrize(
    ("metric", "reference", "hypothesis", "errors", "length"),
    [
        (WordErrorRate("eng"), "take two tablets", "take two tablets", 0, 3),
        (WordErrorRate("eng"), "take two tablets", "take too tablets", 1, 3),
        (WordErrorRate("eng"), "take two tablets", "take two tablets every day", 2, 3),
        (CharacterErrorRate("eng"), "two", "too", 1, 3),
        (CharacterErrorRate("zho"), "医生说每天要吃两次这种药片", "医生说每天要吃两次这种药品", 1, 13),
        (CharacterErrorRate("zho", spaced=True), "医生说每天要吃两次这种药片", "医生说每天要吃两次这种药品", 1, 20),
        (WordErrorRate("zho"), "医生说每天要吃两次这种药片", "医生说每天要吃两次这种药品", 1, 8),
        (CharacterErrorRate("zho"), "我今天有点头疼啊", "我今天有点头疼", 1, 8),
        (CharacterErrorRate("zho", spaced=True), "我今天有点头疼啊", "我今天有点头疼", 2, 12),
        (WordErrorRate("eng"), "I don't know.", "i don’t know", 3, 3),
        (WordErrorRate("eng", "normalized"), "I don't know.", "i don’t know", 0, 3),
        (WordErrorRate("spa", "normalized"), "Tengo diez años.", "tengo diez anos", 1, 3),
        (WordErrorRate("ara", "normalized"), "أشعُرُ بألم", "اشعر بالم", 0, 2),
        (WordErrorRate("ara", "normalized"), "سؤال", "سوال", 1, 1),
        (WordErrorRate("zho", "normalized"), "头疼，很厉害。", "頭疼 很厲害", 0, 3),
        (WordErrorRate("spa", "normalized"), "El 50 % de la gente.", "El 50% de la gente.", 0, 6),
        (WordErrorRate("spa", "normalized"), "a 38 °C", "a 38°C", 0, 4),
        (WordErrorRate("eng", "normalized"), "$ 5 million", "$5 million", 0, 3),
        (WordErrorRate("ara", "normalized"), "١٥ ٪", "15%", 0, 2),
        (WordErrorRate("zho", "normalized"), "约50 %", "约50%", 0, 3),
        (CharacterErrorRate("zho"), "我 吃了 3 片", "我吃了3片", 0, 5),
        (CharacterErrorRate("eng"), "a b", "ab", 1, 3),
    ],
)
def test_worked_values(
    metric: WordErrorRate | CharacterErrorRate, reference: str, hypothesis: str, errors: int, length: int
) -> None:
    result = corpus_score(metric, [hypothesis], [reference])
    counts = metric.score(result.sums)
    assert (counts.errors, counts.reference_length) == (errors, length)
    assert counts.error_rate == pytest.approx(errors / length)
    assert result.value == pytest.approx(100 * errors / length)


UTTERANCE = st.text(alphabet=st.sampled_from("abA é\u0301'.,\t\n\u3000\u200bن \u064e头疼 😷"), max_size=40)
CORPUS = st.lists(st.tuples(UTTERANCE, UTTERANCE), min_size=1, max_size=4)


@quick
@given(pairs=CORPUS)
@pytest.mark.parametrize("language", ["eng", "ara", "spa"])
def test_raw_counts_are_those_of_jiwer_called_as_evaluate_does(language: str, pairs: list[tuple[str, str]]) -> None:
    references, hypotheses = (list(texts) for texts in zip(*pairs, strict=True))
    words, characters = WordErrorRate(language), CharacterErrorRate(language)
    assert words.score(corpus_score(words, hypotheses, references).sums) == jiwer_counts(references, hypotheses)
    assert characters.score(corpus_score(characters, hypotheses, references).sums) == jiwer_counts(
        references, hypotheses, EVALUATE_CER
    )


@quick
@given(pairs=CORPUS)
def test_raw_chinese_counts_are_those_of_jiwer_on_text_spaced_by_jieba(pairs: list[tuple[str, str]]) -> None:
    references, hypotheses = (list(texts) for texts in zip(*pairs, strict=True))
    spaced = [[" ".join(chinese_words(text)) for text in texts] for texts in (references, hypotheses)]
    words, characters = WordErrorRate("zho"), CharacterErrorRate("zho", spaced=True)
    assert words.score(corpus_score(words, hypotheses, references).sums) == jiwer_counts(*spaced)
    assert characters.score(corpus_score(characters, hypotheses, references).sums) == jiwer_counts(
        *spaced, EVALUATE_CER
    )


@quick
@given(reference=st.text(max_size=300), hypothesis=st.text(max_size=300))
def test_rates_are_those_of_jiwer(reference: str, hypothesis: str) -> None:
    counts = count_edits(reference.split(), hypothesis.split())
    expected = jiwer.process_words(" ".join(reference.split()), " ".join(hypothesis.split()))
    assert counts.error_rate == pytest.approx(expected.wer)


def test_long_texts_are_aligned_as_by_jiwer() -> None:
    generator = np.random.default_rng(0)
    reference = "".join(generator.choice(list("abcd"), 5000))
    hypothesis = "".join(generator.choice(list("abcd"), 4500))
    out = jiwer.process_characters(reference, hypothesis)
    expected = EditCounts(out.hits, out.substitutions, out.deletions, out.insertions)
    assert count_edits(reference, hypothesis) == expected


# The table of WordErrorRate; the values of one utterance are jiwer 4's.
@pytest.mark.parametrize(
    ("references", "hypotheses", "counts", "value"),
    [
        ([""], [""], EditCounts(0, 0, 0, 0), 0),
        ([""], ["one two three"], EditCounts(0, 0, 0, 3), 300),
        (["", ""], ["one", ""], EditCounts(0, 0, 0, 1), 100),
        (["", "one two"], ["one", "one two"], EditCounts(2, 0, 0, 1), 50),
        (["one two", "one two"], ["", "one two"], EditCounts(2, 0, 2, 0), 50),
        (["one two"], [""], EditCounts(0, 0, 2, 0), 100),
        ([" \t\n"], ["  "], EditCounts(0, 0, 0, 0), 0),
        (["one two"], [" \n "], EditCounts(0, 0, 2, 0), 100),
    ],
)
def test_empty_texts(references: list[str], hypotheses: list[str], counts: EditCounts, value: float) -> None:
    metric = WordErrorRate("eng")
    result = corpus_score(metric, hypotheses, references)
    assert metric.score(result.sums) == counts == jiwer_counts(references, hypotheses)
    assert result.value == pytest.approx(value)
    if len(references) == 1:
        assert result.value == pytest.approx(100 * jiwer.wer(references, hypotheses))


@pytest.mark.parametrize("language", ["ara", "zho", "eng", "spa"])
@pytest.mark.parametrize("rate", [WordErrorRate, CharacterErrorRate])
def test_punctuation_alone_is_silence_when_normalised(
    rate: type[WordErrorRate] | type[CharacterErrorRate], language: str
) -> None:
    assert corpus_score(rate(language, "normalized"), ["…", ""], ["", "。؟!"]).value == 0


def test_of_several_references_the_lowest_rate_counts() -> None:
    metric = WordErrorRate("eng")
    assert metric.score(metric.statistics("a b", ["a b c d", "a b c", "x"])) == EditCounts(2, 0, 1, 0)


def test_the_corpus_rate_is_no_mean_of_rates() -> None:
    assert corpus_score(WordErrorRate("eng"), ["x", "a b c"], ["a", "a b c"]).value == pytest.approx(25)


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_what_cannot_be_scored_is_refused(metric: WordErrorRate | CharacterErrorRate) -> None:
    with pytest.raises(ValueError, match=f"{metric.name}: 2 hypotheses but 1 references"):
        corpus_score(metric, ["a", "b"], ["a"])
    with pytest.raises(ValueError, match="item 1: the item has no reference"):
        corpus_score(metric, ["a", "b"], ["a", []])
    with pytest.raises(TypeError, match="item 0: a reference is a NoneType"):
        corpus_score(metric, ["a"], [[None]])  # type: ignore[list-item]


def test_an_error_of_any_kind_is_told_with_its_item() -> None:
    class Encoded(WordErrorRate):
        def statistics(self, hypothesis: str, references: Sequence[str]) -> NDArray[np.float64]:
            hypothesis.encode()
            return super().statistics(hypothesis, references)

    with pytest.raises(ValueError, match="wer, item 1: 'utf-8' codec can't encode") as caught:
        corpus_score(Encoded("eng"), ["a", "\ud800"], ["a", "b"])
    assert type(caught.value) is ValueError


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="language 'chn'"):
        WordErrorRate("chn")
    with pytest.raises(ValueError, match="unknown normalization 'whisper'"):
        CharacterErrorRate("eng", "whisper")
    with pytest.raises(ValueError, match="spaced=True is for Chinese"):
        CharacterErrorRate("eng", spaced=True)


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_values_take_a_matrix_of_sums_and_shards_add_up(metric: WordErrorRate | CharacterErrorRate) -> None:
    texts = ["我今天有点头疼啊", "take two", "", "أشعر بألم", "take too tablets"]
    statistics = corpus_statistics(metric, texts, texts[::-1])
    sums = np.stack([statistics[:2].sum(axis=0), statistics[2:].sum(axis=0), np.zeros(4)])
    one_by_one = [100 * metric.score(row).error_rate for row in sums]
    np.testing.assert_allclose(metric.values(sums), one_by_one)
    whole = corpus_score(metric, texts, texts[::-1])
    assert metric.score(sums[0]) + metric.score(sums[1]) == metric.score(whole.sums)
    interval = bootstrap_interval(statistics, metric.values, resamples=50)
    assert interval.low <= whole.value <= interval.high


@pytest.mark.parametrize(
    ("metric", "fields"),
    [
        (WordErrorRate("eng"), "wer|nrefs:1|lang:eng|norm:raw|steps:none|unit:word|tok:space|v:1"),
        (WordErrorRate("zho"), "wer|nrefs:1|lang:zho|norm:raw|steps:none|unit:word|tok:jieba|jieba:0.42.1|v:1"),
        (CharacterErrorRate("spa"), "cer|nrefs:1|lang:spa|norm:raw|steps:none|unit:character|space:kept|v:1"),
        (CharacterErrorRate("zho"), "cer|nrefs:1|lang:zho|norm:raw|steps:none|unit:character|space:dropped|v:1"),
        (
            CharacterErrorRate("zho", spaced=True),
            "cer_spaced|nrefs:1|lang:zho|norm:raw|steps:none|unit:character|space:added|tok:jieba|jieba:0.42.1|v:1",
        ),
        (
            CharacterErrorRate("ara", "normalized"),
            "cer|nrefs:1|lang:ara|norm:normalized|steps:invisible+forms+nfc+case+arabic_marks+arabic_letters+nfc+"
            "digits+apostrophes+punctuation+units+alef+spaces|rules:2|unit:character|space:kept|v:1",
        ),
    ],
)
def test_signature(metric: WordErrorRate | CharacterErrorRate, fields: str) -> None:
    assert str(metric.signature()) == fields


def test_jieba_reads_and_writes_no_cache(tmp_path) -> None:
    code = "from metrics.chinese_words import chinese_words; print(chinese_words('我今天有点头疼啊'))"
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
        env={"TMPDIR": str(tmp_path), "PYTHONUTF8": "1"},
    )
    assert result.stdout == "('我', '今天', '有点', '头疼', '啊')\n"
    assert result.stderr == ""
    assert list(tmp_path.iterdir()) == []


def test_alignment_marks_edits_below_the_words() -> None:
    assert alignment_text("take two tablets every day", "take too tablets a day please", WordErrorRate("eng")) == (
        "REF: take two tablets every day ******\n"
        "HYP: take too tablets a     day please\n"
        "          S           S         I"
    )


def test_alignment_gives_chinese_two_columns() -> None:
    assert alignment_text("我今天头疼啊", "我今天头痛", CharacterErrorRate("zho")) == (
        "REF: 我 今 天 头 疼 啊\nHYP: 我 今 天 头 痛 **\n                 S  D"
    )


def test_alignment_isolates_arabic_and_shows_loose_marks() -> None:
    text = alignment_text("أشعر بألم شديد", "أشعر بألم", WordErrorRate("ara"))
    assert text == (
        "REF: \u2068أشعر\u2069 \u2068بألم\u2069 \u2068شديد\u2069\n"
        "HYP: \u2068أشعر\u2069 \u2068بألم\u2069 ****\n"
        "               D"
    )
    marks = alignment_text("مَر", "مر", CharacterErrorRate("ara"))
    assert marks == "REF: \u2068م\u2069 ◌\u064e \u2068ر\u2069\nHYP: \u2068م\u2069 * \u2068ر\u2069\n       D"


def test_alignment_shows_counted_spaces_and_breaks_lines() -> None:
    assert alignment_text("a b", "ab", CharacterErrorRate("eng")) == "REF: a ␣ b\nHYP: a * b\n       D"
    assert alignment_text("one two three", "one two", WordErrorRate("eng"), columns=12) == (
        "REF: one two\nHYP: one two\n\nREF: three\nHYP: *****\n     D"
    )
    assert alignment_text("", "", WordErrorRate("eng")) == "REF:\nHYP:"
    with pytest.raises(ValueError, match="more than 5, the width of the labels; got 5"):
        alignment_text("a", "a", WordErrorRate("eng"), columns=5)


@quick
@given(
    reference=st.text(alphabet="ab头疼 سن\u064e", max_size=30),
    hypothesis=st.text(alphabet="ab头疼 سن\u064e", max_size=30),
)
@pytest.mark.parametrize("metric", [WordErrorRate("eng"), CharacterErrorRate("ara")], ids=["words", "characters"])
def test_the_view_marks_what_the_metric_counts(
    metric: WordErrorRate | CharacterErrorRate, reference: str, hypothesis: str
) -> None:
    counts = metric.score(metric.statistics(hypothesis, [reference]))
    lines = alignment_text(reference, hypothesis, metric, columns=10_000).split("\n")
    marks = lines[2] if len(lines) == 3 else ""
    assert [marks.count(mark) for mark in "SDI"] == [counts.substitutions, counts.deletions, counts.insertions]
    for position in (position for position, mark in enumerate(marks) if mark != " "):
        for line in lines[:2]:
            assert any(display_width(line[:cut]) == position and line[cut - 1] == " " for cut in range(1, len(line)))
