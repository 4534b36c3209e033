"""Lay out the scores of all systems: the paper's Tables 6 (speech), 8 (choices), and of responses and pipelines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from healthdial.languages import LANGUAGES
from healthdial.report.measures import PIPELINE_MEASURES, measure_of
from healthdial.report.retrieval_tables import dialogue_mean_table, precision_table, ranking_table
from healthdial.report.scores import Cell
from healthdial.report.tables import (
    Count,
    Layout,
    by_key,
    count_texts,
    frozen,
    interval_note,
    recordings_lacking,
    run_title,
    runs_of,
    score_texts,
    without_empty_columns,
)
from metrics.report_tables import Table

_NO_MCD = "pairs_without_mcd_upstream"


def system_tables(cells: Sequence[Cell], layout: Layout) -> list[Table]:
    """Return the tables of the components that were run."""
    makers: tuple[Callable[[Sequence[Cell], Layout], Table | None], ...] = (
        *(recognition_table, synthesis_table, ranking_table, dialogue_mean_table, precision_table),
        *(classification_table, filtering_table, response_table, pipeline_table),
    )
    made = (make(cells, layout) for make in makers)
    return [table for table in made if table is not None]


def recognition_table(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return all systems of speech recognition, as the paper's Table 6."""
    note = (
        "Errors over all items by units of the references, in percent. Words: Chinese is cut by jieba. Raw: case, "
        "punctuation and marks count, as in the paper, and the references are corrected transcripts of whisper-1, "
        "which favours it. CER, spaced: Chinese as the paper counts it, with spaces between jieba's words. Left out: "
        "test turns without a recording or a transcript, in no rate; No recording: those of them without a recording."
    )
    measures = ("wer", "cer", "wer_normalized", "cer_normalized", "cer_spaced")
    counts = (
        Count("Items", "wer"),
        Count("Left out", "wer", lambda cell: cell.left_out),
        Count("No recording", "wer", recordings_lacking),
    )
    return _systems_table("Speech recognition (as Table 6)", "asr", measures, cells, layout, note, counts)


def synthesis_table(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return all systems of speech synthesis, as the paper's Table 6."""
    note = (
        "MCD: mel-cepstral distance from the user's recording, on the scale of the library that the paper used; MCD, "
        "dB: as in the literature, exact alignment. CER: of what a recogniser heard, normalized texts. Pairs "
        "without MCD: share of the items without a distance (a recording is silent, too short or missing). Heard: "
        "share of the items with a transcript of the synthesized speech. No recording: items without the user's, by "
        "no fault of the system pairs without MCD; they count in CER. Turns without a transcript are no items."
    )
    measures = ("mcd_upstream", "mcd_standard", "cer_synthesized_normalized", _NO_MCD, "transcribed")
    counts = (
        *(Count("MCD items", "mcd_upstream"), Count("CER items", "cer_synthesized_normalized")),
        *(Count("Items", _NO_MCD), Count("No recording", _NO_MCD, recordings_lacking)),
    )
    return _systems_table("Speech synthesis (as Table 6)", "tts", measures, cells, layout, note, counts)


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
    counts = (Count("Items", "accuracy"), Count("Items w/o opening", "accuracy_without_opening"))
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
    counts = (Count("Items", "exact_match"), Count("OOK items", "ook_recall"))
    return _systems_table("Knowledge filtering (as Table 8)", "filtering", measures, cells, layout, note, counts)


def response_table(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return all systems of response generation."""
    note = (
        "Snippets are the gold ones if the system's name says nothing else. BLEU, chrF and ROUGE-L against the answer "
        "in the data, over all items; tokens differ by language, so they are not comparable between languages. OOK "
        "refused: share of the out-of-knowledge turns in which the system says that it does not know; False refusals: "
        "share of the turns with gold so answered. Gold snippets give the out-of-knowledge turns away, for which the "
        "prompt says 'Snippets: none': with them OOK refused is an upper bound of what the system refuses by itself; "
        "the snippets of a filtering run measure it. Support: share of sentences whose content words stand in the "
        "snippets given; Answers supported: share of answers with no other sentence. Refusals and support are lexical "
        "measures. In percent."
    )
    measures = (
        *("bleu", "chrf", "rouge_l", "refusal_rate", "false_refusal_rate"),
        *("lexical_support", "lexical_support_answers"),
    )
    counts = (
        *(Count("Items", "bleu"), Count("OOK items", "refusal_rate"), Count("Gold items", "false_refusal_rate")),
        Count("Support items", "lexical_support"),
    )
    return _systems_table("Response generation", "response_generation", measures, cells, layout, note, counts)


def pipeline_table(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return by which part the turns of all pipelines fail first."""
    note = (
        "Share of turns by the first part that went wrong, in percent; a row adds to 100. Errors of later parts are "
        "not seen: the shares say where to begin, not how good each part is. Unreadable: no answer of a pipeline. "
        "No recording: items without one; they count, and a recogniser hears nothing there."
    )
    counts = (Count("Items", "no_error"), Count("No recording", "no_error", recordings_lacking))
    title = "Pipeline: first part that fails"
    return _systems_table(title, "pipeline", PIPELINE_MEASURES, cells, layout, note, counts)


def _systems_table(
    title: str,
    component: str,
    measures: Sequence[str],
    cells: Sequence[Cell],
    layout: Layout,
    note: str,
    counts: Sequence[Count],
) -> Table | None:
    """Return a row for each system, setting and language, with the numbers of items of some measures at the end."""
    found = by_key(cells)
    rows = [
        [run_title(run), LANGUAGES[language].title, *texts, *count_texts(run, component, language, counts, found)]
        for run in runs_of(cells, component)
        for language in LANGUAGES
        if any(texts := score_texts(run, component, language, measures, found, layout))
    ]
    if not rows:
        return None
    titles = (*(measure_of(component, name).title for name in measures), *(count.title for count in counts))
    rows, header = without_empty_columns(rows, ("System", "Language", *titles))
    return Table(layout.title(title), header, frozen(rows), f"{note} {interval_note(layout)}")
