"""`gauge replay`: a report once more from what was stored of its request, or the stages that made it."""

from __future__ import annotations

from typing import Annotated

import typer

from serve.commands.console import plain_errors, print_error, print_line
from serve.commands.options import Json


@plain_errors
def replay(
    request_id: Annotated[
        str | None, typer.Argument(metavar="REQUEST_ID", help="Id that an inspection printed or answered.", show_default=False)
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Print the stored stages, with what went in and came out.")] = False,
    newest: Annotated[bool, typer.Option("--list", help="Print the newest requests that are stored.")] = False,
    as_json: Json = False,
) -> None:
    """Make a report again from the stored reading and the stored version of the manuals, and compare every stage."""
    from serve.commands.replaying import list_requests, replay_request, show_request

    if newest == (request_id is not None):
        raise typer.BadParameter("give a REQUEST_ID, or --list for the newest ones")
    if request_id is None:
        print_line(list_requests(as_json=as_json))
        return
    if show:
        print_line(show_request(request_id, as_json=as_json))
        return
    answer = replay_request(request_id, as_json=as_json)
    print_line(answer.text)
    for problem in answer.problems:
        print_error(problem)
    raise typer.Exit(code=int(bool(answer.problems)))
