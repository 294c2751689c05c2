"""Dense heads on the encoder's maps: evidence points, numerals, units, rows of digits, centres and sides of instruments.

What the renderer knows for nothing (needle tip, pivot, scale ends, numerals) teaches the encoder geometry fast,
and at inference the points give a value more exactly than the angle token does. The locate head follows CenterNet
(Zhou et al., 2019): a heat map of centres and, at each centre, the distances to the four sides.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vision.fields import POINT_NAMES

POINTS = len(POINT_NAMES)
ROW_POINTS = 3


class DenseOutput(NamedTuple):
    """Raw maps; `points` and `numerals` serve the read task, `centers` and `sides` the locate task."""

    points: Tensor  # (B, 4, h, w) logits of a spatial softmax each
    numerals: Tensor  # (B, 1, h, w) logits
    centers: Tensor  # (B, 1, h', w') logits
    sides: Tensor  # (B, 4, h', w') distances left, up, right, down in fractions of the picture
    row: Tensor | None = None  # (B, 3, h, w) logits: left end, right end and top of the main row of digits
    units: Tensor | None = None  # (B, 1, h, w) logits of the places of printed units

    def of(self, chosen: Tensor) -> DenseOutput:
        """The maps of the chosen views; `chosen` (B,) boolean."""
        row, units = (None if maps is None else maps[chosen] for maps in (self.row, self.units))
        return DenseOutput(self.points[chosen], self.numerals[chosen], self.centers[chosen], self.sides[chosen], row, units)


class Located(NamedTuple):
    """The raw maps of the locate task, as in `DenseOutput`."""

    centers: Tensor
    sides: Tensor


class DenseHeads(nn.Module):
    """Maps of the encoder -> `DenseOutput`. Without the finer maps (a Swin encoder) it works on the grid alone."""

    def __init__(
        self, hidden_size: int, stride_8_channels: int, stride_4_channels: int, width: int = 96, print_heads: bool = True
    ) -> None:
        super().__init__()
        self.width = width
        self.from_grid = nn.Conv2d(hidden_size, width, 1)
        self.from_8 = nn.Conv2d(stride_8_channels, width, 1) if stride_8_channels else None
        self.from_4 = nn.Conv2d(stride_4_channels, width, 1) if stride_4_channels else None
        self.mix_8 = _mixer(width)
        self.mix_4 = _mixer(width)
        self.points = nn.Conv2d(width, POINTS + 1, 1)
        self.print: nn.Conv2d | None = None
        if print_heads:
            self.add_print_heads()
        self.locate = nn.Sequential(_mixer(width), nn.Conv2d(width, 5, 1))
        # Few cells are centres or numerals: start from that prior, so that the first steps do not drown in zeros.
        nn.init.constant_(self.points.bias[POINTS:], -4.0)  # type: ignore[index]
        last = self.locate[1]
        assert isinstance(last, nn.Conv2d)
        assert last.bias is not None
        nn.init.constant_(last.bias[:1], -4.0)
        nn.init.constant_(last.bias[1:], -1.5)

    def add_print_heads(self) -> None:
        """Give weights of before these heads existed fresh ones, to be trained further."""
        self.print = nn.Conv2d(self.width, ROW_POINTS + 1, 1)
        nn.init.constant_(self.print.bias[ROW_POINTS:], -4.0)  # type: ignore[index]

    def coarse(self, grid: Tensor, stride_8: Tensor | None) -> Tensor:
        """The mixed map (B, width, H/8, W/8), on which instruments are located."""
        h = F.interpolate(self.from_grid(grid), scale_factor=2.0, mode="bilinear", align_corners=False)
        if self.from_8 is not None and stride_8 is not None:
            h = h + self.from_8(stride_8)
        mixed: Tensor = self.mix_8(h)
        return mixed

    def located(self, coarse: Tensor) -> Located:
        """Centres and sides on the coarse map, for which the fine one is not needed."""
        raw = self.locate(coarse)
        return Located(raw[:, :1], F.softplus(raw[:, 1:]))

    def forward(self, grid: Tensor, stride_8: Tensor | None, stride_4: Tensor | None) -> DenseOutput:
        h = self.coarse(grid, stride_8)
        located = self.located(h)
        h = F.interpolate(h, scale_factor=2.0, mode="bilinear", align_corners=False)
        if self.from_4 is not None and stride_4 is not None:
            h = h + self.from_4(stride_4)
        mixed = self.mix_4(h)
        read = self.points(mixed)
        output = DenseOutput(read[:, :POINTS], read[:, POINTS:], located.centers, located.sides)
        if self.print is None:
            return output
        printed = self.print(mixed)
        return output._replace(row=printed[:, :ROW_POINTS], units=printed[:, ROW_POINTS:])


def _mixer(width: int) -> nn.Module:
    """Depthwise 5 x 5 and pointwise convolution: spatial context at little cost."""
    return nn.Sequential(
        nn.GroupNorm(8, width),
        nn.ReLU(inplace=True),
        nn.Conv2d(width, width, 5, padding=2, groups=width),
        nn.Conv2d(width, width, 1),
        nn.ReLU(inplace=True),
    )


class PointEstimate(NamedTuple):
    """Where a point lies, in fractions of the picture, and how concentrated its map is (0..1)."""

    xy: Tensor  # (B, P, 2)
    mass: Tensor  # (B, P): probability within the peak's neighbourhood


def read_points(logits: Tensor, radius: int = 2) -> PointEstimate:
    """Peaks of spatial-softmax maps with sub-cell places: the expectation over the peak's neighbourhood."""
    batch, points, height, width = logits.shape
    probability = logits.float().flatten(2).softmax(-1).reshape(batch, points, height, width)
    # The neighbourhood with the most mass, not the sharpest cell: a split peak counts as one.
    size = 2 * radius + 1
    mass = F.avg_pool2d(probability, size, 1, radius, count_include_pad=True) * size * size
    best = mass.flatten(2).argmax(-1)  # (B, P)
    row, column = best // width, best % width
    offsets = torch.arange(-radius, radius + 1, device=logits.device)
    rows = row[..., None] + offsets  # (B, P, size)
    columns = column[..., None] + offsets
    padded = F.pad(probability, (radius, radius, radius, radius))
    flat_index = ((rows + radius)[..., :, None] * (width + 2 * radius) + (columns + radius)[..., None, :]).flatten(2)
    window = padded.flatten(2).gather(2, flat_index).reshape(batch, points, size, size)
    total = window.sum((-1, -2)).clamp_min(1e-9)
    y = ((window.sum(-1) * (rows + 0.5)).sum(-1) / total) / height
    x = ((window.sum(-2) * (columns + 0.5)).sum(-1) / total) / width
    return PointEstimate(torch.stack([x, y], -1), total.clamp(max=1.0))
