"""What the reader does in front of fixed cameras: drawn dials whose needles move, some frames with glare, read for real."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from vision.fields import Contract, Finite, PhotoReading

if TYPE_CHECKING:
    from serve.service import Service
    from synth.scene import GaugeScene

FIRST_DIAL = 300
GLARE_SHARE = 0.15
"""So many frames have the reflection of a lamp or a window on the glass."""


class FrameError(Contract):
    """One frame of a dial: by how much its reading was off, in parts of the scale; None where it was not read.

    `half` is half of the interval's width, in parts of the scale as well.
    """

    dial: int
    glare: bool
    truth: Finite
    error: Finite | None = None
    half: Finite | None = None
    confidence: Finite = 0.0
    reason: str | None = None


class MeasuredErrors(Contract):
    """What was measured, with which weights."""

    weights: str
    frames: tuple[FrameError, ...] = Field(min_length=1)


def measure_errors(service: Service, dials: int, frames: int) -> MeasuredErrors:
    """Read `frames` frames of each of `dials` dials. A dial's camera stands still; its needle, noise and light change."""
    from eval.sweep_scenes import own_value

    found: list[FrameError] = []
    for number, glare, scene in _progress(_scenes(dials, frames), dials * frames):
        (reading,) = service.read_photos([_picture(scene)], names=[f"dial {number}"])
        found.append(frame_error(reading, number, glare, own_value(scene), _scale(scene)))
    weights = service.weights
    return MeasuredErrors(weights=f"{weights.name} {weights.version}" if weights else "unknown", frames=tuple(found))


def frame_error(reading: PhotoReading, dial: int, glare: bool, value: float, scale: tuple[float, float]) -> FrameError:
    """How a reading compares with the truth; two instruments in the picture are none that a camera would believe."""
    low, high = scale
    whole, truth = high - low, (value - low) / (high - low)
    if len(reading.instruments) != 1:
        reason = reading.reason or f"{len(reading.instruments)} instruments were seen"
        return FrameError(dial=dial, glare=glare, truth=truth, reason=reason)
    (one,) = reading.instruments
    if one.value is None or one.value_low is None or one.value_high is None:
        return FrameError(dial=dial, glare=glare, truth=truth, reason=one.reason)
    half = (one.value_high - one.value_low) / 2.0
    return FrameError(
        dial=dial, glare=glare, truth=truth, error=(one.value - value) / whole, half=half / whole, confidence=one.value_confidence
    )  # fmt: skip


def _scenes(dials: int, frames: int) -> Iterator[tuple[int, bool, GaugeScene]]:
    """Dial by dial, each frame with its own place of the needle."""
    from eval.sweep_scenes import dial_scene
    from synth.spec import DialSpec

    for number in range(dials):
        base = dial_scene(FIRST_DIAL + number, tilt_deg=8.0)
        (placed,) = base.instruments
        assert isinstance(placed.spec, DialSpec)
        rng = np.random.default_rng([FIRST_DIAL, number])
        for frame in range(frames):
            glare = bool(rng.random() < GLARE_SHARE)
            spec = replace(placed.spec, fraction=float(rng.uniform(0.1, 0.95)))
            light = replace(base.light, glare=float(rng.uniform(0.5, 1.0)) if glare else 0.0, glare_count=2 if glare else 0)
            camera = replace(base.camera, exposure=float(rng.uniform(0.8, 1.2)), noise=float(rng.uniform(1.0, 4.0)))
            seed = base.seed * 1000 + frame
            yield number, glare, replace(base, seed=seed, instruments=(replace(placed, spec=spec),), light=light, camera=camera)


def _scale(scene: GaugeScene) -> tuple[float, float]:
    """The ends of the dial's scale, as printed."""
    from synth.truth import photo_truth

    fields = photo_truth(scene).instruments[0].fields
    assert fields.scale_min is not None
    assert fields.scale_max is not None
    return fields.scale_min, fields.scale_max


def _picture(scene: GaugeScene) -> bytes:
    from synth.flat import render
    from synth.pictures import encode_jpeg

    return encode_jpeg(render(scene), 90)


def _progress(scenes: Iterable[tuple[int, bool, GaugeScene]], total: int) -> Iterator[tuple[int, bool, GaugeScene]]:
    from serve.commands.console import show_progress

    yield from show_progress(scenes, total=total, label="reading")
