"""What the monitor costs a server: the same photos to one that watches itself and to one that does not, in one run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx
from tqdm import tqdm

from eval.score import Number
from serve.commands.serve_bench_load import LONGEST_S, LoadPhoto
from serve.commands.serve_bench_server import ServerError, ServerProcess
from serve.monitor.fresh import LAG_S
from serve.monitor.loop import STEP_S
from vision.fields import Contract

WATCH = {"GAUGE_MONITOR": "1"}
MEASURES_S, LOOK_S = 1800.0, 2.0
IDLE_S = 60.0
"""How long both servers are left alone: once a minute a golden anchor is checked."""
SETTLE_S = LAG_S + 2 * STEP_S
"""After that the monitor has looked at the last report."""


class MonitorCost(Contract):
    """Processor seconds of two servers. `off_s` and `on_s`: a request, over the same `requests` to both, until the monitor had
    looked at them all; `idle_off_s` and `idle_on_s`: a minute without requests; `measures_s`: the hourly and the daily
    measures once, with what loads for them."""

    requests: int
    off_s: Number
    on_s: Number
    idle_off_s: Number
    idle_on_s: Number
    measures_s: Number


def measure_monitor(off: ServerProcess, on: ServerProcess, photos: Sequence[LoadPhoto], requests: int) -> MonitorCost:
    """Every photo to both, one after the other; who is first changes each time. `on` runs with `WATCH`, `off` without."""
    started = on.processor_s()
    _wait_for_measures(on)
    measures_s = on.processor_s() - started
    idle = _spent((off, on), lambda: time.sleep(IDLE_S))

    def ask() -> None:
        with httpx.Client(timeout=LONGEST_S, trust_env=False) as client:
            for number in tqdm(range(requests), desc="monitor", unit="photo", disable=None):
                path = Path(photos[number % len(photos)].path)
                for server in (off, on) if number % 2 else (on, off):
                    files = {"file": (path.name, path.read_bytes(), "image/jpeg")}
                    client.post(f"{server.url}/inspect", files=files).raise_for_status()
        time.sleep(SETTLE_S)

    spent = _spent((off, on), ask)
    return MonitorCost(
        requests=requests,
        off_s=spent[0] / requests,
        on_s=spent[1] / requests,
        idle_off_s=idle[0],
        idle_on_s=idle[1],
        measures_s=measures_s,
    )


def monitor_text(cost: MonitorCost) -> str:
    """What was measured, in a line."""
    return (
        f"the monitor over {cost.requests} requests to a server with it and one without, in turn: "
        f"{1000 * cost.off_s:.1f} ms of the processor a request without, {1000 * cost.on_s:.1f} with it; "
        f"a minute without requests {cost.idle_off_s:.2f} s and {cost.idle_on_s:.2f} s; "
        f"hourly and daily measures once: {cost.measures_s:.0f} s"
    )


def _spent(servers: tuple[ServerProcess, ServerProcess], work: Callable[[], None]) -> tuple[float, float]:
    """Processor seconds of both while something is done."""
    before = [server.processor_s() for server in servers]
    work()
    first, second = (server.processor_s() - was for server, was in zip(servers, before, strict=True))
    return first, second


def _wait_for_measures(server: ServerProcess) -> None:
    """The first hourly and daily measures come with the start, and would be counted as the requests' cost."""
    until = time.monotonic() + MEASURES_S
    with httpx.Client(timeout=LONGEST_S, trust_env=False) as client:
        while time.monotonic() < until:
            told = client.get(f"{server.url}/monitor/status").raise_for_status().json()
            if told["hourly"] is not None and told["daily"] is not None:
                return
            time.sleep(LOOK_S)
    raise ServerError(f"the monitor had not measured after {MEASURES_S:.0f} s:\n{server.log_tail()}")
