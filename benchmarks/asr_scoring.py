"""Corpus WER and CER of many transcripts: this project against jiwer called once an utterance, as `evaluate` does.

`evaluate` loads its ``wer`` and ``cer`` from the Hub, which is not reached; what they do is written out here.
The transcripts are made up: English-like words, 36 an utterance; the share of wrong ones is that of the paper's four
languages in turn.
Run: ``python -m benchmarks.asr_scoring [--utterances 42000] [--repeats 1]``.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Annotated

import jiwer
import jiwer.transforms as tr
import typer

from benchmarks.machine import machine
from metrics.asr import CharacterErrorRate, WordErrorRate
from metrics.corpus_metric import corpus_score

ERROR_RATES = (0.23, 0.24, 0.03, 0.02)
"""WER of whisper-1 in Arabic, Chinese, English and Spanish (arXiv 2605.30107, Table 2)."""

Corpus = list[tuple[str, str]]
Way = Callable[[Corpus], list[float]]

WORDS = jiwer.wer_default
CHARACTERS = tr.Compose(
    [tr.RemoveMultipleSpaces(), tr.Strip(), tr.ReduceToSingleSentence(""), tr.ReduceToListOfListOfChars()]
)


def made_up_corpus(utterances: int, seed: int = 0) -> Corpus:
    """Return pairs of reference and hypothesis."""
    generator = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgk"
    vocabulary = ["".join(generator.choices(letters, k=generator.randint(1, 9))) for _ in range(5000)]
    corpus = []
    for number in range(utterances):
        reference = generator.choices(vocabulary, k=generator.randint(12, 60))
        heard = _misheard(reference, ERROR_RATES[number % len(ERROR_RATES)], vocabulary, generator)
        corpus.append((" ".join(reference), " ".join(heard)))
    return corpus


def _misheard(words: list[str], rate: float, vocabulary: list[str], generator: random.Random) -> list[str]:
    """Three of five errors are substitutions; a deletion and an insertion are as likely."""
    heard = []
    for word in words:
        kind = generator.choices(
            ("same", "substitute", "delete", "insert"), (1 - rate, 0.6 * rate, 0.2 * rate, 0.2 * rate)
        )[0]
        if kind in ("same", "insert"):
            heard.append(word)
        if kind in ("substitute", "insert"):
            heard.append(generator.choice(vocabulary))
    return heard


def jiwer_way(corpus: Corpus) -> list[float]:
    """Return WER and CER in percent, one call of jiwer an utterance and measure."""
    rates = []
    for transform in (WORDS, CHARACTERS):
        errors = length = 0
        for reference, hypothesis in corpus:
            counts = jiwer.process_words(reference, hypothesis, transform, transform)
            errors += counts.substitutions + counts.deletions + counts.insertions
            length += counts.substitutions + counts.deletions + counts.hits
        rates.append(100 * errors / length)
    return rates


def our_way(corpus: Corpus, normalization: str) -> list[float]:
    """Return WER and CER in percent with this project's metrics."""
    references, hypotheses = zip(*corpus, strict=True)
    metrics = (WordErrorRate("eng", normalization), CharacterErrorRate("eng", normalization))
    return [corpus_score(metric, hypotheses, references).value for metric in metrics]


def measured(way: Way, corpus: Corpus) -> tuple[float, list[float]]:
    """Return the processor time of one call and what it returned."""
    start = time.process_time()
    rates = way(corpus)
    return time.process_time() - start, rates


def main(
    utterances: Annotated[int, typer.Option(help="Number of utterances.", min=1)] = 42_000,
    repeats: Annotated[int, typer.Option(help="Rounds; the ways take turns.", min=1)] = 1,
) -> None:
    """Print the processor times of both ways, their ratio, and the time of normalised scores."""
    corpus = made_up_corpus(utterances)
    ways: tuple[Way, ...] = (
        jiwer_way,
        partial(our_way, normalization="raw"),
        partial(our_way, normalization="normalized"),
    )
    rounds = [[measured(way, corpus) for way in ways] for _ in range(repeats)]
    reference, ours, normalized = (
        statistics.median(seconds for seconds, _ in column) for column in zip(*rounds, strict=True)
    )
    (_, expected), (_, rates), _ = rounds[0]
    words = sum(len(text.split()) for text, _ in corpus) / utterances
    print(f"{machine()}, jiwer {version('jiwer')}, rapidfuzz {version('rapidfuzz')}")
    print(f"WER and CER of {utterances} utterances of {words:.0f} words, median of {repeats}")
    print(f"jiwer, one call an utterance    {reference:7.2f} s   {reference / ours:.1f} times ours")
    print(f"this project, raw               {ours:7.2f} s")
    print(f"this project, normalised        {normalized:7.2f} s   {normalized / ours:.1f} times raw")
    print(f"WER {rates[0]:.4f} and CER {rates[1]:.4f}, jiwer's {expected[0]:.4f} and {expected[1]:.4f}")


if __name__ == "__main__":
    typer.run(main)
