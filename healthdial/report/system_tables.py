"""Lay out the scores of all systems: the paper's Tables 6 (speech), 7 (retrieval), 8 (choices), and of responses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from healthdial.languages import LANGUAGES
from healthdial.report.measures import CUTOFFS, PIPELINE_MEASURES, measure_of
from healthdial.report.results import Setting
from healthdial.report.scores import Cell
from healthdial.report.tables import Key, Layout, by_key, frozen, interval_note, run_title, runs_of
from metrics.report_tables import Table


def system_tables(cells: Sequence[Cell], layout: Layout) -> list[Table]:
    """Return the tables of the components that were run."""
    makers: tuple[Callable[[Sequence[Cell], Layout], Table | None], ...] = (
        *(recognition_table, synthesis_table, ranking_table, precision_table),
        *(classification_table, filtering_table, response_table, pipeline_table),
    )
    made = (make(cells, layout) for make in makers)
    return [table for table in made if table is not None]


def recognition_table(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return all systems of speech recognition, as the paper's Table 6."""
    note = (
        "Errors over all items by units of the references, in percent. Words: Chinese is cut by jieba. Raw: case, "
        "punctuation and marks count, as in the paper, and the references are corrected transcripts of whisper-1, "
        "which favours it. CER, spaced: Chinese as the paper counts it, with spaces between jieba's words."
    )
    measures = ("wer", "cer", "wer_normalized", "cer_normalized", "cer_spaced")
    counts = (("wer", "Items"),)
    return _systems_table("Speech recognition (as Table 6)", "asr", measures, cells, layout, note, counts)


def synthesis_table(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return all systems of speech synthesis, as the paper's Table 6."""
    note = (
        "MCD: mel-cepstral distance from the user's recording, on the scale of the library that the paper used; MCD, "
        "dB: as in the literature, exact alignment. CER: of what a recogniser heard, normalized texts. No MCD: pairs "
        "without a distance (silent, too short or missing). Heard: items with a transcript."
    )
    measures = ("mcd_upstream", "mcd_standard", "cer_synthesized_normalized", "mcd_undefined", "transcribed")
    counts = (("mcd_upstream", "MCD items"), ("cer_synthesized_normalized", "CER items"))
    return _systems_table("Speech synthesis (as Table 6)", "tts", measures, cells, layout, note, counts)


def ranking_table(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return recall, MRR and nDCG of all retrievers beside chance, as the paper's Table 7."""
    note = "Means over queries, in percent. Chance: expected of a random ranking of the same corpus."
    measures = (*(f"recall@{k}" for k in CUTOFFS), "mrr@10", "ndcg@10")
    return _retrieval_table("Retrieval: recall and rank (as Table 7)", measures, cells, layout, note)


def precision_table(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return precision and F1 of all retrievers beside chance, as the paper's Table 7."""
    note = "P@k divides by k. F1 is taken of each query, then averaged."
    measures = tuple(f"{kind}@{k}" for kind in ("precision", "f1") for k in CUTOFFS)
    return _retrieval_table("Retrieval: precision and F1 (as Table 7)", measures, cells, layout, note)


def classification_table(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return all systems of turn classification, as the paper's Table 8."""
    note = (
        "The opening of a dialogue never needs retrieval and has no text. Majority: accuracy of giving all items the "
        "label that most have. Unread: answers that are neither yes nor no, counted as wrong."
    )
    measures = (
        *("accuracy", "majority_accuracy", "accuracy_without_opening", "majority_accuracy_without_opening"),
        *("f1", "f1_without_opening", "unparsed"),
    )
    title = "Retrieval-turn classification (as Table 8)"
    counts = (("accuracy", "Items"), ("accuracy_without_opening", "w/o opening"))
    return _systems_table(title, "turn_classification", measures, cells, layout, note, counts)


def filtering_table(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return all systems of filtering, as the paper's Table 8."""
    note = (
        "Against the complete gold set, also what the candidates lack. OOK: out-of-knowledge turns, no gold; "
        "OOK recall: share of them answered by no snippet; False OOK: share of the others answered so. Precision, "
        "recall and F1 over all ids. Unread: answers without a list, counted as wrong and never as OOK."
    )
    measures = (
        *("exact_match", "ook_recall", "false_ook", "micro_precision", "micro_recall", "micro_f1", "unparsed"),
    )
    counts = (("exact_match", "Items"), ("ook_recall", "OOK items"))
    return _systems_table("Knowledge filtering (as Table 8)", "filtering", measures, cells, layout, note, counts)


def response_table(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return all systems of response generation."""
    note = (
        "Snippets are the gold ones if the system's name says nothing else. BLEU, chrF and ROUGE-L against the answer "
        "in the data, over all items; tokens differ by language, so they are not comparable between languages. OOK "
        "refused: share of the out-of-knowledge turns in which the system says that it does not know; False refusals: "
        "share of the turns with gold so answered. Support: share of sentences whose content words stand in the "
        "snippets given; Answers supported: share of answers with no other sentence. Refusals and support are lexical "
        "measures. In percent."
    )
    measures = (
        *("bleu", "chrf", "rouge_l", "refusal_rate", "false_refusal_rate"),
        *("lexical_support", "lexical_support_answers"),
    )
    counts = (
        *(("bleu", "Items"), ("refusal_rate", "OOK items"), ("false_refusal_rate", "Gold items")),
        ("lexical_support", "Support items"),
    )
    return _systems_table("Response generation", "response_generation", measures, cells, layout, note, counts)


def pipeline_table(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return by which part the turns of all pipelines fail first."""
    note = (
        "Share of turns by the first part that went wrong, in percent; a row adds to 100. Errors of later parts are "
        "not seen: the shares say where to begin, not how good each part is. Unreadable: no answer of a pipeline."
    )
    counts = (("no_error", "Items"),)
    title = "Pipeline: first part that fails"
    return _systems_table(title, "pipeline", PIPELINE_MEASURES, cells, layout, note, counts)


def _systems_table(
    title: str,
    component: str,
    measures: Sequence[str],
    cells: Sequence[Cell],
    layout: Layout,
    note: str,
    counts: Sequence[tuple[str, str]],
) -> Table | None:
    """Return a row for each system, setting and language, with the numbers of items of some measures at the end."""
    found = by_key(cells)
    rows = [
        [run_title(run), LANGUAGES[language].title, *texts, *_items(run, component, language, counts, found)]
        for run in runs_of(cells, component)
        for language in LANGUAGES
        if any(texts := _texts(run, component, language, measures, found, layout))
    ]
    if not rows:
        return None
    titles = (*(measure_of(component, name).title for name in measures), *(title for _, title in counts))
    rows, header = _without_empty_columns(rows, ("System", "Language", *titles))
    return Table(layout.title(title), header, frozen(rows), f"{note} {interval_note(layout)}")


def _retrieval_table(
    title: str, measures: Sequence[str], cells: Sequence[Cell], layout: Layout, note: str
) -> Table | None:
    """Return a row for each retriever and language, text and speech, and one for chance."""
    found = by_key(cells)
    counts = ((measures[0], "Items"),)
    rows = []
    for component, query in (("retrieval", "text"), ("speech_retrieval", "speech")):
        for run in runs_of(cells, component):
            for language in LANGUAGES:
                texts = _texts(run, component, language, measures, found, layout)
                if any(texts):
                    items = _items(run, component, language, counts, found)
                    rows.append([run_title(run), query, LANGUAGES[language].title, *texts, *items])
        for language in LANGUAGES:
            of_language = [cell for cell in cells if cell.component == component and cell.language == language]
            levels = {cell.measure.name: cell.chance for cell in of_language if cell.chance is not None}
            if levels:
                texts = [f"{levels[name]:.2f}" for name in measures]
                rows.append(["chance", query, LANGUAGES[language].title, *texts, ""])
    if not rows:
        return None
    titles = tuple(measure_of("retrieval", name).title for name in measures)
    header = ("System", "Query", "Language", *titles, "Items")
    return Table(layout.title(title), header, frozen(rows), f"{note} {interval_note(layout)}")


def _texts(
    run: tuple[str, Setting],
    component: str,
    language: str,
    measures: Sequence[str],
    found: dict[Key, Cell],
    layout: Layout,
) -> list[str]:
    """Return the scores of a system in a language; all empty if it was not run."""
    return [layout.text(found.get((*run, component, language, name))) for name in measures]


def _items(
    run: tuple[str, Setting],
    component: str,
    language: str,
    counts: Sequence[tuple[str, str]],
    found: dict[Key, Cell],
) -> list[str]:
    """Return the numbers of items of some measures."""
    cells = [found.get((*run, component, language, name)) for name, _ in counts]
    return ["0" if cell is None else f"{cell.estimate.items}" for cell in cells]


def _without_empty_columns(rows: list[list[str]], header: tuple[str, ...]) -> tuple[list[list[str]], tuple[str, ...]]:
    kept = [column for column in range(len(header)) if any(row[column] for row in rows)]
    return [[row[column] for column in kept] for row in rows], tuple(header[column] for column in kept)
