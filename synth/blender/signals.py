"""Lamps and selector switches in 3-D: lenses, stack lights, knobs and their grips."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from synth.blender.builder import Builder, dimmed, over
from synth.blender.geometry import Solid, loft, planar_uv, ring, sheet, slab
from synth.blender.layers import outlines
from synth.blender.look import linear
from synth.blender.plan import Material
from synth.blender.stack import FACE, PLAIN, flattened, reach_of, square
from synth.devices import LampSpec, SelectorSpec
from synth.flat.device import draw_device
from synth.flat.pen import lighten
from synth.scene import GaugeScene, Pose
from synth.spec import Vec


def add_lamp(builder: Builder, spec: LampSpec, pose: Pose, scene: GaugeScene, rng: np.random.Generator) -> None:
    """A lens on its ring. The lens wears the flat renderer's own look, as a surface and, where lit, as light."""
    extent = float(np.clip(max([220.0, *(reach_of(p) for p in spec.prints)]), 220.0, 400.0))
    found = builder.layers(pose, extent, lambda pen, flat: draw_device(pen, spec, flat, PLAIN, scene.wear, rng))
    drawn = flattened(found)
    ground = Material("decal", texture=builder.texture(dimmed(drawn, 0.0)), gloss=0.0)
    builder.add(sheet(square(extent), 0.2, extent), pose, ground, shadow=False)
    lens = builder.texture(over(drawn, spec.lens_color))
    lit = spec.state != "off"
    body = Material("matte", texture=lens, gloss=0.9, sharp=True)
    if lit:  # mostly its own light: lit from outside as well it would lose its hue
        body = replace(body, color=(0.2, 0.2, 0.2), glow=0.9, glow_texture=lens)
    if spec.style == "stack":
        _storey(builder, spec, pose, body, extent)
        return
    inside = {"ring": 78.0}.get(spec.style, 100.0 - spec.ring)

    def skin(profile: list[Vec]) -> Solid:
        rings = [ring("square" if spec.square else "round", max(half, 0.05), 1.0, 8.0) for half, _ in profile]
        return loft(rings, [height for _, height in profile])

    rim = [(100.0, -1.0), (100.0, 4.0), (98.0, 8.0), (inside + 0.3 * (100 - inside), 10.0), (inside, 8.0), (inside, 2.0)]
    shiny = max(spec.ring_color) - min(spec.ring_color) < 25 and max(spec.ring_color) > 90
    metal = Material("metal", linear(lighten(spec.ring_color, 0.2)), gloss=0.9)
    builder.add(skin(rim), pose, metal if shiny else builder.matte(spec.ring_color, 0.8))
    high = inside * (LENS_HEIGHT[spec.style] if not spec.square else min(LENS_HEIGHT[spec.style], 0.12))
    turn = np.linspace(0, math.pi / 2, 10)
    profile = [(inside * math.cos(t), 4.0 + high * math.sin(t)) for t in turn]
    if spec.faceted:
        profile = [(half, height - (0.04 * inside if k % 2 else 0.0)) for k, (half, height) in enumerate(profile)]
    solid = skin(profile)
    builder.add(Solid(solid.points, solid.faces, planar_uv(solid.points, extent)), pose, body)


LENS_HEIGHT = {"dome": 0.34, "led": 0.55, "flat": 0.06, "ring": 0.05}
"""Height of a lens over its ring as a part of its half width."""


def _storey(builder: Builder, spec: LampSpec, pose: Pose, body: Material, extent: float) -> None:
    """A storey of a stack light: a half cylinder between two bands."""
    turn = np.linspace(-math.pi / 2, math.pi / 2, 25)
    arc = np.c_[100 * np.sin(turn), 70 * np.cos(turn)]
    points = np.concatenate([np.c_[arc[:, 0], np.full(25, y), arc[:, 1]] for y in (-100.0, 100.0)])
    faces: list[tuple[int, ...]] = [(k, k + 1, 26 + k, 25 + k) for k in range(24)]
    builder.add(Solid(points, faces, planar_uv(points, extent)), pose, body)
    for y in (-100.0, 90.0):
        band = np.concatenate([np.c_[arc[:, 0] * 1.04, np.full(25, y + part), arc[:, 1] * 1.05] for part in (0.0, 10.0)])
        builder.add(Solid(band, faces), pose, builder.matte(spec.ring_color, 0.8))


def add_selector(builder: Builder, spec: SelectorSpec, pose: Pose, scene: GaugeScene, rng: np.random.Generator) -> None:
    """A plate, a knob cut out along its drawn outline, and a grip on it that stands as high again."""
    extent = float(np.clip(max([FACE, *(reach_of(p) for p in spec.prints)]), FACE, 400.0))
    found = builder.layers(pose, extent, lambda pen, flat: draw_device(pen, spec, flat, PLAIN, scene.wear, rng))
    ground, *above = found
    if extent > FACE:  # print beside the plate
        builder.add(
            sheet(square(extent), -3.0, extent), pose, Material("decal", texture=builder.texture(ground.pixels), gloss=0.0)
        )
    plate = Material("matte", texture=builder.texture(over(ground.pixels, spec.plate_color)), gloss=0.35)
    shape = ring("square", 100.0, 1.0, 6.0) if spec.square else ring("round", 100.0, 1.0, 0.0)
    builder.add(slab(shape, -4.0, 0.0, extent), pose, plate)
    for index, layer in enumerate(above):
        texture = builder.texture(layer.pixels)
        if index:
            builder.add(
                sheet(square(extent), layer.height + 8, extent),
                pose,
                Material("decal", texture=texture, gloss=0.0),
                shadow=False,
            )
            continue
        knob = Material("matte", texture=texture, gloss=0.6)
        for line in outlines(layer.pixels[..., 3], extent):
            builder.add(slab(line, 0.1, layer.height, extent), pose, knob)
        if spec.style in GRIPS:
            turn = math.radians(spec.angles_deg[spec.position - 1] + spec.offset_deg + 180)
            cosine, sine = math.cos(turn), math.sin(turn)
            grip = spec.knob * np.array(GRIPS[spec.style]) @ np.array([[cosine, sine], [-sine, cosine]])
            builder.add(slab(grip, layer.height, layer.height + 7.0, extent), pose, knob)


GRIPS: dict[str, list[Vec]] = {
    "bar": [(-0.25, -0.96), (0.25, -0.96), (0.25, 0.96), (-0.25, 0.96)],
    "pointer": [(0.0, -1.06), (0.35, -0.45), (0.35, 0.78), (-0.35, 0.78), (-0.35, -0.45)],
    "lever": [(-0.19, -1.06), (0.19, -1.06), (0.19, 0.33), (-0.19, 0.33)],
}
"""Outlines of the raised grips, pointing up, in radii of the knob."""
