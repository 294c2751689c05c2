"""`gauge monitor`: live, hourly and daily. Only light modules load here."""

from __future__ import annotations

import typer

from serve.commands.console import plain_errors, print_line
from serve.commands.options import Json

monitor = typer.Typer(
    help="Watch reports, golden anchors and retrieval; tell what got worse.", no_args_is_help=True, rich_markup_mode=None
)


@monitor.command()
@plain_errors
def status(as_json: Json = False) -> None:
    """Show what was measured last at each level, the newest alerts, and whether the language model is set aside."""
    from serve.commands import monitoring

    print_line(monitoring.status(as_json=as_json))


@monitor.command()
@plain_errors
def run() -> None:
    """Run the monitor alone, beside a server that has the same home or database."""
    from serve.commands import monitoring

    monitoring.run_monitor()


@monitor.command()
@plain_errors
def daily(as_json: Json = False) -> None:
    """Measure 30 golden anchors, relevance and redundancy now; exit code 1 where one is red."""
    _measure("daily", as_json)


@monitor.command()
@plain_errors
def hourly(as_json: Json = False) -> None:
    """Measure Recall@5, MRR and coverage now; exit code 1 where one is red."""
    _measure("hourly", as_json)


@monitor.command()
@plain_errors
def resume() -> None:
    """Let the language model write again after it was set aside."""
    from serve.commands import monitoring

    print_line(monitoring.resume())


def _measure(kind: str, as_json: bool) -> None:
    from serve.commands import monitoring

    text, red = monitoring.measure(kind, as_json=as_json)
    print_line(text)
    raise typer.Exit(code=int(red))
