"""Instruments in 3-D: solids with the flat renderer's print on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from synth.blender.builder import Builder, over
from synth.blender.cases import add_case, outline
from synth.blender.geometry import loft, sheet
from synth.blender.plan import Material
from synth.blender.signals import add_lamp, add_selector
from synth.blender.stack import FACE, HAND, PLAIN, Image, add_hub, add_stack, bare_case, flattened, square
from synth.devices import CounterSpec, DigitalSpec, LampSpec, SelectorSpec
from synth.errors import BlenderError
from synth.flat.case import wear_case
from synth.flat.device import draw_device
from synth.flat.dial import draw_dial
from synth.needle_shape import needle_outline
from synth.scene import GaugeScene, Placed, Pose
from synth.spec import Case, DialSpec

FADES_FROM_DEG, MOST_FADED = 20.0, 0.4
"""Liquid crystals are paler from this tilt on, and at most by this part: digits stay readable where the truth says so."""


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
            builder.add(sheet(square(170.0), layer.height + 0.4, 170.0), placed.pose, decal, shadow=False)


def _dial(builder: Builder, spec: DialSpec, pose: Pose, scene: GaugeScene, rng: np.random.Generator) -> None:
    hands = [spec.needle, *(hand.needle for hand in spec.hands)]
    turns = [spec.pointer_deg, *(spec.scale.angle_at(hand.fraction) for hand in spec.hands)]
    blades = [np.array(needle_outline(n, spec.pivot, turn)) for n, turn in zip(hands, turns, strict=True)]
    marked = replace(
        spec,
        case=bare_case(spec.case),
        needle=replace(spec.needle, height=HAND),
        hands=tuple(replace(h, needle=replace(h.needle, height=HAND + k)) for k, h in enumerate(spec.hands, 1)),
    )
    # A ring of diodes about the lens shows in the glass from everywhere; all other reflections are the room's.
    ringed = replace(PLAIN, ring=scene.light.ring)
    found = builder.layers(pose, FACE, lambda pen, flat: draw_dial(pen, marked, flat, ringed, scene.wear, rng))
    add_case(builder, spec.case, pose, np.random.default_rng([scene.seed, 70]))
    top = max([h.height for h in hands], default=0.0)
    pane = max(spec.case.recess * 0.6, top + 2.5)
    add_stack(builder, spec.case, pose, found, list(zip(hands, blades, strict=True)), pane, spec.glass)
    add_hub(builder, spec.needle, spec.pivot, pose)


def _digital(builder: Builder, spec: DigitalSpec, pose: Pose, scene: GaugeScene, rng: np.random.Generator) -> None:
    marked = replace(spec, case=bare_case(spec.case))
    state = rng.bit_generator.state

    def drawn(one: DigitalSpec) -> Image:
        rng.bit_generator.state = state
        found = builder.layers(pose, FACE, lambda pen, flat: draw_device(pen, one, flat, PLAIN, scene.wear, rng))
        return over(flattened(found), spec.case.bezel_color)

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


def _box(builder: Builder, case: Case, pose: Pose) -> None:
    """A housing whose front is a flat plate with a thin raised edge."""
    depth, rise = max(case.depth, 3.0), max(min(case.recess, 4.0), 0.4)
    profile = [(94.0, -depth), (99.0, -depth * 0.9), (100.0, -1.0), (100.0, rise * 0.5), (99.4, rise), (98.4, rise), (97.8, -0.1)]
    solid = loft([outline(case, half) for half, _ in profile], [height for _, height in profile])
    builder.add(solid, pose, builder.matte(case.bezel_color, 0.6))


def _counter(builder: Builder, spec: CounterSpec, pose: Pose, scene: GaugeScene, rng: np.random.Generator) -> None:
    marked = replace(spec, case=bare_case(spec.case))
    found = builder.layers(pose, FACE, lambda pen, flat: draw_device(pen, marked, flat, PLAIN, scene.wear, rng))
    add_case(builder, spec.case, pose, np.random.default_rng([scene.seed, 70]))
    add_stack(builder, spec.case, pose, found, [], max(spec.case.recess * 0.6, 2.0), 0.7)


ADDERS: dict[type[Any], Callable[[Builder, Any, Pose, GaugeScene, np.random.Generator], None]] = {
    DialSpec: _dial,
    DigitalSpec: _digital,
    CounterSpec: _counter,
    LampSpec: add_lamp,
    SelectorSpec: add_selector,
}
