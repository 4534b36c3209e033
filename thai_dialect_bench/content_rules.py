"""What may stand in the texts of the Thai data set, and which files belong to it."""

from __future__ import annotations

import re

from hub.faults import AllowedContacts, ContentRules
from hub.personal_data import EMAIL, TELEPHONE
from thai_dialect_bench.schema import VARIETIES

_EMAIL = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}")
_GAP = r"[-.\u2010\u2011\s]?"
_TELEPHONE_FORMS = (
    r"[+＋]\d(?:[\s().-]?\d){7,14}",  # country code
    rf"[0๐]\d{_GAP}\d{{3}}{_GAP}\d{{3,4}}",  # Bangkok
    rf"[0๐]\d{{2}}{_GAP}\d{{3}}{_GAP}\d{{3,4}}",  # mobile, provinces
    r"\d{3}[-.\s]\d{3,4}[-.\s]\d{4}",
)
_TELEPHONE = re.compile(rf"(?<![\dA-Za-z_])(?<!\d[.,])(?:{'|'.join(_TELEPHONE_FORMS)})(?![\dA-Za-z_])")

_IS_ARTICLE = {"task": ("summarization",)}

CONTENT_RULES = ContentRules(
    patterns={EMAIL: _EMAIL, TELEPHONE: _TELEPHONE},
    allowed_contacts=(
        # An article that the authors took for summarization gives the helpline of an association; the prompt repeats
        # it. No other text has a contact, and none may.
        AllowedContacts(tuple(VARIETIES), ("input", "prompt"), (TELEPHONE,), _IS_ARTICLE),
        AllowedContacts(("parallel",), ("input_*",), (TELEPHONE,), _IS_ARTICLE),
    ),
    left_alone=(r"[^/]+\.py", r"(?:__pycache__|sample|systems|templates)/.*"),
)
"""The rules of the built Thai data set, which may share its folder with the package."""
