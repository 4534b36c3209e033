"""The systems that this project has for each task, for messages about one that is missing or misused."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.errors import RunError

HEALTHDIAL_FOLDER = "healthdial/systems"
THAI_FOLDER = "thai_dialect_bench/systems"

HEALTHDIAL_SYSTEMS: dict[str, tuple[str, ...]] = {
    "healthdial_asr": ("asr.py", "faster_whisper.py"),
    "healthdial_tts": ("tts.py", "espeak.py"),
    "healthdial_turn_classification": ("encoder.py", "majority.py"),
    "healthdial_retrieval": ("bm25.py", "dense.py"),
    "healthdial_speech_retrieval": ("speech_retrieval.py", "cascade.py"),
    "healthdial_filtering": ("threshold.py", "top.py"),
    "healthdial_response_generation": ("snippet_lead.py",),
    "healthdial_pipeline": ("pipeline.py",),
}
"""Task -> files in ``healthdial/systems``, the one to start with first."""

THAI_SYSTEMS = ("lead.py", "copy.py", "replay.py")
"""Files in ``thai_dialect_bench/systems``; each answers every Thai task."""

NO_LANGUAGE_MODEL = (
    "healthdial_asr",
    "healthdial_tts",
    "healthdial_retrieval",
    "healthdial_speech_retrieval",
    "healthdial_pipeline",
)
"""Tasks whose answers are no text that a language model could write: recordings, rankings of a whole corpus."""

_STRINGS = {
    "asr.py": "NAME=MODEL",
    "tts.py": "NAME=MODEL",
    "speech_retrieval.py": "NAME=MODEL",
    "pipeline.py": "NAME=PART:SYSTEM,...",
}


def systems_there() -> str:
    """Return the model files of both data sets, for a message."""
    files = sorted({file for files in HEALTHDIAL_SYSTEMS.values() for file in files})
    return f"{', '.join(files)} in {HEALTHDIAL_FOLDER} and {', '.join(sorted(THAI_SYSTEMS))} in {THAI_FOLDER}"


def systems_for(group: str) -> str:
    """Return which model files answer a task, for a message.

    Args:
        group: The task without language or variety.
    """
    files = HEALTHDIAL_SYSTEMS.get(group)
    if files is None:
        return f"{', '.join(THAI_SYSTEMS)} in {THAI_FOLDER}"
    return f"{', '.join(files)} in {HEALTHDIAL_FOLDER}"


def check_answered_by_language_models(names: Sequence[str]) -> None:
    """Raise `RunError` for a task that no language model can answer, with the command that runs a system on it.

    Args:
        names: Names of tasks or groups of this project.
    """
    for group in dict.fromkeys(name.split(":")[0] for name in names):
        if group in NO_LANGUAGE_MODEL:
            file = HEALTHDIAL_SYSTEMS[group][0]
            string = _STRINGS.get(file, file.removesuffix(".py"))
            raise RunError(
                f"{group} is not answered by a language model but by a system: "
                f'python -m tasks custom "{string}" {HEALTHDIAL_FOLDER}/{file} "{group}|0"'
            )


def check_components(system: str, answered: Sequence[str] | None, names: Sequence[str]) -> None:
    """Raise `RunError` for a task that a system does not answer.

    Args:
        system: Name of the system, for the message.
        answered: Tasks without language that it answers; None: any.
        names: Names of the tasks that it is to answer, such as ``healthdial_asr:eng|0``.
    """
    if answered is None:
        return
    for group in dict.fromkeys(name.split("|")[0].split(":")[0] for name in names):
        if group not in answered:
            theirs = f"; {group} is answered by {systems_for(group)}" if _is_own(group) else ""
            raise RunError(f"{system} answers {', '.join(answered)}, not {group}{theirs}")


def _is_own(group: str) -> bool:
    return group in HEALTHDIAL_SYSTEMS or group.startswith("thai_dialect_")
