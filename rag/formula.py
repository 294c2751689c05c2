"""The manual's calibration formula turns a pointer angle into a value with unit and interval.

Angles arrive in the contract's frame (clockwise from 6 o'clock) and are converted to the frame that the manual
declares. Whatever is missing or contradictory gives no value and a reason; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from knowledge.arithmetic import MAX_TEXT, FormulaError
from knowledge.curves import Curve, PointTable, load_curve
from knowledge.facts import AngleFrameFact, Fact, FormulaFact, ModelFacts, RangeFact
from rag.needle import CONTRADICTION_FACTOR, FormulaOptions, angle_half_width, manual_angle, needle_stands
from rag.queries import format_number
from rag.spread import Span, digits_span, evaluate_over, fraction_span, held_within
from rag.templates import clean_reason, sentence
from vision.fields import InstrumentReading, PhotoReading
from vision.units import UnitError, compatible, convert

_NEEDLE = ("pointer_angle", "scale_fraction")
"""Fields that say where the needle stands, the surer one first."""


class Problem(NamedTuple):
    """Why there is no value, or why it is doubted: the name of a sentence and its slots."""

    name: str
    slots: dict[str, str]


@dataclass(frozen=True)
class Calibration:
    """A reading after the manual was asked: the copy, how its angle was counted, and the facts that were used.

    `stated_by` is the sentence that states a value which the manual gave, `slots` what it needs beside the reading's own.
    """

    reading: InstrumentReading
    facts: tuple[Fact, ...] = ()
    angle_deg: float | None = None
    half_width_deg: float | None = None
    half_width_source: str | None = None
    problem: Problem | None = None
    used: bool = False
    slots: dict[str, str] = field(default_factory=dict)
    stated_by: str = "value_formula"


def calibrate(reading: InstrumentReading, facts: ModelFacts, options: FormulaOptions | None = None) -> Calibration:
    """A copy of `reading` with the value from the manual's formula, or without one and with the reason.

    An abstained dial whose needle was found for certain (`needle_stands`) is read after all: the formula needs the
    pointer alone, not the printed scale that gave no value. Any other abstained reading stays as it is. Unchanged
    where the manual has no formula or the formula's variables were not read. A value that the photo alone gave stays,
    with the reason added, unless the manual says that the pointer is off its scale.
    """
    options = options or FormulaOptions()
    if reading.status == "abstained" and (facts.formula is None or not needle_stands(reading, options)):
        return Calibration(reading=reading)
    if facts.formula is None:
        return _with_declared_unit(reading, facts)
    try:
        expression = load_curve(facts.formula.expression, facts.formula.points, facts.formula.text)
    except FormulaError as error:
        return _without(reading, (facts.formula,), Problem("formula_unusable", {"detail": str(error)}))
    if any(getattr(reading.fields, name) is None for name in expression.variables):
        return Calibration(reading=reading)
    unit = facts.formula.unit or expression.unit or (facts.unit.unit if facts.unit else None)
    used: tuple[Fact, ...] = (facts.formula, *((facts.unit,) if facts.unit else ()))
    if unit is None and (reading.value is not None or reading.status == "abstained"):
        # The photo's own value, which may have a unit, says more than a number without one.
        return _without(reading, used, Problem("unit_not_declared", {}))
    if unit is not None and facts.unit is not None and not compatible(unit, facts.unit.unit):
        return _without(reading, used, Problem("units_conflict", {"unit": unit, "declared_unit": facts.unit.unit}))
    if "pointer_angle" not in expression.variables:
        return _told(reading, facts, expression, unit, used, _spans(reading, expression, options), options)
    frame = facts.angle_frame
    if frame is None:
        return _without(reading, used, Problem("angle_frame_not_declared", {}))
    if isinstance(expression, PointTable) and facts.angle_range is None:
        facts = facts.model_copy(update={"angle_range": _measured_angles(facts.formula, expression)})
    return _from_angle(reading, facts, frame, expression, unit, used, options)


def _measured_angles(formula: FormulaFact, table: PointTable) -> RangeFact:
    """A table says nothing beyond its first and last point, whether or not its manual says so too."""
    return RangeFact(chunk=formula.chunk, text=formula.text, low=table.points[0][0], high=table.points[-1][0])


def _from_angle(
    reading: InstrumentReading,
    facts: ModelFacts,
    frame: AngleFrameFact,
    expression: Curve,
    unit: str | None,
    used: tuple[Fact, ...],
    options: FormulaOptions,
) -> Calibration:
    seen = reading.fields.pointer_angle
    if seen is None:
        return Calibration(reading=reading)
    angle = manual_angle(seen, frame)
    half_width, source = angle_half_width(reading, options)
    low, high = angle - half_width, angle + half_width
    used = (*used, frame, *((facts.angle_range,) if facts.angle_range else ()))
    if facts.angle_range is not None:
        first, last = facts.angle_range.low, facts.angle_range.high
        # The same direction may be counted one turn up or down; take the turn nearest to the valid range.
        turn = min((-360.0, 0.0, 360.0), key=lambda t: abs(angle + t - (first + last) / 2))
        angle, low, high = angle + turn, low + turn, high + turn
        if high < first or low > last:
            slots = {"angle": format_number(round(angle, 1)), "low": format_number(first), "high": format_number(last)}
            return _without(reading, used, Problem("angle_outside_range", slots), drop_value=True)
        low, angle, high = held_within(first, last, angle, half_width)
    spans = _spans(reading, expression, options) | {"pointer_angle": (low, angle, high)}
    told = _told(reading, facts, expression, unit, used, spans, options)
    if not told.used:
        return told
    return replace(told, angle_deg=angle, half_width_deg=half_width, half_width_source=source)


def _spans(reading: InstrumentReading, expression: Curve, options: FormulaOptions) -> dict[str, Span]:
    """The intervals of a formula's variables beside the pointer's angle; off its scale a place stands for itself."""
    spans: dict[str, Span] = {}
    fraction, digits = reading.fields.scale_fraction, digits_span(reading)
    if "scale_fraction" in expression.variables and fraction is not None:
        spans["scale_fraction"] = fraction_span(reading, options) or (fraction, fraction, fraction)
    if "digital_readout" in expression.variables and digits is not None:
        spans["digital_readout"] = digits
    return spans


def _told(
    reading: InstrumentReading,
    facts: ModelFacts,
    expression: Curve,
    unit: str | None,
    used: tuple[Fact, ...],
    spans: dict[str, Span],
    options: FormulaOptions,
) -> Calibration:
    """What the formula tells of variables within their intervals."""
    by_needle, by_digits = bool(expression.variables - {"digital_readout"}), "digital_readout" in spans
    try:
        low, value, high = evaluate_over(expression, spans)
    except FormulaError as error:
        return _without(reading, used, Problem("formula_unusable", {"detail": str(error)}), drop_value="pointer_angle" in spans)
    outside = _outside_values(value, (low, high), unit, facts)
    if outside is not None:
        return _without(reading, used, outside, drop_value=True)
    problem = None if unit else Problem("unit_not_declared", {})
    if unit and by_needle and not by_digits:
        problem = _contradiction(reading, (low, high), value, unit, facts, options)
    if reading.status == "abstained":
        problem = Problem("value_rests_on_needle", {"reason": clean_reason(reading.reason, "en")})
    confidence = reading.value_confidence
    if by_needle:
        confidence = next((reading.confidence[name] for name in _NEEDLE if name in reading.confidence), confidence)
    if problem is not None and problem.name == "scale_contradicts_formula":
        confidence *= options.contradiction_factor
    copy = _copy(reading, value, (low, high), unit, confidence, problem)
    if isinstance(expression, PointTable):
        return Calibration(copy, used, problem=problem, used=True, stated_by="value_table")
    name = "value_formula" if "pointer_angle" in spans else "value_formula_digits" if by_digits else "value_formula_place"
    slots = {"formula": _as_written(facts, expression)}
    return Calibration(copy, used, problem=problem, used=True, slots=slots, stated_by=name)


def _with_declared_unit(reading: InstrumentReading, facts: ModelFacts) -> Calibration:
    """Digits that the manual calls the reading itself get the manual's unit where the photo shows none."""
    if facts.readout is None or facts.unit is None or reading.value is None or reading.value_source != "digits":
        return Calibration(reading=reading)
    used: tuple[Fact, ...] = (facts.readout, facts.unit)
    if reading.unit is None:
        copy = InstrumentReading.model_validate({**reading.model_dump(), "unit": facts.unit.unit})
        return Calibration(reading=copy, facts=used)
    if not compatible(reading.unit, facts.unit.unit):
        problem = Problem("unit_contradicts_manual", {"unit": reading.unit, "declared_unit": facts.unit.unit})
        doubted = {"reason": reason_text(problem), "value_confidence": reading.value_confidence * CONTRADICTION_FACTOR}
        return Calibration(InstrumentReading.model_validate({**reading.model_dump(), **doubted}), used, problem=problem)
    return Calibration(reading=reading)


def _as_written(facts: ModelFacts, expression: Curve) -> str:
    """The formula as the manual writes it; in plain signs where its text is more than the formula."""
    written = facts.formula.text.strip().rstrip(".。") if facts.formula is not None else ""
    return written if "=" in written and len(written) <= MAX_TEXT else expression.source.replace("_", " ")


def _outside_values(value: float, interval: tuple[float, float], unit: str | None, facts: ModelFacts) -> Problem | None:
    """The problem where no part of the interval lies in the manual's measuring range."""
    span = facts.value_range
    if span is None or unit is None:
        return None
    try:
        low, high = (convert(end, span.unit or unit, unit) for end in (span.low, span.high))
    except UnitError:
        return Problem("units_conflict", {"unit": unit, "declared_unit": span.unit or unit})
    # Ends of the range are reached exactly at the scale's ends; forgive rounding, nothing more.
    slack = 1e-6 * max(abs(low), abs(high), 1.0)
    if interval[1] < low - slack or interval[0] > high + slack:
        slots = {"value": format_number(value), "low": format_number(low), "high": format_number(high), "unit": unit}
        return Problem("value_outside_range", slots)
    return None


def _contradiction(
    reading: InstrumentReading, interval: tuple[float, float], value: float, unit: str, facts: ModelFacts, options: FormulaOptions
) -> Problem | None:
    """The problem where the value printed on the photo's own scale lies far from the formula's."""
    if reading.value is None or reading.value_low is None or reading.value_high is None or reading.unit is None:
        return None
    if reading.value_source not in ("printed_scale", "numerals", "digits"):
        return None
    slots = {"formula_value": f"{format_number(value, (interval[1] - interval[0]) / 2)} {unit}"}
    slots["photo_value"] = f"{format_number(reading.value, (reading.value_high - reading.value_low) / 2)} {reading.unit}"
    try:
        low, high = sorted(convert(end, reading.unit, unit) for end in (reading.value_low, reading.value_high))
    except UnitError:
        return Problem("scale_contradicts_formula", slots)
    span = facts.value_range
    scale = abs(value)
    if span is not None and (span.unit is None or compatible(span.unit, unit)):
        scale = abs(convert(span.high, span.unit or unit, unit) - convert(span.low, span.unit or unit, unit))
    gap = max(low - interval[1], interval[0] - high, 0.0)
    return Problem("scale_contradicts_formula", slots) if gap > options.contradiction_gap * scale else None


def _copy(
    reading: InstrumentReading,
    value: float,
    interval: tuple[float, float],
    unit: str | None,
    confidence: float,
    problem: Problem | None,
) -> InstrumentReading:
    changed = {
        "value": value,
        "value_low": interval[0],
        "value_high": interval[1],
        "unit": unit,
        "value_source": "calibration_formula",
        "value_confidence": min(max(confidence, 0.0), 1.0),
        "reason": reason_text(problem) if problem else reading.reason,
        "status": "read",
    }
    return InstrumentReading.model_validate({**reading.model_dump(), **changed})


def _without(reading: InstrumentReading, used: tuple[Fact, ...], problem: Problem, *, drop_value: bool = False) -> Calibration:
    """The reading without a value from the formula. Where the pointer is off the scale the photo's value goes too."""
    if reading.status == "abstained":
        return Calibration(reading=reading)
    changed: dict[str, object] = {"reason": reason_text(problem)}
    if drop_value:
        changed |= {"value": None, "value_low": None, "value_high": None, "value_source": None, "value_confidence": 0.0}
    copy = InstrumentReading.model_validate({**reading.model_dump(), **changed})
    return Calibration(reading=copy, facts=used, problem=problem)


def replace_instruments(photo: PhotoReading, instruments: Sequence[InstrumentReading]) -> PhotoReading:
    """`photo` with its instruments after calibration; its status follows from theirs."""
    read = any(one.status == "read" for one in instruments)
    changed: dict[str, object] = {"instruments": tuple(instruments)}
    if read and photo.status != "read":
        changed |= {"status": "read", "reason": None}
    elif not read and photo.status == "read":
        reasons = dict.fromkeys(one.reason or "" for one in instruments)
        changed |= {"status": "abstained", "reason": "; ".join(reasons) or "nothing could be read"}
    return photo.model_copy(update=changed)


def reason_text(problem: Problem) -> str:
    """The problem in English, as the reading's `reason`."""
    return sentence(problem.name, "en", **problem.slots).rstrip(".")
