"""The bench of the knowledge base: its arithmetic, its generated corpus, its one line."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from eval.bench_knowledge import Asked, ask, bench_queries, changed, half_of, score_asked
from eval.bench_knowledge_scale import bench_scale, build_generated, generated, perturbed
from eval.bench_knowledge_units import UnitErrors, bench_units
from eval.query_set import Answer, QueryCase
from knowledge.fusion import SearchOptions
from knowledge.search import KnowledgeBase
from serve.commands.knowledge_bench import bench_record, plain, queries_text, units_text
from tests.knowledge.conftest import HashEmbedder


def case(id: str, document: str = "xyz-2000-en", anchor: str = "once a month", **changes: object) -> QueryCase:
    data = {"id": id, "slice": "english", "language": "en", "text": "zero check of the XYZ-2000", "authority": document}
    return QueryCase.model_validate({**data, "answers": (Answer(document=document, anchor=anchor),), **changes})


def asked(rank: int | None, best: float = 0.5) -> Asked:
    return Asked(case=case("a"), rank=rank, authoritative=rank == 1, best=best, via_found=False, drafts=0, traps=0, seconds=0.001)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return KnowledgeBase.open(tmp_path_factory.mktemp("home"), embedder=HashEmbedder())


def test_rates_are_those_of_the_ranks() -> None:
    scores = score_asked([asked(1), asked(2), asked(6), asked(None)])
    assert (scores.n, scores.hit1, scores.hit5, scores.authoritative) == (4, 0.25, 0.5, 0.25)
    assert scores.mrr == pytest.approx((1 + 1 / 2 + 1 / 6) / 4)
    assert math.isnan(score_asked([]).hit1)


def test_a_route_off_leaves_weights_that_sum_to_one() -> None:
    options = changed(SearchOptions(), {"dense": 0.0})
    assert (options.dense, options.lexical, options.structured) == (0.0, 0.5, 0.5)


def test_halves_depend_on_the_id_alone() -> None:
    halves = [half_of(case(f"q-{n}")) for n in range(200)]
    assert halves == [half_of(case(f"q-{n}", text="other")) for n in range(200)]
    assert 70 < halves.count("held out") < 130


def test_queries_are_asked_and_options_put_back(kb: KnowledgeBase) -> None:
    before = kb.options
    cases = [case(f"q-{n}") for n in range(8)]
    result = bench_queries(kb, cases, progress=False)
    assert kb.options == before
    assert result.queries == 8
    assert (result.draft_answers, result.trap_answers) == (0, 0)
    assert result.routes[0].scores == result.overall
    assert result.overall.n + sum(scores.n for scores in result.tuned.values()) == 8
    one = ask(kb, cases[0])
    assert one.rank is not None
    assert one.seconds >= 0


def test_generated_chunks_are_about_other_models(kb: KnowledgeBase) -> None:
    originals = kb.chunks()
    chunks = list(generated(originals, len(originals) + 40))
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    copy = next(chunk for chunk in chunks[len(originals) :] if chunk.models)
    assert copy.models[0].endswith("-1")
    assert copy.models[0] in copy.title


def test_perturbed_vectors_are_unit_near_and_repeatable() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(10, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    many = perturbed(vectors, 35, np.random.default_rng(1))
    assert np.array_equal(many, perturbed(vectors, 35, np.random.default_rng(1)))
    assert np.linalg.norm(many, axis=1) == pytest.approx(np.ones(35), abs=1e-5)
    assert many[:10] == pytest.approx(vectors, abs=1e-6)
    cosines = (many[10:20] * vectors).sum(1)
    assert (cosines > 0.85).all()
    assert (cosines < 0.999).all()


def test_a_generated_publication_is_searched_like_any_other(kb: KnowledgeBase, tmp_path: Path) -> None:
    place = build_generated(kb, HashEmbedder(), 1200, tmp_path, progress=False)
    large = KnowledgeBase(place, HashEmbedder())
    assert len(large.chunks()) == 1200
    hits = large.search("zero check of the XYZ-2000", k=3)
    assert hits[0].chunk.models == ("XYZ-2000",)
    assert hits[0].chunk.section == "6.2"
    large.close()


def test_the_size_asked_for_is_measured(kb: KnowledgeBase) -> None:
    (row,) = bench_scale(kb, HashEmbedder(), [case("a"), case("b")], 1000, progress=False)
    assert row.chunks == 1000
    assert 0 < row.search_ms_p50 <= row.search_ms_p95 <= row.search_ms_max


def test_declarations_take_unit_errors_away(kb: KnowledgeBase) -> None:
    errors = bench_units(kb, 60)
    assert errors.n == 60
    assert errors.with_injection_and_query <= errors.with_injection <= errors.without_declarations


def test_the_one_line_has_the_agreed_keys(kb: KnowledgeBase) -> None:
    queries = bench_queries(kb, [case("q-1"), case("q-2"), case("q-3")], [case("dev-1")], progress=False)
    assert queries.tuned["development"].n == 1
    assert queries.queries == 3
    units = UnitErrors(n=1, without_declarations=1, with_injection=0, with_injection_and_query=0)
    record = plain(bench_record(queries, units, ()))
    assert list(record) == ["template", "slices", "draft_answers", "unit_errors", "search_ms_p95"]
    assert set(record["template"]) == {"hit1", "hit5", "mrr"}
    assert record["template"]["hit1"] is None
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    text = queries_text(queries)
    assert "| without dense |" in text
    assert "drafts answering: 0" in text
    assert "1 without declarations, 0 with injection" in units_text(units, 10.0)
