"""`gauge bench batch`: photos by the bare reader and by batches, their rates, processor time and memory, in one run."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil

from eval.score import NAN, Number
from serve.batch.journal import Journal
from serve.batch.pool import PoolEngine, available_cores
from serve.batch.rows import Row
from serve.batch.run import Batch
from serve.batch.sources import Found, look_at
from serve.batch.stage import Engine, Stage, Task
from serve.commands.batch_bench_kills import Kills, try_kills
from serve.commands.batch_bench_stage import LIGHT
from serve.commands.serve_bench import slope_of
from vision.fields import Contract

MIB = 2**20
WARM_UP = 2


class BatchOptions(Contract):
    """What to measure: photos, numbers of workers, the same by Ray, kills, and whether a stage without a model reads."""

    photos: int = 40
    workers: tuple[int, ...] = (1, 2)
    ray: bool = False
    kills: int = 0
    light: bool = False
    weights: str | None = None


class Speed(Contract):
    """One way through all photos: seconds on the clock and of the processor (all processes), without loading the reader.

    `memory` is MiB of all processes at the end, `slope` MiB per 1,000 photos with its 95 % interval, NaN below 250 photos.
    `same` says whether the rows are those of the first batch.
    """

    name: str
    workers: int
    wall_s: Number
    processor_s: Number
    memory_mib: Number = NAN
    slope: Number = NAN
    slope_low: Number = NAN
    slope_high: Number = NAN
    same: bool | None = None


class BatchBench(Contract):
    """What was measured: on how many cores, under what load (average of a minute, before), over how many photos."""

    photos: int
    cores: int
    load: float
    light: bool
    speeds: tuple[Speed, ...] = ()
    kills: Kills | None = None


def run_batch_bench(options: BatchOptions) -> BatchBench:
    """Everything that `options` asks for, over drawn dials in a folder of its own."""
    load = os.getloadavg()[0]
    with TemporaryDirectory(prefix="gauge-bench-") as name:
        folder = Path(name)
        photos = draw_photos(folder / "photos", options.photos)
        stage = Stage(weights=options.weights) if not options.light else Stage(opener=LIGHT)
        found = Found(photos=[look_at(str(path)) for path in photos])
        speeds = [measure_bare(stage, photos)]
        first: list[Row] | None = None
        for workers in options.workers:
            speed, rows = measure_pool(stage, found, workers, folder / f"pool-{workers}")
            speeds.append(speed.model_copy(update={"same": first is None or rows == first}))
            first = first or rows
        if options.ray:
            speed, rows = measure_ray(stage, found, max(options.workers), folder / "ray")
            speeds.append(speed.model_copy(update={"same": first is None or rows == first}))
        kills = try_kills(folder, options.kills, ray=options.ray) if options.kills else None
    return BatchBench(
        photos=len(photos), cores=available_cores(), load=load, light=options.light, speeds=tuple(speeds), kills=kills
    )


def draw_photos(folder: Path, count: int) -> list[Path]:
    """Drawn dials, each another one."""
    from serve.commands.serve_bench_photos import dial_photos

    return [Path(photo.path) for photo in dial_photos(folder, count)]


def measure_bare(stage: Stage, photos: Sequence[Path]) -> Speed:
    """The reader alone in this process, without processes, journal and table."""
    read = stage.open()
    tasks = [Task(number, str(path), str(path)) for number, path in enumerate(photos)]
    for _ in read(tasks[:WARM_UP]):
        pass
    wall, processor = time.perf_counter(), time.process_time()
    for _ in read(tasks):
        pass
    return Speed(name="bare reader", workers=1, wall_s=time.perf_counter() - wall, processor_s=time.process_time() - processor)


def measure_pool(stage: Stage, found: Found, workers: int, place: Path) -> tuple[Speed, list[Row]]:
    """A batch by worker processes, from the moment that all have their reader to the written table."""
    with PoolEngine(stage, workers) as engine:
        engine.start()
        for _ in engine.read(_warm_up(found, workers), WARM_UP * workers):
            pass
        others = [psutil.Process(pid) for pid in engine.pids]
        return _measure(f"batch, {workers} workers", workers, found, engine, place, others)


def measure_ray(stage: Stage, found: Found, workers: int, place: Path) -> tuple[Speed, list[Row]]:
    """A batch by Ray on this machine; its clock runs from the first reading on, its processor time is not known here."""
    from serve.batch.ray_engine import RayEngine

    with RayEngine(stage, workers, None) as engine:
        speed, rows = _measure(f"Ray, {workers} workers", workers, found, engine, place, [], from_first=True)
    return speed.model_copy(update={"processor_s": NAN, "memory_mib": NAN}), rows


def _warm_up(found: Found, workers: int) -> Iterator[Task]:
    for number in range(WARM_UP * workers):
        photo = found.photos[number % len(found.photos)]
        yield Task(-1 - number, photo.path, photo.name)


def _measure(
    name: str, workers: int, found: Found, engine: Engine, place: Path, others: Sequence[psutil.Process], from_first: bool = False
) -> tuple[Speed, list[Row]]:
    place.mkdir(parents=True)
    everyone = [psutil.Process(), *others]
    samples: list[tuple[int, float]] = []
    first_s: list[float] = []

    def watch(now: Any) -> None:
        if now.done and not first_s:
            first_s.append(time.perf_counter())
        samples.append((now.done, sum(one.memory_info().rss for one in everyone) / MIB))

    with Journal(place / "journal", {}) as journal:
        batch = Batch(found, journal, place / "table.parquet")
        before, wall = _processor_s(everyone), time.perf_counter()
        batch.run(engine, watch)
        end = time.perf_counter()
        processor_s = _processor_s(everyone) - before
        rows = list(batch.rows())
    if from_first and len(found.photos) > 1:  # Starting the actors is no part of reading: the rate of the rest, for all.
        wall_s = (end - first_s[0]) * len(found.photos) / (len(found.photos) - 1)
    else:
        wall_s = end - wall
    slope, low, high = slope_of(samples)
    return Speed(
        name=name,
        workers=workers,
        wall_s=wall_s,
        processor_s=processor_s,
        memory_mib=samples[-1][1],
        slope=slope,
        slope_low=low,
        slope_high=high,
    ), rows


def _processor_s(processes: Sequence[psutil.Process]) -> float:
    return sum(one.cpu_times().user + one.cpu_times().system for one in processes)


def bench_text(bench: BatchBench) -> str:
    """The bench as lines for people."""
    reader = "a stage without a model" if bench.light else "the reader"
    lines = [f"{bench.photos} drawn photos, {reader}, {bench.cores} cores, load {bench.load:.1f} before"]
    bare = bench.speeds[0]
    single = next((one for one in bench.speeds[1:] if one.workers == 1), None)
    for one in bench.speeds:
        parts = [f"{bench.photos / one.wall_s:.2f} photos/s"]
        if one.processor_s == one.processor_s:
            parts.append(f"{1000 * one.processor_s / bench.photos:.1f} ms of processor a photo")
        if one is not bare:
            if one.processor_s == one.processor_s:
                parts.append(f"processor {100 * (one.processor_s / bare.processor_s - 1):+.1f} %")
            parts.append(f"{bare.wall_s / one.wall_s:.2f} times the bare reader")
        if single is not None and one.workers > 1:
            parts.append(f"{single.wall_s / one.wall_s:.2f} times one worker")
        if one.memory_mib == one.memory_mib:
            parts.append(f"{one.memory_mib:.0f} MiB")
        if one.slope == one.slope:
            parts.append(f"{one.slope:+.1f} MiB per 1,000 photos ({one.slope_low:+.1f} to {one.slope_high:+.1f})")
        if one.same is not None:
            parts.append("same rows" if one.same else "OTHER ROWS")
        lines.append(f"{one.name}: {', '.join(parts)}")
    if bench.kills is not None:
        kills = bench.kills
        who = ", ".join(f"{count} {name}" for name, count in kills.victims.items())
        harm = f"{kills.lost} photos lost, {kills.doubled} doubled, {kills.changed} changed"
        lines.append(f"{sum(kills.victims.values())} kills ({who}) over {kills.batches} batches: {harm}")
    return "\n".join(lines)
