"""Claims of English and Chinese sentences: parts, offsets, negation, condition."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.claims import Claim, extract_claims, language_of, sentence_spans
from eval.claims_en import stem
from eval.claims_zh import chinese_terms, negation_count


def only(text: str) -> Claim:
    found = extract_claims(text)
    assert len(found) == 1, [one.text for one in found]
    return found[0]


def test_parts_of_an_english_claim() -> None:
    claim = only("The gauge shows a pressure of 42.9 MPa.")
    assert (claim.subject, claim.predicate, claim.language) == ("The gauge", "show", "en")
    assert claim.object == "a pressure of 42.9 MPa"
    assert [(one.text, one.unit) for one in claim.quantities] == [("42.9 MPa", "MPa")]
    assert not claim.negated
    assert claim.condition is None


def test_parts_of_a_chinese_claim() -> None:
    claim = only("泵的额定压力为4MPa。")
    assert (claim.subject, claim.predicate, claim.object, claim.language) == ("泵的额定压力", "为", "4MPa", "zh")
    assert claim.quantities[0].low == 4
    assert "额定" in claim.terms


def test_conditions_bind_all_clauses_behind_them() -> None:
    first, second = extract_claims("If the red lamp is lit above 80 MPa, close the inlet valve and do not wait.")
    assert first.condition == second.condition == "If the red lamp is lit above 80 MPa"
    assert (first.negated, second.negated) == (False, True)
    assert [one.low for one in first.quantities] == [80]
    stop, close = extract_claims("若压力高于80 MPa，应立即停机，并关闭进口阀。")
    assert stop.condition == close.condition == "若压力高于80 MPa"
    assert "停机" in stop.terms
    assert stop.quantities[0].bound == "at least"


def test_a_later_condition_is_one_too() -> None:
    claim = only("Close the valve if the lamp is red.")
    assert claim.condition == "if the lamp is red"
    assert stem("red") in claim.condition_terms
    assert stem("red") not in claim.terms


def test_two_sentences_are_never_one_claim() -> None:
    assert len(extract_claims("泵的额定压力为4MPa。阀的试验压力为5MPa。")) == 2
    assert len(extract_claims("泵的额定压力为4MPa，阀的试验压力为5MPa。")) == 2
    assert len(extract_claims("The pump runs. The valve is shut.")) == 2


def test_a_meaning_stays_with_what_it_is_the_meaning_of() -> None:
    claim = only("警示灯为红色表示：超压或传感器故障。")
    assert {"红色", "超压"} <= claim.terms


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("The pump must not run dry.", True),
        ("The pump runs.", False),
        ("Never open the valve.", True),
        ("It is forbidden to open the valve.", True),
        ("The pump is not only quiet but also fast.", False),
        ("Clean the glass with a cloth (not a paper towel).", False),
        ("严重肾功能不全患者禁用。", True),
        ("患者可以使用。", False),
        ("压力不超过5 MPa。", False),
        ("不锈钢外壳。", False),
        ("不得启动油泵。", True),
    ],
)
def test_negation(text: str, negated: bool) -> None:
    assert only(text).negated is negated


def test_chinese_negations_are_counted_not_spotted() -> None:
    assert negation_count("不确定度为2") == 0
    assert negation_count("不得不启动") == 2


def test_headings_questions_and_bullets() -> None:
    text = "# Report\n\n- The lamp is red.\n* The pump runs.\n1. Close the valve.\nIs it safe?\n---\n"
    assert [span.text for span in sentence_spans(text)] == ["The lamp is red.", "The pump runs.", "Close the valve."]
    assert all(text[span.start : span.end] == span.text for span in sentence_spans(text))


def test_languages() -> None:
    assert language_of("读数为 42.88 MPa") == "zh"
    assert language_of("The reading is 5 bar") == "en"
    assert language_of("") == "en"


def test_stems_join_what_belongs_together() -> None:
    assert len({stem(word) for word in ("mount", "mounts", "mounted", "mounting")}) == 1
    assert stem("light") == stem("lamp")
    assert stem("pressure") != stem("press")


def test_chinese_terms_leave_out_what_says_nothing() -> None:
    assert chinese_terms("根据说明书，读数为") == frozenset()
    assert chinese_terms("阀") == {"阀"}
    assert chinese_terms("打开 V1 阀") == {"打开", "v1", "阀"}


@pytest.mark.parametrize(
    "text", ["", "   ", "()", "The pump (type A runs (at 5 bar", "。。。", "|||", "*" * 50, "A" * 500, "泵" * 300]
)
def test_odd_texts_raise_nothing(text: str) -> None:
    for claim in extract_claims(text):
        assert text[claim.start : claim.end] == claim.text


WORDS = st.sampled_from(
    [
        "the",
        "pump",
        "valve",
        "is",
        "not",
        "open",
        "5",
        "MPa",
        "if",
        ",",
        ".",
        ";",
        "and",
        "red",
        "泵",
        "阀",
        "为",
        "不",
        "，",
        "。",
        "若",
        "高于",
        "(",
        ")",
        "-",
        "|",
        "#",
        "\n",
    ]
)


@given(st.lists(WORDS, max_size=14))
@settings(max_examples=60, deadline=None)
def test_offsets_always_point_at_the_text(words: list[str]) -> None:
    text = " ".join(words)
    for claim in extract_claims(text):
        assert text[claim.start : claim.end] == claim.text
        assert all(text[one.start : one.end] == one.text for one in claim.quantities)
    assert extract_claims(text) == extract_claims(text)


def test_nothing_heavy_is_loaded_before_it_is_needed() -> None:
    light = "import eval.claims, eval.fci, eval.readings, eval.photos, eval.bench, eval.bench_text, eval.tables, sys"
    heavy = "[m for m in ('torch', 'spacy', 'cv2', 'faiss', 'transformers') if m in sys.modules]"
    done = subprocess.run([sys.executable, "-c", f"{light}; print({heavy})"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_sentence_that_is_one_long_chain_is_taken_apart() -> None:
    assert len(extract_claims(f"The pump {'word ' * 3000}is closed.")) >= 1
