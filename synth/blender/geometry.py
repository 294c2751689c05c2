"""Solids in face units, and the one camera that sees each of them as its pose says.

A `Pose` is a pinhole view of its own: x_px = f R X / (f + Z) + c. One camera with the focal length F and the principal
point p sees the same picture of a point moved to

    Zc = s (f + Z),   Xc = (s / F) (f R X + (c - p) (f + Z)),

which is affine in the point: `camera_affine` says it as a matrix, for any positive s. Solids are moved vertex by vertex
(an affine map with shear has no place in a renderer's object matrix), so every height projects as `Pose.homography` does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from synth.scene import FACE_UNIT, GaugeScene, Pose
from synth.spec import CaseShape, Vec

Floats = NDArray[np.float64]
DEPTH = 10.0
"""Distance of the instruments' centres from the camera in world units."""


@dataclass(frozen=True, slots=True)
class View:
    """The one camera: size of the picture and focal length in pixels; the principal point is the picture's centre."""

    width: int
    height: int
    focal_px: float

    @property
    def unit_per_px(self) -> float:
        """World units a pixel at the instruments' distance."""
        return DEPTH / self.focal_px


class Solid(NamedTuple):
    """A mesh in face units: (n, 3) points (x, y, height), faces as index tuples, and (n, 2) texture places or None."""

    points: Floats
    faces: list[tuple[int, ...]]
    uv: Floats | None = None
    smooth: bool = True


def view_of(scene: GaugeScene) -> View:
    """The camera of a scene: the main instrument's own perspective, so that it keeps its true depth."""
    longest = max(scene.width, scene.height)
    poses = [placed.pose for placed in scene.instruments[:1]] or ([scene.panel.pose] if scene.panel else [])
    focal = poses[0].focal * poses[0].radius_px if poses else 3.0 * longest
    return View(scene.width, scene.height, float(np.clip(focal, 0.8 * longest, 8.0 * longest)))


def camera_affine(pose: Pose, view: View) -> Floats:
    """(3, 4) matrix from (x, y, height, 1) in face units to camera space: x right, y down, z away from the camera."""
    place = np.diag([pose.scale, pose.scale, -pose.scale, 1.0])
    place[:2, 3] = pose.offset
    turned = np.zeros((3, 4))
    turned[:, :3] = pose._rotation() / FACE_UNIT
    local = turned @ place
    depth = local[2].copy()
    depth[3] += pose.focal
    shift = np.asarray(pose.center) - (view.width / 2, view.height / 2)
    rows = np.empty((3, 4))
    for axis in (0, 1):
        rows[axis] = (pose.focal * pose.radius_px * local[axis] + shift[axis] * depth) / view.focal_px
    rows[2] = depth
    scaled: Floats = rows * (DEPTH / pose.focal)
    return scaled


def project(points: Floats, view: View) -> Floats:
    """Pixels (n, 2) of points (n, 3) in camera space."""
    pixels: Floats = view.focal_px * points[:, :2] / points[:, 2:] + (view.width / 2, view.height / 2)
    return pixels


def ring(shape: CaseShape, half: float, aspect: float, corner: float, count: int = 72) -> Floats:
    """(n, 2) outline of a case at a half width: an ellipse or a box with round corners."""
    if shape == "round":
        turn = np.linspace(0, 2 * math.pi, count, endpoint=False)
        circle: Floats = np.c_[half * np.sin(turn), -half * aspect * np.cos(turn)]
        return circle
    tall, each = half * aspect, 6
    radius = max(0.01, min(corner, half * 0.95, tall * 0.95))
    places = []
    for index, (sx, sy) in enumerate(((1, -1), (1, 1), (-1, 1), (-1, -1))):
        turn = math.pi / 2 * (index - 1) + np.linspace(0, math.pi / 2, each)
        places.append(np.c_[sx * (half - radius) + radius * np.cos(turn), sy * (tall - radius) + radius * np.sin(turn)])
    return np.concatenate(places)


def loft(outlines: list[Floats], heights: list[float]) -> Solid:
    """A skin over outlines of equal length, one at each height."""
    count = len(outlines[0])
    points = np.concatenate([np.c_[o, np.full(count, h)] for o, h in zip(outlines, heights, strict=True)])
    faces: list[tuple[int, ...]] = []
    for row in range(len(outlines) - 1):
        for k in range(count):
            low, high, after = row * count, (row + 1) * count, (k + 1) % count
            faces.append((low + k, low + after, high + after, high + k))
    return Solid(points, faces)


def lathe(profile: list[Vec], center: Vec = (0.0, 0.0), count: int = 48, aspect: float = 1.0) -> Solid:
    """A turned part: profile of (radius, height) about a point of the face."""
    outlines = [ring("round", max(r, 1e-3), aspect, 0.0, count) + center for r, _ in profile]
    return loft(outlines, [h for _, h in profile])


def sheet(outline: Floats, height: float, extent: float) -> Solid:
    """A flat piece with the texture that covers -extent .. extent of the face both ways."""
    points = np.c_[outline, np.full(len(outline), height)]
    return Solid(points, [tuple(range(len(outline)))], planar_uv(outline, extent), smooth=False)


def slab(outline: Floats, low: float, high: float, extent: float) -> Solid:
    """A flat piece with a thickness: its top at `high` carries the texture, its walls the texture's edge."""
    count = len(outline)
    points = np.concatenate([np.c_[outline, np.full(count, low)], np.c_[outline, np.full(count, high)]])
    faces: list[tuple[int, ...]] = [tuple(range(count, 2 * count))]
    faces += [(k, (k + 1) % count, count + (k + 1) % count, count + k) for k in range(count)]
    return Solid(points, faces, np.tile(planar_uv(outline, extent), (2, 1)), smooth=False)


def dome(shape: CaseShape, half: float, aspect: float, corner: float, height: float, bulge: float, extent: float) -> Solid:
    """A slightly convex pane over an opening, textured like a sheet."""
    parts = (1.0, 0.85, 0.6, 0.3, 0.02)
    outlines = [ring(shape, half * p, aspect, corner * p) for p in parts]
    solid = loft(outlines, [height + bulge * (1 - p * p) for p in parts])
    count = len(outlines[0])
    faces = [*solid.faces, tuple(range((len(parts) - 1) * count, len(parts) * count))]
    return Solid(solid.points, faces, planar_uv(solid.points, extent))


def planar_uv(points: Floats, extent: float) -> Floats:
    """Texture places of points for a texture over -extent .. extent face units."""
    places: Floats = np.c_[0.5 + points[:, 0] / (2 * extent), 0.5 - points[:, 1] / (2 * extent)]
    return places
