"""What a report must say, found from reading and manual without the report's own planning; and whether it says it.

Judged with this room's claims and quantities, which share no code with the check that the report passed before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from eval.claims_en import english_terms
from eval.claims_zh import chinese_terms, negation_count
from eval.evidence import all_terms
from eval.quantities import Quantity, bears_out, find_quantities
from knowledge.articles import Language
from knowledge.facts import LimitFact, ModelFacts
from rag.pipeline import Inspection
from vision.fields import InstrumentReading
from vision.units import UnitError, convert

Topic = Literal["value", "interval", "unit", "angle", "colour", "position", "digits", "lamp", "mode", "limit", "procedure"]
COVERED = 0.9
"""Share of a fact's words that one statement must hold."""

_NEGATIONS_EN = re.compile(r"\b(?:not|no|never|none|without|cannot|nor|neither|only|unless|except)\b|n't\b", re.IGNORECASE)
_COLORS: dict[Language, dict[str, str]] = {
    "en": {"red": "red", "yellow": "yellow", "green": "green", "off": "off"},
    "zh": {"red": "红", "yellow": "黄", "green": "绿", "off": "熄灭"},
}
_LEVELS: dict[Language, dict[str, str]] = {
    "en": {"normal": "normal", "warning": "warning", "alarm": "alarm"},
    "zh": {"normal": "正常", "warning": "预警", "alarm": "报警"},
}
_VALUE_SENTENCE = re.compile(r"\b(?:reading|value) is\b|formula .* gives\b|读数为|得 ")


class Required(NamedTuple):
    """Something that the report must say: its words, and the quantities that must stand with them."""

    topic: Topic
    text: str
    quantities: tuple[Quantity, ...] = ()


class Said(NamedTuple):
    """Whether a required fact was found, and with its quantities and negations."""

    required: Required
    found: bool
    quantities_kept: bool
    negations_kept: bool


def required_facts(inspection: Inspection, facts: ModelFacts | None, language: Language) -> list[Required]:
    """All that a report on one instrument must say, given what was read and what its manual states."""
    found: list[Required] = []
    for one in inspection.reading.instruments:
        if one.status != "read":
            continue
        found += _seen(one, language)
        if one.value is not None:
            found += _valued(one)
        if facts is not None and one.instrument_model == facts.model:
            found += _stated(one, facts, language)
    return found


def _seen(one: InstrumentReading, language: Language) -> list[Required]:
    fields = one.fields
    found: list[Required] = []
    if fields.pointer_angle is not None:
        found.append(Required("angle", "", find_quantities(f"{fields.pointer_angle:g}°")))
    if fields.warning_light_color is not None:
        found.append(Required("colour", _COLORS[language][fields.warning_light_color]))
    if fields.mode_dial_position is not None:
        found.append(Required("position", "", find_quantities(str(fields.mode_dial_position))))
    if fields.digital_readout is not None:
        found.append(Required("digits", fields.digital_readout))
    return found


def _valued(one: InstrumentReading) -> list[Required]:
    unit = one.unit or ""
    ends = find_quantities(f"between {one.value_low:.10g} and {one.value_high:.10g} {unit}")
    found = [Required("value", "", find_quantities(f"{one.value:.10g} {unit}")), Required("interval", "", ends)]
    return [*found, Required("unit", unit)] if unit else found


def _stated(one: InstrumentReading, facts: ModelFacts, language: Language) -> list[Required]:
    found: list[Required] = []
    color, position = one.fields.warning_light_color, one.fields.mode_dial_position
    lamp = facts.lamp(color) if color is not None else None
    if lamp is not None:
        found.append(_worded("lamp", lamp.meaning))
        if lamp.action.strip():
            found.append(_worded("lamp", lamp.action))
    mode = facts.mode(position) if position is not None else None
    if mode is not None:
        found += [_worded("mode", f"{mode.name}: {mode.meaning}")]
    if color == "red" and facts.emergency is not None:
        found.append(Required("procedure", facts.emergency.section))
    band = _band(one, facts)
    if band is not None:
        ends = [f"{end:g} {band.unit}" for end in (band.low, band.high) if end is not None]
        quantities = tuple(quantity for end in ends for quantity in find_quantities(end))
        found.append(Required("limit", _LEVELS[language][band.level], quantities))
    return found


def _worded(topic: Topic, text: str) -> Required:
    return Required(topic, text, find_quantities(text))


def _band(one: InstrumentReading, facts: ModelFacts) -> LimitFact | None:
    """The band that holds the whole interval, or None where there is none or the interval crosses a limit."""
    if one.value_low is None or one.value_high is None or one.unit is None:
        return None
    unit = next((fact.unit for fact in facts.limits if fact.unit), None)
    if unit is None:
        return None
    try:
        ends = [convert(end, one.unit, unit) for end in (one.value_low, one.value_high)]
    except UnitError:
        return None
    held = [fact for fact in facts.limits if all(fact.holds(end) for end in ends)]
    return held[0] if len(held) == 1 else None


def judge_facts(required: Iterable[Required], statements: Sequence[str], language: Language) -> list[Said]:
    """Each required fact against the statements: the one that says it best decides."""
    return [max((_judge(one, text, language) for text in statements), key=_rank, default=_missing(one)) for one in required]


def _rank(said: Said) -> tuple[bool, bool, bool]:
    return said.found, said.quantities_kept, said.negations_kept


def _missing(one: Required) -> Said:
    return Said(one, False, False, False)


def _judge(one: Required, text: str, language: Language) -> Said:
    stated = find_quantities(text)
    numbers = all(any(_states(other, quantity) for other in stated) for quantity in one.quantities)
    if one.topic in ("value", "interval"):
        found = numbers and bool(_VALUE_SENTENCE.search(text))
    elif one.topic in ("colour", "digits", "procedure", "unit", "limit"):
        found = one.text in text and (one.topic != "limit" or numbers)
    elif one.text:
        # A Chinese report quotes an English manual in its own words: both languages' terms of the statement count.
        terms, there = all_terms(one.text), english_terms(text) | chinese_terms(text)
        found = not terms or len(terms & there) / len(terms) >= COVERED
    else:
        found = numbers
    count = negation_count if language == "zh" else _count_english
    return Said(one, found, numbers, count(text) >= count(one.text))


def _count_english(text: str) -> int:
    return len(_NEGATIONS_EN.findall(text))


def _states(stated: Quantity, wanted: Quantity) -> bool:
    """Whether a stated quantity states the wanted one to its own last digit, or one end of a stated range does."""
    if bears_out(wanted.model_copy(update={"bound": "exact"}), stated.model_copy(update={"bound": "exact"}), within=False):
        return True
    ends = (
        stated.model_copy(update={"high": stated.low, "half_high": stated.half_low, "bound": "exact"}),
        stated.model_copy(update={"low": stated.high, "half_low": stated.half_high, "bound": "exact"}),
    )
    return wanted.low == wanted.high and any(bears_out(wanted, end, within=False) for end in ends)


def units_right(inspection: Inspection, facts: ModelFacts | None) -> list[bool]:
    """For each value that a statement gives: whether its unit is the reading's, and the reading's the manual's."""
    judged: list[bool] = []
    for one in inspection.reading.instruments:
        if one.value is None or inspection.report is None:
            continue
        declared = facts.unit.unit if facts is not None and facts.unit is not None else one.unit
        said = [q for s in inspection.report.statements if _VALUE_SENTENCE.search(s.text) for q in find_quantities(s.text)[:1]]
        judged.append(bool(said) and all(quantity.unit == one.unit for quantity in said) and one.unit == declared)
    return judged
