"""`gauge bench serve`: a real server on a free port under a number of clients; its speed, its memory, what the door costs."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np
from tqdm import tqdm

from eval.score import NAN, Number, median, percentile
from serve.commands.serve_bench_load import Answered, LoadOrder, LoadPhoto
from serve.commands.serve_bench_server import ServerProcess
from vision.fields import Contract

BLOCKS = 20
"""Parts of the run whose mean memory makes one point of the slope: neighbours within a part are not independent."""
STUDENT_T_18 = 2.100922
"""Quantile 0.975 of Student's t with 18 degrees of freedom: 20 points, a line through them."""
WARM_SHARE = 0.2
LOAD_MODULE = "serve.commands.serve_bench_load"


class Load(Contract):
    """One number of clients: answers a second on the clock, seconds of an answer, processor seconds of the server a request.

    `failed` counts answers that were not the expected ones, `statuses` all of them by their number.
    """

    clients: int
    requests: int
    failed: int
    statuses: dict[int, int]
    per_second: Number
    p50_s: Number
    p95_s: Number
    p99_s: Number
    processor_s: Number


class Memory(Contract):
    """Resident memory of the server (MiB) over many requests.

    `slope` is MiB per 1,000 requests with its 95 % interval, by least squares over the means of 20 parts of the run; the
    first fifth, in which caches fill, is left out. NaN where there were too few requests.
    """

    requests: int
    failed: int
    statuses: dict[int, int]
    at_start_mib: float
    at_end_mib: float
    most_mib: float
    slope: Number
    slope_low: Number
    slope_high: Number
    samples: tuple[tuple[int, float], ...]


def load_server(
    server: ServerProcess,
    photos: Sequence[LoadPhoto],
    *,
    clients: int,
    requests: int,
    label: str,
    seen: Callable[[Answered], None] | None = None,
) -> list[Answered]:
    """The answers of `requests` requests by `clients` clients in a process of their own, in the order they came."""
    order = LoadOrder(url=f"{server.url}/inspect", clients=clients, requests=requests, photos=tuple(photos))
    command = [sys.executable, "-m", LOAD_MODULE]
    answers = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:  # noqa: S603
        assert process.stdin is not None and process.stdout is not None  # noqa: PT018 - both were asked for
        process.stdin.write(order.model_dump_json())
        process.stdin.close()
        for answer in tqdm(_answers(process.stdout), total=requests, desc=label, unit="request", disable=None):
            answers.append(answer)
            if seen is not None:
                seen(answer)
    if process.returncode or len(answers) != requests:
        raise RuntimeError(f"the clients ended with code {process.returncode} after {len(answers)} of {requests} answers")
    return answers


def measure_load(server: ServerProcess, photos: Sequence[LoadPhoto], clients: int, requests: int) -> Load:
    """Throughput and latencies at a number of clients."""
    before = server.processor_s()
    answers = load_server(server, photos, clients=clients, requests=requests, label=f"{clients} clients")
    return load_of(answers, clients, server.processor_s() - before)


def load_of(answers: Sequence[Answered], clients: int, processor_s: float) -> Load:
    """What the answers say. Latencies are of the expected answers alone: a quick refusal is no fast answer."""
    took = [one.took_s for one in answers if one.expected]
    ends = max((one.sent_s + one.took_s for one in answers), default=NAN) - min((one.sent_s for one in answers), default=NAN)
    return Load(
        clients=clients,
        requests=len(answers),
        failed=sum(not one.expected for one in answers),
        statuses=_statuses(answers),
        per_second=len(took) / ends if took else NAN,
        p50_s=median(took),
        p95_s=percentile(took, 95),
        p99_s=percentile(took, 99),
        processor_s=processor_s / len(answers) if answers else NAN,
    )


def measure_memory(server: ServerProcess, photos: Sequence[LoadPhoto], requests: int, clients: int = 2) -> Memory:
    """Memory after every answer of a mix of good and bad photos."""
    samples = [(0, server.rss_mib())]
    answers = load_server(
        server,
        photos,
        clients=clients,
        requests=requests,
        label="memory",
        seen=lambda _: samples.append((len(samples), server.rss_mib())),
    )
    return memory_of(answers, samples)


def memory_of(answers: Sequence[Answered], samples: Sequence[tuple[int, float]]) -> Memory:
    """What the samples (requests answered, MiB) say."""
    slope, low, high = slope_of(samples)
    return Memory(
        requests=len(answers),
        failed=sum(not one.expected for one in answers),
        statuses=_statuses(answers),
        at_start_mib=samples[0][1],
        at_end_mib=samples[-1][1],
        most_mib=max(mib for _, mib in samples),
        slope=slope,
        slope_low=low,
        slope_high=high,
        samples=tuple(samples),
    )


def slope_of(samples: Sequence[tuple[int, float]]) -> tuple[float, float, float]:
    """MiB per 1,000 requests with its 95 % interval (Student's t over the parts' means); NaN below 10 samples a part."""
    kept = np.asarray(samples, dtype=float)[int(WARM_SHARE * len(samples)) :]
    if len(kept) < 10 * BLOCKS:
        return NAN, NAN, NAN
    parts = np.array([part.mean(axis=0) for part in np.array_split(kept, BLOCKS)])
    x, y = (column - column.mean() for column in parts.T)
    slope = float(x @ y / (x @ x))
    rest = y - slope * x
    spread = STUDENT_T_18 * float(np.sqrt(rest @ rest / (BLOCKS - 2) / (x @ x)))
    return 1000 * slope, 1000 * (slope - spread), 1000 * (slope + spread)


def _answers(lines: IO[str]) -> Iterator[Answered]:
    for line in lines:
        yield Answered.model_validate_json(line)


def _statuses(answers: Sequence[Answered]) -> dict[int, int]:
    return dict(sorted(Counter(one.status for one in answers).items()))


def write_photos(folder: Path, mixed: int, dials: int) -> tuple[tuple[LoadPhoto, ...], tuple[LoadPhoto, ...]]:
    """The mix of the memory run and the dials of the others, below `folder`."""
    from serve.commands.serve_bench_photos import dial_photos, mixed_photos

    return mixed_photos(folder / "mixed", mixed), dial_photos(folder / "dials", dials)
