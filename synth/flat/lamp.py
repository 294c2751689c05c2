"""Draws signal lamps. A lit one burns bright in the middle, colours its surroundings and keeps its hue at the rim; one
that is off shows its lens as a dark body, so that the two differ under every exposure."""

from __future__ import annotations

import math

import numpy as np

from synth.devices import LampSpec
from synth.flat.lettering import draw_print
from synth.flat.pen import Pen, lighten, linear, radial, rgba
from synth.scene import Light, Pose
from synth.spec import Color

WHITE: Color = (255, 255, 255)
BLACK: Color = (0, 0, 0)


def draw_lamp(pen: Pen, spec: LampSpec, pose: Pose, light: Light, rng: np.random.Generator) -> None:
    lit = spec.state != "off"
    with pen.plane(pose.homography(0.0)):
        turn = math.radians(light.shadow_deg)
        if spec.style != "stack":
            shift = (-14 * math.sin(turn), 14 * math.cos(turn))
            pen.disc(*shift, 100, BLACK, light.shadow, 4 + 8 * light.softness)
        stacked = spec.style == "stack"  # light on the next storey must not change that one's colour
        if lit:
            _spill(pen, spec, 100 * (1.25 + 0.9 * spec.glow), (0.06 if stacked else 0.2) + (0.1 if stacked else 0.5) * spec.glow)
        if spec.style == "stack":
            _segment(pen, spec, lit, rng)
        elif spec.style == "ring":
            _ring_button(pen, spec, lit)
        else:
            _lens_in_ring(pen, spec, lit, rng)
        if spec.legend is not None:
            draw_print(pen, spec.legend)
        if lit and not stacked:
            _spill(pen, spec, 100 * (1.0 + 0.5 * spec.glow), 0.25 * spec.glow)
        for line in spec.prints:
            draw_print(pen, line)


def _spill(pen: Pen, spec: LampSpec, reach: float, strength: float) -> None:
    """Light on what is around the lamp."""
    colors = [rgba(spec.lens_color, strength), rgba(spec.lens_color, strength * 0.8), rgba(spec.lens_color, 0.0)]
    pen.disc(0, 0, reach, spec.lens_color, shader=radial(0, 0, reach, colors, [0.0, 0.5, 1.0]))


def _dark(spec: LampSpec, rng: np.random.Generator) -> Color:
    """The lens's body while off."""
    if spec.clear:
        level = int(rng.uniform(95, 165))
        return level, level, int(level * 0.97)
    return lighten(spec.lens_color, -float(rng.uniform(0.58, 0.8)))


def _lens_colors(spec: LampSpec, lit: bool, rng: np.random.Generator) -> list[int]:
    """From the middle to the rim."""
    if lit:
        return [rgba(lighten(spec.lens_color, spec.core)), rgba(lighten(spec.lens_color, 0.12)), rgba(spec.lens_color)]
    base = _dark(spec, rng)
    return [rgba(lighten(base, 0.12)), rgba(base), rgba(lighten(base, -0.4))]


def _lens_in_ring(pen: Pen, spec: LampSpec, lit: bool, rng: np.random.Generator) -> None:
    lens = 100.0 - spec.ring
    rim = linear((-70, -70), (70, 70), [rgba(lighten(spec.ring_color, f)) for f in (0.5, 0.0, -0.5)])
    middle = (float(rng.normal(0, 6)), float(rng.normal(0, 6)))
    stop = float(rng.uniform(0.4, 0.7))
    shader = radial(*middle, lens * (1.25 if spec.square else 1.0), _lens_colors(spec, lit, rng), [0.0, stop, 1.0])
    if spec.square:
        pen.box(-100, -100, 100, 100, spec.ring_color, 8, shader=rim)
        pen.box(-lens, -lens, lens, lens, spec.lens_color, 5, shader=shader)
    else:
        pen.disc(0, 0, 100, spec.ring_color, shader=rim)
        pen.circle(0, 0, lens + 1, BLACK, 2.5, 0.6)
        pen.disc(0, 0, lens, spec.lens_color, shader=shader)
    if spec.faceted and not spec.square:
        for k in range(1, 4):
            tone = 0.35 if k % 2 else -0.3
            pen.circle(0, 0, lens * k / 4, lighten(spec.lens_color, tone if lit else tone - 0.55), 2.5, 0.4)
        turns = [2 * math.pi * k / 12 for k in range(12)]
        ends = [
            p
            for t in turns
            for p in ((lens * 0.25 * math.cos(t), lens * 0.25 * math.sin(t)), (lens * math.cos(t), lens * math.sin(t)))
        ]
        pen.segments(ends, lighten(spec.lens_color, 0.2 if lit else -0.85), 0.9)
    if lit and spec.style == "led":
        pen.disc(0, 0, lens * 0.42, lighten(spec.lens_color, 0.85), 1.0, lens * 0.1)
    spot = lens * float(rng.uniform(0.1, 0.24))
    pen.oval(-lens * 0.38, -lens * 0.42, spot, spot * 0.55, WHITE, float(rng.uniform(0.15, 0.55)), 4)


def _segment(pen: Pen, spec: LampSpec, lit: bool, rng: np.random.Generator) -> None:
    """One storey of a stack light: a ribbed cylinder seen from the side."""
    base = spec.lens_color if lit else lighten(_dark(spec, rng), -0.2)
    edge = lighten(base, -0.45)
    middle = lighten(base, spec.core) if lit else lighten(base, 0.05)
    shade = linear((-100, 0), (100, 0), [rgba(edge), rgba(base), rgba(middle), rgba(base), rgba(edge)])
    pen.box(-100, -100, 100, 100, base, 4, shader=shade)
    for k in range(1, 10):
        x = -100 + 20.0 * k
        pen.box(x - 1.2, -96, x + 1.2, 96, lighten(base, -0.25), alpha=0.35)
    for y in (-100.0, 90.0):
        pen.box(-104, y, 104, y + 10, spec.ring_color, 2)
    if lit:
        pen.oval(0, 0, 55, 70, lighten(base, 0.8), 0.55, 18)
    pen.box(-70, -88, -60, 88, WHITE, 3, 0.25 if lit else 0.12, 2)


def _ring_button(pen: Pen, spec: LampSpec, lit: bool) -> None:
    """A metal push button with a ring of light around its cap."""
    rim = linear((-70, -70), (70, 70), [rgba(lighten(spec.ring_color, f)) for f in (0.5, 0.0, -0.4)])
    pen.disc(0, 0, 100, spec.ring_color, shader=rim)
    outer, inner = 78.0, 50.0
    color = spec.lens_color if lit else lighten(spec.lens_color, -0.7)
    pen.disc(0, 0, outer, color)
    if lit:
        pen.circle(0, 0, (outer + inner) / 2, lighten(spec.lens_color, spec.core), (outer - inner) * 0.45, 0.95, 3)
    cap = linear((-40, -40), (40, 40), [rgba(lighten(spec.ring_color, f)) for f in (0.35, 0.05, -0.3)])
    pen.disc(0, 0, inner, spec.ring_color, shader=cap)
    pen.circle(0, 0, inner, BLACK, 2.0, 0.5)
