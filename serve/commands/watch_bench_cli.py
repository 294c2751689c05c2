"""`gauge bench cameras`: the command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from serve.commands.console import plain_errors, print_line
from serve.commands.options import Json, Weights


@plain_errors
def cameras(
    dials: Annotated[int, typer.Option("--dials", min=1, help="Dials that are really read; each is a camera's.")] = 10,
    frames: Annotated[int, typer.Option("--frames", min=1, help="Drawn frames of each.")] = 24,
    days: Annotated[float, typer.Option("--days", min=0.1, max=31, help="Days to simulate.")] = 7.0,
    every_s: Annotated[float, typer.Option("--every", min=5, max=3600, metavar="SECONDS", help="Between two frames.")] = 60.0,
    errors: Annotated[
        Path | None, typer.Option("--errors", metavar="FILE", help="Errors measured before; reads nothing.", show_default=False)
    ] = None,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="FILE", help="Where to keep the measured errors.", show_default=False)
    ] = None,
    weights: Weights = None,
    as_json: Json = False,
) -> None:
    """Read drawn dials, then simulate ten cameras with those errors: wrong and missed alarms, beside the raw readings."""
    from serve.commands.watch_bench import bench_text, run_camera_bench

    bench = run_camera_bench(dials=dials, frames=frames, days=days, every_s=every_s, errors=errors, keep=keep, weights=weights)
    print_line(bench.model_dump_json() if as_json else bench_text(bench))
