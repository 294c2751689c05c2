"""`gauge backup` and `gauge restore`. Only light modules load here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from serve.commands.console import plain_errors, print_line
from serve.commands.options import Json


@plain_errors
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to write; a server may go on meanwhile.")],
    as_json: Json = False,
) -> None:
    """Write everything that is kept to one file: reports, photos, traces, manuals, adapters, keys, jobs."""
    from serve.commands.backup import write_backup

    print_line(write_backup(file, as_json=as_json))


@plain_errors
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File that `gauge backup` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Put it in the place of what is kept now.")] = False,
    as_json: Json = False,
) -> None:
    """Make everything what it was when a backup was made; nothing changes before all of it is checked."""
    from serve.commands.backup import read_backup

    print_line(read_backup(file, replace=replace, as_json=as_json))
