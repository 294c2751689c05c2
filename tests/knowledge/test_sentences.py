"""Sentences and blocks in both languages: nothing lost, nothing cut where it must not be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.sentences import coupled_sentences, parse_table, split_blocks, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Use 2.5 MPa. Stop.", ["Use 2.5 MPa.", "Stop."]),
        ("See Fig. 3 and no. 7 first. Then go.", ["See Fig. 3 and no. 7 first.", "Then go."]),
        ("Gloves (e.g. leather. Not wool.) help. Yes.", ["Gloves (e.g. leather. Not wool.) help.", "Yes."]),
        ("It holds `a. b` fast. End", ["It holds `a. b` fast.", "End"]),
        ("Wait 5 min. The lamp goes off.", ["Wait 5 min.", "The lamp goes off."]),
        ("Wait 5 min. at most.", ["Wait 5 min. at most."]),
        ("压力正常。继续运行！为什么？", ["压力正常。", "继续运行！", "为什么？"]),
        ("先泄压；再拆卸。", ["先泄压；", "再拆卸。"]),
        ("条件（见下文。另见附录。）成立。完", ["条件（见下文。另见附录。）成立。", "完"]),
        ("他说“停机。”然后离开。", ["他说“停机。”然后离开。"]),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert list(split_sentences(text)) == sentences


@given(st.text(alphabet="ab .!?;()`。；！（）“”如12\n", max_size=80))
def test_splitting_loses_nothing_but_space(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())
    assert "".join("".join(coupled_sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("If it is red, stop the pump. Otherwise go on. Then report it.", 2),
        ("如果灯为红色，停机。否则继续运行。随后报告。", 2),
        ("Open the valve, however slowly it moves. But keep watching it. Elsewhere is elsewhere.", 2),
    ],
)
def test_a_condition_keeps_its_consequence(text: str, pieces: int) -> None:
    found = coupled_sentences(text)
    assert len(found) == pieces
    assert any(word in found[0] for word in ("Otherwise", "否则", "But"))


def test_blocks_in_order_with_their_lines() -> None:
    text = (
        "Para one\nstill one.\n\n- a\n- b\n  more b\n\n- c\n\nAfter.\n| A | B |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n\nmore\n```"
    )
    blocks = split_blocks(text)
    assert [(b.kind, b.line) for b in blocks] == [("paragraph", 0), ("list", 3), ("paragraph", 9), ("table", 10), ("code", 14)]
    assert blocks[1].text.endswith("- c")
    assert "more" in blocks[4].text


def test_numbered_lists_are_ordered() -> None:
    assert split_blocks("1. a\n2. b")[0].ordered
    assert not split_blocks("- a\n- b")[0].ordered


@given(st.lists(st.sampled_from(["text", "- item", "  more", "1. step", "| a | b |", "|---|---|", "```", ""]), max_size=14))
def test_blocks_lose_no_line(lines: list[str]) -> None:
    text = "\n".join(lines)
    joined = "".join("".join(block.text for block in split_blocks(text)).split())
    assert joined == "".join(text.split())


def test_tables() -> None:
    table = parse_table("Intro:\n\n| **Colour** | Meaning |\n|:--|--:|\n| Red | stop |\n| Off |  |")
    assert table is not None
    assert table.header == ("Colour", "Meaning")
    assert table.rows == (("Red", "stop"), ("Off", ""))
    assert parse_table("| only | header |\n|---|---|") is None
    assert parse_table("| no | rule |\n| 1 | 2 |\n| 3 | 4 |") is None
    assert parse_table("no table") is None


def test_a_long_paragraph_is_cut_as_its_parts_are() -> None:
    part = "Keep approx. 4.5 MPa at max. load, cf. fig. 3. " + "x" * 60 + "no. Stop. "
    assert split_sentences(part * 400) == split_sentences(part) * 400
