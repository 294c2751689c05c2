"""The value against the manual's limits: arithmetic alone, no language model.

An interval that lies on both sides of a limit is said to do so; a lamp that tells another story than the value is
named as a contradiction. Nothing here decides what cannot be decided.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from knowledge.articles import Language
from knowledge.facts import Fact, LimitFact, ModelFacts
from rag.queries import format_number
from rag.templates import sentence
from vision.fields import InstrumentReading, LampColor
from vision.units import UnitError, convert

Finding = Literal[
    "limit_within",
    "limit_straddles",
    "limit_not_stated",
    "limit_unit_differs",
    "lamp_contradicts_high",
    "lamp_contradicts_normal",
]


@dataclass(frozen=True)
class Diagnosis:
    """One finding: the name of its sentence, the slots, and the facts that it rests on."""

    name: Finding
    facts: tuple[Fact, ...] = ()
    slots: dict[str, str] = field(default_factory=dict)


def judge_value(
    reading: InstrumentReading, facts: ModelFacts, lamp: LampColor | None, language: Language
) -> tuple[Diagnosis, ...]:
    """Findings about a reading with a value. `lamp` is the colour of the lamp that belongs to this instrument.

    Empty where there is no value or no unit: without a unit nothing can be compared.
    """
    if reading.value is None or reading.value_low is None or reading.value_high is None or reading.unit is None:
        return ()
    if not facts.limits:
        return (Diagnosis("limit_not_stated"),)
    limit_unit = next((fact.unit for fact in facts.limits if fact.unit), None) or (facts.unit.unit if facts.unit else None)
    if limit_unit is None:
        return (Diagnosis("limit_not_stated"),)
    try:
        low, high = sorted(convert(end, reading.unit, limit_unit) for end in (reading.value_low, reading.value_high))
    except UnitError:
        return (Diagnosis("limit_unit_differs", facts.limits[:1], {"unit": reading.unit, "limit_unit": limit_unit}),)
    touched = touched_bands(facts, low, high)
    if not touched:
        return (Diagnosis("limit_not_stated"),)
    if len({band.level for band in touched}) > 1:
        return (*_straddling(touched, limit_unit, language), *_lamp_findings(touched, lamp, facts, language))
    band = touched[0]
    slots = {"level_name": sentence(f"level_{band.level}", language), "band": band_text(band, limit_unit, language)}
    return (Diagnosis("limit_within", touched, slots), *_lamp_findings(touched, lamp, facts, language))


def touched_bands(facts: ModelFacts, low: float, high: float) -> tuple[LimitFact, ...]:
    """All bands that the closed interval [low, high] (in the limits' unit) touches, from low to high."""
    ordered = sorted(facts.limits, key=lambda fact: float("-inf") if fact.low is None else fact.low)
    return tuple(fact for fact in ordered if _reaches(fact, low, high))


def _reaches(band: LimitFact, low: float, high: float) -> bool:
    below = band.high is None or low < band.high or (band.high_included and low == band.high)
    above = band.low is None or high > band.low or (band.low_included and high == band.low)
    return below and above


def _straddling(touched: tuple[LimitFact, ...], unit: str, language: Language) -> tuple[Diagnosis, ...]:
    found: list[Diagnosis] = []
    for lower, upper in pairwise(touched):
        limit = lower.high if lower.high is not None else upper.low
        if lower.level == upper.level or limit is None:
            continue
        slots = {
            "limit": format_number(limit),
            "unit": unit,
            "lower_level": sentence(f"level_{lower.level}", language),
            "upper_level": sentence(f"level_{upper.level}", language),
        }
        found.append(Diagnosis("limit_straddles", (lower, upper), slots))
    return tuple(found)


def _lamp_findings(
    touched: tuple[LimitFact, ...], lamp: LampColor | None, facts: ModelFacts, language: Language
) -> tuple[Diagnosis, ...]:
    """Contradictions that hold wherever in its interval the value lies."""
    stated = facts.lamp(lamp) if lamp is not None else None
    grounds: tuple[Fact, ...] = (*touched, stated) if stated is not None else touched
    levels = {band.level for band in touched}
    if lamp == "green" and "normal" not in levels:
        level = sentence(f"level_{'warning' if 'warning' in levels else 'alarm'}", language)
        return (Diagnosis("lamp_contradicts_high", grounds, {"level_name": level}),)
    if lamp == "red" and levels == {"normal"}:
        return (Diagnosis("lamp_contradicts_normal", grounds),)
    return ()


def band_text(band: LimitFact, unit: str, language: Language) -> str:
    """A band in words, its open and excluded ends told apart: `above 80 to 100 MPa`, `below 196 V`."""
    ends = {name: format_number(end) for name, end in (("low", band.low), ("high", band.high)) if end is not None}
    if len(ends) == 2:
        name = "band_between" if band.low_included else "band_above_to"
    elif band.low is not None:
        name = "band_from" if band.low_included else "band_above"
    else:
        name = "band_up_to" if band.high_included else "band_below"
    return sentence(name, language, unit=unit, **ends)
