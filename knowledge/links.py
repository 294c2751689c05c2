"""What the best hits refer to comes along: a lamp's meaning brings its emergency procedure with it.

A passage that is referred to gets a share of the referring hit's score, and stands before it where it answers more of the
question than the hit itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.articles import Chunk, Hit
from knowledge.chunks import find_references
from knowledge.intents import called_sections
from knowledge.ranking import Ranking, limits_met

STEPS = 2
"""A procedure may send its reader on to the conditions of a restart."""
PARENTS = 2
"""Hits whose references are followed."""
BEFORE, BEHIND = 1.001, 0.999
"""Shares of the referring hit's score that put what it refers to just before or behind it."""


def follow_links(ranking: Ranking, hits: list[Hit]) -> list[Hit]:
    """The hits, best first, with what the first of them refer to."""
    if ranking.options.link <= 0:
        return hits
    for _ in range(STEPS):
        hits = _follow(ranking, hits)
    return hits


def _follow(ranking: Ranking, hits: Sequence[Hit]) -> list[Hit]:
    catalog, options = ranking.catalog, ranking.options
    by_id = {hit.chunk.id: hit for hit in hits}
    called = _called(ranking)
    for parent in hits[:PARENTS]:
        own = called.get(parent.chunk.id, ())
        for row in catalog.sections(parent.chunk.document, parent.chunk.refers_to):
            chunk = catalog.chunk(row)
            if not ranking.scope.allowed[row] or chunk.id == parent.chunk.id or catalog.language(row) != ranking.preferred:
                continue
            known = by_id.get(chunk.id)
            if (known is not None and known.linked_from is not None) or parent.linked_from == chunk.id:
                continue
            share = options.called_link if chunk.section in own else options.link
            score = (known.score if known else 0.0) + share * parent.score
            if _leads_on(ranking, parent.chunk, chunk, called=chunk.section in own):
                score = max(score, parent.score * BEFORE)
            elif known is None or known.score < parent.score:
                score = min(score, parent.score * BEHIND)
            hit = known or Hit(chunk=chunk, score=0.0)
            by_id[chunk.id] = hit.model_copy(update={"score": min(1.0, score), "linked_from": parent.chunk.id})
    return sorted(by_id.values(), key=lambda hit: (-hit.score, hit.chunk.id))


def _called(ranking: Ranking) -> dict[str, tuple[str, ...]]:
    """Chunk id -> sections that the row which the question is about sends its reader to."""
    found: dict[str, tuple[str, ...]] = {}
    for facts in ranking.model_facts():
        met = [(limit.chunk, find_references(limit.text)) for limit in limits_met(ranking.plan, facts)]
        for id, sections in (*called_sections(ranking.plan.intent, facts), *met):
            found[id] = (*found.get(id, ()), *sections)
    return found


def _leads_on(ranking: Ranking, parent: Chunk, target: Chunk, *, called: bool) -> bool:
    """Whether what a hit refers to answers more of the question than the hit itself."""
    plan, statistics = ranking.plan, ranking.statistics
    if called and plan.two_step:
        return True
    wanted = set(plan.terms)
    rows = [ranking.catalog.row_of(chunk.id) or 0 for chunk in (parent, target)]
    first, second = (statistics.coverage(wanted, row) for row in rows)
    both = statistics.weigh(wanted & (statistics.terms_of(rows[0]) | statistics.terms_of(rows[1])))
    gain = both / max(statistics.weigh(wanted), 1e-9) - first
    if called and plan.intent.action:
        return target.semantic_type == "procedure" or gain > 0.4 * ranking.options.gain
    return gain >= ranking.options.gain and second > first
