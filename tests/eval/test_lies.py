"""The lying writer lies and the rewording one does not: laws of the generators themselves, and the check against both."""

from __future__ import annotations

import re

import numpy as np
import pytest

from eval.bench_report_lies import TrueSentence, changed_sentences, half_of, manual_sentences, score_lies
from eval.changes import Kind
from eval.lies import KINDS
from eval.quantities import bears_out, find_quantities
from eval.rewordings import REWORDINGS
from knowledge.articles import Language
from tests.rag.builders import make_chunk

SENTENCES: tuple[tuple[str, Language], ...] = (
    ("The reading is 42.88 MPa, between 42.08 and 43.68 MPa, taken from the digits in the photo.", "en"),
    ("If the red lamp is lit, close the supply valve before you open the cover of the XYZ-2000.", "en"),
    ("The value lies in the normal range of the manual, above 80 to 100 bar.", "en"),
    ("Do not rely on the lamp; check the supply as described in section 6.3.", "en"),
    ("The operator must inform the fitter and lock the valve at least every 12 months.", "en"),
    ("Press the button and wait about ten minutes.", "en"),
    ("The formula is pressure = (pointer angle - 30) / 2.5.", "en"),
    ("Close the left valve, then open the upper valve.", "en"),
    ("读数为 42.88 MPa，区间为 42.08 至 43.68 MPa，取自照片中的显示数字。", "zh"),
    ("如果红色指示灯亮，应关闭进口阀。", "zh"),
    ("不得依赖警示灯；按第 6.3 节检查电源。", "zh"),
    ("XYZ-2000 的压力超过 80 bar 时，操作员必须立即通知检修人员。", "zh"),
    ("模式旋钮处于位置 3，指针位于顺时针 42 度处。", "zh"),
    ("关闭进口阀，然后打开左侧阀门。", "zh"),
    ("通常每个仪表和每个阀门在检查之前约需 10 分钟。", "zh"),
    ("该数值处于说明书规定的正常范围（0 至 80 MPa）。", "zh"),
)


NUMBER_LIES = ("number_changed", "digits_swapped", "decimal_shifted", "value_for_range", "range_widened", "unit_swapped")


def changes(kind: Kind, seed: int = 0) -> list[tuple[str, str]]:
    rng = np.random.default_rng(seed)
    made = [(text, kind.change(rng, text, language)) for text, language in SENTENCES for _ in range(4)]
    return [(text, changed) for text, changed in made if changed is not None]


def test_there_are_more_than_twenty_kinds_and_each_finds_something_to_lie_about() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS) >= 20
    idle = [kind.name for kind in KINDS if not changes(kind)]
    assert idle == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_lie_is_another_sentence_and_the_same_seed_tells_the_same(kind: Kind) -> None:
    made = changes(kind)
    assert all(changed != text and changed.strip() for text, changed in made)
    assert made == changes(kind)


@pytest.mark.parametrize(
    "name", ["number_changed", "digits_swapped", "decimal_shifted", "value_for_range", "range_widened", "unit_swapped"]
)
def test_lies_about_numbers_are_not_borne_out(name: str) -> None:
    (kind,) = (kind for kind in KINDS if kind.name == name)
    for text, changed in changes(kind):
        told, true = find_quantities(changed), find_quantities(text)
        if not true or len(told) != len(true):
            continue
        assert not all(bears_out(one, other, within=False) for one, other in zip(true, told, strict=True)), changed


@pytest.mark.parametrize("name", ["unit_converted", "number_rounded", "number_formatted", "range_rephrased"])
def test_rewordings_keep_every_number(name: str) -> None:
    (kind,) = (kind for kind in REWORDINGS if kind.name == name)
    made = changes(kind)
    assert made
    for text, changed in made:
        told = [q for q in find_quantities(changed.translate(str.maketrans("０１２３４５６７８９．", "0123456789."))) if q.unit]
        true = find_quantities(text)
        for one in told:
            assert any(bears_out(other, one, within=False) for other in true), (changed, one.text)


def test_a_rewording_invents_no_model_and_loses_none() -> None:
    for kind in REWORDINGS:
        for text, changed in changes(kind):
            assert re.findall(r"[A-Z]{3}-\d+", changed) == re.findall(r"[A-Z]{3}-\d+", text)


def test_every_lie_about_these_sentences_is_caught() -> None:
    sentences = [TrueSentence(text, language, "XYZ-2000") for text, language in SENTENCES]
    scores = score_lies(sentences, half_of("XYZ-2000"), 16)
    assert scores.caught.n > 150
    assert [wrong for one in scores.lies for wrong in one.wrong] == []
    assert scores.passed.value >= 0.97, [wrong for one in scores.rewordings for wrong in one.wrong]


def test_halves_are_of_whole_models() -> None:
    assert {half_of(f"M-{number}") for number in range(40)} == {"mended on", "held out"}
    assert half_of("XYZ-2000") == half_of("XYZ-2000")


def test_no_sentence_is_counted_twice() -> None:
    kind = next(kind for kind in KINDS if kind.name == "step_invented")
    sentences = [TrueSentence(text, language, "M") for text, language in SENTENCES]
    made = changed_sentences(np.random.default_rng(1), kind, sentences, 100)
    assert len({(changed, one.text) for changed, one in made}) == len(made) == len(SENTENCES)


def test_statements_of_manuals_in_force_without_tables_headings_and_formulas() -> None:
    text = "# Head\n- Close the valve first.\n| a | b |\n1. Open the cover.\nThe rule is `a = b / 2`.\nNo end here\nOk."
    chunks = [make_chunk("one", text), make_chunk("two", "It is a draft.", status="draft")]
    assert [one.text for one in manual_sentences(chunks)] == ["Close the valve first.", "Open the cover."]
