"""The Hub's own vocabulary for the metadata of a data set card, as far as no library has it."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

LICENCES = frozenset(
    """
    apache-2.0 mit openrail bigscience-openrail-m creativeml-openrail-m bigscience-bloom-rail-1.0 bigcode-openrail-m
    afl-3.0 artistic-2.0 bsl-1.0 bsd bsd-2-clause bsd-3-clause bsd-3-clause-clear c-uda cc cc0-1.0
    cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0
    cc-by-nd-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0
    cdla-sharing-1.0 cdla-permissive-1.0 cdla-permissive-2.0 wtfpl ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 eupl-1.2
    agpl-3.0 gfdl gpl gpl-2.0 gpl-3.0 lgpl lgpl-2.1 lgpl-3.0 isc h-research intel-research lppl-1.3c ms-pl
    apple-ascl apple-amlr mpl-2.0 odc-by odbl openmdw-1.0 openrail++ osl-3.0 postgresql ofl-1.1 ncsa unlicense zlib
    pddl lgpl-lr deepfloyd-if-license fair-noncommercial-research-license
    llama2 llama3 llama3.1 llama3.2 llama3.3 llama4 grok2-community gemma unknown other
    """.split()  # noqa: SIM905 - one a line would fill pages
)
"""Licence identifiers of huggingface.co/docs/hub/repositories-licenses, from a copy by others of 26 February 2026."""

TASK_CATEGORIES = frozenset(
    """
    image-text-to-text image-text-to-image image-text-to-video visual-question-answering video-text-to-text
    visual-document-retrieval document-question-answering audio-text-to-text any-to-any depth-estimation
    image-classification object-detection image-segmentation text-to-image image-to-text image-to-image
    image-to-video unconditional-image-generation video-classification text-to-video zero-shot-image-classification
    mask-generation zero-shot-object-detection text-to-3d image-to-3d image-feature-extraction keypoint-detection
    text-classification token-classification table-question-answering question-answering zero-shot-classification
    translation summarization feature-extraction text-generation fill-mask sentence-similarity table-to-text
    multiple-choice text-ranking text-retrieval text-to-speech text-to-audio automatic-speech-recognition
    audio-to-audio audio-classification voice-activity-detection tabular-classification tabular-regression
    tabular-to-text time-series-forecasting reinforcement-learning robotics graph-ml other
    """.split()  # noqa: SIM905 - one a line would fill pages
)
"""Task categories of huggingface.co/datasets, from a copy made by others on 26 February 2026, and those that the Hub
accepts but does not offer as a filter (huggingface.js, packages/tasks/src/pipelines.ts, PIPELINE_DATA)."""

SIZES = (
    *((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M")),
    *((10**8, "10M<n<100M"), (10**9, "100M<n<1B"), (10**10, "1B<n<10B"), (10**11, "10B<n<100B")),
    (10**12, "100B<n<1T"),
)
"""Number of rows that a size category stays under, and its name; above the last it is ``n>1T``."""


def size_category(rows: int) -> str:
    """Return the Hub's size category of a data set with so many rows in all its configs."""
    return next((name for limit, name in SIZES if rows < limit), "n>1T")


def is_language(code: str) -> bool:
    """Return whether a code is ISO 639-1, ISO 639-3 or one that ``datasets`` lists (such as ``code``).

    The languages are those of ``pycountry`` and of ``datasets/utils/resources/languages.json``.
    """
    import pycountry

    if code in _resource("languages.json"):
        return True
    kind = {2: "alpha_2", 3: "alpha_3"}.get(len(code))
    return kind is not None and code.islower() and pycountry.languages.get(**{kind: code}) is not None


def multilingualities() -> frozenset[str]:
    """Return the values of ``multilinguality``, without the free text that ``other-...`` allows."""
    return frozenset(_resource("multilingualities.json"))


def creators(of: str) -> frozenset[str]:
    """Return the values of ``language_creators`` (``language``) or ``annotations_creators`` (``annotations``)."""
    return frozenset(_resource("creators.json")[of])


@cache
def _resource(name: str) -> dict[str, list[str]]:
    """Return a word list that comes with ``datasets``."""
    loaded: dict[str, list[str]] = json.loads((files("datasets.utils.resources") / name).read_text(encoding="utf-8"))
    return loaded
