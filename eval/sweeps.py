"""Sweeps: one thing is changed, everything else stays, and the error or the silence says what it costs.

View angle, size in pixels, blur, and pairs of pictures of the same needle in other light and from another place.
Small by design; each line says of how many dials it speaks.
"""

from __future__ import annotations

import io
import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from eval.matching import match_instruments
from eval.score import Mean, Number, Share, mean_of, percentile, share_true
from eval.sweep_scenes import dial_scene, own_value, relit
from eval.values import value_in_unit
from synth.scene import GaugeScene
from vision.fields import Contract, InstrumentReading, PhotoReading
from vision.units import multiplied_unit

ANGLES_DEG = (0.0, 10.0, 20.0, 30.0, 40.0, 50.0)
SIZES_PX = (40.0, 60.0, 80.0, 120.0, 200.0, 300.0, 400.0)
BLURS_PX = (0.0, 1.0, 2.0, 3.0, 5.0)
AGREES = 0.01
Picture = NDArray[np.uint8]
Draw = Callable[[GaugeScene], Picture]


class SourceReader(Protocol):
    """A reader of photos, given as files or as bytes."""

    def read_photos(self, sources: Sequence[Path | bytes]) -> Iterator[PhotoReading]:
        """One reading a photo, in order."""
        ...


class SweepStep(Contract):
    """Dials at one setting: against the value of the needle itself, in parts of the span.

    `right` and `sure_wrong` (of the values with a confidence of 0.9 or more, those off by more than 2 % of the span or
    in another unit) are shares; `readable` says how many of the pictures a person could read.
    """

    setting: float
    dials: int
    readable: int
    abstained: Share
    within_span: Share
    span_error: Mean
    span_error_p95: Number
    sure_wrong: Share


class Sweep(Contract):
    """A sweep's steps; `renderer` drew the pictures."""

    name: Literal["view angle (degrees)", "size (pixels)", "blur (pixels)"]
    renderer: str
    steps: tuple[SweepStep, ...]


class Pairs(Contract):
    """The same needle twice, in other light and from another place.

    `agree`: of all pairs, those read twice with the readings within 1 % of the span; `agree_of_read`: of those read twice.
    """

    renderer: str
    pairs: int
    read_twice: Share
    agree: Share
    agree_of_read: Share


class Sweeps(Contract):
    """All sweeps of a run, and the seconds they took."""

    sweeps: tuple[Sweep, ...]
    pairs: tuple[Pairs, ...]
    seconds: float


class _Shot(Contract):
    readable: bool
    answered: bool
    span_error: Number
    confidence: float


def run_sweeps(
    reader: SourceReader,
    *,
    dials: int = 10,
    pairs: int = 20,
    renderers: dict[str, Draw] | None = None,
    budget_s: float = 900.0,
    progress: bool = True,
) -> Sweeps:
    """All sweeps with `dials` dials a setting. After `budget_s` seconds no further dial is begun: n says how far it came.

    `renderers` are functions from scene to picture by name, the flat renderer where None; size, blur and pairs are drawn
    by the first.
    """
    from tqdm import tqdm

    draws = renderers or {"flat": flat_draw()}
    first = next(iter(draws))
    started = time.monotonic()
    plan: list[tuple[Literal["view angle (degrees)", "size (pixels)", "blur (pixels)"], str, tuple[float, ...]]]
    plan = [("view angle (degrees)", name, ANGLES_DEG) for name in draws]
    plan += [("size (pixels)", first, SIZES_PX), ("blur (pixels)", first, BLURS_PX)]
    total = sum(len(settings) for _, _, settings in plan) * dials + 2 * pairs * len(draws)
    with tqdm(total=total, desc="sweeps", unit="picture", disable=not progress) as bar:

        def shoot(name: str, setting: float, draw: Draw, number: int) -> _Shot:
            bar.update()
            return _shot(reader, draw, _scene(name, setting, number))

        # Dial by dial through all settings, so that a run cut short has seen every setting equally often.
        shots: dict[tuple[int, float], list[_Shot]] = {}
        found: dict[str, list[float]] = {name: [] for name in draws}
        for number in range(max(dials, pairs)):
            if time.monotonic() - started > budget_s:
                break
            if number < dials:
                for index, (name, renderer, settings) in enumerate(plan):
                    for setting in settings:
                        shots.setdefault((index, setting), []).append(shoot(name, setting, draws[renderer], number))
            if number < pairs:
                for renderer, draw in draws.items():
                    found[renderer].append(_pair_difference(reader, draw, number))
                    bar.update(2)
    return Sweeps(
        sweeps=tuple(
            Sweep(name=name, renderer=renderer, steps=tuple(_step(s, shots[index, s]) for s in settings if (index, s) in shots))
            for index, (name, renderer, settings) in enumerate(plan)
        ),
        pairs=tuple(_pairs(renderer, differences) for renderer, differences in found.items()),
        seconds=round(time.monotonic() - started, 1),
    )


def flat_draw() -> Draw:
    """The flat renderer."""
    from synth.flat import render

    return lambda scene: render(scene)


def to_png(picture: Picture) -> bytes:
    """A picture as a file that loses nothing."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(picture).save(out, "PNG", compress_level=1)
    return out.getvalue()


def _scene(name: str, setting: float, number: int) -> GaugeScene:
    if name == "view angle (degrees)":
        return dial_scene(number, tilt_deg=setting)
    if name == "size (pixels)":
        return dial_scene(number, dial_px=setting)
    return dial_scene(number, blur_px=setting)


def _read(reader: SourceReader, draw: Draw, scene: GaugeScene) -> InstrumentReading | None:
    (reading,) = reader.read_photos([to_png(draw(scene))])
    pairs = match_instruments(scene.truth().instruments, reading.instruments)
    return pairs[0].reading


def _shot(reader: SourceReader, draw: Draw, scene: GaugeScene) -> _Shot:
    one = _read(reader, draw, scene)
    truth = scene.truth().instruments[0]
    if one is None or one.value is None:
        return _Shot(readable=truth.readable, answered=False, span_error=math.nan, confidence=0.0)
    error = span_error(scene, one)
    return _Shot(readable=truth.readable, answered=True, span_error=error, confidence=one.value_confidence)


def span_error(scene: GaugeScene, reading: InstrumentReading) -> float:
    """|value - the needle's own value| / span; infinite where the unit is another quantity, NaN without a value."""
    from synth.spec import DialSpec

    spec = scene.instruments[0].spec
    if reading.value is None or not isinstance(spec, DialSpec):
        return math.nan
    unit = multiplied_unit(spec.scale.unit, spec.scale.multiplier)
    value = value_in_unit(reading.value, reading.unit, unit)
    return math.inf if value is None else abs(value - own_value(scene)) / spec.scale.span


def _pair_difference(reader: SourceReader, draw: Draw, number: int) -> float:
    """Difference of the two readings in parts of the span; NaN where one abstains, infinite where the units differ."""
    from synth.spec import DialSpec

    first, second = _read(reader, draw, dial_scene(number)), _read(reader, draw, relit(number))
    spec = dial_scene(number).instruments[0].spec
    if first is None or second is None or first.value is None or second.value is None or not isinstance(spec, DialSpec):
        return math.nan
    return math.inf if first.unit != second.unit else abs(first.value - second.value) / spec.scale.span


def _pairs(renderer: str, differences: Sequence[float]) -> Pairs:
    read = [difference for difference in differences if not math.isnan(difference)]
    return Pairs(
        renderer=renderer,
        pairs=len(differences),
        read_twice=share_true(not math.isnan(difference) for difference in differences),
        agree=share_true(difference <= AGREES for difference in differences),
        agree_of_read=share_true(difference <= AGREES for difference in read),
    )


def _step(setting: float, shots: Sequence[_Shot]) -> SweepStep:
    # A value in a unit of another quantity has no error in parts of the span: it counts as wrong, not in the mean.
    errors = [shot.span_error for shot in shots if math.isfinite(shot.span_error)]
    return SweepStep(
        setting=setting,
        dials=len(shots),
        readable=sum(shot.readable for shot in shots),
        abstained=share_true(not shot.answered for shot in shots),
        within_span=share_true(shot.answered and shot.span_error <= AGREES for shot in shots),
        span_error=mean_of(errors),
        span_error_p95=percentile(errors, 95.0),
        sure_wrong=share_true(not shot.span_error <= 2 * AGREES for shot in shots if shot.confidence >= 0.9),
    )
