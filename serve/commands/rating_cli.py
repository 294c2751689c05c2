"""`gauge eval hrs`: people's ratings of reports beside their faithfulness. Only light modules load here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from serve.commands.console import plain_errors, print_line
from serve.commands.options import Json


@plain_errors
def score_hrs(
    ratings: Annotated[Path, typer.Argument(metavar="RATINGS", help="CSV with the columns case, rater and score (1 to 5).")],
    scores: Annotated[
        Path,
        typer.Option("--scores", metavar="JSONL", help="FCI of the same cases: what `inspect --json` or `eval rag --out` wrote."),
    ],
    as_json: Json = False,
) -> None:
    """Human readability score (HRS) and FCI together: a report passes with HRS >= 4.0 and FCI >= 0.85; exit code 1 where not."""
    from eval.ratings import ratings_markdown, read_fci, read_ratings, score_ratings

    given, faults = read_ratings(ratings)
    card = score_ratings(given, read_fci(scores), faults)
    print_line(card.model_dump_json() if as_json else ratings_markdown(card))
    raise typer.Exit(code=int(card.verdict.state != "supported"))
