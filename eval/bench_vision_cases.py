"""One instrument with a known value beside what was read of it: the rows from which the bench draws curves and plots."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from eval.labels import PhotoLabel
from eval.matching import Pair, match_instruments
from eval.photorows import PhotoRow
from eval.score import NAN, Number
from eval.values import angle_error_deg
from eval.valuescores import judge_value
from vision.fields import Contract, EvidencePoints, InstrumentReading, PhotoReading
from vision.plane import clock_angle
from vision.samples import InstrumentTruth, SampleRecord


class Case(Contract):
    """One instrument that shows a value.

    `right`: in the accepted interval, unit right. `holds`: right, or the true value lies in the interval that was
    stated. `claim`: what the reading itself says is true: as `holds`, and without a unit the number alone
    (`eval.valuescores.Answer`). `span_error` is |error| / span of the scale. `tilt_deg`, `size_px` (the box's longer
    side) and `legibility` are the truth's, NaN where it does not say. `readable` False: nobody could read it.
    """

    photo: str
    kind: str
    group: str
    readable: bool
    answered: bool
    right: bool
    holds: bool
    claim: bool
    confidence: float
    span_error: Number
    needle_error_deg: Number
    points_error_deg: Number
    tilt_deg: Number
    size_px: Number
    legibility: Number
    value: float | None
    unit: str | None
    true_value: float | None
    true_unit: str | None
    reason: str | None


def drawn_pairs(records: Sequence[SampleRecord], readings: Sequence[PhotoReading]) -> list[tuple[str, Pair]]:
    """Every instrument of the pictures with its reading, or readings without an instrument; with the picture's name."""
    return [
        (record.file_name, pair)
        for record, reading in zip(records, readings, strict=True)
        for pair in match_instruments(record.truth.instruments, reading.instruments)
    ]


def drawn_cases(pairs: Sequence[tuple[str, Pair]]) -> list[Case]:
    """The instruments that show a value."""
    return [
        _drawn(photo, pair.truth, pair.reading)
        for photo, pair in pairs
        if pair.truth is not None and pair.truth.value is not None
    ]


def _drawn(photo: str, truth: InstrumentTruth, reading: InstrumentReading | None) -> Case:
    answer = None if reading is None else judge_value(truth, reading)
    return Case(
        photo=photo,
        kind=truth.fields.kind,
        group=truth.fields.kind,
        readable=truth.readable,
        answered=answer is not None,
        right=answer is not None and answer.right,
        holds=answer is not None and (answer.right or answer.holds),
        claim=answer is not None and answer.claim,
        confidence=0.0 if answer is None else answer.confidence,
        span_error=NAN if answer is None else answer.span_error,
        needle_error_deg=needle_error(truth, reading),
        points_error_deg=points_error(truth.points, reading),
        tilt_deg=tilt_of(truth.homography),
        size_px=max(truth.box[2] - truth.box[0], truth.box[3] - truth.box[1]),
        legibility=NAN if truth.legibility is None else truth.legibility,
        value=None if reading is None else reading.value,
        unit=None if reading is None else reading.unit,
        true_value=truth.value,
        true_unit=truth.unit,
        reason="not found" if reading is None else reading.reason,
    )


def photo_cases(labels: Sequence[PhotoLabel], rows: Sequence[PhotoRow]) -> list[Case]:
    """The labelled photos that show a value; labels say nothing of tilt and legibility."""
    return [
        _labelled(label, row) for label, row in zip(labels, rows, strict=True) if label.group not in ("panel", "out of scope")
    ]


def _labelled(label: PhotoLabel, row: PhotoRow) -> Case:
    box = label.box
    return Case(
        photo=label.image,
        kind=label.kind,
        group=label.group,
        readable=True,
        answered=row.answered,
        right=row.right,
        holds=row.right or row.holds,
        claim=row.right or row.holds or (row.unit is None and row.right_any_unit),
        confidence=row.value_confidence,
        span_error=row.span_error,
        needle_error_deg=row.needle_error_deg,
        points_error_deg=row.points_error_deg,
        tilt_deg=NAN,
        size_px=NAN if box is None else max(box[2] - box[0], box[3] - box[1]),
        legibility=NAN,
        value=row.value,
        unit=row.unit,
        true_value=row.label,
        true_unit=row.label_unit,
        reason=row.reason,
    )


def needle_error(truth: InstrumentTruth, reading: InstrumentReading | None) -> float:
    """Degrees between the needle's angle as read and as seen; NaN where one of them is missing."""
    if reading is None or reading.fields.pointer_angle is None or truth.fields.pointer_angle is None:
        return NAN
    return angle_error_deg(reading.fields.pointer_angle, truth.fields.pointer_angle)


def points_error(truth: EvidencePoints, reading: InstrumentReading | None) -> float:
    """Degrees between the lines from pivot to tip in the picture; NaN where a point is missing."""
    if reading is None:
        return NAN
    ends = (truth.pivot, truth.needle_tip, reading.points.pivot, reading.points.needle_tip)
    pivot, tip, found_pivot, found_tip = ends
    if pivot is None or tip is None or found_pivot is None or found_tip is None:
        return NAN
    return angle_error_deg(clock_angle(found_pivot, found_tip), clock_angle(pivot, tip))


def tilt_of(homography: Sequence[float] | None) -> float:
    """Angle in degrees between a face's normal and the line of sight, from the matrix that puts the face in the picture.

    Near the face's origin the matrix is an affine one: a circle becomes an ellipse whose axes have the ratio of the
    tilt's cosine.
    """
    if homography is None:
        return NAN
    matrix = np.asarray(homography, np.float64).reshape(3, 3)
    x, y, w = matrix[:, 2]
    near = (matrix[:2, :2] * w - np.outer((x, y), matrix[2, :2])) / w**2
    longer, shorter = np.linalg.svd(near, compute_uv=False)
    return math.degrees(math.acos(min(1.0, float(shorter / longer)))) if longer > 0 else NAN


def worst(cases: Sequence[Case], count: int) -> Iterator[Case]:
    """The cases to look at first: wrong values, the surest of them first, then values that abstain though readable."""
    wrong = sorted((c for c in cases if c.answered and not c.right), key=lambda c: (-c.confidence, c.photo))
    silent = sorted((c for c in cases if not c.answered and c.readable), key=lambda c: c.photo)
    seen: set[str] = set()
    for case in (*wrong, *silent):
        if case.photo not in seen and len(seen) < count:
            seen.add(case.photo)
            yield case
