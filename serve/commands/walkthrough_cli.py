"""`gauge walkthrough`: one stored request on one page. Only light modules load here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from serve.commands.console import plain_errors, print_error, print_line


@plain_errors
def walkthrough(
    request_id: Annotated[str, typer.Argument(metavar="REQUEST_ID", help="Id that an inspection printed or answered.")],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="HTML file to write, or a folder for one named by request and moment.")
    ],
    photo: Annotated[
        Path | None,
        typer.Option("--photo", metavar="FILE", help="The photo, where it has moved since it was read.", show_default=False),
    ] = None,
    report_to: Annotated[
        str | None,
        typer.Option("--report-to", metavar="URL", help="Address that the report-issue form is sent to.", show_default=False),
    ] = None,
) -> None:
    """Write a page that shows what one stored execution saw, asked, found, sent and said."""
    from serve.walking import write_walkthrough

    written = write_walkthrough(request_id, out, photo=photo, report_to=report_to)
    print_line(f"Written to {written.path}")
    for problem in written.problems:
        print_error(problem)
