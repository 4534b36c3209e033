"""What the commands `check` and `push` do for both data sets, after their options are read."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub.card import CARD_FILE, Card, read_card
from hub.check import check_folder
from hub.errors import BenchError
from hub.faults import Checked, ContentRules, Fault
from hub.file_check import published_files
from hub.owned import HUBS_OWN_FILE, is_owned, owned_patterns
from hub.scratch import scratch_folder

if TYPE_CHECKING:
    from huggingface_hub import HfApi

    from hub.publish import Published
    from hub.publish_plan import Gate, Plan

CardCheck = Callable[[Card], Iterator[Fault]]
"""A check of a data set's own."""


@dataclass(frozen=True)
class PushOptions:
    """What a maintainer says about a push.

    Attributes:
        repo_id: ``owner/name`` on the Hub.
        tag: Name of the version.
        public: Whether a repository that is made is public at once.
        gate: Who lets readers in; None for everybody.
        yes: Do not ask.
        dry_run: Print what would be done and send nothing.
    """

    repo_id: str
    tag: str
    public: bool = False
    gate: Gate | None = None
    yes: bool = False
    dry_run: bool = False


@dataclass(frozen=True)
class PushContent:
    """A built data set that is pushed.

    Attributes:
        folder: Where it lies.
        rules: What it may hold.
        licences: The licence regimes, a line each, for the summary.
        example: Arguments of ``load_dataset`` after the repository, for the last line.
        variable: Environment variable that names the data for ``python -m tasks``.
        is_sample: Whether it is the bundled sample.
        with_recordings: Whether recordings are meant to be sent; without, a file that holds one stops the push.
        shown: The folder that messages name where the data set lies in a copy; None: ``folder``.
        more_checks: Checks that only this data set has.
        refuse: Says, from what the Hub holds, why a plan must not be carried out; None if it may.
    """

    folder: Path
    rules: ContentRules
    licences: tuple[str, ...]
    example: str
    variable: str
    is_sample: bool = False
    with_recordings: bool = False
    shown: Path | None = None
    more_checks: Sequence[CardCheck] = ()
    refuse: Callable[[Plan, HfApi], str | None] = lambda plan, api: None


@contextmanager
def built_folder(
    folder: Path | None, default: Path, sample: bool, build_sample: Callable[[Path], Any], command: str
) -> Iterator[Path]:
    """Yield the folder of the data set that is pushed; the bundled sample is built for it if no folder is given.

    Args:
        folder: What the user gave.
        default: Where builds are by default.
        sample: Whether the user wants the bundled sample pushed.
        build_sample: Builds it into a folder.
        command: Builds a data set, for messages.

    Raises:
        BenchError: The folder holds no built data set, or a sample that was not asked for, or none that was.
    """
    if folder is None and sample:
        with scratch_folder("sample-") as temporary:
            build_sample(temporary / default.name)
            yield temporary / default.name
        return
    folder = folder or default
    if not (folder / CARD_FILE).is_file():
        raise BenchError(
            f"{folder}: no built data set; run {command} --release ... first, or give its folder with --dir"
        )
    is_sample = "(SAMPLE)" in str(read_card(folder).metadata.get("pretty_name"))
    if is_sample and not sample:
        raise BenchError(
            f"{folder}: is built from the bundled sample, not the benchmark; give --sample if you mean it"
        )
    if sample and not is_sample:
        raise BenchError(f"{folder}: is no sample; leave --sample out")
    yield folder


def check(
    folder: Path, rules: ContentRules, more_checks: Sequence[CardCheck] = (), *, shown: Path | None = None
) -> None:
    """Check a built data set and print what the Hub would refuse.

    Args:
        folder: Where it lies.
        rules: What it may hold.
        more_checks: Checks that only this data set has.
        shown: The folder that is named instead, if it lies in a copy.

    Raises:
        BenchError: It would refuse something.
    """
    shown = shown or folder
    checked = check_folder(folder, rules, more_checks)
    print(check_text(folder, checked).replace(str(folder), str(shown)))
    if checked.faults:
        raise BenchError(f"{shown}: {_counted(len(checked.faults), 'fault')}, so it cannot be published as it is")


def check_text(folder: Path, checked: Checked) -> str:
    """Return the outcome of a check in lines: faults and warnings with their places, then what was not checked."""
    from tqdm import tqdm

    lines = [f"{fault.place}: {fault.message} [{fault.check}]" for fault in checked.faults]
    lines += [f"Warning: {fault.place}: {fault.message} [{fault.check}]" for fault in checked.warnings]
    lines += [f"Not checked: {line}" for line in checked.not_checked]
    what = f"{_counted(checked.configs, 'config')}, {_counted(checked.files, 'file')}"
    size = f"{tqdm.format_sizeof(checked.bytes)}B"
    if checked.faults:
        return "\n".join([*lines, f"{folder}: {what}, {size}: {_counted(len(checked.faults), 'fault')}."])
    return "\n".join([*lines, f"{folder}: {what}, {size}: nothing that the viewer or the loader would refuse."])


def push(content: PushContent, options: PushOptions) -> None:
    """Publish a built data set: look at the Hub, check the folder, show what would be done, ask, send, tag.

    The Hub is looked at first, which takes the checksum of every file; the check follows, and a file that changes
    after its checksum was taken stops the push. So what is sent is what was checked.

    Raises:
        BenchError: The Hub or the check refuses it, or nobody said yes.
        UnreachableError: The Hub cannot be reached.
    """
    with _plain_log_lines():
        _push(content, options)


def _push(content: PushContent, options: PushOptions) -> None:
    from huggingface_hub import HfApi

    from hub.publish import publish
    from hub.publish_plan import Publication, plan, require_as_planned
    from hub.publish_recordings import require_no_recordings_by_mistake
    from hub.publish_summary import describe_plan

    api = HfApi(library_name="thai-dialect-bench")
    files = {
        path.relative_to(content.folder).as_posix(): path for path in published_files(content.folder, content.rules)
    }
    strange = [path for path in files if not is_owned(path, content.rules) and path != HUBS_OWN_FILE]
    planned = plan(
        Publication(
            options.repo_id,
            {path: file for path, file in files.items() if is_owned(path, content.rules)},
            owned_patterns(content.rules),
            private=not options.public,
            gate=options.gate,
            tag=options.tag,
            message=f"Publish {options.tag}",
        ),
        api,
    )
    refusal = content.refuse(planned, api)
    if refusal:
        raise BenchError(refusal)
    require_no_recordings_by_mistake(
        planned, with_recordings=content.with_recordings, is_sample=content.is_sample, shown=content.shown
    )
    check(content.folder, content.rules, content.more_checks, shown=content.shown)
    if strange:
        raise BenchError(
            f"{content.shown or content.folder}: {', '.join(strange[:5])}: no build writes such a file, so it is not "
            "sent and what names it would be broken; remove it"
        )
    require_as_planned(planned)
    print("\n".join([describe_plan(planned), "  licences:", *(f"    {line}" for line in content.licences)]))
    if options.dry_run:
        print("Nothing was sent (--dry-run).")
        return
    if not (options.yes or planned.nothing_to_do):
        _ask()
    published = publish(planned, api)
    print("\n".join(_published_lines(published, content)))


def preview(folder: Path, out: Path, *, open_page: bool) -> None:
    """Write the pages of a preview, say where they are, and open the first."""
    import webbrowser

    from hub.preview import write_preview

    pages = write_preview(folder, out)
    first = out / "index.html"
    print(f"Wrote {_counted(len(pages), 'page')}: {first}")
    if open_page and not webbrowser.open(first.resolve().as_uri()):
        print("No browser could be opened here; open the page yourself.")


def _published_lines(published: Published, content: PushContent) -> Iterator[str]:
    """Yield what a maintainer passes on to readers."""
    yield f"{'There already' if published.nothing_to_do else 'Published'}: {published.url}"
    yield f"Revision to pin: {published.revision} (tag {published.tag})"
    yield f'Load it: load_dataset("{published.repo_id}", {content.example}, revision="{published.tag}")'
    yield f"Evaluate on it: {content.variable}={published.repo_id}@{published.tag} python -m tasks ..."


def _ask() -> None:
    """Ask on the terminal; anything but yes ends the command."""
    if not sys.stdin.isatty():
        raise BenchError("there is no terminal to ask on; look at the summary with --dry-run, then give --yes")
    try:
        # typer.confirm tells no interrupt from the end of the input.
        answer = input("Push this? [y/N]: ")
    except EOFError:
        answer = ""
    except KeyboardInterrupt:
        print("\nNothing was sent.")
        raise
    if answer.strip().lower() not in ("y", "yes"):
        raise BenchError("nothing was sent")


@contextmanager
def _plain_log_lines() -> Iterator[None]:
    """Print what `hub` logs as it is, whatever logging was set up by a library."""
    logger = logging.getLogger("hub")
    handler = logging.StreamHandler()
    propagates, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
