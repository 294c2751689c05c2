"""Rare faults of pictures: rain, screens photographed, rolling bars, interlacing, watermarks. 8-bit RGB in and out.

Every function takes the generator first and draws from it alone.
"""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Rng = np.random.Generator


def add_rain(rng: Rng, picture: Image, strength: float) -> Image:
    """Drops on the lens, each a small upside-down world out of focus, and streaks of falling rain."""
    height, width = picture.shape[:2]
    side = max(height, width)
    small = cv2.resize(picture, (max(8, width // 4), max(8, height // 4)), interpolation=cv2.INTER_AREA)
    soft = cv2.resize(cv2.GaussianBlur(small, (0, 0), 3.0)[::-1, ::-1], (width, height), interpolation=cv2.INTER_LINEAR)
    soft = cv2.convertScaleAbs(soft, alpha=1.08, beta=10)
    mask = np.zeros((height, width), np.uint8)
    for _ in range(int(3 + 22 * strength)):
        radius = side * float(rng.exponential(0.012)) + 1.5
        x, y = float(rng.uniform(0, width)), float(rng.uniform(0, height))
        axes = (int(min(radius, 0.06 * side)), int(min(radius, 0.06 * side) * rng.uniform(0.9, 1.4)))
        cv2.ellipse(mask, (int(x), int(y)), axes, 0, 0, 360, int(rng.uniform(150, 255)), -1, cv2.LINE_AA)
    mask = cv2.GaussianBlur(mask, (0, 0), 1.2)
    picture = _mix(picture, soft, mask)
    streaks = np.zeros((height, width), np.uint8)
    lean, length = float(rng.normal(0, 0.12)), side * float(rng.uniform(0.03, 0.1))
    for _ in range(int(100 * strength)):
        x, y = float(rng.uniform(0, width)), float(rng.uniform(0, height))
        end = (int(x + lean * length), int(y + length))
        cv2.line(streaks, (int(x), int(y)), end, int(rng.uniform(20, 90)), 1, cv2.LINE_AA)
    return _added(picture, streaks)


def _mix(first: Image, second: Image, mask: Image) -> Image:
    part = cv2.cvtColor(mask, cv2.COLOR_GRAY2RGB)
    kept = cv2.multiply(first, cv2.bitwise_not(part), scale=1 / 255)
    mixed: Image = cv2.add(kept, cv2.multiply(second, part, scale=1 / 255))
    return mixed


def _added(picture: Image, gray: Image) -> Image:
    lit: Image = cv2.add(picture, cv2.cvtColor(gray, cv2.COLOR_GRAY2RGB))
    return lit


def _waves(rng: Rng, height: int, width: int, pitch: float, turn: float) -> NDArray[np.float32]:
    """A plane wave -1..1 of `pitch` pixels, slightly curved: the sum cos(a+b) taken apart into rows and columns."""
    row, column = np.arange(height, dtype=np.float32), np.arange(width, dtype=np.float32)
    across, down = 2 * math.pi * math.cos(turn) / pitch, 2 * math.pi * math.sin(turn) / pitch
    bend = float(rng.normal(0, 0.4)) / max(height, width)
    a = across * column * (1 + bend * column) + float(rng.uniform(0, 6.28))
    b = down * row * (1 + bend * row)
    wave: NDArray[np.float32] = np.outer(np.cos(b), np.cos(a)) - np.outer(np.sin(b), np.sin(a))
    return wave


def add_moire(rng: Rng, picture: Image, strength: float) -> Image:
    """Bands where a screen's grid meets the sensor's: coarse coloured waves and a fine grid."""
    height, width = picture.shape[:2]
    turn, pitch = float(rng.uniform(0, math.pi)), float(rng.uniform(5, 40))
    channels = [_waves(rng, height, width, pitch * f, turn + 0.05 * i) for i, f in enumerate((1.0, 1.03, 0.97))]
    grid = _waves(rng, height, width, float(rng.uniform(2.1, 3.5)), float(rng.choice([0.0, math.pi / 2])))
    field = np.stack(channels, axis=-1) * np.float32(16 * strength) + grid[..., None] * np.float32(9 * strength)
    crossed: Image = cv2.add(picture, field, dtype=cv2.CV_8U)
    return crossed


def add_banding(rng: Rng, picture: Image, strength: float) -> Image:
    """Bars of a rolling shutter under lamps that flicker with the mains."""
    height, width = picture.shape[:2]
    pitch, phase = height * float(rng.uniform(0.12, 0.7)), float(rng.uniform(0, 6.28))
    wave = 0.5 - 0.5 * np.cos(2 * math.pi * np.arange(height) / pitch + phase)
    rows = (255 * (1 - 0.45 * strength * wave)).astype(np.uint8)
    mask = np.ascontiguousarray(np.broadcast_to(rows[:, None, None], (height, width, 3)))
    barred: Image = cv2.multiply(picture, mask, scale=1 / 255)
    return barred


def interlace(picture: Image, shift_px: float) -> Image:
    """Two half pictures of a moving camera: every other line is shifted."""
    height, width = picture.shape[:2]
    move = np.array([[1.0, 0.0, shift_px], [0.0, 1.0, 0.0]])
    woven = picture.copy()
    woven[1::2] = cv2.warpAffine(picture, move, (width, height), borderMode=cv2.BORDER_REPLICATE)[1::2]
    return woven


def local_contrast(picture: Image, strength: float) -> Image:
    """The look of merged exposures: large shapes flattened, edges with wide halos."""
    height, width = picture.shape[:2]
    small = cv2.resize(picture, (max(8, width // 8), max(8, height // 8)), interpolation=cv2.INTER_AREA)
    wide = cv2.resize(cv2.GaussianBlur(small, (0, 0), 3.0), (width, height), interpolation=cv2.INTER_LINEAR)
    strong: Image = cv2.addWeighted(picture, 1 + strength, wide, -strength * 1.1, 14 * strength)
    return strong


def add_grid(rng: Rng, picture: Image, strength: float) -> Image:
    """A stock photo's watermark: pale diagonal lines and a made-up word, repeated."""
    height, width = picture.shape[:2]
    side = max(height, width)
    step, turn = int(side * rng.uniform(0.14, 0.4)), float(rng.choice([-1.0, 1.0])) * float(rng.uniform(0.4, 1.2))
    ink = np.zeros((height, width), np.uint8)
    level = int(30 + 70 * strength)
    if rng.random() < 0.6:
        for start in range(-side, 2 * side, step):
            cv2.line(ink, (start, 0), (int(start + side * turn), side), level, 1, cv2.LINE_AA)
            cv2.line(ink, (start, 0), (int(start - side * turn), side), level, 1, cv2.LINE_AA)
    word = "".join("aeioustmrlnkp"[int(i)] for i in rng.integers(0, 13, int(rng.integers(4, 8))))
    size = side / 384 * float(rng.uniform(0.4, 0.9))
    for y in range(step // 2, height, step):
        for x in range(-step // 4, width, max(step, int(90 * size))):
            cv2.putText(ink, word, (x, y), cv2.FONT_HERSHEY_DUPLEX, size, level, 1, cv2.LINE_AA)
    return _added(picture, ink)


@lru_cache(maxsize=16)
def spin_steps(turn_deg: float) -> tuple[float, ...]:
    """Turns whose mean makes a smooth rotational blur of `turn_deg` in all."""
    count = int(min(max(4, round(turn_deg * 2)), 12))
    return tuple(turn_deg * ((k + 0.5) / count - 0.5) for k in range(count))


def spin_blur(picture: Image, turn_deg: float) -> Image:
    """Blur by turning about the middle during the exposure."""
    height, width = picture.shape[:2]
    total = np.zeros(picture.shape, np.float32)
    steps = spin_steps(round(turn_deg, 2))
    for turn in steps:
        matrix = cv2.getRotationMatrix2D((width / 2 - 0.5, height / 2 - 0.5), turn, 1.0)
        moved = cv2.warpAffine(picture, matrix, (width, height), borderMode=cv2.BORDER_REFLECT_101)
        cv2.accumulate(moved, total)
    blurred: Image = cv2.convertScaleAbs(total, alpha=1.0 / len(steps))
    return blurred
