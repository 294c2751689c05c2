"""Further looks for the unit of a face on which none was read: local contrast, print round the rim, a finer size.

Each look is the packaged OCR's, on the face shown in another way; what it reads comes back in the face's own pixels. They
cost a second together, so they are taken for a dial only whose number is known and whose unit is not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from vision.fields import Point
from vision.numerals import FINE_SIDE_PX, NumeralReader, PrintedText
from vision.printed_units import find_units, plain_text
from vision.text_strips import Floats, Pixels

CONTRAST_LIMIT, CONTRAST_TILES = 3.0, (8, 8)
RING = (0.3, 1.05)
"""Inner and outer radius of the ring of print, in halves of the face's sides."""
RING_OVERLAP = 1.1
"""Of a whole turn: a line of print that the cut would part is whole at the other end."""
RING_STEP = 0.7
"""Radius at which the ring keeps its size along the rim, in halves of the face's sides: where such print mostly stands."""
RING_SIDE_PX = 1280
SURE_TEXT, LEAST_CONFIDENCE = 0.9, 0.7
LONE = ("℃", "℉", "C", "F")
"""Single characters that are a unit also where nothing was read before: degrees, with the ring lost or not."""


def units_seen_otherwise(
    reader: NumeralReader, face: Pixels, known: Sequence[PrintedText], *, seen_finer: bool = False
) -> tuple[PrintedText, ...]:
    """Texts with a unit from the first further look at `face` (uint8 RGB) that shows one, in its pixels; none where none does.

    `known` texts are not read again; `seen_finer`: they come from the finer size too. A lone V or A
    is no unit here: a face has many strokes like them.
    """
    sure = [text for text in known if text.confidence >= SURE_TEXT]
    for texts in _looks(reader, face, sure, seen_finer):
        found = tuple(text for text in texts if text.confidence >= LEAST_CONFIDENCE and _shows_unit(text))
        if found:
            return found
    return ()


def _shows_unit(text: PrintedText) -> bool:
    letters = plain_text(text.text).strip("()[] .,:;")
    return (len(letters) > 1 or letters in LONE) and bool(find_units([text]))


def _looks(
    reader: NumeralReader, face: Pixels, known: Sequence[PrintedText], seen_finer: bool
) -> Iterator[tuple[PrintedText, ...]]:
    finer = NumeralReader(RING_SIDE_PX)
    for inward in (True, False):
        ring = Ring(face, inward)
        yield tuple(ring.on_face(text) for text in finer.read(ring.pixels))
    yield reader.look(with_local_contrast(face), known=known).texts
    if not seen_finer:
        yield NumeralReader(FINE_SIDE_PX).look(face, known=known).texts


def with_local_contrast(face: Pixels) -> Pixels:
    """The face with its lightness spread out patch by patch, its colours as they are: faint print stands out."""
    lab = cv2.cvtColor(face, cv2.COLOR_RGB2LAB)
    lab[..., 0] = cv2.createCLAHE(CONTRAST_LIMIT, CONTRAST_TILES).apply(lab[..., 0])
    return np.asarray(cv2.cvtColor(lab, cv2.COLOR_LAB2RGB), np.uint8)


class Ring:
    """The print about the middle of a face laid straight; `inward`: letters whose tops are towards the middle.

    A face seen aslant is an ellipse: both its half axes are those of the picture.
    """

    def __init__(self, face: Pixels, inward: bool) -> None:
        height, width = face.shape[:2]
        self._half: Point = (width / 2.0, height / 2.0)
        self._inward = inward
        side = min(self._half)
        rows = max(8, round(side * (RING[1] - RING[0])))
        columns = max(8, round(2.0 * math.pi * RING_STEP * side * RING_OVERLAP))
        self._shape = (rows, columns)
        x, y = self._place(np.arange(0.5, columns, dtype=np.float64)[None, :], np.arange(0.5, rows, dtype=np.float64)[:, None])
        self.pixels: Pixels = np.asarray(
            cv2.remap(face, x.astype(np.float32), y.astype(np.float32), cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE),
            np.uint8,
        )

    def on_face(self, text: PrintedText) -> PrintedText:
        """A text read on the ring, where it stands on the face."""
        start, end = self._point(text.center, -1.0), self._point(text.center, 1.0)
        x, y = text.center
        inner, outer = self._point((x, y - 0.5 * text.height_px)), self._point((x, y + 0.5 * text.height_px))
        height = math.dist(inner, outer)
        return text._replace(
            center=self._point(text.center),
            height_px=height,
            width_px=text.width_px * math.dist(start, end) / 2.0,
            angle_deg=math.degrees(math.atan2(end[1] - start[1], end[0] - start[0])),
            character_centers=tuple(self._point(center) for center in text.character_centers),
        )

    def _point(self, place: Point, along: float = 0.0) -> Point:
        x, y = self._place(np.array([place[0] + along]), np.array([place[1]]))
        return float(x[0]), float(y[0])

    def _place(self, column: Floats, row: Floats) -> tuple[Floats, Floats]:
        """Places on the face of places on the ring."""
        rows, columns = self._shape
        turn = 2.0 * math.pi * RING_OVERLAP * column / columns
        down = row / rows
        if self._inward:  # From 12 o'clock against the clock, so that print at 6 o'clock lies in the middle.
            angle, radius = -0.5 * math.pi - turn, RING[0] + down * (RING[1] - RING[0])
        else:
            angle, radius = 0.5 * math.pi + turn, RING[1] - down * (RING[1] - RING[0])
        return self._half[0] * (1.0 + radius * np.cos(angle)), self._half[1] * (1.0 + radius * np.sin(angle))
