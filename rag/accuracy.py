"""The manual's accuracy class: what error it permits, and whether the photo decides as much as the instrument could."""

from __future__ import annotations

from knowledge.articles import Language
from knowledge.facts import LEVELS, Fact, ModelFacts
from rag.diagnosis import Diagnosis, interval_of, value_levels
from rag.limits import Interval, convert_interval, level_name, levels_of, limits_for, span_of, touched_bands
from rag.queries import format_number
from vision.fields import InstrumentReading


def permitted_error(facts: ModelFacts, unit: str) -> float | None:
    """Largest error that the class permits, in `unit`; None without a class or a span in a unit like it.

    The class is a percentage of the span (IEC 60051, EN 837-1): 1.6 of 0 to 120 MPa permits 1.92 MPa anywhere.
    """
    span = span_of(facts.value_range, unit)
    if facts.accuracy is None or span is None:
        return None
    return facts.accuracy.percent_of_span / 100.0 * (span.high - span.low)


def judge_accuracy(
    reading: InstrumentReading, facts: ModelFacts, placed: tuple[Diagnosis, ...], language: Language
) -> tuple[Diagnosis, ...]:
    """Findings about the class; `placed` is where `judge_value` found the value. Empty without value, unit or class."""
    interval = interval_of(reading)
    if interval is None or reading.unit is None or facts.accuracy is None or facts.value_range is None:
        return ()
    error, span = permitted_error(facts, reading.unit), span_of(facts.value_range, reading.unit)
    if error is None or span is None:
        return ()
    grounds: tuple[Fact, ...] = (facts.accuracy, facts.value_range)
    unit = reading.unit
    slots = {
        "error": format_number(error, error),
        "unit": unit,
        "percent": format_number(facts.accuracy.percent_of_span),
        "span": format_number(span.high - span.low),
    }
    workings = (f"{slots['percent']} % x {slots['span']} {unit} = {slots['error']} {unit}",)
    found = [Diagnosis("accuracy_class", grounds, slots, workings=workings)]
    half = (interval.high - interval.low) / 2
    if half > error:
        shown = {**slots, "half_width": format_number(half, half)}
        found.append(Diagnosis("accuracy_wider", grounds, shown, workings=(*workings, f"{shown['half_width']} {unit}")))
    return (*found, *_near(reading, facts, placed, interval, error, language))


def _near(
    reading: InstrumentReading,
    facts: ModelFacts,
    placed: tuple[Diagnosis, ...],
    interval: Interval,
    error: float,
    language: Language,
) -> tuple[Diagnosis, ...]:
    """A graver band that the value reaches only together with the permitted error."""
    known = value_levels(placed)
    limits = limits_for(facts, reading.unit or "")
    if len(known) != 1 or not limits or reading.unit is None:
        return ()
    wider = convert_interval(Interval(interval.low - error, interval.high + error), reading.unit, limits[0].unit or reading.unit)
    touched = touched_bands(limits, wider)
    graver = [level for level in levels_of(touched) if LEVELS.index(level) > LEVELS.index(known[0])]
    if not graver:
        return ()
    grounds: tuple[Fact, ...] = (*(band for band in touched if band.level == graver[0]), *filter(None, (facts.accuracy,)))
    # The limits are those of what the instrument shows: near one of them is a reason to look, not another level.
    return (Diagnosis("accuracy_near", grounds, {"level_name": level_name(graver[0], language)}, least="warning"),)
