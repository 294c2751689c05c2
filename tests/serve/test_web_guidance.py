"""Advice on photos: each fault drawn by a known amount is named with its measure, and clean pictures are left alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.photo_noise import corrupt_photo
from serve.web.guidance import DEFAULTS, FAULTS, Advice, advise
from serve.web.measures import dial_pose, edge_width, measure_instrument, sides_cut
from serve.web.views import view_advice
from serve.web.words import LANGUAGES, Words
from synth.flat import render
from synth.recipe import load_recipe
from synth.sampler import EVALUATION_SEED, scene_of_seed
from synth.scene import Camera, GaugeScene, Light, Wear
from tests.serve.doubles import WEIGHTS, make_dial
from vision.doubts import DOUBTS
from vision.fields import EvidencePoints, GaugeFields, InstrumentReading, PhotoReading
from vision.photos import Photo

FIRST = EVALUATION_SEED + 77_000
CLEAN = Camera(noise=1.5, jpeg_quality=90, blur_px=0.4)
MOST_TILT_DEG, MOST_ROLL_DEG = 28.0, 20.0


class Drawn(NamedTuple):
    """A drawn picture with the reading that a perfect reader would give."""

    pixels: np.ndarray
    reading: PhotoReading
    scene: GaugeScene


def photo_of(pixels: np.ndarray) -> Photo:
    return Photo("drawn.png", "0" * 64, pixels, pixels.shape[1], pixels.shape[0])


def perfect(scene: GaugeScene) -> PhotoReading:
    """The truth as a reading that states no value, which guidance does not need."""
    instruments = tuple(
        InstrumentReading(kind=one.fields.kind, box=one.box, points=one.points, fields=one.fields, status="abstained", reason="x")
        for one in scene.truth().instruments
    )
    return PhotoReading(
        photo="drawn.png", sha256="0" * 64, status="abstained", reason="x", instruments=instruments, weights=WEIGHTS
    )


@lru_cache(maxsize=1)
def clean_drawings() -> tuple[Drawn, ...]:
    """Whole instruments taken well: from the front, sharp, evenly lit. The recipe draws all kinds, looks and colours."""
    recipe, found = load_recipe("close"), []
    for seed in range(FIRST, FIRST + 30):
        drawn = scene_of_seed(seed, recipe)
        if len(drawn.instruments) != 1:
            continue
        pose = drawn.instruments[0].pose
        scene = replace(drawn, camera=CLEAN, wear=Wear(), light=Light(), fingers=False, overlay=())
        box = scene.truth().instruments[0].box
        whole = min(box[0], box[1], scene.width - box[2], scene.height - box[3]) > 3
        if whole and pose.tilt_deg < MOST_TILT_DEG and abs(pose.roll_deg) < MOST_ROLL_DEG:
            found.append(Drawn(render(scene), perfect(scene), scene))
    assert len(found) >= 15
    return tuple(found)


def faults_of(pixels: np.ndarray, reading: PhotoReading) -> set[str]:
    return {one.fault for one in advise(photo_of(pixels), reading)}


def share_named(fault: str, spoil: object, drawings: Sequence[Drawn]) -> float:
    named = [fault in faults_of(spoil(number, one.pixels), one.reading) for number, one in enumerate(drawings)]  # type: ignore[operator]
    return sum(named) / len(named)


def test_clean_pictures_are_left_alone() -> None:
    said = {number: faults_of(one.pixels, one.reading) for number, one in enumerate(clean_drawings())}
    assert not {number: faults for number, faults in said.items() if faults}


def test_the_dark() -> None:
    assert share_named("too_dark", lambda _, pixels: (pixels * 0.2).astype(np.uint8), clean_drawings()) == 1.0


def test_blown_out_light_faces() -> None:
    """A dark face stays readable under the same light: only faces that lose their print count."""
    light = [one for one in clean_drawings() if np.median(one.pixels.min(axis=2)) > 110]
    assert len(light) >= 3
    assert share_named("too_bright", lambda _, pixels: np.clip(pixels * 3.0, 0, 255).astype(np.uint8), light) >= 0.8


@pytest.mark.parametrize("level", [0.6, 1.0])
def test_blur(level: float) -> None:
    def spoil(number: int, pixels: np.ndarray) -> np.ndarray:
        return corrupt_photo(np.random.default_rng(number), pixels, "blur", level).picture

    assert share_named("blurred", spoil, clean_drawings()) >= 0.9


def test_the_width_of_an_edge_is_what_it_was_blurred_by() -> None:
    import cv2

    step = np.zeros((200, 200), np.uint8)
    step[:, 100:] = 200
    for sigma in (1.5, 2.5, 4.0):
        measured = edge_width(cv2.GaussianBlur(step, (0, 0), sigma))
        assert measured == pytest.approx(sigma, rel=0.2)
    assert edge_width(np.full((200, 200), 90, np.uint8)) is None


def test_glare_on_the_glass() -> None:
    glazed = [one for one in clean_drawings() if one.reading.instruments[0].kind in ("dial", "digital", "counter")]
    dark = [one for one in glazed if np.median(one.pixels.min(axis=2)) < 190]

    def spoil(number: int, pixels: np.ndarray) -> np.ndarray:
        return corrupt_photo(np.random.default_rng(number), pixels, "glare", 1.0).picture

    assert len(dark) >= 5
    assert share_named("glare", spoil, dark) >= 0.7


def test_small_instruments() -> None:
    import cv2

    for one in clean_drawings()[:6]:
        box = one.reading.instruments[0].box
        scale = 24.0 / max(box[2] - box[0], box[3] - box[1])
        room = np.full((300, 300, 3), 120, np.uint8)
        small = cv2.resize(one.pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        room[50 : 50 + small.shape[0], 60 : 60 + small.shape[1]] = small
        moved = tuple(side * scale + offset for side, offset in zip(box, (60, 50, 60, 50), strict=True))
        reading = one.reading.instruments[0].model_copy(update={"box": moved, "points": EvidencePoints()})
        found = advise(photo_of(room), one.reading.model_copy(update={"instruments": (reading,)}))
        small_one = next(advice for advice in found if advice.fault == "too_small")
        assert float(small_one.measured["pixels"]) == pytest.approx(24, abs=1)


def test_a_dial_cut_off_by_the_border() -> None:
    dials = [one for one in clean_drawings() if one.reading.instruments[0].kind == "dial"]
    for one in dials[:5]:
        box = one.reading.instruments[0].box
        cut = round(box[0] + 0.3 * (box[2] - box[0]))
        pixels = np.ascontiguousarray(one.pixels[:, cut:])
        shifted = tuple(max(side - offset, 0.0) for side, offset in zip(box, (cut, 0, cut, 0), strict=True))
        points = {name: (at[0] - cut, at[1]) if at is not None else None for name, at in one.reading.instruments[0].points}
        reading = one.reading.instruments[0].model_copy(update={"box": shifted, "points": EvidencePoints(**points)})
        found = advise(photo_of(pixels), one.reading.model_copy(update={"instruments": (reading,)}))
        assert [advice.measured for advice in found if advice.fault == "cut_off"] == [{"side": "left"}]


def test_tilt_and_roll_are_those_of_the_drawing() -> None:
    recipe, checked, tilted = load_recipe("close"), 0, 0
    for seed in range(FIRST, FIRST + 90):
        scene = scene_of_seed(seed, recipe)
        if len(scene.instruments) != 1 or scene.truth().instruments[0].fields.kind != "dial":
            continue
        pose = dial_pose(perfect(scene).instruments[0])
        if pose is None:
            continue
        true = scene.instruments[0].pose
        checked += 1
        if true.tilt_deg > 15:
            assert pose.tilt_deg == pytest.approx(true.tilt_deg, abs=14)
        if true.tilt_deg < 30:
            assert pose.roll_deg == pytest.approx(true.roll_deg, abs=6)
        tilted += true.tilt_deg > DEFAULTS.tilt_deg
    assert checked >= 30
    assert tilted >= 1


def test_points_that_tell_no_pose() -> None:
    dial = make_dial(400, 400)
    straight = dial.fields.model_copy(update={"start_angle": 90.0, "end_angle": 270.0})
    mirrored = dial.fields.model_copy(update={"start_angle": 315.0, "end_angle": 45.0})
    assert dial_pose(dial) is not None
    assert dial_pose(dial.model_copy(update={"fields": straight})) is None
    assert dial_pose(dial.model_copy(update={"fields": mirrored})) is None
    assert dial_pose(dial.model_copy(update={"points": EvidencePoints(pivot=(200.0, 200.0))})) is None
    same = EvidencePoints(pivot=(9.0, 9.0), scale_start=(9.0, 9.0), scale_end=(9.0, 9.0))
    assert dial_pose(dial.model_copy(update={"points": same})) is None


def test_nothing_found_and_nothing_opened() -> None:
    photo = photo_of(np.full((300, 400, 3), 12, np.uint8))
    nothing = PhotoReading(photo="a", sha256=None, status="abstained", reason="no instrument was found", weights=WEIGHTS)
    assert [one.fault for one in advise(photo, nothing)] == ["nothing_found", "too_dark"]
    assert advise(photo, nothing.model_copy(update={"status": "error"})) == ()


def test_the_readers_own_doubt_is_passed_on() -> None:
    one = clean_drawings()[0]
    for doubt, fault in (("glare", "glare"), ("blurred", "blurred"), ("too_small", "too_small")):
        reason = f"{DOUBTS[doubt][0]} (a value would be right with a probability of 31% only)"
        instrument = one.reading.instruments[0].model_copy(update={"reason": reason})
        found = advise(photo_of(one.pixels), one.reading.model_copy(update={"instruments": (instrument,)}))
        assert found == (Advice(fault=fault, instrument=1, seen_by_reader=True),)


def test_what_all_instruments_share_is_said_once() -> None:
    pixels = np.full((400, 800, 3), 20, np.uint8)
    pair = tuple(make_dial(400, 400, box=(x, 20.0, x + 360.0, 380.0), points=EvidencePoints()) for x in (20.0, 420.0))
    reading = PhotoReading(photo="a", sha256=None, status="read", instruments=pair, weights=WEIGHTS)
    assert [(one.fault, one.instrument) for one in advise(photo_of(pixels), reading)] == [("too_dark", None)]


boxes = st.tuples(*[st.floats(-1e6, 1e6, allow_nan=False)] * 4)


@settings(max_examples=60, deadline=None)
@given(box=boxes, tip=st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), seed=st.integers(0, 9))
def test_no_box_and_no_point_raises(box: tuple[float, float, float, float], tip: tuple[float, float], seed: int) -> None:
    """Readings come from a model: boxes inside out, outside of the photo or empty are measured as nothing."""
    pixels = np.random.default_rng(seed).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    points = EvidencePoints(pivot=(30.0, 20.0), needle_tip=tip, scale_start=tip, scale_end=(tip[1], tip[0]))
    dial = make_dial(60, 40, box=box, points=points)
    reading = PhotoReading(photo="a", sha256=None, status="read", instruments=(dial,), weights=WEIGHTS)
    for one in advise(photo_of(pixels), reading):
        assert one.fault in FAULTS


def test_a_box_without_pixels_is_not_measured() -> None:
    photo = photo_of(np.zeros((40, 60, 3), np.uint8))
    for box in ((5.0, 5.0, 5.0, 5.0), (70.0, 50.0, 90.0, 80.0), (0.0, 0.0, 2.0, 2.0)):
        assert measure_instrument(photo, make_dial(60, 40, box=box)) is None


def test_without_a_pivot_nothing_is_called_cut_off() -> None:
    display = InstrumentReading(
        kind="digital", box=(0, 0, 60, 40), fields=GaugeFields(kind="digital"), status="abstained", reason="x"
    )
    assert sides_cut(display, 60, 40) == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_advice_has_words(language: str) -> None:
    measured = {"pixels": "12", "wanted": "300", "percent": "4", "degrees": "40", "side": "left"}
    advice = [Advice(fault=fault, instrument=1, measured=measured) for fault in FAULTS]
    for one in view_advice(advice, Words(language)):  # type: ignore[arg-type]
        assert one.title
        assert one.measured
        assert one.change
        assert "{" not in one.title + one.measured + one.change
