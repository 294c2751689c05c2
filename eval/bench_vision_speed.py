"""How long reading takes, warm and on one core, on drawn pictures: one crop without and with its witnesses, a panel of four.

Seconds are those of the processor (`time.process_time`), so that other work on the machine does not count. Stages are
their shares of a photo's time on the clock.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from eval.bench import one_thread
from eval.score import Number, median, percentile
from eval.sweep_scenes import SIDE_PX, dial_scene, sweep_dial
from eval.sweeps import SourceReader, flat_draw, to_png
from synth.scene import GaugeScene, Placed, Pose
from vision.fields import Contract, PhotoReading

FIRST_DIAL = 500


class Seconds(Contract):
    """Median and 95th percentile in seconds over `n` photos; `instruments` were found in them at the median."""

    median_s: Number
    p95_s: Number
    n: int
    instruments: Number


class ReadingSpeed(Contract):
    """Warm reading times on one core, in seconds of the processor.

    `donut_crop`: the network's passes over one crop (all its looks, and the decoded fields); `witnessed_crop`: with the
    printed numbers and units read; both without locating. `photo`: a whole photo of one dial; `photo_of_four`: of four.
    """

    donut_crop: Seconds
    witnessed_crop: Seconds
    photo: Seconds
    photo_of_four: Seconds


def measure_reading(reader: SourceReader, *, photos: int = 12) -> ReadingSpeed:
    """Time `photos` drawn photos of one dial and half as many of four; one of each before pays for loading."""
    draw = flat_draw()
    singles = [to_png(draw(dial_scene(FIRST_DIAL + number))) for number in range(photos + 1)]
    fours = [to_png(draw(four_dials(FIRST_DIAL + 4 * number))) for number in range(max(2, photos // 2) + 1)]
    # Once outside, for a reader may load its libraries only now.
    _timed(reader, [singles[0], fours[0]])
    with one_thread():
        single, four = _timed(reader, singles[1:]), _timed(reader, fours[1:])
    alone = [(spent, reading) for spent, reading in single if len(reading.instruments) == 1]
    donut = [_stage_s(spent, reading, "donut") for spent, reading in alone]
    witnesses = [_stage_s(spent, reading, "witnesses") for spent, reading in alone]
    of_one = [reading for _, reading in alone]
    return ReadingSpeed(
        donut_crop=_seconds(donut, of_one),
        witnessed_crop=_seconds([sum(both) for both in zip(donut, witnesses, strict=True)], of_one),
        photo=_seconds([spent for spent, _ in single], [reading for _, reading in single]),
        photo_of_four=_seconds([spent for spent, _ in four], [reading for _, reading in four]),
    )


def four_dials(number: int) -> GaugeScene:
    """Four dials in a square of two by two, twice as large a picture as that of one."""
    side = 2 * SIDE_PX
    places = [(x, y) for y in (0.27, 0.73) for x in (0.27, 0.73)]
    placed = tuple(
        Placed(sweep_dial(number + index), Pose((side * x, side * y), 0.19 * side, tilt_y_deg=3.0))
        for index, (x, y) in enumerate(places)
    )
    return replace(dial_scene(number), width=side, height=side, instruments=placed)


def _stage_s(spent_s: float, reading: PhotoReading, stage: str) -> float:
    """A stage's seconds of the processor: its share of the clock's milliseconds, of all that were spent."""
    whole = sum(reading.timing_ms.values())
    return spent_s * reading.timing_ms.get(stage, 0.0) / whole if whole else math.nan


def _timed(reader: SourceReader, sources: Sequence[bytes]) -> list[tuple[float, PhotoReading]]:
    return list(_each(reader, sources))


def _each(reader: SourceReader, sources: Sequence[bytes]) -> Iterator[tuple[float, PhotoReading]]:
    for source in sources:
        began = time.process_time()
        (reading,) = reader.read_photos([source])
        yield time.process_time() - began, reading


def _seconds(spent: Sequence[float], readings: Sequence[PhotoReading]) -> Seconds:
    found = [float(len(reading.instruments)) for reading in readings]
    return Seconds(median_s=median(spent), p95_s=percentile(spent, 95.0), n=len(spent), instruments=median(found))
