"""Rows of digits: agreement between looks, and the places that a detector or a model gives."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.dial_layouts import printed
from tests.vision.test_digits import seven_segments, shown
from tests.vision.test_line_reader import scores_of, shipped
from vision.digits import read_digits
from vision.display_rows import DIGITS_OF_BOX, agreed_row, as_printed, read_row, read_rows, row_boxes
from vision.line_crop import LinePlace
from vision.line_reader import LineReader, LineReading, read_scores
from vision.numerals import Look, TextPatch

SIZE = (320.0, 160.0)


def reading(text: str, sure: float = 0.98) -> LineReading:
    symbols = "_".join(text)
    return read_scores(scores_of(f"_{symbols}" + "_" * (24 - len(symbols)), sure), LinePlace((0, 0), 30, 90))


def test_looks_that_agree_are_a_row() -> None:
    row = agreed_row([reading("59.1"), reading("59.1"), reading("59.1")])
    assert row is not None
    assert row.text == "59.1"
    assert row.confidence > 0.6


def test_looks_that_differ_are_none() -> None:
    assert agreed_row([reading("59.1"), reading("591"), reading("5.91")]) is None


def test_one_look_of_three_is_too_little() -> None:
    assert agreed_row([reading("59.1", 0.9), reading(""), reading("")]) is None


def test_units_and_nothing_are_no_rows() -> None:
    assert agreed_row([reading("bar"), reading("bar"), reading("")]) is None
    assert agreed_row([]) is None


def test_boxes_are_taken_once_whether_read_or_not() -> None:
    look = Look((shown("59.1"),), (TextPatch((60.0, 70.0), 80.0, 60.0), TextPatch((60.0, 20.0), 20.0, 4.0)))
    boxes = row_boxes([look, look], SIZE)
    assert len(boxes) == 2
    assert {round(box.center[0]) for box in boxes} == {190, 60}


def test_a_row_becomes_a_text_of_its_box() -> None:
    row = agreed_row([reading("59.1")] * 3)
    assert row is not None
    box = TextPatch((50.0, 40.0), 90.0, 40.0)
    text = as_printed(row, box)
    assert (text.text, text.center, text.height_px) == ("59.1", (50.0, 40.0), 40.0)
    assert len(text.character_centers) == len(text.text)


def test_the_line_reader_is_one_more_look() -> None:
    unsure = [shown("198", confidence=0.72)]
    assert read_digits(unsure, SIZE).text is None
    assert read_digits(unsure, SIZE, [[shown("198", confidence=0.8)]]).text == "198"


ROWS = [shown("229.3", y=25, height=36), shown("229.5", y=70, height=36), shown("229.8", y=115, height=36)]


def test_a_model_names_the_main_row() -> None:
    witness = read_digits(ROWS, SIZE, [ROWS], (190.0, 72.0))
    assert witness.text == "229.5"
    assert witness.rows == ("229.3", "229.5", "229.8")
    assert read_digits(ROWS, SIZE, [ROWS], (190.0, 300.0)).text is None


def test_clearly_larger_digits_are_the_main_row() -> None:
    rows = [shown("25.0", y=30, height=30), shown("118.4", y=90, height=40)]
    assert read_digits(rows, SIZE, [rows]).text == "118.4"


@shipped
@pytest.mark.parametrize(("digits", "point", "text"), [("2095", 2, "209.5"), ("130", None, "130")])
def test_shipped_weights_read_a_row_of_segments(digits: str, point: int | None, text: str) -> None:
    strip = seven_segments(digits, point)
    picture = np.full((160, 320, 3), 190, np.uint8)
    height, width = strip.shape[:2]
    picture[80 - height // 2 : 80 + height // 2, 160 - width // 2 : 160 - width // 2 + width] = strip
    reader = LineReader.load()
    box = TextPatch((160.0, 80.0), width + 4.0, 56.0 / DIGITS_OF_BOX[1])
    (row,) = read_rows(reader, picture, [box])
    assert row is not None
    assert row.text == text
    named = read_row(reader, picture, LinePlace((160.0, 80.0), 57.0, float(width)))
    assert named is not None
    assert named.text == text


def test_print_that_is_no_row() -> None:
    assert row_boxes([Look((printed("A", (10, 10), height=4),))], SIZE) == []
