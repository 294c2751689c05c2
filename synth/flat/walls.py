"""Surfaces behind instruments: walls, metal, wood, panels, cabinets, cloth, gravel."""

from __future__ import annotations

import math

import numpy as np

from synth.draw import gray, pick
from synth.flat.clutter import SIDE, Image, Rng, add_cable, add_crate, pen_on, picture_of
from synth.flat.pen import lighten, linear, rgba
from synth.flat.textures import BANK_SIDE, cloud, light_from, muted, surface, warm


def draw_wall(rng: Rng) -> Image:
    """Plaster, bricks, blocks, tiles or corrugated sheet, at times with cables on it."""
    color = gray(rng, 60, 215, 10) if rng.random() < 0.6 else warm(rng, 70, 220)
    pen = pen_on(surface(rng, color, float(rng.uniform(2, 9))))
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
        add_cable(pen, rng, gray(rng, 20, 200))
    return light_from(rng, picture_of(pen), float(rng.uniform(0.05, 0.65)))


def draw_metal(rng: Rng) -> Image:
    """Sheet metal, brushed or not, at times with rust and screws."""
    stretch = int(rng.choice([1, 1, 12, 40]))
    picture = surface(rng, gray(rng, 35, 190, 5), float(rng.uniform(3, 10)), stretch=stretch)
    if rng.random() < 0.3:  # rust coming through
        rust = np.clip(cloud(rng, 0.5) - float(rng.uniform(0.1, 0.9)), 0, 1)
        picture = np.clip(picture * (1 - rust) + rust * np.array([112, 66, 38]), 0, 255).astype(np.uint8)
    picture = picture if rng.random() < 0.5 else np.ascontiguousarray(picture.transpose(1, 0, 2))
    pen = pen_on(picture)
    for _ in range(int(rng.integers(0, 4))):
        x, y = (float(v) for v in rng.uniform(0, BANK_SIDE, 2))
        pen.disc(x, y, 9, (0, 0, 0), 0.4, 3)
        pen.disc(x, y, 7, gray(rng, 60, 170))
    return light_from(rng, picture_of(pen), float(rng.uniform(0.0, 0.65)))


def draw_wood(rng: Rng) -> Image:
    """Boards: long grain, seams, from pale beech to dark oak."""
    level = float(rng.uniform(60, 215))
    color = (int(level), int(level * rng.uniform(0.7, 0.84)), int(level * rng.uniform(0.42, 0.66)))
    base = np.asarray(color, np.float32) + cloud(rng, 4, 256, 1) + cloud(rng, float(rng.uniform(4, 9)), 448, 24, 0.85)
    pen = pen_on(np.clip(base, 0, 255).astype(np.uint8))
    board = float(rng.uniform(60, 300))
    for k in range(int(SIDE / board) + 1):
        pen.box(0, k * board - 1, SIDE, k * board + 1, lighten(color, -0.6), alpha=0.7, blur=0.5)
    return picture_of(pen)


def draw_panel(rng: Rng) -> Image:
    """A front with boxes and screws."""
    color = gray(rng, 40, 215, 7) if rng.random() < 0.8 else muted(rng)
    pen = pen_on(surface(rng, color, 2.5))
    for _ in range(int(rng.integers(1, 7))):
        x, y = (float(v) for v in rng.uniform(0, BANK_SIDE, 2))
        add_crate(pen, rng, lighten(color, float(rng.uniform(-0.8, 0.2))), x, y, *(float(v) for v in rng.uniform(30, 200, 2)))
    for _ in range(int(rng.integers(0, 5))):
        x, y = (float(v) for v in rng.uniform(0, BANK_SIDE, 2))
        pen.disc(x, y, float(rng.uniform(4, 9)), gray(rng, 60, 180))
        pen.segments([(x - 4, y), (x + 4, y)], (40, 40, 40), 1.5)
    return light_from(rng, picture_of(pen), float(rng.uniform(0.0, 0.6)))


def draw_cabinet(rng: Rng) -> Image:
    """Doors of a switchgear cabinet: seams, a lock, hinges, rows of slots."""
    color = pick(rng, ((205, 206, 200), (176, 180, 178), (225, 222, 210), (120, 128, 130), (70, 76, 80), (190, 184, 165)))
    pen = pen_on(surface(rng, color, 2.0, 64))
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
        add_crate(pen, rng, gray(rng, 15, 60), x, y, float(rng.uniform(18, 30)), float(rng.uniform(60, 110)))
    if rng.random() < 0.4:
        x, y = (float(v) for v in rng.uniform(0, 0.7 * SIDE, 2))
        for k in range(int(rng.integers(5, 14))):
            pen.box(x, y + 11 * k, x + 120, y + 11 * k + 4, lighten(color, -0.7), 2)
    return light_from(rng, picture_of(pen), float(rng.uniform(0.1, 0.7)))


def draw_fabric(rng: Rng) -> Image:
    """Woven cloth with folds: a sleeve, a seat, a bag."""
    color = muted(rng, 15, 150)
    axis = np.arange(BANK_SIDE, dtype=np.float32)
    pitch = float(rng.uniform(3, 7))
    weave = np.sin(axis * 2 * math.pi / pitch)[None, :] * np.sin(axis * 2 * math.pi / pitch)[:, None]
    base = np.asarray(color, np.float32) * (1 + 0.16 * weave[..., None]) + cloud(rng, float(rng.uniform(5, 20)), 12, 1, 0.5)
    return light_from(rng, np.clip(base, 0, 255).astype(np.uint8), float(rng.uniform(0.2, 0.7)))


def draw_gravel(rng: Rng) -> Image:
    tone = warm(rng, 50, 160)
    pen = pen_on(surface(rng, lighten(tone, -0.55), 8))
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
    return light_from(rng, picture_of(pen), float(rng.uniform(0.0, 0.6)))
