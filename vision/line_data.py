"""Crops to train and measure the line reader with: lines of known text at places that are a little off, and no lines.

Whoever reads a line at a known place gets the place from elsewhere, a few pixels off, too large or too small: so
training jitters place, height and angle, and light, sharpness and noise with them. What stands elsewhere (other words,
ticks, plain face) is to be spelled as nothing, which is what keeps a unit from being seen where none is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from tqdm import tqdm

from vision.fields import Box, Contract
from vision.line_crop import PRINT_SHAPE, CropShape, LineImage, LinePlace, Pixels, crop_width, line_crop, place_of_corners
from vision.line_reader import CHARACTERS, plain_line
from vision.line_wear import LineJitter, jittered, worn
from vision.samples import InstrumentTruth, SampleError, read_records

KINDS = ("unit", "row", "numeral", "nothing")
LETTER_WIDTH = 0.85
"""Of a letter of print to the height of its capitals, spacing included."""
NUMERAL_TO_UNIT = 0.9
"""Height of the numerals to that of the unit of the same scale, where nothing better is known."""
CLEAR_HEIGHTS = 1.6
DIGITS_OF_DRUM = 0.72
"""Height of a counter's digits to that of its drums, which is what the truth's rows go round."""
FRAME_SHARE = 0.15
"""Of an instrument's larger side: what is kept around it in a picture of which only the rows count."""


class LineOptions(Contract):
    """How crops are drawn from pictures: `shares` are of units, rows, numerals and places without a line."""

    batch_size: Annotated[int, Field(ge=4)] = 64
    shares: tuple[float, float, float, float] = (0.40, 0.24, 0.12, 0.24)
    min_height_px: float = 6.0
    jitter: LineJitter = LineJitter()


class Line(NamedTuple):
    """A line of known text in a picture."""

    picture: int
    text: str
    place: LinePlace
    kind: str
    unit: str | None = None


class LineExample(NamedTuple):
    """A crop and what it spells; empty where it holds no line."""

    crop: Pixels
    text: str


class LinePictures:
    """Pictures of dataset folders with every line whose place is known and that can be spelled.

    A shape in colour is that of rows of digits: only instruments that have them are kept, cut out of their pictures.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        min_height_px: float = 6.0,
        shape: CropShape = PRINT_SHAPE,
        characters: str = CHARACTERS,
    ) -> None:
        cv2.setNumThreads(1)
        self.shape = shape
        self.images: list[LineImage] = []
        self.lines: list[Line] = []
        self._occupied: list[list[LinePlace]] = []
        self._dials: list[int] = []
        for folder in folders:
            for record in tqdm(read_records(folder), desc=str(folder), unit="img", leave=False):
                if shape.color:
                    for one in record.truth.instruments:
                        if one.rows and one.readable:
                            image, (left, top) = _cut_out(_picture(folder / record.file_name, cv2.IMREAD_COLOR_RGB), one.box)
                            self._add(LineImage(image, color=True), _moved(lines_of(one, len(self.images)), -left, -top))
                else:
                    gray = _picture(folder / record.file_name, cv2.IMREAD_GRAYSCALE)
                    self._add(
                        LineImage(gray), [line for one in record.truth.instruments for line in lines_of(one, len(self.images))]
                    )
                    if all(one.fields.kind == "dial" for one in record.truth.instruments):
                        self._dials.append(len(self.images) - 1)
        self.lines = [
            line
            for line in self.lines
            if line.place.height_px >= min_height_px and plain_line(line.text) == line.text and set(line.text) <= set(characters)
        ]
        if not self.lines:
            raise SampleError(f"no lines with known places in {', '.join(map(str, folders))}")

    def _add(self, image: LineImage, lines: Sequence[Line]) -> None:
        self.images.append(image)
        self.lines += lines
        self._occupied.append([line.place for line in lines if not self.shape.color or line.kind == "row"])

    def empty_place(self, rng: np.random.Generator, tries: int = 3) -> tuple[int, LinePlace]:
        """A place on or beside a dial without a line of ours; of `tries` the one where most is to be seen."""
        best: tuple[int, LinePlace] | None = None
        most = -1.0
        numbers = self._dials or list(range(len(self.images)))
        while tries > 0 or best is None:
            number = numbers[int(rng.integers(len(numbers)))]
            rows, columns = self.images[number].level(0).shape[:2]
            largest = max(8.0, (0.25 if self.shape.color else 0.09) * min(rows, columns))
            height = float(np.exp(rng.uniform(math.log(7.0), math.log(largest))))
            center = (float(rng.uniform(0.05, 0.95) * columns), float(rng.uniform(0.05, 0.95) * rows))
            place = LinePlace(center, height, height * float(rng.uniform(0.8, 4.0)), float(rng.normal(0.0, 8.0)))
            if not all(_is_clear(place, other) for other in self._occupied[number]):
                continue
            tries -= 1
            seen = float(line_crop(self.images[number], place, self.shape.widths_px[0], self.shape).std())
            if seen > most:
                best, most = (number, place), seen
        return best


def lines_of(instrument: InstrumentTruth, picture: int) -> list[Line]:
    """The lines of an instrument: units, rows of digits, and numerals where a unit tells how large they are."""
    if not instrument.readable:
        return []
    lines: list[Line] = []
    for unit in instrument.units:
        text = plain_line(unit.text) or unit.text
        width = LETTER_WIDTH * unit.height_px * max(1, len(text))
        lines.append(Line(picture, text, LinePlace(unit.center, unit.height_px, width, unit.angle_deg), "unit", unit.unit))
    for row in instrument.rows:
        place = place_of_corners(row.corners)
        if instrument.fields.kind == "counter":
            place = place._replace(height_px=DIGITS_OF_DRUM * place.height_px)
        lines.append(Line(picture, plain_line(row.text) or row.text, place, "row"))
    primary = [unit for unit in instrument.units if unit.primary]
    x0, y0, x1, y1 = instrument.box
    height = NUMERAL_TO_UNIT * primary[0].height_px if primary else 0.06 * max(x1 - x0, y1 - y0)
    for numeral in instrument.numerals:
        text = plain_line(numeral.text) or numeral.text
        place = LinePlace(numeral.center, height, LETTER_WIDTH * height * len(text), primary[0].angle_deg if primary else 0.0)
        lines.append(Line(picture, text, place, "numeral" if primary else "unsure"))
    return lines


def _picture(path: Path, how: int) -> Pixels:
    picture = cv2.imread(str(path), how)
    if picture is None:
        raise SampleError(f"{path} cannot be decoded")
    return np.asarray(picture, np.uint8)


def _cut_out(picture: Pixels, box: Box) -> tuple[Pixels, tuple[int, int]]:
    """The box with a frame around it as a copy, and where its top left corner lies."""
    frame = FRAME_SHARE * max(box[2] - box[0], box[3] - box[1])
    left, top = int(max(0.0, box[0] - frame)), int(max(0.0, box[1] - frame))
    return picture[top : int(box[3] + frame) + 1, left : int(box[2] + frame) + 1].copy(), (left, top)


def _moved(lines: Sequence[Line], right: float, down: float) -> list[Line]:
    return [
        line._replace(place=line.place._replace(center=(line.place.center[0] + right, line.place.center[1] + down)))
        for line in lines
    ]


def _is_clear(place: LinePlace, other: LinePlace) -> bool:
    """Whether a crop about `place` does not hold the other line near its middle."""
    reach = CLEAR_HEIGHTS * place.height_px + 0.5 * other.width_px
    return math.dist(place.center, other.center) > reach or other.height_px > 3.5 * place.height_px


class LineStream:
    """An endless stream of batches, each of crops of one width; rare texts come as often as common ones, nearly."""

    def __init__(self, pictures: LinePictures, options: LineOptions, seed: int) -> None:
        self.pictures, self.options = pictures, options
        self.rng = np.random.default_rng(seed)
        self._pools: dict[str, tuple[list[Line], NDArray[np.float64]]] = {}
        for kind in KINDS[:3]:
            lines = [line for line in pictures.lines if line.kind == kind]
            counts = Counter(line.text for line in lines)
            weights = np.array([counts[line.text] ** -0.7 for line in lines])
            self._pools[kind] = (lines, np.cumsum(weights / weights.sum()) if lines else weights)

    def batch(self) -> list[LineExample]:
        """`batch_size` examples of one width."""
        widths = self.pictures.shape.widths_px
        width = widths[0] if self.rng.random() < 0.65 else widths[-1]
        examples: list[LineExample] = []
        while len(examples) < self.options.batch_size:
            example = self._example(width)
            if example is not None:
                examples.append(example)
        return examples

    def _example(self, width: int) -> LineExample | None:
        rng, jitter, pictures = self.rng, self.options.jitter, self.pictures
        kind = KINDS[int(rng.choice(len(KINDS), p=np.asarray(self.options.shares)))]
        if kind == "nothing":
            number, place = pictures.empty_place(rng)
            return LineExample(worn(rng, line_crop(pictures.images[number], place, width, pictures.shape), jitter), "")
        lines, cumulated = self._pools[kind]
        if not lines:
            return None
        line = lines[min(len(lines) - 1, int(np.searchsorted(cumulated, rng.random())))]
        place = jittered(rng, line.place, jitter, sure=kind != "numeral")
        if crop_width(place, pictures.shape) > width:
            return None
        if place.height_px < pictures.shape.letter_px / 6.0:
            return None
        return LineExample(worn(rng, line_crop(pictures.images[line.picture], place, width, pictures.shape), jitter), line.text)
