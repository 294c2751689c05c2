"""Evidence of one instrument: chunks with their roles, once each, trimmed to a token budget, in their places.

Order follows position: the best first, support in the middle, what forbids or warns last, each with its tag.
`rag.distill` chooses the chunks; `rag.context` fits them into the window of the model that writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from knowledge.articles import Chunk
from rag.tokens import CountTokens, estimate_tokens
from rag.trim import trim
from rag.triples import sentence_triples
from vision.fields import Contract, Fraction

Role = Literal["PRIMARY", "SUPPORTING", "CRITICAL"]
ROLES: tuple[Role, ...] = ("PRIMARY", "SUPPORTING", "CRITICAL")


class Evidence(Contract):
    """A chunk that the report rests on: its id, its document, its text and how well it fits, in [0, 1]."""

    chunk: str
    document: str
    text: str
    score: Fraction


@dataclass(frozen=True)
class EvidenceOptions:
    """How much evidence a question gets. Weights and bounds are those of context distillation.

    `search_k`: hits asked from the index. `kept`: chunks a question keeps (facts' own chunks first), `most_kept` at most.
    `min_intent`, `min_density`: what a chunk must score above to be kept. A chunk after one with more negation than
    `negation_first` must have less than `negation_second`.
    `lookup_score`: score of a chunk that only the fact table named, the structured route's share of a fused score.
    `chunk_tokens`, `budget_tokens`: of one chunk, and of all evidence of one instrument, as put before a language model.
    """

    search_k: int = 6
    kept: int = 2
    most_kept: int = 3
    min_intent: float = 0.5
    min_density: float = 0.3
    intent_weight: float = 0.5
    density_weight: float = 0.3
    clarity_weight: float = 0.2
    negation_first: float = 0.4
    negation_second: float = 0.1
    same_above: float = 0.85
    lookup_score: float = 0.3
    chunk_tokens: int = 220
    budget_tokens: int = 1400


@dataclass(frozen=True)
class Piece:
    """A chunk chosen for a question, its role, and what of its text goes before a language model."""

    chunk: Chunk
    score: float
    role: Role
    query: str
    sent: str

    def evidence(self) -> Evidence:
        """The piece as it leaves the room: the whole chunk, not the trimmed text."""
        return Evidence(
            chunk=self.chunk.id, document=self.chunk.document, text=self.chunk.text, score=min(max(self.score, 0.0), 1.0)
        )


def arrange(
    pieces: Iterable[Piece],
    options: EvidenceOptions,
    quotes: Mapping[str, Sequence[str]],
    count_tokens: CountTokens = estimate_tokens,
) -> tuple[Piece, ...]:
    """All pieces of an instrument once each, trimmed and in their places, within the token budget.

    `quotes`: for each chunk id the sentences or rows in use; they survive every trimming, and a piece that holds
    one is never dropped, so what the report cites was before the model too.
    """
    once: dict[str, Piece] = {}
    for piece in pieces:
        known = once.get(piece.chunk.id, piece)
        roles = {piece.role, known.role}
        # What forbids or warns keeps its place at the end, whatever else asks for it.
        role: Role = "CRITICAL" if "CRITICAL" in roles else min(roles, key=ROLES.index)
        once[piece.chunk.id] = replace(known, role=role, score=max(piece.score, known.score))
    trimmed = [_trimmed(piece, options, quotes.get(piece.chunk.id, ()), count_tokens) for piece in once.values()]
    spent = 0
    kept: list[Piece] = []
    for piece in sorted(trimmed, key=lambda p: (p.chunk.id not in quotes, -p.score, p.chunk.id)):
        cost = count_tokens(piece.sent)
        if piece.chunk.id in quotes or spent + cost <= options.budget_tokens:
            kept.append(piece)
            spent += cost
    return tuple(sorted(kept, key=lambda p: (ROLES.index(p.role), -p.score, p.chunk.id)))


def _trimmed(piece: Piece, options: EvidenceOptions, quotes: Sequence[str], count_tokens: CountTokens) -> Piece:
    def factual(part: str) -> bool:
        return part.lstrip().startswith("|") or bool(sentence_triples(part))

    return replace(piece, sent=trim(piece.chunk.text, quotes, options.chunk_tokens, count_tokens, worth=factual))
