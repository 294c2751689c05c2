"""One real photo against its label: whether the answer is right, how far off, and what was made up."""

from __future__ import annotations

from collections.abc import Sequence

from eval.labels import Group, PhotoLabel
from eval.matching import MATCH_IOU
from eval.score import NAN, Number
from eval.values import angle_error_deg, inside, number_fits, value_fits, value_in_unit
from vision.fields import Box, Contract, InstrumentReading, PhotoReading
from vision.plane import box_area, box_iou, clock_angle

UNREAD_GROUPS: tuple[Group, ...] = ("panel", "out of scope")
"""Groups in which no value is asked for: what counts there is how many were made up."""


class PhotoRow(Contract):
    """One photo scored: label, answer and verdict, for the debugging table.

    `iou` is 0 where no instrument was found in the labelled box. `needle_error_deg` compares the field
    with the label in the dial's frame, `points_error_deg` the needle's two points in the picture.
    """

    id: str
    source: str
    kind: str
    group: Group
    status: str
    answered: bool
    right: bool
    right_any_unit: bool
    value: float | None
    value_low: float | None
    value_high: float | None
    unit: str | None
    value_source: str | None
    value_confidence: float
    label: float | None
    label_low: float | None
    label_high: float | None
    label_unit: str | None
    span_error: Number
    holds: bool
    iou: Number
    needle_error_deg: Number
    points_error_deg: Number
    values_given: int
    made_up: int
    reason: str | None


def score_photo(label: PhotoLabel, reading: PhotoReading) -> PhotoRow:
    """One photo: the instrument found in the labelled box answers for it."""
    main, iou = main_reading(label, reading.instruments)
    value = main.value if main is not None else None
    unit = main.unit if main is not None else None
    # With one instrument in the photo there is nothing to mix up, and a loose box does not make the value wrong.
    found = label.instruments == 1 or (main is not None and concerns(label, main))
    right = right_number = False
    if value is not None and found and label.low is not None and label.high is not None:
        right = value_fits(value, unit, label.low, label.high, label.unit)
        right_number = number_fits(value, unit, label.low, label.high, label.unit)
    return PhotoRow(
        id=label.id,
        source=label.source,
        kind=label.kind,
        group=label.group,
        status=reading.status,
        answered=value is not None,
        right=right,
        right_any_unit=right_number,
        value=value,
        value_low=main.value_low if main is not None else None,
        value_high=main.value_high if main is not None else None,
        unit=unit,
        value_source=main.value_source if main is not None else None,
        value_confidence=main.value_confidence if main is not None else 0.0,
        label=label.reading,
        label_low=label.low,
        label_high=label.high,
        label_unit=label.unit,
        span_error=_span_error(label, value, unit),
        holds=main is not None and _interval_holds(label, main),
        iou=NAN if label.box is None else iou,
        needle_error_deg=_needle_error(label, main),
        points_error_deg=_points_error(label, main),
        values_given=sum(one.value is not None for one in reading.instruments),
        made_up=_made_up(label, reading.instruments),
        reason=(main.reason if main is not None else None) or reading.reason,
    )


def concerns(label: PhotoLabel, one: InstrumentReading) -> bool:
    """Whether the reading is about the labelled instrument: the boxes overlap, or one's centre lies in the other.

    The latter takes a display read inside a larger face, and a box drawn far too wide.
    """
    if label.box is None:
        return True
    return box_iou(label.box, one.box) >= MATCH_IOU or _holds_centre(label.box, one.box) or _holds_centre(one.box, label.box)


def main_reading(label: PhotoLabel, instruments: Sequence[InstrumentReading]) -> tuple[InstrumentReading | None, float]:
    """The reading that overlaps the labelled box best; where none does, the largest one with a value.

    The latter keeps a value read elsewhere in the photo from passing as an abstention: it is an answer, and wrong.
    """

    def rank(one: InstrumentReading) -> tuple[bool, float, bool, float, str]:
        iou = box_iou(label.box, one.box) if label.box else 0.0
        about = concerns(label, one)
        return about, iou if about else 0.0, one.value is not None, box_area(one.box), one.model_dump_json()

    if not instruments:
        return None, 0.0
    best = max(instruments, key=rank)
    return best, (box_iou(label.box, best.box) if label.box else 0.0)


def _span_error(label: PhotoLabel, value: float | None, unit: str | None) -> float:
    if value is None or label.reading is None or label.scale_min is None or label.scale_max is None:
        return NAN
    converted = value_in_unit(value, unit, label.unit)
    span = abs(label.scale_max - label.scale_min)
    return abs((value if converted is None else converted) - label.reading) / span if span else NAN


def _interval_holds(label: PhotoLabel, main: InstrumentReading) -> bool:
    """Whether the reading's interval meets the label's: the label is itself known to its interval only."""
    if main.value_low is None or main.value_high is None or label.low is None or label.high is None:
        return False
    low = value_in_unit(main.value_low, main.unit, label.unit)
    high = value_in_unit(main.value_high, main.unit, label.unit)
    return low is not None and high is not None and min(low, high) <= label.high and max(low, high) >= label.low


def _needle_error(label: PhotoLabel, main: InstrumentReading | None) -> float:
    if main is None or main.fields.pointer_angle is None or label.pointer_angle is None:
        return NAN
    return angle_error_deg(main.fields.pointer_angle, label.pointer_angle)


def _points_error(label: PhotoLabel, main: InstrumentReading | None) -> float:
    """The needle's angle in the picture against the label's, the dial's roll taken off."""
    if main is None or label.pointer_angle is None or main.points.pivot is None or main.points.needle_tip is None:
        return NAN
    seen = clock_angle(main.points.pivot, main.points.needle_tip) - label.roll_deg
    return angle_error_deg(seen, label.pointer_angle)


def _made_up(label: PhotoLabel, instruments: Sequence[InstrumentReading]) -> int:
    """Values that nothing bears out: on a panel neither label nor notes, elsewhere off the only instrument of the photo."""
    values = [one for one in instruments if one.value is not None]
    if label.group in UNREAD_GROUPS:
        return sum(not _borne_out(label, one) for one in values)
    return sum(not concerns(label, one) for one in values) if label.instruments == 1 else 0


def _borne_out(label: PhotoLabel, one: InstrumentReading) -> bool:
    if one.value is None or any(inside(one.value, *noted) for noted in label.noted_intervals):
        return True
    if label.low is None or label.high is None or not concerns(label, one):
        return False
    return value_fits(one.value, one.unit, label.low, label.high, label.unit)


def _holds_centre(outer: Box, inner: Box) -> bool:
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]
