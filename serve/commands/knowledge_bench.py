"""`gauge bench knowledge`: runs the bench of the knowledge base and writes it for people or as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eval.bench_knowledge import QueryBench, Retrieval, bench_queries
from eval.bench_knowledge_scale import ScaleRow, bench_scale, time_embedding
from eval.bench_knowledge_units import UnitErrors, bench_units
from eval.query_set import load_query_set, read_development_queries
from eval.tables import number, table
from knowledge.embedder import CachedEmbedder, load_embedder
from knowledge.manifest import knowledge_root
from knowledge.search import KnowledgeBase
from serve.settings import load_settings

TARGETS: dict[str, tuple[float, float, float]] = {
    "template": (0.95, 0.99, 0.95),
    "english": (0.80, 0.95, 0.85),
    "chinese": (0.70, 0.90, 0.75),
    "multi_hop": (0.70, 0.90, 0.75),
}
MILLISECONDS = 60.0


def run_knowledge_bench(*, scale: int | None, as_json: bool, database: str | None = None) -> Iterator[str]:
    """Everything measured, each part as soon as it is: tables for people, or JSON objects, of which the last is the summary.

    `database` is the address of a PostgreSQL server to measure instead of the setting's archive.
    """
    settings = load_settings()
    database = database or settings.postgres_url
    embedder = load_embedder(settings.embedder)
    kept = CachedEmbedder(embedder, knowledge_root(settings.home) / "embeddings.sqlite")
    kb = KnowledgeBase.open(settings.home, embedder=kept, database=database)

    def told(record: dict[str, Any], text: Callable[[], str]) -> str:
        return json.dumps(plain(record), ensure_ascii=False) if as_json else text() + "\n"

    try:
        cases, development = load_query_set(), read_development_queries()
        # In batches, once: a search then costs no embedding.
        kb.prepare([case.text for case in (*cases, *development)])
        queries = bench_queries(kb, cases, development)
        yield told({"queries": queries.model_dump(mode="json")}, lambda: queries_text(queries))
        units, embed_ms = bench_units(kb), time_embedding(embedder, kb.chunks())
        record = {"units": units.model_dump(mode="json"), "embedding_ms_per_chunk": embed_ms, "embedder": embedder.name}
        yield told(record, lambda: units_text(units, embed_ms))
        rows = bench_scale(kb, kept, cases, scale, database=database) if scale else ()
        if rows:
            yield told({"scale": [row.model_dump(mode="json") for row in rows]}, lambda: scale_text(rows))
    finally:
        kb.close()
    if as_json:
        yield json.dumps(plain(bench_record(queries, units, rows)))


def bench_record(queries: QueryBench, units: UnitErrors, rows: tuple[ScaleRow, ...]) -> dict[str, Any]:
    """The one line that sums up; milliseconds are those of the largest size measured."""
    slices = {name: _rates(scores) for name, scores in queries.slices.items()}
    return {
        "template": slices.get("template", _rates(None)),
        "slices": slices,
        "draft_answers": queries.draft_answers,
        "unit_errors": units.with_injection_and_query,
        "search_ms_p95": round(rows[-1].search_ms_p95 if rows else queries.search_ms_p95, 2),
    }


def _rates(scores: Retrieval | None) -> dict[str, float]:
    if scores is None:
        return {"hit1": math.nan, "hit5": math.nan, "mrr": math.nan}
    return {"hit1": round(scores.hit1, 4), "hit5": round(scores.hit5, 4), "mrr": round(scores.mrr, 4)}


def plain(value: Any) -> Any:
    """The value with null for every NaN: strict JSON knows no NaN."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def queries_text(queries: QueryBench) -> str:
    """Tables of the test queries for people."""
    header = ("slice", "n", "hit@1", "hit@5", "MRR", "authoritative hit@1", "target")
    slices = [(name, *_cells(scores), _target(name, scores)) for name, scores in queries.slices.items()]
    tuned = [(name, *_cells(scores), "") for name, scores in queries.tuned.items()]
    routes = [(row.name, *_cells(row.scores)) for row in queries.routes]
    return "\n\n".join(
        [
            f"{queries.queries} queries over {queries.chunks} chunks; reported is the half that nothing was tuned on",
            table(header, [*slices, ("all", *_cells(queries.overall), "")]),
            "The half that options were tuned on:\n\n" + table(header, tuned),
            "Routes, held-out half:\n\n" + table(("routes", *header[1:-1]), routes),
            f"drafts answering: {queries.draft_answers}; hits from another model's manual: {queries.trap_answers}; "
            f"multi-hop with the place on the way among 5: {number(queries.via)}; "
            f"unanswerable with a weak best hit: {number(queries.unanswerable_weak)}",
            f"a search of the shipped corpus: p50 {number(queries.search_ms_p50)} ms, p95 {number(queries.search_ms_p95)} ms "
            "beyond the query's embedding",
        ]
    )


def units_text(units: UnitErrors, embed_ms: float) -> str:
    """Unit errors and the time of an embedding for people."""
    return (
        f"unit errors of {units.n} readings: {units.without_declarations} without declarations, {units.with_injection} with "
        f"injection, {units.with_injection_and_query} with injection and the parallel unit query\n\n"
        f"embedding a chunk: {number(embed_ms)} ms"
    )


def scale_text(rows: Sequence[ScaleRow]) -> str:
    """A table of sizes for people."""
    sizes = [
        (
            str(row.chunks),
            *(number(value) for value in (row.build_s, row.open_s, row.disk_mb, row.memory_mb)),
            *(number(value) for value in (row.search_ms_p50, row.search_ms_p95, row.search_ms_max)),
            *(number(value) for value in (row.server_ms_mean, row.wall_ms_p95)),
        )
        for row in rows
    ]
    last = rows[-1]
    told = math.isfinite(last.server_ms_mean)
    spent = last.search_ms_p95 + (last.server_ms_mean if told else 0.0)
    state = "met" if spent <= MILLISECONDS else "missed"
    header = ("chunks", "build s", "open s", "disk MB", "memory +MB", "p50 ms", "p95 ms", "max ms", "server ms", "wall p95 ms")
    return "\n\n".join(
        [
            table(header, sizes),
            f"target p95 <= {MILLISECONDS:.0f} ms{' with the server' if told else ''} at {last.chunks} chunks: {state}",
        ]
    )


def _cells(scores: Retrieval) -> tuple[str, ...]:
    return (str(scores.n), *(number(value) for value in (scores.hit1, scores.hit5, scores.mrr, scores.authoritative)))


def _target(name: str, scores: Retrieval) -> str:
    goal = TARGETS.get(name)
    if goal is None:
        return ""
    met = all(value >= least for value, least in zip((scores.hit1, scores.hit5, scores.mrr), goal, strict=True))
    return ("met: " if met else "missed: ") + " / ".join(f"{least:.2f}" for least in goal)
