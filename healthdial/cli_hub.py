"""The commands `push`, `check` and `preview` of `healthdial`."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from hub.errors import BenchError

if TYPE_CHECKING:
    from huggingface_hub import HfApi

    from hub.publish_plan import Plan

PACKAGE_FOLDER = Path(__file__).resolve().parent
TEXT_LICENCES = (
    "dialogues, prompts, transcripts, labels: MIT, (c) 2025 The HEALTHDIAL Authors; written with OpenAI models",
    "snippets and what dialogues quote of them: World Health Organization, non-commercial, with attribution",
)
AUDIO_LICENCE = "recordings: the authors' audio agreement, non-commercial, no voice cloning, no re-identification"
SAMPLE_LICENCES = ("all rows and voices: MIT, made by this project",)


class GateOption(str, Enum):
    """Who lets readers of the recordings in."""

    manual = "manual"
    auto = "auto"


def push(
    repo_id: RepositoryArgument,
    folder: Annotated[
        Path | None,
        typer.Option("--dir", help="Folder of a built data set. Default: the package's own, where build writes."),
    ] = None,
    audio: Annotated[
        bool, typer.Option("--audio", help="Push the whole data set with its recordings, to a repository of its own.")
    ] = False,
    terms_accepted: Annotated[
        bool,
        typer.Option(
            "--terms-accepted",
            help="You have read LICENSE.md, section 2, and the authors' agreement lets you do this.",
        ),
    ] = False,
    gate: Annotated[
        GateOption, typer.Option(help="Readers of the recordings are let in by you, or by the Hub once they agree.")
    ] = GateOption.manual,
    sample: SampleOption = False,
    tag: TagOption = None,
    public: PublicOption = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Check a built data set and publish it on the Hub: the texts, or with --audio all of it in a gated repository.

    Log in with `hf auth login` or set HF_TOKEN. A push that was broken off goes on when the same command is run again.
    """
    from healthdial.build import build_sample
    from healthdial.hub_parts import has_recordings, text_part
    from healthdial.privacy_rules import CONTENT_RULES, check_speakers
    from healthdial.schema import DATA_VARIABLE, VERSION
    from hub.commands import PushContent, PushOptions, built_folder
    from hub.commands import push as push_folder

    if audio and not (terms_accepted or sample):
        raise BenchError(
            "the recordings are voices of people, under an agreement of their own: read section 2 of LICENSE.md in "
            "the built folder, and give --terms-accepted if the agreement lets you publish them"
        )
    licences = SAMPLE_LICENCES if sample else (*TEXT_LICENCES, *((AUDIO_LICENCE,) if audio else ()))
    version = tag or f"v{VERSION}{'-sample' if sample else ''}"
    with built_folder(folder, PACKAGE_FOLDER, sample, build_sample, "healthdial build") as built:
        if audio and not has_recordings(built):
            raise BenchError(f"{built}: built without audio; leave --audio out, or build with the recordings")
        with text_part(built, whole=audio) as content:
            push_folder(
                PushContent(
                    content,
                    replace(CONTENT_RULES, left_alone=(*CONTENT_RULES.left_alone, r"README\.text\.md")),
                    licences,
                    example='"user_turns_eng", split="test"' if audio else '"dialogues_eng", split="test"',
                    variable=DATA_VARIABLE,
                    is_sample=sample,
                    with_recordings=audio,
                    shown=built,
                    more_checks=(check_speakers,),
                    refuse=_refuse_audio if audio else _refuse_texts,
                ),
                PushOptions(repo_id, version, public, gate.value if audio and not sample else None, yes, dry_run),
            )


def _refuse_audio(plan: Plan, api: HfApi) -> str | None:
    """Recordings go where nothing else is: a repository that was open may have been copied by anybody."""
    there = plan.repository
    if there is None or not there.files.keys() - {".gitattributes"}:
        return None
    if _recordings_there(plan, api):
        return None
    return f"{plan.page}: holds other content than recordings; give --audio a repository of its own"


def _refuse_texts(plan: Plan, api: HfApi) -> str | None:
    """A push of texts must not replace a data set with recordings; one that was built without is only another text."""
    if _recordings_there(plan, api):
        return f"{plan.page}: holds recordings, which this push would delete; give another repository, or --audio"
    return None


def _recordings_there(plan: Plan, api: HfApi) -> bool:
    """Return whether the head of the plan holds recordings, by the files themselves: any card may be edited."""
    from healthdial.hub_parts import files_for_recordings
    from hub.publish_recordings import recordings_on_hub

    return plan.repository is not None and recordings_on_hub(plan, api, files_for_recordings(plan.repository.files))


def check(folder: FolderArgument = PACKAGE_FOLDER) -> None:
    """Check a built data set: all that the Hub, its viewer or `load_dataset` would refuse, and the speakers' privacy.

    Every fault is printed with its place; exit code 1 if there is one.
    """
    from healthdial.privacy_rules import CONTENT_RULES, check_speakers
    from hub.commands import check as check_folder

    check_folder(folder, CONTENT_RULES, (check_speakers,))


def preview(
    folder: FolderArgument = PACKAGE_FOLDER,
    out: PreviewOutOption = Path("out/preview/healthdial"),
    open_page: OpenOption = True,
) -> None:
    """Write one local page per config with the first rows as the Hub's viewer would show them, recordings to play."""
    from hub.commands import preview as write_pages

    write_pages(folder, out, open_page=open_page)
