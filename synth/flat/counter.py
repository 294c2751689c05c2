"""Draws drum counters: the window, drums in mid-roll, small red dials, the star wheel."""

from __future__ import annotations

import math

import numpy as np

from synth.devices import CounterSpec, SubDial
from synth.draw import HUES
from synth.flat.case import draw_case, face_half, shade_face
from synth.flat.glass import draw_glass
from synth.flat.lettering import draw_print
from synth.flat.pen import Pen, lighten, linear, rgba
from synth.fonts import SYMBOL_SAFE
from synth.scene import Light, Pose, Wear
from synth.spec import Color, polar

BLACK: Color = (0, 0, 0)


def draw_counter(pen: Pen, spec: CounterSpec, pose: Pose, light: Light, wear: Wear, rng: np.random.Generator) -> None:
    """A counter: its drums show `spec.digits`, each rolled on by its part of `spec.shifts`."""
    case = spec.case
    draw_case(pen, case, pose, light, rng)
    half = face_half(case)
    tall = half * case.aspect
    with pen.plane(pose.homography(0.0)):
        clip = pen.clip_disc(0, 0, half, tall) if case.shape == "round" else pen.clip_box(-half, -tall, half, tall, 3)
        with clip:
            tones = [rgba(lighten(spec.face_color, f)) for f in (0.1, 0.0, -0.1)]
            pen.box(-half, -tall, half, tall, spec.face_color, shader=linear((-half, -tall), (half, tall), tones))
            if wear.yellowing > 0:
                pen.box(-half, -tall, half, tall, (190, 160, 80), alpha=0.3 * wear.yellowing)
            for line in spec.prints:
                draw_print(pen, line)
            _window(pen, spec, light)
            for one in spec.subdials:
                _subdial(pen, one, spec)
            if spec.star is not None:
                _star(pen, spec.star, float(rng.uniform(0, 60)), lighten(spec.digit_color, -0.5))
            shade_face(pen, case, light, rng)
            draw_glass(pen, half, tall, 0.7, light, wear, rng)


def _window(pen: Pen, spec: CounterSpec, light: Light) -> None:
    wide, high = spec.drum
    count, middle = len(spec.digits), spec.middle
    left = -wide * count / 2
    ends = (left - 3, middle - high / 2 - 3, left + wide * count + 3, middle + high / 2 + 3)
    pen.box(*ends, (25, 25, 25), 1.5)
    pen.box(*ends, lighten(spec.face_color, -0.45), 1.5, stroke=1.0)
    for index in range(count):
        _drum(pen, spec, index, left + wide * (index + 0.5), middle)
    if spec.decimals:
        x = left + wide * (count - spec.decimals)
        if spec.red_frame:
            pen.box(x, middle - high / 2 - 2, left + wide * count + 2, middle + high / 2 + 2, spec.decimal_color, 0.5, stroke=2.4)
        pen.disc(x, middle + high / 2 - 1.0, max(1.3, wide * 0.07), (255, 255, 255) if not spec.red_frame else spec.decimal_color)
    # The window's edge throws its shadow over the drums' upper end.
    shade = linear((0, ends[1] + 2), (0, ends[1] + 2 + high * 0.4), [rgba(BLACK, 0.5 * light.shadow + 0.15), rgba(BLACK, 0.0)])
    pen.box(ends[0] + 2, ends[1] + 2, ends[2] - 2, middle, BLACK, shader=shade)


def _drum(pen: Pen, spec: CounterSpec, index: int, x: float, y: float) -> None:
    wide, high = spec.drum
    decimal = index >= len(spec.digits) - spec.decimals and not spec.red_frame
    back = spec.decimal_color if decimal else spec.drum_color
    ink = spec.decimal_ink if decimal else spec.digit_color
    digit, shift = int(spec.digits[index]), spec.shifts[index]
    tones = (-0.12, 0.05, 0.05, -0.12) if spec.flat else (-0.6, 0.12, 0.12, -0.6)
    shade = linear((x, y - high / 2), (x, y + high / 2), [rgba(lighten(back, f)) for f in tones])
    x0, x1 = x - wide * 0.46, x + wide * 0.46
    with pen.clip_box(x0, y - high / 2, x1, y + high / 2):
        pen.box(x0, y - high / 2, x1, y + high / 2, back, shader=shade)
        size = min(high * 0.78, wide * 1.25)
        # One step of a drum is a window's height; a digit comes from below, as numbers on counters do.
        pen.text(str(digit), x, y - shift * high, size, spec.font, ink)
        if shift > 0:
            pen.text(str((digit + 1) % 10), x, y + (1.0 - shift) * high, size, spec.font, ink)
        if not spec.flat:
            edge = linear((x0, y), (x1, y), [rgba(BLACK, 0.35), rgba(BLACK, 0.0), rgba(BLACK, 0.0), rgba(BLACK, 0.35)])
            pen.box(x0, y - high / 2, x1, y + high / 2, BLACK, shader=edge)


def _subdial(pen: Pen, one: SubDial, spec: CounterSpec) -> None:
    """Ten marks and numbers around a small hand that points from its middle."""
    x, y, radius = one.x, one.y, one.radius
    ink = lighten(spec.digit_color, -0.4) if sum(spec.face_color) > 300 else spec.digit_color
    hand = HUES[one.color_name]
    pen.circle(x, y, radius, hand, radius * 0.06)
    ends = []
    for k in range(10):
        ends += [polar((x, y), radius * 0.86, 180 + 36 * k), polar((x, y), radius, 180 + 36 * k)]
    pen.segments(ends, ink, radius * 0.07)
    for k in range(10):
        pen.text(str(k), *polar((x, y), radius * 1.2, 180 + 36 * k), radius * 0.3, spec.font, ink)
    pen.text(one.label, x, y + radius * 1.62, radius * 0.36, SYMBOL_SAFE, ink)
    angle = one.pointer_deg
    sides = [polar((x, y), radius * 0.26, angle + turn) for turn in (75.0, 180.0, -75.0)]
    pen.polygon([polar((x, y), radius * 0.88, angle), *sides], hand)
    pen.disc(x, y, radius * 0.27, hand)
    pen.disc(x, y, radius * 0.1, lighten(hand, -0.5))


def _star(pen: Pen, place: tuple[float, float, float], turn_deg: float, color: Color) -> None:
    """The leak indicator: a six-pointed wheel whose turn means nothing for the reading."""
    x, y, radius = place
    points = []
    for k in range(12):
        reach, turn = radius if k % 2 == 0 else radius * 0.45, math.radians(30 * k + turn_deg)
        points.append((x + reach * math.cos(turn), y + reach * math.sin(turn)))
    pen.polygon(points, color)
    pen.disc(x, y, radius * 0.2, lighten(color, 0.6))
