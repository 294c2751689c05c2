"""Documents that say different things about one instrument, with both sources and what decides between them.

Inside one document a contradiction is a fault (`knowledge.audit`). Between documents it is life: versions follow each
other, a notice overrules a manual. What is reported here is never resolved in silence.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal

from knowledge.articles import AUTHORITY_WEIGHTS, Article, Chunk
from knowledge.structured import Conflict, find_conflicts, find_facts
from knowledge.timeline import DocumentEntry, Moment, in_force
from vision.fields import Contract

Decision = Literal["the newer one is in force", "only one is in force", "the more authoritative counts", "not decided"]


class Side(Contract):
    """One of two sources: the document, its version and authority, the place, and its own words."""

    document: str
    version: str
    authority: str
    status: str
    effective_date: str
    place: str
    text: str
    in_force: bool


class Dispute(Contract):
    """Two documents that differ about one matter of one model."""

    model: str
    what: str
    first: Side
    second: Side
    decision: Decision


def find_disputes(
    documents: Sequence[tuple[Article, Sequence[Chunk]]],
    entries: Sequence[DocumentEntry],
    moment: Moment,
    model: str | None = None,
) -> tuple[Dispute, ...]:
    """All disputes between two documents of one language about a model (all models where None is given)."""
    live = in_force(entries, moment)
    found: list[Dispute] = []
    for (one, first), (other, second) in combinations(documents, 2):
        shared = sorted(set(one.models) & set(other.models))
        if one.language != other.language or not shared or (model is not None and model not in shared):
            continue
        seen: set[tuple[str, str]] = set()
        for conflict in _between(first, second):
            by_id = {chunk.id: chunk for chunk in (*first, *second)}
            sides = tuple(_side(by_id[fact.chunk], fact.text, live) for fact in (conflict.first, conflict.second))
            key = (conflict.what, conflict.second.text)
            if key in seen:
                continue
            seen.add(key)
            what = _decide(one, other, sides[0].in_force, sides[1].in_force)
            found.append(Dispute(model=model or shared[0], what=conflict.what, first=sides[0], second=sides[1], decision=what))
    return tuple(found)


def _between(first: Sequence[Chunk], second: Sequence[Chunk]) -> list[Conflict]:
    """Conflicts that have one foot in either document."""
    own = {chunk.id for chunk in first}
    conflicts = find_conflicts(find_facts((*first, *second)))
    return [conflict for conflict in conflicts if (conflict.first.chunk in own) != (conflict.second.chunk in own)]


def _side(chunk: Chunk, text: str, live: frozenset[str]) -> Side:
    return Side(
        document=chunk.document,
        version=chunk.version,
        authority=chunk.authority,
        status=chunk.status,
        effective_date=chunk.effective_date.isoformat(),
        place=chunk.citation,
        text=text,
        in_force=chunk.document in live,
    )


def _decide(one: Article, other: Article, first_live: bool, second_live: bool) -> Decision:
    if first_live != second_live:
        newer = one if one.effective_date > other.effective_date else other
        return "the newer one is in force" if (newer is one) == first_live else "only one is in force"
    if AUTHORITY_WEIGHTS[one.authority] != AUTHORITY_WEIGHTS[other.authority] and first_live:
        return "the more authoritative counts"
    return "not decided"


def dispute_text(dispute: Dispute) -> str:
    """A dispute for people, with both sources."""
    sides = [
        f"  {side.place} [{side.document}, {side.authority}, {side.status}, from {side.effective_date}]: {side.text}"
        for side in (dispute.first, dispute.second)
    ]
    return "\n".join([f"{dispute.model}: {dispute.what}; {dispute.decision}", *sides])
