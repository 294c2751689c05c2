"""Places of print from the Donut's maps, made by hand: peaks become places, missing maps and weak peaks none."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from vision.crops import View
from vision.dense import DenseOutput
from vision.line_crop import LinePlace
from vision.line_reader import LineReader
from vision.print_places import MAX_UNITS, UNIT_HEIGHTS, UNIT_WIDTHS, PrintPlaces, print_places
from vision.unit_witness import find_unit_lines

SIDE = 48


def maps(units: dict[tuple[int, int], float], row: tuple[tuple[int, int], ...] | None) -> DenseOutput:
    """Maps of one view with the given peaks at (x, y) cells."""
    heat = torch.full((1, 1, SIDE, SIDE), -6.0)
    for (x, y), logit in units.items():
        heat[0, 0, y, x] = logit
    ends = torch.zeros(1, 3, SIDE, SIDE)
    for index, (x, y) in enumerate(row or ()):
        ends[0, index, y, x] = 20.0
    empty = torch.zeros(1, 4, SIDE, SIDE)
    return DenseOutput(empty, empty[:, :1] - 9.0, empty[:, :1], empty, ends, heat)


VIEW = View((300.0, 200.0), 96.0, 192)


def test_a_peak_becomes_places_at_two_sizes_in_image_pixels() -> None:
    (printed,) = print_places(maps({(24, 36): 3.0}, None), [VIEW])
    assert len(printed.units) == len(UNIT_HEIGHTS) * len(UNIT_WIDTHS)
    center = printed.units[0].center
    assert center == pytest.approx((300.0 + (24.5 / 48 - 0.5) * 96, 200.0 + (36.5 / 48 - 0.5) * 96))
    heights = [place.height_px for place in printed.units[:: len(UNIT_WIDTHS)]]
    assert heights == pytest.approx([share * 96 for share in UNIT_HEIGHTS])
    assert {round(place.width_px / place.height_px, 6) for place in printed.units} == set(UNIT_WIDTHS)
    assert printed.row is None


def test_weak_peaks_name_no_place() -> None:
    (printed,) = print_places(maps({(24, 36): -2.5}, None), [VIEW])
    assert printed.units == ()


def test_the_strongest_peaks_come_first() -> None:
    (printed,) = print_places(maps({(10, 10): 1.0, (30, 30): 4.0, (40, 5): 2.0, (5, 40): 0.5}, None), [VIEW])
    xs = [place.center[0] for place in printed.units[:: len(UNIT_HEIGHTS) * len(UNIT_WIDTHS)]]
    assert xs == pytest.approx([VIEW.to_photo(((x + 0.5) / SIDE, 0.5))[0] for x in (30, 40, 10, 5)], abs=0.05)


def test_there_are_no_more_places_than_can_be_read() -> None:
    peaks = {(6 * number + 3, 20): 1.0 + 0.1 * number for number in range(MAX_UNITS + 2)}
    (printed,) = print_places(maps(peaks, None), [VIEW])
    assert len({place.center for place in printed.units}) == MAX_UNITS


def test_numerals_lie_where_their_map_peaks_the_clearest_first_and_between_cells() -> None:
    heat = torch.full((1, 1, SIDE, SIDE), -8.0)
    heat[0, 0, 10, 12], heat[0, 0, 10, 13], heat[0, 0, 30, 30], heat[0, 0, 5, 5] = 2.0, 1.5, 3.0, -3.0
    (printed,) = print_places(maps({}, None)._replace(numerals=heat), [VIEW])
    first, second = printed.numerals
    assert first == pytest.approx(VIEW.to_photo((30.5 / SIDE, 30.5 / SIDE)), abs=0.05)
    x, y = second
    assert VIEW.to_photo((12.5 / SIDE, 0.5))[0] < x < VIEW.to_photo((13.5 / SIDE, 0.5))[0]
    assert y == pytest.approx(VIEW.to_photo((0.5, 10.5 / SIDE))[1], abs=0.05)


def test_row_has_the_height_and_the_direction_of_its_three_points() -> None:
    (printed,) = print_places(maps({}, ((10, 24), (38, 24), (24, 19))), [VIEW])
    assert printed.row is not None
    assert printed.row.width_px == pytest.approx(28 / 48 * 96, rel=0.02)
    assert printed.row.height_px == pytest.approx(2 * 5 / 48 * 96, rel=0.05)
    assert printed.row.angle_deg == pytest.approx(0.0, abs=0.5)


def test_a_turned_view_gives_turned_places() -> None:
    turned = View((300.0, 200.0), 96.0, 192, roll_deg=20.0)
    (printed,) = print_places(maps({(24, 36): 3.0}, ((10, 24), (38, 24), (24, 19))), [turned])
    assert printed.row is not None
    assert printed.row.angle_deg == pytest.approx(-20.0, abs=0.5)
    assert printed.units[0].angle_deg == pytest.approx(-20.0)
    assert math.dist(printed.row.center, turned.to_photo((24.5 / 48, 24.5 / 48))) < 0.5


def test_weights_without_these_maps_name_nothing() -> None:
    plain = maps({(24, 36): 3.0}, None)._replace(units=None, row=None)
    (printed,) = print_places(plain, [VIEW])
    assert printed == PrintPlaces()


def test_places_too_small_to_be_cut_are_no_fault_of_the_photo() -> None:
    reader = LineReader.load()
    picture = np.full((40, 40, 3), 200, np.uint8)
    tiny = [LinePlace((20.0, 20.0), 1.2, 4.0), LinePlace((math.nan, 20.0), 8.0, 20.0)]
    assert find_unit_lines(reader, picture, tiny) == ()
