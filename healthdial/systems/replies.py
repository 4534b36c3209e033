"""Fixed replies of the floors of response generation, by language, and the lead of a snippet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from metrics.sentences import sentences

REFUSALS: Mapping[str, str] = MappingProxyType(
    {
        "ara": "عذرًا، ليست لدي معلومات عن ذلك.",
        "zho": "抱歉，我没有这方面的信息。",
        "eng": "I am sorry, I have no information about that.",
        "spa": "Lo siento, no tengo información sobre eso.",
    }
)
"""What is said where knowledge is needed and there is none."""

SMALL_TALK: Mapping[str, str] = MappingProxyType(
    {
        "ara": "بكل سرور. كيف يمكنني أن أساعدك أيضًا؟",
        "zho": "好的，还有什么可以帮您？",
        "eng": "You are welcome. What else would you like to know?",
        "spa": "Con gusto. ¿En qué más puedo ayudarle?",
    }
)
"""What is said where no knowledge is needed."""


def lead_reply(contents: Sequence[str], language: str) -> str:
    """Return the first sentence of the first snippet; a refusal where there is no snippet.

    Args:
        contents: Texts of the snippets, best first.
        language: ISO 639-3 code of one of the four languages.
    """
    if not contents:
        return REFUSALS[language]
    found = sentences(contents[0])
    return found[0] if found else contents[0]


def floor_reply(contents: Sequence[str], language: str, *, needs_retrieval: bool) -> str:
    """Return the `lead_reply` where knowledge is needed, else small talk.

    Args:
        contents: Texts of the snippets, best first.
        language: ISO 639-3 code of one of the four languages.
        needs_retrieval: Whether knowledge is needed.
    """
    return lead_reply(contents, language) if needs_retrieval else SMALL_TALK[language]
