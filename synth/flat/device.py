"""Draws an instrument that is no dial, and the small display in a dial's face."""

from __future__ import annotations

import numpy as np

from synth.devices import CounterSpec, DigitalSpec, LampSpec, SelectorSpec
from synth.flat.counter import draw_counter
from synth.flat.display import draw_digital
from synth.flat.lamp import draw_lamp
from synth.flat.pen import Pen, lighten, linear, rgba
from synth.flat.segments import draw_segments, text_extent
from synth.flat.selector import draw_selector
from synth.fonts import SYMBOL_SAFE
from synth.scene import Light, Pose, Wear
from synth.spec import Inner

Device = DigitalSpec | CounterSpec | LampSpec | SelectorSpec


def draw_device(pen: Pen, spec: Device, pose: Pose, light: Light, wear: Wear, rng: np.random.Generator) -> None:
    """Draw one display, counter, lamp or selector."""
    if isinstance(spec, DigitalSpec):
        draw_digital(pen, spec, pose, light, wear, rng)
    elif isinstance(spec, CounterSpec):
        draw_counter(pen, spec, pose, light, wear, rng)
    elif isinstance(spec, LampSpec):
        draw_lamp(pen, spec, pose, light, rng)
    else:
        draw_selector(pen, spec, pose, light, wear, rng)


def draw_inner(pen: Pen, inner: Inner) -> None:
    """The small display or counter in a dial's face, in the face's own plane."""
    x0, y0 = inner.x - inner.half_width, inner.y - inner.half_height
    x1, y1 = inner.x + inner.half_width, inner.y + inner.half_height
    pen.box(x0 - 1.2, y0 - 1.2, x1 + 1.2, y1 + 1.2, (30, 30, 32), 1.0)
    if inner.style == "drums":
        wide = 2 * inner.half_width / len(inner.digits)
        for index, digit in enumerate(inner.digits):
            left = x0 + wide * index
            shade = linear((0, y0), (0, y1), [rgba(lighten(inner.back, f)) for f in (-0.55, 0.1, 0.1, -0.55)])
            pen.box(left + wide * 0.05, y0, left + wide * 0.95, y1, inner.back, shader=shade)
            pen.text(digit, left + wide / 2, inner.y, min(wide * 1.15, 1.5 * inner.half_height), SYMBOL_SAFE, inner.ink)
        return
    pen.box(x0, y0, x1, y1, inner.back, 0.6)
    stroke = 0.12
    height = min(1.5 * inner.half_height, 1.76 * inner.half_width / text_extent(inner.digits, stroke))
    left = inner.x - height * text_extent(inner.digits, stroke) / 2
    look = (height, stroke, 0.012, 0.08)
    if inner.style == "led":
        draw_segments(pen, inner.digits, left, inner.y - height / 2, *look, inner.ink, 0.45, height * 0.08)
    draw_segments(pen, inner.digits, left, inner.y - height / 2, *look, inner.ink, 0.95)
