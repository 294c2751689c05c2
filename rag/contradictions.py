"""Fields of one photo that do not go together: lamp and value, selector and display, two instruments of one model.

Named, never resolved: which of the two is wrong is for people to find out. Arithmetic and the manual's words alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from knowledge.articles import Language
from knowledge.facts import Fact, ModelFacts
from rag.diagnosis import Diagnosis, interval_of, value_levels
from rag.limits import Interval, convert_interval, level_name
from rag.queries import format_number
from rag.tables import tables
from vision.fields import InstrumentReading, Kind, LampColor
from vision.units import compatible

T = TypeVar("T")

_DIGITS: tuple[Kind, ...] = ("digital", "counter")
_ALL_WELL = re.compile(r"\bnormal\b|\bno alarm\b|\bwithin (?:its |the )?limits\b|正常|无报警", re.IGNORECASE)
_OVER_LIMIT = re.compile(
    r"\b(?:above|over|below|under)\b[^.;]*\blimit|\bover-?(?:pressure|temperature)\b|超过|超压|低于", re.IGNORECASE
)
_OR = re.compile(r"\bor\b|或", re.IGNORECASE)
_OFF = re.compile(r"^(?:off|switched off|关闭|断开|停)$", re.IGNORECASE)
_STILL_SHOWS = re.compile(r"\bstill (?:show|display|indicate)|仍(?:指示|显示)", re.IGNORECASE)


class Sibling(NamedTuple):
    """Another instrument of the same model in the same photo, by its number, after the manual was asked."""

    number: int
    reading: InstrumentReading


def judge_kind(
    reading: InstrumentReading, facts: ModelFacts, siblings: Sequence[Sibling], language: Language
) -> tuple[Diagnosis, ...]:
    """An instrument of another kind than its model's manual is about: the model given, or the reading, is wrong.

    Not where the manual explains this kind too, or where the photo shows another instrument of the manual's own kind.
    """
    if facts.kind is None or _explains(facts, reading.kind) or any(one.reading.kind == facts.kind for one in siblings):
        return ()
    name = tables().kinds[facts.kind].fill(language, {})
    stated = (facts.formula, facts.readout, *facts.lamps, *facts.modes, *facts.limits)
    grounds = tuple(fact for fact in stated if fact is not None)[:1]
    return (Diagnosis("kind_not_of_model", grounds, {"manual_kind": name}, least="warning", most="alarm", workings=(name,)),)


def _explains(facts: ModelFacts, kind: Kind) -> bool:
    """Whether a manual says anything about instruments of a kind. Displays and counters both show digits."""
    digits = facts.kind in _DIGITS or facts.readout is not None
    known = {"lamp": bool(facts.lamps), "selector": bool(facts.modes), "digital": digits, "counter": digits}
    return kind == facts.kind or known.get(kind, False)


def find_lamp(reading: InstrumentReading, siblings: Sequence[Sibling]) -> LampColor | None:
    """Colour of the lamp that belongs to an instrument: its own, else the only lamp of the same model in the photo."""
    if reading.fields.warning_light_color is not None:
        return reading.fields.warning_light_color
    lamps = [one.reading.fields.warning_light_color for one in siblings if one.reading.kind == "lamp"]
    return lamps[0] if len(lamps) == 1 else None


def judge_lamp(
    facts: ModelFacts, lamp: LampColor | None, placed: Sequence[Diagnosis], language: Language
) -> tuple[Diagnosis, ...]:
    """Lamp against value, where it holds wherever in its interval the value lies.

    They contradict each other only where the manual's meaning of the colour is about the value; a green lamp that
    means "ready" beside a high value is named, and no more is said.
    """
    levels = value_levels(placed)
    if lamp is None or not levels:
        return ()
    stated = facts.lamp(lamp)
    bands = tuple(fact for finding in placed if finding.least is not None for fact in finding.facts)
    grounds: tuple[Fact, ...] = (*bands, stated) if stated is not None else bands
    meaning = stated.meaning if stated is not None else ""
    if lamp == "green" and "normal" not in levels:
        name = "lamp_contradicts_high" if stated is None or _ALL_WELL.search(meaning) else "lamp_beside_high"
        return (Diagnosis(name, grounds, {"level_name": level_name(levels[0], language)}, least="warning"),)
    if lamp == "red" and levels == ("normal",):
        about_value = stated is None or (_OVER_LIMIT.search(meaning) and not _OR.search(meaning))
        name = "lamp_contradicts_normal" if about_value else "lamp_beside_normal"
        return (Diagnosis(name, grounds, least="warning"),)
    return ()


def judge_selector(reading: InstrumentReading, facts: ModelFacts, siblings: Sequence[Sibling]) -> tuple[Diagnosis, ...]:
    """A selector that the manual calls off beside digits that are lit. A pointer may well stand where nothing is switched on."""
    position, digits = reading.fields.mode_dial_position, reading.fields.digital_readout
    if position is None and digits is None:
        return ()
    near = [one.reading.fields for one in siblings]
    position = position if position is not None else _only([one.mode_dial_position for one in near])
    digits = digits if digits is not None else _only([one.digital_readout for one in near])
    mode = facts.mode(position) if position is not None else None
    if mode is None or digits is None or not _OFF.match(mode.name.strip()) or _STILL_SHOWS.search(mode.meaning):
        return ()
    slots = {"mode_dial_position": str(position), "name": mode.name, "digital_readout": digits}
    return (Diagnosis("selector_contradicts_display", (mode,), slots, least="warning", workings=(str(position), digits)),)


def _only(seen: Sequence[T | None]) -> T | None:
    """The one thing that was seen; None where there is none, or more than one and it is open which belongs here."""
    found = [one for one in seen if one is not None]
    return found[0] if len(found) == 1 else None


def judge_display(reading: InstrumentReading, siblings: Sequence[Sibling]) -> tuple[Diagnosis, ...]:
    """A pointer and the one display of its model whose intervals share no value; said at the pointer."""
    own = interval_of(reading)
    shown = [one.reading for one in siblings if one.reading.kind == "digital" and interval_of(one.reading) is not None]
    if reading.kind != "dial" or own is None or reading.unit is None or len(shown) != 1:
        return ()
    other, interval = shown[0], interval_of(shown[0])
    if interval is None or other.unit is None or not compatible(other.unit, reading.unit):
        return ()
    if convert_interval(interval, other.unit, reading.unit).touches(own):
        return ()
    slots = {"dial": quantity_text(reading), "display": quantity_text(other)}
    found = Diagnosis("display_contradicts_dial", (), slots, least="warning", most="alarm", workings=tuple(slots.values()))
    return (found,)


def judge_units(reading: InstrumentReading, number: int, siblings: Sequence[Sibling]) -> tuple[Diagnosis, ...]:
    """Two instruments of one model that state the same quantity in two units, said once, at the first of them."""
    for one in siblings:
        other = one.reading.unit
        if one.number < number or reading.unit is None or other is None or other == reading.unit:
            continue
        if compatible(reading.unit, other):
            slots = {"number": str(number), "other": str(one.number), "unit": reading.unit, "other_unit": other}
            return (Diagnosis("siblings_differ_in_unit", (), slots, least="warning", workings=tuple(slots.values())),)
    return ()


def judge_readout(reading: InstrumentReading, facts: ModelFacts) -> tuple[Diagnosis, ...]:
    """Digits on the face of a dial outside the interval of its pointer, where the manual calls them the reading.

    Without the manual's word they may count something else, as the totals on a speedometer do.
    """
    own, digits = interval_of(reading), reading.fields.digital_readout
    if reading.kind != "dial" or own is None or digits is None or facts.readout is None or reading.value_source == "digits":
        return ()
    value = float(digits)
    if own.touches(Interval(value, value)):
        return ()
    slots = {"dial": quantity_text(reading), "display": digits}
    found = Diagnosis("display_contradicts_dial", (facts.readout,), slots, "warning", "alarm", workings=tuple(slots.values()))
    return (found,)


def quantity_text(reading: InstrumentReading) -> str:
    """Value and unit, with the decimals of the interval, of a reading that has them."""
    interval = interval_of(reading)
    assert interval is not None
    assert reading.value is not None
    return f"{format_number(reading.value, (interval.high - interval.low) / 2)} {reading.unit or ''}".strip()
