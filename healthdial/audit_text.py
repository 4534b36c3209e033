"""Print an audit for a person: the check list, then every kind of fault with its first places."""

from __future__ import annotations

from textwrap import fill

from healthdial.audit import Audit
from healthdial.findings import KINDS

PLACES_SHOWN = 3


def audit_text(outcome: Audit) -> str:
    """Return the check list, the faults and what is broken, as text."""
    from tabulate import tabulate

    checks = tabulate(
        [
            [check.what, check.language or "all", check.expected or "-", fill(check.found, 70), check.verdict]
            for check in outcome.checks
        ],
        headers=["check", "language", "expected", "found", "verdict"],
        disable_numparse=True,
    )
    broken = outcome.broken
    last = f"BROKEN: {', '.join(broken)}." if broken else "No invariant is broken."
    return f"{checks}\n\n{faults_text(outcome)}\n\n{last}"


def faults_text(outcome: Audit) -> str:
    """Return every kind of fault that was met: count by language, policy, text, first places."""
    findings = outcome.findings
    lines = []
    for name, kind in KINDS.items():
        counts = {language: count for (of, language), count in sorted(findings.counts.items()) if of == name}
        if not counts:
            continue
        by_language = ", ".join(f"{language or 'all'} {count:,}" for language, count in counts.items())
        lines.append(f"{name} [{kind.policy}]: {by_language}. {kind.text[0].upper()}{kind.text[1:]}.")
        found = [one for (of, _), own in sorted(findings.examples.items()) if of == name for one in own]
        lines += [f"    {one.place}" + (f": {one.detail}" if one.detail else "") for one in found[:PLACES_SHOWN]]
        hidden = sum(counts.values()) - min(len(found), PLACES_SHOWN)
        if hidden > 0 and len(found) > PLACES_SHOWN:
            lines.append(f"    and {hidden:,} more (--json has the places)")
    return "\n".join(lines) if lines else "No fault was met."
