"""Rows that only a search finds: whole ones, alone on the display, and against no other look."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vision.test_digits import seven_segments
from tests.vision.test_display_rows import digits_are_shipped
from vision.digit_reader import DIGITS, DigitReader
from vision.digit_votes import Shown
from vision.display_rows import RowReading
from vision.display_search import Search, connected, lone_row, search_rows, windows
from vision.line_crop import LineImage, LinePlace, Pixels
from vision.line_reader import LineReading, encode_line, read_scores

PLACE = LinePlace((160.0, 80.0), 40.0, 120.0)


def row(text: str = "59.1", y: float = 80.0, height: float = 40.0, confidence: float = 0.97) -> RowReading:
    return RowReading(text, confidence, LinePlace((160.0, y), height, 120.0))


def look(text: str, *, by_row: bool = False, height: float = 52.0, confidence: float = 0.9) -> Shown:
    return Shown(text, (160.0, 80.0), 120.0, height, confidence, by_row)


def test_a_lone_row_is_taken() -> None:
    assert lone_row(Search((row(),)), [], None) == row()
    assert lone_row(Search((row(),)), [], PLACE) == row()
    assert lone_row(Search(()), [], None) is None


def test_of_several_rows_none_is_taken() -> None:
    assert lone_row(Search((row(), row("60.0", 130.0))), [], None) is None
    small = row("12", 140.0, height=15.0)
    assert lone_row(Search((row(), small)), [], None) == row()
    assert lone_row(Search((row(),), unsure=(LinePlace((160.0, 130.0), 40.0, 120.0),)), [], None) is None


def test_a_row_elsewhere_than_the_model_says_is_not_taken() -> None:
    assert lone_row(Search((row(),)), [], PLACE._replace(center=(160.0, 150.0))) is None


@pytest.mark.parametrize(
    ("other", "taken"),
    [
        (look("9.1"), True),
        (look("59.7"), False),
        (look("59.7", confidence=0.5), True),
        (look("59.7", height=12.0), True),
        (look("159.1"), False),
        (look("159.1", by_row=True), True),
    ],
)
def test_looks_that_contradict_a_row(other: Shown, taken: bool) -> None:
    """A longer number of the OCR does; one of the digit reader's own wider windows may hold a sign beside the row."""
    assert (lone_row(Search((row(),)), [other], None) is not None) is taken


def spelled(symbols: str) -> LineReading:
    """A look whose best path has one symbol a step, `_` for nothing."""
    scores = np.full((len(symbols), 1 + len(DIGITS)), 0.001)
    for step, symbol in enumerate(symbols):
        scores[step, 0 if symbol == "_" else encode_line(symbol, DIGITS)[0]] = 0.99
    return read_scores(np.log(scores).astype(np.float32)[None], [PLACE], DIGITS)[0]


@pytest.mark.parametrize(
    ("symbols", "text"),
    [
        ("__1_______0__.__9___5____", "0.95"),
        ("__1___0__.__9___5________", "10.95"),
        ("__5____3___4_______2_____", "534"),
        ("__5____3___4____2________", "5342"),
        ("__2__________1___________", "21"),
        ("_-__5____3___4___________", "-534"),
    ],
)
def test_what_stands_apart_is_no_part_of_the_number(symbols: str, text: str) -> None:
    reading = spelled(symbols)
    first, last = connected(reading)
    assert reading.text[first:last] == text


@given(st.integers(8, 700), st.integers(8, 700), st.floats(-30.0, 30.0))
def test_windows_lie_within_the_image(width: int, height: int, angle_deg: float) -> None:
    places = windows(LineImage(np.zeros((height, width, 3), np.uint8), color=True), angle_deg)
    assert len(places) < 3000
    for place in places:
        assert 0.0 <= place.center[0] <= width
        assert 0.0 <= place.center[1] <= height
        assert place.angle_deg == angle_deg


def display(rows: dict[int, tuple[str, int | None]], side: tuple[int, int] = (200, 340)) -> Pixels:
    picture = np.full((*side, 3), 190, np.uint8)
    for middle, (digits, point) in rows.items():
        strip = seven_segments(digits, point)
        height, width = strip.shape[:2]
        top, left = middle - height // 2, side[1] // 2 - width // 2
        picture[top : top + height, left : left + width] = strip
    return picture


@digits_are_shipped
@pytest.mark.parametrize(("digits", "point", "text"), [("2095", 2, "209.5"), ("130", None, "130")])
def test_shipped_weights_find_a_row_without_a_hint(digits: str, point: int | None, text: str) -> None:
    found = search_rows(DigitReader.load(), LineImage(display({100: (digits, point)}), color=True))
    assert [one.text for one in found.rows] == [text]
    assert found.unsure == ()
    assert abs(found.rows[0].place.center[1] - 100.0) < 20.0


@digits_are_shipped
def test_shipped_weights_find_every_row_and_none_in_an_empty_window() -> None:
    reader = DigitReader.load()
    both = search_rows(reader, LineImage(display({70: ("215", None), 200: ("203", None)}, (270, 340)), color=True))
    assert [one.text for one in both.rows] == ["215", "203"]
    assert lone_row(both, [], None) is None
    assert search_rows(reader, LineImage(display({}), color=True)) == Search(())
