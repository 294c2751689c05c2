"""`gauge bench batch`: the command."""

from __future__ import annotations

from typing import Annotated

import typer

from serve.commands.console import plain_errors, print_line
from serve.commands.options import Json, Weights


@plain_errors
def batch(
    photos: Annotated[int, typer.Option("--photos", min=2, help="Drawn photos to read each way.")] = 40,
    workers: Annotated[
        list[int] | None, typer.Option("--workers", min=1, help="Worker processes; repeatable.", show_default="1, 2")
    ] = None,
    ray: Annotated[bool, typer.Option("--ray", help="By Ray too, and its rows against the others.")] = False,
    kills: Annotated[int, typer.Option("--kills", min=0, help="Processes to kill at random, in batches without a model.")] = 0,
    light: Annotated[bool, typer.Option("--light", help="A stage without a model: what the batch itself costs.")] = False,
    weights: Weights = None,
    as_json: Json = False,
) -> None:
    """Read drawn photos by the bare reader and in batches: rates, processor time, memory, the same rows; and kill -9."""
    from serve.commands.batch_bench import BatchOptions, bench_text, run_batch_bench

    options = BatchOptions(photos=photos, workers=tuple(workers or (1, 2)), ray=ray, kills=kills, light=light, weights=weights)
    bench = run_batch_bench(options)
    print_line(bench.model_dump_json() if as_json else bench_text(bench))
