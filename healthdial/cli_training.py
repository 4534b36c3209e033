"""The command `healthdial train-classifier`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from healthdial.languages import LANGUAGES, parse_languages


def train_classifier(
    out: Annotated[Path, typer.Option(help="Folder of the model, or of one folder for each language.")],
    data: Annotated[
        str | None,
        typer.Option(help="The built data set: a folder or org/name[@revision]. Default: HEALTHDIAL_DATA."),
    ] = None,
    model: Annotated[
        str, typer.Option(help="Encoder to start from: an id on the Hub or a folder.")
    ] = "FacebookAI/xlm-roberta-large",
    revision: Annotated[str | None, typer.Option(help="Branch, tag or commit of the encoder.")] = None,
    languages: Annotated[str | None, typer.Option(help="Languages, separated by commas. Default: all.")] = None,
    joint: Annotated[bool, typer.Option("--joint", help="One model for all the languages together.")] = False,
    learning_rate: Annotated[float, typer.Option(min=0, help="Highest learning rate.")] = 2e-5,
    batch_size: Annotated[int, typer.Option(min=1, help="Examples of a step, over all processes together.")] = 16,
    eval_batch_size: Annotated[int, typer.Option(min=1, help="Examples of an evaluation step.")] = 32,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the training split; the best is kept.")] = 3,
    weight_decay: Annotated[float, typer.Option(min=0, help="Weight decay.")] = 0.01,
    max_length: Annotated[int, typer.Option(min=1, help="Longest text in tokens, cut from its beginning.")] = 512,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything that is drawn.")] = 42,
) -> None:
    """Fine-tune an encoder for turn classification on the training split, as the paper does.

    One model a language unless --joint. A training that is stopped goes on when the same command is run again.
    """
    from healthdial.data import BuiltData
    from healthdial.schema import check_built, data_location
    from healthdial.training import TrainingData, TrainingSettings
    from healthdial.training import train_classifier as train
    from hub.errors import BenchError
    from hub.location import DataNotBuiltError

    location = data_location(data)
    try:
        check_built(location)
    except DataNotBuiltError as error:
        raise BenchError(str(error)) from error
    settings = TrainingSettings(
        model, revision, learning_rate, batch_size, eval_batch_size, epochs, weight_decay, max_length, seed
    )
    codes = parse_languages(languages) or tuple(LANGUAGES)
    jobs = {out: codes} if joint else {out / code: (code,) for code in codes}
    for folder, group in jobs.items():
        record = train(TrainingData.read(BuiltData(location), group), settings, folder)
        accuracy = record["result"]["validation_accuracy"]
        print(f"{folder}: {', '.join(group)}, validation accuracy {100 * accuracy:.2f} ({record['data']['origin']})")
