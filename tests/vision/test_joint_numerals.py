"""Numerals read together: one even scale or nothing; every place is heard, none is invented."""

from __future__ import annotations

import math

import pytest

from tests.vision.dial_layouts import PIVOT, at_angle, linear
from tests.vision.test_unit_witness import spelled
from vision.joint_numerals import PlacedReadings, read_together

SCALE = linear(0, 10, 45, 270)


def place(value: float, *seen: tuple[str, float], known: str | None = None, radius: float = 200.0) -> PlacedReadings:
    """A place of the scale with looks that see these texts, each with the confidence of its letters."""
    readings = tuple(spelled(text, sure) for text, sure in seen)
    return PlacedReadings(at_angle(SCALE(value), radius), readings, () if known is None else ((known, 0.97),))


def faint(value: float, text: str | None = None) -> PlacedReadings:
    """A numeral that each look sees only faintly."""
    return place(value, *[(f"{value:g}" if text is None else text, 0.96)] * 3)


def told(places: list[PlacedReadings]) -> dict[int, str]:
    return {numeral.place: numeral.text for numeral in read_together(places, PIVOT)}


def test_faint_numerals_of_an_even_scale_are_read() -> None:
    assert told([faint(value) for value in (0, 2, 4, 6, 8, 10)]) == {0: "0", 1: "2", 2: "4", 3: "6", 4: "8", 5: "10"}


def test_the_order_of_the_places_does_not_matter() -> None:
    assert told([faint(value) for value in (6, 0, 10, 4, 2, 8)]) == {0: "6", 1: "0", 2: "10", 3: "4", 4: "2", 5: "8"}


def test_numbers_that_were_read_before_take_part() -> None:
    assert told([place(0, known="0"), place(5, ("5", 0.96), ("5", 0.96)), place(10, known="10")])[1] == "5"


def test_one_place_that_is_misread_is_not_stated_as_seen() -> None:
    places = [faint(0), faint(2), faint(4), place(6, ("7", 0.97), ("7", 0.97)), faint(8), faint(10)]
    numerals = told(places)
    assert numerals.get(3) is None
    assert numerals[4] == "8"


def test_a_place_where_nothing_is_seen_gets_no_numeral() -> None:
    assert 3 not in told([faint(0), faint(2), faint(4), place(6, ("", 0.97)), faint(8), faint(10)])


def test_numbers_without_a_scale_are_left_alone() -> None:
    assert told([faint(value, text) for value, text in ((0, "7"), (2, "3"), (4, "9"), (6, "1"), (8, "61"))]) == {}


def test_two_scales_that_explain_as_much_leave_it_open() -> None:
    # Each place is seen as often as a numeral of 0, 2, 4, 6 as one of 0, 20, 40, 60.
    places = [place(value, *[(f"{value:g}", 0.96), (f"{10 * value:g}", 0.96)] * 2) for value in (2, 4, 6, 8)]
    assert told(places) == {}


@pytest.mark.parametrize("count", [0, 1, 2])
def test_too_few_places_are_no_scale(count: int) -> None:
    assert told([faint(value) for value in (0, 5)[:count]]) == {}


def test_two_numerals_alone_are_no_scale() -> None:
    assert told([faint(0), faint(5), place(10, ("", 0.97))]) == {}


def test_a_scale_may_run_the_other_way() -> None:
    back = linear(0, 10, 315, -270)
    places = [
        PlacedReadings(at_angle(back(value), 200.0), tuple(spelled(f"{value:g}", 0.96) for _ in range(3))) for value in (0, 5, 10)
    ]
    assert told(places) == {0: "0", 1: "5", 2: "10"}


def test_decimals_are_printed_as_the_step_has_them() -> None:
    texts = ("0", "0.4", "0.8", "1.2", "1.6", "2.0")
    assert told([faint(2.0 * number, text) for number, text in enumerate(texts)])[5] == "2.0"


def test_what_lies_off_the_ring_and_the_pitch_does_not_disturb() -> None:
    places = [faint(value) for value in (0, 2, 4, 6, 8, 10)]
    places += [place(5.0, ("37", 0.95), radius=90.0), place(6.9, ("88", 0.95))]
    numerals = told(places)
    assert [numerals[index] for index in range(6)] == ["0", "2", "4", "6", "8", "10"]
    assert 6 not in numerals
    assert 7 not in numerals


def test_confidences_are_probabilities_and_fall_with_what_is_seen() -> None:
    clear = read_together([place(v, *[(f"{v:g}", 0.98)] * 2) for v in (0, 2, 4, 6)], PIVOT)
    dim = read_together([place(v, *[(f"{v:g}", 0.95)] * 2) for v in (0, 2, 4, 6)], PIVOT)
    assert len(clear) == 4
    assert all(0.0 < one.confidence <= 1.0 and math.isfinite(one.confidence) for one in (*clear, *dim))
    assert not dim or max(one.confidence for one in dim) < min(one.confidence for one in clear)
