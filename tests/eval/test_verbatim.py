"""Sentences of the evidence said again: what is another way of saying the same, and what is a difference."""

from __future__ import annotations

import pytest

from eval.evidence import make_fact, text_facts
from eval.fci import score_answer
from eval.verbatim import differences, find_hole, find_repeated, speaks_domain

MANUAL = """The measuring range of the pressure gauge is 0 to 120 MPa. The accuracy class of the gauge is 1.6.
If the warning lamp is red, close the supply valve at once and inform the operator.
Never open the relief valve while the pump runs. Turn the selector to the left until the pointer touches the mark."""
MANUAL_ZH = "压力表的测量范围为 0 至 120 MPa。如果警示灯为红色，应立即关闭进口阀并通知操作员。水泵运行时不得打开安全阀。"
NEWS = "The council met on Tuesday evening and voted nine to two for the bridge. Residents had complained about noise for years."


@pytest.mark.parametrize(
    "answer",
    [
        "The measuring range of the manometer is 0 to 1200 bar.",
        "If the warning lamp is red, shut the supply valve immediately and notify the operator.",
        "Close the supply valve at once and inform the operator if the warning lamp is red.",
        "Never open the relief valve while the pump runs.",
        "According to the manual, never open the relief valve while the pump runs.",
        "压力表的测量范围为 0 至 1200 bar。",
        "如果警示灯为红色，应马上关闭进口阀并通知操作员。",
    ],
)
def test_other_words_for_the_same_hold(answer: str) -> None:
    scores = score_answer(answer, [MANUAL, MANUAL_ZH])
    assert scores.fci == 1, [verdict.score.reason for one in scores.statements for verdict in one.verdicts]


@pytest.mark.parametrize(
    "answer",
    [
        "The measuring range of the pressure gauge is 0 to 120 bar.",
        "The measuring range of the pressure gauge is 0 to 120.",
        "The measuring range of the pressure gauge is to 120 MPa.",
        "The measuring range of the pressure gauge is 60 MPa.",
        "If the warning lamp is green, close the supply valve at once and inform the operator.",
        "If the warning lamp is not red, close the supply valve at once and inform the operator.",
        "Close the supply valve at once and inform the operator.",
        "If the warning lamp is red, close the supply valve at once and inform the operator because the sensor is defective.",
        "If the warning lamp is red, you may close the supply valve at once and inform the operator.",
        "Open the relief valve while the pump runs.",
        "Never open the relief valve.",
        "Turn the selector to the right until the pointer touches the mark.",
        "Turn the selector to the left until the lamp touches the mark.",
        "压力表的测量范围为 0 至 120 kPa。",
        "如果警示灯为绿色，应立即关闭进口阀并通知操作员。",
        "应立即关闭进口阀并通知操作员。",
        "水泵运行时可以打开安全阀。",
        "水泵运行时不得打开安全阀，因为传感器已损坏。",
    ],
)
def test_one_changed_word_is_a_difference(answer: str) -> None:
    assert score_answer(answer, [MANUAL, MANUAL_ZH]).fci < 1


def test_the_difference_is_named_and_graded_down() -> None:
    right = score_answer("Never open the relief valve while the pump runs.", [MANUAL])
    wrong = score_answer("Never open the supply valve while the pump runs.", [MANUAL])
    reason = wrong.statements[0].verdicts[0].score.reason
    assert "supply valve" in reason
    assert wrong.worst_support < 0.5 < right.worst_support


def test_only_the_clause_with_the_difference_fails() -> None:
    text = "Close the supply valve at once and inform the operator."
    found = find_repeated(
        "Close the supply valve at once and inform the fitter.", [make_fact("s", text), *text_facts("m", MANUAL)]
    )
    assert found is not None
    problems = found.problems_of(["Close the supply valve at once", "inform the fitter"])
    assert problems[0] is None
    assert "fitter" in str(problems[1])


def test_what_stands_in_no_clause_concerns_all() -> None:
    found = find_repeated("The measuring range of the pressure gauge is 0 to 120 bar.", text_facts("m", MANUAL))
    assert found is not None
    assert all(found.problems_of(["elsewhere", "and there"]))


def test_texts_that_the_lexicon_does_not_know_are_not_held_word_for_word() -> None:
    facts = text_facts("news", NEWS)
    assert not speaks_domain(tuple(fact.text for fact in facts), "en")
    assert speaks_domain(tuple(fact.text for fact in text_facts("m", MANUAL)), "en")
    assert find_repeated("The council met on Tuesday evening and voted nine to two for the new bridge.", facts) is None
    assert not speaks_domain((), "en")


def test_a_part_that_is_left_out_is_no_difference_and_no_proof() -> None:
    stated = "The rated pressure of the pump is 4 MPa and the test pressure of the valve is 5 MPa."
    problems, whole = differences("The rated pressure of the pump is 4 MPa.", stated)
    assert (problems, whole) == ((), False)
    assert score_answer("The rated pressure of the pump is 5 MPa.", [stated]).fci == 0


def test_a_sentence_may_say_where_it_stands() -> None:
    said = "Section 5.2 of the manual says: Never open the relief valve while the pump runs."
    stated = "Never open the relief valve while the pump runs."
    assert differences(said, stated, "5.2")[0] == ()
    assert differences(said, stated, "5.3")[0] != ()


@pytest.mark.parametrize(
    "sentence",
    [
        "The relief valve opens at , then closes.",
        "The pressure is above MPa.",
        "压力超过 MPa 时停泵。",
        "The range is to 120 MPa from .",
    ],
)
def test_a_missing_number_leaves_a_hole(sentence: str) -> None:
    facts = text_facts("m", MANUAL) + text_facts("z", MANUAL_ZH)
    assert "missing" in str(find_hole(sentence, facts))
    assert find_hole(sentence, text_facts("news", NEWS)) is None


@pytest.mark.parametrize(
    "sentence",
    ["The unit of pressure is MPa.", "It is converted to MPa.", "The pressure is 5 MPa.", "It is .5 bar.", "单位为 MPa。"],
)
def test_a_unit_alone_is_no_hole(sentence: str) -> None:
    assert find_hole(sentence, text_facts("m", MANUAL) + text_facts("z", MANUAL_ZH)) is None


def test_long_and_empty_sentences_are_repeats_of_nothing() -> None:
    facts = text_facts("m", MANUAL)
    assert find_repeated("valve " * 200, facts) is None
    assert find_repeated("", facts) is None
    assert find_repeated("Pump.", []) is None
