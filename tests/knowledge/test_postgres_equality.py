"""Two archives, one answer: the same hits, scores and order from PostgreSQL as from the folders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from eval.query_set import QueryCase, load_query_set, read_development_queries
from knowledge.dense import search_vectors
from knowledge.embedder import PACKAGED, CachedEmbedder, Embedder, load_embedder
from knowledge.index import DenseIndex
from knowledge.manifest import Manifest
from knowledge.search import KnowledgeBase

from .conftest import HashEmbedder

MOMENTS = (None, date(2019, 6, 1), date(2022, 5, 1), date(2024, 3, 1))
"""Today, and days on which other versions of the shipped manuals were in force."""


class Pair(NamedTuple):
    """One corpus in both archives."""

    folders: KnowledgeBase
    postgres: KnowledgeBase


def open_pair(home: Path, database: str, embedder: Embedder) -> Pair:
    return Pair(KnowledgeBase.open(home, embedder=embedder), KnowledgeBase.open(home, embedder=embedder, database=database))


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, postgres_server: str) -> Iterator[Pair]:
    """Vectors of hashed words: many chunks are equally near to a question, so the order of ties shows."""
    opened = open_pair(tmp_path_factory.mktemp("home"), postgres_server, HashEmbedder())
    yield opened
    for base in opened:
        base.close()


def ask(pair: Pair, case: QueryCase, **how: Any) -> int:
    """Number of hits, the same from both."""
    first, second = (base.search(case.text, model=case.model, k=10, **how) for base in pair)
    assert [(hit.chunk.id, hit.routes) for hit in first] == [(hit.chunk.id, hit.routes) for hit in second], case.id
    assert [hit.score for hit in first] == pytest.approx([hit.score for hit in second], abs=1e-4), case.id
    assert first == second, f"{case.id}: not the same to the last bit"
    return len(first)


def test_the_same_publication_is_in_both(pair: Pair) -> None:
    first, second = (base.manifest for base in pair)
    assert first.version == second.version
    assert first.chunks == second.chunks > 600
    kept = [[entry.model_dump(exclude={"indexed_at"}) for entry in one.documents] for one in (first, second)]
    assert kept[0] == kept[1]
    assert pair.folders.chunks() == pair.postgres.chunks()
    ids = [chunk.id for chunk in pair.folders.chunks()]
    np.testing.assert_array_equal(pair.folders.vectors_of(ids), pair.postgres.vectors_of(ids))


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_share_of_the_questions_at_each_moment(pair: Pair, moment: date | None) -> None:
    cases = load_query_set()[:: 7 if moment is None else 23]
    assert sum(ask(pair, case, as_of=moment) for case in cases) > len(cases)


@pytest.mark.parametrize("moment", MOMENTS)
def test_facts_of_every_model_at_each_moment(pair: Pair, moment: date | None) -> None:
    found = 0
    for base in pair:
        base.as_of = moment
    try:
        for model in pair.folders._publication.catalog.models(np.ones(pair.folders.manifest.chunks, np.bool_)):
            for language in ("en", "zh"):
                first, second = (base.facts(model, language) for base in pair)
                assert first == second, model
                found += first is not None
    finally:
        for base in pair:
            base.as_of = None
    assert found > (20 if moment is None else 0)


@pytest.mark.parametrize(
    "how",
    [
        {"include": ("valid", "draft")},
        {"include": ("valid", "archived", "draft")},
        {"semantic_type": "procedure"},
        {"language": "zh"},
        {"model": "XYZ-2000"},
        {"model": "no such model"},
    ],
)
def test_the_same_whatever_is_asked_for(pair: Pair, how: dict[str, Any]) -> None:
    for query in ("calibration formula", "red lamp", "校准公式", "when must it be stopped", "95 MPa"):
        first, second = (base.search(query, k=20, **how) for base in pair)
        assert first == second


@pytest.mark.parametrize("route", ["dense", "lexical", "structured"])
def test_the_same_with_each_route_alone(pair: Pair, route: str) -> None:
    before = pair.folders.options
    options = pair.folders.with_options(**{name: float(name == route) for name in ("dense", "lexical", "structured")})
    for base in pair:
        base.options = options
    try:
        hits = [ask(pair, case) for case in load_query_set()[::61]]
    finally:
        for base in pair:
            base.options = before
    assert any(hits)


def test_the_same_with_summaries(pair: Pair) -> None:
    before = pair.folders.options
    for base in pair:
        base.options = base.with_options(summaries=True)
    try:
        assert any(ask(pair, case) for case in load_query_set()[::61])
    finally:
        for base in pair:
            base.options = before


HOSTILE = (
    "'; DROP TABLE gauge_knowledge.chunks; --",
    "%s %(number)s {schema} \\N \\x00 $$",
    '" OR 1=1 ) NEAR(',
    "\0\ud800 \u202e😀",
    "x" * 20_000,
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_questions_are_data(pair: Pair, text: str) -> None:
    for how in ({}, {"model": text}):
        first, second = (base.search(text, **how) for base in pair)
        assert first == second
    assert pair.postgres.facts(text) is pair.folders.facts(text) is None
    assert pair.postgres.search("red lamp")


def drawn_book(seed: int) -> tuple[DenseIndex, np.random.Generator]:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(300, 24)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    # Half of them are copies of each other: ties that only the rows can decide.
    vectors[150:300] = vectors[rng.integers(0, 12, size=150)]
    return DenseIndex.build(vectors), rng


@pytest.mark.parametrize("seed", range(3))
def test_ties_are_decided_by_the_rows_whoever_keeps_the_vectors(database: str, seed: int) -> None:
    from knowledge.postgres.books import PostgresVectors
    from knowledge.postgres.server import server_at
    from knowledge.postgres.tables import TEXT, Tables

    index, rng = drawn_book(seed)
    now = datetime.now(UTC)
    server, tables = server_at(database), Tables()

    def keep(connection: Any) -> int:
        with connection.transaction():
            tables.lock(connection)
            number = tables.begin(connection, Manifest(version="v", embedder="", published_at=now, documents=(), chunks=300))
            tables.add_vectors(connection, number, TEXT, index.matrix)
            return number

    book = PostgresVectors(server, tables, server.run(keep), "v", rows=300, vectors=300)
    assert book.dimension == 24
    assert not book.summarised
    for share in (1.0, 0.7, 0.15, 0.02):
        mask = rng.random(300) < share
        query = index.matrix[int(rng.integers(300))] if share > 0.5 else rng.normal(size=24).astype(np.float32)
        for k in (1, 13, 40, 300):
            first, second = (search_vectors(one, query, mask, k) for one in (index, book))
            assert list(first.items()) == list(second.items())
            assert len(first) == min(k, int(mask.sum()))
            assert list(first.items()) == sorted(first.items(), key=lambda pair: (-pair[1], pair[0]))
            assert set(first) == set(brute_force(index, query, mask, k))


def brute_force(index: DenseIndex, query: np.ndarray, mask: np.ndarray, k: int) -> Sequence[int]:
    exact = index.matrix.astype(np.float64) @ query.astype(np.float64)
    rows = [int(row) for row in np.flatnonzero(mask)]
    return sorted(rows, key=lambda row: (-round(float(exact[row]), 12), row))[:k]


@pytest.mark.slow
def test_all_questions_with_the_packaged_embedder(
    tmp_path: Path, postgres_server: str, pytestconfig: pytest.Config, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = Path(pytestconfig.cache.mkdir("knowledge")) / "questions.sqlite"  # type: ignore[union-attr]
    pair = open_pair(tmp_path, postgres_server, CachedEmbedder(load_embedder(PACKAGED), kept))
    cases = (*load_query_set(), *read_development_queries())
    for base in pair:
        base.prepare([case.text for case in cases])
    hits = sum(ask(pair, case, as_of=moment) for moment in MOMENTS for case in cases)
    with capsys.disabled():
        print(f"{len(cases)} questions at {len(MOMENTS)} moments, {hits} hits, all the same")
    assert hits > 2000
    for base in pair:
        base.close()
