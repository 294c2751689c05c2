"""What may be stated of one instrument, from all that was seen of it.

Each kind has its own witnesses: the Donut and the printed numerals for a dial, the Donut and the packaged OCR for
a display, the Donut alone for lamps and selectors. Fields that are too unsure are dropped, not guessed; a value is
stated only where its support is enough, otherwise the reading abstains with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from vision.calibration import Calibration
from vision.class_value import CLASS_FIELD, LABELS, ClassVotes, choose_class, with_class
from vision.crops import Pixels
from vision.dial_value import dial_value
from vision.digit_reader import DigitReader
from vision.display_value import display_value
from vision.doubts import why_not_stated, why_two_hands
from vision.fields import POINT_NAMES, Box, EvidencePoints, GaugeFields, InstrumentReading, Kind, Point, ValueSource
from vision.generate import Chosen
from vision.lamp_color import LampModel, lamp_features
from vision.line_crop import LinePlace
from vision.line_reader import LineReader
from vision.numerals import NumeralReader, PrintedText
from vision.possible import why_impossible
from vision.state_pool import StatePools
from vision.support import NO_SUPPORT, Support
from vision.unit_lines import UnitFinder

MIN_FIELD_CONFIDENCE = 0.1
MIN_CLASS_CONFIDENCE = 0.85
"""Raw, of a lamp's colour or a selector's position, where the calibration knows no better limit."""
MIN_POINT_CONFIDENCE = 0.3


@dataclass(frozen=True)
class Evidence:
    """What locating and the Donut found; box and points in pixels of `image`."""

    image: Pixels
    box: Box
    box_score: float
    fields: GaugeFields | None
    problem: str | None
    chosen: Mapping[str, Sequence[Chosen]]
    points: EvidencePoints
    point_confidence: Mapping[str, float]
    too_small: bool
    point_spread: Mapping[str, float] = field(default_factory=dict)
    """How far apart the looks found each point, in pixels of `image`."""
    unit_places: tuple[LinePlace, ...] = ()
    """Where units may be printed, as a heat map says; pixels of `image`."""
    numeral_places: tuple[Point, ...] = ()
    """Where numerals are printed, as a heat map says; pixels of `image`."""
    votes: ClassVotes | None = None
    """What several looks say of a lamp's colour or a selector's position."""
    row_place: LinePlace | None = None
    """Where the main row of digits stands, as the model's points say; pixels of `image`."""


class Value(NamedTuple):
    """A value with its interval and support, or None with the reason; `unit` as the value carries it."""

    value: float | None
    low: float | None = None
    high: float | None = None
    unit: str | None = None
    source: ValueSource | None = None
    confidence: float = 0.0
    reason: str | None = None
    fields: GaugeFields | None = None
    texts: tuple[PrintedText, ...] = ()
    points: EvidencePoints | None = None
    confidences: Mapping[str, float] | None = None
    """Calibrated confidences of fields that a witness read better than the Donut."""
    signals: Mapping[str, float] = MappingProxyType({})
    """What speaks for and against the value (`vision.signals`)."""
    least_half: float = 0.0
    """Half the narrowest interval that is honest at this size and scale."""


class Judged(NamedTuple):
    """The reading in pixels of the image, and the texts that were printed on the instrument."""

    reading: InstrumentReading
    texts: tuple[PrintedText, ...]
    signals: Mapping[str, float] = MappingProxyType({})
    least_half: float = 0.0


def raw_confidence(chosen: Sequence[Chosen]) -> float:
    """Product of the probabilities of the choices that spell one field."""
    return math.prod(choice.probability for choice in chosen) if chosen else 0.0


def field_confidences(chosen: Mapping[str, Sequence[Chosen]], calibration: Calibration) -> dict[str, float]:
    """Calibrated confidence of each field that the Donut wrote."""
    return {name: round(calibration(name, raw_confidence(choices)), 4) for name, choices in chosen.items()}


def sure_fields(fields: GaugeFields, confidence: Mapping[str, float]) -> GaugeFields:
    """The fields without those that are too unsure to be called read."""
    unsure = {
        name: None
        for name, value in fields.model_dump().items()
        if name not in ("kind", "scale_points", "channels")
        and value is not None
        and confidence.get(name, 0.0) < MIN_FIELD_CONFIDENCE
    }
    return fields.model_copy(update=unsure)


def judge(
    evidence: Evidence,
    numerals: NumeralReader,
    calibration: Calibration,
    text_side_px: int,
    lines: LineReader | None = None,
    support: Support = NO_SUPPORT,
    min_value_confidence: float = 0.0,
    digits: DigitReader | None = None,
    lamp: LampModel | None = None,
    pools: StatePools | None = None,
) -> Judged:
    """Decide what is stated of the instrument. `lines` and `digits`, where they are, read units and rows of digits too.

    `support` gives a value its probability and its interval's width; below `min_value_confidence` it is not stated.
    `lamp` knows a lamp's colour by its pixels, `pools` how much the state reader counts.
    """
    confidence = field_confidences(evidence.chosen, calibration)
    kind: Kind = evidence.fields.kind if evidence.fields is not None else "dial"
    if evidence.fields is None:
        return Judged(_abstained(evidence, GaugeFields(kind=kind), {}, evidence.problem or "nothing could be read"), ())
    if evidence.too_small:
        width, height = evidence.box[2] - evidence.box[0], evidence.box[3] - evidence.box[1]
        reason = f"the instrument is too small in the photo to be read ({width:.0f} x {height:.0f} pixels); move closer"
        return Judged(_abstained(evidence, GaugeFields(kind=kind), {"kind": confidence.get("kind", 0.0)}, reason), ())
    fields = sure_fields(evidence.fields, confidence)
    sure = replace(evidence, points=EvidencePoints())
    if kind == "dial":
        places = {name: calibration(name, evidence.point_confidence.get(name, 0.0)) for name in POINT_NAMES}
        confidence |= {name: round(place, 4) for name, place in places.items()}
        kept = {name: getattr(evidence.points, name) for name in POINT_NAMES if places[name] >= MIN_POINT_CONFIDENCE}
        sure = replace(evidence, points=EvidencePoints(**kept))
        units = None if lines is None else UnitFinder(lines)
        value = dial_value(sure, fields, confidence, calibration, numerals, text_side_px, units)
    elif kind in ("digital", "counter"):
        value = display_value(sure, fields, confidence, numerals, text_side_px, lines, digits)
    else:
        return Judged(_class_reading(sure, fields, confidence, calibration, lamp, pools), ())
    stated = value.fields or fields
    confidence |= value.confidences or {}
    sure = replace(sure, points=value.points or sure.points)
    if value.value is None or value.low is None or value.high is None or value.source is None:
        return Judged(_abstained(sure, stated, confidence, value.reason or "no value could be supported"), value.texts)
    impossible = why_impossible(value.value, value.unit, (stated.scale_min, stated.scale_max))
    if impossible is not None:
        return Judged(_abstained(sure, stated, confidence, impossible), value.texts)
    two_hands = why_two_hands(value.signals)
    if two_hands is not None:
        return Judged(_abstained(sure, stated, confidence, two_hands), value.texts, value.signals)
    probability = support.probability(value.source, value.signals)
    if probability is not None and probability < min_value_confidence:
        reason = why_not_stated(value.source, support.contributions(value.source, value.signals), probability)
        return Judged(_abstained(sure, stated, confidence, reason), value.texts, value.signals)
    known = calibration(f"value_{value.source}", value.confidence) if probability is None else probability
    low, high = support.widened(value.source, value.low, value.value, value.high, value.least_half)
    reading = InstrumentReading(
        kind=kind,
        box=sure.box,
        points=sure.points,
        fields=stated,
        confidence=confidence,
        value_confidence=round(known, 4),
        value=value.value,
        value_low=low,
        value_high=high,
        unit=value.unit,
        value_source=value.source,
        status="read",
        reason=value.reason,
    )
    return Judged(reading, value.texts, value.signals, value.least_half)


def _class_reading(
    evidence: Evidence,
    fields: GaugeFields,
    confidence: dict[str, float],
    calibration: Calibration,
    lamp: LampModel | None,
    pools: StatePools | None,
) -> InstrumentReading:
    """A lamp's colour or a selector's position, without a number: stated where the witnesses are sure enough together."""
    name = CLASS_FIELD[fields.kind]
    what = "colour of the lamp" if fields.kind == "lamp" else "selector's position"
    votes = evidence.votes or _single_vote(name, evidence, fields)
    pixels = lamp_features(evidence.image, evidence.box) if fields.kind == "lamp" else None
    choice = choose_class(name, votes, pixels, lamp, pools)
    sure = calibration(name, choice.confidence)
    confidence = {**confidence, name: round(sure, 4)}
    if choice.confidence < calibration.limits.get(name, MIN_CLASS_CONFIDENCE):
        reason = f"the {what} is not clear (confidence {sure:.2f})"
        if choice.rival is not None:
            reason = f"two looks at the lamp disagree: the model's and that at its pixels ({choice.rival})"
        return _abstained(evidence, with_class(fields, name, None), confidence, reason)
    return InstrumentReading(
        kind=fields.kind,
        box=evidence.box,
        points=evidence.points,
        fields=with_class(fields, name, choice.label),
        confidence=confidence,
        value_confidence=0.0,
        status="read",
    )


def _single_vote(name: str, evidence: Evidence, fields: GaugeFields) -> ClassVotes:
    """The decoded class alone, where no further looks were taken."""
    shares = dict.fromkeys(LABELS[name], 0.0)
    if getattr(fields, name) is not None:
        shares[str(getattr(fields, name))] = raw_confidence(evidence.chosen.get(name, ()))
    return ClassVotes(raw_confidence(evidence.chosen.get("kind", ())), shares)


def _abstained(evidence: Evidence, fields: GaugeFields, confidence: dict[str, float], reason: str) -> InstrumentReading:
    return InstrumentReading(
        kind=fields.kind,
        box=evidence.box,
        points=evidence.points,
        fields=fields,
        confidence=confidence,
        status="abstained",
        reason=reason,
    )
