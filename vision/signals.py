"""What speaks for and against a value, as named numbers: the input of `vision.support`.

A signal that does not apply is left out, never set to a default. Names are stable: support files refer to them.
Shares are in [0, 1], lengths in pixels are logarithms, angles in degrees.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.crops import Pixels
from vision.fields import POINT_NAMES, Point
from vision.scale_curve import SmoothCurve
from vision.scale_parts import completeness, printed_step
from vision.scale_view import IDENTITY
from vision.scale_witness import INTERVAL_SDS, ScaleWitness, end_ticks, fit_curve, placement_sd_deg, ring_spread
from vision.strokes import find_strokes

if TYPE_CHECKING:
    from vision.dial_witness import DialWitness
    from vision.digits import DigitsWitness
    from vision.judge import Evidence
    from vision.text_crop import TextCrop

LOOK_PX = 192
"""Side of the picture in which sharpness and glare are measured, so that they do not depend on the photo's size."""
GLARE_LEVEL = 250
NEEDLE_SAMPLES = 60
RIVAL_CONTRAST = 0.55
"""Of the needle's own contrast: fainter strokes are marks and print."""
MET_HEIGHTS = 0.9
"""A numeral this near to a place that the map sees, in its heights, is the one that stands there."""
FIELDS = ("scale_min", "scale_max", "scale_fraction", "pointer_angle", "clockwise", "unit")


def photo_signals(evidence: Evidence, crop: Pixels) -> dict[str, float]:
    """Of the picture and its locating: size, sharpness, contrast, glare, how sure box and kind are."""
    box = evidence.box
    sides = sorted((box[2] - box[0], box[3] - box[1]))
    small = _small(crop)
    gray = cv2.cvtColor(small, cv2.COLOR_RGB2GRAY).astype(np.float32)
    spread = float(gray.std())
    return {
        "size": math.log2(max(sides[1], 1.0)),
        "squareness": sides[0] / max(sides[1], 1.0),
        "contrast": math.log2(spread + 1.0),
        # Relative to the contrast: a flat grey face is not blurred.
        "sharpness": math.log2((float(np.abs(cv2.Laplacian(gray, cv2.CV_32F)).mean()) + 0.1) / (spread + 1.0)),
        "glare": float((small.min(axis=2) >= GLARE_LEVEL).mean()),
        "located": evidence.box_score,
        "kind": _log_odds(_raw(evidence, "kind")),
    }


def dial_signals(
    evidence: Evidence, crop: TextCrop, seen: DialWitness, witness: ScaleWitness, own: tuple[float, float, float] | None
) -> dict[str, float]:
    """Of a dial's value: needle, numerals, the Donut's own scale (value, span, confidence) and what stands beside them.

    `witness` is the scale as it is stated, `seen` what the numerals and the needle's line gave.
    """
    signals = photo_signals(evidence, crop.pixels)
    for name in FIELDS:
        if name in evidence.chosen:
            signals[f"token_{name}"] = _log_odds(_raw(evidence, name))
    for name in POINT_NAMES:
        if name in evidence.point_confidence:
            signals[f"point_{name}"] = evidence.point_confidence[name]
            side = max(evidence.box[2] - evidence.box[0], evidence.box[3] - evidence.box[1], 1.0)
            signals[f"spread_{name}"] = math.log2(0.002 + evidence.point_spread.get(name, 0.0) / side)
    signals |= _needle_signals(evidence, crop, seen)
    signals |= _scale_signals(witness, seen)
    signals |= _place_signals(witness, seen, [crop.to_crop(place) for place in evidence.numeral_places])
    if own is not None:
        signals["own_confidence"] = own[2]
        values = [place.value for place in witness.scale_points]
        if witness.value is not None and len(set(values)) > 1:
            span = max(values) - min(values)
            signals["own_differs"] = math.log2(0.005 + min(abs(witness.value - own[0]) / max(own[1], span), 1.0))
            signals["own_span"] = min(abs(math.log2(max(own[1], 1e-9) / span)), 5.0)
    return signals


def _needle_signals(evidence: Evidence, crop: TextCrop, seen: DialWitness) -> dict[str, float]:
    pivot, tip = seen.needle.pivot, seen.needle.tip
    length = math.dist(pivot, tip)
    signals = {
        "needle_found": float(seen.needle.found),
        "needle_sd": seen.needle.sd_deg,
        "needle_px": math.log2(max(length / crop.scale, 1.0)),
        "needle_length": length / max(crop.pixels.shape[:2]),
        "needle_glare": _glare_along(crop.pixels, pivot, tip),
    }
    first = evidence.points
    if first.pivot is not None and first.needle_tip is not None and seen.needle.found:
        signals["needle_moved"] = abs(_turn(_direction(pivot, tip), _direction(first.pivot, first.needle_tip)))
    token = evidence.fields.pointer_angle if evidence.fields is not None else None
    start, begins = evidence.points.scale_start, evidence.fields.start_angle if evidence.fields is not None else None
    if token is not None and start is not None and begins is not None and first.pivot is not None:
        # Both count from the scale's start, which takes the dial's roll out.
        from_start = _direction(pivot, tip) - _direction(crop.to_crop(first.pivot), crop.to_crop(start))
        signals["needle_token"] = math.log2(1.0 + abs(_turn(from_start, token - begins)))
    strokes = find_strokes(crop.pixels, pivot, tip)
    if strokes.needle is not None:
        rivals = [one for one in strokes.others if one.contrast >= RIVAL_CONTRAST * strokes.needle.contrast]
        signals["needle_contrast"] = math.log2(strokes.needle.contrast)
        signals["needle_red"] = float(strokes.needle.red)
        signals["rivals"] = float(min(len(rivals), 3))
        signals["red_rival"] = float(any(one.red for one in strokes.others) and not strokes.needle.red)
        signals["long_rival"] = float(any(one.long for one in rivals))
        # A red hand that is read while a plain one stands beside it is mostly the maximum hand.
        signals["red_taken"] = float(strokes.needle.red and any(not one.red for one in rivals))
        # A plain hand as long and as clear as the red one that is read is a needle itself: not glare, print or a mark.
        whole = [one for one in rivals if one.long and one.contrast >= strokes.needle.contrast]
        signals["plain_hand"] = float(strokes.needle.red and any(not one.red for one in whole))
    return signals


def _scale_signals(witness: ScaleWitness, seen: DialWitness) -> dict[str, float]:
    signals = {
        "numerals": float(len(seen.scale.numerals)),
        "witness": witness.confidence,
        "linear": float(witness.linear),
        "tilted": float(witness.view != IDENTITY),
        "unit_printed": float(witness.unit is not None),
        "other_scales": float(min(len(witness.others), 3)),
    }
    candidate = witness.candidate
    if candidate is None or len(candidate.numerals) < 2:
        return signals
    curve = fit_curve(candidate)
    values = candidate.values
    signals |= {
        "weight": sum(min(1.0, numeral.weight) for numeral in candidate.numerals),
        "weakest": min(numeral.weight for numeral in candidate.numerals),
        "complete": completeness(values),
        "ring": ring_spread(candidate),
        "placement": placement_sd_deg(candidate),
        "sweep": candidate.angles_deg[-1] - candidate.angles_deg[0],
        "texts_left": float(min(max(len(seen.texts) - len(candidate.numerals), 0), 12)),
    }
    if isinstance(curve, SmoothCurve):
        signals |= {"noise": curve.noise_deg, "bend": curve.amplitude_deg}
    if witness.value is not None and witness.value_low is not None and witness.value_high is not None:
        step, span = printed_step(values), values[-1] - values[0]
        beyond = max(values[0] - witness.value, witness.value - values[-1], 0.0)
        signals["beyond"] = min(beyond / step, 3.0)
        signals["along"] = (witness.value - values[0]) / span
        signals["half_of_span"] = math.log2(max((witness.value_high - witness.value_low) / 2.0 / span, 1e-4))
        nearest = min(abs(value - witness.value) for value in values)
        signals["from_numeral"] = min(nearest / step, 4.0)
        # A first or last interval that is read on a straight line may be the short or bent one of its scale.
        inside = values[0] < witness.value < values[-1]
        signals["end_interval"] = float(inside and (witness.value < values[1] or witness.value > values[-2]))
    return signals


def _place_signals(witness: ScaleWitness, seen: DialWitness, places: Sequence[Point]) -> dict[str, float]:
    """How the numerals lie to what the Donut pointed at without reading: the scale's ends, and places of numerals."""
    candidate, geometry = witness.candidate, seen.geometry
    if candidate is None or geometry is None:
        return {}
    ticks = end_ticks(candidate, witness.view.of_geometry(geometry))
    outermost = (candidate.values[0], candidate.values[-1])
    signals = {"ends_met": float(len(ticks)), "ends_at_numerals": float(sum(tick.value in outermost for tick in ticks))}
    heights = {
        numeral.center: place.place.mark.height_px for numeral, place in zip(witness.numerals, candidate.numerals, strict=True)
    }
    if places:
        met = [any(math.dist(place, center) <= MET_HEIGHTS * height for place in places) for center, height in heights.items()]
        signals["numerals_met"] = sum(met) / len(met)
        signals["places_met"] = sum(met) / max(len(places), len(met))
    return signals


def display_signals(
    evidence: Evidence, crop: TextCrop, seen: DigitsWitness, own: str | None, own_sure: float
) -> dict[str, float]:
    """Of a display's value: the two looks at its digits, their size, and what they are made of."""
    signals = photo_signals(evidence, crop.pixels)
    signals |= {"own_sure": own_sure, "rows": float(min(len(seen.rows), 4)), "unit_printed": float(seen.unit is not None)}
    if "digital_readout" in evidence.chosen:
        signals["token_digits"] = _log_odds(_raw(evidence, "digital_readout"))
    if seen.text is not None:
        signals["looks_sure"] = seen.confidence
    if seen.text is not None and own is not None:
        signals["looks_agree"] = float(seen.text == own)
        signals["same_digits"] = float(seen.text.replace(".", "") == own.replace(".", ""))
    text = seen.text or own
    if text is not None:
        signals["digits"] = float(sum(character.isdigit() for character in text))
        signals["point"] = float("." in text)
    if evidence.row_place is not None:
        signals["row_px"] = math.log2(max(evidence.row_place.height_px, 1.0))
    return signals


def least_half(witness: ScaleWitness, needle_px: float) -> float:
    """Half the narrowest honest interval: half a pixel at the needle's tip, and a twentieth of the printed step.

    Nobody reads finer than half a tenth of a numbered step. `needle_px` is the needle's length in the photo.
    """
    candidate = witness.candidate
    if candidate is None or len(candidate.numerals) < 2:
        return 0.0
    values, angles = candidate.values, candidate.angles_deg
    per_deg = (values[-1] - values[0]) / max(angles[-1] - angles[0], 1e-6)
    pixel = per_deg * math.degrees(math.atan2(0.5, max(needle_px, 1.0)))
    return max(pixel, printed_step(values) / 20.0)


def looks_half(witness: ScaleWitness, spread_deg: float) -> float:
    """What the looks' disagreement about the needle's direction adds to half the interval, in units of the scale."""
    candidate = witness.candidate
    if candidate is None or len(candidate.numerals) < 2:
        return 0.0
    values, angles = candidate.values, candidate.angles_deg
    return INTERVAL_SDS * spread_deg * (values[-1] - values[0]) / max(angles[-1] - angles[0], 1e-6)


def _small(crop: Pixels) -> NDArray[np.uint8]:
    scale = LOOK_PX / max(crop.shape[:2])
    size = (max(8, round(crop.shape[1] * scale)), max(8, round(crop.shape[0] * scale)))
    return np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_AREA if scale < 1.0 else cv2.INTER_LINEAR), np.uint8)


def _glare_along(crop: Pixels, pivot: Point, tip: Point) -> float:
    """Share of the way from pivot to tip that is blown out."""
    along = np.linspace(0.1, 1.0, NEEDLE_SAMPLES)
    x = np.clip(np.round(pivot[0] + along * (tip[0] - pivot[0])), 0, crop.shape[1] - 1).astype(int)
    y = np.clip(np.round(pivot[1] + along * (tip[1] - pivot[1])), 0, crop.shape[0] - 1).astype(int)
    return float((crop[y, x].min(axis=1) >= GLARE_LEVEL).mean())


def _raw(evidence: Evidence, field: str) -> float:
    chosen = evidence.chosen.get(field, ())
    return math.prod(choice.probability for choice in chosen) if chosen else 0.0


def _log_odds(probability: float) -> float:
    clipped = min(max(probability, 1e-4), 1.0 - 1e-4)
    return math.log(clipped / (1.0 - clipped))


def _direction(pivot: Point, tip: Point) -> float:
    return math.degrees(math.atan2(tip[1] - pivot[1], tip[0] - pivot[0]))


def _turn(first_deg: float, second_deg: float) -> float:
    return (first_deg - second_deg + 180.0) % 360.0 - 180.0


def plain(signals: Mapping[str, float], names: Sequence[str] = ()) -> dict[str, float]:
    """Finite signals only, rounded for a file; all of them, or those named."""
    return {name: round(value, 5) for name, value in signals.items() if math.isfinite(value) and (not names or name in names)}
