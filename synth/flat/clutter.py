"""What fills a background: pipes, crates, cables, lights far away, and layers of all that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synth.camera import blur
from synth.flat.pen import Pen, lighten, linear, rgba
from synth.flat.textures import BANK_SIDE, muted, warm
from synth.spec import Color

Image = NDArray[np.uint8]
Rng = np.random.Generator
SIDE = float(BANK_SIDE)


def pen_on(picture: Image) -> Pen:
    """A pen that goes on drawing on a picture (H, W, 3)."""
    pen = Pen(BANK_SIDE, BANK_SIDE)
    pen.pixels[..., :3] = picture
    pen.pixels[..., 3] = 255
    return pen


def picture_of(pen: Pen) -> Image:
    """What a pen has drawn, (H, W, 3)."""
    return np.ascontiguousarray(pen.pixels[..., :3])


def soften(pen: Pen, sigma: float) -> None:
    """Everything drawn so far goes out of focus: it is farther away than what follows."""
    pen.pixels[..., :3] = blur(picture_of(pen), sigma)


def add_pipe(pen: Pen, rng: Rng, color: Color, width: float) -> None:
    """A pipe across the picture, with couplings, flanges and clamps."""
    turn = float(rng.choice([0, 90, 0, 90, rng.uniform(0, 180)]))
    pen.canvas.save()
    pen.canvas.translate(*(float(v) for v in rng.uniform(0, BANK_SIDE, 2)))
    pen.canvas.rotate(turn)
    shine = [rgba(lighten(color, f)) for f in (-0.75, -0.2, float(rng.uniform(0.1, 0.7)), -0.1, -0.55, -0.85)]
    for drop in (2, 6, 10):
        pen.box(-700, -width / 2 + drop, 700, width / 2 + drop, (0, 0, 0), alpha=0.22)
    pen.box(-700, -width / 2, 700, width / 2, color, shader=linear((0, -width / 2), (0, width / 2), shine))
    for _ in range(int(rng.integers(0, 4))):  # couplings, flanges and clamps
        x, grow, long = float(rng.uniform(-250, 250)), float(rng.uniform(1.1, 1.7)), float(rng.uniform(0.15, 0.7))
        half = width * grow / 2
        pen.box(x, -half, x + width * long, half, color, 2, shader=linear((0, -half), (0, half), shine))
        pen.segments([(x, -half), (x, half)], lighten(color, -0.8), 1.5)
    pen.canvas.restore()


def add_crate(pen: Pen, rng: Rng, tone: Color, x: float, y: float, w: float, h: float) -> None:
    """A box with screws or ventilation slots; lengths in pixels."""
    shade = linear((x, y), (x + w, y + h), [rgba(lighten(tone, 0.12)), rgba(lighten(tone, -0.4))])
    corner = float(rng.choice([1, 2, 8]))
    for grow in (2.0, 5.0, 8.0):
        pen.box(x + grow * 0.5, y + grow * 0.6, x + w + grow, y + h + grow * 1.3, (0, 0, 0), 4, 0.2)
    pen.box(x, y, x + w, y + h, tone, corner, shader=shade)
    pen.box(x + 1, y + 1, x + w - 1, y + h - 1, lighten(tone, float(rng.uniform(-0.7, 0.3))), corner, 0.6, stroke=1.2)
    for _ in range(int(rng.integers(0, 5))):
        dx, dy = float(rng.uniform(0.1, 0.9)) * w, float(rng.uniform(0.1, 0.9)) * h
        pen.disc(x + dx, y + dy, float(rng.uniform(1.5, 5)), lighten(tone, float(rng.uniform(-0.8, 0.4))))
    if rng.random() < 0.25:  # ventilation slots
        for k in range(int(rng.integers(4, 12))):
            pen.box(x + 0.15 * w, y + 8 + 7 * k, x + 0.85 * w, y + 11 + 7 * k, lighten(tone, -0.75), 1.5)


def add_cable(pen: Pen, rng: Rng, tone: Color) -> None:
    """A cable that hangs about."""
    x, y = (float(v) for v in rng.uniform(0, BANK_SIDE, 2))
    steps = np.cumsum(np.cumsum(rng.normal(0, 2.2, (40, 2)), axis=0) + rng.normal(0, 5, 2), axis=0)
    points = [(x + float(dx), y + float(dy)) for dx, dy in steps]
    width = float(rng.uniform(2, 9))
    pen.polyline([(px + 2, py + 3) for px, py in points], (0, 0, 0), width, 0.35)
    pen.polyline(points, lighten(tone, -0.4), width)
    pen.polyline(points, lighten(tone, 0.15), width * 0.4)


def add_bokeh(pen: Pen, rng: Rng) -> None:
    """Lights far out of focus."""
    for _ in range(int(rng.integers(3, 18))):
        x, y = (float(v) for v in rng.uniform(0, BANK_SIDE, 2))
        size = float(rng.uniform(6, 36))
        pen.disc(x, y, size, warm(rng, 150, 255), float(rng.uniform(0.15, 0.6)))


def add_layer(pen: Pen, rng: Rng, tone: Color, count: int) -> None:
    """So many pipes, boxes, cables and round things of one depth."""
    for _ in range(count):
        part = tone if rng.random() < 0.7 else muted(rng)
        part = lighten(part, float(rng.uniform(-0.6, 0.25)))
        kind = rng.random()
        if kind < 0.4:
            add_pipe(pen, rng, part, float(rng.uniform(8, 80)))
        elif kind < 0.75:
            x, y = (float(v) for v in rng.uniform(-60, BANK_SIDE, 2))
            add_crate(pen, rng, part, x, y, *(float(v) for v in rng.uniform(25, 230, 2)))
        elif kind < 0.9:
            add_cable(pen, rng, part)
        else:
            x, y, size = *(float(v) for v in rng.uniform(0, BANK_SIDE, 2)), float(rng.uniform(15, 90))
            pen.disc(x + 4, y + 6, size * 1.03, (0, 0, 0), 0.35)
            ends = [rgba(lighten(part, f)) for f in (0.4, -0.1, -0.6)]
            pen.disc(x, y, size, part, shader=linear((x - size, y - size), (x + size, y + size), ends))
            pen.circle(x, y, size * 0.7, lighten(part, -0.6), size * 0.08, 0.7)
