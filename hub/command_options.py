"""Options that the commands `push`, `check` and `preview` of both data sets share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RepositoryArgument = Annotated[str, typer.Argument(metavar="REPO_ID", help="Data set on the Hub, as owner/name.")]
FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a built data set.")]
SampleOption = Annotated[
    bool, typer.Option("--sample", help="Push the bundled sample (to try things out); its card and tag say so.")
]
TagOption = Annotated[
    str | None, typer.Option(help="Name of this version. Default: v and the layout version, as in v1.0.0.")
]
PublicOption = Annotated[
    bool,
    typer.Option("--public", help="Make a new repository public; without it only you and your organisation see it."),
]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask before sending.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Check, print what would be done, and send nothing.")]
PreviewOutOption = Annotated[Path, typer.Option(help="Folder for the pages.")]
OpenOption = Annotated[bool, typer.Option("--open/--no-open", help="Open the first page in the browser.")]
