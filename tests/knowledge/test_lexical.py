"""The lexical route in both languages."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

import numpy as np
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
    mask = np.isin(np.arange(len(chunks)), sorted(allowed))
    return lexical.search_terms(db, lexical.TermStatistics(db, len(chunks)), terms(query), mask)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Lamps are RED", ["lamp", "red"]),
        ("XYZ-2000 reads 2.5", ["xyz_2000", "read", "2_5"]),
        ("warning_light_color_meaning_red", ["lamp", "warning", "lamp", "color", "meaning", "red"]),
        ("警示灯红色的含义是什么", ["lamp", "red", "meaning", "指示", "示灯", "灯红", "红色", "含义"]),
        ("oil temperature", ["oiltemperature", "oil", "temperature"]),
        ("油温", ["oiltemperature", "油温"]),
        ("校准周期", ["calibrationinterval", "calibration", "period", "校准", "准周", "周期"]),
        ("20 °C", ["20", "degreesign", "c"]),
        ("bodies and status", ["body", "state"]),
        ("calibrate calibrated calibrating calibration", ["calibration"] * 4),
        ("operates operated", ["run"] * 2),
        ("protruded protruding", ["protrud"] * 2),
        ("", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@given(st.text(max_size=60))
def test_terms_never_break_the_query_language(text: str) -> None:
    with sqlite3.connect(":memory:") as db:
        lexical.create_table(db)
        nothing = np.zeros(0, np.bool_)
        assert lexical.search_terms(db, lexical.TermStatistics(db, 0), terms(text), nothing) == {}
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


def test_rare_terms_weigh_more(db: sqlite3.Connection, chunks: tuple[Chunk, ...]) -> None:
    statistics = lexical.TermStatistics(db, len(chunks))
    assert statistics.weight("manual") < statistics.weight("pin") < statistics.weight("unseen")
    row = next(n for n, chunk in enumerate(chunks) if chunk.section == "2")
    assert statistics.coverage(["pin"], row) == 1.0
    assert statistics.coverage(["pin", "unseen"], row) < 0.5
    assert statistics.coverage([], row) == 0.0


def test_chinese_questions_meet_english_passages(db: sqlite3.Connection, chunks: tuple[Chunk, ...]) -> None:
    found = scores(db, chunks, "传感器电缆", {0, 1})
    assert [chunks[row].section for row in found] == ["2"]
    assert 0 < found[1] < 1


def test_a_search_is_limited_to_models(make_article: Callable[..., Article]) -> None:
    bodies = [("T-1", "t-1-en"), ("T-2", "t-2-en"), ("", "every-en")]
    body = "# T\n\n## 1 A\n\nThe relief valve opens.\n"
    chunks = tuple(c for models, id in bodies for c in build_chunks(make_article(body, models=models, id=id)))
    db = sqlite3.connect(":memory:")
    lexical.create_table(db)
    lexical.add_chunks(db, chunks)
    statistics, everything = lexical.TermStatistics(db, len(chunks)), np.ones(len(chunks), np.bool_)
    found = lexical.search_terms(db, statistics, ["valve"], everything, ("T-1", None))
    assert {chunks[row].document for row in found} == {"t-1-en", "every-en"}
    assert len(lexical.search_terms(db, statistics, ["valve"], everything)) == 3
    assert statistics.words()["relief"] == 3
    db.close()


def test_common_terms_are_left_out_where_rare_ones_find_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {"the_valve": 9000, "relief": 40, "thermowell": 3}
    statistics = lexical.TermStatistics(sqlite3.connect(":memory:"), 10_000)
    monkeypatch.setattr(statistics, "frequency", lambda term: counts[term])
    assert lexical._rare_terms(list(counts), statistics) == ["thermowell", "relief"]
    assert lexical._rare_terms(["the_valve"], statistics) == ["the_valve"]


def test_terms_are_counted_by_chunk(db: sqlite3.Connection, chunks: tuple[Chunk, ...]) -> None:
    statistics = lexical.TermStatistics(db, len(chunks))
    assert statistics.frequency("sensor") == sum("sensor" in terms(f"{c.title} {c.section_title} {c.text}") for c in chunks) >= 2
    assert statistics.frequency("nowhere") == 0
    assert statistics.heading_of(0) == {"lamp"}
    assert {"pin", "plug", "cable"} <= statistics.terms_of(1)
