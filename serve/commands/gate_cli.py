"""`gauge gate`, before a change of code, weights or manuals. Only light modules load here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from serve.commands.console import plain_errors, print_line
from serve.commands.options import Json, Weights


@plain_errors
def gate(
    photos: Annotated[
        bool, typer.Option("--photos/--no-photos", help="Read drawn photos as well, which takes most of the time.")
    ] = True,
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", metavar="FILE", help="Another baseline than the shipped one.", show_default=False),
    ] = None,
    update: Annotated[
        str | None,
        typer.Option("--update", metavar="REASON", help="Freeze this run as the new baseline, and say why.", show_default=False),
    ] = None,
    weights: Weights = None,
    as_json: Json = False,
) -> None:
    """Hold ERR, FAR, all golden anchors and drawn photos against the frozen baseline; exit code 1 where a slice got worse."""
    from serve.commands.gating import run_gate

    text, shut = run_gate(photos=photos, baseline=baseline, update=update, weights=weights, as_json=as_json)
    print_line(text)
    raise typer.Exit(code=int(shut))
