"""Fit the confidences of a reader on rendered pictures that training never drew.

Reads a dataset folder as a user would (boxes found, not given) with raw confidences, compares with the truth, and
gives one isotonic curve per field and per source of the value. Nothing real is fitted on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from eval.matching import Pair, match_instruments
from eval.readings import with_progress
from eval.values import angle_error_deg
from eval.valuescores import judge_value
from vision.calibration import Calibration, fit_curve
from vision.fields import POINT_NAMES, InstrumentReading
from vision.reader import Reader
from vision.samples import InstrumentTruth, read_records
from vision.scale_end import upright_angle

NEEDLE_RIGHT_DEG = 2.0
FRACTION_RIGHT = 0.02
POINT_RIGHT_OF_BOX = 0.05
ANGLE_FIELDS = ("pointer_angle", "start_angle", "end_angle")
# The unit is left out: it may be the Donut's or the printed text's, and the two must not share a curve.
CLASS_FIELDS = ("kind", "clockwise", "warning_light_color", "mode_dial_position", "digital_readout")
NUMBER_FIELDS = ("scale_min", "scale_max", "scale_multiplier")
CALIBRATED = (*ANGLE_FIELDS, *CLASS_FIELDS, "scale_fraction", *NUMBER_FIELDS, *POINT_NAMES)


def is_right(field: str, truth: InstrumentTruth, reading: InstrumentReading) -> bool | None:
    """Whether a field or point of a reading is right; None where truth or reading has none."""
    if field in POINT_NAMES:
        true, found = getattr(truth.points, field), getattr(reading.points, field)
        if true is None or found is None:
            return None
        side = max(truth.box[2] - truth.box[0], truth.box[3] - truth.box[1])
        return math.dist(true, found) <= POINT_RIGHT_OF_BOX * side
    true, found = getattr(truth.fields, field), getattr(reading.fields, field)
    if found is None:
        return None
    if true is None:
        return False
    if field in ANGLE_FIELDS:
        return angle_error_deg(true, found) <= NEEDLE_RIGHT_DEG
    if field == "scale_fraction":
        return bool(abs(true - found) <= FRACTION_RIGHT)
    if field in NUMBER_FIELDS:
        return math.isclose(true, found, rel_tol=1e-6, abs_tol=1e-9)
    return bool(true == found)


def collect(pairs: Sequence[Pair]) -> dict[str, list[tuple[float, bool]]]:
    """Pairs of raw confidence and outcome by name: fields, points, and `value_<source>` for values."""
    outcomes: dict[str, list[tuple[float, bool]]] = {}
    for pair in pairs:
        if pair.truth is None or pair.reading is None:
            continue
        for name, confidence in pair.reading.confidence.items():
            if name not in CALIBRATED:
                continue
            right = is_right(name, pair.truth, pair.reading)
            if name == "pointer_angle" and _by_points(pair.reading):
                name = "pointer_angle_by_points"
            if right is not None:
                outcomes.setdefault(name, []).append((confidence, right))
        answer = judge_value(pair.truth, pair.reading)
        if answer is not None and pair.reading.value_source is not None:
            key = f"value_{pair.reading.value_source}"
            # The confidence of a value is that of the truth lying in the interval that is stated with it.
            outcomes.setdefault(key, []).append((pair.reading.value_confidence, answer.right or answer.holds))
    return outcomes


def _by_points(reading: InstrumentReading) -> bool:
    """Whether the needle's angle was read from its points: it then follows from them, up to the rounding of pixels."""
    angle = upright_angle(reading.fields, reading.points)
    return (
        angle is not None
        and reading.fields.pointer_angle is not None
        and angle_error_deg(angle, reading.fields.pointer_angle) < 0.7
    )


def fit_calibration(reader: Reader, folders: Sequence[Path], *, limit: int | None = None, progress: bool = True) -> Calibration:
    """The calibration of `reader` on dataset folders. The reader's own calibration is set aside while it is measured."""
    kept, reader.calibration = reader.calibration, Calibration()
    try:
        outcomes: dict[str, list[tuple[float, bool]]] = {}
        for folder in folders:
            records = list(read_records(folder))[:limit]
            paths = [folder / record.file_name for record in records]
            readings = with_progress(reader.read_photos(paths), len(paths), progress)
            for record, reading in zip(records, readings, strict=True):
                for name, found in collect(match_instruments(record.truth.instruments, reading.instruments)).items():
                    outcomes.setdefault(name, []).extend(found)
    finally:
        reader.calibration = kept
    curves = {name: fit_curve([c for c, _ in found], [right for _, right in found]) for name, found in outcomes.items()}
    return Calibration({name: curve for name, curve in curves.items() if curve is not None})
