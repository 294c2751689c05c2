"""Boxes of what is no instrument: where scenes show it, what is left out, and that they travel with the truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from synth.devices import Decor, DigitalSpec, Distractor, LampSpec, ThingKind
from synth.flat.render import render
from synth.look_alikes import LEAST_SIDE_PX, look_alikes
from synth.recipe import load_recipe
from synth.sampler import sample_scene, scene_of_seed
from synth.scene import Background, Camera, GaugeScene, Panel, Placed, PlacedThing, Pose
from vision.plane import box_iou
from vision.samples import PhotoTruth, SampleRecord, decode_record, encode_record

MIDDLE = (200.0, 200.0)


def scene_with(kind: ThingKind, center: tuple[float, float] = MIDDLE, radius_px: float = 50.0) -> GaugeScene:
    thing = PlacedThing(Distractor(kind, 3), Pose(center, radius_px))
    return GaugeScene(400, 400, 1, Background("white", 0), things=(thing,))


def test_a_label_is_wider_than_tall() -> None:
    (box,) = look_alikes(scene_with("label"))
    assert box == pytest.approx((150.0, 180.0, 250.0, 220.0), abs=0.1)


@pytest.mark.parametrize("kind", ["button", "bolt", "knob"])
def test_the_box_goes_round_what_is_drawn(kind: ThingKind) -> None:
    scene = scene_with(kind)
    (box,) = look_alikes(scene)
    assert box == pytest.approx((150.0, 150.0, 250.0, 250.0), abs=0.1)
    empty = render(replace(scene, things=())).astype(int)
    changed = np.abs(render(scene).astype(int) - empty).max(2) > 60
    rows, columns = np.nonzero(changed)
    seen = (float(columns.min()), float(rows.min()), float(columns.max() + 1), float(rows.max() + 1))
    assert box_iou(box, seen) > 0.8


def test_what_is_tiny_or_mostly_outside_is_left_out() -> None:
    assert look_alikes(scene_with("button", radius_px=0.4 * LEAST_SIDE_PX)) == ()
    assert look_alikes(scene_with("button", center=(-20.0, 200.0))) == ()
    (cut,) = look_alikes(scene_with("button", center=(20.0, 200.0)))
    assert cut[0] == 0.0
    assert cut[2] == pytest.approx(70.0, abs=0.1)


def test_the_lens_moves_boxes_as_it_moves_pixels() -> None:
    straight = look_alikes(scene_with("button", center=(330.0, 330.0)))[0]
    barrel = look_alikes(replace(scene_with("button", center=(330.0, 330.0)), camera=Camera(distortion=-0.12)))[0]
    assert barrel[0] < straight[0]
    assert barrel[3] < straight[3]


def test_a_panel_has_buttons_screws_and_its_plate_but_no_cables() -> None:
    decor = (Decor("push", 0.0, 0.0, 20.0, (200, 30, 30)), Decor("cable", 50.0, 0.0, 10.0, (0, 0, 0), 60.0))
    panel = Panel(Pose(MIDDLE, 180.0), 100.0, 90.0, (90, 90, 90), (-30.0, 70.0, 30.0, 80.0), (200, 200, 200), (), decor)
    boxes = look_alikes(GaugeScene(400, 400, 1, Background("white", 0), panel=panel))
    assert len(boxes) == 1 + 4 + 1
    assert boxes[0] == pytest.approx((164.0, 164.0, 236.0, 236.0), abs=0.1)
    bare = look_alikes(GaugeScene(400, 400, 1, Background("white", 0), panel=replace(panel, style="bare")))
    assert bare == boxes[:1]


def test_keys_of_a_device_are_named_and_its_own_lamps_are_not() -> None:
    recipe = load_recipe("states_scene")
    for seed in range(200):
        scene = sample_scene(
            np.random.default_rng(seed), recipe.model_copy(update={"kinds": {"digital": 1.0}, "layout": "close"})
        )
        specs = [one.spec for one in scene.instruments if isinstance(one.spec, DigitalSpec) and one.spec.buttons]
        if specs and specs[0].dots and not specs[0].bare:
            break
    else:
        pytest.fail("no device with keys and lamps in 200 scenes")
    alone = replace(scene, things=(), panel=None)
    assert 0 < len(look_alikes(alone)) <= len(specs[0].buttons)
    assert look_alikes(replace(alone, instruments=())) == ()


def test_lamps_and_selectors_are_no_look_alikes_of_themselves() -> None:
    lamp = LampSpec("red", (240, 30, 20), 20.0, (40, 40, 40))
    scene = GaugeScene(400, 400, 1, Background("white", 0), instruments=(Placed(lamp, Pose(MIDDLE, 50.0)),))
    assert look_alikes(scene) == ()


def test_they_travel_with_the_truth_and_old_lines_have_none() -> None:
    found = 0
    for seed in range(12):
        truth = scene_of_seed(seed, load_recipe("states_board")).truth()
        found += len(truth.look_alikes)
        assert all(0 <= x0 < x1 <= 384 and 0 <= y0 < y1 <= 384 for x0, y0, x1, y1 in truth.look_alikes)
        assert decode_record(encode_record(SampleRecord(file_name="a.jpg", truth=truth))).truth == truth
    assert found > 24
    assert PhotoTruth.model_validate({"instruments": []}).look_alikes == ()
