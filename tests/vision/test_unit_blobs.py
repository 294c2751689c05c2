"""Places of print by its ink: what is as high as print and stands by itself, and nothing else."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from vision.fields import Point
from vision.line_crop import LineImage, LinePlace
from vision.unit_blobs import MAX_BLOBS, SHARES, blob_places

PIVOT, RING, DIGIT = (150.0, 150.0), 100.0, 14.0


def canvas(light: bool = True) -> np.ndarray:
    return np.full((300, 300), 235 if light else 20, np.uint8)


def write(picture: np.ndarray, text: str, at: Point, *, ink: int = 20) -> None:
    """Letters about 14 px high with their middle at a point."""
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 0.65, 2)
    corner = (round(at[0] - width / 2), round(at[1] + height / 2))
    cv2.putText(picture, text, corner, cv2.FONT_HERSHEY_SIMPLEX, 0.65, ink, 2, cv2.LINE_AA)


def near(places: list[LinePlace], at: Point) -> list[LinePlace]:
    return [place for place in places if math.dist(place.center, at) < 8.0]


@pytest.mark.parametrize(("light", "ink"), [(True, 20), (True, 190), (False, 230)])
@pytest.mark.parametrize("at", [(150.0, 200.0), (100.0, 150.0), (205.0, 215.0)])
def test_a_word_is_found_in_dark_faint_and_light_ink(at: Point, light: bool, ink: int) -> None:
    picture = canvas(light)
    write(picture, "bar", at, ink=ink)
    level = [place for place in near(blob_places(LineImage(picture), PIVOT, RING, DIGIT, ()), at) if place.angle_deg == 0.0]
    assert len(level) == len(SHARES)
    assert max(place.height_px for place in level) == pytest.approx(15.0, abs=4.0)
    assert level[0].width_px == pytest.approx(36.0, abs=10.0)


def test_a_ring_above_its_letter_belongs_to_it() -> None:
    picture = canvas()
    write(picture, "C", (150.0, 200.0))
    cv2.circle(picture, (150, 188), 2, 20, 2, cv2.LINE_AA)
    places = near(blob_places(LineImage(picture), PIVOT, RING, DIGIT, ()), (150.0, 197.0))
    assert max(place.height_px for place in places) > 17.0


def test_known_boxes_and_what_is_beyond_the_face_are_left_out() -> None:
    picture = canvas()
    write(picture, "40", (100.0, 100.0))
    write(picture, "bar", (150.0, 285.0))
    assert blob_places(LineImage(picture), PIVOT, RING, DIGIT, [((100.0, 100.0), 40.0, 24.0)]) == []


def test_needle_and_ticks_are_no_print() -> None:
    picture = canvas()
    cv2.line(picture, (150, 150), (215, 85), 10, 5)
    for x in range(90, 210, 12):
        cv2.line(picture, (x, 230), (x, 244), 10, 1)
    assert all(place.width_px > 0.4 * DIGIT for place in blob_places(LineImage(picture), PIVOT, RING, DIGIT, ()))
    assert near(blob_places(LineImage(picture), PIVOT, RING, DIGIT, ()), (182.0, 118.0)) == []


def test_a_word_along_an_arc_is_also_looked_at_turned() -> None:
    picture = canvas()
    write(picture, "psi", (215.0, 215.0))
    turns = {round(place.angle_deg) for place in near(blob_places(LineImage(picture), PIVOT, RING, DIGIT, ()), (215.0, 215.0))}
    assert 0 in turns
    assert turns - {0} == {turn for turn in turns if -50 <= turn <= -40} != set()


def test_places_are_few_and_finite_whatever_is_there() -> None:
    noise = np.random.default_rng(3).integers(0, 255, (300, 300)).astype(np.uint8)
    places = blob_places(LineImage(noise), PIVOT, RING, DIGIT, ())
    assert len(places) <= 3 * len(SHARES) * MAX_BLOBS
    assert all(math.isfinite(value) for place in places for value in (*place.center, place.height_px, place.width_px))


@pytest.mark.parametrize(("ring", "digit"), [(100.0, 2.0), (20.0, 14.0), (0.0, 0.0)])
def test_print_too_small_to_be_read_is_not_looked_for(ring: float, digit: float) -> None:
    picture = canvas()
    write(picture, "bar", (150.0, 170.0))
    assert blob_places(LineImage(picture), PIVOT, ring, digit, ()) == []


def test_an_empty_face_has_no_places() -> None:
    assert blob_places(LineImage(canvas()), PIVOT, RING, DIGIT, ()) == []
