"""The needle's tip in Blender's pictures: found by looking, as in the flat renderer's, and within 0.2 degrees of the label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from synth.blender import BlenderRenderer
from synth.models import model_dial
from synth.sampler import scene_of_seed
from synth.scene import Background, GaugeScene, Placed, Pose
from synth.spec import DialSpec
from tests.synth.blender.scenes import HOME, needs_blender
from tests.synth.test_geometry import SIDE, apart, bare, drawn_angle, recipe_of, studio

pytestmark = [pytest.mark.blender, needs_blender]


@pytest.fixture(scope="module")
def renderer() -> Iterator[BlenderRenderer]:
    with BlenderRenderer(HOME) as made:
        yield made


@pytest.mark.parametrize(
    ("style", "distortion"), [("pressure", 0.0), ("thermometer", -0.1), ("automotive", 0.07), ("panel", 0.0)]
)
def test_the_tip_is_at_the_labelled_angle(renderer: BlenderRenderer, style: str, distortion: float) -> None:
    checked = 0
    for seed in range(9300, 9310):
        scene = scene_of_seed(seed, recipe_of(style))
        spec = scene.instruments[0].spec
        assert isinstance(spec, DialSpec)
        shown = studio(scene, bare(spec), distortion)
        truth = shown.truth().instruments[0]
        seen = drawn_angle(renderer.render(shown), truth, spec.pivot, distortion)
        if seen is None:  # the tip is outside the picture
            continue
        assert truth.fields.pointer_angle is not None
        assert apart(seen, truth.fields.pointer_angle) < 0.2, (style, seed, seen, truth.fields.pointer_angle)
        checked += 1
        if checked == 2:
            return
    pytest.fail(f"only {checked} tips of ten are in the picture")


@pytest.mark.parametrize("tilt", [(40.0, 0.0), (30.0, 35.0)])
def test_a_raised_needle_under_tilt_is_labelled_as_seen(renderer: BlenderRenderer, tilt: tuple[float, float]) -> None:
    spec = bare(model_dial(np.random.default_rng(0), "XYZ-2000", 0.45))
    spec = replace(spec, needle=replace(spec.needle, height=8.0))
    pose = Pose((390.0, 370.0), 300.0, 12.0, *tilt, focal=5.0)
    scene = studio(GaugeScene(SIDE, SIDE, 1, Background("white", 0), (Placed(spec, pose),)), spec)
    truth = scene.truth().instruments[0]
    seen = drawn_angle(renderer.render(scene), truth, spec.pivot, 0.0, tip_from=0.985)
    assert seen is not None
    assert truth.fields.pointer_angle is not None
    assert apart(seen, truth.fields.pointer_angle) < 0.2
