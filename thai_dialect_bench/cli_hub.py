"""The commands `push`, `check` and `preview` of `thai-dialect-bench`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hub.command_options import (
    DryRunOption,
    FolderArgument,
    OpenOption,
    PreviewOutOption,
    PublicOption,
    RepositoryArgument,
    SampleOption,
    TagOption,
    YesOption,
)
from thai_dialect_bench.schema import DATA_VARIABLE, PACKAGE_FOLDER, VERSION

LICENCES = (
    "translation, food, conversation, QA, prompts: CC BY-SA, announced in the paper only",
    "summarization: XL-Sum, CC BY-NC-SA 4.0, non-commercial",
    "qa_v1: iAPP Wiki QA, MIT",
)
SAMPLE_LICENCES = ("all rows: MIT, written by this project",)


def push(
    repo_id: RepositoryArgument,
    folder: Annotated[
        Path | None,
        typer.Option("--dir", help="Folder of a built data set. Default: the package's own, where build writes."),
    ] = None,
    sample: SampleOption = False,
    tag: TagOption = None,
    public: PublicOption = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Check a built data set and publish it on the Hub: card, terms and Parquet files in one commit, then the tag.

    Log in with `hf auth login` or set HF_TOKEN. A push that was broken off goes on when the same command is run again.
    """
    from hub.commands import PushContent, PushOptions, built_folder
    from hub.commands import push as push_folder
    from thai_dialect_bench.build import build_sample
    from thai_dialect_bench.content_rules import CONTENT_RULES

    with built_folder(folder, PACKAGE_FOLDER, sample, build_sample, "thai-dialect-bench build") as built:
        push_folder(
            PushContent(
                built,
                CONTENT_RULES,
                SAMPLE_LICENCES if sample else LICENCES,
                example='"lanna", split="test"',
                variable=DATA_VARIABLE,
                is_sample=sample,
            ),
            PushOptions(repo_id, tag or f"v{VERSION}{'-sample' if sample else ''}", public, None, yes, dry_run),
        )


def check(folder: FolderArgument = PACKAGE_FOLDER) -> None:
    """Check a built data set: all that the Hub, its viewer or `load_dataset` would refuse.

    Every fault is printed with its place; exit code 1 if there is one.
    """
    from hub.commands import check as check_folder
    from thai_dialect_bench.content_rules import CONTENT_RULES

    check_folder(folder, CONTENT_RULES)


def preview(
    folder: FolderArgument = PACKAGE_FOLDER,
    out: PreviewOutOption = Path("out/preview/thai_dialect_bench"),
    open_page: OpenOption = True,
) -> None:
    """Write one local page per config with the first rows as the Hub's viewer would show them."""
    from hub.commands import preview as write_pages

    write_pages(folder, out, open_page=open_page)
