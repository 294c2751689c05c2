"""Runs the bench of the server in a folder of its own, with the settings of the environment but for what would slow it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from serve.commands.serve_bench import load_server, measure_load, measure_memory, write_photos
from serve.commands.serve_bench_load import LoadPhoto
from serve.commands.serve_bench_monitor import WATCH, MonitorCost, measure_monitor
from serve.commands.serve_bench_overhead import measure_overhead
from serve.commands.serve_bench_server import ServerProcess, start_server
from serve.commands.serve_bench_text import ServeBench
from vision.fields import Contract

DIALS, MIXED_ROUNDS, WARM_UP = 12, 3, 4
ROOMY = {"GAUGE_RATE_LIMIT": "1000000/minute", "GAUGE_QUOTA_PHOTOS": "1000000", "GAUGE_QUOTA_MIB": "1000000"}
"""The server's limits would answer the bench's clients with 429."""


class ServeOptions(Contract):
    """What to measure: clients, requests for each, photos by three ways, requests over which memory is watched, requests to a
    server with the monitor and to one without."""

    clients: tuple[int, ...]
    requests: int
    overhead: int
    memory: int
    monitor: int = 0


def run_serve_bench(options: ServeOptions) -> ServeBench:
    """Everything that `options` asks for, against one server process that starts and ends here."""
    with tempfile.TemporaryDirectory(prefix="gauge-bench-") as folder:
        home = Path(folder) / "home"
        started = time.perf_counter()
        server = start_server(home, environment=ROOMY)
        try:
            server.wait_until_ready()
            return _measure(options, server, Path(folder), time.perf_counter() - started)
        finally:
            server.stop()


def _measure(options: ServeOptions, server: ServerProcess, folder: Path, start_s: float) -> ServeBench:
    from serve.service import open_service
    from serve.settings import load_settings

    mixed, dials = write_photos(folder / "photos", MIXED_ROUNDS, DIALS)
    load_server(server, dials, clients=1, requests=WARM_UP, label="warm-up")
    bench = ServeBench(start_s=start_s, threads=_threads())
    if options.overhead:
        service = open_service(load_settings().model_copy(update={"home": folder / "own"}))
        rounds, rest = divmod(options.overhead, len(dials))
        chosen = dials if rounds else dials[:rest]
        bench = bench.model_copy(update={"overhead": measure_overhead(server, service, chosen, max(1, rounds))})
    if options.requests:
        loads = tuple(measure_load(server, dials, clients, options.requests) for clients in options.clients)
        bench = bench.model_copy(update={"loads": loads})
    if options.memory:
        bench = bench.model_copy(update={"memory": measure_memory(server, mixed, options.memory)})
    if options.monitor:
        bench = bench.model_copy(update={"monitor": _measure_monitor(server, folder, dials, options.monitor)})
    return bench


def _measure_monitor(server: ServerProcess, folder: Path, dials: Sequence[LoadPhoto], requests: int) -> MonitorCost:
    watched = start_server(folder / "watched", environment={**ROOMY, **WATCH})
    try:
        watched.wait_until_ready()
        load_server(watched, dials, clients=1, requests=WARM_UP, label="warm-up")
        return measure_monitor(server, watched, dials, requests)
    finally:
        watched.stop()


def _threads() -> str:
    import os

    import torch

    return f"{torch.get_num_threads()} of {os.cpu_count()} cores"
