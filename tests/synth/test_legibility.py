"""Legibility: what makes a picture harder to read lowers the score, and what nobody could read is said to be so."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from synth.devices import DigitalSpec
from synth.fingers import covers, finger_rng, sample_fingers
from synth.flat import render
from synth.legibility import READABLE_FROM
from synth.models import model_dial, sample_model
from synth.recipe import load_recipe
from synth.sampler import scene_of_seed
from synth.scene import Background, Camera, GaugeScene, Light, Placed, Pose, Wear
from synth.truth import outline_box
from vision.samples import InstrumentTruth

DIAL = replace(model_dial(np.random.default_rng(0), "XYZ-2000", 0.4, dark=False), hands=())


def clear_scene(radius: float = 150.0, **pose: float) -> GaugeScene:
    return GaugeScene(384, 384, 7, Background("white", 0), (Placed(DIAL, Pose((192.0, 192.0), radius, **pose)),))


def main(scene: GaugeScene) -> InstrumentTruth:
    return scene.truth().instruments[0]


def score(scene: GaugeScene) -> float:
    found = main(scene).legibility
    assert found is not None
    return found


def test_a_clear_picture_scores_full() -> None:
    truth = main(clear_scene())
    assert truth.legibility == pytest.approx(1.0, abs=0.01)
    assert truth.readable


def test_smaller_is_never_easier() -> None:
    scores = [score(clear_scene(radius)) for radius in (150, 80, 50, 35, 25, 18, 12, 7)]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] < 0.05
    assert main(clear_scene(60)).readable
    assert not main(clear_scene(8)).readable


HARDER: dict[str, Callable[[GaugeScene, float], GaugeScene]] = {
    "blur": lambda s, k: replace(s, camera=replace(s.camera, blur_px=14 * k)),
    "motion": lambda s, k: replace(s, camera=replace(s.camera, motion_px=50 * k)),
    "resolution": lambda s, k: replace(s, camera=replace(s.camera, low_side=round(384 * (1 - k) + 16))),
    "dark": lambda s, k: replace(s, camera=replace(s.camera, exposure=1 - 0.99 * k)),
    "bright": lambda s, k: replace(s, camera=replace(s.camera, exposure=1 + 60 * k)),
    "noise": lambda s, k: replace(s, camera=replace(s.camera, noise=300 * k)),
    "contrast": lambda s, k: replace(s, camera=replace(s.camera, contrast=1 - k)),
    "haze": lambda s, k: replace(s, camera=replace(s.camera, haze=k, contrast=1 - 0.6 * k)),
    "fog": lambda s, k: replace(s, wear=replace(s.wear, fog=k, dirt=k, dust=k, drops=k)),
    "glare": lambda s, k: replace(s, light=replace(s.light, glare=k, glare_count=round(4 * k), flash=k > 0.5, veil=k)),
    "tilt": lambda s, k: replace(s, instruments=(Placed(DIAL, replace(s.instruments[0].pose, tilt_y_deg=88 * k)),)),
    "cut": lambda s, k: replace(s, instruments=(Placed(DIAL, replace(s.instruments[0].pose, center=(192 + 330 * k, 192))),)),
}


@pytest.mark.parametrize("name", HARDER)
def test_what_makes_it_harder_lowers_the_score(name: str) -> None:
    scores = [score(HARDER[name](clear_scene(), part)) for part in (0.0, 0.25, 0.5, 0.75, 0.97)]
    assert scores[0] > 0.95
    assert all(later <= earlier + 1e-9 for earlier, later in itertools.pairwise(scores)), scores
    assert scores[-1] < (1.0 if name == "haze" else 0.75) * scores[0]


@pytest.mark.parametrize("name", ["blur", "motion", "resolution", "dark", "bright", "contrast", "tilt", "cut"])
def test_at_its_worst_it_is_unreadable(name: str) -> None:
    truth = main(HARDER[name](clear_scene(), 1.0))
    assert not truth.readable
    assert truth.value is not None, "the truth stays known; that nobody could read it is a mark of its own"


def test_print_of_the_faces_own_colour_is_not_seen() -> None:
    ghost = replace(DIAL, art=replace(DIAL.art, color=DIAL.face_color, numeral_color=None))
    assert not main(replace(clear_scene(), instruments=(Placed(ghost, Pose((192, 192), 150)),))).readable
    no_needle = replace(DIAL, needle=replace(DIAL.needle, color=DIAL.face_color))
    assert not main(replace(clear_scene(), instruments=(Placed(no_needle, Pose((192, 192), 150)),))).readable


def test_red_on_dark_is_lost_in_grey_alone() -> None:
    night = replace(DIAL, face_color=(60, 60, 60), needle=replace(DIAL.needle, color=(150, 28, 28)))
    night = replace(night, art=replace(night.art, color=(240, 240, 240), numeral_color=None))
    colored = replace(clear_scene(), instruments=(Placed(night, Pose((192, 192), 150)),))
    assert score(colored) > 0.5
    assert score(replace(colored, camera=Camera(gray=True))) < 0.15


def test_an_instrument_in_front_hides_the_one_behind() -> None:
    front = Placed(DIAL, Pose((192.0, 192.0), 120))
    beside = Placed(DIAL, Pose((192.0, 192.0), 60))
    near, behind = replace(clear_scene(), instruments=(front, beside)).truth().instruments
    assert near.readable
    assert not behind.readable
    assert behind.legibility == 0.0


def test_fingers_hide_what_they_cover() -> None:
    lower = 0
    for seed in range(30):
        bare = replace(clear_scene(185.0), seed=seed)
        held = replace(bare, fingers=True)
        assert score(held) <= score(bare)
        lower += score(held) < score(bare)
    assert lower > 5


def test_fingers_lie_where_the_truth_says() -> None:
    scene = replace(clear_scene(60.0), fingers=True, seed=3)
    fingers = sample_fingers(finger_rng(scene), 384, 384)
    with_fingers, without = render(scene).astype(int), render(replace(scene, fingers=False)).astype(int)
    changed = np.abs(with_fingers - without).max(axis=-1) > 25
    under = np.array([[any(covers(f, (x, y)) for f in fingers) for x in range(0, 384, 6)] for y in range(0, 384, 6)])
    assert under.sum() > 20
    assert changed[::6, ::6][under].mean() > 0.85, "what the truth holds for hidden is drawn over"


def test_displays_that_show_nothing_are_unreadable() -> None:
    spec = sample_model(np.random.default_rng(3), "DG-30", load_recipe("close"))
    assert isinstance(spec, DigitalSpec)
    scene = replace(clear_scene(), instruments=(Placed(replace(spec, lit=True), Pose((192, 192), 150)),))
    assert main(scene).readable
    dark = replace(scene, instruments=(Placed(replace(spec, lit=False), Pose((192, 192), 150)),))
    assert main(dark).value is None
    assert not main(dark).readable


def test_recipes_draw_mostly_readable_close_ups_and_some_that_are_not() -> None:
    recipe = load_recipe("close")
    truths = [one for seed in range(250) for one in scene_of_seed(seed, recipe).truth().instruments]
    lost = [one for one in truths if not one.readable]
    assert 0.01 < len(lost) / len(truths) < 0.3
    for one in truths:
        assert one.legibility is not None
        assert 0.0 <= one.legibility <= 1.0
        if one.readable:
            assert one.legibility >= READABLE_FROM[one.fields.kind]


def test_light_and_wear_defaults_cost_nothing() -> None:
    scene = replace(clear_scene(), light=Light(), wear=Wear(), camera=Camera())
    assert score(scene) == pytest.approx(1.0, abs=0.01)
    box = outline_box(scene.instruments[0], 384, 384)
    assert box[0] > 0
