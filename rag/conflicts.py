"""Documents that contradict each other about one model, and whether the conflict protocol settles it.

Protocol: the newer document counts, then the more authoritative. Where the newer one is the less authoritative, or
one document contradicts itself, nothing is settled: no value may rest on it and the report says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from knowledge.articles import AUTHORITY_WEIGHTS, Chunk
from knowledge.facts import Fact, ModelFacts
from knowledge.structured import find_conflicts, find_facts

Topic = Literal["formula", "unit", "angle_frame", "lamp", "mode", "value_range"]
_TOPICS: dict[str, Topic] = {
    "formula": "formula",
    "unit": "unit",
    "angle frame": "angle_frame",
    "lamp colour": "lamp",
    "mode position": "mode",
    "value range": "value_range",
}


@dataclass(frozen=True)
class Clash:
    """Two statements about one matter of which neither can be preferred, and where they stand."""

    topic: Topic
    first: Fact
    second: Fact
    places: tuple[str, ...]


def find_clashes(chunks: Iterable[Chunk], facts: ModelFacts) -> tuple[Clash, ...]:
    """Unsettled conflicts among chunks about the facts' model, in the facts' language."""
    about = {chunk.id: chunk for chunk in chunks if facts.model in chunk.models and chunk.language == facts.language}
    found: dict[tuple[Topic, frozenset[str]], Clash] = {}
    for conflict in find_conflicts(find_facts(tuple(about.values()))):
        topic = _TOPICS.get(conflict.what)
        pair = (about[conflict.first.chunk], about[conflict.second.chunk])
        if topic is None or settled(*pair):
            continue
        places = tuple(dict.fromkeys(chunk.citation for chunk in pair))
        found.setdefault((topic, frozenset(places)), Clash(topic, conflict.first, conflict.second, places))
    return tuple(found.values())


def settled(first: Chunk, second: Chunk) -> bool:
    """True where one of the two documents is newer or more authoritative and in neither respect behind."""
    if first.document == second.document:
        return False
    newer = (first.effective_date > second.effective_date) - (first.effective_date < second.effective_date)
    weight = AUTHORITY_WEIGHTS[first.authority] - AUTHORITY_WEIGHTS[second.authority]
    heavier = (weight > 0) - (weight < 0)
    return newer + heavier != 0 and newer * heavier >= 0


def without_clashes(facts: ModelFacts, clashes: Iterable[Clash]) -> ModelFacts:
    """The facts without those that are in dispute: what is not settled supports no value and no meaning."""
    changed: dict[str, object] = {}
    for clash in clashes:
        match clash.topic:
            case "lamp":
                changed["lamps"] = tuple(f for f in facts.lamps if f.color != getattr(clash.first, "color", None))
            case "mode":
                changed["modes"] = tuple(f for f in facts.modes if f.position != getattr(clash.first, "position", None))
            case _:
                changed[clash.topic] = None
    return facts.model_copy(update=changed) if changed else facts
