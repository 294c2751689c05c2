"""Numerals at known places: read where looks agree, left alone where a number is known or none is seen."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.dial_layouts import PIVOT, at_angle, face, linear, needle_at, printed
from tests.vision.test_unit_witness import Oracle
from vision.fields import Point
from vision.numeral_places import missed_numerals, numerals_either_way, reading_angle
from vision.printed_numbers import find_numbers
from vision.scale_witness import read_scale

FACE = np.full((620, 600, 3), 240, np.uint8)
PRESSURE = linear(0, 10, 45, 270)


def center(value: float) -> Point:
    return at_angle(PRESSURE(value), 200.0)


def oracle(*values: float, said: str | None = None) -> Oracle:
    """Sees the numerals of these values where they stand."""
    return Oracle({center(value): f"{value:g}" if said is None else said for value in values}, reach=20.0)


def test_what_the_ocr_missed_is_read_where_the_map_sees_it() -> None:
    known = face(PRESSURE, [2, 4, 6])
    found = missed_numerals(oracle(0, 8, 10), FACE, known, [center(value) for value in range(0, 11, 2)], PIVOT)
    assert sorted(text.text for text in found) == ["0", "10", "8"]
    for text in found:
        assert text.center == pytest.approx(center(float(text.text)), abs=6.0)
        assert text.height_px == pytest.approx(24.0, rel=0.3)
        assert 0.5 <= text.confidence <= 1.0


def test_together_with_the_known_numbers_they_form_the_scale() -> None:
    known = face(PRESSURE, [4, 6])
    geometry = needle_at(PRESSURE(3.0))
    assert read_scale(known, geometry).value is None
    found = missed_numerals(oracle(0, 2, 8), FACE, known, [center(value) for value in range(0, 11, 2)], PIVOT)
    assert read_scale([*known, *found], geometry).value == pytest.approx(3.0, abs=0.3)


def test_numbers_that_are_known_are_not_read_again() -> None:
    known = face(PRESSURE, [2, 4, 6])
    places = [center(value) for value in (2, 4, 6)]
    assert missed_numerals(oracle(2, 4, 6, said="9"), FACE, known, places, PIVOT) == ()


def test_an_unsure_number_is_read_again() -> None:
    known = [*face(PRESSURE, [2, 4]), printed("3", center(6), confidence=0.45)]
    found = missed_numerals(oracle(6), FACE, known, [center(value) for value in (2, 4, 6)], PIVOT)
    assert [text.text for text in found] == ["6"]


@pytest.mark.parametrize("said", ["bar", "", "-", "1.", "1234567", "12.3.4"])
def test_what_is_no_number_adds_nothing(said: str) -> None:
    assert missed_numerals(oracle(6, said=said), FACE, face(PRESSURE, [2, 4]), [center(6), center(2)], PIVOT) == ()


def test_without_any_number_the_ring_tells_the_size() -> None:
    found = missed_numerals(oracle(2, 4, 6), FACE, [], [center(value) for value in (2, 4, 6)], PIVOT)
    assert sorted(text.text for text in found) == ["2", "4", "6"]


def test_no_places_and_one_place_alone_add_nothing() -> None:
    assert missed_numerals(oracle(6), FACE, [], [], PIVOT) == ()
    assert missed_numerals(oracle(6), FACE, [], [center(6)], PIVOT) == ()


def test_places_that_cannot_be_cut_are_left_out() -> None:
    assert missed_numerals(oracle(6), FACE, [], [PIVOT, PIVOT], PIVOT) == ()


def test_numbers_turned_with_the_dial_are_read_turned() -> None:
    turned = [printed(f"{v:g}", center(v), angle_deg=PRESSURE(v) - 180.0) for v in (0, 2, 4, 6)]
    marks = find_numbers(turned)
    assert reading_angle(marks, center(8), PIVOT) == pytest.approx(PRESSURE(8) - 180.0, abs=1.0)
    assert reading_angle(find_numbers(face(PRESSURE, [0, 2, 4, 6])), center(8), PIVOT) == 0.0
    assert reading_angle((), center(8), PIVOT) == 0.0


def test_places_that_no_scale_has_taken_are_read_either_way() -> None:
    places = [center(value) for value in (0, 2, 4, 6)]
    found = numerals_either_way(oracle(0, 6), FACE, places, PIVOT, [center(2), center(4)])
    assert {text.text for text in found} == {"0", "6"}
    angles = {round(text.angle_deg) for text in found if text.text == "6"}
    assert angles == {0, round(PRESSURE(6) - 180.0)}
    geometry = needle_at(PRESSURE(5.0))
    assert read_scale([*face(PRESSURE, [2, 4]), *found], geometry).value == pytest.approx(5.0, abs=0.3)


def test_either_way_needs_places_and_numbers() -> None:
    assert numerals_either_way(oracle(6), FACE, [center(6)], PIVOT, []) == ()
    assert numerals_either_way(oracle(6, said="bar"), FACE, [center(6), center(4)], PIVOT, []) == ()
