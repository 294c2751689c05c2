"""Decimal points of a display: looked for in the pixels where OCR saw digits alone."""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from vision.numerals import PrintedText
from vision.text_strips import Pixels

POINT_SIDE_SHARE = (0.05, 0.26)
STRIP_HEIGHT_PX = 64
SLANTS = (0.0, 0.1, 0.2)


def with_point(text: PrintedText, crop: Pixels) -> PrintedText:
    """The text with a point put in where the pixels show one at the foot between two digits."""
    plain = text.text
    if not re.fullmatch(r"[+-]?[0-9]{2,}", plain) or len(text.character_centers) != len(plain):
        return text
    places = points_along(text, crop)
    if len(places) != 1:
        return text
    turn = math.radians(text.angle_deg)
    along = [(x - text.center[0]) * math.cos(turn) + (y - text.center[1]) * math.sin(turn) for x, y in text.character_centers]
    before = sum(1 for at in along if at < places[0])
    if not 0 < before < len(plain):
        return text
    x, y = text.center[0] + places[0] * math.cos(turn), text.center[1] + places[0] * math.sin(turn)
    centers = (*text.character_centers[:before], (x, y), *text.character_centers[before:])
    return text._replace(text=f"{plain[:before]}.{plain[before:]}", character_centers=centers)


def points_along(text: PrintedText, crop: Pixels) -> list[float]:
    """Places of points, in pixels along the text from its centre: ink at the foot with none above it."""
    ink = _upright_ink(text, crop)
    rows = np.flatnonzero(ink.mean(axis=1) > 0.02)
    if rows.size < 8:
        return []
    top, foot = int(rows[0]), int(rows[-1]) + 1
    height = foot - top
    band = ink[foot - max(2, round(0.16 * height)) : foot].mean(axis=0)
    above = ink[top : foot - max(3, round(0.26 * height))].mean(axis=0)
    columns = np.flatnonzero((band >= 0.4) & (above <= 0.06))
    places: list[float] = []
    for run in np.split(columns, np.flatnonzero(np.diff(columns) > 2) + 1):
        if POINT_SIDE_SHARE[0] * height <= run.size <= POINT_SIDE_SHARE[1] * height:
            places.append((float(run.mean()) + 0.5) / ink.shape[1] * text.width_px - text.width_px / 2)
    return places


def _upright_ink(text: PrintedText, crop: Pixels) -> NDArray[np.bool_]:
    """Ink of the text's box, level, 64 px high; slanted digits are sheared upright, as their columns separate best."""
    import cv2

    height = STRIP_HEIGHT_PX
    width = max(height, round(height * text.width_px / text.height_px))
    turn = math.radians(text.angle_deg)
    step_x, step_y = text.width_px / width, text.height_px / height
    axes = np.array([[math.cos(turn) * step_x, -math.sin(turn) * step_y], [math.sin(turn) * step_x, math.cos(turn) * step_y]])
    best: NDArray[np.bool_] | None = None
    best_spread = -1.0
    for slant in SLANTS:
        sheared = axes @ np.array([[1.0, -slant], [0.0, 1.0]])
        origin = np.asarray(text.center) - sheared @ np.array([width / 2, height / 2])
        matrix = np.column_stack([sheared, origin])
        how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        gray = cv2.cvtColor(
            cv2.warpAffine(crop, matrix, (width, height), flags=how, borderMode=cv2.BORDER_REPLICATE), cv2.COLOR_RGB2GRAY
        )
        _, mask = cv2.threshold(np.asarray(gray, np.uint8), 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
        ink = np.asarray(mask) > 0
        ink = ~ink if ink.mean() > 0.5 else ink
        spread = float(ink.mean(axis=0).std())
        if spread > best_spread:
            best, best_spread = ink, spread
    assert best is not None
    return best
