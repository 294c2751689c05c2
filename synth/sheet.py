"""Contact sheets: drawn pictures with their truth on top, for people to look at."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from synth.errors import FactoryError
from synth.manifest import write_atomically
from vision.fields import Point
from vision.samples import InstrumentTruth, PhotoTruth

Picture = NDArray[np.uint8]
SHEET_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")

BOX, NEEDLE, START, END, PIVOT = (40, 220, 90), (255, 40, 40), (255, 210, 0), (255, 120, 0), (0, 220, 255)
NUMERAL, UNIT, LOST, BAND, INK = (90, 130, 255), (255, 0, 255), (150, 150, 150), (18, 18, 20), (245, 245, 245)


def tile(picture: Picture, truth: PhotoTruth, side: int = 384, caption: str = "") -> Picture:
    """A (side + band, side, 3) RGB tile: the picture with boxes, points, numerals and units, its values below."""
    height, width = picture.shape[:2]
    scale = side / max(height, width)
    small = cv2.resize(picture, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
    band = max(30, side // 9)
    canvas = np.full((side + band, side, 3), BAND, np.uint8)
    canvas[: small.shape[0], : small.shape[1]] = small
    for one in truth.instruments:
        draw_truth(canvas, one, scale)
    words = [value_text(one) for one in truth.instruments] or ["no instrument"]
    text = "  |  ".join(words)
    size = side / 850
    room = max(8, int(side / (18 * size)))
    for row, part in enumerate((text[:room], (text[room:] or caption)[:room])):
        _write(canvas, part, (6, side + int(band * (0.42 + 0.45 * row))), size)
    return canvas


def draw_truth(canvas: Picture, one: InstrumentTruth, scale: float) -> None:
    """Mark one instrument's truth on an RGB picture that is `scale` times the one it belongs to."""

    def at(point: Point) -> tuple[int, int]:
        return round(point[0] * scale), round(point[1] * scale)

    x0, y0, x1, y1 = one.box
    color = BOX if one.readable else LOST
    cv2.rectangle(canvas, at((x0, y0)), at((x1, y1)), color, 1, cv2.LINE_AA)
    if not one.readable:
        cv2.line(canvas, at((x0, y0)), at((x1, y1)), LOST, 1, cv2.LINE_AA)
        cv2.line(canvas, at((x0, y1)), at((x1, y0)), LOST, 1, cv2.LINE_AA)
        _write(canvas, "unreadable", (at((x0, y0))[0] + 3, at((x0, y0))[1] + 12), 0.36)
    for number in one.numerals:
        cv2.circle(canvas, at(number.center), 2, NUMERAL, 1, cv2.LINE_AA)
    for unit in one.units:
        cv2.polylines(canvas, [_letters_box(unit.center, unit.height_px, unit.angle_deg, len(unit.text), scale)], True, UNIT, 1)
    points = one.points
    if points.pivot is not None and points.needle_tip is not None:
        cv2.line(canvas, at(points.pivot), at(points.needle_tip), NEEDLE, 1, cv2.LINE_AA)
    for point, tone in ((points.pivot, PIVOT), (points.scale_start, START), (points.scale_end, END), (points.needle_tip, NEEDLE)):
        if point is not None:
            cv2.circle(canvas, at(point), 3, tone, -1, cv2.LINE_AA)


def value_text(one: InstrumentTruth) -> str:
    """What a reader should note, in the letters of an OpenCV font."""
    fields = one.fields
    if not one.readable:
        return f"{fields.kind}: unreadable"
    if fields.kind == "lamp":
        return f"lamp {fields.warning_light_color}"
    if fields.kind == "selector":
        return f"selector {fields.mode_dial_position}"
    shown = (
        fields.digital_readout if fields.digital_readout is not None else (f"{one.value:.4g}" if one.value is not None else "-")
    )
    unit = f" {one.unit}" if one.unit else ""
    angle = f" ({fields.pointer_angle:.1f} deg)" if fields.pointer_angle is not None else ""
    return f"{shown}{unit}{angle}".replace("°", "deg ").replace("³", "3").replace("²", "2")


def sheet(tiles: Sequence[Picture], columns: int = 6) -> Picture:
    """Tiles of one size side by side, row by row. Raises FactoryError where there are none."""
    if not tiles:
        raise FactoryError("a sheet needs at least one picture")
    wide = min(columns, len(tiles))
    blank = np.full_like(tiles[0], BAND[0])
    filled = [*tiles, *[blank] * (-len(tiles) % wide)]
    return np.vstack([np.hstack(filled[row : row + wide]) for row in range(0, len(filled), wide)])


def write_sheet(path: Path, pictures: Iterable[tuple[Picture, PhotoTruth, str]], side: int = 256, columns: int = 6) -> None:
    """Write a contact sheet as JPEG, PNG or WebP. Raises FactoryError for another suffix or a file that cannot be written."""
    check_sheet_name(path)
    whole = sheet([tile(picture, truth, side, caption) for picture, truth, caption in pictures], columns)
    options = [cv2.IMWRITE_JPEG_QUALITY, 82] if path.suffix.lower() in (".jpg", ".jpeg") else []
    _, data = cv2.imencode(path.suffix.lower(), cv2.cvtColor(whole, cv2.COLOR_RGB2BGR), options)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data.tobytes())
    except OSError as error:
        raise FactoryError(f"sheet {path} cannot be written ({error.strerror}): choose another place") from error


def check_sheet_name(path: Path) -> None:
    """Raise FactoryError for a sheet that could not be written where it should, before anything is drawn."""
    if path.suffix.lower() not in SHEET_SUFFIXES:
        raise FactoryError(f"sheet {path} must end in {', '.join(SHEET_SUFFIXES)}")
    if path.is_dir():
        raise FactoryError(f"sheet {path} is a folder: name a file")
    folder = next((parent for parent in path.parents if parent.exists()), None)
    if folder is not None and not folder.is_dir():
        raise FactoryError(f"sheet {path} cannot be written: {folder} is not a folder")


def _letters_box(center: Point, height: float, angle_deg: float, letters: int, scale: float) -> NDArray[np.int32]:
    turn = math.radians(angle_deg)
    across, up = (math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))
    half_w, half_h = (0.5 * 0.85 * max(letters, 1) + 0.2) * height, 0.75 * height
    corners = [
        (center[0] + u * half_w * across[0] + v * half_h * up[0], center[1] + u * half_w * across[1] + v * half_h * up[1])
        for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    return np.asarray(np.round(np.array(corners) * scale), np.int32)


def _write(canvas: Picture, text: str, place: tuple[int, int], size: float) -> None:
    cv2.putText(canvas, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, BAND, 2, cv2.LINE_AA)
    cv2.putText(canvas, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, INK, 1, cv2.LINE_AA)
