"""Instruments in 3-D: solids with the flat renderer's print on them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.blender.builder import Builder, over
from synth.blender.cases import add_case, add_pane, outline
from synth.blender.geometry import Floats, Solid, lathe, loft, ring, sheet, slab
from synth.blender.layers import DROPPED, Layer, outlines
from synth.blender.look import linear
from synth.blender.plan import Material
from synth.devices import CounterSpec, DigitalSpec, InstrumentSpec, LampSpec, SelectorSpec
from synth.errors import BlenderError
from synth.flat.device import draw_counter, draw_digital, draw_lamp, draw_selector
from synth.flat.dial import draw_dial
from synth.flat.lettering import draw_print
from synth.flat.pen import Pen, lighten
from synth.scene import GaugeScene, Light, Placed, Pose
from synth.spec import Case, DialSpec, Needle, Print, Vec

Image = NDArray[np.uint8]
PLAIN = Light(shadow=-1.0, softness=0.0, shade=0.0)
"""Light that draws nothing, for the renderer has its own: a shadow below nothing stays so where the drawing adds to it."""
FACE = 100.0
HAND = 1000.0
"""Stand-in heights from here on name the hands, the measuring needle first; no real part is that high."""


def add_instrument(builder: Builder, placed: Placed, scene: GaugeScene, index: int) -> None:
    """Add one instrument. Raises BlenderError for a kind of device that has no solid yet."""
    spec = placed.spec
    adder = ADDERS.get(type(spec))
    if adder is None:
        known = ", ".join(sorted(kind.__name__ for kind in ADDERS))
        raise BlenderError(f"the Blender room cannot build a {type(spec).__name__}; it knows {known}")
    adder(builder, spec, placed.pose, scene, np.random.default_rng([scene.seed, 1 + index]))


def _bare_case(case: Case) -> Case:
    """The case for the flat drawing functions: where its solid stands in, nothing is drawn."""
    return replace(case, depth=DROPPED, recess=DROPPED)


def _dial(builder: Builder, spec: DialSpec, pose: Pose, scene: GaugeScene, rng: np.random.Generator) -> None:
    hands = [spec.needle, *(hand.needle for hand in spec.hands)]
    marked = replace(
        spec,
        case=_bare_case(spec.case),
        needle=replace(spec.needle, height=HAND),
        hands=tuple(replace(h, needle=replace(h.needle, height=HAND + k)) for k, h in enumerate(spec.hands, 1)),
    )
    found = builder.layers(pose, FACE, lambda pen, flat: draw_dial(pen, marked, flat, PLAIN, scene.wear, rng))
    add_case(builder, spec.case, pose, np.random.default_rng([scene.seed, 70]))
    top = max([h.height for h in hands], default=0.0)
    pane = max(spec.case.recess * 0.6, top + 2.5)
    _stack(builder, spec.case, pose, found, hands, pane, 1.0 * spec.glass)
    _hub(builder, spec.needle, spec.pivot, pose)


def _stack(
    builder: Builder, case: Case, pose: Pose, found: list[Layer], hands: list[Needle], pane: float, glass: float
) -> None:
    """The layers of a cased instrument: face, hands, whatever lies at other heights, and the pane last."""
    face: Image | None = None
    above: Image | None = None
    raised = 0
    for layer in found:
        if layer.height >= HAND:
            needle = hands[int(layer.height - HAND)]
            _hand(builder, pose, layer.pixels, needle.height - (0.4 if needle is not hands[0] else 0.0))
            raised += 1
        elif layer.height == 0.0 and not raised:
            face = layer.pixels if face is None else _stacked(face, layer.pixels)
        elif layer.height == 0.0:
            above = layer.pixels if above is None else _stacked(above, layer.pixels)
        else:
            box = np.array([(-FACE, -FACE), (FACE, -FACE), (FACE, FACE), (-FACE, FACE)])
            decal = Material("decal", texture=builder.texture(layer.pixels), gloss=0.2)
            builder.add(sheet(box, layer.height, FACE), pose, decal)
    if face is not None:
        texture = builder.texture(over(face, (30, 30, 30)))
        builder.add(sheet(outline(case, 100.0 - case.bezel), 0.0, FACE), pose, Material("matte", texture=texture, gloss=0.15))
    add_pane(builder, case, pose, pane, glass, -1 if above is None else builder.texture(above), FACE)


def _stacked(low: Image, high: Image) -> Image:
    """One layer on another."""
    a, b = high[..., 3:].astype(np.float32) / 255, low[..., 3:].astype(np.float32) / 255
    alpha = a + b * (1 - a)
    color = (high[..., :3] * a + low[..., :3] * b * (1 - a)) / np.maximum(alpha, 1e-6)
    return np.concatenate([color + 0.5, 255 * alpha + 0.5], axis=-1).clip(0, 255).astype(np.uint8)


def _hand(builder: Builder, pose: Pose, pixels: Image, height: float) -> None:
    """A hand cut out along its drawn outline, as high as the truth says, thrown shadows and all."""
    material = Material("matte", texture=builder.texture(pixels), gloss=0.5)
    for line in outlines(pixels[..., 3], FACE):
        builder.add(slab(line, max(height - 1.0, height * 0.5), height, FACE), pose, material)


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
        found = builder.layers(pose, FACE, lambda pen, flat: draw_digital(pen, one, flat, PLAIN, scene.wear, rng))
        return over(_flattened(found), spec.case.bezel_color)

    shown = drawn(marked)
    glowing = spec.lit and spec.led
    ground = drawn(replace(marked, lit=False)) if glowing else shown
    face = Material("matte", texture=builder.texture(ground), gloss=0.35)
    if glowing:
        changed = (np.abs(shown.astype(np.int16) - ground).max(axis=-1, keepdims=True) > 2).astype(np.uint8)
        light = np.concatenate([shown[..., :3] * changed, np.full_like(changed, 255)], axis=-1)
        face = replace(face, glow=0.9, glow_texture=builder.texture(light))
    x0, y0, x1, y1 = spec.window
    window = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    if spec.bare:
        builder.add(sheet(np.clip(window + [(-4, -4), (4, -4), (4, 4), (-4, 4)], -FACE, FACE), 0.0, FACE), pose, face)
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
    found = builder.layers(pose, FACE, lambda pen, flat: draw_counter(pen, marked, flat, PLAIN, scene.wear, rng))
    add_case(builder, spec.case, pose, np.random.default_rng([scene.seed, 70]))
    _stack(builder, spec.case, pose, found, [], max(spec.case.recess * 0.6, 2.0), 0.7)


def _prints(builder: Builder, prints: tuple[Print, ...], pose: Pose, height: float) -> None:
    """Lines of print on what is behind, beside a device that has no plate of its own."""
    if not prints:
        return
    reach = max(max(abs(p.x) + 0.4 * p.size * len(p.text), abs(p.y) + p.size) + p.curve for p in prints)
    extent = float(min(max(reach, 100.0), 400.0))

    def draw(pen: Pen, flat: Pose) -> None:
        with pen.plane(flat.homography(0.0)):
            for line in prints:
                draw_print(pen, line)

    for layer in builder.layers(pose, extent, draw):
        box = np.array([(-extent, -extent), (extent, -extent), (extent, extent), (-extent, extent)])
        decal = Material("decal", texture=builder.texture(layer.pixels), gloss=0.0)
        builder.add(sheet(box, height, extent), pose, decal, shadow=False)


def _lamp(builder: Builder, spec: LampSpec, pose: Pose, scene: GaugeScene, rng: np.random.Generator) -> None:
    lens, lit = 100.0 - spec.ring, spec.state != "off"
    found = builder.layers(
        pose, FACE, lambda pen, flat: draw_lamp(pen, replace(spec, prints=()), flat, PLAIN, scene.wear, rng)
    )
    shape = "square" if spec.square else "round"

    def outline_at(half: float) -> Floats:
        return ring("square" if spec.square else "round", half, 1.0, 8.0)

    def skin(profile: list[Vec]) -> Solid:
        return loft([outline_at(max(half, 0.05)) for half, _ in profile], [height for _, height in profile])

    rim = [(100.0, -1.0), (100.0, 4.0), (98.0, 8.0), (lens + 0.25 * spec.ring, 10.0), (lens, 8.0), (lens, 2.0)]
    neutral = max(spec.ring_color) - min(spec.ring_color) < 25 and max(spec.ring_color) > 90
    metal = Material("metal", linear(lighten(spec.ring_color, 0.2)), gloss=0.9)
    builder.add(skin(rim), pose, metal if neutral else builder.matte(spec.ring_color, 0.8))
    high = lens * (0.12 if spec.square else 0.34)
    turn = np.linspace(0, math.pi / 2, 10)
    profile = [(lens * math.cos(t), 4.0 + high * math.sin(t)) for t in turn]
    if spec.faceted:
        profile = [(half, height - (2.0 if k % 2 else 0.0)) for k, (half, height) in enumerate(profile)]
    base = spec.lens_color if lit else _color_at(found, 0.55 * lens)
    body = Material("matte", linear(base), gloss=1.0, sharp=True, glow=1.1 if lit else 0.0)
    builder.add(skin(profile), pose, body)
    if lit and spec.glow > 0:
        builder.add(sheet(ring("round", 200.0, 1.0, 0.0), 0.9 * high + 5, 200.0), pose, _halo(builder, spec), shadow=False)
    _prints(builder, spec.prints, pose, 0.3)
    del shape


def _color_at(found: list[Layer], radius: float) -> tuple[int, int, int]:
    """The colour that the flat renderer gave to a lens."""
    pixels = _flattened(found)
    place = int((0.5 + radius / (2 * FACE)) * pixels.shape[0])
    red, green, blue = (int(v) for v in pixels[pixels.shape[0] // 2, place, :3])
    return red, green, blue


def _halo(builder: Builder, spec: LampSpec) -> Material:
    """Light that a lit lens spreads in the camera's own glass, and its hot middle."""
    y, x = (np.mgrid[0:128, 0:128] - 63.5) / 64.0 * 2.0
    away = np.hypot(x, y)
    lens = 1.0 - spec.ring / 100
    spread = np.clip(1.0 - np.maximum(away - lens, 0) / 1.0, 0, 1) ** 2 * (away > lens) + (away <= lens)
    color = np.asarray(spec.lens_color, np.float64)
    middle = np.exp(-((away / (0.45 * lens)) ** 2))[..., None] * (255 - 0.4 * (255 - color)) * 0.75
    edge = (spread * np.clip(2 - away, 0, 1))[..., None] * color * 0.55
    pixels = np.concatenate([np.maximum(middle, edge), np.full((128, 128, 1), 255.0)], axis=-1)
    return Material("glass", gloss=0.0, glow=spec.glow, glow_texture=builder.texture(pixels.clip(0, 255).astype(np.uint8)))


def _selector(builder: Builder, spec: SelectorSpec, pose: Pose, scene: GaugeScene, rng: np.random.Generator) -> None:
    found = builder.layers(
        pose, FACE, lambda pen, flat: draw_selector(pen, replace(spec, prints=()), flat, PLAIN, scene.wear, rng)
    )
    plate = Material("matte", texture=builder.texture(over(found[0].pixels, spec.plate_color)), gloss=0.35)
    shape = ring("square", 100.0, 1.0, 6.0) if spec.square else ring("round", 100.0, 1.0, 0.0)
    builder.add(slab(shape, -4.0, 0.0, FACE), pose, plate)
    for layer in found[1:]:
        if layer is found[1]:
            knob = Material("matte", texture=builder.texture(layer.pixels), gloss=0.6)
            for line in outlines(layer.pixels[..., 3], FACE):
                builder.add(slab(line, 0.1, layer.height, FACE), pose, knob)
        else:
            box = np.array([(-FACE, -FACE), (FACE, -FACE), (FACE, FACE), (-FACE, FACE)])
            decal = Material("decal", texture=builder.texture(layer.pixels), gloss=0.0)
            builder.add(sheet(box, layer.height, FACE), pose, decal, shadow=False)
    _prints(builder, spec.prints, pose, 0.3)


ADDERS: dict[type[Any], Callable[[Builder, Any, Pose, GaugeScene, np.random.Generator], None]] = {
    DialSpec: _dial,
    DigitalSpec: _digital,
    CounterSpec: _counter,
    LampSpec: _lamp,
    SelectorSpec: _selector,
}
KINDS = InstrumentSpec
