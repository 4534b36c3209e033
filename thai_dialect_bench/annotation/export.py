"""The judgements of a study with the true names of the models, and what is known of the annotators."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from thai_dialect_bench.annotation.store import Annotator, Store, StudyInfo, Task
from thai_dialect_bench.judgement_record import Judgement
from thai_dialect_bench.judgements import escaped_cell


def judgements(store: Store) -> list[Judgement]:
    """Return what has been judged in a study, by annotator and place.

    In a preference ``a`` and ``b`` are ``model_a`` and ``model_b``, whichever stood left.
    """
    info = store.info()
    return list(_judgements(info, store.tasks()))


def annotators_csv(annotators: Iterable[Annotator]) -> str:
    """Return code, dialect, age band and number of judgements of the annotators as CSV."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(("annotator", "dialect", "age_band", "judged", "total"))
    for who in annotators:
        cells = (who.code, who.dialect or "", who.age_band or "", who.judged, who.total)
        writer.writerow([escaped_cell(cell) for cell in cells])
    return stream.getvalue()


def _judgements(info: StudyInfo, tasks: Iterable[Task]) -> Iterator[Judgement]:
    for task in tasks:
        place, said = task.assignment, task.verdict
        if said is None:
            continue
        preference = info.kind == "preference"
        yield Judgement(
            study=info.name,
            kind=info.kind,
            item=place.item,
            task=task.task,
            dialect=info.dialect,
            annotator=place.annotator,
            model=None if preference else place.model_a,
            generation=said.generation,
            fluency=said.fluency,
            units=said.units,
            model_a=place.model_a if preference else None,
            model_b=place.model_b,
            shown_left=place.shown_left,
            dialect_choice=said.dialect_choice,
            answer_choice=said.answer_choice,
            reason=said.reason,
            time=task.time,
        )
