"""Passages become blocks without losing or adding a word."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.render.passage import MAX_TEXT, Block, Items, Paragraph, Table, parse_passage


def words(blocks: tuple[Block, ...]) -> str:
    parts: list[str] = []
    for block in blocks:
        match block:
            case Paragraph(text):
                parts.append(text)
            case Items(_, texts):
                parts += texts
            case Table(rows, _):
                parts += [cell for row in rows for cell in row]
    return " ".join(parts)


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("", ()),
        ("One line.\nAnother.", (Paragraph("One line."), Paragraph("Another."))),
        ("1. Press.\n2. Wait.", (Items(1, ("Press.", "Wait.")),)),
        ("3) Stop.\n- a\n- b", (Items(3, ("Stop.",)), Items(None, ("a", "b")))),
        ("1. a\n3. b", (Items(1, ("a",)), Items(3, ("b",)))),
        ("| A | B |\n|---|:-:|\n| 1 | 2 |", (Table((("A", "B"), ("1", "2")), headed=True),)),
        ("| A | B |\n| 1 | 2 |", (Table((("A", "B"), ("1", "2")), headed=False),)),
        ("| A | B |\n| 1 |\n| 1 | 2 | 3 |", (Table((("A", "B"), ("1", ""), ("1", "2")), headed=False),)),
        ("|---|---|", ()),
        ("The formula is `p = (a - 30) / 2.5`, **not** more.", (Paragraph("The formula is p = (a - 30) / 2.5, not more."),)),
        ("2.5 MPa is the limit.", (Paragraph("2.5 MPa is the limit."),)),
        ("-5 °C is the limit.", (Paragraph("-5 °C is the limit."),)),
        ("|x| is a number", (Paragraph("|x| is a number"),)),
    ],
)
def test_blocks(text: str, blocks: tuple[Block, ...]) -> None:
    assert parse_passage(text) == blocks


@given(st.lists(st.sampled_from(["Do not open.", "| a | b |", "|---|---|", "1. x y", "- z", "", "压力 5 MPa。"]), max_size=12))
def test_no_word_is_lost(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = set(re.findall(r"\w+", words(parse_passage(text))))
    assert found >= set(re.findall(r"[A-Za-z压力]+\w*", text)) - {""}


@given(st.text(max_size=300))
def test_any_text_gives_clean_blocks(text: str) -> None:
    shown = words(parse_passage(text))
    assert len(shown) <= 2 * MAX_TEXT
    assert not re.search(r"[\x00-\x1f\x7f\u202a-\u202e]", shown)


def test_endless_text_is_cut() -> None:
    assert len(words(parse_passage("a " * 10 * MAX_TEXT))) <= MAX_TEXT
