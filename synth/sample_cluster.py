"""Instrument clusters of cars and motorcycles: dials that share a board, an odometer, tell-tales, night illumination.

Every needle and every row of digits is an instrument of the truth; tell-tales, screens and trim are decoration. A fuel
gauge prints 0 and 1, the part of a tank, with E and F beside them or without.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from synth.cluster_dials import (
    Look,
    sample_cluster_look,
    sample_odometer,
    sample_small_dial,
    sample_speedometer,
    sample_tachometer,
)
from synth.devices import Decor, DigitalSpec
from synth.draw import Rng, between, chance, pick
from synth.recipe import Recipe
from synth.sample_look import sample_pose
from synth.scene import GaugeScene, Panel, Placed, Pose
from synth.spec import Color, DialSpec, Inner

TELLTALES: tuple[Color, ...] = ((255, 120, 20), (255, 40, 30), (60, 220, 80), (60, 120, 255), (255, 190, 30))


def sample_cluster(rng: Rng, recipe: Recipe) -> tuple[tuple[Placed, ...], Panel]:
    """A cluster of two to five dials, most with an odometer, on one board."""
    look = sample_cluster_look(rng)
    size = recipe.size
    fill = between(rng, 0.82, 1.0) if chance(rng, 0.8) else between(rng, 0.5, 0.82)
    center = (size * between(rng, 0.46, 0.54), size * between(rng, 0.44, 0.56))
    pose = replace(sample_pose(rng, recipe.pose, center, 0.5 * size * fill, 0.6), roll_deg=float(rng.normal(0, 2)))
    plan = pick(rng, (_two_large, _two_large, _middle_large, _middle_large, _motorcycle, _row))
    placed, decor, tall = plan(rng, look, pose)
    decor += _telltales(rng, look, placed, tall)
    hood = Decor("hood", 0.0, 0.0, 104.0, look.board, tall + 6.0, seed=int(rng.integers(2**31)))
    glow = tuple(
        Decor("glow", *one.pose.offset, 100 * one.pose.scale * 1.12, look.ink)
        for one in placed
        if look.night and isinstance(one.spec, DialSpec)
    )
    panel = Panel(pose, 104.0, tall + 6.0, look.board, (0, 0, 0, 0), look.board, (), (hood, *glow, *decor), "bare")
    return tuple(placed), panel


def _at(spec: DialSpec | DigitalSpec, pose: Pose, x: float, y: float, half: float) -> Placed:
    return Placed(spec, replace(pose, offset=(x, y), scale=half / 100.0))


def _with_odometer(rng: Rng, look: Look, spec: DialSpec) -> DialSpec:
    """The odometer within the speedometer's face, below the pivot where no print and no needle lies."""
    digits = f"{int(rng.integers(0, 999999)):06d}"
    drums = chance(rng, 0.3)
    back, ink = ((16, 16, 18), (240, 240, 240)) if drums else ((12, 12, 14), look.ink if look.night else (255, 140, 50))
    inner = Inner("drums" if drums else "led", digits, 0.0, 58.0, 25.0, 6.5, back, ink, "odometer")
    return replace(spec, inner=inner, prints=tuple(replace(p, y=-abs(p.y)) for p in spec.prints), scale=spec.scale)


def _free_below(spec: DialSpec) -> bool:
    """Whether the scale leaves room below the pivot and the needle points elsewhere."""
    ends = [spec.scale.angle_at(f) for f in (0.0, 1.0)]
    gap = all(min(a, 360 - a) > 42 for a in ends)
    hand = spec.pointer_deg
    return gap and 50 < hand < 310


def _two_large(rng: Rng, look: Look, pose: Pose) -> tuple[list[Placed], tuple[Decor, ...], float]:
    """Tachometer left, speedometer right, a screen or two small dials between them."""
    half = between(rng, 33, 37)
    left, right = (
        (sample_tachometer(rng, look), sample_speedometer(rng, look))
        if chance(rng, 0.85)
        else (sample_speedometer(rng, look), sample_tachometer(rng, look))
    )
    x = between(rng, 60, 64)
    placed = [_at(left, pose, -x, 0.0, half), _at(right, pose, x, 0.0, half)]
    gap = x - half - 4
    if chance(rng, 0.5):
        size = min(gap * 0.72, 17.0)
        placed += [
            _at(sample_small_dial(rng, look, True), pose, 0.0, -size - 3, size),
            _at(sample_small_dial(rng, look, False), pose, 0.0, size - 1, size),
        ]
        placed.append(_at(sample_odometer(rng, look, 100.0, 22.0), pose, 0.0, 2 * size + 4.5, gap * 0.75))
        return placed, (), half + 6
    screen = Decor("screen", 0.0, -8.0, gap * 0.85, (20, 22, 30), gap * 0.8, seed=int(rng.integers(2**31)))
    placed.append(_at(sample_odometer(rng, look, 100.0, pick(rng, (24.0, 60.0))), pose, 0.0, gap * 0.8 + 6.0, gap * 0.8))
    return placed, (screen,), half + 6


def _middle_large(rng: Rng, look: Look, pose: Pose) -> tuple[list[Placed], tuple[Decor, ...], float]:
    """The speedometer in the middle, the tachometer at one side, fuel and temperature at the other."""
    half, side = between(rng, 36, 40), between(rng, 25, 29)
    speed = sample_speedometer(rng, look)
    below = _free_below(speed)
    if below:
        speed = _with_odometer(rng, look, speed)
    flip = 1.0 if chance(rng, 0.8) else -1.0
    x = half + side + 2.5
    tach = sample_tachometer(rng, look)
    small = side * 0.62
    placed = [
        _at(speed, pose, 0.0, 0.0, half),
        _at(tach, pose, -flip * x, 5.0, side),
        _at(sample_small_dial(rng, look, True), pose, flip * (half + small + 6), -small + 4, small),
        _at(sample_small_dial(rng, look, False), pose, flip * (half + small + 14), small + 6, small),
    ]
    if not below and chance(rng, 0.6):
        placed.append(_at(sample_odometer(rng, look, 100.0, 22.0), pose, 0.0, half + 6.0, 20.0))
        return placed, (), half + 10
    return placed, (), half + 4


def _motorcycle(rng: Rng, look: Look, pose: Pose) -> tuple[list[Placed], tuple[Decor, ...], float]:
    """One or two round dials close together, a liquid crystal beside or below."""
    half = between(rng, 42, 47)
    dial = sample_tachometer(rng, look) if chance(rng, 0.5) else sample_speedometer(rng, look)
    placed = [_at(dial, pose, -50.0, 0.0, half)]
    if chance(rng, 0.5):
        other = sample_speedometer(rng, look) if dial.scale.unit == "r/min" else sample_tachometer(rng, look)
        placed.append(_at(other, pose, 50.0, 0.0, half))
    else:
        placed.append(_at(sample_odometer(rng, look, 100.0, 70.0), pose, 52.0, 0.0, between(rng, 30, 42)))
    return placed, (), half + 6


def _row(rng: Rng, look: Look, pose: Pose) -> tuple[list[Placed], tuple[Decor, ...], float]:
    """Dials of one size in a row, as in old cars and on boats."""
    makers: tuple[Callable[[], DialSpec], ...] = (
        lambda: sample_speedometer(rng, look),
        lambda: sample_tachometer(rng, look),
        lambda: sample_small_dial(rng, look, True),
        lambda: sample_small_dial(rng, look, False),
    )
    count = int(rng.integers(3, 5))
    pitch = 200.0 / count
    half = pitch * 0.46
    placed = [_at(makers[i](), pose, -100 + pitch * (i + 0.5), 0.0, half) for i in range(count)]
    return placed, (), half + 10


def _telltales(rng: Rng, look: Look, placed: list[Placed], tall: float) -> tuple[Decor, ...]:
    """Small signs on free parts of the board and in the dials' lower parts; a few are lit."""
    found: list[Decor] = []
    lit_share = between(rng, 0.1, 0.6)
    for _ in range(int(rng.integers(6, 26))):
        x, y, size = between(rng, -96, 96), between(rng, -tall + 4, tall - 4), between(rng, 2.0, 3.4)
        clear = all(
            abs(x - one.pose.offset[0]) > 100 * one.pose.scale + size or abs(y - one.pose.offset[1]) > 100 * one.pose.scale + size
            for one in placed
        )
        apart = all(math.hypot(x - d.x, y - d.y) > 8 for d in found)
        if clear and apart:
            lit = chance(rng, lit_share)
            color = pick(rng, TELLTALES) if lit else tuple(min(255, c + 22) for c in look.board)
            found.append(Decor("telltale", x, y, size, color, 1.0 if lit else 0.0, int(rng.integers(2**31))))  # type: ignore[arg-type]
    return tuple(found)


def in_the_dark(scene: GaugeScene) -> GaugeScene:
    """An illuminated cluster stands before a dark background, without daylight's shadows on it."""
    if scene.panel is None or not any(item.kind == "glow" for item in scene.panel.decor):
        return scene
    light = replace(scene.light, shadow=0.05, shade=0.05, flash=False, cast_shadow=0.0, glare=0.4 * scene.light.glare)
    return replace(scene, background=replace(scene.background, style="black"), light=light)
