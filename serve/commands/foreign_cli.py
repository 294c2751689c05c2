"""`gauge eval rag`: faithfulness of any pipeline, from a file of its answers or asked over HTTP. Only light modules load here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from serve.commands.console import EXIT_FAILED, plain_errors, print_error, print_line
from serve.commands.options import Json


@plain_errors
def score_rag(
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="JSONL",
            help="Rows of question, contexts, answer and ground_truth as RAGAS-like tools write; with --endpoint the questions, "
            "the golden anchors' where it is left out.",
            show_default=False,
        ),
    ] = None,
    endpoint: Annotated[
        str | None,
        typer.Option(
            "--endpoint",
            metavar="URL",
            help='System to ask: POST {"query"} answers {"answer", "retrieved_chunks"}.',
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="JSONL", help="Write every row with its scores.", show_default=False)
    ] = None,
    timeout_s: Annotated[float, typer.Option("--timeout", min=0.1, max=3600, help="Seconds that one question may take.")] = 60.0,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Score the first rows alone.", show_default=False)] = None,
    as_json: Json = False,
) -> None:
    """Score how faithful and how correct the answers of any question answering system are."""
    from serve.commands.foreign import score_foreign

    if file is None and endpoint is None:
        raise typer.BadParameter("give --file JSONL with the rows, or --endpoint URL with a system to ask")
    text, scored = score_foreign(file, endpoint=endpoint, out=out, timeout_s=timeout_s, limit=limit, as_json=as_json)
    print_line(text)
    if not scored:
        print_error(f"{file or endpoint}: no row could be scored; the reasons stand above")
        raise typer.Exit(code=EXIT_FAILED)
