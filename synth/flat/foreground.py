"""Panels behind instruments, and fingers that hold one."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from synth.fingers import sample_fingers
from synth.flat.decor import draw_decor
from synth.flat.lettering import draw_print
from synth.flat.pen import Pen, lighten, linear, rgba
from synth.scene import Light, Panel
from synth.spec import Color, Vec


def draw_panel(pen: Pen, panel: Panel, light: Light) -> None:
    """A mounting panel with its screws, nameplate and what stands on it, in the panel's own face units."""
    with pen.plane(panel.pose.homography(0.0)):
        if panel.style == "plate":
            _plate(pen, panel, light)
        for item in panel.decor:
            draw_decor(pen, item)
        for line in panel.prints:
            draw_print(pen, line)


def _plate(pen: Pen, panel: Panel, light: Light) -> None:
    wide, tall, color = panel.half_width, panel.half_height, panel.color
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


def _skin(rng: np.random.Generator) -> Color:
    """From pale to dark."""
    depth = float(rng.uniform(0, 1)) ** 1.4
    tone = np.array([224, 178, 150]) * (1 - depth) + np.array([92, 60, 44]) * depth + rng.normal(0, 5, 3)
    red, green, blue = (int(v) for v in np.clip(tone, 0, 255))
    return red, green, blue


def _finger(pen: Pen, tip: Vec, far: Vec, thick: float, skin: Color) -> None:
    """A finger from its tip: rounded by darker sides, with a nail."""
    pen.polyline([tip, far], lighten(skin, -0.5), thick * 1.04, 0.9)
    pen.polyline([tip, far], lighten(skin, -0.15), thick * 0.92)
    dx, dy = far[0] - tip[0], far[1] - tip[1]
    long = math.hypot(dx, dy) or 1.0
    side = (-dy / long * thick * 0.08, dx / long * thick * 0.08)
    pen.polyline(
        [(tip[0] + side[0], tip[1] + side[1]), (far[0] + side[0], far[1] + side[1])], skin, thick * 0.6, 0.8, thick * 0.07
    )
    pen.disc(tip[0] + dx / long * thick * 0.1, tip[1] + dy / long * thick * 0.1, thick * 0.24, lighten(skin, 0.25), 0.6)


def draw_hand_behind(pen: Pen, rng: np.random.Generator) -> None:
    """The palm that an instrument lies in; `rng` as for `draw_fingers`, so that both are of one hand."""
    height, width = pen.pixels.shape[:2]
    fingers, skin = sample_fingers(rng, width, height), _skin(rng)
    side = min(width, height)
    x, y = (float(np.mean([finger.tip[i] for finger in fingers])) for i in (0, 1))
    far_x, far_y = (float(np.mean([finger.far[i] for finger in fingers])) for i in (0, 1))
    x, y = x + 0.6 * (x - width / 2), y + 0.6 * (y - height / 2)  # the palm lies behind the knuckles
    pen.polyline([(x, y), (far_x, far_y)], lighten(skin, -0.45), 0.5 * side)
    pen.polyline([(x, y), (far_x, far_y)], lighten(skin, -0.2), 0.46 * side)


def draw_fingers(pen: Pen, rng: np.random.Generator) -> None:
    """One to three fingers or a thumb from an edge of the picture."""
    height, width = pen.pixels.shape[:2]
    fingers = sample_fingers(rng, width, height)  # before the skin: the truth draws these alone
    skin = _skin(rng)
    for finger in fingers:
        _finger(pen, finger.tip, finger.far, finger.thickness, skin)


def cast_light(picture: NDArray[np.uint8], light: Light) -> NDArray[np.uint8]:
    """Where the light falls the picture keeps its colours; away from there it gets darker and takes the light's tint."""
    if light.falloff <= 0 and light.tint == (1.0, 1.0, 1.0):
        return picture
    height, width = picture.shape[:2]
    grid = np.linspace(0, 1, 24, dtype=np.float32)
    away = np.hypot(grid[None, :] - light.falloff_at[0], grid[:, None] - light.falloff_at[1]) / 0.9
    far = np.clip(away, 0, 1) ** 1.5
    levels = [255 * (1 - light.falloff * far) * (1 - (1 - gain) * (0.4 + 0.6 * far)) for gain in light.tint]
    small = np.clip(np.stack(levels, axis=-1), 0, 255).astype(np.uint8)
    field = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    lit: NDArray[np.uint8] = cv2.multiply(picture, field, scale=1 / 255)
    return lit


def draw_cast_shadow(pen: Pen, strength: float, rng: np.random.Generator) -> None:
    """The shadow of something outside the picture, with a sharp or a soft edge, over part of it."""
    height, width = pen.pixels.shape[:2]
    side = max(width, height)
    turn = float(rng.uniform(0, 2 * math.pi))
    dx, dy = math.cos(turn), math.sin(turn)
    shift = float(rng.uniform(-0.3, 0.4)) * side
    x, y = width / 2 + dx * shift, height / 2 + dy * shift
    if rng.random() < 0.15:
        _blinds(pen, strength, turn, rng)
        return
    depth = 2 * side if rng.random() < 0.6 else side * float(rng.uniform(0.1, 0.4))
    bend = float(rng.normal(0, 0.25))
    corners = [(-2.0, 0.0), (2.0, 0.0), (2.0, 1.0 + bend), (-2.0, 1.0 - bend)]
    points = [(x - dy * u * side + dx * v * depth, y + dx * u * side + dy * v * depth) for u, v in corners]
    pen.polygon(points, (5, 5, 12), strength, float(rng.choice([0.5, 2.0, 8.0, 25.0])) * side / 384)


def _blinds(pen: Pen, strength: float, turn: float, rng: np.random.Generator) -> None:
    """Stripes as a grating or a blind throws them."""
    height, width = pen.pixels.shape[:2]
    side = max(width, height)
    pitch = side * float(rng.uniform(0.06, 0.2))
    dx, dy = math.cos(turn), math.sin(turn)
    for k in range(-int(side / pitch) - 1, int(side / pitch) + 2):
        x, y = width / 2 + dx * k * pitch, height / 2 + dy * k * pitch
        pen.polyline([(x - dy * side, y + dx * side), (x + dy * side, y - dx * side)], (5, 5, 12), pitch * 0.45, strength)
