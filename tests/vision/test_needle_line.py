"""The second look at the needle: found near a hint on drawn dials, left alone where nothing stands out."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.fields import Point
from vision.needle_line import HINT_SD_DEG, refine_needle
from vision.numerals import NumeralError
from vision.plane import clock_angle
from vision.scale_parts import unwrap
from vision.text_strips import Pixels

PIVOT = (200.0, 205.0)
LENGTH = 140.0


def end(angle_deg: float, length: float = LENGTH, pivot: Point = PIVOT) -> Point:
    turn = math.radians(angle_deg)
    return pivot[0] - length * math.sin(turn), pivot[1] + length * math.cos(turn)


def face(
    angle_deg: float,
    *,
    ink: tuple[int, int, int] = (20, 20, 20),
    paper: tuple[int, int, int] = (225, 222, 215),
    wide: float = 8.0,
    noise: float = 4.0,
    seed: int = 0,
) -> Pixels:
    """A dial with ticks, print, a hub and one tapered needle with a short tail."""
    picture = np.full((400, 400, 3), paper, np.uint8)
    for tick in range(45, 316, 9):
        start, stop = end(tick, 158), end(tick, 176)
        cv2.line(picture, _pixel(start), _pixel(stop), (40, 40, 40), 2, cv2.LINE_AA, 4)
    cv2.putText(picture, "bar", (180, 300), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (40, 40, 40), 2, cv2.LINE_AA)
    cv2.putText(picture, "MADE", (150, 130), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (90, 90, 90), 2, cv2.LINE_AA)
    turn = math.radians(angle_deg)
    side = np.array([math.cos(turn), math.sin(turn)]) * wide / 2
    tip, tail = np.asarray(end(angle_deg)), np.asarray(end(angle_deg, -45.0))
    corners = np.array(
        [np.asarray(PIVOT) + side, tip + 0.2 * side, tip - 0.2 * side, np.asarray(PIVOT) - side, tail - side, tail + side]
    )
    hull = cv2.convexHull(np.round(corners * 16).astype(np.int32))
    cv2.fillConvexPoly(picture, hull, ink, cv2.LINE_AA, 4)
    cv2.circle(picture, _pixel(PIVOT), 14 * 16, (70, 70, 70), -1, cv2.LINE_AA, 4)
    grain = np.random.default_rng(seed).normal(0.0, noise, picture.shape)
    return np.clip(picture + grain, 0, 255).astype(np.uint8)


def _pixel(point: Point) -> tuple[int, int]:
    return round(point[0] * 16), round(point[1] * 16)


def off(line_pivot: Point, line_tip: Point, angle_deg: float) -> float:
    return abs(unwrap(clock_angle(line_pivot, line_tip) - angle_deg, 0.0, 0.0))


@settings(max_examples=15, deadline=None)
@given(
    angle=st.floats(0, 359),
    turn=st.floats(-7, 7),
    dx=st.floats(-4, 4),
    dy=st.floats(-4, 4),
    ink=st.sampled_from([(20, 20, 20), (190, 30, 30), (30, 60, 160)]),
    wide=st.floats(4, 16),
    seed=st.integers(0, 1000),
)
def test_a_rough_hint_becomes_the_needles_own_line(
    angle: float, turn: float, dx: float, dy: float, ink: tuple[int, int, int], wide: float, seed: int
) -> None:
    hint = (PIVOT[0] + dx, PIVOT[1] + dy)
    line = refine_needle(face(angle, ink=ink, wide=wide, seed=seed), hint, end(angle + turn, pivot=hint))
    if line.found:
        assert off(line.pivot, line.tip, angle) < 1.5
        assert line.sd_deg < HINT_SD_DEG
        assert math.dist(line.pivot, PIVOT) <= math.hypot(dx, dy) + 2.5
    else:
        assert line.pivot == hint


def test_most_needles_are_found() -> None:
    rng = np.random.default_rng(5)
    found = 0
    for seed in range(20):
        angle = float(rng.uniform(0, 360))
        line = refine_needle(face(angle, seed=seed), PIVOT, end(angle + float(rng.normal(0, 4))))
        found += line.found and off(line.pivot, line.tip, angle) < 1.0
    assert found >= 17


def test_a_light_needle_on_a_dark_face() -> None:
    line = refine_needle(face(140, ink=(235, 235, 235), paper=(30, 32, 35)), PIVOT, end(145))
    assert line.found
    assert off(line.pivot, line.tip, 140) < 0.8


def test_a_second_needle_does_not_draw_the_look_away() -> None:
    picture = face(140)
    cv2.line(picture, _pixel(PIVOT), _pixel(end(170)), (190, 30, 30), 5, cv2.LINE_AA, 4)
    line = refine_needle(picture, PIVOT, end(143))
    assert off(line.pivot, line.tip, 140) < 1.5


@pytest.mark.parametrize("angle", [10.0, 200.0])
def test_where_there_is_no_needle_the_hint_stays(angle: float) -> None:
    picture = np.full((400, 400, 3), 210, np.uint8)
    picture = np.clip(picture + np.random.default_rng(1).normal(0, 6, picture.shape), 0, 255).astype(np.uint8)
    line = refine_needle(picture, PIVOT, end(angle))
    assert not line.found
    assert (line.pivot, line.tip, line.sd_deg) == (PIVOT, end(angle), HINT_SD_DEG)


def test_a_needle_of_a_few_pixels_is_left_as_hinted() -> None:
    assert not refine_needle(face(90), PIVOT, end(90, 12.0)).found


def test_points_outside_the_picture_do_not_break_it() -> None:
    line = refine_needle(face(90), (-50.0, 900.0), (-200.0, 1200.0))
    assert not line.found


def test_what_is_no_picture_is_an_error() -> None:
    with pytest.raises(NumeralError, match="RGB"):
        refine_needle(np.zeros((40, 40), np.uint8), (1.0, 1.0), (30.0, 30.0))
