"""Clusters, boards and displays in dials: all their needles and digits are in the truth, nothing covers another."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace

import numpy as np
import pytest

from synth.devices import DigitalSpec, LampSpec
from synth.dial import needle_tip, numerals
from synth.flat import render
from synth.recipe import load_recipe
from synth.sample_board import sample_control_panel, sample_lamp_column, sample_stack
from synth.sample_cluster import sample_cluster
from synth.sample_dial import sample_dial
from synth.sample_inner import with_inner
from synth.sample_panel import sample_group
from synth.sampler import scene_of_seed
from synth.scene import Background, GaugeScene, Placed, Pose
from synth.spec import DialSpec
from synth.truth import outline_box
from vision.fields import Box

SCENE = load_recipe("scene")
CLUSTERS = SCENE.model_copy(update={"cluster_share": 1.0, "empty_share": 0.0})
MAKERS = (sample_cluster, sample_control_panel, sample_lamp_column, sample_stack, sample_group)


def overlap(a: Box, b: Box) -> float:
    wide, tall = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    smaller = min((x[2] - x[0]) * (x[3] - x[1]) for x in (a, b))
    return max(0.0, wide) * max(0.0, tall) / max(smaller, 1e-6)


@pytest.mark.parametrize("maker", MAKERS)
def test_instruments_of_a_board_do_not_cover_each_other(maker: object) -> None:
    for seed in range(40):
        placed, panel = maker(np.random.default_rng(seed), SCENE)  # type: ignore[operator]
        assert placed
        level = {"center": (500, 500), "radius_px": 400, "roll_deg": 0, "tilt_x_deg": 0, "tilt_y_deg": 0}
        frontal = [replace(one, pose=replace(one.pose, **level)) for one in placed]
        boxes = [outline_box(one, 1000, 1000) for one in frontal]
        for first in range(len(boxes)):
            for second in range(first + 1, len(boxes)):
                assert overlap(boxes[first], boxes[second]) < 0.04, (seed, first, second)
        for one in placed:
            assert one.pose.center == panel.pose.center
            assert one.pose.roll_deg == panel.pose.roll_deg


def test_every_needle_and_window_of_a_cluster_is_in_the_truth() -> None:
    units, windows, inners = set(), 0, 0
    for seed in range(60):
        placed, panel = sample_cluster(np.random.default_rng(seed), SCENE)
        scene = GaugeScene(384, 384, seed, Background("black", 0), placed, panel=panel)
        truths = scene.truth().instruments
        assert len(truths) == len(placed) >= 2
        for one, truth in zip(placed, truths, strict=True):
            if isinstance(one.spec, DialSpec):
                assert truth.fields.kind == "dial"
                assert truth.fields.scale_fraction == pytest.approx(one.spec.fraction, abs=0.08)
                units.add(truth.fields.unit)
                if truth.fields.unit == "r/min":
                    assert truth.unit == "x1000 r/min"
                if one.spec.inner is not None:
                    inners += 1
                    assert truth.fields.channels[-1].digital_readout == one.spec.inner.digits
                    assert truth.fields.channels[-1].label == "odometer"
            else:
                assert isinstance(one.spec, DigitalSpec)
                assert truth.fields.digital_readout == one.spec.rows[0].digits
                windows += 1
    assert units >= {"mph", "km/h", "r/min", "°C", "°F", None}
    assert windows > 10
    assert inners > 3


def test_kilometres_on_the_inner_ring_agree_with_the_miles() -> None:
    seen = 0
    for seed in range(120):
        for one in sample_cluster(np.random.default_rng(seed), SCENE)[0]:
            if isinstance(one.spec, DialSpec) and one.spec.second is not None:
                miles, kilometres = one.spec.scale, one.spec.second[0]
                assert (miles.unit, kilometres.unit) == ("mph", "km/h")
                for part in (0.25, 0.5, 1.0):
                    value = kilometres.maximum * part
                    angle = kilometres.angle_at(kilometres.fraction_of(value))
                    assert miles.angle_at(miles.fraction_of(value / 1.609344)) == pytest.approx(angle, abs=0.01)
                seen += 1
    assert seen > 10


def test_fuel_counts_from_empty_to_full() -> None:
    found = [
        one.spec
        for seed in range(60)
        for one in sample_cluster(np.random.default_rng(seed), SCENE)[0]
        if isinstance(one.spec, DialSpec) and any(line.text == "FUEL" for line in one.spec.prints)
    ]
    assert found
    for spec in found:
        assert (spec.scale.minimum, spec.scale.maximum, spec.scale.unit) == (0, 1, None)
        assert [n.text for n in numerals(spec.scale, spec.art, spec.pivot)] == ["0", "1"]


def test_clusters_at_night_stand_in_the_dark() -> None:
    nights = 0
    for seed in range(40):
        scene = scene_of_seed(seed, CLUSTERS)
        assert scene.panel is not None
        glowing = any(item.kind == "glow" for item in scene.panel.decor)
        if glowing:
            assert scene.background.style == "black"
            assert not scene.light.flash
            nights += 1
    assert 3 < nights < 30


def test_clusters_are_the_same_every_time() -> None:
    for seed in (5, 6):
        one, two = (hashlib.sha256(render(scene_of_seed(seed, CLUSTERS)).tobytes()).hexdigest() for _ in range(2))
        assert one == two
        assert scene_of_seed(seed, CLUSTERS).truth() == scene_of_seed(seed, CLUSTERS).truth()


def test_clusters_come_in_the_recipes_share() -> None:
    for name in ("scene", "close"):
        share = load_recipe(name).cluster_share
        assert 0 < share <= 0.1
    never = SCENE.model_copy(update={"cluster_share": 0.0, "group_share": 0.0})
    assert all(scene_of_seed(seed, never).panel is None for seed in range(20))


def test_stack_lights_keep_red_above_green() -> None:
    order = {"red": 0, "yellow": 1, "green": 2}
    for seed in range(30):
        placed, _ = sample_stack(np.random.default_rng(seed), SCENE)
        heights = [one.pose.offset[1] for one in placed]
        assert heights == sorted(heights)
        lit = [order[one.spec.state] for one in placed if isinstance(one.spec, LampSpec) and one.spec.state != "off"]
        assert lit == sorted(lit)


def test_a_lit_storey_leaves_its_neighbour_alone() -> None:
    placed, panel = sample_stack(np.random.default_rng(3), SCENE)
    pose = Pose((192, 192), 180)
    specs = [one.spec for one in placed]
    assert all(isinstance(spec, LampSpec) for spec in specs)

    def draw(upper: str) -> np.ndarray:
        states = [replace(specs[0], state=upper, glow=0.9), *(replace(spec, state="off") for spec in specs[1:])]  # type: ignore[type-var, arg-type]
        instruments = tuple(
            Placed(spec, replace(pose, offset=one.pose.offset, scale=one.pose.scale))  # type: ignore[arg-type]
            for spec, one in zip(states, placed, strict=True)
        )
        return render(GaugeScene(384, 384, 1, Background("black", 0), instruments, panel=replace(panel, pose=pose))).astype(float)

    x, y = pose.project([placed[1].pose.offset])[0]
    change = draw("red" if specs[0].state != "green" else "green") - draw("off")  # type: ignore[union-attr]
    assert np.abs(change[int(y) - 4 : int(y) + 5, int(x) - 4 : int(x) + 5]).mean() < 25


def test_displays_in_dials_are_read_and_stay_clear() -> None:
    found = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        dial = sample_dial(rng, SCENE)
        spec = with_inner(rng, dial, 1.0)
        if spec.inner is None:
            assert spec == dial
            continue
        found += 1
        inner = spec.inner
        truth = GaugeScene(384, 384, 0, Background("white", 0), (Placed(spec, Pose((192, 192), 150)),)).truth().instruments[0]
        channel = truth.fields.channels[-1]
        assert (channel.label, channel.digital_readout) == (inner.label, inner.digits)
        for number in numerals(spec.scale, spec.art, spec.pivot):
            assert abs(number.center[0] - inner.x) > inner.half_width or abs(number.center[1] - inner.y) > inner.half_height
        tip = needle_tip(spec.needle, spec.pivot, spec.pointer_deg)
        for step in np.linspace(0, 1, 60).tolist():
            x, y = (spec.pivot[i] + (tip[i] - spec.pivot[i]) * step for i in (0, 1))
            assert abs(x - inner.x) > inner.half_width or abs(y - inner.y) > inner.half_height, seed
        assert math.hypot(abs(inner.x) + inner.half_width, abs(inner.y) + inner.half_height) < 100 - spec.case.bezel
        assert {line.declares for line in spec.prints} == {line.declares for line in dial.prints} or dial.prints == spec.prints
    assert found > 5
