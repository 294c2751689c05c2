"""`gauge failures`: the library of reported answers, fed by the form of a walkthrough page. Only light modules load here."""

from __future__ import annotations

from typing import Annotated

import typer

from serve.commands.console import plain_errors, print_line
from serve.commands.options import Json

failures = typer.Typer(help="What people reported about answers, with the root cause on five axes.", rich_markup_mode=None)

Case = Annotated[int, typer.Argument(metavar="CASE", min=1, max=2**62, help="Number of the case.")]


@failures.command()
@plain_errors
def add(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON that the form of a walkthrough page wrote; - for stdin.")],
    as_json: Json = False,
) -> None:
    """Keep a report; the same one twice is one case."""
    from serve.commands.failing import add_report

    print_line(add_report(file, as_json=as_json))


@failures.command(name="list")
@plain_errors
def list_cases(
    axis: Annotated[str | None, typer.Option("--axis", metavar="AXIS", help="Cases with this cause.", show_default=False)] = None,
    complaint: Annotated[
        str | None, typer.Option("--complaint", metavar="NAME", help="Cases with this complaint.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the cases, the newest first, and how often each cause was found."""
    from serve.commands.failing import list_text

    print_line(list_text(axis, complaint, as_json=as_json))


@failures.command()
@plain_errors
def show(case: Case, as_json: Json = False) -> None:
    """Print one case whole."""
    from serve.commands.failing import show_case

    print_line(show_case(case, as_json=as_json))


@failures.command()
@plain_errors
def label(
    case: Case,
    causes: Annotated[list[str], typer.Option("--cause", metavar="AXIS=yes|no|unknown", help="An axis; repeatable.")],
    as_json: Json = False,
) -> None:
    """Say on which axes the cause of a case lies; axes that are not named stay as they are."""
    from serve.commands.failing import label_case

    print_line(label_case(case, causes, as_json=as_json))
