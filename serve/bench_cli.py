"""`gauge bench`: measures the product's own parts on this machine."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from serve.console import plain_errors, print_line
from serve.options import Json

bench = typer.Typer(help="Measure the product's parts on this machine.", no_args_is_help=True, rich_markup_mode=None)


@bench.callback()
def _group() -> None:
    """Measure the product's parts on this machine."""


@bench.command()
@plain_errors
def synth(
    recipe: Annotated[str, typer.Option("--recipe", help="Recipe to draw.")] = "close",
    count: Annotated[int, typer.Option("--count", min=1, help="Pictures of the flat renderer.")] = 200,
    blender_count: Annotated[int, typer.Option("--blender-count", min=0, help="Pictures of Blender; 0 for none.")] = 20,
    as_json: Json = False,
) -> None:
    """Time a picture: milliseconds of the flat renderer by stage, CPU seconds and memory of Blender."""
    from serve.settings import load_settings
    from synth.bench import measure_synth, speed_record, speed_text

    speed = measure_synth(recipe, count, load_settings().home.resolve(), blender_count)
    print_line(json.dumps(speed_record(speed)) if as_json else speed_text(speed))
