"""Take the reasoning that a language model wrote before its answer off the answer."""

from __future__ import annotations

import re

_REASONING_START = re.compile(r"<(?:think|thinking|reasoning)>", re.IGNORECASE)
_REASONING_END = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)


def without_reasoning(text: str) -> str:
    """Return an answer without the reasoning that a model wrote before it.

    lighteval takes off only whole ``<think>...</think>``. Tags are ``think``, ``thinking`` and ``reasoning`` in any
    case.

    | text | answer | why |
    |---|---|---|
    | ``<think>a</think>b``, ``a</think>b`` | ``b`` | chat templates may open the block in the prompt |
    | ``<think>a``, ``b<think>a`` | empty | cut off: what reasoning weighs is no answer |
    | no tag | the text | |

    Args:
        text: What the model wrote.
    """
    answer = _REASONING_END.split(text)[-1]
    return "" if _REASONING_START.search(answer) else answer
