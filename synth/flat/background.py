"""Backgrounds: plain ones, and cluttered ones cropped out of a bank that is drawn once a process from fixed seeds."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from synth.draw import any_color, gray
from synth.flat.pen import Pen, lighten, linear, rgba
from synth.scene import Background
from synth.spec import Color

Image = NDArray[np.uint8]
BANK_SIZE = 64
BANK_SIDE = 512


def draw_background(pen: Pen, background: Background) -> None:
    """Fill the whole picture."""
    rng = np.random.default_rng(background.seed)
    height, width = pen.pixels.shape[:2]
    style = background.style
    if style in ("white", "black"):
        level = int(rng.uniform(240, 256) if style == "white" else rng.uniform(0, 14))
        pen.pixels[..., :3] = level
        if rng.random() < 0.4:
            pen.box(0, height * rng.uniform(0.5, 0.95), width, height, (128, 128, 128), alpha=0.12, blur=20)
    elif style == "plain":
        color = gray(rng, 15, 240) if rng.random() < 0.6 else any_color(rng)
        ends = [rgba(lighten(color, float(f))) for f in rng.uniform(-0.35, 0.35, 2)]
        pen.box(0, 0, width, height, color, shader=linear((0, 0), (float(rng.uniform(0, width)), height), ends))
    else:
        _fill_from_bank(pen, style, rng)
    pen.pixels[..., 3] = 255


def _fill_from_bank(pen: Pen, style: str, rng: np.random.Generator) -> None:
    height, width = pen.pixels.shape[:2]
    source = _bank(style)[int(rng.integers(len(_bank(style))))]
    zoom = max(width, height) / BANK_SIDE
    side = int(min(BANK_SIDE, rng.uniform(0.45, 0.95) * BANK_SIDE))
    tall, wide = (
        (side, side) if zoom <= 0 else (max(8, side * height // max(width, height)), max(8, side * width // max(width, height)))
    )
    y, x = int(rng.integers(0, BANK_SIDE - tall + 1)), int(rng.integers(0, BANK_SIDE - wide + 1))
    part = source[y : y + tall, x : x + wide]
    turn = int(rng.integers(4))
    part = part[:: -1 if turn & 1 and style == "clutter" else 1, :: -1 if turn & 2 else 1]
    part = part[..., rng.permutation(3)] if style == "clutter" and rng.random() < 0.25 else part
    picture = cv2.resize(np.ascontiguousarray(part), (width, height), interpolation=cv2.INTER_LINEAR)
    gain, lift = float(rng.uniform(0.45, 1.35)), float(rng.uniform(-10, 35))
    blur = float(rng.choice([0, 0, 1.2, 3.0, 6.0]))
    if blur > 2:  # a strong blur needs no detail: half the size is enough
        picture = cv2.resize(picture, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
        picture = cv2.resize(cv2.GaussianBlur(picture, (0, 0), blur / 2), (width, height), interpolation=cv2.INTER_LINEAR)
    elif blur:
        picture = cv2.GaussianBlur(picture, (0, 0), blur)
    cv2.cvtColor(cv2.convertScaleAbs(picture, alpha=gain, beta=max(0.0, lift)), cv2.COLOR_RGB2RGBA, dst=pen.pixels)


@lru_cache(maxsize=8)
def _bank(style: str) -> tuple[Image, ...]:
    count = BANK_SIZE if style == "clutter" else 12
    makers = {"clutter": _clutter, "wall": _wall, "metal": _metal, "wood": _wood, "panel": _panel}
    return tuple(makers[style](np.random.default_rng([77, index, len(style)])) for index in range(count))


def _grain(rng: np.random.Generator, cells_x: int, cells_y: int, amount: float) -> NDArray[np.float32]:
    field = rng.standard_normal((cells_y, cells_x)).astype(np.float32) * np.float32(amount)
    grown: NDArray[np.float32] = cv2.resize(field, (BANK_SIDE, BANK_SIDE), interpolation=cv2.INTER_CUBIC)
    return grown[..., None]


def _textured(rng: np.random.Generator, color: Color, coarse: float, fine: float, stretch: int = 1) -> Image:
    base = np.ones((BANK_SIDE, BANK_SIDE, 3), np.float32) * np.asarray(color, np.float32)
    base += _grain(rng, 5, 5, coarse) + _grain(rng, 60 // stretch, 60, fine) + _grain(rng, 256 // stretch, 256, fine * 0.7)
    return np.clip(base, 0, 255).astype(np.uint8)


def _on(picture: Image) -> Pen:
    pen = Pen(BANK_SIDE, BANK_SIDE)
    pen.pixels[..., :3] = picture
    pen.pixels[..., 3] = 255
    return pen


def _pipe(pen: Pen, rng: np.random.Generator, color: Color) -> None:
    width, turn = float(rng.uniform(8, 70)), float(rng.choice([0, 90, 0, 90, rng.uniform(0, 180)]))
    pen.canvas.save()
    pen.canvas.translate(*(float(v) for v in rng.uniform(0, BANK_SIDE, 2)))
    pen.canvas.rotate(turn)
    shine = [rgba(lighten(color, f)) for f in (-0.6, 0.15, 0.6, 0.0, -0.4, -0.7)]
    pen.box(-700, -width / 2 + 6, 700, width / 2 + 8, (0, 0, 0), alpha=0.4, blur=6)
    pen.box(-700, -width / 2, 700, width / 2, color, shader=linear((0, -width / 2), (0, width / 2), shine))
    for _ in range(int(rng.integers(0, 3))):
        x, grow = float(rng.uniform(-250, 250)), float(rng.uniform(1.15, 1.7))
        pen.box(
            x,
            -width * grow / 2,
            x + width * 0.5,
            width * grow / 2,
            color,
            3,
            shader=linear((0, -width * grow / 2), (0, width * grow / 2), shine),
        )
    pen.canvas.restore()


def _muted(rng: np.random.Generator) -> Color:
    """A colour as painted machines and rooms have it: seldom fully saturated."""
    color, level, part = any_color(rng), float(rng.uniform(20, 220)), float(rng.uniform(0.2, 1.0)) ** 1.5
    red, green, blue = (int(part * c + (1 - part) * level) for c in color)
    return red, green, blue


def _bokeh(pen: Pen, rng: np.random.Generator) -> None:
    """Lights far out of focus."""
    color = _muted(rng)
    for _ in range(int(rng.integers(5, 30))):
        x, y = (float(v) for v in rng.uniform(0, BANK_SIDE, 2))
        pen.disc(x, y, float(rng.uniform(8, 55)), lighten(color, float(rng.uniform(0.0, 0.9))), float(rng.uniform(0.15, 0.7)), 3)


def _clutter(rng: np.random.Generator) -> Image:
    color = gray(rng, 20, 220, 8) if rng.random() < 0.7 else _muted(rng)
    pen = _on(_textured(rng, color, float(rng.uniform(5, 35)), float(rng.uniform(1, 10))))
    if rng.random() < 0.15:
        _bokeh(pen, rng)
    for _ in range(int(rng.integers(3, 18))):
        tone = lighten(color, float(rng.uniform(-0.8, 0.7))) if rng.random() < 0.65 else _muted(rng)
        x, y = (float(v) for v in rng.uniform(-60, BANK_SIDE + 60, 2))
        w, h = (float(v) for v in rng.uniform(10, 260, 2))
        blur = float(rng.choice([0, 0, 0.8, 3]))
        kind = rng.random()
        if kind < 0.32:
            _pipe(pen, rng, tone)
        elif kind < 0.55:
            shade = linear((x, y), (x + w, y + h), [rgba(lighten(tone, 0.2)), rgba(lighten(tone, -0.3))])
            pen.box(x + 5, y + 6, x + w + 5, y + h + 6, (0, 0, 0), 3, 0.35, 5)
            pen.box(x, y, x + w, y + h, tone, float(rng.uniform(0, 14)), blur=blur, shader=shade)
        elif kind < 0.68:
            pen.disc(x, y, w * 0.45, tone, blur=blur)
            pen.circle(x, y, w * 0.4, lighten(tone, float(rng.uniform(-0.5, 0.5))), float(rng.uniform(1, 12)))
        elif kind < 0.85:
            points = [(x, y)]
            for _ in range(5):
                points.append((points[-1][0] + float(rng.normal(0, 70)), points[-1][1] + float(rng.normal(20, 70))))
            pen.polyline(points, tone, float(rng.uniform(2, 12)), blur=blur)
        else:
            pen.oval(x, y, w * 0.6, h * 0.4, tone, blur=blur)
    return np.ascontiguousarray(pen.pixels[..., :3])


def _wall(rng: np.random.Generator) -> Image:
    color = gray(rng, 90, 235, 10)
    pen = _on(_textured(rng, color, float(rng.uniform(4, 18)), float(rng.uniform(2, 9))))
    if rng.random() < 0.5:
        wide, high = float(rng.uniform(60, 150)), float(rng.uniform(30, 110))
        line = lighten(color, float(rng.choice([-0.35, 0.25])))
        for row in range(int(BANK_SIDE / high) + 1):
            pen.segments([(0, row * high), (BANK_SIDE, row * high)], line, 3)
            for column in range(int(BANK_SIDE / wide) + 2):
                x = (column - 0.5 * (row % 2)) * wide
                pen.segments([(x, row * high), (x, (row + 1) * high)], line, 3)
    return np.ascontiguousarray(pen.pixels[..., :3])


def _metal(rng: np.random.Generator) -> Image:
    picture = _textured(
        rng, gray(rng, 60, 200), float(rng.uniform(5, 25)), float(rng.uniform(3, 10)), stretch=int(rng.choice([1, 12, 30]))
    )
    return picture if rng.random() < 0.5 else np.ascontiguousarray(picture.transpose(1, 0, 2))


def _wood(rng: np.random.Generator) -> Image:
    color = (int(rng.uniform(120, 215)), int(rng.uniform(90, 165)), int(rng.uniform(50, 115)))
    return _textured(rng, color, float(rng.uniform(4, 14)), float(rng.uniform(5, 14)), stretch=15)


def _panel(rng: np.random.Generator) -> Image:
    color = gray(rng, 90, 225) if rng.random() < 0.7 else any_color(rng)
    pen = _on(_textured(rng, color, 6, 2))
    for _ in range(int(rng.integers(1, 7))):
        x, y = (float(v) for v in rng.uniform(0, BANK_SIDE, 2))
        w, h = (float(v) for v in rng.uniform(30, 200, 2))
        pen.box(x, y, x + w, y + h, lighten(color, float(rng.uniform(-0.7, 0.4))), 4)
        pen.box(x, y, x + w, y + h, lighten(color, -0.6), 4, stroke=2)
    for _ in range(int(rng.integers(0, 12))):
        x, y = (float(v) for v in rng.uniform(0, BANK_SIDE, 2))
        pen.disc(x, y, float(rng.uniform(3, 12)), any_color(rng))
    return np.ascontiguousarray(pen.pixels[..., :3])
