"""The value against the manual's limits: arithmetic alone, no language model.

An interval that lies on both sides of a limit is said to do so; what no band covers, what has no unit and what is
stated in a unit of something else is not compared. Nothing here decides what cannot be decided.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from knowledge.articles import Language
from knowledge.facts import LEVELS, Fact, LimitFact, LimitLevel, ModelFacts, RangeFact
from rag.limits import (
    Interval,
    band_text,
    border,
    convert_interval,
    level_name,
    levels_of,
    limits_for,
    span_of,
    touched_bands,
    unit_of,
    unstated,
)
from rag.queries import format_number
from vision.fields import InstrumentReading


@dataclass(frozen=True)
class Diagnosis:
    """One finding: the name of its sentence, the slots, and the facts that it rests on.

    `least` and `most` are the gravest level that it proves and the gravest that it leaves possible; None where it
    says nothing about that. `workings` are the lines of arithmetic behind numbers that stand in no document.
    `earlier` marks a finding that rests on earlier readings too.
    """

    name: str
    facts: tuple[Fact, ...] = ()
    slots: dict[str, str] = field(default_factory=dict)
    least: LimitLevel | None = None
    most: LimitLevel | None = None
    workings: tuple[str, ...] = ()
    earlier: bool = False


def interval_of(reading: InstrumentReading) -> Interval | None:
    """The reading's interval in its own unit, or None where there is no value."""
    if reading.value is None or reading.value_low is None or reading.value_high is None:
        return None
    return Interval(reading.value_low, reading.value_high)


def judge_value(reading: InstrumentReading, facts: ModelFacts, language: Language) -> tuple[Diagnosis, ...]:
    """Where the value lies among the manual's limits; empty where there is no value."""
    interval = interval_of(reading)
    if interval is None:
        return ()
    if not facts.limits:
        return (Diagnosis("limit_not_stated"),)
    limit_unit = next((unit for limit in facts.limits if (unit := unit_of(limit, facts)) is not None), None)
    if limit_unit is None:
        return (Diagnosis("limit_unit_not_declared", facts.limits[:1], most=LEVELS[-1]),)
    if reading.unit is None:
        slots = {"limit_unit": limit_unit}
        return (Diagnosis("limit_no_unit", facts.limits[:1], slots, most=LEVELS[-1], workings=(limit_unit,)),)
    limits = limits_for(facts, reading.unit)
    if not limits:
        slots = {"unit": reading.unit, "limit_unit": limit_unit}
        return (Diagnosis("limit_unit_differs", facts.limits[:1], slots, most=LEVELS[-1], workings=(limit_unit,)),)
    unit = limits[0].unit or limit_unit
    converted = convert_interval(interval, reading.unit, unit)
    said = _say_converted(reading, converted, unit) if reading.unit != unit else ()
    return (*said, *_beyond_range(converted, facts.value_range, unit), *_place(limits, converted, facts, unit, language))


def _say_converted(reading: InstrumentReading, interval: Interval, unit: str) -> tuple[Diagnosis, ...]:
    """The value in the unit of the limits; not said where it leaves the range of numbers."""
    if reading.value is None or not all(math.isfinite(end) for end in interval):
        return ()
    value = convert_interval(Interval(reading.value, reading.value), reading.unit or unit, unit).low
    half = (interval.high - interval.low) / 2
    numbers = {"value": value, "value_low": interval.low, "value_high": interval.high}
    slots = {name: format_number(number, half) for name, number in numbers.items()}
    workings = tuple(f"{number} {unit}" for number in slots.values())
    return (Diagnosis("value_converted", (), {**slots, "unit": unit}, workings=workings),)


def _place(
    limits: Sequence[LimitFact], interval: Interval, facts: ModelFacts, unit: str, language: Language
) -> tuple[Diagnosis, ...]:
    touched = touched_bands(limits, interval)
    if not touched:
        return (Diagnosis("limit_outside_stated", tuple(limits), most=LEVELS[-1]),)
    levels = levels_of(touched)
    if unstated(touched, interval, span_of(facts.value_range, unit)):
        partly = Diagnosis("limit_partly_stated", touched, least=LEVELS[0], most=LEVELS[-1])
        return (*_straddling(touched, unit, language), partly)
    if len(levels) > 1:
        return _straddling(touched, unit, language)
    slots = {"level_name": level_name(levels[0], language), "band": band_text(touched[0], unit, language)}
    return (Diagnosis("limit_within", touched, slots, least=levels[0], most=levels[0]),)


def _beyond_range(interval: Interval, stated: RangeFact | None, unit: str) -> tuple[Diagnosis, ...]:
    """A value of which no part lies in the measuring range is no reading to be trusted."""
    span = span_of(stated, unit)
    if stated is None or span is None or interval.touches(span) or interval.within(span):
        return ()
    slots = {"low": format_number(span.low), "high": format_number(span.high), "unit": unit}
    workings = (f"{slots['low']} {unit}", f"{slots['high']} {unit}")
    return (Diagnosis("range_exceeded", (stated,), slots, least="warning", most=LEVELS[-1], workings=workings),)


def _straddling(touched: Sequence[LimitFact], unit: str, language: Language) -> tuple[Diagnosis, ...]:
    levels = levels_of(touched)
    found: list[Diagnosis] = []
    for lower, upper in pairwise(touched):
        limit = border(lower, upper)
        if lower.level == upper.level or limit is None:
            continue
        slots = {
            "limit": format_number(limit),
            "unit": unit,
            "lower_level": level_name(lower.level, language),
            "upper_level": level_name(upper.level, language),
        }
        above = LEVELS.index(upper.level) > LEVELS.index(lower.level)
        name = "limit_straddles" if above else "limit_straddles_low"
        found.append(Diagnosis(name, (lower, upper), slots, least=levels[0], most=levels[-1]))
    return tuple(found)


def value_levels(findings: Sequence[Diagnosis]) -> tuple[LimitLevel, ...]:
    """All levels in which the value may lie by its limits; empty where it was not compared or not all of it is stated."""
    if any(finding.name in ("limit_partly_stated", "limit_outside_stated") for finding in findings):
        return ()
    judged = [finding for finding in findings if finding.name.startswith(("limit_within", "limit_straddles"))]
    return levels_of(fact for finding in judged for fact in finding.facts if isinstance(fact, LimitFact))
