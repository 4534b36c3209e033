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
        model: Model id on the Hub, or a folder.
        settings: The rest, as given.
    """

    name: str
    model: str
    settings: dict[str, str]

    @classmethod
    def parse(cls, text: str, known: Collection[str], *, needs_model: bool = True) -> ModelString:
        """Read a model string.

        Args:
            text: Such as ``whisper=openai/whisper-small,batch_seconds=480``.
            known: Names of the settings that the system has.
            needs_model: Whether a model must be named; if not, ``NAME[=SETTING=VALUE,...]`` is read.

        Raises:
            BenchError: The name or the model is missing, or a setting is unknown, empty or given twice.
        """
        shape = f"NAME={'MODEL' if needs_model else ''}{''.join(f'[,{one}=...]' for one in known)}"
        name, _, rest = text.partition("=")
        parts = [part for part in rest.split(",") if part]
        model = parts.pop(0) if needs_model and parts else ""
        pairs = [part.partition("=") for part in parts]
        settings = {key: value for key, _, value in pairs}
        if not name or (needs_model and not model) or len(settings) != len(pairs) or not all(settings.values()):
            raise BenchError(f"the model string is {text!r}; it must be {shape}")
        unknown = sorted(settings.keys() - set(known))
        if unknown:
            raise BenchError(f"unknown setting {', '.join(unknown)} in the model string {text!r}; it must be {shape}")
        return cls(name, model, settings)

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
