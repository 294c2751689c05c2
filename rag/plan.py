"""Planning: which sentences a report holds, what each rests on, and in which order. No wording is left to a model.

Joins (lamp and its meaning, value and its limits) are made here, from facts; a writer only sees finished sentences.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from knowledge.articles import Chunk, Language
from knowledge.chunks import find_references
from knowledge.facts import AngleFrameFact, Fact, LimitFact, ModelFacts, RangeFact
from rag.conflicts import Clash
from rag.diagnosis import Diagnosis
from rag.formula import Calibration
from rag.queries import field_sentence, format_number, reading_slots, seen_fields
from rag.report import photo_citation
from rag.tables import tables
from rag.templates import clean_text, sentence, sentences
from vision.fields import InstrumentReading

VALUED = ("dial", "digital", "counter")
OWN_SLOTS = ("level_name", "lower_level", "upper_level", "band", "topic", "value_source_name")


@dataclass(frozen=True)
class Planned:
    """A sentence to be said: its citations, the texts that it rests on, and the template's own words.

    `rewrite` is False for the contract's own sentences ("not stated in the documents") and for reasons. `name` is
    that of its template: the report places the sentence by it.
    """

    text: str
    citations: tuple[str, ...]
    sources: tuple[str, ...]
    fixed: str = ""
    rewrite: bool = True
    name: str = ""


@dataclass
class SectionPlan:
    """Sentences of one instrument, as they are added."""

    reading: InstrumentReading
    number: int
    language: Language
    chunks: Mapping[str, Chunk]
    material: tuple[str, ...]
    planned: list[Planned] = field(default_factory=list)

    @property
    def photo(self) -> str:
        """How this instrument is cited."""
        return photo_citation(self.number)

    def say(
        self, name: str, slots: Mapping[str, str], facts: tuple[Fact, ...] = (), *, seen: bool = True, rewrite: bool = True
    ) -> None:
        """Add the sentence `name`. It cites the photo where `seen`, and the chunks of its facts."""
        text = sentence(name, self.language, **{**reading_slots(self.reading, self.language), **slots})
        cited = dict.fromkeys(fact.chunk for fact in facts if fact.chunk in self.chunks)
        # A section's number and title belong to what a chunk says, though its text does not repeat them.
        heads = [f"{self.chunks[one].section} {self.chunks[one].section_title}" for one in cited]
        sources = [fact.text for fact in facts] + [self.chunks[one].text for one in cited] + heads
        citations = (*((self.photo,) if seen else ()), *cited)
        known = tuple(sources) + (self.material if seen else ())
        # Names that this room gives (levels, "above") need no source; numbers always do, so they are taken out.
        own = [re.sub(r"[0-9.]+", " ", slots[slot]) for slot in OWN_SLOTS if slot in slots]
        fixed = " ".join((sentences()[name].fixed_words(self.language), *own))
        self.planned.append(Planned(text, citations, known, fixed, rewrite, name))

    def show(self, name: str) -> None:
        """Add the sentence that states one field as seen."""
        text = field_sentence(name, self.reading, self.language)
        fixed = tables().fields[name].fixed_words(self.language)
        self.planned.append(Planned(text, (self.photo,), self.material, fixed, name=name))


def plan_instrument(
    calibration: Calibration,
    number: int,
    language: Language,
    *,
    facts: ModelFacts | None,
    chunks: Mapping[str, Chunk],
    unavailable: bool = False,
    findings: tuple[Diagnosis, ...] = (),
    clashes: tuple[Clash, ...] = (),
) -> tuple[Planned, ...]:
    """All sentences about one instrument. `facts` None: the model is unknown, no manual is about it, or the manuals
    are `unavailable`."""
    reading = calibration.reading
    plan = SectionPlan(reading, number, language, chunks, photo_material(calibration, language))
    if reading.status == "abstained":
        plan.say("abstained", {"reason": clean_text(reading.reason or "").rstrip(".。")}, rewrite=False)
        return tuple(plan.planned)
    for name in seen_fields(reading):
        if tables().fields[name].report:
            plan.show(name)
    _say_value(plan, calibration, facts)
    if facts is None:
        named = "instrument_model" in reading_slots(reading, language)
        name = "model_without_manual" if named else "model_unknown"
        name = "manuals_unavailable" if unavailable else name
        plan.say(name, {}, rewrite=False)
        return tuple(plan.planned)
    if facts.readout is not None and reading.fields.digital_readout is not None:
        plan.say("readout_meaning", {"text": _ended(facts.readout.text, language)}, (facts.readout,), seen=False)
    for finding in findings:
        plan.say(finding.name, finding.slots, finding.facts, rewrite=bool(finding.facts))
        _say_limit_action(plan, finding)
    _say_lamp(plan, facts)
    _say_mode(plan, facts)
    _say_emergency(plan, facts, findings)
    for clash in clashes:
        _say_clash(plan, clash)
    return tuple(plan.planned)


def photo_material(calibration: Calibration, language: Language) -> tuple[str, ...]:
    """What the photo itself supports: every field as text, the value with its interval, the reason."""
    reading = calibration.reading
    slots = reading_slots(reading, language)
    angles = [f"{slots[name]}°" for name in ("pointer_angle", "start_angle", "end_angle") if name in slots]
    lines = [*slots.values(), *angles, *value_slots(reading).values(), clean_text(reading.reason or "")]
    if reading.value is not None:
        numbers = value_slots(reading)
        lines += [f"{numbers[name]} {reading.unit or ''}".strip() for name in ("value", "value_low", "value_high")]
    if calibration.angle_deg is not None and calibration.half_width_deg is not None:
        lines += [f"{one}°" for one in angle_slots(calibration).values()]
    if calibration.problem is not None:
        lines.append(sentence(calibration.problem.name, language, **calibration.problem.slots))
    return tuple(line for line in lines if line)


def value_slots(reading: InstrumentReading) -> dict[str, str]:
    """The value and its ends with as many decimals as the interval warrants; empty where there is no value."""
    if reading.value is None or reading.value_low is None or reading.value_high is None:
        return {}
    half = (reading.value_high - reading.value_low) / 2
    found = {name: format_number(getattr(reading, name), half) for name in ("value", "value_low", "value_high")}
    return {**found, "unit": reading.unit} if reading.unit else found


def angle_slots(calibration: Calibration) -> dict[str, str]:
    """The angle in the manual's frame and its half width, for people."""
    return {
        "angle": format_number(round(calibration.angle_deg or 0.0, 1)),
        "half_width": format_number(round(calibration.half_width_deg or 0.0, 1)),
    }


def _say_value(plan: SectionPlan, calibration: Calibration, facts: ModelFacts | None) -> None:
    reading, problem = plan.reading, calibration.problem
    localized = sentence(problem.name, plan.language, **problem.slots).rstrip(".。") if problem else None
    if reading.value is None:
        reason = localized or clean_text(reading.reason or "").rstrip(".。")
        if reason and (reading.kind in VALUED or problem):
            plan.say("no_value", {"reason": reason}, calibration.facts, rewrite=False)
        if facts is not None and facts.formula is None and reading.fields.pointer_angle is not None:
            plan.say("formula_not_stated", {}, rewrite=False)
        return
    slots = value_slots(reading)
    if calibration.used:
        by_angle = calibration.angle_deg is not None
        name = ("value_formula" if by_angle else "value_formula_digits") + ("" if reading.unit else "_no_unit")
        plan.say(name, {**slots, **calibration.slots}, calibration.facts)
        if by_angle:
            frame = tuple(fact for fact in calibration.facts if isinstance(fact, AngleFrameFact | RangeFact))
            plan.say(f"angle_uncertainty_{calibration.half_width_source}", angle_slots(calibration), frame)
        if facts is not None and facts.unit is not None:
            plan.say("unit_declared", {"unit": facts.unit.unit, "quantity": facts.unit.quantity}, (facts.unit,), seen=False)
    else:
        slots["value_source_name"] = sentence(f"source_{reading.value_source}", plan.language)
        plan.say("value_photo" if reading.unit else "value_photo_no_unit", slots, () if problem else calibration.facts)
    doubt = localized or clean_text(reading.reason or "").rstrip(".。")
    if doubt:
        doubted = problem is not None and problem.name in ("scale_contradicts_formula", "unit_contradicts_manual")
        plan.say("value_doubted" if doubted else "value_note", {"reason": doubt}, calibration.facts, rewrite=False)


def _say_limit_action(plan: SectionPlan, finding: Diagnosis) -> None:
    """What the manual wants done in a band: the third cell of the band's row, where there is one."""
    band = finding.facts[0] if finding.name == "limit_within" and finding.facts else None
    cells = band.text.split("; ", 2) if isinstance(band, LimitFact) and band.level != "normal" else []
    if band is not None and len(cells) == 3 and ": " in cells[2]:
        plan.say("limit_action", {"action": _ended(cells[2].split(": ", 1)[1], plan.language)}, (band,), seen=False)


def _say_lamp(plan: SectionPlan, facts: ModelFacts) -> None:
    color = plan.reading.fields.warning_light_color
    if color is None:
        return
    fact = facts.lamp(color)
    if fact is None:
        plan.say("lamp_not_stated", {}, rewrite=False)
        return
    plan.say("lamp_meaning", {"meaning": fact.meaning.rstrip(".。 ")}, (fact,))
    if fact.action.strip():
        plan.say("lamp_action", {"action": _ended(fact.action, plan.language)}, (fact,), seen=False)


def _say_mode(plan: SectionPlan, facts: ModelFacts) -> None:
    position = plan.reading.fields.mode_dial_position
    if position is None:
        return
    fact = facts.mode(position)
    if fact is None:
        plan.say("mode_not_stated", {}, rewrite=False)
        return
    plan.say("mode_meaning", {"name": fact.name.rstrip(".。 "), "meaning": _ended(fact.meaning, plan.language)}, (fact,))


def calling_facts(reading: InstrumentReading, facts: ModelFacts, findings: tuple[Diagnosis, ...]) -> tuple[Fact, ...]:
    """Facts in use that refer to the emergency procedure: the lamp's colour, or an alarm band that holds the value."""
    section = facts.emergency.section if facts.emergency else None
    if section is None:
        return ()
    color = reading.fields.warning_light_color
    lamp = facts.lamp(color) if color is not None else None
    used: list[Fact] = [lamp] if lamp is not None else []
    used += [fact for finding in findings if finding.name == "limit_within" for fact in finding.facts]
    return tuple(fact for fact in used if section in find_references(fact.text))


def _say_emergency(plan: SectionPlan, facts: ModelFacts, findings: tuple[Diagnosis, ...]) -> None:
    calling = calling_facts(plan.reading, facts, findings)
    if facts.emergency is None or not (calling or plan.reading.fields.warning_light_color == "red"):
        return
    slots = {"title": facts.emergency.title.rstrip(".。 "), "section": facts.emergency.section}
    plan.say("emergency", slots, (facts.emergency, *calling), seen=False)


def _say_clash(plan: SectionPlan, clash: Clash) -> None:
    slots = {"topic": sentence(f"topic_{clash.topic}", plan.language), "documents": ", ".join(clash.places)}
    plan.say("conflict", slots, (clash.first, clash.second), seen=False, rewrite=False)
    # The places are titles of the cited chunks, not words of their text.
    plan.planned[-1] = Planned(**{**vars(plan.planned[-1]), "sources": (*plan.planned[-1].sources, *clash.places)})


def _ended(text: str, language: Language) -> str:
    return text.rstrip(".。;； ") + ("。" if language == "zh" else ".")
