"""Collects what a plan consists of: textures, materials, and solids moved to where the one camera sees them right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from synth.blender.geometry import Solid, View, camera_affine
from synth.blender.layers import Layer, LayerPen, texture_pose
from synth.blender.look import linear
from synth.blender.plan import Material, Mesh
from synth.flat.pen import Pen
from synth.scene import Pose
from synth.spec import Color

Image = NDArray[np.uint8]
TO_WORLD = np.array([1.0, -1.0, -1.0])
TEXELS_PER_PX, SMALLEST, LARGEST = 1.5, 64, 1536


class Builder:
    """The parts of one plan as they are added."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.meshes: list[Mesh] = []
        self.materials: list[Material] = []
        self.textures: list[Image] = []

    def farthest(self, first: int) -> float:
        """Distance of the farthest point of the meshes from index `first` on; 0 without any."""
        return max((-float(mesh.points[:, 2].min()) for mesh in self.meshes[first:]), default=0.0)

    def rest_on(self, first: int, depth: float) -> None:
        """Move the meshes from index `first` on along the lines of sight until their farthest point is `depth` away.

        Nothing moves in the picture, but shadows fall as from an instrument that is mounted there.
        """
        factor = np.float32(depth / max(self.farthest(first), 1e-6))
        self.meshes[first:] = [replace(mesh, points=mesh.points * factor) for mesh in self.meshes[first:]]

    def texture(self, pixels: Image) -> int:
        """Index of a (height, width, 4) RGBA texture."""
        self.textures.append(np.ascontiguousarray(pixels))
        return len(self.textures) - 1

    def material(self, material: Material) -> int:
        if material not in self.materials:
            self.materials.append(material)
        return self.materials.index(material)

    def matte(self, color: Color, gloss: float = 0.5) -> Material:
        return Material("matte", linear(color), gloss=gloss)

    def add(self, solid: Solid, pose: Pose, material: Material, shadow: bool = True) -> None:
        """A solid in the face units of `pose`."""
        affine = camera_affine(pose, self.view)
        points = np.c_[solid.points, np.ones(len(solid.points))] @ affine.T
        self.place(solid, points * TO_WORLD, material, shadow)

    def place(self, solid: Solid, world: NDArray[np.float64], material: Material, shadow: bool = True) -> None:
        """A solid whose points are already in world units."""
        loops = np.fromiter((k for face in solid.faces for k in face), np.int32)
        sizes = np.fromiter((len(face) for face in solid.faces), np.int32)
        uv = None if solid.uv is None else solid.uv.astype(np.float32)
        self.meshes.append(Mesh(world.astype(np.float32), loops, sizes, uv, self.material(material), solid.smooth, shadow))

    def side(self, pose: Pose, extent: float) -> int:
        """Texels a side for a texture over -extent .. extent face units of an instrument that lies as `pose` says."""
        texels = TEXELS_PER_PX * 2 * pose.radius_px * pose.scale * extent / 100
        return int(np.clip(texels, SMALLEST, LARGEST)) // 8 * 8

    def layers(self, pose: Pose, extent: float, draw: Callable[[Pen, Pose], None]) -> list[Layer]:
        """What `draw` draws, by height, as textures over -extent .. extent face units."""
        side = self.side(pose, extent)
        pen = LayerPen(side)
        draw(pen, texture_pose(side, extent))
        return pen.layers()


def over(layer: Image, color: Color) -> Image:
    """A layer on a ground of one colour, opaque."""
    alpha = layer[..., 3:].astype(np.float32) / 255
    mixed = layer[..., :3] * alpha + np.asarray(color, np.float32) * (1 - alpha)
    return np.concatenate([(mixed + 0.5).astype(np.uint8), np.full_like(layer[..., 3:], 255)], axis=-1)


def dimmed(film: Image, ground: float) -> Image:
    """A film as it must be for light to add up: on a dark ground (0; 1 is a white one) faint parts shine less.

    The flat renderer mixes pixel values, a renderer of light mixes light, in which half a white film is brighter.
    """
    part = (film[..., 3:].astype(np.float32) / 255) ** ((1.0 - ground) / 2.2)
    return np.concatenate([(film[..., :3] * part + 0.5).astype(np.uint8), film[..., 3:]], axis=-1)
