"""The needle of a dial: its angle in a manual's frame, how far the angle may be off, and whether it was found for certain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from knowledge.facts import AngleFrameFact
from vision.fields import InstrumentReading

CONTRADICTION_FACTOR = 0.3


@dataclass(frozen=True)
class FormulaOptions:
    """Uncertainty of the pointer angle, and what counts as a contradiction.

    `confident_within_deg`: a calibrated confidence c says that the angle is within this many degrees with
    probability c (normal errors); the interval covers 95 %. `default_half_width_deg` is used where the reader gave
    no confidence. Two intervals contradict each other when the gap between them is larger than `contradiction_gap`
    times the formula's own span (or value, where no span is declared). `least_needle_confidence` and `needle_agreement_deg`
    say when an abstained dial's needle still stands (`needle_stands`); `assumed_sweep_deg` is that of a scale whose ends
    were not seen, on the short side of what is built.
    """

    confident_within_deg: float = 2.0
    default_half_width_deg: float = 3.0
    max_half_width_deg: float = 20.0
    coverage: float = 0.95
    contradiction_gap: float = 0.02
    contradiction_factor: float = CONTRADICTION_FACTOR
    least_needle_confidence: float = 0.5
    needle_agreement_deg: float = 10.0
    assumed_sweep_deg: float = 240.0


def manual_angle(angle: float, frame: AngleFrameFact) -> float:
    """The contract's angle (degrees clockwise from 6 o'clock) in the manual's frame, in [0, 360)."""
    origin = (frame.origin_hour - 6) * 30.0 % 360.0
    # A tiny negative angle modulo 360 rounds to 360 itself: once more.
    return (angle - origin if frame.clockwise else origin - angle) % 360.0 % 360.0


def needle_stands(reading: InstrumentReading, options: FormulaOptions) -> bool:
    """True where the needle of a dial was found with confidence and its two witnesses, angle and points, agree.

    The points are taken as they lie in the photo: where it was not held upright the two differ and nothing stands.
    """
    seen, tip, pivot = reading.fields.pointer_angle, reading.points.needle_tip, reading.points.pivot
    sure = reading.confidence.get("pointer_angle", 0.0) >= options.least_needle_confidence
    if reading.kind != "dial" or seen is None or tip is None or pivot is None or tip == pivot or not sure:
        return False
    drawn = math.degrees(math.atan2(pivot[0] - tip[0], tip[1] - pivot[1])) % 360.0
    return abs((drawn - seen + 180.0) % 360.0 - 180.0) <= options.needle_agreement_deg


def angle_half_width(
    reading: InstrumentReading, options: FormulaOptions, named: Sequence[str] = ("pointer_angle",)
) -> tuple[float, str]:
    """Half width of the angle's interval in degrees, and its source: `confidence` or `default`.

    The confidence is the first one given of the fields `named`.
    """
    confidence = next((reading.confidence[name] for name in named if name in reading.confidence), None)
    if confidence is None:
        return options.default_half_width_deg, "default"
    # Certain to the last digit does not exist; 0 has no width at all.
    bounded = min(max(confidence, 0.05), 0.999)
    sigma = options.confident_within_deg / NormalDist().inv_cdf((1 + bounded) / 2)
    return min(NormalDist().inv_cdf((1 + options.coverage) / 2) * sigma, options.max_half_width_deg), "confidence"
