"""The lexical route in both languages."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge import lexical
from knowledge.articles import Article, Chunk
from knowledge.chunks import build_chunks
from knowledge.lexical import terms

BODY = """# T

## 1 Lamp

The warning light is red when the pressure is too high.

## 2 Sensor

The sensor cable has a plug with four pins.

## 3 灯

警示灯为红色表示超压。

## 4 电缆

传感器电缆带有插头。
"""


@pytest.fixture
def chunks(make_article: Callable[..., Article]) -> tuple[Chunk, ...]:
    return build_chunks(make_article(BODY))


@pytest.fixture
def db(chunks: tuple[Chunk, ...]) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    lexical.create_table(connection)
    lexical.add_chunks(connection, chunks)
    yield connection
    connection.close()


def scores(db: sqlite3.Connection, chunks: tuple[Chunk, ...], query: str, rows: set[int] | None = None) -> dict[int, float]:
    allowed = frozenset(range(len(chunks)) if rows is None else rows)
    return lexical.search_terms(db, lexical.collect_statistics(chunks), query, allowed)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Lamps are RED", ["lamp", "red"]),
        ("XYZ-2000 reads 2.5", ["xyz_2000", "read", "2_5"]),
        ("warning_light_color_meaning_red", ["lamp", "color", "mean", "red"]),
        ("警示灯红色的含义是什么", ["指示", "示灯", "灯红", "红色", "含义"]),
        ("20 °C", ["20", "degreesign", "c"]),
        ("batteries and status", ["battery", "status"]),
        ("calibrate calibrated calibrating calibration", ["calibrat"] * 4),
        ("", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@given(st.text(max_size=60))
def test_terms_never_break_the_query_language(text: str) -> None:
    with sqlite3.connect(":memory:") as db:
        lexical.create_table(db)
        assert lexical.search_terms(db, lexical.collect_statistics(()), text, frozenset()) == {}
    db.close()
    assert all(term and '"' not in term and " " not in term for term in terms(text))


@pytest.mark.parametrize(
    ("query", "section"),
    [
        ("when is the lamp red", "1"),
        ("indicator lights, colour red", "1"),
        ("cable of the sensor", "2"),
        ("红色指示灯代表什么", "3"),
        ("电缆插头", "4"),
    ],
)
def test_the_right_chunk_comes_first(db: sqlite3.Connection, chunks: tuple[Chunk, ...], query: str, section: str) -> None:
    found = scores(db, chunks, query)
    best = max(found, key=lambda row: found[row])
    assert chunks[best].section == section
    assert all(0.0 <= score <= 1.0 for score in found.values())


def test_a_query_of_which_little_is_known_scores_low(db: sqlite3.Connection, chunks: tuple[Chunk, ...]) -> None:
    full = max(scores(db, chunks, "sensor cable plug").values())
    partial = max(scores(db, chunks, "sensor of the galaxy exploration spacecraft antenna").values())
    assert full > 0.9 > 0.4 > partial
    assert scores(db, chunks, "galaxy spacecraft") == {}
    assert scores(db, chunks, "the of and 的") == {}


def test_rows_that_are_not_allowed_are_not_found(db: sqlite3.Connection, chunks: tuple[Chunk, ...]) -> None:
    row = next(n for n, chunk in enumerate(chunks) if chunk.section == "2")
    assert row in scores(db, chunks, "sensor cable")
    assert row not in scores(db, chunks, "sensor cable", {n for n in range(len(chunks)) if n != row})


def test_a_word_of_the_title_decides_less_than_one_of_the_text(make_article: Callable[..., Article]) -> None:
    chunks = build_chunks(make_article("# T\n\n## 1 A\n\nNothing of note.\n", title="Valve"))
    chunks += build_chunks(make_article("# T\n\n## 1 A\n\nThe valve of note.\n", title="Other"))
    db = sqlite3.connect(":memory:")
    lexical.create_table(db)
    lexical.add_chunks(db, chunks)
    found = scores(db, chunks, "valve")
    db.close()
    assert found[1] > found[0]


def test_rare_terms_weigh_more(chunks: tuple[Chunk, ...]) -> None:
    statistics = lexical.collect_statistics(chunks)
    assert statistics.weight("manual") < statistics.weight("pin") < statistics.weight("unseen")
    row = next(n for n, chunk in enumerate(chunks) if chunk.section == "2")
    assert statistics.coverage(["pin"], row) == 1.0
    assert statistics.coverage(["pin", "unseen"], row) < 0.5
    assert statistics.coverage([], row) == 0.0
