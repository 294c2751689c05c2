"""Draws scenes: `sample_scene(rng, recipe)` is the only place where chance enters a picture's truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from synth import models
from synth.devices import InstrumentSpec, LampSpec, SelectorSpec
from synth.draw import Rng, between, chance, pick, weighted
from synth.recipe import Recipe, load_recipe, recipe_names
from synth.sample_cluster import in_the_dark, sample_cluster
from synth.sample_dial import sample_dial
from synth.sample_digital import sample_digital
from synth.sample_inner import with_inner
from synth.sample_look import (
    sample_background,
    sample_camera,
    sample_light,
    sample_overlay,
    sample_pose,
    sample_things,
    sample_wear,
)
from synth.sample_other import sample_counter, sample_lamp, sample_selector
from synth.sample_panel import sample_group, sample_panel
from synth.scene import GaugeScene, Panel, Placed, PlacedThing, Pose
from synth.spec import Vec
from synth.systematic import panel_state, set_panel
from synth.truth import outline_box
from vision.fields import Box

__all__ = ["EVALUATION_SEED", "load_recipe", "recipe_names", "sample_scene", "scene_of_seed"]

EVALUATION_SEED = 10**9
"""Seeds from here on are for evaluation; training never draws them."""


def scene_of_seed(seed: int, recipe: Recipe) -> GaugeScene:
    """The scene that a seed stands for under a recipe."""
    rng = np.random.default_rng(seed)
    if recipe.systematic:
        placed, panel = sample_panel(rng, recipe)
        return _finish(rng, recipe, set_panel(rng, placed, panel_state(seed)), panel)
    return sample_scene(rng, recipe)


def sample_scene(rng: Rng, recipe: Recipe) -> GaugeScene:
    """A random scene of the recipe."""
    if recipe.layout == "panel":
        return _finish(rng, recipe, *sample_panel(rng, recipe))
    if chance(rng, recipe.empty_share):
        return _empty(rng, recipe)
    if chance(rng, recipe.cluster_share):
        placed, panel = sample_cluster(rng, recipe)
        return in_the_dark(_finish(rng, recipe, reading_order(placed, recipe.size), panel, 0))
    if chance(rng, recipe.group_share):
        placed, panel = sample_group(rng, recipe)
        return _finish(rng, recipe, reading_order(placed, recipe.size), panel, int(rng.integers(0, 4)))
    return _close(rng, recipe) if recipe.layout == "close" else _scene(rng, recipe)


def _instrument(rng: Rng, recipe: Recipe) -> InstrumentSpec:
    if chance(rng, recipe.model_share):
        return models.sample_model(rng, pick(rng, models.MODELS), recipe)
    kind = weighted(rng, recipe.kinds)
    if kind == "dial":
        return with_inner(rng, sample_dial(rng, recipe))
    if kind == "digital":
        return sample_digital(rng)
    if kind == "counter":
        return sample_counter(rng)
    return sample_lamp(rng) if kind == "lamp" else sample_selector(rng)


def _finish(rng: Rng, recipe: Recipe, instruments: Sequence[Placed], panel: Panel | None = None, things: int = 0) -> GaugeScene:
    """Add everything around the instruments: background, look-alikes, light, wear, camera."""
    background = sample_background(rng, recipe)
    clean = background.style in ("white", "black")
    camera = sample_camera(rng, recipe.camera, recipe.size)
    colored = any(isinstance(one.spec, LampSpec) for one in instruments)  # a grey photo does not show a lamp's colour
    return GaugeScene(
        width=recipe.size,
        height=recipe.size,
        seed=int(rng.integers(2**62)),
        background=background,
        instruments=tuple(instruments),
        things=sample_things(rng, recipe.size, 0 if clean else things),
        panel=panel,
        light=sample_light(rng, recipe.wear),
        wear=sample_wear(rng, recipe.wear),
        camera=replace(camera, gray=camera.gray and not colored, infrared=camera.infrared and not colored),
        fingers=chance(rng, recipe.wear.fingers),
        overlay=sample_overlay(rng, recipe.size) if chance(rng, recipe.camera.overlay) else (),
    )


def _empty(rng: Rng, recipe: Recipe) -> GaugeScene:
    """Background, clutter and look-alikes: often one large clock, wheel or lid where an instrument would be."""
    scene = _finish(rng, recipe, (), None, int(rng.integers(0, 7)))
    if not chance(rng, 0.5):
        return scene
    big = sample_things(rng, recipe.size, 1, 0.5, 0.9)[0]
    center = (recipe.size * between(rng, 0.4, 0.6), recipe.size * between(rng, 0.4, 0.6))
    pose = Pose(center, big.pose.radius_px, big.pose.roll_deg, big.pose.tilt_x_deg, big.pose.tilt_y_deg)
    return replace(scene, things=(*scene.things, PlacedThing(big.thing, pose)))


def _close(rng: Rng, recipe: Recipe) -> GaugeScene:
    spec = _instrument(rng, recipe)
    size = recipe.size
    fill = between(rng, *recipe.fill) if chance(rng, 0.92) else between(rng, recipe.fill[1], 1.1)
    slack = 0.04 if chance(rng, 0.75) else max(0.04, 0.45 * (1 - fill))
    center = (size * (0.5 + between(rng, -slack, slack)), size * (0.5 + between(rng, -slack, slack)))
    small = isinstance(spec, (LampSpec, SelectorSpec))
    radius = 0.5 * size * fill * (0.85 if small else 1.0)
    pose = sample_pose(rng, recipe.pose, center, radius)
    return _finish(rng, recipe, (Placed(spec, pose),), None, int(rng.integers(0, 4)))


def _overlap(first: Box, second: Box) -> float:
    """Intersection over the smaller box."""
    wide = min(first[2], second[2]) - max(first[0], second[0])
    tall = min(first[3], second[3]) - max(first[1], second[1])
    if wide <= 0 or tall <= 0:
        return 0.0
    smaller = min((b[2] - b[0]) * (b[3] - b[1]) for b in (first, second))
    return wide * tall / max(smaller, 1e-6)


def _scene(rng: Rng, recipe: Recipe) -> GaugeScene:
    size = recipe.size
    count = 1 + int(rng.choice(len(recipe.count_weights), p=np.array(recipe.count_weights) / sum(recipe.count_weights)))
    low, high = recipe.fill
    placed: list[Placed] = []
    boxes: list[Box] = []
    for index in range(count):
        spec = _instrument(rng, recipe)
        for _ in range(8):
            top = high if count == 1 else high * (0.62 if index == 0 else 0.4)
            fill = math.exp(between(rng, math.log(max(low, 0.14 if index == 0 else low)), math.log(top)))
            if count == 1 and chance(rng, 0.6):  # people photograph what they want to read
                fill = between(rng, 0.4, top)
            if isinstance(spec, (LampSpec, SelectorSpec)):
                fill = max(low, fill * 0.45)
            room = max(0.0, 0.5 - 0.5 * fill)
            center: Vec = (size * (0.5 + between(rng, -room, room)), size * (0.5 + between(rng, -room, room)))
            one = Placed(spec, sample_pose(rng, recipe.pose, center, 0.5 * size * fill))
            box = outline_box(one, size, size)
            inside = (box[2] - box[0]) * (box[3] - box[1]) > 16 and all(_overlap(box, other) < 0.03 for other in boxes)
            if inside:
                placed.append(one)
                boxes.append(box)
                break
    return _finish(rng, recipe, reading_order(placed, size), None, int(rng.integers(0, 7)))


def reading_order(placed: Sequence[Placed], size: int) -> list[Placed]:
    """Main instrument first (large and central), the rest by rows from the top left."""
    if not placed:
        return []

    def box_of(one: Placed) -> Box:
        return outline_box(one, size, size)

    def weight(one: Placed) -> float:
        x0, y0, x1, y1 = box_of(one)
        away = math.hypot((x0 + x1) / 2 - size / 2, (y0 + y1) / 2 - size / 2) / size
        return (x1 - x0) * (y1 - y0) * (1.0 - 0.6 * away)

    main = max(range(len(placed)), key=lambda i: weight(placed[i]))
    rest = [one for i, one in enumerate(placed) if i != main]
    rest.sort(key=lambda one: (int(4 * (box_of(one)[1] + box_of(one)[3]) / 2 / size), box_of(one)[0]))
    return [placed[main], *rest]
