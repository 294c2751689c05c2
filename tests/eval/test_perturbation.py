"""The perturbation report: failures are the noise's, worse where there is more of it, the same for the same seed."""

from __future__ import annotations

import pytest

from eval.noise import NOISE_OF
from eval.perturbation import WITHOUT_EFFECT, NoiseRow, PerturbationReport, perturb, perturbation_markdown
from eval.planted_faults import Base, find_bases
from eval.query_set import shipped_query_set
from eval.score import EvalError
from knowledge.search import KnowledgeBase


@pytest.fixture(scope="module")
def bases(kb: KnowledgeBase) -> list[Base]:
    return find_bases(kb, shipped_query_set()[::90])


@pytest.fixture(scope="module")
def report(kb: KnowledgeBase, bases: list[Base]) -> PerturbationReport:
    return perturb(3, kb, bases, levels=(0.3, 1.0))


def row(report: PerturbationReport, point: str, kind: str, level: float) -> NoiseRow:
    return next(one for one in report.rows if (one.point, one.kind, one.level) == (point, kind, level))


def test_without_noise_nothing_fails(report: PerturbationReport, bases: list[Base]) -> None:
    assert report.cases == report.clean.n == len(bases)
    assert report.clean.hits == 0


def test_every_row_counts_its_cases(report: PerturbationReport, bases: list[Base]) -> None:
    for one in report.rows:
        assert one.kind in NOISE_OF[one.point]
        assert one.kind not in WITHOUT_EFFECT
        assert 0 < one.failed.n <= len(bases)
        assert sum(one.layers.values()) == one.failed.n == sum(share.n for share in one.modules.values())
        assert one.layers.get("none", 0) == one.failed.n - one.failed.hits
        assert (one.search_ms.n > 0) == (one.point in ("query", "chunks"))
    assert {one.point for one in report.rows} == set(NOISE_OF)


def test_each_point_has_its_own_failures(report: PerturbationReport) -> None:
    """Noise in passages costs the words that answer; in the answer it costs support; in anchors it only looks like a miss."""
    poor = row(report, "chunks", "ocr", 1.0)
    assert poor.failed.value > 0.5
    assert poor.err.value < 1
    garbled = row(report, "answer", "ocr", 1.0)
    assert garbled.layers.get("generation", 0) > 0
    assert garbled.err.value == 1
    void = row(report, "anchors", "ocr", 1.0)
    assert void.far.value == 1
    assert set(void.layers) <= {"none", "retrieval"}


def test_more_noise_does_more_harm(report: PerturbationReport) -> None:
    little, much = row(report, "chunks", "ocr", 0.3), row(report, "chunks", "ocr", 1.0)
    assert little.failed.value <= much.failed.value
    assert little.err.value >= much.err.value


def test_the_same_seed_gives_the_same_report(kb: KnowledgeBase, bases: list[Base]) -> None:
    first, again = perturb(5, kb, bases[:3], levels=(0.7,)), perturb(5, kb, bases[:3], levels=(0.7,))
    timeless = {"search_ms"}
    assert [one.model_dump_json(exclude=timeless) for one in first.rows] == [
        one.model_dump_json(exclude=timeless) for one in again.rows
    ]
    assert first.examples == again.examples


def test_what_was_changed_is_shown(report: PerturbationReport) -> None:
    assert report.examples
    assert all(one.original != one.corrupted for one in report.examples)


def test_the_table_for_people(report: PerturbationReport) -> None:
    text = perturbation_markdown(report)
    assert "| chunks | ocr | 0.3 |" in text
    assert "failed at level 1" in text
    assert "nan" not in text


def test_without_cases_there_is_no_report(kb: KnowledgeBase) -> None:
    with pytest.raises(EvalError, match="no case"):
        perturb(1, kb, [])
