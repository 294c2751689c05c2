"""A face below its print: textures, coloured centres, mirror bands, windows that show the mechanism."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import skia

from synth.flat.pen import Pen, lighten, linear, radial, rgba, sweep
from synth.scene import Wear
from synth.spec import DialSpec, Vec, polar

BRASS = (186, 150, 84)
TILE = 640
"""Side of the tile of grains in pixels: more than a face takes at any of its sizes."""


def draw_face(pen: Pen, spec: DialSpec, half: float, wear: Wear, rng: np.random.Generator) -> None:
    """Texture and coloured parts of a face; the plane of the face is set and clipped."""
    look, color = spec.look, spec.face_color
    if wear.yellowing > 0:
        pen.disc(0, 0, half * 1.5, (210, 180, 90), 0.35 * wear.yellowing)
    if look.texture == "vignette":
        shades = [rgba(lighten(color, 0.25)), rgba(color), rgba(lighten(color, -0.25 * look.grain - 0.05))]
        pen.disc(0, 0, half * 1.5, color, shader=radial(0, 0, half * 1.4, shades))
    elif look.texture == "gradient":
        turn = rng.uniform(0, 2 * math.pi)
        end = (half * math.cos(turn), half * math.sin(turn))
        shades = [rgba(lighten(color, 0.2 * look.grain)), rgba(lighten(color, -0.2 * look.grain))]
        pen.disc(0, 0, half * 1.5, color, shader=linear((-end[0], -end[1]), end, shades))
    elif look.texture == "turned":
        waves = [
            rgba(lighten(color, float(v))) for v in look.grain * 0.3 * np.sin(np.arange(17) * math.pi / 2 + rng.uniform(0, 6))
        ]
        pen.disc(0, 0, half * 1.5, color, shader=sweep(*spec.pivot, [*waves[:-1], waves[0]]))
    elif look.texture in ("brushed", "anodised", "paper"):
        _noise(pen, spec, half, rng)
    if look.center_radius > 0:
        pen.disc(*spec.pivot, look.center_radius, look.center_color)
    if look.opening > 0:
        _mechanism(pen, spec.pivot, look.opening, rng)
    if look.mirror[1] > 0:
        _mirror(pen, spec)
    if look.rim_line > 0:
        pen.circle(0, 0, half - look.rim_line, spec.art.color, 0.5)


@lru_cache(maxsize=1)
def _tile() -> Any:
    """A tile of light and dark grains, the same in every process: made once, then parts of it are turned and stretched."""
    noise = np.random.default_rng(20260101).normal(0, 90, (TILE, TILE, 1))
    tone = np.where(noise > 0, 255, 0).astype(np.uint8)
    cover = np.clip(np.abs(noise), 0, 255).astype(np.uint8)
    pixels = np.concatenate([tone, tone, tone, cover], axis=2)
    return skia.Image.fromarray(np.ascontiguousarray(pixels))


def _noise(pen: Pen, spec: DialSpec, half: float, rng: np.random.Generator) -> None:
    """Fine noise, drawn out in one direction where the face is brushed."""
    wide, tall = {"brushed": (16.0, 0.35), "paper": (1.1, 1.1)}.get(spec.look.texture, (0.45, 0.45))
    turn = float(rng.uniform(-4, 4)) + (90.0 if rng.random() < 0.3 else 0.0)
    reach = 1.1 * half * max(1.0, spec.case.aspect)
    span_x, span_y = min(2 * reach / wide, TILE), min(2 * reach / tall, TILE)
    x, y = float(rng.uniform(0, TILE - span_x)), float(rng.uniform(0, TILE - span_y))
    paint = skia.Paint(AntiAlias=False)
    paint.setAlphaf(0.015 + 0.045 * spec.look.grain)
    pen.canvas.save()
    pen.canvas.rotate(turn)
    # An image, not a shader made of one: setting such a shader copies the whole tile through an encoder.
    pen.canvas.drawImageRect(
        _tile(),
        skia.Rect.MakeXYWH(x, y, span_x, span_y),
        skia.Rect.MakeLTRB(-reach, -reach, reach, reach),
        skia.SamplingOptions(skia.FilterMode.kNearest),
        paint,
        skia.Canvas.SrcRectConstraint.kFast_SrcRectConstraint,
    )
    pen.canvas.restore()


def _mechanism(pen: Pen, pivot: Vec, radius: float, rng: np.random.Generator) -> None:
    """A round window: brass plate, a gear's sector, the bent tube and screws in its shade."""
    pen.disc(*pivot, radius, (38, 34, 30))
    with pen.clip_disc(*pivot, radius):
        x, y = pivot
        turn = rng.uniform(0, 360)
        brass = lighten(BRASS, float(rng.uniform(-0.35, 0.1)))
        pen.arc(x, y, radius * 0.82, turn, 250, lighten(brass, 0.05), radius * 0.16)
        pen.arc(x, y, radius * 0.86, turn, 250, lighten(brass, 0.35), radius * 0.03)
        gear = polar(pivot, radius * 0.45, turn + 120)
        pen.disc(*gear, radius * 0.4, lighten(brass, -0.2))
        teeth = [polar(gear, radius * r, t) for t in range(0, 360, 18) for r in (0.38, 0.46)]
        pen.segments(teeth, lighten(brass, -0.2), radius * 0.05)
        pen.disc(*gear, radius * 0.1, (120, 118, 112))
        arm = [polar(pivot, radius * 0.85, turn + 40), polar(pivot, radius * 0.2, turn + 150)]
        pen.segments(arm, (150, 146, 138), radius * 0.09)
        for k in range(3):
            pen.disc(*polar(pivot, radius * 0.62, turn + 110 * k), radius * 0.07, (168, 164, 152))
        pen.circle(*pivot, radius, (0, 0, 0), radius * 0.12, 0.45, 2.0)


def _mirror(pen: Pen, spec: DialSpec) -> None:
    """The mirror band below a precision needle, with the needle's own image in it."""
    inner, outer = spec.look.mirror
    scale = spec.scale
    start, turn = (scale.start_deg - 3, scale.sweep_deg + 6) if scale.clockwise else (scale.start_deg + 3, -scale.sweep_deg - 6)
    pen.arc(*spec.pivot, (inner + outer) / 2, start, turn, (186, 194, 200), outer - inner)
    pen.arc(*spec.pivot, inner + 0.3 * (outer - inner), start, turn, (222, 228, 232), 0.3 * (outer - inner))
    for radius in (inner, outer):
        pen.arc(*spec.pivot, radius, start, turn, (120, 124, 128), 0.35)
