"""Draws rotary selectors: the plate with its legends, and a knob that points at one of them."""

from __future__ import annotations

import math

import numpy as np

from synth.devices import SelectorSpec
from synth.flat.glass import draw_glass
from synth.flat.lettering import draw_print
from synth.flat.pen import Pen, lighten, linear, rgba
from synth.scene import Light, Pose, Wear
from synth.spec import Color, Vec, polar

BLACK: Color = (0, 0, 0)


def label_spot(spec: SelectorSpec, index: int) -> Vec:
    """Where a legend stands: outside its mark, and inside the plate."""
    mark, label = spec.angles_deg[index], spec.labels[index]
    wide = label_width(label) * spec.label_size
    across, along = abs(math.sin(math.radians(mark))), abs(math.cos(math.radians(mark)))
    reach = spec.knob + 11 + spec.label_size * 0.38 * along + 0.5 * wide * across
    x, y = polar((0, 0), reach, mark)
    edge = 96.0 - wide / 2 if spec.square else math.sqrt(max(1.0, 94.0**2 - y * y)) - wide / 2
    edge = max(edge, 0.0)
    return min(max(x, -edge), edge), min(max(y, -95 + spec.label_size * 0.4), 95 - spec.label_size * 0.4)


def label_width(label: str) -> float:
    """Width of a legend in letter sizes; an ideograph is as wide as it is high."""
    return sum(1.0 if ord(c) > 0x2E80 else 0.62 for c in label)


def draw_selector(pen: Pen, spec: SelectorSpec, pose: Pose, light: Light, wear: Wear, rng: np.random.Generator) -> None:
    angle = spec.angles_deg[spec.position - 1] + spec.offset_deg
    with pen.plane(pose.homography(0.0)):
        shade = linear((-80, -80), (80, 80), [rgba(lighten(spec.plate_color, f)) for f in (0.12, 0.0, -0.15)])
        if spec.square:
            pen.box(-97, -95, 103, 105, BLACK, 6, light.shadow * 0.8, 3)
            pen.box(-100, -100, 100, 100, spec.plate_color, 6, shader=shade)
            pen.box(-100, -100, 100, 100, lighten(spec.plate_color, -0.4), 6, stroke=1.5)
        else:
            pen.disc(3, 5, 100, BLACK, light.shadow * 0.8, 3)
            pen.disc(0, 0, 100, spec.plate_color, shader=shade)
            pen.circle(0, 0, 99, lighten(spec.plate_color, -0.4), 1.8)
        ends = [p for mark in spec.angles_deg for p in (polar((0, 0), spec.knob + 3, mark), polar((0, 0), spec.knob + 9, mark))]
        pen.segments(ends, spec.ink, 2.0)
        for index, label in enumerate(spec.labels):
            pen.text(label, *label_spot(spec, index), spec.label_size, spec.font, spec.ink)
        for line in spec.prints:
            draw_print(pen, line)
        turn = math.radians(light.shadow_deg)
        shift = (-9 * math.sin(turn), 9 * math.cos(turn))
        pen.disc(*shift, spec.knob, BLACK, light.shadow + 0.15, 3 + 6 * light.softness)
    with pen.plane(pose.homography(6.0)):
        _knob(pen, spec, angle, rng)
    with pen.plane(pose.homography(9.0)):
        draw_glass(pen, 100, 100, 0.0, Light(), wear, rng)


def _knob(pen: Pen, spec: SelectorSpec, angle: float, rng: np.random.Generator) -> None:
    knob, color = spec.knob, spec.knob_color
    if spec.ring_color is not None:
        rim = linear((-knob, -knob), (knob, knob), [rgba(lighten(spec.ring_color, f)) for f in (0.5, 0.0, -0.45)])
        pen.disc(0, 0, knob, spec.ring_color, shader=rim)
        pen.circle(0, 0, knob * 0.84, BLACK, 1.5, 0.5)
        pen.disc(0, 0, knob * 0.83, lighten(color, -0.25))
    else:
        shine = linear((-knob, -knob), (knob, knob), [rgba(lighten(color, f)) for f in (0.35, 0.0, -0.35)])
        pen.disc(0, 0, knob, color, shader=shine)
        pen.circle(0, 0, knob, lighten(color, -0.5), 1.5, 0.7)
    pen.canvas.save()
    pen.canvas.rotate(angle + 180)  # from here on the knob points up
    _SHAPES[spec.style](pen, spec, rng)
    pen.canvas.restore()


def _bar(pen: Pen, spec: SelectorSpec, rng: np.random.Generator) -> None:
    knob, top = spec.knob, lighten(spec.knob_color, 0.25)
    side = linear((-knob * 0.3, 0), (knob * 0.3, 0), [rgba(lighten(top, f)) for f in (-0.35, 0.15, -0.3)])
    pen.box(-knob * 0.26, -knob * 0.98, knob * 0.26, knob * 0.98, top, knob * 0.1, shader=side)
    pen.box(-knob * 0.06, -knob * 0.94, knob * 0.06, -knob * 0.3, spec.mark_color)


def _pointer(pen: Pen, spec: SelectorSpec, rng: np.random.Generator) -> None:
    knob, top = spec.knob, lighten(spec.knob_color, 0.25)
    wide, shoulder, tail = knob * 0.36, -knob * 0.45, knob * 0.8
    pen.polygon([(0, -knob * 1.08), (wide, shoulder), (wide, tail), (-wide, tail), (-wide, shoulder)], top)
    pen.polygon([(0, -knob * 1.08), (wide, shoulder), (wide, tail), (0, tail)], lighten(top, -0.25))
    pen.box(-knob * 0.05, -knob * 1.0, knob * 0.05, -knob * 0.2, spec.mark_color)


def _lever(pen: Pen, spec: SelectorSpec, rng: np.random.Generator) -> None:
    knob, top = spec.knob, lighten(spec.knob_color, 0.25)
    pen.box(-knob * 0.2, -knob * 1.08, knob * 0.2, knob * 0.35, top, knob * 0.12)
    pen.box(-knob * 0.06, -knob * 1.04, knob * 0.06, -knob * 0.7, spec.mark_color)


def _disc(pen: Pen, spec: SelectorSpec, rng: np.random.Generator) -> None:
    knob, color = spec.knob, spec.knob_color
    ribs = int(rng.integers(12, 30))
    ends = [polar((0, 0), knob * reach, 360 * k / ribs) for k in range(ribs) for reach in (0.88, 1.0)]
    pen.segments(ends, lighten(color, -0.4), 1.6)
    pen.disc(0, 0, knob * 0.72, lighten(color, 0.25))
    pen.box(-knob * 0.06, -knob * 0.95, knob * 0.06, -knob * 0.45, spec.mark_color)


def _key(pen: Pen, spec: SelectorSpec, rng: np.random.Generator) -> None:
    """A lock whose slot ends in a mark: the marked end points at the position."""
    knob = spec.knob
    metal = linear((-knob, -knob), (knob, knob), [rgba((225, 225, 228)), rgba((150, 150, 155)), rgba((95, 95, 100))])
    pen.disc(0, 0, knob * 0.7, (160, 160, 165), shader=metal)
    pen.circle(0, 0, knob * 0.7, (60, 60, 60), 1.5, 0.8)
    pen.box(-knob * 0.07, -knob * 0.42, knob * 0.07, knob * 0.42, (15, 15, 15), 1.0)
    tip = -knob * 0.98
    pen.polygon([(0, tip), (knob * 0.16, -knob * 0.74), (-knob * 0.16, -knob * 0.74)], spec.mark_color)


_SHAPES = {"bar": _bar, "pointer": _pointer, "lever": _lever, "disc": _disc, "key": _key}
