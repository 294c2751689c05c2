"""Support of spans: word for word or not, numbers by value, in both languages, and with hostile spans."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.span_support import LONGEST_SPAN, UNBORNE, longest_piece, span_support

NEWS = ["德国外长施泰因迈尔说，四国外长达成一致。", "参会城市有536个，油泵压力为4兆帕。"]


@pytest.mark.parametrize(
    ("span", "support"),
    [
        ("德国外长", 1.0),
        ("施泰因迈尔", 1.0),
        ("德国外长弗拉德里希", 1 / 6),  # 德国外长 is held, five characters are not
        ("挪威", 1 / 3),
        ("536个", 1.0),
        ("398个", UNBORNE / 2),  # 个 is held
        ("4000千帕", 1 / 3),  # borne out by value, said in other words
        ("压力为9兆帕", UNBORNE / 4),
    ],
)
def test_chinese_spans_by_hand(span: str, support: float) -> None:
    assert span_support(span, NEWS) == pytest.approx(support)


def test_words_are_whole_and_case_does_not_matter() -> None:
    source = ["The relief valve opens at 6.5 bar."]
    assert span_support("Relief Valve", source) == 1
    assert span_support("lief valve", source) == 1 / 2
    assert span_support("the brass relief valve", source) == 1 / 3
    assert span_support("6.5 bar", source) == 1
    assert span_support("5 bar", source) < 1 / 4


def test_a_piece_never_runs_from_one_source_into_the_next() -> None:
    assert span_support("red lamp", ["the red", "lamp is lit"]) == 1 / 2
    assert span_support("red lamp", ["the red lamp"]) == 1


def test_what_has_no_words_or_too_many_is_not_judged() -> None:
    assert math.isnan(span_support("…—", NEWS))
    assert math.isnan(span_support("", NEWS))
    assert math.isnan(span_support("字" * (LONGEST_SPAN + 1), NEWS))
    assert span_support("德国", []) == 1 / 3


@given(st.text(alphabet="德国外长四达成ab 9", max_size=12))
def test_a_span_holds_itself_and_more_missing_is_never_better(span: str) -> None:
    own = span_support(span, [span])
    if math.isnan(own):
        return
    assert own == 1
    assert 0 < span_support(f"{span}挪威", [span]) < own


def test_the_longest_piece_is_found_anywhere() -> None:
    assert longest_piece(["x", "a", "b", "c"], " a b c ") == 3
    assert longest_piece(["x"], " a ") == 0
    assert longest_piece([], " a ") == 0
