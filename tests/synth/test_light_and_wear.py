"""Light, wear, hands and look-alikes: each is seen, each is where it may be, and the same scene gives the same bytes."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from synth.devices import Distractor, ThingKind
from synth.flat import render
from synth.flat.foreground import cast_light
from synth.flat.things import DRAWERS
from synth.fonts import font_path
from synth.models import model_dial
from synth.recipe import CameraOptions, WearOptions, load_recipe
from synth.sample_look import LOOK_ALIKES, THINGS, sample_light, sample_overlay, sample_things, sample_wear
from synth.sampler import sample_scene
from synth.scene import Background, GaugeScene, Light, Placed, PlacedThing, Pose, Wear
from synth.spec import Print

ROOT = Path(__file__).resolve().parents[2]
SIDE = 200
NEUTRAL = Light(shadow=0.0, shade=0.0)
LIGHTS = (
    replace(NEUTRAL, glare=0.8, glare_count=2),
    replace(NEUTRAL, flash=True),
    replace(NEUTRAL, veil=0.4),
    replace(NEUTRAL, ring=1.0),
    replace(NEUTRAL, cast_shadow=0.5),
    replace(NEUTRAL, falloff=0.6),
    replace(NEUTRAL, falloff=0.2, tint=(1.0, 0.9, 0.75)),
    Light(shadow=0.6, shade=0.8),
)
WEARS = (
    Wear(dirt=0.8),
    Wear(scratches=8),
    Wear(fog=0.8),
    Wear(yellowing=0.8),
    Wear(liquid=True),
    Wear(dust=0.8),
    Wear(drops=0.8),
    Wear(rust=0.9),
    Wear(oil=0.9),
    Wear(paint=6),
)


def scene(light: Light = NEUTRAL, wear: Wear = Wear(), seed: int = 3) -> GaugeScene:  # noqa: B008 - frozen
    spec = replace(model_dial(np.random.default_rng(0), "BT-160", 0.4, dark=False), glass=1.0)
    placed = Placed(spec, Pose((SIDE / 2, SIDE / 2), 80))
    return GaugeScene(SIDE, SIDE, seed, Background("black", 1), (placed,), light=light, wear=wear)


PLAIN = scene()
DIGEST = """
import hashlib
from synth.flat import render
from tests.synth.test_light_and_wear import LIGHTS, WEARS, scene
for one in [scene(light) for light in LIGHTS] + [scene(wear=wear) for wear in WEARS]:
    print(hashlib.sha256(render(one).tobytes()).hexdigest())
"""


@pytest.mark.parametrize("light", LIGHTS, ids=str)
def test_every_light_is_seen(light: Light) -> None:
    assert np.abs(render(scene(light)).astype(int) - render(PLAIN)).max() > 8


@pytest.mark.parametrize("wear", WEARS, ids=str)
def test_every_wear_is_seen(wear: Wear) -> None:
    assert np.abs(render(scene(wear=wear)).astype(int) - render(PLAIN)).max() > 8


def test_light_and_wear_are_the_same_in_every_process() -> None:
    script = [sys.executable, "-c", DIGEST]
    other = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    mine = [scene(light) for light in LIGHTS] + [scene(wear=wear) for wear in WEARS]
    assert [hashlib.sha256(render(one).tobytes()).hexdigest() for one in mine] == other


@pytest.mark.parametrize("one", [scene(light) for light in LIGHTS] + [scene(wear=wear) for wear in WEARS])
def test_light_and_wear_leave_the_values_alone(one: GaugeScene) -> None:
    assert one.fields() == PLAIN.fields()


@pytest.mark.parametrize("wear", [Wear(rust=1.0), Wear(oil=1.0)], ids=str)
def test_rust_and_oil_stay_off_the_face(wear: Wear) -> None:
    rows, columns = np.indices((SIDE, SIDE))
    face = np.hypot(rows - SIDE / 2, columns - SIDE / 2) < 80 * 0.8
    for seed in range(4):
        changed = (render(scene(wear=wear, seed=seed)) != render(scene(seed=seed))).any(-1)
        assert changed.any()
        assert not changed[face].any()


def test_paint_stays_near_the_rim() -> None:
    rows, columns = np.indices((SIDE, SIDE))
    middle = np.hypot(rows - SIDE / 2, columns - SIDE / 2) < 80 * 0.7
    for seed in range(4):
        changed = (render(scene(wear=Wear(paint=8), seed=seed)) != render(scene(seed=seed))).any(-1)
        assert changed.any()
        assert not changed[middle].any()


def test_reflections_need_glass() -> None:
    open_face = replace(PLAIN.instruments[0].spec, glass=0.0)  # type: ignore[type-var]
    bare = replace(PLAIN, instruments=(replace(PLAIN.instruments[0], spec=open_face),))
    lit = replace(bare, light=replace(NEUTRAL, veil=0.4, ring=1.0))
    assert np.array_equal(render(bare), render(lit))


def test_a_strong_flash_leaves_most_of_the_face() -> None:
    rows, columns = np.indices((SIDE, SIDE))
    face = np.hypot(rows - SIDE / 2, columns - SIDE / 2) < 70
    for seed in range(8):
        flashed = render(scene(replace(NEUTRAL, flash=True), seed=seed)).astype(int)
        assert (np.abs(flashed - render(scene(seed=seed))).max(-1)[face] > 40).mean() < 0.35


def test_light_falls_off_away_from_its_place() -> None:
    gray = np.full((100, 100, 3), 200, np.uint8)
    lit = cast_light(gray, replace(NEUTRAL, falloff=0.7, falloff_at=(0.2, 0.2), tint=(1.0, 0.9, 0.7))).astype(int)
    assert lit[20, 20].sum() > 1.5 * lit[95, 95].sum()
    assert lit[95, 95, 0] > 1.2 * lit[95, 95, 2]
    assert cast_light(gray, NEUTRAL) is gray


def test_a_hand_is_the_same_in_front_and_behind() -> None:
    held = replace(PLAIN, fingers=True)
    changed = (render(held) != render(PLAIN)).any(-1)
    assert 0.01 < changed.mean() < 0.75
    skin = render(held)[changed].astype(int)
    assert (skin[:, 0] >= skin[:, 2]).mean() > 0.9
    assert np.array_equal(render(held), render(held))


def test_overlays_are_written_sharply_with_fonts_that_exist() -> None:
    rng = np.random.default_rng(1)
    texts = set()
    for _ in range(60):
        for line in sample_overlay(rng, 384):
            font_path(line.font)
            assert 0 < line.x < 384
            assert 0 < line.y < 384
            texts.add(line.text)
    assert any(ord(char) > 0x2E80 for text in texts for char in text)
    assert any("Camera" in text or "CAM" in text for text in texts)
    written = replace(PLAIN, overlay=(Print("12:00", 60, 12, 14, "DejaVuSans.ttf", (250, 250, 250)),))
    changed = (render(written) != render(PLAIN)).any(-1)
    assert changed[:24].any()
    assert not changed[40:].any()


def test_the_sampler_reaches_every_light_and_wear() -> None:
    rng = np.random.default_rng(0)
    lights = [sample_light(rng, WearOptions()) for _ in range(600)]
    wears = [sample_wear(rng, WearOptions()) for _ in range(600)]
    for name in ("glare", "veil", "ring", "falloff", "flash", "cast_shadow"):
        assert any(getattr(one, name) for one in lights), name
    for name in ("dirt", "dust", "drops", "rust", "oil", "paint", "scratches", "fog", "yellowing", "liquid"):
        assert any(getattr(one, name) for one in wears), name
    assert all(0 < min(one.tint) <= max(one.tint) <= 1 for one in lights)
    assert np.median([one.falloff for one in lights]) < 0.3, "most pictures are lit well"


def test_things_have_names_and_drawers() -> None:
    assert set(THINGS) == set(DRAWERS) == set(get_args(ThingKind))
    assert set(LOOK_ALIKES) <= set(DRAWERS)


@pytest.mark.parametrize("kind", LOOK_ALIKES)
def test_look_alikes_differ_by_seed_and_state_nothing(kind: ThingKind) -> None:
    pictures = set()
    for seed in range(4):
        thing = PlacedThing(Distractor(kind, seed), Pose((64, 64), 50))
        blank = GaugeScene(128, 128, 1, Background("black", 1), things=(thing,))
        assert blank.truth().instruments == ()
        picture = render(blank)
        assert picture.max() > 40
        pictures.add(picture.tobytes())
    assert len(pictures) > 1


def test_large_things_are_look_alikes() -> None:
    rng = np.random.default_rng(0)
    large = {one.thing.kind for _ in range(200) for one in sample_things(rng, 384, 1, 0.5, 0.9)}
    assert large == set(LOOK_ALIKES)


def test_blank_scenes_are_drawn_and_empty() -> None:
    recipe = load_recipe("scene").model_copy(update={"empty_share": 1.0, "layout": "scene"})
    for seed in range(12):
        blank = sample_scene(np.random.default_rng(seed), recipe)
        assert blank.truth().instruments == ()
        assert render(blank).shape == (384, 384, 3)


def test_lamps_keep_their_colour_under_every_camera() -> None:
    recipe = load_recipe("close").model_copy(
        update={"kinds": {"lamp": 1.0}, "model_share": 0.0, "camera": CameraOptions(gray=1.0, infrared=1.0)}
    )
    for seed in range(20):
        camera = sample_scene(np.random.default_rng(seed), recipe).camera
        assert not camera.gray
        assert not camera.infrared
