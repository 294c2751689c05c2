"""Rows of digits: agreement between looks, and the places that a detector or a model gives."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.dial_layouts import printed
from tests.vision.test_digits import seven_segments, shown
from vision.digit_reader import DIGITS, DigitReader, digits_shipped
from vision.digits import read_digits
from vision.display_rows import (
    BEYOND_DOUBT,
    BOX_OF_DIGITS,
    agreed_row,
    box_of_place,
    is_plausible,
    read_named_row,
    read_rows,
    row_boxes,
    rows_beside,
)
from vision.line_crop import LineImage, LinePlace
from vision.line_reader import LineReading, encode_line, read_scores
from vision.numerals import Look
from vision.text_strips import TextPatch

SIZE = (320.0, 160.0)
digits_are_shipped = pytest.mark.skipif(not digits_shipped(), reason="no weights of a digit reader are shipped")


def reading(text: str, sure: float = 0.98, height: float = 30.0) -> LineReading:
    """A look at a place whose best path is `text`."""
    symbols = f"_{'_'.join(text)}" + "_" * 24
    scores = np.full((24, 1 + len(DIGITS)), (1.0 - sure) / len(DIGITS))
    for step, symbol in enumerate(symbols[:24]):
        scores[step, 0 if symbol == "_" else encode_line(symbol, DIGITS)[0]] = sure
    return read_scores(np.log(scores).astype(np.float32)[None], [LinePlace((0.0, 0.0), height, 90.0)], DIGITS)[0]


def test_looks_that_agree_are_a_row() -> None:
    row = agreed_row([reading("59.1"), reading("59.1"), reading("59.1")])
    assert row is not None
    assert row.text == "59.1"
    assert row.confidence > 0.6


def test_two_looks_of_four_are_enough() -> None:
    row = agreed_row([reading("59.1"), reading(""), reading("59.1", height=40.0), reading("")])
    assert row is not None
    assert row.text == "59.1"
    assert row.confidence > 0.6


def test_looks_that_differ_are_unsure() -> None:
    row = agreed_row([reading("59.1", 0.999), reading("591", 0.999), reading("5.91", 0.999)])
    assert row is None or row.confidence < 0.3


def test_two_pairs_of_looks_that_differ_take_from_each_other() -> None:
    alone = agreed_row([reading("59.1"), reading("59.1"), reading(""), reading("")])
    against = agreed_row([reading("59.1"), reading("59.1"), reading("58.1", 0.97), reading("58.1", 0.97)])
    assert alone is not None
    assert against is None or against.confidence < 0.6 * alone.confidence


def test_one_look_of_three_is_not_sure() -> None:
    row = agreed_row([reading("59.1", 0.999), reading(""), reading("")])
    assert row is None or row.confidence < 0.6


def test_a_row_knows_whether_its_place_has_room_for_more() -> None:
    """Crops of 96 px with 20 px letters: 24 steps of 4 px, 0.667 crop pixels to a pixel of the image."""
    symbols = {"whole": "__3__5__0__9__4__", "part": "__3__5__0__9_____"}
    rows = {}
    for name, path in symbols.items():
        scores = np.full((28, 1 + len(DIGITS)), 0.0005)
        for step, symbol in enumerate(path.center(28, "_")):
            scores[step, 0 if symbol == "_" else encode_line(symbol, DIGITS)[0]] = 0.9945
        # 15 steps of 4 px hold the five digits: 60 px of the crop, 90 px of the image.
        looks = read_scores(np.log(scores).astype(np.float32)[None], [LinePlace((0.0, 0.0), 30.0, 90.0)], DIGITS) * 2
        rows[name] = agreed_row(looks)
    assert rows["whole"] is not None
    assert rows["part"] is not None
    assert (rows["whole"].text, rows["whole"].is_part) == ("35094", False)
    assert (rows["part"].text, rows["part"].is_part) == ("3509", True)


def test_nothing_and_lone_signs_are_no_rows() -> None:
    assert agreed_row([reading(""), reading(""), reading("")]) is None
    assert agreed_row([reading("-"), reading("-")]) is None
    assert agreed_row([]) is None


def test_a_point_at_the_end_is_left_out() -> None:
    row = agreed_row([reading("12."), reading("12"), reading("12")])
    assert row is not None
    assert row.text == "12"


def test_boxes_are_taken_once_whether_read_or_not() -> None:
    look = Look((shown("59.1"),), (TextPatch((60.0, 70.0), 80.0, 60.0), TextPatch((60.0, 20.0), 20.0, 4.0)))
    boxes = row_boxes([look, look], SIZE)
    assert len(boxes) == 2
    assert {round(box.center[0]) for box in boxes} == {190, 60}


def test_print_that_is_no_row() -> None:
    assert row_boxes([Look((printed("A", (10, 10), height=4),))], SIZE) == []


def test_the_box_of_a_place_is_a_detectors() -> None:
    place = LinePlace((50.0, 40.0), 30.0, 90.0, 3.0)
    box = box_of_place(place)
    assert (box.center, box.width_px, box.angle_deg) == ((50.0, 40.0), 90.0, 3.0)
    assert box.height_px == pytest.approx(30.0 * BOX_OF_DIGITS)


@pytest.mark.parametrize(
    ("place", "plausible"),
    [
        (LinePlace((50.0, 40.0), 30.0, 90.0), True),
        (LinePlace((50.0, 40.0), 30.0, 12.0), True),
        (LinePlace((50.0, 40.0), 90.0, 9.0), False),
        (LinePlace((50.0, 40.0), 1.0, 9.0), False),
        (LinePlace((float("nan"), 40.0), 30.0, 90.0), False),
    ],
)
def test_places_that_can_be_rows(place: LinePlace, plausible: bool) -> None:
    assert is_plausible(place) is plausible


class Scripted(DigitReader):
    """A digit reader that reads `text` wherever a place's centre lies within `reach` of a row's middle."""

    def __init__(self, rows: dict[float, str], reach: float = 6.0, turned: tuple[str, float] = ("", 0.999)) -> None:
        super().__init__(DigitReader.network_type())
        self.rows, self.reach, self.turned, self.asked = rows, reach, turned, 0

    def read_lines(self, image, places):  # type: ignore[no-untyped-def, override]
        self.asked += len(places)
        return tuple(self._read(place)._replace(place=place) for place in places)

    def _read(self, place: LinePlace) -> LineReading:
        if place.angle_deg == 180.0:
            return reading(*self.turned)
        found = [text for y, text in self.rows.items() if abs(place.center[1] - y) <= self.reach]
        return reading(found[0] if found else "", 0.995)


BLANK = LineImage(np.full((200, 200, 3), 180, np.uint8), color=True)


def test_a_named_row_is_looked_at_again_where_the_place_is_off() -> None:
    well, off = LinePlace((100.0, 60.0), 30.0, 90.0), LinePlace((100.0, 51.0), 30.0, 90.0)
    reader = Scripted({60.0: "59.1"})
    assert read_named_row(reader, BLANK, well, sure=0.6) is not None
    once = reader.asked
    row = read_named_row(reader, BLANK, off, sure=0.6)
    assert reader.asked > 1.3 * once
    assert row is None or row.text == "59.1"
    nothing = read_named_row(Scripted({}), BLANK, well, sure=0.6)
    assert nothing is None


@pytest.mark.parametrize(
    ("upright", "turned", "share"),
    [
        ("59.1", ("1.65", 0.9), 1.0),
        ("609068", ("83790.9", 0.9995), 0.5),
        ("88", ("88", 0.9995), 1.0),
        ("59.1", ("", 0.999), 1.0),
    ],
)
def test_what_reads_better_upside_down_is_doubted(upright: str, turned: tuple[str, float], share: float) -> None:
    place = LinePlace((100.0, 60.0), 30.0, 90.0)
    plain = read_named_row(Scripted({60.0: upright}), BLANK, place, sure=0.6)
    row = read_named_row(Scripted({60.0: upright}, turned=turned), BLANK, place, sure=0.6)
    assert plain is not None
    assert row is not None
    assert plain.confidence < BEYOND_DOUBT
    assert (row.text, row.confidence) == (upright, pytest.approx(share * plain.confidence))


def test_further_rows_stand_above_and_below_the_main_one() -> None:
    reader = Scripted({30.0: "217.6", 80.0: "220.4", 130.0: "233.4"})
    rows = rows_beside(reader, BLANK, LinePlace((100.0, 30.0), 30.0, 90.0))
    assert sorted((round(row.place.center[1], -1), row.text) for row in rows) == [(80.0, "220.4"), (130.0, "233.4")]
    assert rows_beside(Scripted({30.0: "217.6"}), BLANK, LinePlace((100.0, 30.0), 30.0, 90.0)) == []


ROWS = [shown("229.3", y=25, height=36), shown("229.5", y=70, height=36), shown("229.8", y=115, height=36)]


def test_a_model_names_the_main_row() -> None:
    witness = read_digits(ROWS, SIZE, [ROWS], place=LinePlace((190.0, 72.0), 30.0, 90.0))
    assert witness.text == "229.5"
    assert witness.rows == ("229.3", "229.5", "229.8")
    elsewhere = read_digits(ROWS, SIZE, [ROWS], place=LinePlace((190.0, 300.0), 30.0, 90.0))
    assert elsewhere.text is None
    assert elsewhere.reason == "the main row of digits could not be read"


def test_clearly_larger_digits_are_the_main_row() -> None:
    rows = [shown("25.0", y=30, height=30), shown("118.4", y=90, height=40)]
    assert read_digits(rows, SIZE, [rows]).text == "118.4"


def test_places_that_cannot_be_cut_are_left_out() -> None:
    reader = DigitReader(DigitReader.network_type())
    assert read_rows(reader, BLANK, []) == ()
    assert read_rows(reader, BLANK, [TextPatch((45.0, 20.0), 30.0, 2.0)]) == (None,)
    assert read_named_row(reader, BLANK, LinePlace((float("nan"), 20.0), 20.0, 50.0), sure=0.6) is None


@digits_are_shipped
@pytest.mark.parametrize(("digits", "point", "text"), [("2095", 2, "209.5"), ("130", None, "130")])
def test_shipped_weights_read_a_row_of_segments(digits: str, point: int | None, text: str) -> None:
    strip = seven_segments(digits, point)
    picture = np.full((160, 320, 3), 190, np.uint8)
    height, width = strip.shape[:2]
    picture[80 - height // 2 : 80 + height // 2, 160 - width // 2 : 160 - width // 2 + width] = strip
    place = LinePlace((160.0, 80.0), 57.0, float(width))
    reader, image = DigitReader.load(), LineImage(picture, color=True)
    (boxed,) = read_rows(reader, image, [box_of_place(place)])
    named = read_named_row(reader, image, place, sure=0.6)
    assert boxed is not None
    assert named is not None
    assert (boxed.text, named.text) == (text, text)
