"""The summary of a planned push that a maintainer reads before saying yes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hub.publish_files import LocalFile, RemoteFile
from hub.publish_plan import Plan

SHOWN_FILES = 20
"""Of each kind; the others are counted."""

GATES = {"auto": "readers accept the terms", "manual": "readers accept the terms and are let in one by one"}


def describe_plan(plan: Plan) -> str:
    """Return what a push would do, in lines: where to, who can read it, each file, what goes, what stays, the tag."""
    lines = [
        plan.page,
        f"  visibility: {_visibility(plan)}",
        f"  gate: {_gate(plan)}",
        *_listed("new", plan.new),
        *_listed("changed", plan.changed),
        *_listed("deleted, no longer built", plan.deleted),
        f"  as there already: {_amount(plan.same)}",
        *_foreign(plan.foreign),
        f"  to send: {_size(plan.bytes_to_send)} at most; what an earlier try has sent is not sent again",
        f"  tag: {plan.publication.tag}, {'stands at this content' if plan.tag_state == 'same' else 'will be set'}",
    ]
    return "\n".join([*lines, "  Nothing to do."] if plan.nothing_to_do else lines)


def _visibility(plan: Plan) -> str:
    if plan.repository is None:
        return f"{_name(plan.publication.private)} (the repository will be made)"
    return f"{_name(plan.repository.private)} (stays as it is)"


def _name(private: bool) -> str:
    return "private" if private else "public"


def _gate(plan: Plan) -> str:
    there = str(plan.repository.gate) if plan.repository else ""
    if plan.needs_gate:
        return f"{plan.publication.gate}, {GATES[str(plan.publication.gate)]} (will be set before any file is sent)"
    return f"{there}, {GATES[there]} (stays as it is)" if there in GATES else "none"


def _listed(title: str, files: tuple[LocalFile, ...] | tuple[RemoteFile, ...]) -> Iterator[str]:
    if not files:
        return
    yield f"  {title}: {_amount(files)}"
    for file in files[:SHOWN_FILES]:
        yield f"    {file.path}  {_size(file.size)}"
    if len(files) > SHOWN_FILES:
        yield f"    and {len(files) - SHOWN_FILES} more"


def _foreign(paths: tuple[str, ...]) -> Iterator[str]:
    if paths:
        yield "  not ours, left alone:"
        yield from (f"    {path}" for path in paths)


def _amount(files: Iterable[LocalFile | RemoteFile]) -> str:
    sizes = [file.size for file in files]
    return f"{len(sizes)} file{'' if len(sizes) == 1 else 's'}, {_size(sum(sizes))}"


def _size(count: int) -> str:
    from tqdm import tqdm

    short = tqdm.format_sizeof(count)
    return f"{short[:-1]} {short[-1]}B" if count >= 1000 else f"{count} B"
