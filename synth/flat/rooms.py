"""What stands behind instruments: machinery, rooms, shelves, walls, cabinets, cloth, gravel, trees, screens."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from synth.camera import blur
from synth.draw import any_color, gray, pick
from synth.flat.pen import Pen, lighten, linear, rgba
from synth.flat.textures import BANK_SIDE, cloud, light_from, muted, surface, warm
from synth.spec import Color

Image = NDArray[np.uint8]
Rng = np.random.Generator
SIDE = float(BANK_SIDE)


def _on(picture: Image) -> Pen:
    pen = Pen(BANK_SIDE, BANK_SIDE)
    pen.pixels[..., :3] = picture
    pen.pixels[..., 3] = 255
    return pen


def _off(pen: Pen) -> Image:
    return np.ascontiguousarray(pen.pixels[..., :3])


def _soften(pen: Pen, sigma: float) -> None:
    """Everything drawn so far goes out of focus: it is farther away than what follows."""
    pen.pixels[..., :3] = blur(_off(pen), sigma)


def _pipe(pen: Pen, rng: Rng, color: Color, width: float) -> None:
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


def _crate(pen: Pen, rng: Rng, tone: Color, x: float, y: float, w: float, h: float) -> None:
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


def _cable(pen: Pen, rng: Rng, tone: Color) -> None:
    x, y = (float(v) for v in rng.uniform(0, BANK_SIDE, 2))
    steps = np.cumsum(np.cumsum(rng.normal(0, 2.2, (40, 2)), axis=0) + rng.normal(0, 5, 2), axis=0)
    points = [(x + float(dx), y + float(dy)) for dx, dy in steps]
    width = float(rng.uniform(2, 9))
    pen.polyline([(px + 2, py + 3) for px, py in points], (0, 0, 0), width, 0.35)
    pen.polyline(points, lighten(tone, -0.4), width)
    pen.polyline(points, lighten(tone, 0.15), width * 0.4)


def _bokeh(pen: Pen, rng: Rng) -> None:
    """Lights far out of focus."""
    for _ in range(int(rng.integers(3, 18))):
        x, y = (float(v) for v in rng.uniform(0, BANK_SIDE, 2))
        size = float(rng.uniform(6, 36))
        pen.disc(x, y, size, warm(rng, 150, 255), float(rng.uniform(0.15, 0.6)))


def _layer(pen: Pen, rng: Rng, tone: Color, count: int) -> None:
    for _ in range(count):
        part = tone if rng.random() < 0.7 else muted(rng)
        part = lighten(part, float(rng.uniform(-0.6, 0.25)))
        kind = rng.random()
        if kind < 0.4:
            _pipe(pen, rng, part, float(rng.uniform(8, 80)))
        elif kind < 0.75:
            x, y = (float(v) for v in rng.uniform(-60, BANK_SIDE, 2))
            _crate(pen, rng, part, x, y, *(float(v) for v in rng.uniform(25, 230, 2)))
        elif kind < 0.9:
            _cable(pen, rng, part)
        else:
            x, y, size = *(float(v) for v in rng.uniform(0, BANK_SIDE, 2)), float(rng.uniform(15, 90))
            pen.disc(x + 4, y + 6, size * 1.03, (0, 0, 0), 0.35)
            ends = [rgba(lighten(part, f)) for f in (0.4, -0.1, -0.6)]
            pen.disc(x, y, size, part, shader=linear((x - size, y - size), (x + size, y + size), ends))
            pen.circle(x, y, size * 0.7, lighten(part, -0.6), size * 0.08, 0.7)


def _machinery(rng: Rng) -> Image:
    """Pipes, boxes and cables in two or three depths, the far ones out of focus; dark, as plant rooms are."""
    tone = muted(rng, 25, 170)
    pen = _on(surface(rng, lighten(tone, -0.5), float(rng.uniform(3, 14))))
    for _ in range(int(rng.integers(1, 3))):
        _layer(pen, rng, tone, int(rng.integers(4, 12)))
        _soften(pen, float(rng.uniform(1.5, 8)))
    if rng.random() < 0.3:
        _bokeh(pen, rng)
    if rng.random() < 0.7:
        _layer(pen, rng, lighten(tone, 0.15), int(rng.integers(1, 5)))
    return light_from(rng, _off(pen), float(rng.uniform(0.0, 0.65)))


def _clutter(rng: Rng) -> Image:
    """As machinery, but near and of any colour."""
    tone = muted(rng, 30, 190)
    pen = _on(surface(rng, tone, float(rng.uniform(2, 14))))
    _layer(pen, rng, tone, int(rng.integers(2, 8)))
    if rng.random() < 0.5:
        _soften(pen, float(rng.uniform(1, 6)))
    _layer(pen, rng, muted(rng), int(rng.integers(1, 8)))
    return light_from(rng, _off(pen), float(rng.uniform(0.0, 0.6)))


def _room(rng: Rng) -> Image:
    """A room out of focus: wall, window or lamp, furniture's edges, a desk in front."""
    wall = warm(rng, 80, 235)
    pen = _on(surface(rng, wall, 6, 32))
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
    _soften(pen, float(rng.uniform(5, 16)))
    if rng.random() < 0.3:
        _bokeh(pen, rng)
    if rng.random() < 0.55:
        edge = float(rng.uniform(0.55, 0.85)) * SIDE
        top = _wood(rng) if rng.random() < 0.6 else surface(rng, muted(rng, 30, 220), 5)
        row = int(edge)
        pen.pixels[row:, :, :3] = top[row:]
        pen.box(0, edge - 2, SIDE, edge + 2, (0, 0, 0), alpha=0.3, blur=3)
    return light_from(rng, _off(pen), float(rng.uniform(0.1, 0.6)))


def _shelf(rng: Rng) -> Image:
    tone = muted(rng, 30, 150)
    pen = _on(surface(rng, lighten(tone, -0.6), 5))
    high = float(rng.uniform(90, 170))
    for row in range(-1, int(SIDE / high) + 1):
        floor, x = (row + 1) * high + float(rng.uniform(-5, 5)), float(rng.uniform(-30, 10))
        while x < SIDE:
            w, h = float(rng.uniform(20, 110)), high * float(rng.uniform(0.35, 0.88))
            if rng.random() < 0.85:
                color = pick(rng, ((168, 124, 78), (190, 150, 100), (230, 230, 225), muted(rng), muted(rng), any_color(rng)))
                _crate(pen, rng, color, x, floor - h, w, h)
                if rng.random() < 0.4:
                    pen.box(x + 0.2 * w, floor - 0.6 * h, x + 0.75 * w, floor - 0.3 * h, (240, 240, 235), 1)
            x += w + float(rng.exponential(8))
        pen.box(
            0, floor, SIDE, floor + 9, tone, shader=linear((0, floor), (0, floor + 9), [rgba(tone), rgba(lighten(tone, -0.6))])
        )
    if rng.random() < 0.6:
        _soften(pen, float(rng.uniform(2, 8)))
    return light_from(rng, _off(pen), float(rng.uniform(0.1, 0.6)))


def _wall(rng: Rng) -> Image:
    color = gray(rng, 60, 215, 10) if rng.random() < 0.6 else warm(rng, 70, 220)
    pen = _on(surface(rng, color, float(rng.uniform(2, 9))))
    style = rng.random()
    if style < 0.45:  # bricks, blocks or tiles
        wide, high = float(rng.uniform(50, 150)), float(rng.uniform(22, 100))
        shift, line = float(rng.choice([0.0, 0.5])), lighten(color, float(rng.choice([-0.4, 0.25])))
        brick = pick(rng, ((140, 75, 55), (165, 100, 75), color, color))
        for row in range(int(SIDE / high) + 1):
            for column in range(int(SIDE / wide) + 2):
                x, y = (column - shift * (row % 2) - 0.3) * wide, row * high
                tone = lighten(brick, float(np.clip(rng.normal(0, 0.08), -0.9, 0.9)))
                pen.box(x + 1.5, y + 1.5, x + wide - 1.5, y + high - 1.5, tone, 1.5, 0.55)
                pen.box(x, y, x + wide, y + high, line, 1, 0.8, stroke=2.5)
    elif style < 0.6:  # corrugated sheet
        pitch = float(rng.uniform(12, 50))
        for k in range(int(SIDE / pitch) + 1):
            ends = [rgba(lighten(color, f)) for f in (-0.35, 0.15, -0.1)]
            pen.box(
                k * pitch, 0, (k + 1) * pitch, SIDE, color, alpha=0.9, shader=linear((k * pitch, 0), ((k + 1) * pitch, 0), ends)
            )
    for _ in range(int(rng.integers(0, 4))):
        _cable(pen, rng, gray(rng, 20, 200))
    return light_from(rng, _off(pen), float(rng.uniform(0.05, 0.65)))


def _metal(rng: Rng) -> Image:
    stretch = int(rng.choice([1, 1, 12, 40]))
    picture = surface(rng, gray(rng, 35, 190, 5), float(rng.uniform(3, 10)), stretch=stretch)
    if rng.random() < 0.3:  # rust coming through
        rust = np.clip(cloud(rng, 0.5) - float(rng.uniform(0.1, 0.9)), 0, 1)
        picture = np.clip(picture * (1 - rust) + rust * np.array([112, 66, 38]), 0, 255).astype(np.uint8)
    picture = picture if rng.random() < 0.5 else np.ascontiguousarray(picture.transpose(1, 0, 2))
    pen = _on(picture)
    for _ in range(int(rng.integers(0, 4))):
        x, y = (float(v) for v in rng.uniform(0, BANK_SIDE, 2))
        pen.disc(x, y, 9, (0, 0, 0), 0.4, 3)
        pen.disc(x, y, 7, gray(rng, 60, 170))
    return light_from(rng, _off(pen), float(rng.uniform(0.0, 0.65)))


def _wood(rng: Rng) -> Image:
    """Boards: long grain, seams, from pale beech to dark oak."""
    level = float(rng.uniform(60, 215))
    color = (int(level), int(level * rng.uniform(0.7, 0.84)), int(level * rng.uniform(0.42, 0.66)))
    base = np.asarray(color, np.float32) + cloud(rng, 4, 256, 1) + cloud(rng, float(rng.uniform(4, 9)), 448, 24, 0.85)
    pen = _on(np.clip(base, 0, 255).astype(np.uint8))
    board = float(rng.uniform(60, 300))
    for k in range(int(SIDE / board) + 1):
        pen.box(0, k * board - 1, SIDE, k * board + 1, lighten(color, -0.6), alpha=0.7, blur=0.5)
    return _off(pen)


def _panel(rng: Rng) -> Image:
    color = gray(rng, 40, 215, 7) if rng.random() < 0.8 else muted(rng)
    pen = _on(surface(rng, color, 2.5))
    for _ in range(int(rng.integers(1, 7))):
        x, y = (float(v) for v in rng.uniform(0, BANK_SIDE, 2))
        _crate(pen, rng, lighten(color, float(rng.uniform(-0.8, 0.2))), x, y, *(float(v) for v in rng.uniform(30, 200, 2)))
    for _ in range(int(rng.integers(0, 5))):
        x, y = (float(v) for v in rng.uniform(0, BANK_SIDE, 2))
        pen.disc(x, y, float(rng.uniform(4, 9)), gray(rng, 60, 180))
        pen.segments([(x - 4, y), (x + 4, y)], (40, 40, 40), 1.5)
    return light_from(rng, _off(pen), float(rng.uniform(0.0, 0.6)))


def _cabinet(rng: Rng) -> Image:
    """Doors of a switchgear cabinet: seams, a lock, hinges, rows of slots."""
    color = pick(rng, ((205, 206, 200), (176, 180, 178), (225, 222, 210), (120, 128, 130), (70, 76, 80), (190, 184, 165)))
    pen = _on(surface(rng, color, 2.0, 64))
    for _ in range(int(rng.integers(1, 4))):
        at = float(rng.uniform(0.05, 0.95)) * SIDE
        if rng.random() < 0.5:
            pen.box(at - 2, 0, at + 2, SIDE, (10, 10, 10), alpha=0.8)
            pen.box(at + 2, 0, at + 4, SIDE, lighten(color, 0.6), alpha=0.6)
        else:
            pen.box(0, at - 2, SIDE, at + 2, (10, 10, 10), alpha=0.8)
            pen.box(0, at + 2, SIDE, at + 4, lighten(color, 0.6), alpha=0.6)
    if rng.random() < 0.6:
        x, y = (float(v) for v in rng.uniform(0.1 * SIDE, 0.8 * SIDE, 2))
        _crate(pen, rng, gray(rng, 15, 60), x, y, float(rng.uniform(18, 30)), float(rng.uniform(60, 110)))
    if rng.random() < 0.4:
        x, y = (float(v) for v in rng.uniform(0, 0.7 * SIDE, 2))
        for k in range(int(rng.integers(5, 14))):
            pen.box(x, y + 11 * k, x + 120, y + 11 * k + 4, lighten(color, -0.7), 2)
    return light_from(rng, _off(pen), float(rng.uniform(0.1, 0.7)))


def _fabric(rng: Rng) -> Image:
    """Woven cloth with folds: a sleeve, a seat, a bag."""
    color = muted(rng, 15, 150)
    axis = np.arange(BANK_SIDE, dtype=np.float32)
    pitch = float(rng.uniform(3, 7))
    weave = np.sin(axis * 2 * math.pi / pitch)[None, :] * np.sin(axis * 2 * math.pi / pitch)[:, None]
    base = np.asarray(color, np.float32) * (1 + 0.16 * weave[..., None]) + cloud(rng, float(rng.uniform(5, 20)), 12, 1, 0.5)
    return light_from(rng, np.clip(base, 0, 255).astype(np.uint8), float(rng.uniform(0.2, 0.7)))


def _gravel(rng: Rng) -> Image:
    tone = warm(rng, 50, 160)
    pen = _on(surface(rng, lighten(tone, -0.55), 8))
    for _ in range(420):
        x, y = (float(v) for v in rng.uniform(0, BANK_SIDE, 2))
        size = float(rng.uniform(4, 18))
        color = lighten(tone, float(np.clip(rng.normal(0, 0.25), -0.9, 0.9)))
        points = [
            (x + size * float(rng.uniform(0.6, 1.1)) * math.cos(t), y + size * float(rng.uniform(0.5, 0.9)) * math.sin(t))
            for t in np.arange(0, 6.2, 0.9).tolist()
        ]
        pen.polygon([(px + 1.5, py + 2.5) for px, py in points], (0, 0, 0), 0.5)
        pen.polygon(points, color)
    return light_from(rng, _off(pen), float(rng.uniform(0.0, 0.6)))


def _outdoor(rng: Rng) -> Image:
    """Sky above, trees or a plant's outline below."""
    sky = pick(rng, ((120, 160, 210), (190, 200, 210), (225, 228, 230), (90, 120, 165), (60, 65, 80)))
    pen = _on(surface(rng, sky, 7, 32))
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
            _pipe(pen, rng, gray(rng, 40, 180), float(rng.uniform(10, 60)))
    _soften(pen, float(rng.uniform(1, 9)))
    return light_from(rng, _off(pen), float(rng.uniform(0.0, 0.4)))


def _screen(rng: Rng) -> Image:
    """A monitor with windows and lines of text."""
    dark = rng.random() < 0.5
    pen = _on(surface(rng, gray(rng, 8, 40) if dark else gray(rng, 190, 245), 1.5, 16))
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
    return _off(pen)


MAKERS: dict[str, Callable[[Rng], Image]] = {
    "clutter": _clutter,
    "machinery": _machinery,
    "room": _room,
    "shelf": _shelf,
    "wall": _wall,
    "metal": _metal,
    "wood": _wood,
    "panel": _panel,
    "cabinet": _cabinet,
    "fabric": _fabric,
    "gravel": _gravel,
    "outdoor": _outdoor,
    "screen": _screen,
}
"""Style -> what draws one picture of its bank."""
