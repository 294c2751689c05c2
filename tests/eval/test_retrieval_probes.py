"""All retrieval probes at once: they agree with the single ones, and tell apart what a mean would hide."""

from __future__ import annotations

import pytest

from eval.anchors_relevance import DOMAINS
from eval.context_relevance import VectorJudge
from eval.mvfu import SHIPPED_LIBRARY, read_library
from eval.query_set import QueryCase, shipped_query_set
from eval.retrieval_probes import ProbeRow, Probes, probe_card, probe_queries
from knowledge.search import KnowledgeBase
from tests.serve.doubles import HashEmbedder

CASES = [case for case in shipped_query_set() if case.id.endswith(("1", "7")) and case.slice != "template"][:40]


@pytest.fixture(scope="module")
def probes() -> Probes:
    return Probes(read_library(SHIPPED_LIBRARY), VectorJudge(HashEmbedder()))


@pytest.fixture(scope="module")
def rows(kb: KnowledgeBase, probes: Probes) -> list[ProbeRow]:
    return list(probe_queries(kb, CASES, probes))


def test_every_query_has_every_score_or_a_reason(rows: list[ProbeRow]) -> None:
    assert [row.id for row in rows] == [case.id for case in CASES]
    for row in rows:
        scores = (row.retrieval.hit, row.anchor_relevance.score, row.fact_coverage.score, row.context_relevance.score)
        assert all(score.reason for score in scores)


def test_the_rank_is_that_of_the_query_set(kb: KnowledgeBase, rows: list[ProbeRow]) -> None:
    for case, row in zip(CASES[:10], rows, strict=False):
        chunks = [hit.chunk for hit in kb.search(case.text, model=case.model, k=10)]
        assert row.retrieval.rank == case.rank(chunks)


def test_a_query_without_an_answer_has_no_hit_to_miss(kb: KnowledgeBase, probes: Probes) -> None:
    case = next(case for case in shipped_query_set() if not case.answers)
    (row,) = probe_queries(kb, [case], probes)
    assert row.retrieval.hit.state == "not_scorable"
    assert row.retrieval.rank is None


def test_a_mended_typo_is_no_anchor_that_passages_lack(kb: KnowledgeBase, probes: Probes) -> None:
    right, wrong = (
        QueryCase(
            id="q",
            slice="unanswerable",
            language="en",
            text=text,
            model="XYZ-2000",
            note="only relevance is looked at",
        )
        for text in ("calibration interval of the pressure gauge", "calibrtion intervall of the presure gauge")
    )
    first, second = probe_queries(kb, [right, wrong], probes)
    assert second.anchor_relevance.score.value == pytest.approx(first.anchor_relevance.score.value, abs=0.2)
    assert second.anchor_relevance.score.value > 0.5


def test_the_card_counts_all_rows_and_all_passages(rows: list[ProbeRow]) -> None:
    card = probe_card(rows, "judge", "v1")
    hit = card.overall.retrieval.hit
    assert hit.n + hit.not_scorable == len(rows)
    assert sum(means.retrieval.hit.n for means in card.slices.values()) == hit.n
    assert card.overall.retrieval.hit.value > 0.9
    counted = sum(card.heat.relation) + sum(card.heat.entity) + sum(card.heat.noise)
    assert counted == sum(len(row.heat.cells) for row in rows)
    assert card.heat.relation[0] > card.heat.relation[-1]


def test_about_the_question_and_without_its_facts_is_told(rows: list[ProbeRow]) -> None:
    named = set(probe_card(rows, "judge", "v1").about_but_empty)
    for row in rows:
        about, covered = row.anchor_relevance.score.state, row.fact_coverage.score.state
        assert (row.id in named) == ((about, covered) == ("supported", "unsupported"))


def test_no_rows_make_a_card_without_means() -> None:
    card = probe_card([], "judge", "v1")
    assert card.overall.anchor_relevance.n == 0
    assert card.slices == {}


def test_the_domain_changes_anchor_relevance_alone(kb: KnowledgeBase, rows: list[ProbeRow], probes: Probes) -> None:
    law = Probes(probes.library, probes.judge, DOMAINS["law"])
    again = list(probe_queries(kb, CASES, law))
    assert [row.fact_coverage for row in again] == [row.fact_coverage for row in rows]
    assert [row.anchor_relevance.score.value for row in again] != [row.anchor_relevance.score.value for row in rows]


def test_a_rerun_gives_the_same(kb: KnowledgeBase, probes: Probes, rows: list[ProbeRow]) -> None:
    again = [row.model_dump_json() for row in probe_queries(kb, CASES, probes)]
    assert again == [row.model_dump_json() for row in rows]
