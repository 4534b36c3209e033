"""Make the bundled sample from its hand-written source: ``python -m healthdial.sample.make_sample``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from healthdial.languages import LANGUAGES
from healthdial.release import SAMPLE_FOLDER
from healthdial.sample.people import ASSISTANT_VOICES, PEOPLE, Voice
from healthdial.sample.records import LanguageSample, Utterance, read_samples, text_files
from hub.errors import BenchError

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def make_sample(
    out: Annotated[Path, typer.Option(help="Folder to write into.")] = SAMPLE_FOLDER,
    audio: Annotated[bool, typer.Option(help="Make the recordings too (needs the extra `sample`).")] = True,
) -> None:
    """Make the bundled sample of HealthDial from its source: JSON files of the release's layout, and FLAC recordings.

    The same source gives the same JSON everywhere, and the same recordings with the same versions of espeak-ng, SoXR
    and libFLAC. Recordings that are no longer in the source are removed.
    """
    samples = read_samples()
    # All recordings are made before the first is written: a missing voice leaves the folder as it was.
    recordings = dict(_recordings(samples)) if audio else {}
    for file, text in text_files(samples).items():
        _write(out / file, text.encode())
    if not audio:
        typer.echo(f"{out}: JSON files written; recordings left as they are")
        return
    for old in _recordings_in(out):
        old.unlink()
    for path, content in recordings.items():
        _write(out / path, content)
    typer.echo(f"{out}: {len(recordings)} recordings, {sum(map(len, recordings.values())):,} bytes")


def _recordings(samples: Mapping[str, LanguageSample]) -> Iterator[tuple[Path, bytes]]:
    """Yield the path of every recording, relative to the sample's folder, and its FLAC file."""
    from healthdial.sample.speech import flac_file, recording, say_each

    utterances = [(language, utterance) for language, sample in samples.items() for utterance in sample.utterances]
    spoken = say_each((utterance.text, _voice(language, utterance)) for language, utterance in utterances)
    for (_, utterance), (speech, sample_rate) in zip(utterances, spoken, strict=True):
        yield utterance.file, flac_file(recording(speech, sample_rate))


def _voice(language: str, utterance: Utterance) -> Voice:
    return ASSISTANT_VOICES[language] if utterance.speaker is None else PEOPLE[language][utterance.speaker].voice


def _recordings_in(folder: Path) -> list[Path]:
    """Return the recordings that an earlier run left."""
    return [
        file
        for language in LANGUAGES.values()
        for kind in ("audio", "system_audio")
        for file in (folder / language.folder / kind).glob("*.flac")
    ]


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def main() -> None:
    """Run the command; a fault of the source or the machine is one line and exit code 1."""
    try:
        app()
    except BenchError as error:
        print(f"make_sample: error: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
