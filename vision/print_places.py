"""Where the Donut's maps say that units and numerals are printed and where a display's main row of digits stands.

The maps give places, not sizes: a unit is looked for at the two sizes that faces carry, and the line reader bears
errors of half a size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from vision.crops import View
from vision.dense import DenseOutput, read_points
from vision.fields import Point
from vision.line_crop import LinePlace, place_of_points

UNIT_FROM, MAX_UNITS = 0.1, 5
"""Of 53 primary units on drawn dials 87 % lie at a peak from here on, 55 % at one of 0.3; most other peaks hold nothing."""
NUMERAL_FROM, MAX_NUMERALS = 0.25, 28
"""Of the numerals of drawn dials 9 of 10 lie at a peak, beside two or three peaks a dial where none stands."""
UNIT_HEIGHTS = (0.027, 0.043)
"""Heights of unit letters as shares of the view's side: half are between 0.029 and 0.040, nearly all within 0.020 to 0.055."""
UNIT_WIDTHS = (3.2, 7.0)
"""In heights: what stands close to other print, and long units (`x1000 r/min`)."""
ROW_FROM = 0.25
MIN_ROW_SHARE = 0.05


class PrintPlaces(NamedTuple):
    """Places in pixels of the image; `row` is None where the maps show none."""

    units: tuple[LinePlace, ...] = ()
    row: LinePlace | None = None
    numerals: tuple[Point, ...] = ()
    """Centres of numerals, the clearest first."""


def print_places(dense: DenseOutput, views: Sequence[View]) -> list[PrintPlaces]:
    """What the maps say of each view; nothing where the weights have no such maps."""
    if dense.units is None or dense.row is None:
        return [PrintPlaces() for _ in views]
    rows = read_points(dense.row)
    maps = zip(dense.units.float().sigmoid(), dense.numerals.float().sigmoid(), strict=True)
    found = zip(views, maps, rows.xy.tolist(), rows.mass.tolist(), strict=True)
    return [
        PrintPlaces(_units(units, view), _row(xy, mass, view), tuple(_peaks(numerals, view, NUMERAL_FROM, MAX_NUMERALS)))
        for view, (units, numerals), xy, mass in found
    ]


def _peaks(heat: Tensor, view: View, least: float, most: int) -> list[Point]:
    """The highest peaks of a map (1, h, w) in pixels of the image, highest first."""
    peaks = (F.max_pool2d(heat[None], 3, 1, 1)[0] == heat) & (heat >= least)
    spots = sorted(((float(heat[0, y, x]), x, y) for _, y, x in peaks.nonzero().tolist()), reverse=True)[:most]
    return [view.to_photo(_within_cells(heat[0], x, y)) for _, x, y in spots]


def _within_cells(heat: Tensor, x: int, y: int) -> Point:
    """The middle of a peak's mass in its cell and the eight about it, in fractions of the map (h, w)."""
    height, width = heat.shape
    rows, columns = slice(max(y - 1, 0), y + 2), slice(max(x - 1, 0), x + 2)
    mass = heat[rows, columns]
    ys, xs = torch.arange(height)[rows].to(mass), torch.arange(width)[columns].to(mass)
    total = float(mass.sum())
    return (
        (float((mass.sum(0) * xs).sum()) / total + 0.5) / width,
        (float((mass.sum(1) * ys).sum()) / total + 0.5) / height,
    )


def _units(heat: Tensor, view: View) -> tuple[LinePlace, ...]:
    """Places at the highest peaks of a map (1, h, w)."""
    centers = _peaks(heat, view, UNIT_FROM, MAX_UNITS)
    sizes = [share * view.side for share in UNIT_HEIGHTS]
    return tuple(
        LinePlace(center, size, width * size, -view.roll_deg) for center in centers for size in sizes for width in UNIT_WIDTHS
    )


def _row(xy: list[list[float]], mass: list[float], view: View) -> LinePlace | None:
    """The row between its ends; None where one of its three points was not found."""
    if min(mass) < ROW_FROM:
        return None
    left, right, top = (view.to_photo((x, y)) for x, y in xy)
    if math.dist(left, right) < MIN_ROW_SHARE * view.side:
        return None
    return place_of_points(left, right, top)
