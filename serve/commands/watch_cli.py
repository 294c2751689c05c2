"""`gauge watch`: the command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from serve.commands.console import plain_errors, print_line
from serve.commands.options import Json, Weights


@plain_errors
def watch(
    cameras: Annotated[Path, typer.Argument(help="File of cameras (TOML): sources, limits, alarms, broker.")],
    check: Annotated[bool, typer.Option("--check", help="Check the file, print what it says, and stop.")] = False,
    once: Annotated[
        bool, typer.Option("--once", help="Take one picture of each camera and the files that wait, and stop.")
    ] = False,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="DIR", help="Folder for CSV files, one a camera.", show_default=False)
    ] = None,
    metrics_port: Annotated[
        int | None,
        typer.Option("--metrics-port", min=1, max=65535, help="Port of this machine for Prometheus.", show_default=False),
    ] = None,
    weights: Weights = None,
    as_json: Json = False,
) -> None:
    """Watch cameras: read their pictures on schedule, keep out what cannot be, raise alarms, and tell a broker."""
    from serve.commands.watching import check_cameras, watch_cameras

    if check:
        print_line(check_cameras(cameras))
        return
    watch_cameras(cameras, once=once, csv=csv, metrics_port=metrics_port, weights=weights, as_json=as_json)
