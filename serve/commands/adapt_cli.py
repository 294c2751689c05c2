"""The commands `gauge adapt` and `gauge models`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from serve.commands.console import plain_errors, print_line
from serve.commands.options import Json, Weights


@plain_errors
def adapt(
    model_id: Annotated[str, typer.Argument(metavar="MODEL_ID", help="Model of the instrument, e.g. XYZ-2000.")],
    photos: Annotated[
        Path,
        typer.Option(
            "--photos", metavar="DIR", help="About 50 labelled photos of it: pictures and labels.csv, or metadata.jsonl."
        ),
    ],
    weights: Weights = None,
    steps: Annotated[
        int | None, typer.Option("--steps", min=1, help="Training steps.  [default: 400]", show_default=False)
    ] = None,
    minutes: Annotated[
        float | None, typer.Option("--minutes", min=0.05, help="Train no longer than this.", show_default=False)
    ] = None,
) -> None:
    """Teach the reader one instrument model from labelled photos; all other models are read as before.

    The adapter is stored if photos that were held out are read better with it; else the exit code is 1.
    """
    from serve.commands.adapting import adapt_reader

    text, stored = adapt_reader(model_id, photos, weights=weights, steps=steps, minutes=minutes)
    print_line(text)
    raise typer.Exit(code=0 if stored else 1)


@plain_errors
def models(weights: Weights = None, as_json: Json = False) -> None:
    """List the adapters: model, weights it was made for, size, and how held-out photos are read without it and with it."""
    from serve.commands.adapting import models_text

    print_line(models_text(weights, as_json=as_json))
