"""The overlay picture: what was read, drawn where it was read."""

from __future__ import annotations

import io
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from rag.errors import RenderError
from rag.render.fonts import CHINESE
from rag.render.picture import Picture
from rag.report import Document
from serve.show import value_text
from vision.fields import InstrumentReading, PhotoReading, Point
from vision.photos import Photo, PhotoError, load_photo

MAX_SIDE_PX = 2048
"""Overlays are for people: a larger photo is drawn smaller."""


class Palette(NamedTuple):
    """Colours that stay apart for colour-blind eyes (after Okabe and Ito, 2008)."""

    read: str = "#0072b2"
    abstained: str = "#6b7280"
    needle: str = "#d55e00"
    start: str = "#009e73"
    end: str = "#cc79a7"
    text: str = "#ffffff"


PALETTE = Palette()


def draw_overlay(photo: Photo, reading: PhotoReading, document: Document | None = None) -> Image.Image:
    """A copy of the photo with each instrument's box, needle, pivot, scale ends and plate.

    Boxes and points of `reading` are in pixels of the upright photo; a photo above `MAX_SIDE_PX` is shown smaller. The
    plates carry the numbers under which the report lists the instruments, and with `document` the report's own words.
    """
    picture = Image.fromarray(photo.image)
    picture.thumbnail((MAX_SIDE_PX, MAX_SIDE_PX))
    pen = _Pen(picture, picture.width / photo.width, picture.height / photo.height)
    texts = plate_texts(reading, document)
    for instrument in reading.instruments:
        pen.draw_instrument(instrument)
    for instrument, text in zip(reading.instruments, texts, strict=True):  # Last, so that no box crosses a plate.
        pen.draw_plate(instrument, text)
    if not reading.instruments:
        pen.draw_label((0, 0), reading.reason or reading.status, PALETTE.abstained)
    return picture


def plate_texts(reading: PhotoReading, document: Document | None) -> list[str]:
    """What stands on each instrument's plate: its number, and what was read or that it was not."""
    headlines = {section.number: section.headline for section in document.sections} if document is not None else {}
    texts: list[str] = []
    for number, instrument in enumerate(reading.instruments, 1):
        headline = headlines.get(number)
        shown = (headline.value or headline.status) if headline is not None else label_text(instrument)
        texts.append(f"{number}  {shown}")
    return texts


def label_text(instrument: InstrumentReading) -> str:
    """An instrument's kind, and what was read or that it was not."""
    return f"{instrument.kind}: {value_text(instrument)}" if instrument.status == "read" else f"{instrument.kind}: not read"


def color_of(instrument: InstrumentReading) -> str:
    """The colour of an instrument's box and plate."""
    return PALETTE.read if instrument.status == "read" else PALETTE.abstained


class _Pen:
    """Draws in pixels of the upright photo on a picture of another size."""

    def __init__(self, picture: Image.Image, scale_x: float, scale_y: float) -> None:
        self.draw = ImageDraw.Draw(picture)
        self.size = picture.size
        self.scale = (scale_x, scale_y)
        self.line = max(2, round(max(picture.size) / 350))
        self.font_size = max(12, round(max(picture.size) / 38))

    def at(self, point: Point) -> tuple[float, float]:
        return point[0] * self.scale[0], point[1] * self.scale[1]

    def corners(self, instrument: InstrumentReading) -> tuple[float, float, float, float]:
        x0, y0, x1, y1 = instrument.box
        return (*self.at((min(x0, x1), min(y0, y1))), *self.at((max(x0, x1), max(y0, y1))))

    def draw_instrument(self, instrument: InstrumentReading) -> None:
        self.draw.rectangle(self.corners(instrument), outline=color_of(instrument), width=self.line)
        points = instrument.points
        if points.pivot is not None and points.needle_tip is not None:
            self.draw.line((self.at(points.pivot), self.at(points.needle_tip)), fill=PALETTE.needle, width=self.line)
        for point, fill in (
            (points.scale_start, PALETTE.start),
            (points.scale_end, PALETTE.end),
            (points.needle_tip, PALETTE.needle),
            (points.pivot, PALETTE.needle),
        ):
            if point is not None:
                self.draw_dot(point, fill)

    def draw_plate(self, instrument: InstrumentReading, text: str) -> None:
        left, top, _, _ = self.corners(instrument)
        self.draw_label((left, top), text, color_of(instrument))

    def draw_dot(self, point: Point, fill: str) -> None:
        x, y = self.at(point)
        radius = 2.0 * self.line
        self.draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill, outline=PALETTE.text)

    def draw_label(self, corner: tuple[float, float], text: str, fill: str) -> None:
        """`text` on a plate above `corner`, moved inside where it would leave the picture."""
        font = _font(text, self.font_size)
        left, top, right, bottom = self.draw.textbbox((0, 0), text, font=font)
        pad = 2 * self.line
        width, height = right - left + 2 * pad, bottom - top + 2 * pad
        x = max(0.0, min(corner[0], self.size[0] - width))
        y = max(0.0, corner[1] - height)
        self.draw.rectangle((x, y, x + width, y + height), fill=fill)
        self.draw.text((x + pad - left, y + pad - top), text, fill=PALETTE.text, font=font)


def _font(text: str, size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """A font that has the characters of a text: the one inside Pillow for Latin, the report's Chinese one for all else."""
    if all(ord(char) < 0x2000 for char in text):
        return ImageFont.load_default(size=size)
    try:
        return ImageFont.truetype(str(CHINESE.find()), size)
    except (RenderError, OSError):
        return ImageFont.load_default(size=size)


def photo_as_read(source: Path | bytes, reading: PhotoReading) -> Photo | None:
    """The photo that a reading is of, None where it cannot be opened any more or is another one by now."""
    try:
        photo = load_photo(source, name=reading.photo)
    except PhotoError:
        return None
    return photo if photo.sha256 == reading.sha256 else None


def overlay_picture(path: Path, reading: PhotoReading, document: Document | None) -> Picture | None:
    """The photo with what was read drawn on it, None where it is not there or no longer the photo that was read."""
    photo = photo_as_read(path, reading)
    if photo is None:
        return None
    drawn = draw_overlay(photo, reading, document)
    data = io.BytesIO()
    drawn.save(data, "JPEG", quality=88)
    return Picture(data.getvalue(), *drawn.size)
