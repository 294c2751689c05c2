"""Drawn layers as solids: the face, hands cut out along their outlines, hub and pane, or all layers in one picture."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from synth.blender.builder import Builder, dimmed, over
from synth.blender.cases import add_pane, outline
from synth.blender.geometry import Floats, lathe, sheet, slab
from synth.blender.layers import DROPPED, Layer, outlines
from synth.blender.look import linear
from synth.blender.plan import Material
from synth.flat.pen import lighten
from synth.scene import Light, Pose
from synth.spec import Case, Needle, Print, Vec

Image = NDArray[np.uint8]
PLAIN = Light(shadow=-1.0, softness=0.0, shade=0.0)
"""Light that draws nothing, for the renderer has its own: a shadow below nothing stays so where the drawing adds to it."""
FACE = 100.0
HAND = 1000.0
"""Stand-in heights from here on name the hands, the measuring needle first; no real part is that high."""


def bare_case(case: Case) -> Case:
    """The case for the flat drawing functions: where its solid stands in, nothing is drawn."""
    return replace(case, depth=DROPPED, recess=DROPPED)


def add_stack(
    builder: Builder, case: Case, pose: Pose, found: list[Layer], hands: list[tuple[Needle, Floats]], pane: float, glass: float
) -> None:
    """The layers of a cased instrument: face, hands, whatever lies at other heights, and the pane last."""
    face: Image | None = None
    above: Image | None = None
    first = next((k for k, layer in enumerate(found) if layer.height == HAND), 0)
    last = max((k for k, layer in enumerate(found) if layer.height >= HAND), default=0)
    for index, layer in enumerate(found):
        if layer.height >= HAND:
            needle, blade = hands[int(layer.height - HAND)]
            beside = 0.4 * math.copysign(min(1, layer.height - HAND), index - first)
            _hand(builder, pose, layer.pixels, blade, needle.height + beside)
        elif layer.height != 0.0:
            decal = Material("decal", texture=builder.texture(layer.pixels), gloss=0.2)
            builder.add(sheet(square(FACE), layer.height, FACE), pose, decal)
        elif index <= last:
            face = layer.pixels if face is None else _stacked(face, layer.pixels)
        else:
            above = layer.pixels if above is None else _stacked(above, layer.pixels)
    if face is not None:
        texture = builder.texture(over(face, (30, 30, 30)))
        builder.add(sheet(outline(case, 100.0 - case.bezel), 0.0, FACE), pose, Material("matte", texture=texture, gloss=0.15))
    level = 1.0 if face is None else float(face[..., :3][face[..., 3] > 128].mean() / 255)
    dirt = -1 if above is None else builder.texture(dimmed(above, level))
    add_pane(builder, case, pose, pane, glass, dirt, FACE)


def _stacked(low: Image, high: Image) -> Image:
    """One layer on another."""
    a, b = high[..., 3:].astype(np.float32) / 255, low[..., 3:].astype(np.float32) / 255
    alpha = a + b * (1 - a)
    color = (high[..., :3] * a + low[..., :3] * b * (1 - a)) / np.maximum(alpha, 1e-6)
    return np.concatenate([color + 0.5, 255 * alpha + 0.5], axis=-1).clip(0, 255).astype(np.uint8)


def _hand(builder: Builder, pose: Pose, pixels: Image, blade: Floats, height: float) -> None:
    """A hand cut out along its drawn outline, as high as the truth says, thrown shadows and all.

    The blade itself is exact: a cut along pixels would lose a sharp tip where it is thinner than one.
    """
    material = Material("matte", texture=builder.texture(pixels), gloss=0.5)
    low = height - min(0.2, 0.5 * height)  # thin sheet: a thick one would show its side and seem to point elsewhere
    builder.add(slab(blade, low, height, FACE), pose, material)
    for line in outlines(pixels[..., 3], FACE):
        builder.add(slab(line, low, height - 0.02, FACE), pose, material)


def add_hub(builder: Builder, needle: Needle, pivot: Vec, pose: Pose) -> None:
    """Axle, hub and cap. All of it stays within the hub's drawn circle."""
    h, r = needle.height, needle.hub
    if r <= 0:
        return
    knob = [(r * 0.6, 0.0), (r * 0.6, h), (r * 0.96, h + 0.1), (r * 0.96, h + 0.9), (r * 0.8, h + 1.4), (0.0, h + 1.6)]
    builder.add(lathe(knob, pivot, 32), pose, builder.matte(needle.hub_color, 0.9))
    if needle.cap > 0:
        cap = [(needle.cap, h + 1.0), (needle.cap, h + 1.9), (needle.cap * 0.7, h + 2.3), (0.0, h + 2.4)]
        builder.add(lathe(cap, pivot, 24), pose, Material("metal", linear(lighten(needle.cap_color, 0.2)), gloss=0.9))


def flattened(found: list[Layer]) -> Image:
    """All layers in one."""
    pixels = found[0].pixels
    for layer in found[1:]:
        pixels = _stacked(pixels, layer.pixels)
    return pixels


def reach_of(line: Print) -> float:
    """How far a line of print reaches from the middle, generously."""
    return max(abs(line.x) + 0.4 * line.size * len(line.text), abs(line.y) + line.size) + line.curve


def square(half: float) -> Floats:
    """Corners of a square about the middle, (4, 2)."""
    return np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
