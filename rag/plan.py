"""Planning: which sentences a report holds, what each rests on, and in which order. No wording is left to a model.

Joins (lamp and its meaning, value and its limits) are made here, from facts; a writer only sees finished sentences.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from knowledge.articles import Chunk, Language
from knowledge.facts import LEVELS, AngleFrameFact, Fact, LampFact, LimitFact, ModelFacts, RangeFact
from rag.calls import band_action, called_procedure, calling_facts
from rag.conflicts import Clash
from rag.diagnosis import Diagnosis
from rag.formula import Calibration
from rag.history import history_citation
from rag.limits import level_name
from rag.linked import Link
from rag.material import angle_slots, photo_material, problem_text, value_slots
from rag.queries import field_sentence, reading_slots, seen_fields
from rag.reasons import localize_reason
from rag.report import photo_citation
from rag.status import VALUED
from rag.tables import tables
from rag.templates import MAX_SLOT, sentence, sentences
from vision.fields import InstrumentReading

_HAN = re.compile(r"[\u3400-\u9fff]")
OWN_SLOTS = ("level_name", "lower_level", "upper_level", "band", "topic", "value_source_name", "rule", "per")


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
        self,
        name: str,
        slots: Mapping[str, str],
        facts: tuple[Fact, ...] = (),
        *,
        seen: bool = True,
        rewrite: bool = True,
        chunks: tuple[Chunk, ...] = (),
        workings: tuple[str, ...] = (),
        earlier: bool = False,
    ) -> None:
        """Add the sentence `name`. It cites the photo where `seen`, earlier readings where `earlier`, and the chunks of
        its facts and `chunks`; `workings` is the arithmetic behind its numbers."""
        text = sentence(name, self.language, **{**reading_slots(self.reading, self.language), **slots})
        places = (*(fact.chunk for fact in facts), *(chunk.id for chunk in chunks))
        cited = dict.fromkeys(place for place in places if place in self.chunks)
        # A section's number and title belong to what a chunk says, though its text does not repeat them.
        heads = [line for one in cited for line in _heading(self.chunks[one])]
        sources = [fact.text for fact in facts] + [self.chunks[one].text for one in cited] + heads
        own_places = ((self.photo,) if seen else ()) + ((history_citation(self.number),) if earlier else ())
        citations = (*own_places, *cited)
        known = (*sources, *workings, *(self.material if seen else ()))
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
    links: tuple[Link, ...] = (),
) -> tuple[Planned, ...]:
    """All sentences about one instrument. `facts` None: the model is unknown, no manual is about it, or the manuals
    are `unavailable`."""
    reading = calibration.reading
    plan = SectionPlan(reading, number, language, chunks, photo_material(calibration, language))
    if reading.status == "abstained":
        reason = localize_reason(reading.reason, language)
        plan.say("abstained", {"reason": reason}, rewrite=False, workings=(reason,))
        return tuple(plan.planned)
    for name in seen_fields(reading):
        if tables().fields[name].report:
            plan.show(name)
    _say_value(plan, calibration, facts)
    if facts is None:
        _say_findings(plan, findings)
        named = "instrument_model" in reading_slots(reading, language)
        name = "model_without_manual" if named else "model_unknown"
        name = "manuals_unavailable" if unavailable else name
        plan.say(name, {}, rewrite=False)
        return tuple(plan.planned)
    if facts.readout is not None and reading.fields.digital_readout is not None:
        plan.say("readout_meaning", {"text": _ended(facts.readout.text)}, (facts.readout,), seen=False)
    color = reading.fields.warning_light_color
    _say_findings(plan, findings, facts.lamp(color) if color is not None else None, doubted=_is_doubted(calibration))
    _say_lamp(plan, facts)
    _say_mode(plan, facts)
    _say_emergency(plan, facts, findings)
    for link in links:
        _say_link(plan, link)
    for clash in clashes:
        _say_clash(plan, clash)
    return tuple(plan.planned)


def _heading(chunk: Chunk) -> tuple[str, ...]:
    """What a chunk's place says: the title of its section, and the section as it is referred to in either language."""
    return f"{chunk.section} {chunk.section_title}", f"section {chunk.section}", f"第 {chunk.section} 节"


def _say_value(plan: SectionPlan, calibration: Calibration, facts: ModelFacts | None) -> None:
    reading, problem = plan.reading, calibration.problem
    given = localize_reason(reading.reason, plan.language) if (reading.reason or "").strip() else ""
    reason = problem_text(problem, plan.language) if problem else given
    if reading.value is None:
        if reason and (reading.kind in VALUED or problem):
            plan.say("no_value", {"reason": reason}, calibration.facts, rewrite=False)
        if facts is not None and facts.formula is None and reading.fields.pointer_angle is not None:
            plan.say("formula_not_stated", {}, rewrite=False)
        return
    slots = value_slots(reading)
    if calibration.used:
        name = calibration.stated_by + ("" if reading.unit else "_no_unit")
        plan.say(name, {**slots, **calibration.slots}, calibration.facts)
        if angle := angle_slots(calibration):
            frame = tuple(fact for fact in calibration.facts if isinstance(fact, AngleFrameFact | RangeFact))
            plan.say(f"angle_uncertainty_{calibration.half_width_source}", angle, frame)
        if facts is not None and facts.unit is not None:
            plan.say("unit_declared", {"unit": facts.unit.unit, "quantity": facts.unit.quantity}, (facts.unit,), seen=False)
    else:
        slots["value_source_name"] = sentence(f"source_{reading.value_source}", plan.language)
        plan.say("value_photo" if reading.unit else "value_photo_no_unit", slots, () if problem else calibration.facts)
    if reason:
        plan.say(
            "value_doubted" if _is_doubted(calibration) else "value_note", {"reason": reason}, calibration.facts, rewrite=False
        )


def _is_doubted(calibration: Calibration) -> bool:
    """Whether something in photo or manual speaks against the value."""
    problem = calibration.problem
    return problem is not None and problem.name in ("scale_contradicts_formula", "unit_contradicts_manual")


def _say_findings(
    plan: SectionPlan, findings: tuple[Diagnosis, ...], lamp: LampFact | None = None, *, doubted: bool = False
) -> None:
    """What the arithmetic came to, each finding with what the manual wants done about it, and about the `lamp` alike.

    A `doubted` value is not flatly said to lie anywhere.
    """
    for finding in findings:
        plan.say(
            "limit_within_if" if doubted and finding.name == "limit_within" else finding.name,
            finding.slots,
            finding.facts,
            rewrite=bool(finding.facts),
            workings=finding.workings,
            earlier=finding.earlier,
        )
        _say_limit_action(plan, finding, lamp)


def _say_limit_action(plan: SectionPlan, finding: Diagnosis, lamp: LampFact | None) -> None:
    """What the manual wants done in a band: the third cell of its row. Where the value straddles a limit, if it is there."""
    bands = [fact for fact in finding.facts if isinstance(fact, LimitFact)]
    if not bands or not finding.name.startswith(("limit_within", "limit_straddles")):
        return
    band = max(bands, key=lambda one: LEVELS.index(one.level))
    action = band_action(band)
    if action is None or band.level == LEVELS[0]:
        return
    slots = {"action": _ended(action)}
    if finding.name == "limit_within" and lamp is not None and _ended(lamp.action) == slots["action"]:
        plan.say("limit_lamp_action", slots, (band, lamp), seen=False)
    elif finding.name == "limit_within":
        plan.say("limit_action", slots, (band,), seen=False)
    else:
        slots["level_name"] = level_name(band.level, plan.language)
        plan.say("limit_action_if", slots, (band,), seen=False)


def _say_lamp(plan: SectionPlan, facts: ModelFacts) -> None:
    color = plan.reading.fields.warning_light_color
    if color is None:
        return
    fact = facts.lamp(color)
    if fact is None:
        plan.say("lamp_not_stated", {}, rewrite=False)
        return
    plan.say("lamp_meaning", {"meaning": fact.meaning.rstrip(".。 ")}, (fact,))
    if fact.action.strip() and all(one.name != "limit_lamp_action" for one in plan.planned):
        plan.say("lamp_action", {"action": _ended(fact.action)}, (fact,), seen=False)


def _say_mode(plan: SectionPlan, facts: ModelFacts) -> None:
    position = plan.reading.fields.mode_dial_position
    if position is None:
        return
    fact = facts.mode(position)
    if fact is None:
        plan.say("mode_not_stated", {}, rewrite=False)
        return
    plan.say("mode_meaning", {"name": fact.name.rstrip(".。 "), "meaning": _ended(fact.meaning)}, (fact,))


def _say_emergency(plan: SectionPlan, facts: ModelFacts, findings: tuple[Diagnosis, ...]) -> None:
    procedure = called_procedure(plan.reading, facts, findings)
    if procedure is None:
        return
    slots = {"title": procedure.title.rstrip(".。 "), "section": procedure.section}
    plan.say("emergency", slots, (procedure, *calling_facts(plan.reading, facts, findings)), seen=False)


def _say_link(plan: SectionPlan, link: Link) -> None:
    """Where the manual sends its reader: a row in use by title, a procedure in its own words, conditions and all."""
    slots = {"section": link.section, "title": link.title.rstrip(".。 ")}
    if not isinstance(link.origin, Chunk):
        plan.say("see_section", slots, (link.origin,), seen=False, chunks=link.chunks[:1])
        return
    wording = link.wording
    # Cut short, the sentence might lose its condition: then it is not quoted.
    if wording is not None and len(wording) < MAX_SLOT and not wording.startswith("|"):
        slots = {"origin": link.origin.section, "text": _ended(wording)}
        plan.say("leads_on", slots, seen=False, chunks=(link.origin, *link.chunks[:1]))


def _say_clash(plan: SectionPlan, clash: Clash) -> None:
    topic = sentence(f"topic_{clash.topic}", plan.language)
    if clash.rule is None:
        slots = {"topic": topic, "documents": ", ".join(clash.places)}
        plan.say("conflict", slots, (clash.first, clash.second), seen=False, rewrite=False, workings=clash.places)
        return
    slots = {"topic": topic, "rule": sentence(f"rule_{clash.rule}", plan.language)}
    slots |= {"winner": clash.places[0], "loser": clash.places[-1]}
    plan.say("conflict_settled", slots, (clash.first, clash.second), seen=False, rewrite=False, workings=clash.places)


def _ended(text: str) -> str:
    """A manual's own words as the end of a sentence, with the full stop of the language that they are in."""
    return text.rstrip(".。;； ") + ("。" if _HAN.search(text) else ".")
