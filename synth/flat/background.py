"""Backgrounds: plain ones, and ones cropped out of banks that are drawn once a process from fixed seeds."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from synth.camera import blur
from synth.draw import any_color, gray
from synth.errors import BackgroundError
from synth.flat.pen import Pen, lighten, linear, rgba
from synth.flat.photo_background import PhotoBackgrounds
from synth.flat.rooms import MAKERS
from synth.flat.textures import BANK_SIDE
from synth.scene import Background

__all__ = ["PhotoBackgrounds", "draw_background"]

Image = NDArray[np.uint8]
BANK_SIZE = {"clutter": 20, "machinery": 32, "room": 20}
OTHER_BANK_SIZE = 8
FLIPPABLE = frozenset({"clutter", "machinery", "metal", "fabric", "gravel", "wood"})
"""Styles that have no top and bottom."""


def draw_background(pen: Pen, background: Background, photos: PhotoBackgrounds | None = None) -> None:
    """Fill the whole picture. `photos` serves the style "photo": BackgroundError where it is missing."""
    rng = np.random.default_rng(background.seed)
    style = background.style
    if style in ("white", "black"):
        _even(pen, style == "white", rng)
    elif style == "plain":
        _plain(pen, rng)
    elif style == "product":
        _product(pen, rng)
    elif style == "photo":
        if photos is None:
            raise BackgroundError(f"the scene shows the photo {background.photo!r}: give the folder that holds it")
        height, width = pen.pixels.shape[:2]
        cv2.cvtColor(photos.crop(background.photo, width, height, rng), cv2.COLOR_RGB2RGBA, dst=pen.pixels)
    else:
        _fill_from_bank(pen, style, rng)
    pen.pixels[..., 3] = 255


def prepare() -> None:
    """Draw every bank now: about two seconds, and 0.1 GB for as long as the process runs.

    Without it a bank's picture is drawn when it is first needed; the pictures are the same either way.
    """
    for style in MAKERS:
        for index in range(BANK_SIZE.get(style, OTHER_BANK_SIZE)):
            _bank(style, index)


def _even(pen: Pen, light: bool, rng: np.random.Generator) -> None:
    height, width = pen.pixels.shape[:2]
    pen.pixels[..., :3] = int(min(255.0, rng.uniform(240, 262)) if light else max(0.0, rng.uniform(-8, 16)))
    if rng.random() < 0.25:
        edge = height * float(rng.uniform(0.5, 0.95))
        fade = linear((0, edge - 0.08 * height), (0, edge + 0.08 * height), [rgba((128, 128, 128), f) for f in (0.0, 0.12)])
        pen.box(0, edge - 0.08 * height, width, height, (128, 128, 128), shader=fade)


def _plain(pen: Pen, rng: np.random.Generator) -> None:
    height, width = pen.pixels.shape[:2]
    color = any_color(rng) if rng.random() < 0.12 else gray(rng, 12, 235, 9)
    ends = [rgba(lighten(color, float(f))) for f in rng.uniform(-0.4, 0.25, 2)]
    pen.box(0, 0, width, height, color, shader=linear((0, 0), (float(rng.uniform(0, width)), height), ends))


def _product(pen: Pen, rng: np.random.Generator) -> None:
    """A photographer's table: a pale or dark sweep without a corner, a soft shadow or a mirror's edge below."""
    height, width = pen.pixels.shape[:2]
    level = int(rng.uniform(205, 253)) if rng.random() < 0.75 else int(rng.uniform(15, 120))
    tint = (level, int(min(255, level * rng.uniform(0.97, 1.01))), int(min(255, level * rng.uniform(0.93, 1.03))))
    floor = height * float(rng.uniform(0.55, 0.9))
    shades = [rgba(lighten(tint, float(f))) for f in (rng.uniform(-0.12, 0.1), 0.0, rng.uniform(-0.25, 0.1))]
    pen.box(0, 0, width, height, tint, shader=linear((0, floor - 0.4 * height), (0, height), shades))
    if rng.random() < 0.6:
        x, wide = width * float(rng.uniform(0.4, 0.6)), width * float(rng.uniform(0.15, 0.4))
        pen.oval(x, height * float(rng.uniform(0.88, 1.0)), wide, height * 0.035, (0, 0, 0), 0.35, 0.03 * width)


def _fill_from_bank(pen: Pen, style: str, rng: np.random.Generator) -> None:
    height, width = pen.pixels.shape[:2]
    source = _bank(style, int(rng.integers(BANK_SIZE.get(style, OTHER_BANK_SIZE))))
    side = int(BANK_SIDE * rng.uniform(0.45, 0.98))
    tall, wide = max(8, side * height // max(width, height)), max(8, side * width // max(width, height))
    y, x = int(rng.integers(0, BANK_SIDE - tall + 1)), int(rng.integers(0, BANK_SIDE - wide + 1))
    part = source[y : y + tall, x : x + wide, :]
    turn = int(rng.integers(4))
    if style in ("clutter", "fabric") and rng.random() < 0.2:
        part = np.ascontiguousarray(part[..., rng.permutation(3)])
    soft = float(rng.choice([0, 0, 0, 1.2, 3.0])) * max(width, height) / 384
    # What is well lit and what is not: most of what stands behind an instrument is darker than its face.
    gain, lift = float(np.exp(rng.normal(0.14, 0.32))), float(max(0.0, rng.normal(0, 9)))
    scale = min(gain, 1.5)
    if soft > 2:
        small = cv2.resize(part, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
        picture = cv2.resize(cv2.GaussianBlur(small, (0, 0), soft / 2), (width, height), interpolation=cv2.INTER_LINEAR)
    else:
        picture = cv2.resize(part, (width, height), interpolation=cv2.INTER_LINEAR)
        picture = blur(picture, soft) if soft else picture
    flips = (turn & 1 and style in FLIPPABLE, turn & 2)
    if any(flips):
        picture = cv2.flip(picture, -1 if all(flips) else 0 if flips[0] else 1)
    cv2.cvtColor(cv2.convertScaleAbs(picture, alpha=scale, beta=lift), cv2.COLOR_RGB2RGBA, dst=pen.pixels)


@lru_cache(maxsize=256)
def _bank(style: str, index: int) -> Image:
    """One picture of a style's bank; drawn when it is first needed."""
    return MAKERS[style](np.random.default_rng([77, index, *style.encode()]))
