"""Instruments in 3-D: solids with the flat renderer's print on them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.blender.builder import Builder, dimmed, over
from synth.blender.cases import add_case, add_pane, outline
from synth.blender.geometry import Floats, Solid, lathe, loft, planar_uv, ring, sheet, slab
from synth.blender.layers import DROPPED, Layer, outlines
from synth.blender.look import linear
from synth.blender.plan import Material
from synth.devices import CounterSpec, DigitalSpec, LampSpec, SelectorSpec
from synth.errors import BlenderError
from synth.flat.case import wear_case
from synth.flat.device import draw_device
from synth.flat.dial import draw_dial
from synth.flat.pen import lighten
from synth.needle_shape import needle_outline
from synth.scene import GaugeScene, Light, Placed, Pose
from synth.spec import Case, DialSpec, Needle, Print, Vec

Image = NDArray[np.uint8]
PLAIN = Light(shadow=-1.0, softness=0.0, shade=0.0)
"""Light that draws nothing, for the renderer has its own: a shadow below nothing stays so where the drawing adds to it."""
FACE = 100.0
FADES_FROM_DEG, MOST_FADED = 20.0, 0.4
"""Liquid crystals are paler from this tilt on, and at most by this part: digits stay readable where the truth says so."""
HAND = 1000.0
"""Stand-in heights from here on name the hands, the measuring needle first; no real part is that high."""


def add_instrument(builder: Builder, placed: Placed, scene: GaugeScene, index: int) -> None:
    """Add one instrument. Raises BlenderError for a kind of device that has no solid yet."""
    spec = placed.spec
    adder = ADDERS.get(type(spec))
    if adder is None:
        known = ", ".join(sorted(kind.__name__ for kind in ADDERS))
        raise BlenderError(f"the Blender room cannot build a {type(spec).__name__}; it knows {known}")
    rng = np.random.default_rng([scene.seed, 1 + index])
    adder(builder, spec, placed.pose, scene, rng)
    if isinstance(spec, (DialSpec, DigitalSpec, CounterSpec)) and (scene.wear.rust or scene.wear.oil or scene.wear.paint):
        for layer in builder.layers(placed.pose, 170.0, lambda pen, flat: wear_case(pen, spec.case, flat, scene.wear, rng)):
            decal = Material("decal", texture=builder.texture(layer.pixels), gloss=0.0)
            builder.add(sheet(_square(170.0), layer.height + 0.4, 170.0), placed.pose, decal, shadow=False)


def _bare_case(case: Case) -> Case:
    """The case for the flat drawing functions: where its solid stands in, nothing is drawn."""
    return replace(case, depth=DROPPED, recess=DROPPED)


def _dial(builder: Builder, spec: DialSpec, pose: Pose, scene: GaugeScene, rng: np.random.Generator) -> None:
    hands = [spec.needle, *(hand.needle for hand in spec.hands)]
    turns = [spec.pointer_deg, *(spec.scale.angle_at(hand.fraction) for hand in spec.hands)]
    blades = [np.array(needle_outline(n, spec.pivot, turn)) for n, turn in zip(hands, turns, strict=True)]
    marked = replace(
        spec,
        case=_bare_case(spec.case),
        needle=replace(spec.needle, height=HAND),
        hands=tuple(replace(h, needle=replace(h.needle, height=HAND + k)) for k, h in enumerate(spec.hands, 1)),
    )
    # A ring of diodes about the lens shows in the glass from everywhere; all other reflections are the room's.
    ringed = replace(PLAIN, ring=scene.light.ring)
    found = builder.layers(pose, FACE, lambda pen, flat: draw_dial(pen, marked, flat, ringed, scene.wear, rng))
    add_case(builder, spec.case, pose, np.random.default_rng([scene.seed, 70]))
    top = max([h.height for h in hands], default=0.0)
    pane = max(spec.case.recess * 0.6, top + 2.5)
    _stack(builder, spec.case, pose, found, list(zip(hands, blades, strict=True)), pane, spec.glass)
    _hub(builder, spec.needle, spec.pivot, pose)


def _stack(
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
            builder.add(sheet(_square(FACE), layer.height, FACE), pose, decal)
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


def _hub(builder: Builder, needle: Needle, pivot: Vec, pose: Pose) -> None:
    """Axle, hub and cap. All of it stays within the hub's drawn circle."""
    h, r = needle.height, needle.hub
    if r <= 0:
        return
    knob = [(r * 0.6, 0.0), (r * 0.6, h), (r * 0.96, h + 0.1), (r * 0.96, h + 0.9), (r * 0.8, h + 1.4), (0.0, h + 1.6)]
    builder.add(lathe(knob, pivot, 32), pose, builder.matte(needle.hub_color, 0.9))
    if needle.cap > 0:
        cap = [(needle.cap, h + 1.0), (needle.cap, h + 1.9), (needle.cap * 0.7, h + 2.3), (0.0, h + 2.4)]
        builder.add(lathe(cap, pivot, 24), pose, Material("metal", linear(lighten(needle.cap_color, 0.2)), gloss=0.9))


def _digital(builder: Builder, spec: DigitalSpec, pose: Pose, scene: GaugeScene, rng: np.random.Generator) -> None:
    marked = replace(spec, case=_bare_case(spec.case))
    state = rng.bit_generator.state

    def drawn(one: DigitalSpec) -> Image:
        rng.bit_generator.state = state
        found = builder.layers(pose, FACE, lambda pen, flat: draw_device(pen, one, flat, PLAIN, scene.wear, rng))
        return over(_flattened(found), spec.case.bezel_color)

    shown = drawn(marked)
    glowing = spec.lit and spec.led
    ground = drawn(replace(marked, lit=False)) if glowing else shown
    if spec.lit and not spec.led and pose.tilt_deg > FADES_FROM_DEG:  # liquid crystals pale at a slant
        paled = min(MOST_FADED, (pose.tilt_deg - FADES_FROM_DEG) / 60)
        blank = drawn(replace(marked, lit=False))
        ground = (shown + (blank.astype(np.float32) - shown) * paled + 0.5).astype(np.uint8)
    face = Material("matte", texture=builder.texture(ground), gloss=0.35)
    if glowing:
        changed = (np.abs(shown.astype(np.int16) - ground).max(axis=-1, keepdims=True) > 2).astype(np.uint8)
        light = np.concatenate([shown[..., :3] * changed, np.full_like(changed, 255)], axis=-1)
        face = replace(face, glow=0.9, glow_texture=builder.texture(light))
    x0, y0, x1, y1 = spec.window
    window = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    if spec.bare:
        builder.add(sheet(np.clip(window + spec.frame * np.sign(window - window.mean(0)), -FACE, FACE), 0.0, FACE), pose, face)
    elif spec.case.shape == "round":
        add_case(builder, spec.case, pose, np.random.default_rng([scene.seed, 70]))
        builder.add(sheet(outline(spec.case, 100.0 - spec.case.bezel), 0.0, FACE), pose, face)
    else:
        _box(builder, spec.case, pose)
        builder.add(sheet(outline(spec.case, 98.0), 0.0, FACE), pose, face)
    pane = Material("glass", gloss=0.6, sharp=True)
    builder.add(sheet(window, 0.8, FACE), pose, pane, shadow=False)


def _flattened(found: list[Layer]) -> Image:
    """All layers in one."""
    pixels = found[0].pixels
    for layer in found[1:]:
        pixels = _stacked(pixels, layer.pixels)
    return pixels


def _box(builder: Builder, case: Case, pose: Pose) -> None:
    """A housing whose front is a flat plate with a thin raised edge."""
    depth, rise = max(case.depth, 3.0), max(min(case.recess, 4.0), 0.4)
    profile = [(94.0, -depth), (99.0, -depth * 0.9), (100.0, -1.0), (100.0, rise * 0.5), (99.4, rise), (98.4, rise), (97.8, -0.1)]
    solid = loft([outline(case, half) for half, _ in profile], [height for _, height in profile])
    builder.add(solid, pose, builder.matte(case.bezel_color, 0.6))


def _counter(builder: Builder, spec: CounterSpec, pose: Pose, scene: GaugeScene, rng: np.random.Generator) -> None:
    marked = replace(spec, case=_bare_case(spec.case))
    found = builder.layers(pose, FACE, lambda pen, flat: draw_device(pen, marked, flat, PLAIN, scene.wear, rng))
    add_case(builder, spec.case, pose, np.random.default_rng([scene.seed, 70]))
    _stack(builder, spec.case, pose, found, [], max(spec.case.recess * 0.6, 2.0), 0.7)


def _lamp(builder: Builder, spec: LampSpec, pose: Pose, scene: GaugeScene, rng: np.random.Generator) -> None:
    """A lens on its ring. The lens wears the flat renderer's own look, as a surface and, where lit, as light."""
    extent = float(np.clip(max([220.0, *(_reach(p) for p in spec.prints)]), 220.0, 400.0))
    found = builder.layers(pose, extent, lambda pen, flat: draw_device(pen, spec, flat, PLAIN, scene.wear, rng))
    drawn = _flattened(found)
    ground = Material("decal", texture=builder.texture(dimmed(drawn, 0.0)), gloss=0.0)
    builder.add(sheet(_square(extent), 0.2, extent), pose, ground, shadow=False)
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


def _reach(line: Print) -> float:
    """How far a line of print reaches from the middle, generously."""
    return max(abs(line.x) + 0.4 * line.size * len(line.text), abs(line.y) + line.size) + line.curve


def _square(half: float) -> Floats:
    return np.array([(-half, -half), (half, -half), (half, half), (-half, half)])


def _selector(builder: Builder, spec: SelectorSpec, pose: Pose, scene: GaugeScene, rng: np.random.Generator) -> None:
    """A plate, a knob cut out along its drawn outline, and a grip on it that stands as high again."""
    extent = float(np.clip(max([FACE, *(_reach(p) for p in spec.prints)]), FACE, 400.0))
    found = builder.layers(pose, extent, lambda pen, flat: draw_device(pen, spec, flat, PLAIN, scene.wear, rng))
    ground, *above = found
    if extent > FACE:  # print beside the plate
        builder.add(
            sheet(_square(extent), -3.0, extent), pose, Material("decal", texture=builder.texture(ground.pixels), gloss=0.0)
        )
    plate = Material("matte", texture=builder.texture(over(ground.pixels, spec.plate_color)), gloss=0.35)
    shape = ring("square", 100.0, 1.0, 6.0) if spec.square else ring("round", 100.0, 1.0, 0.0)
    builder.add(slab(shape, -4.0, 0.0, extent), pose, plate)
    for index, layer in enumerate(above):
        texture = builder.texture(layer.pixels)
        if index:
            builder.add(
                sheet(_square(extent), layer.height + 8, extent),
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


ADDERS: dict[type[Any], Callable[[Builder, Any, Pose, GaugeScene, np.random.Generator], None]] = {
    DialSpec: _dial,
    DigitalSpec: _digital,
    CounterSpec: _counter,
    LampSpec: _lamp,
    SelectorSpec: _selector,
}
