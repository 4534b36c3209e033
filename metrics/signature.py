"""The signature of a score: one line that says how the number came about."""

from __future__ import annotations

from dataclasses import dataclass

# Raised whenever a metric of this package can give another value for the same strings.
DEFINITIONS_VERSION = "1"


@dataclass(frozen=True)
class Signature:
    """A metric's name and its settings, written in sacrebleu's manner.

    The text form is ``metric|key:value|key:value``, in the order in which the fields were given, for instance
    ``bleu|nrefs:1|order:4|smooth:none|tok:newmm|pythainlp:5.2.0|dict:1a2b3c4d|space:kept|case:raw|norm:raw|v:1``.

    Attributes:
        metric: Name of the metric, for instance ``bleu``.
        fields: Pairs of key and value. A key stands once, is not empty and has no ``:``; keys, values and the
            metric's name have no ``|`` and no line break.

    Raises:
        ValueError: If a name, key or value breaks these rules, since the line could not be read back.
    """

    metric: str
    fields: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if not self.metric or ":" in self.metric:
            raise ValueError(f"signature: the metric's name must not be empty or hold ':', got {self.metric!r}")
        keys = [key for key, _ in self.fields]
        for text in (self.metric, *(part for field in self.fields for part in field)):
            if "|" in text or "\n" in text:
                raise ValueError(f"signature of {self.metric}: {text!r} holds '|' or a line break; remove it")
        for key in keys:
            if not key or ":" in key:
                raise ValueError(f"signature of {self.metric}: key {key!r} is empty or holds ':'; rename it")
            if keys.count(key) > 1:
                raise ValueError(f"signature of {self.metric}: key {key!r} stands more than once")

    @classmethod
    def of(cls, metric: str, **fields: str | int) -> Signature:
        """Makes a signature from keyword arguments.

        Args:
            metric: Name of the metric.
            **fields: Settings; integers are written as text.

        Returns:
            The signature, its fields in the order of the arguments.

        Raises:
            ValueError: If a name, key or value cannot be written.
        """
        return cls(metric, tuple((key, str(value)) for key, value in fields.items()))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Reads the text form back.

        Args:
            text: A line such as ``chrf|nrefs:1|nc:6``.

        Returns:
            The signature: ``str(Signature.parse(text)) == text``.

        Raises:
            ValueError: If a part after the first has no ``:``, or a part breaks the rules of the class.
        """
        metric, *parts = text.split("|")
        for part in parts:
            if ":" not in part:
                raise ValueError(f"signature {text!r}: part {part!r} has no ':'; expected key:value")
        return cls(metric, tuple((key, value) for key, _, value in (part.partition(":") for part in parts)))

    def with_fields(self, **fields: str | int) -> Signature:
        """Adds fields, for instance the data's fingerprint and lighteval's version.

        Args:
            **fields: Keys already present keep their place and take the new value; others are appended.

        Returns:
            A new signature; this one is unchanged.

        Raises:
            ValueError: If a key or value cannot be written.
        """
        merged = dict(self.fields) | {key: str(value) for key, value in fields.items()}
        return Signature(self.metric, tuple(merged.items()))

    def get(self, key: str) -> str | None:
        """Returns the value of a field, or None where the signature lacks it."""
        return dict(self.fields).get(key)

    def __str__(self) -> str:
        return "|".join((self.metric, *(f"{key}:{value}" for key, value in self.fields)))
