"""Anchor relevance (CRS): how many of a question's anchors the passages hold, by kind, weighted for the domain.

Anchors are entities (models, concepts of the synonym graph, other content words), relations (two of them that one clause of
the question ties together, held only where both stand in one sentence or table row), and constraints (quantities, colours,
positions, codes, levels). A score points at its anchors: each says whether it is held and by which passage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from eval.anchor_keys import ParsedPassage, QuestionAnchors, find_anchors, holds_quantity, parse_passage
from eval.retrieval import Passage
from eval.scorable import context_fault, length_fault, question_fault
from eval.score import NAN, EvalError, Number, Score, graded, not_scorable
from vision.fields import Contract

AnchorKind = Literal["entity", "relation", "constraint"]
Cell = Literal["relation", "entity", "noise"]
PASSES = 0.7
"""From here on the passages count as being about the question."""


@dataclass(frozen=True)
class DomainWeights:
    """Weights of the three kinds; they sum to 1. A kind of which a question has no anchor leaves its weight to the others."""

    entity: float = 0.4
    relation: float = 0.3
    constraint: float = 0.3

    def __post_init__(self) -> None:
        values = (self.entity, self.relation, self.constraint)
        if min(values) < 0 or abs(sum(values) - 1) > 1e-9:
            raise EvalError(f"weights of anchors must not be negative and must sum to 1, got {values}")


INSTRUMENTS = DomainWeights()
DOMAINS: Mapping[str, DomainWeights] = MappingProxyType(
    {"instruments": INSTRUMENTS, "medical": DomainWeights(0.4, 0.4, 0.2), "law": DomainWeights(0.3, 0.5, 0.2)}
)


class HeldAnchor(Contract):
    """One anchor of the question; `passage` (from 1) is the first that holds it, None where none does."""

    kind: AnchorKind
    text: str
    passage: int | None


class AnchorRelevance(Contract):
    """`score` is the weighted mean of the shares of anchors that any passage holds.

    `entity`, `relation`, `constraint` are the shares, NaN where the question has no anchor of the kind. `passages` is the
    score of each passage alone; `cells` says whether it holds a relation, only an entity, or neither.
    """

    score: Score
    entity: Number
    relation: Number
    constraint: Number
    anchors: tuple[HeldAnchor, ...]
    passages: tuple[Number, ...]
    cells: tuple[Cell, ...]


class HeatMap(Contract):
    """How many passages of each rank (from 1, in order) hold a relation, only an entity, or are noise."""

    relation: tuple[int, ...]
    entity: tuple[int, ...]
    noise: tuple[int, ...]


def score_anchors(question: str, passages: Sequence[Passage], weights: DomainWeights = INSTRUMENTS) -> AnchorRelevance:
    """CRS of one question and its passages. Not scorable without passages and without anchors."""
    texts = [passage.text for passage in passages]
    fault = question_fault(question) or context_fault(texts) or length_fault(texts)
    wanted = find_anchors(question) if fault is None else QuestionAnchors((), (), (), ())
    if fault is None and not wanted.any:
        fault = "the question has no anchor: no model, concept, content word or constraint"
    if fault is not None:
        return AnchorRelevance(
            score=not_scorable(fault), entity=NAN, relation=NAN, constraint=NAN, anchors=(), passages=(), cells=()
        )
    parsed = [parse_passage(passage.text, passage.title or "") for passage in passages]
    held = _hold(wanted, parsed)
    alone = [_hold(wanted, [one]) for one in parsed]
    shares = _shares(held)
    lost = [anchor.text for anchor in held if anchor.passage is None]
    reason = f"{len(held) - len(lost)} of {len(held)} anchors held" + (f"; not: {', '.join(lost[:3])}" if lost else "")
    return AnchorRelevance(
        score=graded(_weigh(shares, weights), PASSES, reason),
        entity=shares["entity"],
        relation=shares["relation"],
        constraint=shares["constraint"],
        anchors=held,
        passages=tuple(_weigh(_shares(one), weights) for one in alone),
        cells=tuple(_cell(one) for one in alone),
    )


def heat_map(relevances: Iterable[AnchorRelevance], ranks: int = 10) -> HeatMap:
    """Cells by rank over several questions: where along the list the noise begins."""
    counts: dict[Cell, list[int]] = {"relation": [0] * ranks, "entity": [0] * ranks, "noise": [0] * ranks}
    for relevance in relevances:
        for rank, cell in enumerate(relevance.cells[:ranks]):
            counts[cell][rank] += 1
    return HeatMap(relation=tuple(counts["relation"]), entity=tuple(counts["entity"]), noise=tuple(counts["noise"]))


def _hold(wanted: QuestionAnchors, passages: Sequence[ParsedPassage]) -> tuple[HeldAnchor, ...]:
    def first(flags: Iterable[bool]) -> int | None:
        return next((place for place, flag in enumerate(flags, 1) if flag), None)

    held = [
        HeldAnchor(kind="entity", text=term, passage=first(term in one.terms for one in passages)) for term in wanted.entities
    ]
    for a, b in wanted.relations:
        tied = (any(a in said and b in said for said in one.statements) for one in passages)
        held.append(HeldAnchor(kind="relation", text=f"{a} - {b}", passage=first(tied)))
    for value in wanted.values:
        found = (value.pattern.search(one.lowered) is not None for one in passages)
        held.append(HeldAnchor(kind="constraint", text=value.text, passage=first(found)))
    for quantity in wanted.quantities:
        found = (holds_quantity(one, quantity) for one in passages)
        held.append(HeldAnchor(kind="constraint", text=quantity.text, passage=first(found)))
    return tuple(held)


def _shares(held: Sequence[HeldAnchor]) -> dict[AnchorKind, float]:
    kinds: tuple[AnchorKind, ...] = ("entity", "relation", "constraint")
    found = {kind: [anchor.passage is not None for anchor in held if anchor.kind == kind] for kind in kinds}
    return {kind: sum(flags) / len(flags) if flags else NAN for kind, flags in found.items()}


def _weigh(shares: Mapping[AnchorKind, float], weights: DomainWeights) -> float:
    parts: tuple[tuple[AnchorKind, float], ...] = (
        ("entity", weights.entity),
        ("relation", weights.relation),
        ("constraint", weights.constraint),
    )
    present = [(shares[kind], weight) for kind, weight in parts if shares[kind] == shares[kind]]
    total = sum(weight for _, weight in present)
    return min(1.0, sum(share * weight for share, weight in present) / total) if total else NAN


def _cell(held: Sequence[HeldAnchor]) -> Cell:
    kinds = {anchor.kind for anchor in held if anchor.passage is not None}
    return "relation" if "relation" in kinds else "entity" if "entity" in kinds else "noise"
