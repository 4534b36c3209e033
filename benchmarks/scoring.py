"""Scoring the released predictions of Table 1: this project against the reference way, in one run.

The reference way is what a user would write today: PyThaiNLP called by each metric, ``rouge_score`` with its bootstrap
aggregator, and the n-gram counting BLEU that ``evaluate`` loads from the Hub (its formula, written out here since the
Hub is not reached). Run: ``python -m benchmarks.scoring [--release FOLDER] [--repeats 3]``.
"""

from __future__ import annotations

import math
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.machine import machine
from metrics import bleu as bleu_module
from metrics import thai_tokenizer
from metrics.thai_text import Bleu, NewmmTokenizer, RougeL, corpus_statistics
from thai_dialect_bench import paper
from thai_dialect_bench.outputs import output_files, read_predictions
from thai_dialect_bench.schema import ALL_TASKS

Corpus = tuple[list[str], list[str]]
DEFAULT_RELEASE = Path(__file__).resolve().parents[2] / "shared" / "upstream" / "thai_local_benchmark"


def table1_corpora(release: Path) -> list[Corpus]:
    """Return (predictions, references) of the 96 cells of Table 1."""
    current, older = release / "outputs_local", release / "history_qa_v1" / "outputs_local"
    qa_tasks = {model.file_name: model.qa_task for model in paper.MODELS}
    files = [f for f in output_files(current) if ALL_TASKS[f.task].metric]
    files = [f for f in files if f.task != "qa" or qa_tasks[f.model] == "qa"] + output_files(older)
    corpora = []
    for file in files:
        answers = read_predictions(file.path)
        corpora.append(([answer.text for answer in answers], [answer.gold or "" for answer in answers]))
    return corpora


EVALUATE_DEFAULT = ("rouge1", "rouge2", "rougeL", "rougeLsum")
"""What ``evaluate``'s ROUGE computes unless told otherwise; the authors' score files have all four."""


def reference_way(corpora: Sequence[Corpus], rouge_types: Sequence[str]) -> list[tuple[float, float]]:
    """Return (BLEU, median of ROUGE-L) of every corpus, each metric tokenizing for itself."""
    from pythainlp.tokenize import word_tokenize
    from rouge_score import rouge_scorer, scoring
    from rouge_score.tokenizers import Tokenizer

    class Newmm(Tokenizer):
        def tokenize(self, text: str) -> list[str]:
            return word_tokenize(text, engine="newmm")

    scores = []
    for hypotheses, references in corpora:
        bleu = counted_bleu([word_tokenize(text) for text in hypotheses], [word_tokenize(text) for text in references])
        scorer = rouge_scorer.RougeScorer(rouge_types, tokenizer=Newmm())
        aggregator = scoring.BootstrapAggregator()
        for hypothesis, reference in zip(hypotheses, references, strict=True):
            aggregator.add_scores(scorer.score(reference, hypothesis))
        scores.append((bleu, 100 * aggregator.aggregate()["rougeL"].mid.fmeasure))
    return scores


def counted_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> float:
    """Return corpus BLEU-4 without smoothing by counting n-grams in dictionaries."""
    matches, totals = [0] * 4, [0] * 4
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        for order in range(1, 5):
            matches[order - 1] += (ngrams(hypothesis, order) & ngrams(reference, order)).total()
            totals[order - 1] += max(len(hypothesis) - order + 1, 0)
    if min(matches) == 0:
        return 0.0
    length, reference_length = sum(map(len, hypotheses)), sum(map(len, references))
    penalty = 1.0 if length > reference_length else math.exp(1 - reference_length / length)
    return 100 * penalty * math.exp(sum(math.log(m / t) for m, t in zip(matches, totals, strict=True)) / 4)


def ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    """Return the n-grams of a text with their counts."""
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))


def our_way(corpora: Sequence[Corpus]) -> list[tuple[float, float]]:
    """Return (BLEU, mean ROUGE-L) of every corpus with this project's metrics, from an empty memo."""
    forget()
    bleu, rouge = Bleu(), RougeL()
    return [
        (
            float(bleu.values(corpus_statistics(bleu, *corpus).sum(axis=0))),
            float(rouge.values(corpus_statistics(rouge, *corpus).sum(axis=0))),
        )
        for corpus in corpora
    ]


def forget() -> None:
    """Empty the memos of tokens and of reference n-grams."""
    thai_tokenizer._segment.cache_clear()
    bleu_module._reference_ngrams.cache_clear()


def one_pass(corpora: Sequence[Corpus]) -> None:
    """Tokenize every distinct text once: the floor of any way."""
    forget()
    tokenizer = NewmmTokenizer()
    for corpus in corpora:
        for texts in corpus:
            for text in texts:
                tokenizer.tokenize(text)


def seconds(function: Callable[[Sequence[Corpus]], object], corpora: Sequence[Corpus]) -> float:
    """Return the wall time of one call."""
    start = time.perf_counter()
    function(corpora)
    return time.perf_counter() - start


def main(
    release: Annotated[Path, typer.Option(help="The release's folder.")] = DEFAULT_RELEASE,
    repeats: Annotated[int, typer.Option(help="Rounds; the two ways take turns.")] = 3,
) -> None:
    """Print the times of both ways, their ratio, and the share of tokenization in ours."""
    corpora = table1_corpora(release)
    NewmmTokenizer().tokenize("อุ่นเครื่อง")  # loads the dictionary
    ways: tuple[Callable[[Sequence[Corpus]], object], ...] = (
        partial(reference_way, rouge_types=EVALUATE_DEFAULT),
        partial(reference_way, rouge_types=["rougeL"]),
        our_way,
        one_pass,
    )
    rounds = [[seconds(way, corpora) for way in ways] for _ in range(repeats)]
    default, only_l, ours, floor = (statistics.median(column) for column in zip(*rounds, strict=True))
    gaps = [abs(a[0] - b[0]) for a, b in zip(reference_way(corpora, ["rougeL"]), our_way(corpora), strict=True)]
    print(machine())
    print(
        f"{sum(len(c[0]) for c in corpora)} predictions in {len(corpora)} cells, BLEU and ROUGE-L, median of {repeats}"
    )
    print(f"reference way, evaluate's four ROUGE types {default:6.2f} s   {default / ours:.1f} times ours")
    print(f"reference way, ROUGE-L only                {only_l:6.2f} s   {only_l / ours:.1f} times ours")
    print(f"this project (BLEU, ROUGE-L)               {ours:6.2f} s")
    print(f"one newmm pass, the floor of any way       {floor:6.2f} s   {100 * floor / ours:.0f} % of ours")
    print(f"largest difference in BLEU between the two ways: {max(gaps):.1e}")


if __name__ == "__main__":
    typer.run(main)
