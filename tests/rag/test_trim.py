"""Cut where sentences end, and never what limits: a law over every chunk of the shipped manuals, and cases by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.tokens import estimate_tokens
from rag.trim import LIMITING, NEGATING, text_parts, trim
from tests.rag.corpus_texts import corpus_chunks

LONG = (
    "The gauge is mounted on a panel. It has a black case with a glass front. "
    "Do not open the case under pressure. The unit of pressure is MPa. The glass is cleaned with a damp cloth."
)


@pytest.mark.parametrize("limit", [0, 20, 60, 120])
def test_no_limiting_part_of_any_manual_is_ever_dropped(limit: int) -> None:
    cut = 0
    for chunk in corpus_chunks():
        short = trim(chunk.text, (), limit)
        flat = "".join(short.split())
        for part in text_parts(chunk.text):
            if LIMITING.search(part):
                assert "".join(part.split()) in flat, part
        assert all("".join(part.split()) in "".join(chunk.text.split()) for part in text_parts(short))
        cut += estimate_tokens(short) < estimate_tokens(chunk.text)
    assert cut > 20


def test_trimming_cuts_at_sentences_and_keeps_quotes_and_limits() -> None:
    short = trim(LONG, ["The unit of pressure is MPa."], 20)
    assert "The unit of pressure is MPa." in short
    assert "Do not open the case under pressure." in short
    assert "damp cloth" not in short
    assert all(part in LONG for part in short.splitlines())


@pytest.mark.parametrize(
    "clause",
    [
        "Turn it only when the lamp is green.",
        "Unless the line is empty, wait.",
        "This holds except for model B.",
        "It can't be opened.",
        "The load is at most 5 kg.",
        "Never exceed 5 MPa.",
        "The value may be up to 130 MPa.",
        "除非已停机，继续运行。",
        "若灯为红色，停机。",
        "不得打开外壳。",
        "仅供检修人员使用。",
        "温度至多 40 °C。",
        "当灯为绿色时可以旋转。",
        "如果压力过高，停机。",
        "B 型除外。",
        "须先断电。",
    ],
)
def test_limiting_clauses_stay(clause: str) -> None:
    filler = "The case is black and made of steel. " * 20
    assert clause in trim(f"{filler}{clause} {filler}", (), 10)


@pytest.mark.parametrize("plain", ["The case is black.", "The unit of pressure is MPa.", "外壳为黑色。", "压力的单位为 MPa。"])
def test_plain_sentences_limit_nothing(plain: str) -> None:
    assert LIMITING.search(plain) is None
    assert NEGATING.search(plain) is None


def test_a_condition_and_its_otherwise_are_one_part() -> None:
    text = "If the lamp is red, stop. Otherwise go on. The case is black."
    assert text_parts(text) == ("If the lamp is red, stop. Otherwise go on.", "The case is black.")
    assert trim(text, (), 1) == "If the lamp is red, stop. Otherwise go on."


def test_what_a_limit_leans_on_stays_with_it() -> None:
    text = "The case is black. The seal is made of rubber. It must not be greased. The front is glass."
    assert trim(text, (), 5) == "The seal is made of rubber.\nIt must not be greased."
    chinese = "外壳为黑色。密封圈为橡胶。它不得涂油脂。正面为玻璃。"
    assert trim(chinese, (), 5) == "密封圈为橡胶。\n它不得涂油脂。"


def table(rows: int) -> str:
    return "| Lamp | Meaning |\n|---|---|\n" + "\n".join(f"| Colour{n} | Meaning of the colour number {n} |" for n in range(rows))


@pytest.mark.parametrize(
    "quote", ["| Colour17 | Meaning of the colour number 17 |", "Lamp: Colour17; Meaning: Meaning of the colour number 17"]
)
def test_the_row_in_use_stays_under_its_head(quote: str) -> None:
    short = trim(table(30), [quote], 40)
    assert short.startswith("| Lamp | Meaning |\n|---|---|\n")
    assert "| Colour17 |" in short
    assert "| Colour29 |" not in short


def test_what_is_worth_most_is_taken_first() -> None:
    text = "The case is black. The front is glass. The range is 0 to 120 MPa."
    assert trim(text, (), 12, worth=lambda part: "120" in part) == "The range is 0 to 120 MPa."


def test_a_short_text_is_not_touched() -> None:
    assert trim("a\n\nb", (), 10) == "a\n\nb"


@given(st.text(alphabet="ab. \n|不若12not", max_size=200), st.integers(0, 40))
def test_any_text_gives_parts_of_itself_in_order(text: str, limit: int) -> None:
    short = trim(text, (), limit)
    at = 0
    for part in short.split("\n"):
        flat = "".join(part.split())
        at = "".join(text.split()).find(flat, at)
        assert at >= 0
        at += len(flat)


@pytest.mark.parametrize(
    ("text", "least"), [("压力的单位为兆帕", 8), ("one two three", 3), ("12345", 5), ("😀😀", 4), ("", 0), ("extraordinarily", 3)]
)
def test_token_estimate_is_on_the_safe_side(text: str, least: int) -> None:
    assert estimate_tokens(text) >= least
