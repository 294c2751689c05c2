"""Is every number and name of a statement borne out by what it cites, by the reading, or by arithmetic on both?

The judge does its own arithmetic (the angle in the manual's frame, the permitted error, half widths) with its own reading
of numbers; words are `eval.fci`'s matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from statistics import NormalDist

from eval.quantities import Quantity, bears_out, find_quantities, units_in
from knowledge.facts import ModelFacts
from rag.report import Statement
from vision.fields import InstrumentReading
from vision.units import UnitError, convert

_MODEL = re.compile(r"\b[A-Z]{2,4}-\d+\b")
_SECTION = re.compile(r"(?:section|chapter|第)\s*(\d+(?:\.\d+)+)", re.IGNORECASE)
_PLUS_MINUS = re.compile(r"±\s*(\d+(?:\.\d+)?)\s*(\S*)")


def ungrounded(
    statement: Statement, chunks: Mapping[str, str], instruments: Iterable[InstrumentReading], facts: ModelFacts | None
) -> list[str]:
    """Numbers, sections and models of a statement that nothing bears out; empty where all hold.

    `chunks`: text with headings of all evidence by id; a statement may use those that it cites alone.
    """
    cited = "\n".join(chunks[id] for id in statement.citations if id in chunks)
    seen = [text for one in instruments for text in reading_texts(one, facts)]
    known = [quantity for text in (cited, *seen) for quantity in _quantities(text)]
    units = units_in(cited) | (frozenset((facts.unit.unit,)) if facts is not None and facts.unit is not None else frozenset())
    stated = list(find_quantities(statement.text))
    stated += [
        quantity for match in _PLUS_MINUS.finditer(statement.text) for quantity in find_quantities(" ".join(match.groups()))
    ]
    loose = [quantity.text for quantity in stated if not any(_holds(one, quantity, units) for one in known)]
    places = [place for place in _SECTION.findall(statement.text) if place not in cited]
    owned = {one.instrument_model for one in instruments}
    models = [name for name in _MODEL.findall(statement.text) if name not in cited and name not in owned]
    return [*loose, *(f"section {place}" for place in places), *models]


@lru_cache(maxsize=4096)
def _quantities(text: str) -> tuple[Quantity, ...]:
    return find_quantities(text)


def _holds(evidence: Quantity, claim: Quantity, units: frozenset[str]) -> bool:
    """Whether the evidence's number, or one end of its range, is the claim's."""
    plain, said = evidence.model_copy(update={"bound": "exact"}), claim.model_copy(update={"bound": "exact"})
    if bears_out(plain, said, units, within=False):
        return True
    if said.low != said.high:
        return False
    ends = (plain.model_copy(update={"high": plain.low}), plain.model_copy(update={"low": plain.high}))
    return any(bears_out(end, said, units, within=False) for end in ends)


def reading_texts(one: InstrumentReading, facts: ModelFacts | None) -> list[str]:
    """What a reading states in numbers, and what follows from it and the manual by arithmetic."""
    fields = one.fields
    texts = [f"{fields.digital_readout} {one.unit or ''}" if fields.digital_readout else ""]
    numbers = (fields.mode_dial_position, fields.scale_min, fields.scale_max, fields.scale_fraction, fields.scale_multiplier)
    texts += [f"{value:.10g}" for value in numbers if value is not None]
    ends = (fields.scale_min, fields.scale_max)
    texts += [f"{value:.10g} {fields.unit}" for value in ends if value is not None and fields.unit]
    texts += [f"{value:.10g}°" for value in (*_angles(one, facts), _half_width(one))]
    if facts is not None and facts.accuracy is not None:
        texts.append(f"{facts.accuracy.percent_of_span:g} %")
    if one.value is not None and one.value_low is not None and one.value_high is not None:
        half = (one.value_high - one.value_low) / 2
        units = (one.unit, facts.value_range.unit if facts is not None and facts.value_range is not None else None)
        texts.append(f"between {one.value_low:.10g} and {one.value_high:.10g} {one.unit or ''}")
        for value in (one.value, half, *_permitted_error(facts)):
            texts += [_in_unit(value, one.unit, unit) for unit in dict.fromkeys(units) if unit is not None] or [f"{value:.10g}"]
    if one.reason:
        texts.append(one.reason)
    return [text for text in texts if text]


def _in_unit(value: float, source: str | None, target: str) -> str:
    try:
        return f"{convert(value, source or target, target):.10g} {target}"
    except UnitError:
        return ""


def _angles(one: InstrumentReading, facts: ModelFacts | None) -> list[float]:
    """The pointer's angle as seen, in the manual's frame (and a turn up and down), and its possible half widths."""
    seen = one.fields.pointer_angle
    if seen is None:
        return []
    angles = [seen, 6.0]
    if facts is not None and facts.angle_frame is not None:
        from_bottom = 30.0 * (facts.angle_frame.origin_hour - 6)
        turned = seen - from_bottom if facts.angle_frame.clockwise else from_bottom - seen
        angles += [round(turned % 360.0 + turn, 6) for turn in (-720.0, -360.0, 0.0, 360.0)]
    return angles


def _half_width(one: InstrumentReading) -> float:
    """Half the angle's interval: a confidence c says "within 2 degrees with probability c"; 95 % of a normal error; else 3."""
    confidence = one.confidence.get("pointer_angle")
    if confidence is None:
        return 3.0
    spread = 2.0 / NormalDist().inv_cdf((1.0 + min(max(confidence, 0.05), 0.999)) / 2.0)
    return min(NormalDist().inv_cdf(0.975) * spread, 20.0)


def _permitted_error(facts: ModelFacts | None) -> list[float]:
    """The accuracy class as an error of the measured quantity, and the span."""
    if facts is None or facts.accuracy is None or facts.value_range is None:
        return []
    span = facts.value_range.high - facts.value_range.low
    return [span * facts.accuracy.percent_of_span / 100.0, span]
