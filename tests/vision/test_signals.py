"""Signals of pictures and scales made here: what they measure, what is left out, and widths no narrower than can be read."""

from __future__ import annotations

import json
import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.crops import Pixels
from vision.dial_witness import DialWitness
from vision.digits import DigitsWitness
from vision.fields import EvidencePoints, GaugeFields
from vision.generate import Chosen
from vision.judge import Evidence
from vision.needle_line import NeedleLine
from vision.numerals import PrintedText
from vision.scale_view import DialGeometry
from vision.scale_witness import ScaleWitness, read_scale
from vision.signals import dial_signals, display_signals, least_half, looks_half, photo_signals, plain
from vision.text_crop import text_crop

PIVOT, TIP = (200.0, 200.0), (200.0, 90.0)


def place(angle_deg: float, radius: float) -> tuple[float, float]:
    """Degrees clockwise from 6 o'clock about the pivot."""
    turn = math.radians(angle_deg)
    return PIVOT[0] - radius * math.sin(turn), PIVOT[1] + radius * math.cos(turn)


def draw_face(level: int = 200) -> NDArray[np.uint8]:
    face = np.full((400, 400, 3), level, np.uint8)
    for index in range(41):
        angle = 45.0 + index * 270.0 / 40.0
        first, last = place(angle, 165), place(angle, 185)
        cv2.line(face, (round(first[0]), round(first[1])), (round(last[0]), round(last[1])), (20, 20, 20), 2, cv2.LINE_AA)
    cv2.line(face, (200, 200), (200, 90), (20, 20, 20), 6, cv2.LINE_AA)
    return face


def texts(step: float = 10.0) -> list[PrintedText]:
    """0 to 100 over 270 degrees, a number every tenth."""
    found = []
    for index in range(11):
        text = f"{index * step:g}"
        center = place(45.0 + 27.0 * index, 140.0)
        letters = tuple((center[0] + 9.0 * (n - (len(text) - 1) / 2.0), center[1]) for n in range(len(text)))
        found.append(PrintedText(text, center, 14.0, 9.0 * len(text), 0.0, 0.95, (20.0, 20.0, 20.0), letters))
    return found


def witness(step: float = 10.0) -> ScaleWitness:
    return read_scale(texts(step), DialGeometry(PIVOT, TIP), pointing_sd_deg=1.0)


def evidence(image: Pixels, **changes: object) -> Evidence:
    data: dict[str, object] = {
        "image": image,
        "box": (0.0, 0.0, 400.0, 400.0),
        "box_score": 0.8,
        "fields": GaugeFields(kind="dial"),
        "problem": None,
        "chosen": {"kind": [Chosen(1, 0.9, None)]},
        "points": EvidencePoints(pivot=PIVOT, needle_tip=TIP),
        "point_confidence": {"pivot": 0.9, "needle_tip": 0.7},
        "too_small": False,
        "point_spread": {"pivot": 2.0, "needle_tip": 8.0},
    }
    return Evidence(**(data | changes))  # type: ignore[arg-type]


def signals_of(image: Pixels, own: tuple[float, float, float] | None = None) -> dict[str, float]:
    scale = witness()
    seen = DialWitness(scale, tuple(texts()), NeedleLine(PIVOT, TIP, 1.0, True))
    one = evidence(image)
    return dial_signals(one, text_crop(image, one.box, 736), seen, scale, own)


def test_blur_contrast_and_glare_are_seen() -> None:
    face = draw_face()
    sharp = photo_signals(evidence(face), face)
    soft = cv2.GaussianBlur(face, (0, 0), 6.0)
    blurred = photo_signals(evidence(soft), np.asarray(soft, np.uint8))
    assert blurred["sharpness"] < sharp["sharpness"] - 0.5
    pale = draw_face()
    pale[...] = 150 + pale // 10
    assert photo_signals(evidence(pale), pale)["contrast"] < sharp["contrast"] - 1.0
    lit = face.copy()
    lit[:200] = 255
    assert photo_signals(evidence(lit), lit)["glare"] == pytest.approx(0.5, abs=0.05)
    assert sharp["glare"] == 0.0


def test_size_counts_pixels_of_the_photo_by_octaves() -> None:
    face = draw_face()
    small = photo_signals(evidence(face, box=(0.0, 0.0, 100.0, 50.0)), face)
    large = photo_signals(evidence(face, box=(0.0, 0.0, 400.0, 400.0)), face)
    assert large["size"] - small["size"] == pytest.approx(2.0)
    assert (small["squareness"], large["squareness"]) == (0.5, 1.0)


def test_a_clean_dial_speaks_for_itself() -> None:
    signals = signals_of(draw_face())
    assert signals["numerals"] == 11.0
    assert signals["complete"] == 1.0
    assert signals["beyond"] == 0.0
    assert signals["needle_found"] == 1.0
    assert signals["rivals"] == 0.0
    assert signals["needle_glare"] == 0.0
    assert signals["spread_needle_tip"] > signals["spread_pivot"]
    assert all(math.isfinite(value) for value in signals.values())


def test_a_red_hand_beside_the_needle_and_one_taken_for_it_are_told() -> None:
    face = draw_face()
    cv2.line(face, (200, 200), (310, 200), (210, 20, 20), 5, cv2.LINE_AA)
    beside = signals_of(face)
    assert beside["red_rival"] == 1.0
    assert beside["red_taken"] == 0.0
    taken = draw_face()
    cv2.line(taken, (200, 200), (200, 90), (210, 20, 20), 8, cv2.LINE_AA)
    cv2.line(taken, (200, 200), (310, 200), (20, 20, 20), 6, cv2.LINE_AA)
    assert signals_of(taken)["red_taken"] == 1.0
    assert signals_of(taken)["plain_hand"] == 1.0
    assert beside["plain_hand"] == 0.0
    alone = draw_face()
    cv2.line(alone, (200, 200), (200, 90), (210, 20, 20), 8, cv2.LINE_AA)
    assert signals_of(alone)["plain_hand"] == 0.0
    faint = alone.copy()
    cv2.line(faint, (200, 200), (310, 200), (130, 130, 130), 6, cv2.LINE_AA)
    assert signals_of(faint)["plain_hand"] == 0.0


def test_ends_and_places_that_the_numerals_meet_speak_for_them() -> None:
    geometry = DialGeometry(PIVOT, TIP, place(45.0, 175.0), place(315.0, 175.0))
    image = draw_face()
    one = evidence(image, numeral_places=tuple(text.center for text in texts()[:9]))
    crop = text_crop(image, one.box, 736)
    seen = DialWitness(witness(), tuple(texts()), NeedleLine(PIVOT, TIP, 1.0, True), (), geometry)
    met = dial_signals(one, crop, seen, witness(), None)
    assert (met["ends_met"], met["ends_at_numerals"]) == (2.0, 2.0)
    assert met["numerals_met"] == pytest.approx(9 / 11)
    assert met["places_met"] == pytest.approx(9 / 11)
    elsewhere = evidence(image, numeral_places=(place(0.0, 60.0), place(90.0, 60.0)))
    off = seen._replace(geometry=geometry._replace(scale_end=place(300.0, 175.0)))
    missed = dial_signals(elsewhere, crop, off, witness(), None)
    assert (missed["ends_met"], missed["numerals_met"]) == (1.0, 0.0)
    assert "ends_met" not in signals_of(image)


def test_glare_over_the_needle_is_told_from_glare_elsewhere() -> None:
    face = draw_face()
    face[100:160, 180:220] = 255
    assert signals_of(face)["needle_glare"] > 0.3
    face = draw_face()
    face[250:310, 180:220] = 255
    assert signals_of(face)["needle_glare"] == 0.0


def test_what_the_model_reads_of_the_scale_counts_by_its_distance() -> None:
    face = draw_face()
    assert "own_differs" not in signals_of(face)
    value = witness().value
    assert value is not None
    near, far = signals_of(face, (value + 0.5, 100.0, 0.9)), signals_of(face, (value + 40.0, 100.0, 0.9))
    assert near["own_differs"] < far["own_differs"] - 3.0
    assert near["own_span"] == pytest.approx(0.0, abs=0.01)
    assert signals_of(face, (value, 400.0, 0.9))["own_span"] == pytest.approx(2.0, abs=0.01)


def test_nobody_reads_finer_than_half_a_pixel_or_half_a_tenth_of_a_step() -> None:
    scale = witness()
    assert least_half(scale, 1000.0) == pytest.approx(10.0 / 20.0)
    # 100 over 270 degrees; half a pixel at 20 pixels is 1.43 degrees.
    assert least_half(scale, 20.0) == pytest.approx(math.degrees(math.atan2(0.5, 20.0)) * 100.0 / 270.0, rel=0.05)
    assert least_half(scale, 5.0) > least_half(scale, 20.0)
    assert least_half(ScaleWitness(None, reason="nothing"), 20.0) == 0.0


def test_what_the_looks_differ_by_is_counted_in_units_of_the_scale() -> None:
    assert looks_half(witness(), 0.0) == 0.0
    assert looks_half(witness(), 2.7) == pytest.approx(2.0 * 1.0, rel=0.05)
    assert looks_half(ScaleWitness(None, reason="nothing"), 2.7) == 0.0


def test_displays_tell_whether_their_looks_agree() -> None:
    face = draw_face()
    one = evidence(face, fields=GaugeFields(kind="digital"), chosen={"digital_readout": [Chosen(1, 0.8, None)]})
    crop = text_crop(face, one.box, 736)
    same = display_signals(one, crop, DigitsWitness("56.1", "V", 0.9, rows=("56.1",)), "56.1", 0.8)
    assert (same["looks_agree"], same["same_digits"], same["digits"], same["point"]) == (1.0, 1.0, 3.0, 1.0)
    point_lost = display_signals(one, crop, DigitsWitness("561", None, 0.9), "56.1", 0.8)
    assert (point_lost["looks_agree"], point_lost["same_digits"], point_lost["unit_printed"]) == (0.0, 1.0, 0.0)
    alone = display_signals(one, crop, DigitsWitness(None, reason="none"), "56.1", 0.8)
    assert "looks_agree" not in alone
    assert "looks_sure" not in alone
    assert "row_px" not in alone


def test_rows_are_plain_json() -> None:
    kept = plain({"good": 1.234567, "nothing": math.nan, "endless": math.inf})
    assert kept == {"good": 1.23457}
    assert json.loads(json.dumps(kept)) == kept
