"""`gauge bench serve`: the command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from serve.commands.console import plain_errors, print_line
from serve.commands.options import Json


@plain_errors
def serve(
    clients: Annotated[
        list[int] | None, typer.Option("--clients", min=1, help="Clients at the same time; repeatable.", show_default="1, 4, 16")
    ] = None,
    requests: Annotated[int, typer.Option("--requests", min=0, help="Requests at each number of clients; 0 for none.")] = 48,
    overhead: Annotated[
        int, typer.Option("--overhead", min=0, help="Photos by reader, report and HTTP in turn; 0 for none.")
    ] = 12,
    memory: Annotated[int, typer.Option("--memory", min=0, help="Requests over which memory is watched; 0 for none.")] = 0,
    monitor: Annotated[
        int, typer.Option("--monitor", min=0, help="Requests with and without GAUGE_MONITOR in turn; 0 for none.")
    ] = 0,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder for JSON, tables and plots.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Load a server of its own: answers a second, seconds of an answer, what service and monitor add, memory."""
    from serve.commands.serve_bench_run import ServeOptions, run_serve_bench
    from serve.commands.serve_bench_text import serve_text, write_bench

    options = ServeOptions(
        clients=tuple(clients or (1, 4, 16)), requests=requests, overhead=overhead, memory=memory, monitor=monitor
    )
    bench = run_serve_bench(options)
    if out is not None:
        write_bench(bench, out)
    print_line(bench.model_dump_json() if as_json else serve_text(bench))
