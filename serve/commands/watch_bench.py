"""`gauge bench cameras`: a week of cameras through measured errors; alarms and values beside those of the raw readings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from serve.cameras.events import CameraEvent
from serve.cameras.plausible import Seen
from serve.cameras.registry import Camera
from serve.cameras.track import Shot, Track
from serve.commands.watch_bench_frames import FrameError, MeasuredErrors, measure_errors
from serve.commands.watch_bench_week import LIMIT, Plant, WeekOptions, see_plant, simulate_plant
from vision.fields import Contract, Finite

WRONG = 0.05
"""A reading this much of the scale off is a wrong one; a healthy gauge of class 2.5 is off by half of that at the most."""
NEAR, LATE_S = 0.02, 600.0
"""An alarm is right where the process was this close to its limit within the last ten minutes."""


class Side(Contract):
    """One way to use the readings. `stated` values of all frames; `wrong` of them off by more than 5 % of the scale."""

    stated: int
    wrong: int
    worst: Finite | None
    inside: Finite | None
    """Share of stated values whose interval holds the needle's true place."""
    alarms: int
    wrong_alarms: int
    missed: int


class WeekScore(Contract):
    """A simulated week: all cameras together."""

    persist: Finite
    frames: int
    rises: int
    raw: Side
    kept: Side
    wrong_read: int
    wrong_held: int
    right_held: int
    stuck: int
    stuck_found: int
    stuck_false: int


class CameraBench(Contract):
    """The whole bench: what was measured, and weeks by how long errors stay."""

    measured: MeasuredErrors
    cameras: int
    days: Finite
    every_s: Finite
    weeks: tuple[WeekScore, ...]


def run_camera_bench(
    *, dials: int, frames: int, days: float, every_s: float, errors: Path | None, keep: Path | None, weights: str | None
) -> CameraBench:
    """Measure the reader's errors, or take those of a file, and simulate. Raises the file's and the weights' errors."""
    if errors is not None:
        measured = MeasuredErrors.model_validate_json(errors.read_text(encoding="utf-8"))
    else:
        from serve.service import open_service

        measured = measure_errors(open_service(weights=weights), dials, frames)
    if keep is not None:
        keep.write_text(measured.model_dump_json() + "\n", encoding="utf-8")
    options = [WeekOptions(days=days, every_s=every_s, persist=persist) for persist in (1.0, 5.0)]
    weeks = tuple(score_week(measured.frames, one) for one in options)
    return CameraBench(measured=measured, cameras=options[0].cameras, days=days, every_s=every_s, weeks=weeks)


def score_week(frames: Sequence[FrameError], options: WeekOptions) -> WeekScore:
    """Simulate a week and count. Camera n has the errors of one dial; dials are used in turn."""
    by_dial: dict[int, list[FrameError]] = defaultdict(list)
    for frame in frames:
        by_dial[frame.dial].append(frame)
    dials = [by_dial[number] for number in sorted(by_dial)]
    parts = []
    for number in range(options.cameras):
        rng = np.random.default_rng([options.seed, number])
        plant = simulate_plant(rng, options, sticks=number < options.stuck)
        parts.append(_score_camera(plant, see_plant(rng, plant, dials[number % len(dials)], options.persist), options))
    return _sum(parts, options.persist)


def bench_camera(every_s: float) -> Camera:
    """The settings of the bench's cameras: what somebody who knows the process would write."""
    return Camera.model_validate(
        {
            "name": "bench",
            "source": "http://bench/",
            "every_s": every_s,
            "frozen_after_s": 0,
            # A true rise takes twenty minutes for 0.4 of the scale; the instrument shows no less than its stop.
            "limits": {"low": -0.05, "high": 1.05, "most_per_min": 0.05, "stuck_after_s": 7200, "stuck_within": 0.03},
            "smoothing": {"frames": 5, "seconds": 6 * every_s},
            "alarm": [
                {"name": "high", "above": LIMIT, "for_s": 2 * every_s, "hysteresis": 0.03},
                {"name": "stuck", "stuck": True},
            ],
        }
    )


def _score_camera(plant: Plant, seen: Sequence[Seen | None], options: WeekOptions) -> WeekScore:
    track = Track(bench_camera(options.every_s))
    events = [
        track.take(Shot(at_s, at_s, one, reason=None if one is not None else "not read"))
        for at_s, one in zip(plant.at_s.tolist(), seen, strict=True)
    ]
    off = [None if one is None else abs(one.value - true) for one, true in zip(seen, plant.needle.tolist(), strict=True)]
    wrong = [one is not None and one > WRONG for one in off]
    held = [event.status == "held" for event in events]
    stuck_on = [event.at for event in events for change in event.changes if (change.name, change.to) == ("stuck", "on")]
    found = plant.stuck is not None and any(plant.stuck[0] <= at <= plant.stuck[1] for at in stuck_on)
    outside = [at for at in stuck_on if plant.stuck is None or not plant.stuck[0] <= at <= plant.stuck[1] + LATE_S]
    rises = _rises(plant)
    raw = [None if one is None else (one.value, one.low, one.high) for one in seen]
    stated = [_stated(event) for event in events]
    return WeekScore(
        persist=options.persist,
        frames=len(seen),
        rises=len(rises),
        raw=_side(plant, raw, _raw_alarms(plant, seen), rises),
        kept=_side(plant, stated, _alarms(events), rises),
        wrong_read=sum(wrong),
        wrong_held=sum(w and h for w, h in zip(wrong, held, strict=True)),
        right_held=sum(h and not w for w, h in zip(wrong, held, strict=True)),
        stuck=int(plant.stuck is not None),
        stuck_found=int(found),
        stuck_false=len(outside),
    )


def _stated(event: CameraEvent) -> tuple[float, float, float] | None:
    if event.value is None or event.low is None or event.high is None:
        return None
    return event.value, event.low, event.high


Run = tuple[float, float]
Stated = tuple[float, float, float]


def _side(plant: Plant, stated: Sequence[Stated | None], alarms: Sequence[Run], rises: Sequence[Run]) -> Side:
    pairs = [(one, true) for one, true in zip(stated, plant.needle.tolist(), strict=True) if one is not None]
    off = [abs(one[0] - true) for one, true in pairs]
    inside = [one[1] <= true <= one[2] for one, true in pairs]
    high = plant.process >= LIMIT - NEAR
    wrong_alarms = 0
    for begin, _ in alarms:
        recent = (plant.at_s <= begin) & (plant.at_s >= begin - LATE_S)
        wrong_alarms += not bool(high[recent].any())
    missed = sum(not any(begin <= last and end >= first for begin, end in alarms) for first, last in rises)
    return Side(
        stated=len(pairs),
        wrong=sum(one > WRONG for one in off),
        worst=max(off, default=None),
        inside=sum(inside) / len(inside) if inside else None,
        alarms=len(alarms),
        wrong_alarms=wrong_alarms,
        missed=missed,
    )


def _rises(plant: Plant) -> list[tuple[float, float]]:
    """First and last moment of each time that the process was above its limit."""
    return _runs(plant.at_s.tolist(), (plant.process > LIMIT).tolist())


def _raw_alarms(plant: Plant, seen: Sequence[Seen | None]) -> list[tuple[float, float]]:
    """Alarms of who believes each reading: on above the limit, off below it, unchanged where nothing was read."""
    on, states = False, []
    for one in seen:
        on = on if one is None else one.value > LIMIT
        states.append(on)
    return _runs(plant.at_s.tolist(), states)


def _alarms(events: Sequence[CameraEvent]) -> list[tuple[float, float]]:
    return _runs([event.at for event in events], [event.alarms["high"] for event in events])


def _runs(at_s: Sequence[float], states: Sequence[bool]) -> list[tuple[float, float]]:
    runs: list[tuple[float, float]] = []
    begin: float | None = None
    last = 0.0
    for at, on in zip(at_s, states, strict=True):
        if on and begin is None:
            begin = at
        if not on and begin is not None:
            runs.append((begin, last))
            begin = None
        last = at
    return runs if begin is None else [*runs, (begin, last)]


def _sum(parts: Sequence[WeekScore], persist: float) -> WeekScore:
    counts = ("frames", "rises", "wrong_read", "wrong_held", "right_held", "stuck", "stuck_found", "stuck_false")
    return WeekScore(
        persist=persist,
        raw=_sum_sides([part.raw for part in parts]),
        kept=_sum_sides([part.kept for part in parts]),
        **{name: sum(getattr(part, name) for part in parts) for name in counts},
    )


def _sum_sides(sides: Sequence[Side]) -> Side:
    stated = sum(side.stated for side in sides)
    inside = sum((side.inside or 0.0) * side.stated for side in sides)
    counts = {name: sum(getattr(side, name) for side in sides) for name in ("wrong", "alarms", "wrong_alarms", "missed")}
    worst = max((side.worst for side in sides if side.worst is not None), default=None)
    return Side(stated=stated, worst=worst, inside=inside / stated if stated else None, **counts)


def bench_text(bench: CameraBench) -> str:
    """The bench as Markdown."""
    frames = bench.measured.frames
    read = [one for one in frames if one.error is not None]
    wrong = sum(abs(one.error or 0.0) > WRONG for one in read)
    lines = [
        f"Reader {bench.measured.weights}: {len(frames)} drawn frames of {len({one.dial for one in frames})} dials, "
        f"{len(read)} read, {wrong} of them off by more than {WRONG:.0%} of the scale.",
        f"{bench.cameras} cameras, {bench.days:g} days, a frame every {bench.every_s:g} s, errors drawn from those frames.",
        "",
        "| errors stay (frames) | | values stated | off by > 5 % | worst | interval right | alarms | wrong alarms | missed of |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for week in bench.weeks:
        for name, side in (("raw readings", week.raw), ("held and smoothed", week.kept)):
            worst = "-" if side.worst is None else f"{side.worst:.0%}"
            inside = "-" if side.inside is None else f"{side.inside:.1%}"
            lines.append(
                f"| {week.persist:g} | {name} | {side.stated} of {week.frames} | {side.wrong} | {worst} | {inside} "
                f"| {side.alarms} | {side.wrong_alarms} | {side.missed} of {week.rises} |"
            )
    for week in bench.weeks:
        lines.append(
            f"\nErrors stay {week.persist:g}: of {week.wrong_read} wrong readings {week.wrong_held} were held back, and "
            f"{week.right_held} right ones; of {week.stuck} stuck needles {week.stuck_found} were told, {week.stuck_false} "
            "times one was told that was not stuck."
        )
    return "\n".join(lines)
