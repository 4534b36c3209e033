"""Read the flags of the release: true, false, or what a text or number in their place says."""

from __future__ import annotations

from healthdial.findings import Findings, Place

_TRUE, _FALSE = frozenset({"true", "yes", "1", "1.0"}), frozenset({"false", "no", "0", "0.0", ""})


def read_flag(value: object, findings: Findings, place: Place, field: str, *, default: bool = False) -> bool:
    """Return a flag; the default where it is absent, null, or says neither yes nor no.

    Args:
        value: What the record holds. Tables turn flags into text or numbers (1.0), which are read as what they say.
        findings: Collects ``flag_not_boolean``.
        place: Where it was met.
        field: Name of the field, for the report.
        default: What is not said.
    """
    if value is None or isinstance(value, bool):
        return default if value is None else value
    findings.add("flag_not_boolean", place, field)
    said = str(value).strip().lower()
    return said not in _FALSE if default else said in _TRUE
