"""Fact coverage: needed facts by question, stated by the right passages, three states, the document's own population."""

from __future__ import annotations

import math

import pytest

from eval.coverage import cover, mean_coverage, needed_facts, score_coverage
from eval.mvfu import SHIPPED_LIBRARY, FactLibrary, Mvfu, read_library
from eval.retrieval import Passage

LIBRARY = read_library(SHIPPED_LIBRARY)
ROW = "| Lamp colour | Meaning | Action |\n|---|---|---|\n| Red | Over-pressure or sensor fault | {action} |"
RED = ROW.format(action="Carry out the emergency shutdown procedure in section 5.2.")
QUESTION = "What does the red lamp of the XYZ-2000 mean?"


def passage(text: str, document: str | None = "xyz-2000-en", title: str | None = None) -> Passage:
    return Passage(text=text, document=document, title=title)


def ids(question: str, model: str | None = "XYZ-2000", language: str | None = None) -> list[str]:
    return [fact.id for fact in needed_facts(question, model, LIBRARY, language)]


@pytest.mark.parametrize(
    ("question", "needed"),
    [
        (QUESTION, ["xyz-2000-en:lamp:red"]),
        ("XYZ-2000 的红灯表示什么？", ["xyz-2000-zh:lamp:red"]),
        ("Red lamp: what to do?", ["xyz-2000-en:lamp:red", "xyz-2000-en:lamp:red-action"]),
        ("Which mode is position 4?", ["xyz-2000-en:mode:4"]),
        ("What is the measuring range?", ["xyz-2000-en:value_range"]),
        ("calibration formula", ["xyz-2000-en:formula"]),
        ("At which alarm is it stopped?", ["xyz-2000-en:limits:alarm:100.."]),
        ("Who built it?", []),
        ("", []),
    ],
)
def test_what_a_question_needs(question: str, needed: list[str]) -> None:
    assert ids(question) == needed


def test_what_is_needed_follows_model_code_and_language() -> None:
    assert ids("code E2", "TD-4") == ["td-4-en:codes:E2"]
    assert len(ids("codes", "TD-4")) == 5
    assert ids("calibration formula", "XYZ-2000", "zh") == ["xyz-2000-zh:formula"]
    assert ids("calibration formula", "GT-400", "zh") == ["gt-400-en:formula"]
    assert ids("calibration formula", None) == ids("calibration formula", "NO-1") == []


def test_without_a_model_the_one_that_the_question_names_counts() -> None:
    assert ids(QUESTION, None) == ids(QUESTION)
    assert ids("红灯表示什么，XYZ-2000？", None) == ["xyz-2000-zh:lamp:red"]
    assert ids("Red lamp of XYZ-2000 or XYZ-2100?", None) == []
    assert ids("Red lamp of the XYZ-20000?", None) == ids("Red lamp of the OXYZ-2000?", None) == []
    assert FactLibrary().model_in("XYZ-2000") is None


def test_a_statement_found_is_covered_and_says_where() -> None:
    coverage = score_coverage(QUESTION, [passage("Clean it."), passage(RED)], LIBRARY, "XYZ-2000")
    assert coverage.score.value == 1
    assert (coverage.facts[0].passage, coverage.facts[0].document) == (2, "xyz-2000-en")
    assert coverage.missing == ()


def test_half_of_the_facts_is_half_a_score() -> None:
    coverage = score_coverage("Red lamp: what to do?", [passage(RED)], LIBRARY, "XYZ-2000")
    assert coverage.score.value == 1
    cut = passage("The red lamp means over-pressure or sensor fault.")
    half = score_coverage("Red lamp: what to do?", [cut], LIBRARY, "XYZ-2000")
    assert half.score.value == 0.5
    assert half.missing == ("xyz-2000-en:lamp:red-action",)


@pytest.mark.parametrize(
    "text",
    [
        "The measuring range is 0 to 120 MPa.",
        "Its measuring range is 0-120 MPa.",
        "The measuring range is 0 to 1200 bar.",
        "  The measuring\n range is 0 to 120 MPa  ",
    ],
)
def test_other_words_and_units_for_the_same_fact(text: str) -> None:
    assert score_coverage("measuring range", [passage(text)], LIBRARY, "XYZ-2000").score.value == 1


@pytest.mark.parametrize(
    "text",
    [
        "The measuring range is 0 to 100 MPa.",
        "The measuring range is 0 to 120 bar.",
        "The measuring range is not 0 to 120 MPa.",
        "The measuring range is 10 to 120 MPa.",
        "The measuring range is printed on the nameplate.",
    ],
)
def test_a_changed_number_unit_or_negation_states_nothing(text: str) -> None:
    assert score_coverage("measuring range", [passage(text)], LIBRARY, "XYZ-2000").score.state == "unsupported"


def test_a_point_in_a_number_is_no_mark() -> None:
    fact = LIBRARY.facts["xyz-2000-en:accuracy"]
    assert cover([fact], [passage(fact.statement)], LIBRARY).score.value == 1
    assert cover([fact], [passage(fact.statement.replace("1.6", "16"))], LIBRARY).score.value == 0


def test_the_same_words_of_another_model_state_nothing() -> None:
    text = "The measuring range is 0 to 120 MPa."
    other = passage(text, "xyz-2100-en", "XYZ-2100 Pressure Gauge XYZ-2100")
    assert score_coverage("measuring range", [other], LIBRARY, "XYZ-2000").score.value == 0
    notice = passage(text, "notice-en", "Notice 7 XYZ-2000 DG-30")
    assert score_coverage("measuring range", [notice], LIBRARY, "XYZ-2000").score.value == 1
    unknown = passage(text, None)
    assert score_coverage("measuring range", [unknown], LIBRARY, "XYZ-2000").score.value == 1


def test_a_fact_may_be_stated_in_the_other_language() -> None:
    chinese = passage("测量范围为 0 至 120 MPa。", "xyz-2000-zh", "XYZ-2000 压力表 XYZ-2000")
    assert score_coverage("measuring range", [chinese], LIBRARY, "XYZ-2000").score.value == 1


def test_a_passage_in_a_language_that_no_fact_is_written_in_cannot_be_judged() -> None:
    lonely = Mvfu.model_validate({**LIBRARY.facts["xyz-2000-en:lamp:red"].model_dump(), "id": "x", "models": ("Q-1",)})
    coverage = cover([lonely], [passage("甲醛含量随季节变化。", None)], FactLibrary([lonely]))
    assert coverage.score.state == coverage.facts[0].score.state == "not_scorable"
    assert math.isnan(coverage.score.value)
    assert coverage.missing == ()


@pytest.mark.parametrize(
    ("question", "model"), [("", "XYZ-2000"), ("Who built it?", "XYZ-2000"), ("What does the red lamp mean?", None)]
)
def test_without_a_needed_fact_nothing_is_scored(question: str, model: str | None) -> None:
    coverage = score_coverage(question, [passage(RED)], LIBRARY, model)
    assert coverage.score.state == "not_scorable"
    assert coverage.facts == ()


def test_nothing_retrieved_covers_nothing() -> None:
    for nothing in ([], [passage(" ")]):
        coverage = score_coverage(QUESTION, nothing, LIBRARY, "XYZ-2000")
        assert coverage.score.value == 0
        assert "context is empty" in coverage.facts[0].score.reason


def test_an_empty_library_scores_nothing() -> None:
    assert score_coverage(QUESTION, [passage(RED)], FactLibrary(), "XYZ-2000").score.state == "not_scorable"


def test_the_mean_leaves_out_what_is_not_scorable() -> None:
    rows = [
        score_coverage(QUESTION, [passage(RED)], LIBRARY, "XYZ-2000"),
        score_coverage(QUESTION, [passage("x")], LIBRARY, "XYZ-2000"),
        score_coverage("Who?", [passage(RED)], LIBRARY, "XYZ-2000"),
    ]
    mean = mean_coverage(rows)
    assert (mean.value, mean.n, mean.not_scorable) == (0.5, 2, 1)


def test_the_same_input_gives_the_same_score() -> None:
    given = ("Red lamp: what to do?", [passage(RED), passage("x" * 9_000)], LIBRARY, "XYZ-2000")
    assert score_coverage(*given) == score_coverage(*given)


def test_a_whole_document_as_a_passage_is_not_scorable() -> None:
    coverage = score_coverage(QUESTION, [passage(RED), passage("5 " * 50_000)], LIBRARY, "XYZ-2000")
    assert coverage.score.state == "not_scorable"
    assert "passage 2" in coverage.score.reason
