"""How fast pictures are drawn: milliseconds a picture of the flat renderer by stage, CPU seconds and memory of Blender."""

from __future__ import annotations

import resource
import statistics
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from synth.errors import SynthError
from synth.recipe import load_recipe
from synth.sampler import scene_of_seed

FIRST_SEED = 700_000
WARM_UP = 40
"""Pictures drawn before the clock runs: fonts, tables, noise and backgrounds are made once a process."""


@dataclass(frozen=True, slots=True)
class FlatSpeed:
    """CPU milliseconds a picture on one core, once warm: medians of the stages, more of the drawing and of the whole."""

    pictures: int
    size_px: int
    sample_ms: float
    render_ms: float
    truth_ms: float
    encode_ms: float
    median_ms: float
    p95_ms: float
    render_mean_ms: float = 0.0
    render_p95_ms: float = 0.0
    mean_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class BlenderSpeed:
    """CPU seconds a picture, of Blender's process and ours together, and its resident memory after the first and last."""

    pictures: int
    size_px: int
    median_cpu_s: float
    first_rss_mib: float
    last_rss_mib: float


@dataclass(frozen=True, slots=True)
class SynthSpeed:
    """What `gauge bench synth` prints; `blender_skipped` says why there are no figures of Blender."""

    recipe: str
    flat: FlatSpeed
    blender: BlenderSpeed | None
    blender_skipped: str | None


def measure_synth(recipe: str, count: int, home: Path, blender_count: int) -> SynthSpeed:
    """Time `count` pictures of the flat renderer and `blender_count` of Blender, 0 for none."""
    flat = measure_flat(recipe, count)
    if blender_count < 1:
        return SynthSpeed(recipe, flat, None, "not asked for")
    try:
        return SynthSpeed(recipe, flat, measure_blender(recipe, blender_count, home), None)
    except SynthError as error:
        return SynthSpeed(recipe, flat, None, str(error))


def measure_flat(recipe: str, count: int) -> FlatSpeed:
    """Time the flat renderer at the recipe's size. `render_ms` includes the camera."""
    from synth.flat import render
    from synth.flat.background import prepare
    from synth.pictures import encode_jpeg

    chosen = load_recipe(recipe)
    prepare()
    rows: list[tuple[float, float, float, float]] = []
    for index in range(WARM_UP + count):
        t0 = time.process_time()
        scene = scene_of_seed(FIRST_SEED + index, chosen)
        t1 = time.process_time()
        picture = render(scene)
        t2 = time.process_time()
        scene.truth()
        t3 = time.process_time()
        encode_jpeg(picture, 92)
        t4 = time.process_time()
        if index >= WARM_UP:
            rows.append((t1 - t0, t2 - t1, t3 - t2, t4 - t3))
    whole = sorted(1000 * sum(row) for row in rows)
    sample, drawn, truth, encoded = (round(1000 * statistics.median(stage), 2) for stage in zip(*rows, strict=True))
    return FlatSpeed(
        count,
        chosen.size,
        sample,
        drawn,
        truth,
        encoded,
        median_ms=round(statistics.median(whole), 2),
        p95_ms=_p95(whole),
        render_mean_ms=round(1000 * statistics.fmean(row[1] for row in rows), 2),
        render_p95_ms=_p95(sorted(1000 * row[1] for row in rows)),
        mean_ms=round(statistics.fmean(whole), 2),
    )


def _p95(ordered: list[float]) -> float:
    return round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 2)


def measure_blender(recipe: str, count: int, home: Path) -> BlenderSpeed:
    """Time Blender's worker. Raises BlenderError where it is not installed."""
    from synth.blender import BlenderRenderer

    chosen = load_recipe(recipe)
    seconds: list[float] = []
    memory: list[float] = []
    with BlenderRenderer(home) as blender:
        for index in range(count + 1):
            own, theirs = time.process_time(), _process_seconds(blender.worker_pid)
            blender.render(scene_of_seed(FIRST_SEED + index, chosen))
            spent = time.process_time() - own + _process_seconds(blender.worker_pid) - theirs
            if index:  # the first one starts the process
                seconds.append(spent)
                memory.append(_resident_mib(blender.worker_pid))
    return BlenderSpeed(count, chosen.size, round(statistics.median(seconds), 3), memory[0], memory[-1])


def _process_seconds(pid: int | None) -> float:
    """CPU seconds of another process; 0 where the system does not say."""
    stat = Path(f"/proc/{pid}/stat")
    if pid is None or not stat.exists():
        return 0.0
    user, system = stat.read_text().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / _ticks()


def _ticks() -> int:
    import os

    return os.sysconf("SC_CLK_TCK")


def _resident_mib(pid: int | None) -> float:
    status = Path(f"/proc/{pid}/statm")
    if pid is None or not status.exists():
        return float("nan")
    return round(int(status.read_text().split()[1]) * resource.getpagesize() / 2**20, 1)


def speed_text(speed: SynthSpeed) -> str:
    """The figures for people."""
    flat = speed.flat
    lines = [
        f"flat, recipe {speed.recipe}, {flat.pictures} pictures of {flat.size_px} px, one core:",
        f"  render and camera: median {flat.render_ms}, mean {flat.render_mean_ms}, 95th percentile {flat.render_p95_ms} ms",
        f"  sample {flat.sample_ms}, render {flat.render_ms}, truth {flat.truth_ms}, JPEG {flat.encode_ms} ms (medians)",
        f"  all: median {flat.median_ms}, mean {flat.mean_ms}, 95th percentile {flat.p95_ms} ms a picture",
    ]
    if speed.blender is None:
        return "\n".join([*lines, f"blender: skipped, {speed.blender_skipped}"])
    blender = speed.blender
    return "\n".join(
        [
            *lines,
            f"blender, {blender.pictures} pictures of {blender.size_px} px: median {blender.median_cpu_s} CPU s a picture, "
            f"resident {blender.first_rss_mib} MiB after the first, {blender.last_rss_mib} MiB after the last",
        ]
    )


def speed_record(speed: SynthSpeed) -> dict[str, object]:
    """The figures as plain data for JSON."""
    return asdict(speed)
