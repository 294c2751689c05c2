"""`gauge keys`: who may use the server. Only light modules load here."""

from __future__ import annotations

from typing import Annotated

import typer

from serve.commands.console import plain_errors, print_line
from serve.commands.options import Json

keys = typer.Typer(help="API keys of the server: tenant, scopes, limits.", no_args_is_help=True, rich_markup_mode=None)

DEFAULT_SCOPES = "read,inspect"


@keys.command()
@plain_errors
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the key is for, e.g. control-room.")],
    tenant: Annotated[
        str, typer.Option("--tenant", metavar="T", help="Whose data it opens; `local` is the command line's own.")
    ] = "local",
    scopes: Annotated[
        str, typer.Option("--scopes", metavar="LIST", help="Of read, inspect, adapt, knowledge, admin; or all.")
    ] = DEFAULT_SCOPES,
    days: Annotated[
        float | None, typer.Option("--days", help="How long it holds.  [default: for good]", show_default=False)
    ] = None,
    photos_per_day: Annotated[
        int | None, typer.Option("--photos-per-day", min=1, help="The tenant's limit a day.", show_default=False)
    ] = None,
    max_mib: Annotated[
        float | None, typer.Option("--max-mib", min=1, help="The tenant's limit of kept photos, in MiB.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a key and print it, once."""
    from serve.commands.keys import create_key, split_scopes

    text = create_key(
        name,
        tenant=tenant,
        scopes=split_scopes(scopes),
        days=days,
        photos_per_day=photos_per_day,
        max_mib=max_mib,
        as_json=as_json,
    )
    print_line(text)


@keys.command(name="list")
@plain_errors
def list_all(as_json: Json = False) -> None:
    """List all keys, revoked ones too; the keys themselves are kept nowhere."""
    from serve.commands.keys import list_keys

    print_line(list_keys(as_json=as_json))


@keys.command()
@plain_errors
def revoke(
    id: Annotated[str, typer.Argument(metavar="ID", help="Id of the key, as `gauge keys list` shows it.")], as_json: Json = False
) -> None:
    """End a key at once."""
    from serve.commands.keys import revoke_key

    print_line(revoke_key(id, as_json=as_json))
