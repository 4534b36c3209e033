"""What the paper (arXiv 2605.30107) and the authors' scripts say of the release, for the audit and the card."""

from __future__ import annotations

SNIPPETS = {"ara": 2317, "zho": 2431, "eng": 4785, "spa": 2512}
"""Snippets by language."""
PARALLEL_SETS = 1618
"""Snippets that all four languages have."""
DIALOGUES = 1500
"""Dialogues of a language."""
OOK_DIALOGUES = 150
"""Dialogues of a language with an out-of-knowledge turn."""
MOST_GOLD = 5
"""Most gold snippets of a turn (caption of Table 3)."""
SPEAKERS = {"ara": 24, "zho": 23, "eng": 23, "spa": 23}
"""Speakers by language."""
TURNS = 41_988
"""Turns of all languages; the paper does not say what a turn is."""
USER_TURNS_PER_DIALOGUE = 6.5
"""Mean (appendix A.5)."""
RETRIEVAL_SHARE = 0.755
"""Share of the turns that need retrieval (0 to 1)."""
HOURS = {"user": 163.0, "system": 208.0}
"""Hours of speech of all languages, rounded."""
ENGLISH_TOKENS = {"human": 35.71, "generated": 18.66}
"""Mean tokens of an English user turn (Table 4)."""
TRAIN_DIALOGUES, VALIDATION_DIALOGUES = 400, 100
"""Dialogues of train and validation by list position; the rest is test (the authors' scripts)."""
