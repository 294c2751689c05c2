"""The flat renderer: the same bytes everywhere, and a picture that shows what the truth says."""

from __future__ import annotations

import hashlib
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from synth import fonts
from synth.devices import Distractor, LampSpec
from synth.errors import FontError
from synth.example import EXAMPLE_NAME, example_scene, write_example
from synth.flat import render
from synth.flat.pen import Pen
from synth.flat.segments import LIT, draw_segments, text_extent
from synth.flat.things import KINDS, draw_thing
from synth.models import model_dial
from synth.recipe import load_recipe
from synth.sampler import sample_scene
from synth.scene import Background, Camera, GaugeScene, Light, Placed, Pose

ROOT = Path(__file__).resolve().parents[2]
DIGEST = """
import hashlib, numpy as np
from synth.sampler import load_recipe, sample_scene
from synth.flat import render
for name in ("close", "scene"):
    for seed in (1, 2, 3):
        print(hashlib.sha256(render(sample_scene(np.random.default_rng(seed), load_recipe(name))).tobytes()).hexdigest())
"""


def test_same_seed_same_bytes_across_processes() -> None:
    script = [sys.executable, "-c", DIGEST]
    other = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    mine = [
        hashlib.sha256(render(sample_scene(np.random.default_rng(seed), load_recipe(name))).tobytes()).hexdigest()
        for name in ("close", "scene")
        for seed in (1, 2, 3)
    ]
    assert mine == other
    assert len(set(mine)) == len(mine)


def test_order_of_rendering_does_not_matter() -> None:
    recipe = load_recipe("close")
    first, second = (sample_scene(np.random.default_rng(seed), recipe) for seed in (11, 12))
    alone = render(second)
    render(first)
    assert np.array_equal(render(second), alone)


@pytest.mark.parametrize("name", ["close", "scene", "xyz2000"])
def test_pictures_have_the_recipes_shape(name: str) -> None:
    recipe = load_recipe(name)
    picture = render(sample_scene(np.random.default_rng(5), recipe))
    assert picture.shape == (recipe.size, recipe.size, 3)
    assert picture.dtype == np.uint8
    assert picture.flags.c_contiguous


def plain(fraction: float) -> GaugeScene:
    spec = model_dial(np.random.default_rng(0), "BT-160", fraction, dark=False)
    needle = replace(
        spec.needle,
        color=(255, 0, 0),
        hub_color=(255, 0, 0),
        tail=0.0,
        tail_shape="none",
        shape="taper",
        width=6,
        tip_width=4,
        cap=0,
    )
    spec = replace(spec, needle=needle, glass=0.0, prints=(), face_color=(240, 240, 240))
    return GaugeScene(
        384, 384, 3, Background("white", 0), (Placed(spec, Pose((192, 192), 170)),), light=Light(shadow=0.0, shade=0.0)
    )


@pytest.mark.parametrize("fraction", [0.0, 0.21, 0.5, 0.83, 1.0])
def test_the_needle_is_drawn_where_the_truth_says(fraction: float) -> None:
    scene = plain(fraction)
    truth = scene.truth().instruments[0]
    picture = render(scene).astype(int)
    red = (picture[..., 0] > 150) & (picture[..., 1] < 90) & (picture[..., 2] < 90)
    ys, xs = np.nonzero(red)
    assert truth.points.pivot is not None
    assert truth.points.needle_tip is not None
    away = np.hypot(xs - truth.points.pivot[0], ys - truth.points.pivot[1])
    far = away > 0.6 * away.max()
    seen = math.degrees(math.atan2(-(xs[far] - truth.points.pivot[0]).mean(), (ys[far] - truth.points.pivot[1]).mean())) % 360
    assert seen == pytest.approx(truth.fields.pointer_angle, abs=0.7)
    assert away.max() == pytest.approx(math.dist(truth.points.needle_tip, truth.points.pivot), abs=2.5)


def test_a_tilted_needle_lies_between_its_points() -> None:
    scene = plain(0.7)
    scene = replace(scene, instruments=(replace(scene.instruments[0], pose=Pose((192, 192), 165, 12, 25, -30, 4)),))
    points = scene.truth().instruments[0].points
    assert points.needle_tip is not None
    assert points.pivot is not None
    picture = render(scene).astype(int)
    x, y = (0.75 * np.array(points.needle_tip) + 0.25 * np.array(points.pivot)).round().astype(int)
    assert picture[y, x, 0] > 150
    assert picture[y, x, 1] < 120


@pytest.mark.parametrize(("state", "channel"), [("red", 0), ("green", 1)])
def test_a_lit_lamp_has_its_colour(state: str, channel: int) -> None:
    lens = {"red": (240, 35, 25), "green": (40, 215, 70)}[state]
    spec = LampSpec(state, lens, 12, (150, 150, 150))  # type: ignore[arg-type]
    picture = render(GaugeScene(200, 200, 1, Background("plain", 3), (Placed(spec, Pose((100, 100), 80)),)))
    ring = picture[100, 140].astype(int)
    assert ring[channel] == max(ring)
    dark = render(GaugeScene(200, 200, 1, Background("plain", 3), (Placed(replace(spec, state="off"), Pose((100, 100), 80)),)))
    assert dark[100, 140].astype(int).sum() < ring.sum()


def test_every_digit_has_its_own_segments() -> None:
    pictures = set()
    for char in "0123456789-":
        pen = Pen(60, 100)
        draw_segments(pen, char, 10, 10, 70, 0.12, 0.01, 0.1, (0, 0, 0), 1.0)
        pictures.add(pen.pixels.tobytes())
    assert len(pictures) == 11
    assert len({LIT["0123456789"[i]] for i in range(10)}) == 10
    assert text_extent("12.3", 0.1) == pytest.approx(text_extent("123", 0.1)), "a point takes no cell"


@pytest.mark.parametrize("kind", KINDS)
def test_every_distractor_is_drawn(kind: str) -> None:
    pen = Pen(96, 96)
    draw_thing(pen, Distractor(kind, 5), Pose((48, 48), 40))  # type: ignore[arg-type]
    assert pen.pixels[..., :3].any()


def test_camera_settings_change_the_picture() -> None:
    scene = plain(0.4)
    plain_picture = render(scene)
    for camera in (
        Camera(exposure=0.4),
        Camera(blur_px=2.0),
        Camera(motion_px=7, motion_deg=30),
        Camera(low_side=120),
        Camera(noise=6),
        Camera(jpeg_quality=25),
        Camera(gray=True),
        Camera(vignette=0.4),
        Camera(sharpen=0.6),
        Camera(white_balance=(1.1, 1.0, 0.9)),
    ):
        picture = render(replace(scene, camera=camera))
        assert picture.shape == plain_picture.shape
        assert not np.array_equal(picture, plain_picture), camera
    gray = render(replace(scene, camera=Camera(gray=True)))
    assert np.array_equal(gray[..., 0], gray[..., 2])


def test_missing_font_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    fonts.font_path.cache_clear()
    monkeypatch.setitem(fonts.PACKAGES, "Lato-Bold.ttf", ("no_such_font_module", "font-lato"))
    with pytest.raises(FontError, match="pip install font-lato"):
        fonts.check_fonts()
    with pytest.raises(FontError, match="unknown font"):
        fonts.font_path("Comic.ttf")
    fonts.font_path.cache_clear()


def test_all_fonts_are_there() -> None:
    fonts.check_fonts()


def test_example_can_be_rebuilt(tmp_path: Path) -> None:
    picture, truth = write_example(tmp_path)
    assert picture.stat().st_size < 150_000
    shipped = ROOT / "synth" / "examples"
    assert truth.read_text(encoding="utf-8") == (shipped / f"{EXAMPLE_NAME}.json").read_text(encoding="utf-8")
    assert example_scene().width >= 640
    assert (shipped / f"{EXAMPLE_NAME}.jpg").stat().st_size < 150_000
