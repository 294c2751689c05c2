"""What a manual's rows answer and call for: the facts of a query, those that hold for what was read, the procedure they
name, what to do in a band."""

from __future__ import annotations

from knowledge.chunks import find_references
from knowledge.facts import Fact, LimitFact, ModelFacts, ProcedureFact
from rag.diagnosis import Diagnosis
from vision.fields import InstrumentReading


def used_facts(reading: InstrumentReading, facts: ModelFacts, findings: tuple[Diagnosis, ...]) -> tuple[Fact, ...]:
    """Rows of the manual that hold for what was read: the lamp's colour, the selector's position, the value's band."""
    color, position = reading.fields.warning_light_color, reading.fields.mode_dial_position
    lamp = facts.lamp(color) if color is not None else None
    mode = facts.mode(position) if position is not None else None
    bands = [fact for finding in findings if finding.name == "limit_within" for fact in finding.facts]
    return (*(fact for fact in (lamp, mode) if fact is not None), *bands)


def calling_facts(reading: InstrumentReading, facts: ModelFacts, findings: tuple[Diagnosis, ...]) -> tuple[Fact, ...]:
    """Facts in use that refer to the emergency procedure: the lamp's colour, or an alarm band that holds the value."""
    section = facts.emergency.section if facts.emergency else None
    used = used_facts(reading, facts, findings)
    return tuple(fact for fact in used if section is not None and section in find_references(fact.text))


def called_procedure(reading: InstrumentReading, facts: ModelFacts, findings: tuple[Diagnosis, ...]) -> ProcedureFact | None:
    """The emergency procedure, where a fact in use or a red lamp calls it."""
    called = calling_facts(reading, facts, findings) or reading.fields.warning_light_color == "red"
    return facts.emergency if called else None


def facts_in_use(reading: InstrumentReading, facts: ModelFacts, findings: tuple[Diagnosis, ...]) -> tuple[Fact, ...]:
    """Every fact that a sentence about the diagnosis rests on. Nothing of an abstained reading is said from a manual."""
    if reading.status == "abstained":
        return ()
    procedure = called_procedure(reading, facts, findings)
    stated = (fact for finding in findings for fact in finding.facts)
    return (*used_facts(reading, facts, findings), *stated, *((procedure,) if procedure is not None else ()))


def band_action(band: LimitFact) -> str | None:
    """The third cell of a band's row, or None where its table has no such column."""
    cells = band.text.split("; ", 2)
    return cells[2].split(": ", 1)[1] if len(cells) == 3 and ": " in cells[2] else None


def facts_for(query: str, facts: ModelFacts, reading: InstrumentReading) -> tuple[Fact, ...]:
    """Facts that answer a query by its name; empty where the manuals state none."""
    color, position = reading.fields.warning_light_color, reading.fields.mode_dial_position
    answers: dict[str, tuple[Fact | None, ...]] = {
        "gauge_calibration_formula": (facts.formula,),
        "unit_declaration": (facts.unit,),
        "angle_origin_declaration": (facts.angle_frame, facts.angle_range),
        "angle_range_declaration": (facts.angle_range,),
        "measuring_range": (facts.value_range,),
        "accuracy_class": (facts.accuracy, facts.value_range),
        "operating_limits": facts.limits,
        "digital_readout_meaning": (facts.readout,),
        "emergency_shutdown_procedure": (facts.emergency,),
        f"warning_light_color_meaning_{color}": (facts.lamp(color) if color else None,),
        f"mode_dial_meaning_{position}": (facts.mode(position) if position else None,),
    }
    return tuple(fact for fact in answers.get(query, ()) if fact is not None)
