"""What the service costs beside the reading itself: the same photos by three ways in turn, in one run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import httpx
from tqdm import tqdm

from eval.score import Number, median
from serve.commands.serve_bench_load import LONGEST_S, LoadPhoto
from serve.commands.serve_bench_server import ServerProcess
from serve.service import Service
from vision.fields import Contract

T = TypeVar("T")
TARGET = 0.10


class Way(Contract):
    """Seconds a photo by one way: medians of the clock and of the processor."""

    clock_s: Number
    processor_s: Number


class Overhead(Contract):
    """The same photos, each by all ways one after the other: `reader` reads alone, `inspection` reads and reports in one
    process, `http` asks a server process, whose processor time counts.

    `door` is what HTTP and the store add to an inspection, `service` what all of it adds to the bare reader: medians over
    the photos of the extra share, by the clock and by the processor.
    """

    photos: int
    reader: Way
    inspection: Way
    http: Way
    door_clock: Number
    door_processor: Number
    service_clock: Number
    service_processor: Number


class Spent(NamedTuple):
    """Seconds of the clock and of the processor that one photo took by one way."""

    clock_s: float
    processor_s: float


def measure_overhead(server: ServerProcess, service: Service, photos: Sequence[LoadPhoto], rounds: int) -> Overhead:
    """Each photo `rounds` times by all three ways; who begins changes with every turn, so that none is always the warm one.

    `service` is one in this process, of the same settings as the server's, so that both read with as many threads.
    """
    spent: dict[str, list[Spent]] = {"reader": [], "inspection": [], "http": []}
    with httpx.Client(timeout=LONGEST_S, trust_env=False) as client:
        ways: dict[str, Callable[[bytes, str], Spent]] = {
            "reader": lambda data, name: _here(lambda: list(service.read_photos([data], names=[name]))),
            "inspection": lambda data, name: _here(lambda: list(service.inspect_photos([data], names=[name]))),
            "http": lambda data, name: _there(server, client, data, name),
        }
        turns = [(Path(photo.path), turn) for turn in range(rounds) for photo in photos]
        first = turns[0][0]
        for way in ways.values():  # Whatever loads at the first photo is not counted.
            way(first.read_bytes(), first.name)
        for number, (path, _) in enumerate(tqdm(turns, desc="overhead", unit="photo", disable=None)):
            names = list(ways)
            for name in names[number % 3 :] + names[: number % 3]:
                spent[name].append(ways[name](path.read_bytes(), path.name))
    return overhead_of(spent)


def overhead_of(spent: dict[str, list[Spent]]) -> Overhead:
    """Medians by way, and of the extra shares photo by photo."""
    reader, inspection, http = spent["reader"], spent["inspection"], spent["http"]
    return Overhead(
        photos=len(reader),
        reader=_way(reader),
        inspection=_way(inspection),
        http=_way(http),
        door_clock=_extra(http, inspection, "clock_s"),
        door_processor=_extra(http, inspection, "processor_s"),
        service_clock=_extra(http, reader, "clock_s"),
        service_processor=_extra(http, reader, "processor_s"),
    )


def _extra(more: Sequence[Spent], less: Sequence[Spent], field: str) -> float:
    return median([getattr(one, field) / getattr(other, field) - 1.0 for one, other in zip(more, less, strict=True)])


def _way(spent: Sequence[Spent]) -> Way:
    return Way(clock_s=median([one.clock_s for one in spent]), processor_s=median([one.processor_s for one in spent]))


def _here(work: Callable[[], T]) -> Spent:
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - clock, time.process_time() - processor)


def _there(server: ServerProcess, client: httpx.Client, data: bytes, name: str) -> Spent:
    clock, processor = time.perf_counter(), server.processor_s()
    client.post(f"{server.url}/inspect", files={"file": (name, data, "image/jpeg")}).raise_for_status()
    return Spent(time.perf_counter() - clock, server.processor_s() - processor)
