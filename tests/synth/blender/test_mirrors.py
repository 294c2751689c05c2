"""What glass and metal mirror lies where the glass looks, and is as bright as the light says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from synth.blender.geometry import View
from synth.blender.mirrors import TALL, WIDE, Aim, aim_of, rooms
from synth.scene import Light, Pose

VIEW = View(384, 384, 384 * 3.0)
AHEAD = Pose((192, 192), 160, focal=6.0)


def rng(seed: int = 3) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_pane_seen_head_on_looks_back_at_the_camera() -> None:
    aim = aim_of(AHEAD, VIEW)
    assert (aim.x, aim.y) == pytest.approx((0.75 * WIDE, 0.5 * TALL), abs=0.5)
    assert 0.02 * WIDE < aim.half < 0.08 * WIDE
    assert aim_of(None, VIEW)[:2] == pytest.approx(aim[:2], abs=0.5)


@pytest.mark.parametrize("tilt", [10.0, 25.0, 40.0])
def test_a_turned_pane_looks_twice_as_far_aside(tilt: float) -> None:
    up, aside = (aim_of(Pose((192, 192), 60, 0, *t, focal=12.0), View(384, 384, 720.0)) for t in ((tilt, 0.0), (0.0, tilt)))
    assert abs(up.y - TALL / 2) / TALL * 180 == pytest.approx(2 * tilt, abs=0.5)
    assert up.x == pytest.approx(0.75 * WIDE, abs=1)
    assert abs(aside.x - 0.75 * WIDE) / WIDE * 360 == pytest.approx(2 * tilt, abs=0.5)


def test_a_closer_camera_sees_more_of_the_room() -> None:
    near, far = (aim_of(Pose((192, 192), 100, focal=f), View(384, 384, 100 * f)).half for f in (3.2, 12.0))
    assert near > 1.5 * far
    flat = math.atan(1 / 12) / (2 * math.pi) * WIDE
    assert far > flat, "the pane's own curvature adds to it"


def test_rooms_are_bright_where_they_glare() -> None:
    aim = aim_of(AHEAD, VIEW)
    calm, glaring = (rooms(light, aim, rng())[0] for light in (Light(), Light(glare=0.8, glare_count=3)))
    assert calm.shape == (TALL, WIDE, 3)
    assert calm.dtype == np.float32
    assert glaring.max() > 1.5 * calm.max()
    assert (calm >= 0).all()


@pytest.mark.parametrize("light", [Light(veil=0.4), Light(glare=0.8, glare_count=2), Light(flash=True)])
@pytest.mark.parametrize("aim", [aim_of(AHEAD, VIEW), Aim(20.0, 240.0, 45.0), Aim(400.0, 300.0, 30.0)])
def test_reflections_lie_where_the_pane_looks(light: Light, aim: Aim) -> None:
    v, u = np.mgrid[0:TALL, 0:WIDE]
    there = np.maximum(abs((u - aim.x + WIDE / 2) % WIDE - WIDE / 2), abs(v - aim.y)) < 1.2 * aim.half
    for seed in range(6):
        calm, lit = (rooms(one, aim, rng(seed))[0].mean(axis=-1) for one in (Light(), light))
        more = lit - calm * (0.3 + light.veil) / 0.3
        assert more[there].mean() > 3 * max(np.abs(more[~there]).mean(), 1e-4)


def test_metal_does_not_burn_out() -> None:
    for seed in range(5):
        _, metal = rooms(Light(flash=True, glare=1.0, glare_count=3, veil=0.4), aim_of(AHEAD, VIEW), rng(seed))
        assert metal.shape == (TALL // 2, WIDE // 2, 3)
        assert metal.max() <= 2.01
        assert 0.1 < np.median(metal) < 0.8
        assert metal.std() > 0.15, "and shows light and dark"


def test_the_same_seed_gives_the_same_room() -> None:
    light, aim = Light(veil=0.3, glare=0.5, glare_count=2, flash=True), aim_of(AHEAD, VIEW)
    first, again = rooms(light, aim, rng(9)), rooms(light, aim, rng(9))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
