"""Hand labels of real photos: a folder with `labels.csv` and `images/`, one row a photo.

Columns used: id, source_repo, kind, n_instruments, bbox_of_main_dial (x0 y0 x1 y1), scale_min, scale_max,
unit, reading, reading_lo, reading_hi, pointer_angle_deg (upright frame, clockwise from 6 o'clock), notes.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Literal

from eval.score import EvalError
from eval.values import inside
from vision.fields import Box, Contract

LABELS_NAME = "labels.csv"
IMAGES_NAME = "images"
IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".JPG", ".JPEG", ".PNG")

Group = Literal["moving dial", "resting dial", "digital", "counter", "panel", "out of scope"]
GROUPS: tuple[Group, ...] = ("moving dial", "resting dial", "digital", "counter", "panel", "out of scope")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_ROLL = re.compile(r"roll_deg=(-?\d+(?:\.\d+)?)")
_CLOCK = re.compile(r"\d+:\d+")


class LabelError(EvalError):
    """A label folder or a row of it that cannot be read; the message names file and line."""


class PhotoLabel(Contract):
    """What is true of one real photo. `roll_deg`: how far the dial is turned clockwise in the picture."""

    id: str
    image: str
    source: str
    kind: str
    instruments: int
    box: Box | None
    scale_min: float | None
    scale_max: float | None
    unit: str | None
    reading: float | None
    low: float | None
    high: float | None
    pointer_angle: float | None
    roll_deg: float
    notes: str

    @property
    def at_rest(self) -> bool:
        """Whether the accepted interval holds 0 or the scale's first value: a needle that shows nothing."""
        if self.low is None or self.high is None:
            return False
        rests = (0.0,) if self.scale_min is None else (0.0, self.scale_min)
        return any(inside(rest, self.low, self.high) for rest in rests)

    @property
    def group(self) -> Group:
        """The group in which the photo is reported; dials and dial thermometers go together."""
        if self.kind in ("dashboard", "lamp_panel"):
            return "panel"
        if self.reading is None or self.kind not in ("dial", "thermometer", "digital", "counter"):
            return "out of scope"
        if self.kind in ("dial", "thermometer"):
            return "resting dial" if self.at_rest else "moving dial"
        return "digital" if self.kind == "digital" else "counter"

    @property
    def noted_intervals(self) -> tuple[tuple[float, float], ...]:
        """Numbers that the notes name (an odometer, a counter, a tachometer): seen by the labeller too, so not made up.

        One with decimals is known to half its last digit ("about 1.0"), a whole one as it stands.
        """
        found = []
        for text in _NUMBER.findall(_CLOCK.sub(" ", self.notes)):
            half = 0.5 * 10.0 ** -len(text.partition(".")[2]) if "." in text else 0.0
            found.append((float(text) - half, float(text) + half))
        return tuple(found)


def read_labels(folder: Path) -> list[PhotoLabel]:
    """All labels of a folder in file order. Raises LabelError where a row or its image is missing or malformed."""
    path = folder / LABELS_NAME
    if not path.is_file():
        raise LabelError(f"{folder} is not a folder of labelled photos: it has no {LABELS_NAME}")
    with path.open(encoding="utf-8-sig", newline="") as lines:
        labels = [_label(row, folder, f"{path}:{number}") for number, row in enumerate(csv.DictReader(lines), 2)]
    if not labels:
        raise LabelError(f"{path} holds no labels")
    return labels


def _label(row: dict[str, str | None], folder: Path, where: str) -> PhotoLabel:
    text = {key: (value or "").strip() for key, value in row.items() if key is not None and not isinstance(value, list)}
    try:
        roll = _ROLL.search(text.get("notes", ""))
        reading = _number(text["reading"])
        return PhotoLabel(
            id=text["id"],
            image=_image(folder, text["id"], where),
            source=text.get("source_repo", ""),
            kind=text["kind"],
            instruments=int(text.get("n_instruments") or 1),
            box=_box(text.get("bbox_of_main_dial", "")),
            scale_min=_number(text.get("scale_min", "")),
            scale_max=_number(text.get("scale_max", "")),
            unit=text.get("unit") or None,
            reading=reading,
            low=_number(text["reading_lo"]) if reading is not None else None,
            high=_number(text["reading_hi"]) if reading is not None else None,
            pointer_angle=_number(text.get("pointer_angle_deg", "")),
            roll_deg=float(roll.group(1)) if roll else 0.0,
            notes=text.get("notes", ""),
        )
    except (KeyError, ValueError) as error:
        raise LabelError(f"{where} is not a photo label: {error}") from error


def _number(text: str) -> float | None:
    """The number, or None where there is none (a clock's 7:37 is no value)."""
    return None if not text or _CLOCK.fullmatch(text) else float(text)


def _box(text: str) -> Box | None:
    if not text:
        return None
    sides = [float(part) for part in text.split()]
    if len(sides) != 4:
        raise ValueError(f"a box needs x0 y0 x1 y1, got {text!r}")
    return sides[0], sides[1], sides[2], sides[3]


def _image(folder: Path, photo_id: str, where: str) -> str:
    if not photo_id or Path(photo_id).name != photo_id:
        raise LabelError(f"{where}: {photo_id!r} is not a plain photo id")
    for suffix in IMAGE_SUFFIXES:
        if (folder / IMAGES_NAME / f"{photo_id}{suffix}").is_file():
            return f"{IMAGES_NAME}/{photo_id}{suffix}"
    raise LabelError(f"{where}: no image of {photo_id!r} in {folder / IMAGES_NAME}")
