"""The truth of scenes: fields, values, boxes and points agree with each other and with the contract."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from synth.devices import CounterSpec, DigitalSpec
from synth.example import EXAMPLE_ANGLE_DEG, example_scene
from synth.lens import bend
from synth.models import MODELS, model_dial, sample_model
from synth.printed import printed_units
from synth.recipe import Recipe, load_recipe
from synth.sampler import sample_scene
from synth.scene import Background, Camera, GaugeScene, Placed, Pose
from synth.spec import DialSpec, Print
from vision.fields import angle_fraction, fields_value
from vision.samples import InstrumentTruth
from vision.units import split_multiplier

CLOSE, SCENE, PANEL = load_recipe("close"), load_recipe("scene"), load_recipe("xyz2000")


def scenes(recipe: Recipe, count: int, first: int = 0) -> Iterator[GaugeScene]:
    for seed in range(first, first + count):
        yield sample_scene(np.random.default_rng(seed), recipe)


def instruments(recipe: Recipe, count: int) -> Iterator[tuple[Placed, InstrumentTruth, GaugeScene]]:
    for scene in scenes(recipe, count):
        for placed, truth in zip(scene.instruments, scene.truth().instruments, strict=True):
            yield placed, truth, scene


def flat_scene(spec: DialSpec, pose: Pose) -> GaugeScene:
    return GaugeScene(384, 384, 1, Background("white", 0), (Placed(spec, pose),))


@pytest.mark.parametrize("recipe", [CLOSE, SCENE, PANEL], ids=lambda r: r.name)
def test_dials_agree_with_themselves(recipe: Recipe) -> None:
    seen = 0
    for placed, truth, _ in instruments(recipe, 160):
        fields = truth.fields
        if fields.kind != "dial":
            continue
        seen += 1
        assert isinstance(placed.spec, DialSpec)
        assert fields.pointer_angle is not None
        assert fields.start_angle is not None
        assert fields.end_angle is not None
        assert fields.clockwise is not None
        assert fields.scale_fraction is not None
        back = angle_fraction(fields.pointer_angle, fields.start_angle, fields.end_angle, fields.clockwise)
        assert back == pytest.approx(fields.scale_fraction, abs=1e-4)
        assert truth.value is not None
        assert truth.value_low is not None
        assert truth.value_high is not None
        assert truth.value_low < truth.value < truth.value_high
        assert fields.scale_max is not None
        assert fields.scale_min is not None
        assert fields.scale_min < fields.scale_max
        if fields.scale_points:
            values = [p.value for p in fields.scale_points]
            angles = [
                angle_fraction(p.angle, fields.start_angle, fields.end_angle, fields.clockwise) for p in fields.scale_points
            ]
            assert values == sorted(values)
            assert angles[1:-1] == sorted(angles[1:-1])
            near = np.interp(min(max(fields.scale_fraction, 0), 1), [0, *angles[1:-1], 1], values)
            assert abs(near - truth.value) < 0.2 * (values[-1] - values[0])
        else:
            assert fields_value(fields) == pytest.approx(truth.value, abs=1e-4 * (fields.scale_max - fields.scale_min))
    assert seen > 70


def test_units_and_multipliers_of_the_value() -> None:
    for _, truth, _ in instruments(CLOSE, 600):
        if truth.unit is None:
            assert truth.fields.unit is None
            continue
        factor, unit = split_multiplier(truth.unit)
        assert unit == truth.fields.unit
        assert factor == pytest.approx(truth.fields.scale_multiplier or 1.0)


@pytest.mark.parametrize("recipe", [CLOSE, SCENE, PANEL], ids=lambda r: r.name)
def test_boxes_lie_inside_the_picture(recipe: Recipe) -> None:
    for _, truth, scene in instruments(recipe, 160):
        x0, y0, x1, y1 = truth.box
        assert 0 <= x0 < x1 <= scene.width
        assert 0 <= y0 < y1 <= scene.height


def test_close_pictures_are_filled() -> None:
    shares = []
    for _, truth, scene in instruments(CLOSE, 200):
        x0, y0, x1, y1 = truth.box
        shares.append(max(x1 - x0, y1 - y0) / scene.width)
    assert np.median(shares) > 0.6


@pytest.mark.parametrize("angle_step", [0, 3, 7])
def test_points_of_an_untilted_dial(angle_step: int) -> None:
    rng = np.random.default_rng(angle_step)
    spec = replace(model_dial(rng, "BT-160", angle_step / 8), hands=())
    truth = flat_scene(spec, Pose((200.0, 180.0), 150.0)).truth().instruments[0]
    points = truth.points
    assert points.needle_tip is not None
    assert points.pivot is not None
    assert points.scale_start is not None
    assert points.pivot == pytest.approx((200, 180))
    dx, dy = points.needle_tip[0] - points.pivot[0], points.needle_tip[1] - points.pivot[1]
    seen = math.degrees(math.atan2(-dx, dy)) % 360
    assert seen == pytest.approx(truth.fields.pointer_angle)
    dx, dy = points.scale_start[0] - points.pivot[0], points.scale_start[1] - points.pivot[1]
    assert math.degrees(math.atan2(-dx, dy)) % 360 == pytest.approx(45)
    assert math.hypot(dx, dy) == pytest.approx(1.5 * spec.art.radius)
    assert truth.box == pytest.approx((50, 30, 350, 330), abs=12)


def test_roll_turns_points_but_not_fields() -> None:
    spec = model_dial(np.random.default_rng(0), "BT-160", 0.5)
    straight = flat_scene(spec, Pose((192, 192), 150)).truth().instruments[0]
    rolled = flat_scene(spec, Pose((192, 192), 150, roll_deg=90)).truth().instruments[0]
    assert straight.fields == rolled.fields
    assert straight.points.needle_tip is not None
    assert rolled.points.needle_tip is not None
    up, right = straight.points.needle_tip, rolled.points.needle_tip
    assert up[1] < 192, "half way of the scale is up"
    assert right[0] > 192, "a quarter turn clockwise brings it to the right"
    assert right == pytest.approx((192 + (192 - up[1]), 192 + (up[0] - 192)), abs=1e-6)


def test_homography_of_tilt_keeps_lines_and_centre() -> None:
    pose = Pose((100, 120), 80, 10, 35, -20, 5)
    assert pose.project([(0.0, 0.0)])[0] == pytest.approx((100, 120))
    a, b, c = (np.array(p) for p in pose.project([(-50.0, -30.0), (0.0, 0.0), (50.0, 30.0)]))
    assert np.cross(np.append(b - a, 0), np.append(c - a, 0))[2] == pytest.approx(0, abs=1e-6)
    assert pose.tilt_deg == pytest.approx(math.degrees(math.acos(math.cos(math.radians(35)) * math.cos(math.radians(20)))))
    near, far = Pose((0, 0), 100).project([(50.0, 0.0)], 20)[0], Pose((0, 0), 100).project([(50.0, 0.0)])[0]
    assert near[0] > far[0], "what is nearer looks larger"


def test_parallax_moves_the_label_and_widens_the_interval() -> None:
    spec = model_dial(np.random.default_rng(0), "XYZ-2000", 0.5)
    flat = flat_scene(spec, Pose((192, 192), 150)).truth().instruments[0]
    tilted = flat_scene(spec, Pose((192, 192), 150, tilt_y_deg=40)).truth().instruments[0]
    assert flat.value is not None
    assert flat.value_low is not None
    assert flat.value_high is not None
    assert tilted.value is not None
    assert tilted.value_low is not None
    assert tilted.value_high is not None
    assert flat.value == pytest.approx(60)
    assert flat.true_pointer_angle == flat.fields.pointer_angle == 180
    assert flat.value_high - 60 == pytest.approx(max(1.0, 1.2))
    assert tilted.true_pointer_angle == 180
    assert tilted.fields.pointer_angle is not None
    assert 0.5 < abs(tilted.fields.pointer_angle - 180) < 5, "a raised needle is seen beside its place"
    assert tilted.value == pytest.approx((tilted.fields.pointer_angle - 30) / 2.5, abs=1e-3)
    assert tilted.value_low < min(60, tilted.value), "the interval holds what the needle itself stands for"
    assert tilted.value_high > max(60, tilted.value)
    assert tilted.value_high - tilted.value_low > flat.value_high - flat.value_low


def test_parallax_vanishes_with_the_needle_on_the_face() -> None:
    spec = model_dial(np.random.default_rng(0), "XYZ-2000", 0.3)
    low = replace(spec, needle=replace(spec.needle, height=0.0), hands=())
    truth = flat_scene(low, Pose((192, 192), 150, 5, 30, 30)).truth().instruments[0]
    assert truth.fields.pointer_angle == pytest.approx(truth.true_pointer_angle, abs=2e-3)


@pytest.mark.parametrize("distortion", [-0.08, 0.0, 0.06])
def test_points_follow_the_lens(distortion: float) -> None:
    spec = model_dial(np.random.default_rng(0), "XYZ-2000", 0.3)
    scene = flat_scene(spec, Pose((150, 220), 140, 5, 20, -10))
    straight = scene.truth().instruments[0]
    bent = replace(scene, camera=Camera(distortion=distortion)).truth().instruments[0]
    assert bent.fields == straight.fields
    assert bent.homography == straight.homography
    for name in ("needle_tip", "pivot", "scale_start", "scale_end"):
        ideal, seen = getattr(straight.points, name), getattr(bent.points, name)
        assert seen == pytest.approx(bend([ideal], distortion, 384, 384)[0])
    for ideal_number, seen_number in zip(straight.numerals, bent.numerals, strict=True):
        assert seen_number.center == pytest.approx(bend([ideal_number.center], distortion, 384, 384)[0])
    assert all(abs(a - b) < 12 for a, b in zip(bent.box, straight.box, strict=True))
    assert (bent.box != straight.box) == (distortion != 0.0)


def test_homography_maps_the_face_to_the_picture() -> None:
    for placed, truth, scene in instruments(SCENE, 40):
        assert truth.homography is not None
        matrix = np.array(truth.homography).reshape(3, 3)
        assert matrix[2, 2] == pytest.approx(1)
        if isinstance(placed.spec, DialSpec) and truth.points.pivot is not None:
            x, y, w = matrix @ np.array([*placed.spec.pivot, 1.0])
            seen = bend([(x / w, y / w)], scene.camera.distortion, scene.width, scene.height)[0]
            assert seen == pytest.approx(truth.points.pivot)


def line(text: str, **more: Any) -> Print:
    return Print(text, **({"x": 0.0, "y": 30.0, "size": 10.0, "font": "DejaVuSans.ttf", "color": (0, 0, 0)} | more))


def test_units_are_where_they_are_printed() -> None:
    prints = (
        line("PSI", y=-20.0, declares="psi", declares_second=True),
        line("MPa", declares="MPa"),
        line("CL 1.6"),
        line("bar", declares="bar", symbol="sun"),
    )
    spec = replace(model_dial(np.random.default_rng(0), "XYZ-2000", 0.3), prints=prints)
    pose = Pose((200, 180), 150, roll_deg=20)
    truth = flat_scene(spec, pose).truth().instruments[0]
    assert [(u.text, u.unit, u.primary) for u in truth.units] == [("MPa", "MPa", True), ("PSI", "psi", False)]
    first = truth.units[0]
    assert first.center == pytest.approx(pose.project([(0.0, 30.0)])[0])
    assert first.height_px == pytest.approx(0.72 * 10 * 1.5, rel=0.01)
    assert first.angle_deg == pytest.approx(20, abs=0.2)


def test_units_on_a_curve_stand_on_it() -> None:
    pose = Pose((192, 192), 150)
    for angle_deg, turn in ((180.0, 0.0), (0.0, 0.0), (270.0, 90.0), (150.0, -30.0), (30.0, 30.0)):
        curved = line("bar", x=0.0, y=0.0, curve=50.0, angle_deg=angle_deg, declares="bar")
        unit = printed_units(pose.project, [curved])[0]
        assert math.dist(unit.center, (192, 192)) == pytest.approx(75, abs=0.5)
        assert (unit.angle_deg - turn + 180) % 360 - 180 == pytest.approx(0, abs=0.5)


def test_example_reads_as_the_manual_says() -> None:
    dial, lamp, selector = example_scene().truth().instruments
    assert dial.fields.pointer_angle == pytest.approx(EXAMPLE_ANGLE_DEG, abs=1e-3)
    assert dial.value == pytest.approx((EXAMPLE_ANGLE_DEG - 30) / 2.5)
    assert dial.unit == "MPa"
    assert lamp.fields.warning_light_color == "red"
    assert selector.fields.mode_dial_position == 3
    assert {i.instrument_model for i in (dial, lamp, selector)} == {"XYZ-2000"}


def test_displays_show_their_digits() -> None:
    for placed, truth, _ in instruments(CLOSE, 600):
        if isinstance(placed.spec, DigitalSpec):
            main = placed.spec.main
            if not placed.spec.lit or main is None:
                assert truth.fields.digital_readout is None
                assert truth.value is None
                continue
            assert truth.fields.digital_readout == main.digits
            assert truth.value == float(main.digits)
            assert [c.digital_readout for c in truth.fields.channels] == [r.digits for r in placed.spec.others]
        elif isinstance(placed.spec, CounterSpec):
            assert truth.fields.digital_readout == placed.spec.readout
            assert truth.fields.digital_readout.replace(".", "") == placed.spec.digits


def test_empty_pictures_have_no_instruments() -> None:
    empty = [s for s in scenes(SCENE, 400) if not s.instruments]
    assert 12 <= len(empty) <= 60
    assert all(s.truth().instruments == () for s in empty)
    assert any(s.things for s in empty), "empty pictures still hold look-alikes"


def test_every_kind_and_model_is_drawn() -> None:
    kinds = {t.fields.kind for _, t, _ in instruments(CLOSE, 500)}
    assert kinds == {"dial", "digital", "counter", "lamp", "selector"}
    models = {t.instrument_model for _, t, _ in instruments(CLOSE, 1000)}
    assert models == {None, *MODELS}


@pytest.mark.parametrize("name", MODELS)
def test_models_state_their_name(name: str) -> None:
    spec = sample_model(np.random.default_rng(3), name, CLOSE)
    assert spec.model == name
    assert any(name in line.text for line in spec.prints)


def test_distribution_covers_the_circle() -> None:
    angles, fractions, states, positions, units = [], [], [], [], []
    for _, truth, _ in instruments(CLOSE, 1800):
        fields = truth.fields
        if fields.kind == "dial":
            angles.append(fields.pointer_angle)
            fractions.append(fields.scale_fraction)
            units.append(fields.unit)
        elif fields.kind == "lamp":
            states.append(fields.warning_light_color)
        elif fields.kind == "selector":
            positions.append(fields.mode_dial_position)
    counts, _ = np.histogram(np.array(angles, float), bins=12, range=(0, 360))
    assert counts.min() > 0.005 * len(angles), f"needle angles leave a gap: {counts}"
    inside, _ = np.histogram(np.array(fractions, float), bins=5, range=(0, 1))
    assert inside.min() > 0.1 * len(fractions)
    assert set(states) == {"red", "yellow", "green", "off"}
    assert set(positions) == {1, 2, 3, 4, 5}
    assert 0.05 < units.count(None) / len(units) < 0.2
    assert len(set(units)) > 20


def test_main_instrument_comes_first() -> None:
    for scene in scenes(SCENE, 150):
        boxes = [t.box for t in scene.truth().instruments]
        areas = [(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in boxes]
        if len(areas) > 1:
            assert areas[0] > 0.35 * max(areas)
        for first, second in itertools.combinations(boxes, 2):
            wide = min(first[2], second[2]) - max(first[0], second[0])
            tall = min(first[3], second[3]) - max(first[1], second[1])
            smaller = min((b[2] - b[0]) * (b[3] - b[1]) for b in (first, second))
            assert wide <= 0 or tall <= 0 or wide * tall <= 0.35 * smaller, "only what a steep panel shifts before each other"


def test_numerals_of_the_primary_scale_are_in_order() -> None:
    for placed, truth, _ in instruments(CLOSE, 200):
        if isinstance(placed.spec, DialSpec):
            values = [n.value for n in truth.numerals]
            assert values == sorted(values)
            assert len(values) >= 2
            for number in truth.numerals:
                assert abs(float(number.text.replace(",", "."))) == pytest.approx(abs(number.value), abs=1e-6)
