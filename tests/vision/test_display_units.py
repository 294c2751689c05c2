"""The unit of a display's number: on its line, alone on the face, or left open."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.dial_layouts import printed
from tests.vision.test_line_reader import printed_line, shipped
from vision.display_units import PlacedUnit, places_behind, printed_units, told_behind, unit_of_number
from vision.line_reader import LineReader
from vision.numerals import Look
from vision.text_strips import TextPatch

NUMBER = TextPatch((100.0, 50.0), 100.0, 40.0)


def test_the_only_unit_is_the_numbers() -> None:
    assert unit_of_number([PlacedUnit("kWh", (100.0, 140.0))], NUMBER) == "kWh"
    assert unit_of_number([PlacedUnit("kWh", (100.0, 140.0)), PlacedUnit("kWh", (20.0, 10.0))], NUMBER) == "kWh"
    assert unit_of_number([], NUMBER) is None


@pytest.mark.parametrize("beside", [(170.0, 50.0), (190.0, 28.0), (20.0, 70.0)])
def test_what_stands_on_the_numbers_line_is_its_unit(beside: tuple[float, float]) -> None:
    units = [PlacedUnit("V", beside), PlacedUnit("A", (170.0, 110.0))]
    assert unit_of_number(units, NUMBER) == "V"


def test_units_that_differ_leave_it_open() -> None:
    assert unit_of_number([PlacedUnit("V", (100.0, 120.0)), PlacedUnit("A", (100.0, 160.0))], NUMBER) is None
    assert unit_of_number([PlacedUnit("V", (170.0, 50.0)), PlacedUnit("A", (175.0, 60.0))], NUMBER) is None


def test_a_unit_far_along_the_line_belongs_to_something_else() -> None:
    units = [PlacedUnit("V", (420.0, 50.0)), PlacedUnit("A", (100.0, 120.0))]
    assert unit_of_number(units, NUMBER) is None


def test_without_a_number_only_a_lone_unit_counts() -> None:
    assert unit_of_number([PlacedUnit("V", (1.0, 1.0))], None) == "V"
    assert unit_of_number([PlacedUnit("V", (1.0, 1.0)), PlacedUnit("A", (9.0, 9.0))], None) is None


def test_units_that_the_ocr_reads_are_found_with_their_places() -> None:
    crop = np.full((100, 200, 3), 220, np.uint8)
    look = Look((printed("149.1", (90.0, 50.0), height=30), printed("kWh", (160.0, 55.0), height=16)))
    assert set(printed_units(crop, [look, look], None)) == {PlacedUnit("kWh", (160.0, 55.0))}
    assert printed_units(crop, [], None) == []


def test_a_unit_on_another_rows_line_is_that_rows() -> None:
    other = TextPatch((100.0, 120.0), 100.0, 30.0)
    assert unit_of_number([PlacedUnit("kWh", (170.0, 122.0))], NUMBER, [other]) is None
    assert unit_of_number([PlacedUnit("kWh", (170.0, 180.0))], NUMBER, [other]) == "kWh"


def test_places_behind_a_number_lie_on_its_line() -> None:
    for place in places_behind(NUMBER):
        assert place.center[0] > NUMBER.center[0] + 0.5 * NUMBER.width_px
        assert abs(place.center[1] - NUMBER.center[1]) < 0.5 * NUMBER.height_px
        assert place.height_px < NUMBER.height_px
    turned = places_behind(NUMBER._replace(angle_deg=90.0))
    assert all(place.center[1] > NUMBER.center[1] + 0.5 * NUMBER.width_px for place in turned)


def test_a_unit_behind_the_number_wins_over_what_stands_before_it() -> None:
    assert unit_of_number([PlacedUnit("Pa", (10.0, 50.0)), PlacedUnit("bar", (180.0, 45.0))], NUMBER) == "bar"
    assert unit_of_number([PlacedUnit("Pa", (10.0, 50.0))], NUMBER) == "Pa"


def test_a_lone_letter_behind_the_number_is_its_unit_however_small() -> None:
    crop = np.full((140, 240, 3), 220, np.uint8)
    number, volts = printed("5.0", NUMBER.center, height=40), printed("V", (190.0, 60.0), height=10)
    assert printed_units(crop, [Look((number, volts))], None, NUMBER) == [PlacedUnit("V", (190.0, 60.0))]
    before, below = volts._replace(center=(20.0, 50.0)), volts._replace(center=(190.0, 120.0))
    unsure, other = volts._replace(confidence=0.5), printed("K", (190.0, 60.0), height=10)
    for text in (before, below, unsure, other):
        assert printed_units(crop, [Look((number, text))], None, NUMBER) == []


def test_the_rest_of_a_text_that_begins_within_the_number_tells_a_unit() -> None:
    half = printed("lc", (155.0, 55.0), height=30)._replace(character_centers=((140.0, 55.0), (165.0, 55.0)))
    assert told_behind([half], NUMBER) == {"°C"}
    assert told_behind([half], None) == set()
    whole = half._replace(character_centers=((160.0, 55.0), (175.0, 55.0)))
    assert told_behind([whole], NUMBER) == set()


@shipped
def test_the_line_reader_sees_a_unit_behind_the_number() -> None:
    picture, place = printed_line("kPa")
    crop = np.repeat(picture[..., None], 3, axis=2)
    number = TextPatch((81.0, place.center[1] - 2.0), 100.0, 65.0)
    assert unit_of_number(printed_units(crop, [], LineReader.load(), number), number) == "kPa"
    assert unit_of_number(printed_units(np.full_like(crop, 225), [], LineReader.load(), number), number) is None
