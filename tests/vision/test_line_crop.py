"""Lines are cut out level, at one size, wherever they stand and however they are turned."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.line_crop import (
    PRINT_SHAPE,
    LineError,
    LineImage,
    LinePlace,
    crop_scale,
    crop_width,
    line_crop,
    place_of_corners,
    place_of_points,
)


def bar_picture(center: tuple[float, float], length: float, height: float, angle_deg: float) -> np.ndarray:
    """A black bar on white, turned clockwise, in a picture of 400 x 300."""
    picture = np.full((300, 400), 255, np.uint8)
    # Pixels have their centres at +0.5, as places count; OpenCV draws with centres at whole numbers.
    corners = cv2.boxPoints(((center[0] - 0.5, center[1] - 0.5), (length, height), angle_deg))
    cv2.fillPoly(picture, [np.round(corners * 16).astype(np.int32)], 0, cv2.LINE_AA, 4)
    return picture


@settings(deadline=None, max_examples=40)
@given(st.floats(120, 280), st.floats(100, 200), st.floats(9, 40), st.floats(-40, 40), st.sampled_from(PRINT_SHAPE.widths_px))
def test_the_line_lies_level_in_the_middle_at_its_height(x: float, y: float, height: float, angle: float, width: int) -> None:
    place = LinePlace((x, y), height, 2.5 * height, angle)
    picture = bar_picture((x, y), 2.5 * height, height, angle)
    crop = line_crop(LineImage(picture), place, width)
    assert crop.shape == (PRINT_SHAPE.height_px, width)
    dark = crop < 128
    rows, columns = np.flatnonzero(dark.any(1)), np.flatnonzero(dark.any(0))
    assert (rows[0] + rows[-1]) / 2 == pytest.approx(PRINT_SHAPE.height_px / 2 - 0.5, abs=1.6)
    assert (columns[0] + columns[-1]) / 2 == pytest.approx(width / 2 - 0.5, abs=1.6)
    assert rows.size == pytest.approx(PRINT_SHAPE.letter_px, abs=4.0)
    assert columns.size == pytest.approx(2.5 * PRINT_SHAPE.letter_px, abs=6.0)


def test_a_long_line_is_made_smaller_until_it_fits() -> None:
    place = LinePlace((200.0, 150.0), 10.0, 300.0)
    assert crop_width(place) == PRINT_SHAPE.widths_px[-1]
    assert crop_scale(place, 160) < PRINT_SHAPE.letter_px / 10.0
    crop = line_crop(LineImage(bar_picture((200.0, 150.0), 300.0, 10.0, 0.0)), place, 160)
    assert not (crop[:, 0] < 128).any()
    assert not (crop[:, -1] < 128).any()


def test_a_short_line_takes_the_narrow_crop() -> None:
    assert crop_width(LinePlace((0.0, 0.0), 20.0, 40.0)) == PRINT_SHAPE.widths_px[0]


def test_large_letters_do_not_alias() -> None:
    stripes = np.zeros((512, 512), np.uint8)
    stripes[:, ::2] = 255
    crop = line_crop(LineImage(stripes), LinePlace((256.0, 256.0), 160.0, 300.0), 96)
    assert 100 < crop.min() <= crop.max() < 160


def test_beyond_the_edge_the_edge_goes_on() -> None:
    picture = np.full((40, 40, 3), 77, np.uint8)
    assert (line_crop(LineImage(picture), LinePlace((0.0, 0.0), 10.0, 30.0), 96) == 77).all()


@pytest.mark.parametrize(
    "place",
    [
        LinePlace((math.nan, 0.0), 10.0, 10.0),
        LinePlace((0.0, 0.0), 0.0, 10.0),
        LinePlace((0.0, 0.0), 1.0, 10.0),
        LinePlace((0.0, 0.0), math.inf, 10.0),
        LinePlace((0.0, 0.0), 10.0, 10.0, math.nan),
    ],
)
def test_unusable_places_are_refused(place: LinePlace) -> None:
    with pytest.raises(LineError, match="finite place"):
        line_crop(LineImage(np.zeros((50, 50), np.uint8)), place, 96)


@pytest.mark.parametrize("image", [np.zeros((3, 50), np.uint8), np.zeros((50, 50), np.float32), np.zeros((2, 3, 4, 5), np.uint8)])
def test_unusable_images_are_refused(image: np.ndarray) -> None:
    with pytest.raises(LineError, match="uint8"):
        LineImage(image)


@settings(deadline=None)
@given(st.floats(-60, 60), st.floats(20, 200), st.floats(4, 19))
def test_corners_and_points_give_the_same_place(angle: float, width: float, height: float) -> None:
    turn = math.radians(angle)
    along, down = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
    center = np.array([100.0, 80.0])
    ends = [center + sx * width / 2 * along + sy * height / 2 * down for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    place = place_of_corners([(float(x), float(y)) for x, y in ends])
    left, right, top = center - width / 2 * along, center + width / 2 * along, center - height / 2 * down
    other = place_of_points(tuple(left), tuple(right), tuple(top))  # type: ignore[arg-type]
    for found in (place, other):
        assert found.center == pytest.approx((100.0, 80.0), abs=1e-6)
        assert found.height_px == pytest.approx(height, rel=1e-6)
        assert found.width_px == pytest.approx(width, rel=1e-6)
        assert found.angle_deg == pytest.approx(angle, abs=1e-6)


def test_rows_without_extent_are_refused() -> None:
    with pytest.raises(LineError, match="four corners"):
        place_of_corners([(0.0, 0.0)])
    with pytest.raises(LineError, match="two ends"):
        place_of_points((1.0, 1.0), (1.0, 1.0), (0.0, 0.0))
