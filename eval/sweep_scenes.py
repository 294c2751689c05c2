"""Drawn dials of which one thing is changed at a time: tilt, light, distance, focus. Seeds of the evaluation range."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Literal

import numpy as np

from synth.recipe import Recipe, load_recipe
from synth.sampler import EVALUATION_SEED, scene_of_seed
from synth.scene import Background, Camera, GaugeScene, Light, Placed, Pose, Wear
from synth.spec import DialSpec

SIDE_PX = 512
DIAL_PX = 330.0
FIRST_SEED = EVALUATION_SEED + 600_000_000
FACES = ("pressure", "thermometer", "panel", "compound", "moving_iron")
BACKGROUNDS: tuple[Literal["wall", "metal", "cabinet", "machinery"], ...] = ("wall", "metal", "cabinet", "machinery")


@cache
def _recipe() -> Recipe:
    close = load_recipe("close")
    styles = {name: weight for name, weight in close.dial_styles.items() if name in FACES}
    changes = {"kinds": {"dial": 1.0}, "dial_styles": styles, "empty_share": 0.0, "cluster_share": 0.0, "group_share": 0.0}
    return close.model_copy(update=changes)


def sweep_dial(number: int) -> DialSpec:
    """The dial of a sweep's number `number`, drawn until its needle stands on the scale."""
    for seed in range(FIRST_SEED + 1000 * number, FIRST_SEED + 1000 * (number + 1)):
        spec = scene_of_seed(seed, _recipe()).instruments[0].spec
        if isinstance(spec, DialSpec) and 0.05 <= spec.fraction <= 0.95:
            return spec
    raise AssertionError(f"no dial with its needle on the scale below seed {seed}")


def dial_scene(number: int, *, tilt_deg: float = 0.0, dial_px: float = DIAL_PX, blur_px: float = 0.0) -> GaugeScene:
    """Dial `number` in plain light, turned away by `tilt_deg` about an axis that is its own, `dial_px` across."""
    rng = np.random.default_rng([FIRST_SEED, number])
    about = float(rng.uniform(0, 2 * math.pi))
    tilt_x, tilt_y = _tilts(tilt_deg, about)
    middle = (SIDE_PX / 2, SIDE_PX / 2)
    spec = sweep_dial(number)
    pose = Pose(middle, dial_px / 2, float(rng.normal(0, 3)), tilt_x, tilt_y)
    return GaugeScene(
        width=SIDE_PX,
        height=SIDE_PX,
        seed=FIRST_SEED + number,
        background=Background(BACKGROUNDS[number % len(BACKGROUNDS)], number),
        instruments=(Placed(spec, pose),),
        light=Light(shadow=0.3, shade=0.2),
        camera=Camera(noise=1.5, blur_px=blur_px, jpeg_quality=90),
    )


def relit(number: int) -> GaugeScene:
    """Dial `number` with the same needle under other light, from another place, before another ground."""
    rng = np.random.default_rng([FIRST_SEED, number, 1])
    base = dial_scene(number)
    (placed,) = base.instruments
    tilt_x, tilt_y = _tilts(float(rng.uniform(0, 18)), float(rng.uniform(0, 2 * math.pi)))
    center = (SIDE_PX * float(rng.uniform(0.44, 0.56)), SIDE_PX * float(rng.uniform(0.44, 0.56)))
    pose = Pose(center, DIAL_PX / 2 * float(rng.uniform(0.75, 1.1)), float(rng.normal(0, 8)), tilt_x, tilt_y)
    light = Light(
        shadow_deg=float(rng.uniform(0, 360)),
        shadow=float(rng.uniform(0.1, 0.6)),
        softness=float(rng.uniform(0.2, 0.9)),
        shade=float(rng.uniform(0, 0.5)),
        glare=float(rng.uniform(0, 0.4)),
        glare_count=1,
        falloff=float(rng.uniform(0, 0.4)),
    )
    return replace(
        base,
        seed=base.seed + 1,
        background=Background(BACKGROUNDS[(number + 1) % len(BACKGROUNDS)], number + 1),
        instruments=(Placed(placed.spec, pose),),
        light=light,
        wear=Wear(dirt=float(rng.uniform(0, 0.2))),
        camera=replace(base.camera, exposure=float(rng.uniform(0.7, 1.3)), noise=3.0),
    )


def own_value(scene: GaugeScene) -> float:
    """What the needle itself stands for, free of the parallax of a raised needle seen from the side."""
    spec = scene.instruments[0].spec
    assert isinstance(spec, DialSpec)
    return spec.scale.value_at(spec.fraction)


def _tilts(tilt_deg: float, about: float) -> tuple[float, float]:
    """Turns about the two axes that together tilt a face by `tilt_deg`, in the direction `about`."""
    # cos(tilt) = cos(x) cos(y): one turn is a part of the tilt, the other makes up the rest.
    first = tilt_deg * math.sin(about)
    rest = math.cos(math.radians(tilt_deg)) / math.cos(math.radians(first))
    second = math.degrees(math.acos(min(1.0, max(-1.0, rest))))
    return first, math.copysign(second, math.cos(about))
