"""Documents that contradict each other about one model, and how the conflict protocol settles it.

Protocol: the newer document counts, then the more authoritative, then the more specific; both are shown either way. A
forum post settles nothing against what somebody answers for. One document against itself is never settled, nor is a
unit, an angle frame or a formula of another document taken over: they belong together, and mixed they give a wrong value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations
from typing import Literal, NamedTuple

from knowledge.articles import AUTHORITY_WEIGHTS, Chunk
from knowledge.facts import Fact, LimitFact, ModelFacts
from knowledge.structured import Conflict, Findings, find_conflicts, find_facts
from vision.units import compatible, convert

Topic = Literal[
    "formula", "unit", "angle_frame", "angle_range", "lamp", "mode", "value_range", "accuracy", "limits", "emergency", "code"
]
Rule = Literal["newer", "more_authoritative", "more_specific"]
_TOPICS: dict[str, Topic] = {
    "formula": "formula",
    "unit": "unit",
    "angle frame": "angle_frame",
    "angle range": "angle_range",
    "lamp colour": "lamp",
    "mode position": "mode",
    "value range": "value_range",
    "accuracy": "accuracy",
    "emergency section": "emergency",
    "display code": "code",
    "limits": "limits",
}
_TAKEN_OVER: tuple[Topic, ...] = ("lamp", "mode", "limits", "accuracy")
"""Topics whose statement may come from another document than the rest: each stands alone."""


class Ruling(NamedTuple):
    """Which of two documents counts, and by which rule of the protocol; no winner where no rule decides."""

    winner: Chunk | None
    rule: Rule | None


@dataclass(frozen=True)
class Clash:
    """Two statements about one matter and where they stand; `first` is the one that counts where a `rule` settled it."""

    topic: Topic
    first: Fact
    second: Fact
    places: tuple[str, ...]
    rule: Rule | None = None


def find_clashes(chunks: Iterable[Chunk], facts: ModelFacts) -> tuple[Clash, ...]:
    """Conflicts among chunks about the facts' model, in the facts' language: settled ones with their rule, each once."""
    about = {chunk.id: chunk for chunk in chunks if facts.model in chunk.models and chunk.language == facts.language}
    found: dict[tuple[Topic, frozenset[str]], Clash] = {}
    stated = _statements(about.values())
    for conflict in (*find_conflicts(stated), *_limit_conflicts(stated.limits, about)):
        topic = _TOPICS.get(conflict.what)
        one, other = about[conflict.first.chunk], about[conflict.second.chunk]
        if topic is None:
            continue
        ruling = rule_between(one, other)
        first, second, rule = conflict.first, conflict.second, ruling.rule
        if ruling.winner is other:
            first, second, one, other = second, first, other, one
        if rule is not None and one.document != facts.document and topic not in _TAKEN_OVER:
            rule = None
        places = tuple(dict.fromkeys((one.citation, other.citation)))
        found.setdefault((topic, frozenset(places)), Clash(topic, first, second, places, rule))
    return tuple(found.values())


def _statements(chunks: Iterable[Chunk]) -> Findings:
    """What some chunks state; each chunk is parsed once, whatever questions bring it up again."""
    parsed = [_parse(chunk) for chunk in chunks]
    joined = Findings(*(tuple(chain.from_iterable(column)) for column in zip(*parsed, strict=True))) if parsed else find_facts(())
    # A table of points beside a written formula is its check, not its rival, wherever the two stand.
    written = tuple(fact for fact in joined.formulas if not fact.points)
    return joined._replace(formulas=written or joined.formulas)


@lru_cache(maxsize=4096)
def _parse(chunk: Chunk) -> Findings:
    return find_facts((chunk,))


def rule_between(first: Chunk, second: Chunk) -> Ruling:
    """The protocol on two chunks: newer > more authoritative > more specific."""
    if first.document == second.document:
        return Ruling(None, None)
    dates = (first.effective_date, second.effective_date)
    weights = (AUTHORITY_WEIGHTS[first.authority], AUTHORITY_WEIGHTS[second.authority])
    # A document about fewer models is more about this one; one that names none is about all.
    scopes = tuple(1 / len(chunk.models) if chunk.models else 0.0 for chunk in (first, second))
    if "forum" in (first.authority, second.authority) and weights[0] != weights[1]:
        return Ruling(first if weights[0] > weights[1] else second, "more_authoritative")
    if dates[0] != dates[1]:
        return Ruling(first if dates[0] > dates[1] else second, "newer")
    if weights[0] != weights[1]:
        return Ruling(first if weights[0] > weights[1] else second, "more_authoritative")
    if scopes[0] != scopes[1]:
        return Ruling(first if scopes[0] > scopes[1] else second, "more_specific")
    return Ruling(None, None)


def _limit_conflicts(limits: Iterable[LimitFact], about: dict[str, Chunk]) -> list[Conflict]:
    """Documents whose bands of one quantity differ: the first band of each that the other does not state."""
    by_document: dict[str, list[LimitFact]] = {}
    for limit in limits:
        by_document.setdefault(about[limit.chunk].document, []).append(limit)
    found: list[Conflict] = []
    for one, other in combinations(by_document.values(), 2):
        if not any(compatible(a.unit, b.unit) for a in one for b in other if a.unit and b.unit):
            continue
        first = next((a for a in one if not any(_same_band(a, b) for b in other)), None)
        second = next((b for b in other if not any(_same_band(a, b) for a in one)), None)
        if first is not None or second is not None:
            found.append(Conflict("limits", first or one[0], second or other[0]))
    return found


def _same_band(one: LimitFact, other: LimitFact) -> bool:
    if one.level != other.level or (one.low_included, one.high_included) != (other.low_included, other.high_included):
        return False
    for a, b in ((one.low, other.low), (one.high, other.high)):
        if (a is None) != (b is None):
            return False
        if a is not None and b is not None:
            if one.unit and other.unit and one.unit != other.unit:
                if not compatible(one.unit, other.unit):
                    return False
                b = convert(b, other.unit, one.unit)
            if abs(a - b) > 1e-6 * max(1.0, abs(a), abs(b)):
                return False
    return True


def apply_clashes(facts: ModelFacts, clashes: Iterable[Clash], chunks: Iterable[Chunk] = ()) -> ModelFacts:
    """The facts as the protocol leaves them: what is not settled supports no value and no meaning; what another document
    settles is that document's word."""
    changed: dict[str, object] = {}
    known = {chunk.id: chunk for chunk in chunks}
    documents = {id: chunk.document for id, chunk in known.items()}
    for clash in clashes:
        winner = clash.first if clash.rule is not None else None
        if winner is not None and documents.get(winner.chunk, facts.document) == facts.document:
            continue
        match clash.topic:
            case "lamp":
                kept = tuple(f for f in facts.lamps if f.color != getattr(clash.first, "color", None))
                changed["lamps"] = (*kept, *((winner,) if winner is not None else ()))
            case "mode":
                others = tuple(f for f in facts.modes if f.position != getattr(clash.first, "position", None))
                changed["modes"] = (*others, *((winner,) if winner is not None else ()))
            case "code":
                changed["codes"] = tuple(f for f in facts.codes if f.code != getattr(clash.first, "code", None))
            case "limits":
                home = documents.get(winner.chunk) if winner is not None else None
                settled = _statements(chunk for chunk in known.values() if chunk.document == home)
                changed["limits"] = settled.limits
            case "accuracy":
                changed["accuracy"] = winner
            case _:
                changed[clash.topic] = None
        facts = facts.model_copy(update=changed)
    return facts
