"""The measures of the vision bench: pictures with a complete truth, and hand-labelled photos."""

from __future__ import annotations

import math
from collections.abc import Sequence

from eval.bench_vision_cases import Case, drawn_cases, drawn_pairs, needle_error, photo_cases, points_error
from eval.bench_vision_curves import (
    LEGIBILITY_EDGES,
    SIZE_EDGES_PX,
    SURE,
    TILT_EDGES_DEG,
    ErrorBin,
    Honesty,
    error_bins,
    honesty,
)
from eval.labels import PhotoLabel
from eval.matching import LOCATED_IOU, Pair
from eval.photorows import UNREAD_GROUPS, score_photo
from eval.photos import PhotoCard, score_photos
from eval.score import Number, Share, median, percentile, share_true
from vision.fields import KINDS, Contract, InstrumentReading, PhotoReading
from vision.samples import InstrumentTruth, SampleRecord

WITHIN_SPAN = 0.01
NEEDLE_DEG = 5.0
ANSWER_FIELD = {"lamp": "warning_light_color", "selector": "mode_dial_position", "digital": "digital_readout"}
ANSWER_FIELD["counter"] = "digital_readout"


class Spread(Contract):
    """Median and 95th percentile of an error, and over how many."""

    median: Number
    p95: Number
    n: int


class KindScore(Contract):
    """One kind of instrument, readable ones alone.

    `value_right`: value in the interval, unit right. `exact`: a lamp's colour, a selector's position, a display's or
    counter's digits as a string, of all; `exact_answered` of those given, `exact_abstained` those not given.
    """

    kind: str
    instruments: int
    located: Share
    value_right: Share
    value_abstained: Share
    value_answered_right: Share
    exact: Share
    exact_answered: Share
    exact_abstained: Share


class DrawnScores(Contract):
    """Pictures whose truth is known in full. Accuracies are over readable instruments, found or not.

    `unreadable_sure`: of the instruments that nobody could read, those with a value of confidence 0.9 or more that is
    wrong. `units_made_up`: of the instruments that print no unit, those with one all the same.
    """

    name: str
    pictures: int
    failed: int
    needle_field_deg: Spread
    needle_points_deg: Spread
    within_span: Share
    within_span_answered: Share
    dials_abstained: Share
    span_error_mean: Number
    span_error_p95: Number
    scale_ends: Share
    units: Share
    units_made_up: Share
    kinds: tuple[KindScore, ...]
    made_up: Share
    made_up_sure: int
    unreadable_sure: Share
    honesty: Honesty
    by_tilt: tuple[ErrorBin, ...]
    by_size: tuple[ErrorBin, ...]
    by_legibility: tuple[ErrorBin, ...]
    cases: tuple[Case, ...]


class PhotoScores(Contract):
    """Labelled photos. `needle_within`: moving dials whose needle is within 5 degrees, unread needles counted as missed.

    `sure_made_up`: values of confidence 0.9 or more on panels and on what is out of scope that nothing bears out.
    """

    name: str
    card: PhotoCard
    needle_within: Share
    points_within: Share
    sure_made_up: int
    honesty: Honesty
    by_size: tuple[ErrorBin, ...]
    cases: tuple[Case, ...]


def score_drawn(name: str, records: Sequence[SampleRecord], readings: Sequence[PhotoReading]) -> DrawnScores:
    """The measures over a dataset folder's records and their readings, one each, in order."""
    named = drawn_pairs(records, readings)
    cases = drawn_cases(named)
    pairs = [pair for _, pair in named]
    known = [(pair.truth, pair.reading) for pair in pairs if pair.truth is not None and pair.truth.readable]
    dials = [(truth, reading) for truth, reading in known if truth.fields.kind == "dial"]
    dial_cases = [case for case in cases if case.kind == "dial" and case.readable]
    errors = [case.span_error for case in dial_cases if not math.isnan(case.span_error)]
    strays = [pair.reading for pair in pairs if pair.truth is None or pair.truth.value is None]
    values = [reading for reading in strays if reading is not None and reading.value is not None]
    given = sum(pair.reading is not None and pair.reading.value is not None for pair in pairs)
    with_unit = [(truth, reading) for truth, reading in known if truth.fields.unit is not None]
    without_unit = [
        (truth, reading)
        for truth, reading in known
        if truth.fields.unit is None and not truth.units and truth.fields.kind in ("dial", "digital", "counter")
    ]
    return DrawnScores(
        name=name,
        pictures=len(records),
        failed=sum(reading.status == "error" for reading in readings),
        needle_field_deg=spread([needle_error(truth, reading) for truth, reading in dials]),
        needle_points_deg=spread([points_error(truth.points, reading) for truth, reading in dials]),
        within_span=share_true(case.span_error <= WITHIN_SPAN for case in dial_cases),
        within_span_answered=share_true(case.span_error <= WITHIN_SPAN for case in dial_cases if case.answered),
        dials_abstained=share_true(not case.answered for case in dial_cases),
        span_error_mean=sum(errors) / len(errors) if errors else math.nan,
        span_error_p95=percentile(errors, 95.0),
        scale_ends=share_true(_ends_exact(t, r) for t, r in dials if t.fields.scale_min is not None),
        units=share_true(reading is not None and reading.fields.unit == truth.fields.unit for truth, reading in with_unit),
        units_made_up=share_true(reading is not None and reading.fields.unit is not None for _, reading in without_unit),
        kinds=tuple(score_kind(kind, pairs, cases) for kind in KINDS if any(t.fields.kind == kind for t, _ in known)),
        made_up=share_true(index < len(values) for index in range(given)),
        made_up_sure=sum(reading.value_confidence >= SURE for reading in values),
        unreadable_sure=share_true(c.confidence >= SURE and not c.right for c in cases if not c.readable),
        honesty=honesty(cases),
        by_tilt=error_bins(dial_cases, lambda case: case.tilt_deg, TILT_EDGES_DEG),
        by_size=error_bins(cases, lambda case: case.size_px, SIZE_EDGES_PX),
        by_legibility=error_bins(cases, lambda case: case.legibility, LEGIBILITY_EDGES),
        cases=tuple(cases),
    )


def score_kind(kind: str, pairs: Sequence[Pair], cases: Sequence[Case]) -> KindScore:
    """The readable instruments of one kind."""
    known = [pair for pair in pairs if pair.truth is not None and pair.truth.readable and pair.truth.fields.kind == kind]
    valued = [case for case in cases if case.kind == kind and case.readable]
    field = ANSWER_FIELD.get(kind)
    shown = [] if field is None else [(getattr(p.truth.fields, field), _given(p.reading, field)) for p in known if p.truth]
    shown = [(true, given) for true, given in shown if true is not None]
    return KindScore(
        kind=kind,
        instruments=len(known),
        located=share_true(pair.iou >= LOCATED_IOU for pair in known),
        value_right=share_true(case.right for case in valued),
        value_abstained=share_true(not case.answered for case in valued),
        value_answered_right=share_true(case.right for case in valued if case.answered),
        exact=share_true(given == true for true, given in shown),
        exact_answered=share_true(given == true for true, given in shown if given is not None),
        exact_abstained=share_true(given is None for _, given in shown),
    )


def score_labelled(name: str, labels: Sequence[PhotoLabel], readings: Sequence[PhotoReading]) -> PhotoScores:
    """The measures over labelled photos and their readings, one each, in order."""
    card = score_photos(labels, readings)
    cases = photo_cases(labels, card.rows)
    needles = [row for label, row in zip(labels, card.rows, strict=True) if _needle_asked(label)]
    return PhotoScores(
        name=name,
        card=card,
        needle_within=share_true(row.needle_error_deg < NEEDLE_DEG for row in needles),
        points_within=share_true(row.points_error_deg < NEEDLE_DEG for row in needles),
        sure_made_up=sum(_sure_made_up(label, reading) for label, reading in zip(labels, readings, strict=True)),
        honesty=honesty(cases),
        by_size=error_bins(cases, lambda case: case.size_px, SIZE_EDGES_PX),
        cases=tuple(cases),
    )


def spread(errors: Sequence[float]) -> Spread:
    """Median and P95 of what was measured."""
    kept = [error for error in errors if not math.isnan(error)]
    return Spread(median=median(kept), p95=percentile(kept, 95.0), n=len(kept))


def _needle_asked(label: PhotoLabel) -> bool:
    return label.group == "moving dial" and label.pointer_angle is not None


def _sure_made_up(label: PhotoLabel, reading: PhotoReading) -> int:
    """Made-up values of confidence 0.9 or more where no value is asked for."""
    if label.group not in UNREAD_GROUPS or reading.status == "error":
        return 0
    sure = tuple(one for one in reading.instruments if one.value is not None and one.value_confidence >= SURE)
    return score_photo(label, reading.model_copy(update={"instruments": sure})).made_up


def _ends_exact(truth: InstrumentTruth, reading: InstrumentReading | None) -> bool:
    if reading is None:
        return False
    pairs = ((truth.fields.scale_min, reading.fields.scale_min), (truth.fields.scale_max, reading.fields.scale_max))
    return all(a is not None and b is not None and math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) for a, b in pairs)


def _given(reading: InstrumentReading | None, field: str) -> object:
    return None if reading is None else getattr(reading.fields, field)
