"""Made-up judgements for tests."""

from __future__ import annotations

import random
from collections.abc import Sequence

from thai_dialect_bench.judgement_record import CHOICES, SCORES, Judgement, Unit

GEMINI, TYPHOON, GPT = "gemini-2.0-flash-exp", "llama-3-typhoon-v1.5x-70b-instruct", "gpt-4o-2024-05-13"


def score(
    item: str, who: str, generation: float | None, fluency: float | None, model: str = GEMINI, dialect: str = "isan"
) -> Judgement:
    return Judgement(
        *("toy", "dialect_score", item, "summarization", dialect, who),
        model=model,
        generation=generation,
        fluency=fluency,
        units=(Unit(0, 2, "บ่", True),),
        time="2026-01-02T03:04:05",
    )


def preference(
    item: str, who: str, choice: str | None, pair: tuple[str, str] = (GEMINI, TYPHOON), answer: str | None = None
) -> Judgement:
    return Judgement(
        *("toy", "preference", item, "food", "isan", who),
        model_a=pair[0],
        model_b=pair[1],
        shown_left="b",
        dialect_choice=choice,  # type: ignore[arg-type]
        answer_choice=answer,  # type: ignore[arg-type]
        reason="=ฟังเป็นธรรมชาติ\nกว่า",
        time="2026-01-02T03:04:05",
    )


def drawn_scores(annotators: Sequence[str], items: int = 30, seed: int = 7) -> list[Judgement]:
    """Two models, annotators who mostly agree, one label in ten missing."""
    generator = random.Random(seed)
    judgements = []
    for item in range(items):
        for model, good in ((GEMINI, 6), (TYPHOON, 1)):
            true = generator.choices(SCORES, (2, 2, good))[0]
            for who in annotators:
                labels = [true if generator.random() < 0.7 else generator.choice((*SCORES, None)) for _ in range(2)]
                judgements.append(score(f"summarization-{item:02d}", who, *labels, model=model))
    return judgements


def drawn_preferences(annotators: Sequence[str], items: int = 20, seed: int = 7) -> list[Judgement]:
    """Three models, of which Gemini mostly wins; the pair stands in either order."""
    generator = random.Random(seed)
    judgements = []
    for item in range(items):
        for other in (TYPHOON, GPT):
            for who in annotators:
                swapped = generator.random() < 0.5
                choices = [generator.choices(CHOICES, (1, 6, 1, 1) if swapped else (6, 1, 1, 1))[0] for _ in range(2)]
                pair = (other, GEMINI) if swapped else (GEMINI, other)
                judgements.append(preference(f"food-{item:02d}", who, choices[0], pair, choices[1]))
    return judgements
