"""Anchor relevance: entities, relations, constraints; both languages; states; weights; the heat map; the cache."""

from __future__ import annotations

import math
import time

import pytest

from eval.anchor_keys import find_anchors, holds_quantity, parse_passage
from eval.anchors_relevance import DOMAINS, DomainWeights, heat_map, score_anchors
from eval.quantities import find_quantities
from eval.retrieval import Passage
from eval.score import EvalError

LAMP = Passage(
    title="XYZ-2000 Pressure Gauge Warning lamp XYZ-2000",
    text="| Lamp colour | Meaning |\n|---|---|\n| Red | Over-pressure or sensor fault |\n| Green | Pressure normal |",
)
RANGE = Passage(title="XYZ-2000 Pressure Gauge Measuring range XYZ-2000", text="The measuring range is 0 to 120 MPa.")
GLASS = Passage(title="Cleaning", text="Wipe the housing with a damp cloth.")
QUESTION = "What does the red lamp of an XYZ-2000 mean?"


def test_all_anchors_held_is_one_and_none_is_zero() -> None:
    full = score_anchors(QUESTION, [GLASS, LAMP])
    assert full.score.value == 1
    assert {(anchor.kind, anchor.passage) for anchor in full.anchors} == {("entity", 2), ("relation", 2), ("constraint", 2)}
    none = score_anchors(QUESTION, [GLASS])
    assert (none.score.value, none.score.state) == (0, "unsupported")
    assert "not: lamp" in none.score.reason


def test_passages_are_scored_alone_as_well_and_more_passages_never_hurt() -> None:
    both = score_anchors(QUESTION, [GLASS, RANGE, LAMP])
    assert both.passages[0] == 0
    assert 0 < both.passages[1] < both.passages[2] == 1
    assert both.score.value == max(both.passages)
    assert both.cells == ("noise", "entity", "relation")


def test_a_relation_needs_both_ends_in_one_statement() -> None:
    apart = Passage(text="The valve is large. Nobody knows the torque.")
    together = Passage(text="The torque of the valve is 5 Nm.")
    question = "What is the torque of the valve?"
    assert score_anchors(question, [apart]).relation == 0
    assert score_anchors(question, [apart]).entity == 1
    assert score_anchors(question, [together]).relation == 1


def test_a_high_score_says_nothing_of_the_answer() -> None:
    """Anchors of the question can all stand in a passage that does not hold the fact: why coverage is a probe of its own."""
    about = Passage(title="XYZ-2000", text="The red lamp of the XYZ-2000 is described elsewhere.")
    assert score_anchors(QUESTION, [about]).score.value == 1


@pytest.mark.parametrize(
    ("question", "text", "held"),
    [
        ("Is 95 MPa too much?", "Warning is above 80 to 100 MPa.", True),
        ("Is 95 MPa too much?", "Warning is above 80 to 90 MPa.", False),
        ("Is 95 MPa too much?", "Alarm is above 90 MPa.", True),
        ("Is 95 MPa too much?", "Normal is below 90 MPa.", False),
        ("Is 9.5 MPa too much?", "Alarm is above 90 bar.", True),
        ("Is 95 MPa too much?", "Alarm is above 90 °C.", False),
        ("压力 95 MPa 是否过高？", "报警：超过 90 MPa。", True),
    ],
)
def test_a_quantity_is_held_by_what_speaks_of_it(question: str, text: str, held: bool) -> None:
    assert score_anchors(question, [Passage(text=text)]).constraint == held


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("What does position 4 of the RS-5 mean?", "| 4 | Automatic | x |", "| 14 | Automatic | x |"),
        ("RS-5 的档位 4 表示什么？", "| 4 | 自动 | 说明 |", "| 3 | 手动 | 说明 |"),
        ("What does code E2 mean?", "| E2 | Sensor short-circuited |", "| E21 | Sensor |"),
        ("When is the alarm of the TD-4 given?", "Alarm above 210 °C.", "Normal to 180 °C."),
        ("What does the yellow lamp mean?", "The lamp is amber.", "The lamp is red."),
        ("黄灯亮是什么意思？", "黄色表示预警。", "红色表示故障。"),
    ],
)
def test_named_values_are_constraints(question: str, right: str, wrong: str) -> None:
    assert score_anchors(question, [Passage(text=right)]).constraint == 1
    assert score_anchors(question, [Passage(text=wrong)]).constraint == 0


def test_a_chinese_question_meets_an_english_passage_by_its_concepts() -> None:
    relevance = score_anchors("XYZ-2000 的红灯含义", [LAMP])
    assert relevance.score.value == 1
    assert {anchor.kind for anchor in relevance.anchors} >= {"entity", "constraint"}


def test_a_kind_without_an_anchor_leaves_its_weight() -> None:
    bare = score_anchors("pressure", [Passage(text="The pressure falls.")])
    assert (bare.entity, bare.score.value) == (1, 1)
    assert math.isnan(bare.relation)
    assert math.isnan(bare.constraint)


def test_weights_change_the_score_and_must_be_weights() -> None:
    apart = [Passage(text="The valve is large. Nobody knows the torque.")]
    question = "What is the torque of the valve?"
    law, instruments = (score_anchors(question, apart, DOMAINS[name]).score.value for name in ("law", "instruments"))
    assert law == pytest.approx(0.3 / 0.8)
    assert instruments == pytest.approx(0.4 / 0.7)
    for wrong in ((0.5, 0.5, 0.5), (-0.2, 0.6, 0.6)):
        with pytest.raises(EvalError, match="sum to 1"):
            DomainWeights(*wrong)


@pytest.mark.parametrize(
    ("question", "passages", "word"),
    [
        ("", [LAMP], "question is empty"),
        (QUESTION, [], "context is empty"),
        (QUESTION, [Passage(text=" ")], "context is empty"),
        (QUESTION, [LAMP, Passage(text="5 " * 50_000)], "passage 2"),
        ("What does it mean?", [LAMP], "no anchor"),
        ("x" * 100_000, [LAMP], "characters"),
    ],
)
def test_what_cannot_be_scored(question: str, passages: list[Passage], word: str) -> None:
    relevance = score_anchors(question, passages)
    assert relevance.score.state == "not_scorable"
    assert word in relevance.score.reason
    assert math.isnan(relevance.score.value)
    assert math.isnan(relevance.entity)
    assert relevance.anchors == relevance.passages == relevance.cells == ()


def test_regular_expression_signs_in_a_question_are_words() -> None:
    assert score_anchors("What is the range (of [the] valve+?", [RANGE]).score.state != "not_scorable"


def test_the_heat_map_counts_cells_by_rank() -> None:
    first, second = score_anchors(QUESTION, [LAMP, GLASS]), score_anchors(QUESTION, [RANGE])
    heat = heat_map([first, second], ranks=2)
    assert heat.relation == (1, 0)
    assert heat.entity == (1, 0)
    assert heat.noise == (0, 1)
    assert heat_map([]).noise == (0,) * 10


def test_a_text_is_parsed_once_and_gives_the_same_again() -> None:
    long = Passage(text=" ".join(f"The valve V{n} is closed at {n} bar." for n in range(200)))
    start = time.process_time()
    first = score_anchors(QUESTION, [long])
    cold = time.process_time() - start
    before = parse_passage.cache_info().misses
    start = time.process_time()
    second = score_anchors(QUESTION, [long])
    warm = time.process_time() - start
    assert first == second
    assert parse_passage.cache_info().misses == before
    assert warm < cold


def test_question_words_and_quantities_are_no_entities() -> None:
    anchors = find_anchors("Could you please tell me what 5 bar on the gauge mean?")
    assert anchors.entities == ("gauge",)
    assert [quantity.text for quantity in anchors.quantities] == ["5 bar"]
    (wanted,) = find_quantities("5 bar")
    assert holds_quantity(parse_passage("0.5 MPa is the limit."), wanted)
