"""The knowledge base against its test queries: hits by slice, each route switched off, authority, drafts, seconds.

Options are tuned on the half of the queries whose id has an even hash and on the development queries; what is reported is
the other half, and beside it what was tuned on.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from eval.query_set import QueryCase
from eval.score import NAN, Number, percentile
from knowledge.articles import Hit
from knowledge.fusion import SearchOptions
from knowledge.search import KnowledgeBase
from vision.fields import Contract

Half = Literal["held out", "tuned on"]
DEPTH = 10
"""Hits that are looked at; an answer further down counts as not found."""


class Retrieval(Contract):
    """hit@1, hit@5 and mean reciprocal rank over `n` queries; NaN without queries. `authoritative` counts hit@1 of the
    document that has the last word alone."""

    n: int
    hit1: Number
    hit5: Number
    mrr: Number
    authoritative: Number


class RouteRow(Contract):
    """All answerable queries under changed options."""

    name: str
    scores: Retrieval


class QueryBench(Contract):
    """Everything measured over one set of queries. `slices` are of the held-out half, `tuned` of the other one, with the
    development queries as a slice of its own.

    `unanswerable_weak` is the share of queries without an answer whose best hit stays below the median best hit of those
    with one; `via` the share of multi-hop queries whose place on the way is among the first five hits as well.
    """

    queries: int
    chunks: int
    overall: Retrieval
    slices: dict[str, Retrieval]
    tuned: dict[str, Retrieval]
    routes: tuple[RouteRow, ...]
    draft_answers: int
    trap_answers: int
    via: Number
    unanswerable_weak: Number
    search_ms_p50: Number
    search_ms_p95: Number


class Asked(Contract):
    """One query and what came of it: rank of the first answer among `DEPTH` hits."""

    case: QueryCase
    rank: int | None
    authoritative: bool
    best: float
    via_found: bool
    drafts: int
    traps: int
    seconds: float


VARIANTS: tuple[tuple[str, dict[str, object]], ...] = (
    ("all routes", {}),
    ("without dense", {"dense": 0.0}),
    ("without lexical", {"lexical": 0.0}),
    ("without structured", {"structured": 0.0}),
    ("dense alone", {"lexical": 0.0, "structured": 0.0}),
    ("lexical alone", {"dense": 0.0, "structured": 0.0}),
    ("reciprocal ranks", {"fusion": "reciprocal"}),
    ("with summaries", {"summaries": True}),
    ("without passages", {"passages": 0.0}),
    ("without links", {"link": 0.0}),
)


def half_of(case: QueryCase) -> Half:
    """The half that a query belongs to: by its id alone, so that new queries move no old one."""
    return "tuned on" if hashlib.sha256(case.id.encode()).digest()[-1] % 2 == 0 else "held out"


def bench_queries(
    kb: KnowledgeBase, cases: Sequence[QueryCase], development: Sequence[QueryCase] = (), *, progress: bool = True
) -> QueryBench:
    """Ask every query under every variant of the options, and the development queries once. The options are put back."""
    from tqdm import tqdm

    before = kb.options
    rows: list[RouteRow] = []
    asked: list[Asked] = []
    try:
        for number, (name, changes) in enumerate(tqdm(VARIANTS, desc="routes", unit="variant", disable=not progress)):
            kb.options = changed(before, changes)
            answered = [ask(kb, case) for case in cases]
            if number == 0:
                asked = answered
            rows.append(RouteRow(name=name, scores=score_asked(_held_out(answered))))
    finally:
        kb.options = before
    seconds = [one.seconds for one in asked]
    found = sorted(one.best for one in asked if one.case.answers)
    middle = found[len(found) // 2] if found else NAN
    weak = [one.best < middle for one in asked if not one.case.answers]
    hops = [one.via_found for one in asked if one.case.via]
    return QueryBench(
        queries=len(cases),
        chunks=len(kb.chunks()),
        overall=score_asked(_held_out(asked)),
        slices=_by_slice(_held_out(asked)),
        tuned={
            **_by_slice([one for one in asked if half_of(one.case) == "tuned on"]),
            **({"development": score_asked(ask(kb, case) for case in development)} if development else {}),
        },
        routes=tuple(rows),
        draft_answers=sum(one.drafts for one in asked),
        trap_answers=sum(one.traps for one in asked),
        via=sum(hops) / len(hops) if hops else NAN,
        unanswerable_weak=sum(weak) / len(weak) if weak else NAN,
        search_ms_p50=1000 * percentile(seconds, 50),
        search_ms_p95=1000 * percentile(seconds, 95),
    )


def changed(options: SearchOptions, changes: dict[str, object]) -> SearchOptions:
    """Options with some changed; the weights of the routes that are left are scaled to sum to 1 again."""
    fresh = replace(options, **changes)  # type: ignore[arg-type]
    total = fresh.dense + fresh.lexical + fresh.structured
    return replace(fresh, dense=fresh.dense / total, lexical=fresh.lexical / total, structured=fresh.structured / total)


def ask(kb: KnowledgeBase, case: QueryCase) -> Asked:
    """Ask one query. The time counts from the query's vector on: embedding is measured apart."""
    kb.prepare([case.text])
    start = time.process_time()  # Of the processor: what one free core takes, whatever else the machine does.
    hits = kb.search(case.text, model=case.model, k=DEPTH)
    seconds = time.process_time() - start
    chunks = [hit.chunk for hit in hits]
    first = next((hit for hit in hits if case.answered_by(hit.chunk)), None)
    return Asked(
        case=case,
        rank=case.rank(chunks),
        authoritative=first is not None and first is hits[0] and first.chunk.document == case.authority,
        best=hits[0].score if hits else 0.0,
        via_found=any(place.holds(chunk) for place in case.via for chunk in chunks[:5]),
        drafts=sum(chunk.status != "valid" for chunk in chunks),
        traps=_foreign(hits, case, kb),
        seconds=seconds,
    )


def _foreign(hits: Sequence[Hit], case: QueryCase, kb: KnowledgeBase) -> int:
    """Hits from manuals of other models than the one that the query is about, where it names just one."""
    named = set(kb.plan(case.text).models) | ({case.model} if case.model else set())
    if len(named) != 1:
        return 0
    return sum(bool(hit.chunk.models) and not named & set(hit.chunk.models) for hit in hits)


def score_asked(asked: Iterable[Asked]) -> Retrieval:
    """Rates over the answerable queries among those asked."""
    rows = [one for one in asked if one.case.answers]
    n = len(rows)
    if not n:
        return Retrieval(n=0, hit1=NAN, hit5=NAN, mrr=NAN, authoritative=NAN)
    return Retrieval(
        n=n,
        hit1=sum(one.rank == 1 for one in rows) / n,
        hit5=sum(one.rank is not None and one.rank <= 5 for one in rows) / n,
        mrr=sum(1 / one.rank for one in rows if one.rank) / n,
        authoritative=sum(one.authoritative for one in rows) / n,
    )


def _held_out(asked: Iterable[Asked]) -> list[Asked]:
    return [one for one in asked if half_of(one.case) == "held out"]


def _by_slice(asked: Sequence[Asked]) -> dict[str, Retrieval]:
    names = sorted({one.case.slice for one in asked if one.case.answers})
    return {name: score_asked(one for one in asked if one.case.slice == name) for name in names}
