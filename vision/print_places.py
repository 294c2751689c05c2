"""Where the Donut's maps say that units are printed and where a display's main row of digits stands.

The maps give places, not sizes: a unit is looked for at the two sizes that faces carry, and the line reader bears
errors of half a size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch.nn.functional as F
from torch import Tensor

from vision.crops import View
from vision.dense import DenseOutput, read_points
from vision.line_crop import LinePlace, place_of_points

UNIT_FROM = 0.3
MAX_UNITS = 3
UNIT_HEIGHTS = (0.042, 0.075)
"""Heights of unit letters as shares of the view's side: small print on large faces, and large print."""
UNIT_WIDTH = 3.2
ROW_FROM = 0.25
MIN_ROW_SHARE = 0.05


class PrintPlaces(NamedTuple):
    """Places in pixels of the image; `row` is None where the maps show none."""

    units: tuple[LinePlace, ...] = ()
    row: LinePlace | None = None


def print_places(dense: DenseOutput, views: Sequence[View]) -> list[PrintPlaces]:
    """What the maps say of each view; nothing where the weights have no such maps."""
    if dense.units is None or dense.row is None:
        return [PrintPlaces() for _ in views]
    rows = read_points(dense.row)
    found = zip(views, dense.units.float().sigmoid(), rows.xy.tolist(), rows.mass.tolist(), strict=True)
    return [PrintPlaces(_units(heat, view), _row(xy, mass, view)) for view, heat, xy, mass in found]


def _units(heat: Tensor, view: View) -> tuple[LinePlace, ...]:
    """Places at the highest peaks of a map (1, h, w)."""
    peaks = (F.max_pool2d(heat[None], 3, 1, 1)[0] == heat) & (heat >= UNIT_FROM)
    height, width = heat.shape[-2:]
    spots = sorted(((float(heat[0, y, x]), x, y) for _, y, x in peaks.nonzero().tolist()), reverse=True)[:MAX_UNITS]
    centers = [view.to_photo(((x + 0.5) / width, (y + 0.5) / height)) for _, x, y in spots]
    sizes = [share * view.side for share in UNIT_HEIGHTS]
    return tuple(LinePlace(center, size, UNIT_WIDTH * size, -view.roll_deg) for center in centers for size in sizes)


def _row(xy: list[list[float]], mass: list[float], view: View) -> LinePlace | None:
    """The row between its ends; None where one of its three points was not found."""
    if min(mass) < ROW_FROM:
        return None
    left, right, top = (view.to_photo((x, y)) for x, y in xy)
    if math.dist(left, right) < MIN_ROW_SHARE * view.side:
        return None
    return place_of_points(left, right, top)
