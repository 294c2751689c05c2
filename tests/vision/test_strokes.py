"""Hands beside the needle, on faces drawn here: how many, where, of which colour, and none where there is none."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.numerals import NumeralError
from vision.strokes import find_strokes

PIVOT = (150.0, 150.0)
LENGTH = 100.0
BLACK, RED = (20, 20, 20), (200, 20, 20)


def place(angle_deg: float, length: float) -> tuple[float, float]:
    """A point `length` from the pivot; degrees clockwise from 3 o'clock."""
    turn = math.radians(angle_deg)
    return PIVOT[0] + length * math.cos(turn), PIVOT[1] + length * math.sin(turn)


def draw_face(*hands: tuple[float, float, tuple[int, int, int]]) -> NDArray[np.uint8]:
    """A white face with hands (angle, length, colour)."""
    face = np.full((300, 300, 3), 235, np.uint8)
    for angle, length, color in hands:
        end = place(angle, length)
        cv2.line(face, (round(PIVOT[0]), round(PIVOT[1])), (round(end[0]), round(end[1])), color, 5, cv2.LINE_AA)
    return face


def test_a_lone_needle_has_no_rival() -> None:
    for angle in range(0, 360, 45):
        found = find_strokes(draw_face((angle, LENGTH, BLACK)), PIVOT, place(angle, LENGTH))
        assert found.needle is not None
        assert abs(found.needle.off_deg) <= 1.5
        assert not found.needle.red
        assert found.others == ()


def test_its_own_tail_is_no_rival() -> None:
    found = find_strokes(draw_face((30, LENGTH, BLACK), (210, 60, BLACK)), PIVOT, place(30, LENGTH))
    assert found.others == ()


@pytest.mark.parametrize("off", [-120.0, -40.0, 25.0, 90.0])
def test_a_red_hand_is_found_where_it_is(off: float) -> None:
    found = find_strokes(draw_face((50, LENGTH, BLACK), (50 + off, 0.95 * LENGTH, RED)), PIVOT, place(50, LENGTH))
    assert len(found.others) == 1
    assert found.others[0].off_deg == pytest.approx(off, abs=2.0)
    assert found.others[0].red
    assert found.needle is not None
    assert not found.needle.red


def test_the_red_hand_taken_for_the_needle_is_red_and_sees_the_plain_one() -> None:
    found = find_strokes(draw_face((50, LENGTH, BLACK), (120, LENGTH, RED)), PIVOT, place(120, LENGTH))
    assert found.needle is not None
    assert found.needle.red
    assert [one.red for one in found.others] == [False]


def test_long_and_short_hands_are_told_apart() -> None:
    face = draw_face((0, LENGTH, BLACK), (80, 1.1 * LENGTH, BLACK), (-80, 0.82 * LENGTH, BLACK))
    found = find_strokes(face, PIVOT, place(0, LENGTH))
    reach = {round(one.off_deg / 80): one.long for one in found.others}
    assert reach == {1: True, -1: False}


def test_an_empty_face_or_a_hint_beside_everything_has_no_needle() -> None:
    assert find_strokes(draw_face(), PIVOT, place(0, LENGTH)) == (None, ())
    found = find_strokes(draw_face((90, LENGTH, BLACK)), PIVOT, place(0, LENGTH))
    assert found.needle is None
    assert len(found.others) == 1


def test_a_needle_of_some_pixels_is_not_looked_at() -> None:
    assert find_strokes(draw_face((0, 12, BLACK)), PIVOT, place(0, 12)) == (None, ())


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(NumeralError, match="uint8 RGB"):
        find_strokes(np.zeros((10, 10), np.uint8), PIVOT, place(0, LENGTH))
