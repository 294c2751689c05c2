"""The overlay picture: what was read, drawn where it was read."""

from __future__ import annotations

from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from serve.show import value_text
from vision.fields import InstrumentReading, PhotoReading, Point
from vision.photos import Photo

MAX_SIDE_PX = 2048
"""Overlays are for people: a larger photo is drawn smaller."""


class Palette(NamedTuple):
    """Colours that stay apart for colour-blind eyes (after Okabe and Ito, 2008)."""

    read: str = "#0072b2"
    abstained: str = "#999999"
    needle: str = "#d55e00"
    start: str = "#009e73"
    end: str = "#cc79a7"
    text: str = "#ffffff"


PALETTE = Palette()


def draw_overlay(photo: Photo, reading: PhotoReading) -> Image.Image:
    """A copy of the photo with each instrument's box, needle, pivot, scale ends and value.

    Boxes and points of `reading` are in pixels of the upright photo; a photo above `MAX_SIDE_PX` is shown smaller.
    """
    picture = Image.fromarray(photo.image)
    picture.thumbnail((MAX_SIDE_PX, MAX_SIDE_PX))
    pen = _Pen(picture, picture.width / photo.width, picture.height / photo.height)
    for instrument in reading.instruments:
        pen.draw_instrument(instrument)
    if not reading.instruments:
        pen.draw_label((0, 0), reading.reason or reading.status, PALETTE.abstained)
    return picture


class _Pen:
    """Draws in pixels of the upright photo on a picture of another size."""

    def __init__(self, picture: Image.Image, scale_x: float, scale_y: float) -> None:
        self.draw = ImageDraw.Draw(picture)
        self.size = picture.size
        self.scale = (scale_x, scale_y)
        self.line = max(2, round(max(picture.size) / 400))
        self.font = ImageFont.load_default(size=max(12, round(max(picture.size) / 45)))

    def at(self, point: Point) -> tuple[float, float]:
        return point[0] * self.scale[0], point[1] * self.scale[1]

    def draw_instrument(self, instrument: InstrumentReading) -> None:
        color = PALETTE.read if instrument.status == "read" else PALETTE.abstained
        x0, y0, x1, y1 = instrument.box
        corners = (*self.at((min(x0, x1), min(y0, y1))), *self.at((max(x0, x1), max(y0, y1))))
        self.draw.rectangle(corners, outline=color, width=self.line)
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
        self.draw_label((corners[0], corners[1]), label_text(instrument), color)

    def draw_dot(self, point: Point, fill: str) -> None:
        x, y = self.at(point)
        radius = 2.0 * self.line
        self.draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill, outline=PALETTE.text)

    def draw_label(self, corner: tuple[float, float], text: str, fill: str) -> None:
        """`text` on a plate above `corner`, moved inside where it would leave the picture."""
        left, top, right, bottom = self.draw.textbbox((0, 0), text, font=self.font)
        width, height = right - left + 2 * self.line, bottom - top + 2 * self.line
        x = max(0.0, min(corner[0], self.size[0] - width))
        y = max(0.0, corner[1] - height)
        self.draw.rectangle((x, y, x + width, y + height), fill=fill)
        self.draw.text((x + self.line - left, y + self.line - top), text, fill=PALETTE.text, font=self.font)


def label_text(instrument: InstrumentReading) -> str:
    """What stands on an instrument's plate: its kind, and what was read or that it was not."""
    return f"{instrument.kind}: {value_text(instrument)}" if instrument.status == "read" else f"{instrument.kind}: not read"
