"""Cases, where a scale lies on the face, and the colours of face and print."""

from __future__ import annotations

import math
from typing import NamedTuple

from synth.draw import HUES, Rng, any_color, between, chance, gray, near, pick
from synth.recipe import DialOptions
from synth.spec import Case, Color, Vec


class Layout(NamedTuple):
    """Where the scale lies on the face."""

    pivot: Vec
    radius: float
    start_deg: float
    sweep_deg: float
    large: bool = False


SWEEPS = {
    "pressure": (270.0, 270.0, 270.0, 300.0, 240.0),
    "thermometer": (270.0, 270.0, 300.0, 240.0, 288.0),
    "automotive": (270.0, 240.0, 240.0, 180.0, 220.0, 120.0, 260.0),
}


def sample_case(rng: Rng, style: str) -> Case:
    """A case as instruments of the style have it: round or square, rim, flange, stem."""
    square = (style in ("panel", "quadrant") and chance(rng, 0.85)) or (style == "edge" and chance(rng, 0.4))
    shape = "round"
    aspect = 1.0
    if square:
        aspect = 1.0 if chance(rng, 0.7) else between(rng, 0.72, 1.0)
        shape = "square"
    looks: list[tuple[Color, str]] = [
        (gray(rng, 150, 225), "metal"),
        (gray(rng, 8, 45), "flat"),
        (near(rng, (190, 150, 80), 14), "metal"),
        (gray(rng, 60, 160), "flat"),
        (gray(rng, 205, 245), "flat"),
        (any_color(rng), "flat"),
    ]
    weights = (0.5, 0.25, 0.08, 0.07, 0.05, 0.05) if not square else (0.08, 0.52, 0.0, 0.15, 0.2, 0.05)
    color, bezel_style = looks[int(rng.choice(6, p=weights))]
    if chance(rng, 0.14):
        bezel_style = "stepped"
    bezel = between(rng, 3, 9) if chance(rng, 0.55) else between(rng, 9, 20)
    if chance(rng, 0.06):
        bezel, bezel_style = 1.0, "none"
    flange = 0.0
    square_plate = style == "transformer" and chance(rng, 0.3)  # a cast grey housing with a screw in each corner
    if square_plate or (not square and chance(rng, 0.12)):
        flange = between(rng, 108, 140) if not square_plate else between(rng, 104, 118)
    stem = "none" if square else pick(rng, ("none", "none", "bottom", "bottom", "bottom", "top", "left"))
    return Case(
        shape="round" if shape == "round" else "square",
        bezel=bezel,
        bezel_color=color,
        bezel_style=bezel_style,  # type: ignore[arg-type]
        depth=between(rng, 15, 60),
        side_color=near(rng, color, 20) if chance(rng, 0.6) else gray(rng, 10, 70),
        aspect=aspect,
        corner=between(rng, 1, 14),
        flange=flange,
        flange_square=square_plate or chance(rng, 0.3),
        flange_color=gray(rng, 130, 205) if square_plate else gray(rng, 10, 200),
        stem=stem,  # type: ignore[arg-type]
        stem_color=near(rng, (176, 142, 72), 16) if chance(rng, 0.55) else gray(rng, 90, 190),
        recess=between(rng, 0, 14) if bezel_style != "none" else 0.0,  # without a rim the face is the front
        ring=between(rng, 1, 6) if chance(rng, 0.25) else 0.0,
        ring_color=gray(rng, 5, 60) if chance(rng, 0.6) else gray(rng, 150, 240),
    )


def sample_layout(rng: Rng, style: str, case: Case, options: DialOptions) -> Layout:
    """Pivot, radius and sweep: corner pivots of quadrants, low ones of panel meters, the gap of round faces mostly below."""
    inner = 100 - case.bezel - case.ring
    tall = 100 * case.aspect - case.bezel - case.ring
    if style in ("panel", "edge"):
        sweep = 90.0 if chance(rng, 0.5) else between(rng, 60, 120)
        pivot = (float(rng.normal(0, 1.0)), tall * between(rng, 0.25, 0.72))
        half = math.radians(sweep / 2)
        radius = min((inner * 0.86) / math.sin(half), pivot[1] + tall * between(rng, 0.55, 0.78))
        return Layout(pivot, radius, 180 - sweep / 2, sweep)
    if style == "quadrant":
        pivot = (inner * between(rng, 0.5, 0.72), tall * between(rng, 0.5, 0.72))
        radius = min(pivot[0] + inner * 0.8, pivot[1] + tall * 0.8) * between(rng, 0.85, 1.0)
        return Layout(pivot, radius, 90.0 + float(rng.normal(0, 1.5)), 90.0 + float(rng.normal(0, 1.5)))
    if style == "transformer" and chance(rng, 0.45):
        sweep = between(rng, 80, 170)
        pivot = (0.0, inner * between(rng, 0.05, 0.5))
        radius = min(
            inner * between(rng, 0.8, 0.95) / max(math.sin(math.radians(min(sweep, 180) / 2)), 0.6), pivot[1] + inner * 0.85
        )
        radius = min(radius, inner * 1.05)
        return Layout(pivot, radius, 180 - sweep / 2, sweep)
    common = SWEEPS.get(style, (270.0, 240.0, 180.0, 220.0))
    sweep = pick(rng, common) if chance(rng, 0.72) else (between(rng, 160, 340) if chance(rng, 0.85) else between(rng, 80, 160))
    start = 180 - sweep / 2 + (float(rng.normal(0, 2)) if chance(rng, 0.3) else 0.0)
    if chance(rng, 0.04):  # nearly the whole circle
        sweep, start = (turn := between(rng, 315, 350)), 180 - turn / 2
    if chance(rng, options.odd_gap):
        start = between(rng, 0, 360)
    pivot = (0.0, 0.0) if chance(rng, 0.8) else (float(rng.normal(0, 3)), float(rng.normal(2, 6)))
    reach = inner - math.hypot(*pivot)
    return Layout(pivot, reach * between(rng, 0.78, 0.97), start % 360, sweep)


def sample_colors(rng: Rng, dark: bool, style: str) -> tuple[Color, Color]:
    """Face and print."""
    if dark:
        face = gray(rng, 8, 50) if chance(rng, 0.85) else near(rng, pick(rng, ((20, 40, 70), (30, 60, 40), (70, 25, 25))), 10)
        ink = (
            gray(rng, 215, 255)
            if chance(rng, 0.75)
            else near(rng, pick(rng, ((235, 200, 60), (230, 225, 190), (120, 180, 240), (240, 120, 50))), 8)
        )
        return face, ink
    faces = (
        (246, 246, 244),
        (240, 236, 220),
        (226, 226, 222),
        (205, 208, 208),
        (225, 215, 180),
        (200, 215, 205),
        (240, 225, 120),
        (200, 215, 235),
    )
    face = near(rng, faces[int(rng.choice(8, p=(0.46, 0.16, 0.14, 0.1, 0.04, 0.04, 0.02, 0.04)))], 4)
    ink = gray(rng, 5, 45) if chance(rng, 0.9) else near(rng, pick(rng, (HUES["blue"], HUES["red"], (70, 50, 40))), 10)
    return face, ink
