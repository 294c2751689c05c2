"""Evidence for a question: rerank, distil to two or three chunks, drop doubles, trim to a token budget, place.

More chunks bring more invention, so few are kept. Order follows position: the best first, support in the middle,
what forbids or warns last, each with its tag. All scores here are rules, in [0, 1], the same on every run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from knowledge.articles import Chunk, Hit
from knowledge.sentences import split_sentences
from rag.queries import Query
from vision.fields import Contract, Fraction

Role = Literal["PRIMARY", "SUPPORTING", "CRITICAL"]
ROLES: tuple[Role, ...] = ("PRIMARY", "SUPPORTING", "CRITICAL")
CountTokens = Callable[[str], int]

LIMITING = re.compile(
    r"\b(?:not|no|never|none|without|cannot|only|unless|except|must|forbidden|prohibited|danger|warning)\b|n't\b"
    r"|[不未无勿禁]|必须|除非|除外|仅|只有|危险|警告",
    re.IGNORECASE,
)
_FACTUAL = re.compile(r"\d|=|\bmeans?\b|\bis\b|\bare\b|表示|为|是|含义|\|")
_WORDS = re.compile(r"[a-z0-9][a-z0-9.-]*|[\u4e00-\u9fff]", re.IGNORECASE)


class Evidence(Contract):
    """A chunk that the report rests on: its id, its document, its text and how well it fits, in [0, 1]."""

    chunk: str
    document: str
    text: str
    score: Fraction


@dataclass(frozen=True)
class EvidenceOptions:
    """How much evidence a question gets. Weights and bounds are those of context distillation.

    `search_k`: hits asked from the index. `kept`: chunks a question keeps (facts' own chunks first).
    `lookup_score`: score of a chunk that only the fact table named, the structured route's share of a fused score.
    `budget_tokens`: all evidence of one instrument together, as put before a language model.
    """

    search_k: int = 6
    kept: int = 2
    most_kept: int = 3
    min_intent: float = 0.35
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


def estimate_tokens(text: str) -> int:
    """Tokens of a text without a tokenizer, on the safe side: a Chinese character or emoji is one or more, a word some."""
    wide = sum(1 if ord(char) < 0x10000 else 3 for char in text if ord(char) >= 0x2E80)
    narrow = re.findall(r"[A-Za-z]+|[0-9]|[^\sA-Za-z0-9\u2e80-\U0010ffff]", text)
    return wide + sum(-(-len(part) // 4) for part in narrow)


def negation_share(text: str) -> float:
    """Share of a text's sentences that negate or limit, in [0, 1]."""
    found = split_sentences(text)
    return sum(1 for one in found if LIMITING.search(one)) / len(found) if found else 0.0


def fact_density(text: str) -> float:
    """Share of a text's sentences that state something checkable, in [0, 1]."""
    found = split_sentences(text)
    return sum(1 for one in found if _FACTUAL.search(one)) / len(found) if found else 0.0


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower().rstrip(".") for word in _WORDS.findall(text))


def overlap(first: str, second: str) -> float:
    """Jaccard overlap of two texts' words (Chinese: characters), in [0, 1]."""
    a, b = _words(first), _words(second)
    return len(a & b) / len(a | b) if a | b else 1.0


def intent_score(query: Query, hit: Hit) -> float:
    """How well a hit fits what is asked: the search's score, the asked type of statement, words of the headings."""
    asked = _words(query.text)
    heading = len(asked & _words(f"{hit.chunk.section_title} {hit.chunk.title}")) / max(len(asked), 1)
    typed = query.semantic_type is not None and hit.chunk.semantic_type == query.semantic_type
    return min(1.0, 0.6 * hit.score + (0.3 if typed else 0.0) + 0.2 * heading)


def distil(query: Query, hits: Iterable[Hit], required: Sequence[Chunk], options: EvidenceOptions) -> tuple[Piece, ...]:
    """The chunks that a question keeps, best first. `required` (chunks that state a fact in use) always stay."""
    by_id = {hit.chunk.id: hit for hit in hits}
    kept: list[Piece] = []
    for chunk in required:
        if all(piece.chunk.id != chunk.id for piece in kept):
            score = by_id[chunk.id].score if chunk.id in by_id else options.lookup_score
            kept.append(_piece(query, chunk, score, first=not kept))
    wanted = min(max(options.kept, len(kept)), max(options.most_kept, len(kept)))
    for hit in sorted(by_id.values(), key=lambda one: (-_rank(query, one, options), one.chunk.id)):
        if len(kept) >= wanted:
            break
        if _fits(query, hit, kept, options):
            kept.append(_piece(query, hit.chunk, hit.score, first=not kept))
    return tuple(kept)


def _rank(query: Query, hit: Hit, options: EvidenceOptions) -> float:
    text = hit.chunk.text
    return (
        options.intent_weight * intent_score(query, hit)
        + options.density_weight * fact_density(text)
        + options.clarity_weight * (1.0 - negation_share(text))
    )


def _fits(query: Query, hit: Hit, kept: Sequence[Piece], options: EvidenceOptions) -> bool:
    text = hit.chunk.text
    if intent_score(query, hit) < options.min_intent or fact_density(text) < options.min_density:
        return False
    if any(piece.chunk.id == hit.chunk.id or overlap(piece.chunk.text, text) > options.same_above for piece in kept):
        return False
    # Two chunks full of negations are read against each other: the second must then be a plain one.
    negated = bool(kept) and negation_share(kept[0].chunk.text) > options.negation_first
    return not negated or negation_share(text) < options.negation_second


def _piece(query: Query, chunk: Chunk, score: float, *, first: bool) -> Piece:
    critical = chunk.semantic_type == "procedure" or negation_share(chunk.text) > 0.5
    role: Role = "CRITICAL" if critical else "PRIMARY" if first else "SUPPORTING"
    return Piece(chunk=chunk, score=score, role=role, query=query.name, sent=chunk.text)


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
    trimmed = [
        replace(p, sent=trim(p.chunk.text, quotes.get(p.chunk.id, ()), options.chunk_tokens, count_tokens)) for p in once.values()
    ]
    spent = 0
    kept: list[Piece] = []
    for piece in sorted(trimmed, key=lambda p: (p.chunk.id not in quotes, -p.score, p.chunk.id)):
        cost = count_tokens(piece.sent)
        if piece.chunk.id in quotes or spent + cost <= options.budget_tokens:
            kept.append(piece)
            spent += cost
    return tuple(sorted(kept, key=lambda p: (ROLES.index(p.role), -p.score, p.chunk.id)))


def trim(text: str, quotes: Sequence[str], limit: int, count_tokens: CountTokens = estimate_tokens) -> str:
    """`text` cut at sentence and row bounds to about `limit` tokens: quotes and limiting sentences go last."""
    if count_tokens(text) <= limit:
        return text
    parts = [part for line in text.splitlines() for part in ((line,) if line.lstrip().startswith("|") else split_sentences(line))]
    squeezed = ["".join(quote.split()) for quote in quotes if quote.strip()]

    def worth(part: str) -> int:
        flat = "".join(part.split())
        if any(flat in quote or quote in flat for quote in squeezed):
            return 3
        return 2 if LIMITING.search(part) else 1 if _FACTUAL.search(part) else 0

    chosen: set[int] = set()
    spent = 0
    for index in sorted(range(len(parts)), key=lambda i: (-worth(parts[i]), i)):
        cost = count_tokens(parts[index])
        if worth(parts[index]) == 3 or spent + cost <= limit:
            chosen.add(index)
            spent += cost
    return "\n".join(parts[index] for index in sorted(chosen))
