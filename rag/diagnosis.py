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
        return _straddling(touched, limit_unit, language)
    band = touched[0]
    slots = {"level_name": sentence(f"level_{band.level}", language), "band": band_text(band, limit_unit, language)}
    return (Diagnosis("limit_within", touched, slots), *_lamp_findings(band, lamp, facts, language))


def touched_bands(facts: ModelFacts, low: float, high: float) -> tuple[LimitFact, ...]:
    """All bands that the closed interval [low, high] (in the limits' unit) touches, from low to high."""
    ordered = sorted(facts.limits, key=lambda fact: float("-inf") if fact.low is None else fact.low)
    inside = [
        fact
        for fact in ordered
        if (fact.high is None or low <= fact.high)
        and (fact.low is None or high > fact.low or (high == fact.low and fact is ordered[0]))
    ]
    return tuple(inside)


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


def _lamp_findings(band: LimitFact, lamp: LampColor | None, facts: ModelFacts, language: Language) -> tuple[Diagnosis, ...]:
    stated = facts.lamp(lamp) if lamp is not None else None
    grounds: tuple[Fact, ...] = (band, stated) if stated is not None else (band,)
    if lamp == "green" and band.level != "normal":
        return (Diagnosis("lamp_contradicts_high", grounds, {"level_name": sentence(f"level_{band.level}", language)}),)
    if lamp == "red" and band.level == "normal":
        return (Diagnosis("lamp_contradicts_normal", grounds),)
    return ()


def band_text(band: LimitFact, unit: str, language: Language) -> str:
    """A band in words: `above 80 to 100 MPa` has two ends, an open one has one."""
    if band.low is not None and band.high is not None:
        return sentence("band_between", language, low=format_number(band.low), high=format_number(band.high), unit=unit)
    if band.low is not None:
        return sentence("band_above", language, low=format_number(band.low), unit=unit)
    return sentence("band_below", language, high=format_number(band.high or 0.0), unit=unit)
