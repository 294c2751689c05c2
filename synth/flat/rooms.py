"""What stands behind instruments: machinery, rooms, shelves, trees, screens, and the surfaces of `synth.flat.walls`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from synth.draw import any_color, gray, pick
from synth.flat.clutter import (
    SIDE,
    Image,
    Rng,
    add_bokeh,
    add_crate,
    add_layer,
    add_pipe,
    pen_on,
    picture_of,
    soften,
)
from synth.flat.pen import lighten, linear, rgba
from synth.flat.textures import light_from, muted, surface, warm
from synth.flat.walls import draw_cabinet, draw_fabric, draw_gravel, draw_metal, draw_panel, draw_wall, draw_wood


def _machinery(rng: Rng) -> Image:
    """Pipes, boxes and cables in two or three depths, the far ones out of focus; dark, as plant rooms are."""
    tone = muted(rng, 25, 170)
    pen = pen_on(surface(rng, lighten(tone, -0.5), float(rng.uniform(3, 14))))
    for _ in range(int(rng.integers(1, 3))):
        add_layer(pen, rng, tone, int(rng.integers(4, 12)))
        soften(pen, float(rng.uniform(1.5, 8)))
    if rng.random() < 0.3:
        add_bokeh(pen, rng)
    if rng.random() < 0.7:
        add_layer(pen, rng, lighten(tone, 0.15), int(rng.integers(1, 5)))
    return light_from(rng, picture_of(pen), float(rng.uniform(0.0, 0.65)))


def _clutter(rng: Rng) -> Image:
    """As machinery, but near and of any colour."""
    tone = muted(rng, 30, 190)
    pen = pen_on(surface(rng, tone, float(rng.uniform(2, 14))))
    add_layer(pen, rng, tone, int(rng.integers(2, 8)))
    if rng.random() < 0.5:
        soften(pen, float(rng.uniform(1, 6)))
    add_layer(pen, rng, muted(rng), int(rng.integers(1, 8)))
    return light_from(rng, picture_of(pen), float(rng.uniform(0.0, 0.6)))


def _room(rng: Rng) -> Image:
    """A room out of focus: wall, window or lamp, furniture's edges, a desk in front."""
    wall = warm(rng, 80, 235)
    pen = pen_on(surface(rng, wall, 6, 32))
    for _ in range(int(rng.integers(2, 7))):
        x, w = float(rng.uniform(-40, SIDE)), float(rng.uniform(30, 200))
        y = float(rng.uniform(0, 0.5 * SIDE))
        tone = lighten(muted(rng), float(rng.uniform(-0.6, 0.1)))
        pen.box(x, y, x + w, SIDE, tone, shader=linear((x, y), (x + w, SIDE), [rgba(tone), rgba(lighten(tone, -0.5))]))
    if rng.random() < 0.6:
        x, y = (float(v) for v in rng.uniform(0, 0.7 * SIDE, 2))
        w, h = (float(v) for v in rng.uniform(50, 190, 2))
        pen.box(x, y, x + w, y + h, (245, 246, 250), 2, blur=3)
        if rng.random() < 0.6:
            pen.box(x + w / 2 - 3, y, x + w / 2 + 3, y + h, lighten(wall, -0.3))
    soften(pen, float(rng.uniform(5, 16)))
    if rng.random() < 0.3:
        add_bokeh(pen, rng)
    if rng.random() < 0.55:
        edge = float(rng.uniform(0.55, 0.85)) * SIDE
        top = draw_wood(rng) if rng.random() < 0.6 else surface(rng, muted(rng, 30, 220), 5)
        row = int(edge)
        pen.pixels[row:, :, :3] = top[row:]
        pen.box(0, edge - 2, SIDE, edge + 2, (0, 0, 0), alpha=0.3, blur=3)
    return light_from(rng, picture_of(pen), float(rng.uniform(0.1, 0.6)))


def _shelf(rng: Rng) -> Image:
    tone = muted(rng, 30, 150)
    pen = pen_on(surface(rng, lighten(tone, -0.6), 5))
    high = float(rng.uniform(90, 170))
    for row in range(-1, int(SIDE / high) + 1):
        floor, x = (row + 1) * high + float(rng.uniform(-5, 5)), float(rng.uniform(-30, 10))
        while x < SIDE:
            w, h = float(rng.uniform(20, 110)), high * float(rng.uniform(0.35, 0.88))
            if rng.random() < 0.85:
                color = pick(rng, ((168, 124, 78), (190, 150, 100), (230, 230, 225), muted(rng), muted(rng), any_color(rng)))
                add_crate(pen, rng, color, x, floor - h, w, h)
                if rng.random() < 0.4:
                    pen.box(x + 0.2 * w, floor - 0.6 * h, x + 0.75 * w, floor - 0.3 * h, (240, 240, 235), 1)
            x += w + float(rng.exponential(8))
        pen.box(
            0, floor, SIDE, floor + 9, tone, shader=linear((0, floor), (0, floor + 9), [rgba(tone), rgba(lighten(tone, -0.6))])
        )
    if rng.random() < 0.6:
        soften(pen, float(rng.uniform(2, 8)))
    return light_from(rng, picture_of(pen), float(rng.uniform(0.1, 0.6)))


def _outdoor(rng: Rng) -> Image:
    """Sky above, trees or a plant's outline below."""
    sky = pick(rng, ((120, 160, 210), (190, 200, 210), (225, 228, 230), (90, 120, 165), (60, 65, 80)))
    pen = pen_on(surface(rng, sky, 7, 32))
    horizon = SIDE * float(rng.uniform(0.0, 0.7))
    green = pick(rng, ((45, 70, 30), (70, 90, 40), (95, 90, 50), (30, 45, 30)))
    for _ in range(380):
        x, y = float(rng.uniform(0, SIDE)), horizon + float(rng.exponential(0.35)) * SIDE - 20
        pen.oval(
            x,
            y,
            float(rng.uniform(4, 26)),
            float(rng.uniform(3, 18)),
            lighten(green, float(np.clip(rng.normal(-0.15, 0.3), -0.9, 0.9))),
            0.9,
        )
    if rng.random() < 0.5:
        for _ in range(int(rng.integers(1, 5))):
            add_pipe(pen, rng, gray(rng, 40, 180), float(rng.uniform(10, 60)))
    soften(pen, float(rng.uniform(1, 9)))
    return light_from(rng, picture_of(pen), float(rng.uniform(0.0, 0.4)))


def _screen(rng: Rng) -> Image:
    """A monitor with windows and lines of text."""
    dark = rng.random() < 0.5
    pen = pen_on(surface(rng, gray(rng, 8, 40) if dark else gray(rng, 190, 245), 1.5, 16))
    for _ in range(int(rng.integers(1, 5))):
        x, y = (float(v) for v in rng.uniform(0, 0.7 * SIDE, 2))
        w, h = (float(v) for v in rng.uniform(80, 260, 2))
        pen.box(x, y, x + w, y + h, gray(rng, 20, 60) if dark else gray(rng, 225, 255), 3)
        pen.box(x, y, x + w, y + 12, muted(rng, 60, 200), 2)
        ink = gray(rng, 120, 230) if dark else gray(rng, 30, 120)
        for k in range(int(h / 11) - 2):
            pen.box(x + 8, y + 20 + 11 * k, x + 8 + float(rng.uniform(0.2, 0.9)) * (w - 16), y + 24 + 11 * k, ink, alpha=0.8)
    if rng.random() < 0.6:
        pen.box(0, SIDE - 40, SIDE, SIDE, (14, 14, 15))
    return picture_of(pen)


MAKERS: dict[str, Callable[[Rng], Image]] = {
    "clutter": _clutter,
    "machinery": _machinery,
    "room": _room,
    "shelf": _shelf,
    "wall": draw_wall,
    "metal": draw_metal,
    "wood": draw_wood,
    "panel": draw_panel,
    "cabinet": draw_cabinet,
    "fabric": draw_fabric,
    "gravel": draw_gravel,
    "outdoor": _outdoor,
    "screen": _screen,
}
"""Style -> what draws one picture of its bank."""
