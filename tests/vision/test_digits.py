"""Displays: agreement between looks, lost points, rows, channel letters; never a part of a number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vision.dial_layouts import printed
from vision.digit_points import points_along
from vision.digits import read_digits, thickened
from vision.display_rows import RowReading
from vision.line_crop import LinePlace
from vision.numerals import PrintedText
from vision.text_strips import TextPatch

SIZE = (320.0, 140.0)


def shown(text: str, x: float = 190.0, y: float = 70.0, *, height: float = 70.0, confidence: float = 0.97) -> PrintedText:
    return printed(text, (x, y), height=height, confidence=confidence)


def test_two_looks_that_agree_are_stated() -> None:
    witness = read_digits([shown("56.1")], SIZE, [[shown("56.1", confidence=0.9)], []])
    assert witness.text == "56.1"
    assert witness.confidence > 0.9
    assert witness.rows == ("56.1",)
    assert witness.reason is None


@pytest.mark.parametrize("text", ["00819", "-12.5", "0.95", "+7", "69.00", "8"])
def test_digits_are_kept_as_shown(text: str) -> None:
    assert read_digits([shown(text)], SIZE, [[shown(text)]]).text == text


def test_gaps_commas_and_channel_letters() -> None:
    assert read_digits([shown("b 56, 1")], SIZE, [[shown("56.1")]]).text == "56.1"
    assert read_digits([shown("4 4.00")], SIZE, [[shown("44.00")]]).text == "44.00"
    assert read_digits([shown("cos0.95")], SIZE, [[shown("0.95")]]).text == "0.95"


def test_a_point_that_one_look_saw_is_kept() -> None:
    looks = [[shown("59.1", confidence=0.92)], [shown("591")]]
    witness = read_digits([shown("591", confidence=0.99)], SIZE, looks)
    assert witness.text == "59.1"


def test_a_point_seen_in_a_part_of_the_number_counts() -> None:
    witness = read_digits([shown("6316")], SIZE, [[shown("6.3", x=150.0)]])
    assert witness.text == "6.316"


def test_points_at_two_places_are_a_contradiction() -> None:
    witness = read_digits([shown("59.1")], SIZE, [[shown("5.91")]])
    assert witness.text is None
    assert witness.reason is not None
    assert "disagree" in witness.reason


def test_a_long_number_without_any_point_is_doubtful() -> None:
    assert read_digits([shown("20509")], SIZE, [[shown("20509")]]).confidence < 0.6
    assert read_digits([shown("00819")], SIZE, [[shown("00819")]]).confidence > 0.9


def test_looks_that_differ_are_not_stated() -> None:
    witness = read_digits([shown("161.01", confidence=0.9)], SIZE, [[shown("761.07", confidence=0.89)]])
    assert witness.text is None
    assert witness.reason == "the looks at the display disagree: 161.01, 761.07"


def test_one_unsure_look_is_not_enough() -> None:
    assert read_digits([shown("198", confidence=0.72)], SIZE, [[], []]).text is None
    assert read_digits([shown("69.00", confidence=0.99)], SIZE, [[], []]).text == "69.00"


ROWS = [shown("229.3", y=25, height=36), shown("229.5", y=70, height=36), shown("229.8", y=115, height=36)]


def test_of_rows_of_one_size_the_top_one_is_the_main_one() -> None:
    witness = read_digits(ROWS, SIZE, [ROWS])
    assert witness.text == "229.3"
    assert witness.rows == ("229.3", "229.5", "229.8")


def test_a_row_above_that_was_not_read_may_be_the_main_one() -> None:
    above = TextPatch((190.0, 25.0), 100.0, 36.0)
    witness = read_digits(ROWS[1:], SIZE, [ROWS[1:]], unread=[above])
    assert witness.text is None
    assert witness.reason == "above 229.5 stands a row that could not be read"
    maker = printed("MEKKA", above.center, height=36)
    assert read_digits([*ROWS[1:], maker], SIZE, [ROWS[1:]], unread=[above]).text == "229.5"
    assert read_digits(ROWS, SIZE, [ROWS], unread=[above]).text == "229.3"
    below = above._replace(center=(190.0, 115.0))
    assert read_digits(ROWS[:2], SIZE, [ROWS[:2]], unread=[below]).text == "229.3"


def row(text: str, confidence: float, y: float = 70.0, height: float = 54.0) -> RowReading:
    return RowReading(text, confidence, LinePlace((190.0, y), height, 0.8 * height * len(text)))


def test_a_number_may_go_on_in_an_unread_row_below() -> None:
    first, below = shown("6659", y=25, height=36), TextPatch((190.0, 72.0), 110.0, 38.0)
    witness = read_digits([first], SIZE, [[first]], unread=[below])
    assert witness.text is None
    assert witness.reason == "below 6659 stands a row that may be a part of it"
    whole = shown("66.59", y=25, height=36)
    assert read_digits([whole], SIZE, [[whole]], unread=[below]).text == "66.59"


HERE = LinePlace((190.0, 70.0), 54.0, 180.0)


def test_one_box_round_two_rows_leaves_the_number_open() -> None:
    both = TextPatch((190.0, 66.0), 150.0, 130.0)
    witness = read_digits([], SIZE, rows=[row("3368", 0.97, y=35, height=36)], unread=[both])
    assert witness.text is None
    assert witness.reason == "below 3368 stands a row that may be a part of it"
    close = TextPatch((190.0, 40.0), 150.0, 60.0)
    assert read_digits([], SIZE, rows=[row("3368", 0.97, y=35, height=36)], unread=[close]).text == "3368"


def test_a_row_that_begins_with_a_zero_has_lost_a_digit_that_a_look_sees() -> None:
    whole = shown("20509", confidence=0.99)
    assert read_digits([whole], SIZE, rows=[row("050.9", 0.95)]).text != "050.9"
    counter = shown("00509", confidence=0.99)
    assert read_digits([counter], SIZE, rows=[row("0050.9", 0.97)]).text == "0050.9"


def test_a_sure_row_is_stated_whatever_the_ocr_reads() -> None:
    ocr = [shown("591")]
    named = read_digits(ocr, SIZE, [ocr], place=HERE, named=row("59.1", 0.7))
    assert (named.text, named.confidence) == ("59.1", pytest.approx(0.7))
    boxed = read_digits(ocr, SIZE, [ocr], [row("59.1", 0.95)])
    assert (boxed.text, boxed.confidence) == ("59.1", pytest.approx(0.95))
    assert read_digits([], SIZE, rows=[row("59.1", 0.95)]).text == "59.1"


def test_a_row_that_an_ocr_look_continues_is_doubted() -> None:
    longer = shown("2050.9", confidence=0.9)
    assert read_digits([longer], SIZE, place=HERE, named=row("50.9", 0.95)).text is None
    narrow = longer._replace(width_px=180.0)
    assert read_digits([narrow], SIZE, place=HERE, named=row("50.9", 0.95)).text == "50.9"
    assert read_digits([longer._replace(confidence=0.5)], SIZE, place=HERE, named=row("50.9", 0.95)).text == "50.9"


def test_a_row_in_a_box_needs_to_be_surer_than_one_that_a_model_names() -> None:
    assert read_digits([], SIZE, rows=[row("59.1", 0.7)]).text is None
    assert read_digits([], SIZE, place=HERE, named=row("59.1", 0.7)).text == "59.1"


def test_a_part_of_the_row_that_a_model_names_is_not_stated() -> None:
    part = row("3509", 0.97)._replace(room_behind=1.6)
    witness = read_digits([], SIZE, place=HERE, named=part)
    assert witness.text is None
    assert witness.reason == "the row has room for more than 3509"
    assert read_digits([], SIZE, place=HERE, named=part._replace(room_behind=0.9)).text == "3509"


def test_blank_digits_may_stand_before_a_sure_number_alone() -> None:
    blanks = row("3.5", 0.98)._replace(room_before=2.2)
    assert read_digits([], SIZE, place=HERE, named=blanks).text == "3.5"
    assert read_digits([], SIZE, place=HERE, named=blanks._replace(confidence=0.7)).text is None


def test_rows_that_agree_make_it_surer_and_a_part_of_the_number_does_not_hurt() -> None:
    witness = read_digits([], SIZE, rows=[row("59.1", 0.5)], place=HERE, named=row("59.1", 0.5))
    assert (witness.text, witness.confidence) == ("59.1", pytest.approx(0.75))
    part = read_digits([], SIZE, rows=[row("9.1", 0.8)], place=HERE, named=row("59.1", 0.85))
    assert (part.text, part.confidence) == ("59.1", pytest.approx(0.85))


def test_an_unsure_row_needs_a_look_that_agrees() -> None:
    assert read_digits([], SIZE, place=HERE, named=row("59.1", 0.5)).text is None
    assert read_digits([shown("59.1", confidence=0.8)], SIZE, place=HERE, named=row("59.1", 0.5)).text == "59.1"
    assert read_digits([shown("761.07", confidence=0.9)], SIZE, rows=[row("161.01", 0.8)]).text is None


def test_sure_rows_at_one_place_that_differ_are_a_contradiction() -> None:
    witness = read_digits([], SIZE, rows=[row("59.1", 0.95), row("58.1", 0.93)])
    assert witness.text is None
    assert witness.reason is not None
    assert "disagree" in witness.reason


def test_a_number_elsewhere_is_not_the_row_that_a_model_names() -> None:
    serial = shown("606268", y=120.0, height=40)
    witness = read_digits([serial], SIZE, [[serial]], place=HERE._replace(center=(190.0, 40.0)))
    assert witness.text is None
    assert witness.rows == ("606268",)


def test_small_print_and_a_channel_digit_are_not_the_number() -> None:
    look = [shown("59.1"), shown("6", x=40), shown("2024", y=130, height=12), shown("POWER", y=130, height=14)]
    assert read_digits(look, SIZE, [look]).text == "59.1"


def test_a_part_of_a_number_is_not_the_number() -> None:
    witness = read_digits([shown("2", x=60)], SIZE, [[shown("2", x=60), shown("lc", x=140, height=40, confidence=0.6)]])
    assert witness.text is None
    assert witness.reason is not None
    assert "beside 2" in witness.reason


def test_a_longer_reading_of_one_look_does_not_beat_a_complete_number() -> None:
    witness = read_digits([shown("44.001", confidence=0.92)], SIZE, [[shown("44.00", confidence=1.0)]])
    assert witness.text is None or witness.confidence < 0.6


def test_nothing_read_has_a_reason() -> None:
    witness = read_digits([printed("ROOM", (40, 40))], SIZE)
    assert witness.text is None
    assert witness.reason == "no digits were read on the display"


@settings(deadline=None)
@given(st.from_regex(r"[0-9]{1,4}(\.[0-9]{1,3})?", fullmatch=True), st.integers(2, 3))
def test_what_all_looks_read_is_what_is_stated(text: str, looks: int) -> None:
    witness = read_digits([shown(text)], SIZE, [[shown(text)]] * (looks - 1))
    assert witness.text == text


@settings(deadline=None)
@given(
    st.lists(st.text("0123456789. -", min_size=1, max_size=8), max_size=5), st.lists(st.floats(0.4, 1.0), min_size=5, max_size=5)
)
def test_any_looks_give_digits_or_a_reason(texts: list[str], sure: list[float]) -> None:
    looks = [[shown(text, confidence=confidence)] for text, confidence in zip(texts, sure, strict=False)]
    witness = read_digits(looks[0] if looks else [], SIZE, looks[1:])
    assert (witness.text is None) == (witness.reason is not None)
    if witness.text is not None:
        float(witness.text)


def seven_segments(digits: str, point_after: int | None) -> np.ndarray:
    """Digits as a display shows them, dark on light, with a gap between the segments; 64 x 40 px a digit."""
    segments = {"0": "abcdef", "1": "bc", "2": "abged", "3": "abgcd", "5": "afgcd", "9": "abcdfg"}
    bars = {
        "a": (8, 4, 32, 9),
        "b": (28, 8, 33, 30),
        "c": (28, 34, 33, 56),
        "d": (8, 55, 32, 60),
        "e": (7, 34, 12, 56),
        "f": (7, 8, 12, 30),
        "g": (10, 30, 30, 35),
    }
    picture = np.full((64, 46 * len(digits), 3), 190, np.uint8)
    for number, digit in enumerate(digits):
        for name in segments[digit]:
            x0, y0, x1, y1 = bars[name]
            picture[y0:y1, 46 * number + x0 : 46 * number + x1] = 40
        if point_after == number:
            picture[54:60, 46 * number + 38 : 46 * number + 44] = 40
    return picture


@pytest.mark.parametrize("point_after", [None, 0, 1, 2])
def test_points_are_found_in_the_pixels(point_after: int | None) -> None:
    picture = seven_segments("2095", point_after)
    height, width = picture.shape[:2]
    text = printed("2095", (width / 2, height / 2), height=height)._replace(width_px=float(width), height_px=float(height))
    places = points_along(text, picture)
    if point_after is None:
        assert places == []
    else:
        assert places == [pytest.approx(46 * point_after + 41 - width / 2, abs=2)]


def test_thickening_closes_gaps_on_either_polarity() -> None:
    picture = seven_segments("35", None)
    dark, light = thickened(picture)
    assert dark.shape == light.shape == picture.shape
    assert (dark < 115).sum() > (picture < 115).sum()
    assert (light > 115).sum() > (picture > 115).sum()


def test_a_box_round_two_rows_does_not_hide_the_second() -> None:
    both = shown("3368.", y=58, height=100, confidence=0.75)
    rows = [row("3368", 0.94, y=35, height=36), row("987.1", 0.94, y=85, height=32)]
    witness = read_digits([both], SIZE, rows=rows)
    assert witness.text == "3368"
    assert witness.rows == ("3368", "987.1")
    alone = shown("336.8", y=58, height=100, confidence=0.75)
    assert read_digits([alone], SIZE, [[alone]]).text == "336.8"
