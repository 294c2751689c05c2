"""Panels behind instruments, and fingers that hold one."""

from __future__ import annotations

import math

import numpy as np

from synth.fingers import sample_fingers
from synth.flat.lettering import draw_print
from synth.flat.pen import Pen, lighten, linear, rgba
from synth.scene import Light, Panel


def draw_panel(pen: Pen, panel: Panel, light: Light) -> None:
    """A mounting panel with its screws and nameplate, in the panel's own face units."""
    wide, tall, color = panel.half_width, panel.half_height, panel.color
    with pen.plane(panel.pose.homography(0.0)):
        pen.box(-wide + 6, -tall + 8, wide + 6, tall + 8, (0, 0, 0), 8, light.shadow + 0.2, 8)
        shade = linear((-wide, -tall), (wide, tall), [rgba(lighten(color, f)) for f in (0.15, 0.0, -0.18)])
        pen.box(-wide, -tall, wide, tall, color, 6, shader=shade)
        pen.box(-wide, -tall, wide, tall, lighten(color, -0.45), 6, stroke=1.4)
        for x in (-wide + 8, wide - 8):
            for y in (-tall + 8, tall - 8):
                pen.disc(x, y, 3.6, (150, 150, 150))
                pen.segments([(x - 2.4, y - 1.4), (x + 2.4, y + 1.4)], (60, 60, 60), 1.0)
        x0, y0, x1, y1 = panel.nameplate
        pen.box(x0, y0, x1, y1, panel.plate_color, 2)
        pen.box(x0, y0, x1, y1, lighten(panel.plate_color, -0.5), 2, stroke=0.8)
        for line in panel.prints:
            draw_print(pen, line)


def draw_fingers(pen: Pen, rng: np.random.Generator) -> None:
    """One to three fingers or a thumb from an edge of the picture."""
    height, width = pen.pixels.shape[:2]
    fingers = sample_fingers(rng, width, height)  # before the skin: the truth draws these alone
    tone = np.clip(np.array([214, 165, 140]) * rng.uniform(0.5, 1.1) + rng.normal(0, 8, 3), 0, 255)
    skin = (int(tone[0]), int(tone[1]), int(tone[2]))
    for finger in fingers:
        pen.polyline([finger.tip, finger.far], lighten(skin, -0.35), finger.thickness * 1.05, 1.0, 1.5)
        pen.polyline([finger.tip, finger.far], skin, finger.thickness * 0.85, 1.0, finger.thickness * 0.08)


def draw_cast_shadow(pen: Pen, strength: float, rng: np.random.Generator) -> None:
    """The shadow of something outside the picture, with a sharp or a soft edge, over part of it."""
    height, width = pen.pixels.shape[:2]
    side = max(width, height)
    turn = float(rng.uniform(0, 2 * math.pi))
    dx, dy = math.cos(turn), math.sin(turn)
    shift = float(rng.uniform(-0.3, 0.4)) * side
    x, y = width / 2 + dx * shift, height / 2 + dy * shift
    depth = 2 * side if rng.random() < 0.6 else side * float(rng.uniform(0.1, 0.4))
    bend = float(rng.normal(0, 0.25))
    corners = [(-2.0, 0.0), (2.0, 0.0), (2.0, 1.0 + bend), (-2.0, 1.0 - bend)]
    points = [(x - dy * u * side + dx * v * depth, y + dx * u * side + dy * v * depth) for u, v in corners]
    pen.polygon(points, (5, 5, 12), strength, float(rng.choice([0.5, 2.0, 8.0, 25.0])) * side / 384)
