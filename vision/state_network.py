"""The network of the state reader: a crop about a lamp or a selector, and what it shows.

Colour and kind need the whole crop and little detail; a selector's position is told by counting the marks round the
knob up to the one that it points at. So a second branch looks at rings about the crop's middle, angle by angle, with
the same weights at every angle, and says where the knob points and where marks stand; the position follows from all
angles together.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from vision.fields import LAMP_COLORS

STATE_PX = 128
STATE_MARGIN = 0.12
"""Around the box on each side, of its longer side."""
STATE_KINDS = ("lamp", "selector", "other")
POSITIONS = ("1", "2", "3", "4", "5")
MOST_POSITIONS = len(POSITIONS)
ANGLES = 48
"""Directions about the middle, clockwise from 6 o'clock."""
RADII = (0.2, 0.34, 0.48, 0.62, 0.78)
"""Of half the box's longer side."""


class StateOutput(NamedTuple):
    """Logits of a batch: kinds (B, 3), colours (B, 4), positions and their number (B, 5), and two of directions (B, 48)."""

    kind: Tensor
    color: Tensor
    position: Tensor
    number: Tensor
    pointer: Tensor
    marks: Tensor


def _block(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    convolution = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


def ring_weights(cells: int, radii: tuple[float, ...] = RADII, angles: int = ANGLES) -> Tensor:
    """(cells * cells, len(radii) * angles) weights that read a map of `cells` by `cells` on rings, between its cells."""
    half = cells / 2.0 / (1.0 + 2.0 * STATE_MARGIN)
    weights = torch.zeros(cells, cells, len(radii), angles)
    for r, radius in enumerate(radii):
        for a in range(angles):
            turn = 2.0 * math.pi * a / angles
            x = cells / 2.0 - 0.5 - radius * half * math.sin(turn)
            y = cells / 2.0 - 0.5 + radius * half * math.cos(turn)
            column, row = math.floor(x), math.floor(y)
            for i, down in ((row, 1.0 - y + row), (row + 1, y - row)):
                for j, across in ((column, 1.0 - x + column), (column + 1, x - column)):
                    weights[min(max(i, 0), cells - 1), min(max(j, 0), cells - 1), r, a] += down * across
    return weights.flatten(2).flatten(0, 1)


class _Around(nn.Module):
    """Convolutions along the circle of directions, added to what comes in."""

    def __init__(self, width: int, kernel: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(width, width, kernel, padding=kernel // 2, padding_mode="circular", bias=False),
            nn.BatchNorm1d(width),
            nn.ReLU(inplace=True),
            nn.Conv1d(width, width, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.layers(x)  # type: ignore[no-any-return]


class StateNetwork(nn.Module):
    """Crops (B, 3, 128, 128) in [-1, 1] -> StateOutput; 0.79 M parameters."""

    rings_fine: Tensor
    rings_coarse: Tensor

    def __init__(self, width: int = 96) -> None:
        super().__init__()
        self.near = nn.Sequential(_block(3, 16, 2), _block(16, 32), nn.MaxPool2d(2), _block(32, 64))  # 32 x 32
        self.middle = nn.Sequential(nn.MaxPool2d(2), _block(64, 96), _block(96, 96))  # 16 x 16
        self.far = nn.Sequential(nn.MaxPool2d(2), _block(96, 112))  # 8 x 8
        self.whole = nn.Sequential(nn.AvgPool2d(2), nn.Flatten(), nn.Linear(112 * 16, 96), nn.ReLU(inplace=True))
        self.kind = nn.Linear(96, len(STATE_KINDS))
        self.color = nn.Linear(96, len(LAMP_COLORS))
        self.fine, self.coarse = nn.Conv2d(64, 24, 1), nn.Conv2d(96, 32, 1)
        self.register_buffer("rings_fine", ring_weights(STATE_PX // 4), persistent=False)
        self.register_buffer("rings_coarse", ring_weights(STATE_PX // 8), persistent=False)
        self.enter = nn.Sequential(
            nn.Conv1d(len(RADII) * 56, width, 3, padding=1, padding_mode="circular", bias=False),
            nn.BatchNorm1d(width),
            nn.ReLU(inplace=True),
        )
        self.around = nn.Sequential(_Around(width, 5), _Around(width, 5), _Around(width, 7))
        self.directions = nn.Conv1d(width, 2, 1)
        self.narrow = nn.Sequential(nn.Conv1d(width, 10, 1), nn.ReLU(inplace=True))
        self.gather = nn.Sequential(nn.Linear(12 * ANGLES + 96, 128), nn.ReLU(inplace=True))
        self.position = nn.Linear(128, MOST_POSITIONS)
        self.count = nn.Linear(128, MOST_POSITIONS)

    def forward(self, crops: Tensor) -> StateOutput:
        near = self.near(crops)
        middle = self.middle(near)
        whole = self.whole(self.far(middle))
        fine = self.fine(near).flatten(2) @ self.rings_fine  # (B, 24, R * A)
        coarse = self.coarse(middle).flatten(2) @ self.rings_coarse
        rings = torch.cat([fine, coarse], 1).reshape(len(crops), -1, ANGLES)  # (B, 56 R, A)
        h = self.around(self.enter(rings))
        found = self.directions(h)  # (B, 2, A)
        seen = torch.cat([found.float().clamp(-8.0, 8.0), self.narrow(h).float()], 1).flatten(1)
        gathered = self.gather(torch.cat([seen, whole.float()], 1))
        heads = (self.kind(whole), self.color(whole), self.position(gathered), self.count(gathered), found[:, 0], found[:, 1])
        return StateOutput(*(head.float() for head in heads))


def to_network(crops: Tensor) -> Tensor:
    """Crops (B, 128, 128, 3) uint8 as the network takes them; brightness counts, for it tells lit from unlit."""
    return crops.permute(0, 3, 1, 2).float().div(127.5).sub(1.0).contiguous(memory_format=torch.channels_last)
