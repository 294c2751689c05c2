"""The flat renderer's own artwork, taken apart into textures by the height at which it was drawn.

A drawing function of `synth.flat` gets a `TexturePose`, whose homographies remember their height, and a `LayerPen`,
which keeps what is drawn at each height on a picture of its own. So a face in Blender carries the very print of the
flat renderer, whatever is added to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import cv2
import numpy as np
import skia
from numpy.typing import NDArray

from synth.flat.pen import Pen
from synth.scene import Pose

Image = NDArray[np.uint8]
DROPPED = 1e6
"""Heights from here on, either way, are not kept: where a solid takes the drawing's place."""


class _Plane(np.ndarray[Any, np.dtype[np.float64]]):
    """A homography that knows its height."""

    height: float = 0.0


@dataclass(frozen=True, slots=True)
class TexturePose(Pose):
    """The pose of a texture: frontal, all heights alike; `homography` is marked with its height."""

    def homography(self, height: float = 0.0) -> NDArray[np.float64]:
        plane = Pose.homography(self, 0.0).view(_Plane)
        plane.height = height * self.scale
        return plane


class Layer(NamedTuple):
    """What was drawn at one height: (side, side, 4) RGBA, colour not multiplied by alpha."""

    height: float
    pixels: Image


def texture_pose(side: int, extent: float) -> TexturePose:
    """The pose of a texture of `side` pixels over -extent .. extent face units both ways."""
    return TexturePose((side / 2, side / 2), side * 50.0 / extent)


class LayerPen(Pen):
    """A pen whose planes are pictures of their own, kept in the order of drawing."""

    def __init__(self, side: int) -> None:
        super().__init__(8, 8)
        self._side = side
        self._scrap = self.canvas
        self._kept: list[tuple[float, Image, Any]] = []

    @contextmanager
    def plane(self, homography: NDArray[np.float64]) -> Iterator[None]:
        before = self.canvas
        self.canvas = self._canvas_at(float(getattr(homography, "height", 0.0)))
        try:
            with super().plane(homography):
                yield
        finally:
            self.canvas = before

    def _canvas_at(self, height: float) -> Any:
        if abs(height) >= DROPPED:
            return self._scrap
        if not self._kept or self._kept[-1][0] != height:
            pixels: Image = np.zeros((self._side, self._side, 4), np.uint8)
            self._kept.append((height, pixels, skia.Surface(pixels, colorType=skia.kRGBA_8888_ColorType)))
        return self._kept[-1][2].getCanvas()

    def layers(self) -> list[Layer]:
        """All layers with anything on them, lowest drawing first."""
        return [Layer(height, _spread(pixels)) for height, pixels, _ in self._kept if pixels[..., 3].any()]


def _spread(pixels: Image) -> Image:
    """Colour carried a little beyond the edges of what is drawn, so that filtering finds no black there."""
    empty = pixels[..., 3] == 0
    if not empty.any():
        return pixels
    alpha = pixels[..., 3:].astype(np.float32)
    near_color, near_alpha = cv2.blur(pixels[..., :3] * alpha, (5, 5)), cv2.blur(alpha, (5, 5))[..., None]
    spread = pixels.copy()
    spread[..., :3][empty] = np.clip(near_color / np.maximum(near_alpha, 1e-3) + 0.5, 0, 255).astype(np.uint8)[empty]
    return spread


def outlines(alpha: Image, extent: float) -> list[NDArray[np.float64]]:
    """Closed outlines (n, 2) in face units of what is drawn, to a fraction of a texel; those inside others left out."""
    from contourpy import contour_generator

    rows, columns = np.flatnonzero(alpha.any(axis=1)), np.flatnonzero(alpha.any(axis=0))
    if not len(rows):
        return []
    top, left = max(0, int(rows[0]) - 1), max(0, int(columns[0]) - 1)
    part = np.pad(alpha[top : rows[-1] + 2, left : columns[-1] + 2].astype(np.float64), 1)
    found = contour_generator(z=part, quad_as_tri=True).lines(127.5)
    unit = 2 * extent / alpha.shape[0]
    kept = []
    for line in found:
        points = np.asarray(line, np.float32)[:-1]
        area = float(np.sum(points[:, 0] * np.roll(points[:, 1], -1) - points[:, 1] * np.roll(points[:, 0], -1))) / 2
        if len(points) >= 4 and area > 2.0:  # holes run the other way round
            slim = cv2.approxPolyDP(points[:, None], 0.12, True)[:, 0].astype(np.float64)
            kept.append((slim + np.array([left - 0.5, top - 0.5])) * unit - extent)
    return kept
