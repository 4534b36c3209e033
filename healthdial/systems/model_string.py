"""The model string of a system: ``NAME=MODEL[,SETTING=VALUE...]``."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from hub.errors import BenchError


@dataclass(frozen=True)
class ModelString:
    """What a user asks for.

    Attributes:
        name: Stands in the results.
        model: Model id on the Hub, a folder, or what else the system takes first; empty if not given.
        settings: The rest, as given.
    """

    name: str
    model: str
    settings: dict[str, str]

    @classmethod
    def parse(
        cls, text: str, known: Collection[str] = (), *, model: str = "MODEL", separator: str = "="
    ) -> ModelString:
        """Read a model string.

        Args:
            text: Such as ``whisper=openai/whisper-small,batch_seconds=480``.
            known: Names of the settings that the system has.
            model: What errors call that which comes first after the name; in brackets if it may be left out; empty
                if there is none, and only settings follow the name.
            separator: Between a setting and its value.

        Raises:
            BenchError: The name or the model is missing, or a setting is unknown, empty or given twice.
        """
        shape = _shape(known, model, separator)
        name, equals, rest = text.partition("=")
        parts = rest.split(",") if equals else []
        chosen = parts.pop(0) if model and parts else ""
        is_without_model = not chosen and bool(model) and (bool(equals) or not model.startswith("["))
        pairs = [part.partition(separator) for part in parts]
        settings = {key: value for key, _, value in pairs}
        if not name or is_without_model or len(settings) != len(pairs) or not all(settings.values()):
            raise BenchError(f"the model string is {text!r}; it must be {shape}")
        unknown = sorted(settings.keys() - set(known))
        if unknown:
            raise BenchError(f"unknown setting {', '.join(unknown)} in the model string {text!r}; it must be {shape}")
        return cls(name, chosen, settings)

    def number(self, setting: str, default: float) -> float:
        """Return a setting that is a number above 0.

        Raises:
            BenchError: It is none.
        """
        text = self.settings.get(setting, str(default))
        try:
            number = float(text)
        except ValueError:
            number = 0.0
        if not 0 < number < float("inf"):
            raise BenchError(f"{setting} must be a number above 0, not {text!r}")
        return number


def _shape(known: Collection[str], model: str, separator: str) -> str:
    """Return what a model string must look like."""
    if not model:
        return f"NAME[={','.join(f'{one}{separator}...' for one in known)}]" if known else "NAME"
    settings = "".join(f"[,{one}{separator}...]" for one in known)
    return f"NAME[={model[1:-1]}{settings}]" if model.startswith("[") else f"NAME={model}{settings}"
