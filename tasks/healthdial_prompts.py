"""Prompts of HealthDial's text tasks, in the structure that the paper describes and in our own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

CLASSIFICATION_INSTRUCTION = (
    "You help a health assistant decide whether it must look something up before it answers. Looking up is needed "
    "when the user's last words ask for facts, name symptoms or conditions, or leave you unsure; it is not needed for "
    "greetings, thanks, small talk and goodbyes. Answer with yes or no only.\n\n"
)
SELECTION_INSTRUCTION = (
    "You select knowledge for a health assistant. You are given the dialogue so far and numbered candidate snippets. "
    "Choose the smallest complete set of snippets that is strictly needed to answer the user's last question. If no "
    "snippet answers it, choose none. Don't choose snippets that are merely related, don't rewrite anything, and "
    "don't explain. Return only a JSON array of ids, such as {sample}, or [] if none is needed.\n\n"
)
RESPONSE_INSTRUCTION = (
    "You are a health information assistant. Answer the user's last words in {language}, in one to three short "
    "sentences, and only from the snippets given. If the user asks for something that no snippet answers, say that "
    "you have no information on it. If nothing is asked, reply briefly and kindly.\n\n"
)


def classification_prompt(text: str) -> str:
    """Return the prompt of an instance of turn classification."""
    return f"{text}\nLook something up? Answer:"


def selection_prompt(history: str, candidates: Mapping[str, tuple[str, str, str]]) -> str:
    """Return the prompt of a filtering item.

    Args:
        history: The dialogue up to the user's question.
        candidates: Id as shown -> topic, title, content, best candidate first.
    """
    shown = "\n".join(
        f"ID: {identifier}\nTopic: {topic}\nTitle: {title}\nContent: {content}"
        for identifier, (topic, title, content) in candidates.items()
    )
    return f"Dialogue: {history}\nCandidates:\n{shown}\nIds needed, as a JSON array:"


def response_prompt(history: Sequence[tuple[str, str]], snippets: Sequence[tuple[str, str]]) -> str:
    """Return the prompt of a response.

    Args:
        history: (role, text) of all turns up to the user's last.
        snippets: (title, content) of the snippets to answer from; may be none.
    """
    known = "\n".join(f"- {title}: {content}" for title, content in snippets) or "none"
    said = "\n".join(f"{role}: {text}" for role, text in history)
    return f"Snippets:\n{known}\n\n{said}\nassistant:"
