"""`gauge batch`: many photos into one table. Only light modules load here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from serve.commands.console import plain_errors, print_error, print_line
from serve.commands.options import LanguageChoice, Model, Weights

EngineChoice = Literal["local", "ray"]


@plain_errors
def batch(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="DIR|GLOB|LIST|PHOTO",
            help="Folders, quoted patterns, text files (.txt) with a path a line, '-' for such a list on stdin, photos.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Table to write: .parquet, .csv or .jsonl.")],
    model: Model = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, max=256, help="Processes that read.  [default: one a core]", show_default=False),
    ] = None,
    engine: Annotated[
        EngineChoice, typer.Option("--engine", help="local: processes here; ray: workers of a Ray cluster.")
    ] = "local",
    address: Annotated[
        str | None,
        typer.Option(
            "--address", metavar="HOST:PORT", help="Ray cluster to join.  [default: one of this machine]", show_default=False
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Read everything again, whatever an earlier run read.")] = False,
    lang: Annotated[LanguageChoice | None, typer.Option("--lang", help="Language of the summary.", show_default="en")] = None,
    weights: Weights = None,
) -> None:
    """Read many photos on all cores into a table with a summary page; stopped or killed, the same command goes on.

    Beside FILE lie the summary (FILE with .html) and the journal, in which every reading is kept as it is made.
    """
    from serve.commands.batching import BatchOrder, run_batch

    if address is not None and engine != "ray":
        raise typer.BadParameter("--address is of a Ray cluster: add --engine ray")
    order = BatchOrder(
        sources=tuple(sources),
        out=out,
        model=model,
        weights=weights,
        workers=workers,
        engine=engine,
        address=address,
        fresh=fresh,
        language=lang,
    )
    finished = run_batch(order)
    for line in finished.problems:
        print_error(line)
    print_line(finished.text)
    raise typer.Exit(code=int(finished.failed))
