"""Dials: what kinds there are, how their scales run and what is printed on them."""

from __future__ import annotations

import math
from dataclasses import replace

from synth.draw import HUES, Rng, any_color, between, chance, gray, near, pick, weighted
from synth.fonts import BOLD, SANS, SERIF
from synth.recipe import DialOptions, Recipe
from synth.sample_hands import sample_hands, sample_needle
from synth.sample_print import sample_prints
from synth.sample_scale import Layout, sample_art, sample_fraction, sample_scale, sample_second, sample_vacuum
from synth.spec import Case, Color, DialSpec, ScaleArt, Zone

PRESSURE = {
    "MPa": 0.24,
    "bar": 0.24,
    "psi": 0.22,
    "kPa": 0.09,
    "kgf/cm2": 0.07,
    "mbar": 0.03,
    "inHg": 0.03,
    "mmHg": 0.02,
    "Pa": 0.02,
    "mmH2O": 0.01,
    "inH2O": 0.02,
    "ft": 0.01,
}
TEMPERATURE = {"°C": 0.75, "°F": 0.22, "% RH": 0.03}
ELECTRIC = {"V": 0.24, "A": 0.26, "mA": 0.12, "kV": 0.12, "kA": 0.05, "mV": 0.04, "Hz": 0.08, "kW": 0.06, "%": 0.03}
AUTOMOTIVE = {"km/h": 0.16, "mph": 0.14, "r/min": 0.2, "psi": 0.18, "bar": 0.1, "°C": 0.06, "°F": 0.06, "V": 0.06, "kn": 0.04}
OTHER = {"L/min": 0.15, "m3/h": 0.1, "gpm": 0.1, "%": 0.15, "% RH": 0.15, "cc": 0.1, "r/min": 0.15, "Pa": 0.1}
UNITS = {"pressure": PRESSURE, "thermometer": TEMPERATURE, "transformer": TEMPERATURE, "panel": ELECTRIC, "quadrant": ELECTRIC}


def sample_dial(rng: Rng, recipe: Recipe) -> DialSpec:
    """A dial of a random style."""
    style = weighted(rng, recipe.dial_styles)
    options = recipe.dial
    case = _case(rng, style)
    layout = _layout(rng, style, case, options)._replace(large=style == "transformer" and chance(rng, 0.7))
    unit = weighted(rng, UNITS.get(style) or pick(rng, (AUTOMOTIVE, OTHER, PRESSURE)) if style != "automotive" else AUTOMOTIVE)
    scale = sample_scale(rng, unit, layout, options)
    dark = chance(rng, {"transformer": 0.85, "automotive": 0.7, "wild": 0.5}.get(style, options.dark_face * 0.6))
    face, ink = _colors(rng, dark, style)
    font = pick(rng, BOLD if style in ("transformer", "automotive") or chance(rng, 0.35) else SANS)
    if chance(rng, 0.07):
        font = pick(rng, SERIF)
    vacuum = None
    if style == "pressure" and chance(rng, options.vacuum_side):
        scale, vacuum = sample_vacuum(rng, scale)
    art = sample_art(rng, scale, layout, style, font, ink)
    second = None
    if vacuum is not None:
        second = vacuum, replace(art, unsigned=True, color=near(rng, HUES["red"], 12) if chance(rng, 0.35) else ink)
    elif style in ("pressure", "thermometer", "automotive") and chance(rng, options.second_scale):
        art, second = sample_second(rng, scale, art, ink)
    fraction = sample_fraction(rng, scale, options.at_rest)
    needle = sample_needle(rng, style, art, face, ink)
    zones = _zones(rng, art, style) if chance(rng, options.zones) or (style == "edge" and chance(rng, 0.4)) else ()
    share = options.set_hand * (4.0 if style == "transformer" else 1.0)
    hands = sample_hands(rng, needle, art, scale, share)
    skirted = style in ("panel", "edge") and chance(rng, 0.55)
    cornered = style == "quadrant" and chance(rng, 0.55)
    spec = DialSpec(
        case=case,
        face_color=face,
        pivot=layout.pivot,
        scale=scale,
        art=art,
        needle=needle,
        fraction=fraction,
        second=second,
        zones=zones,
        hands=hands,
        screws=_screws(rng, layout, style),
        skirt=layout.pivot[1] - between(rng, 2, 18) if skirted else None,
        cover=between(rng, 8, 45) if cornered else 0.0,
        skirt_color=gray(rng, 10, 60) if chance(rng, 0.6) else gray(rng, 120, 230),
        stop_pin=fraction <= 0.02 and chance(rng, 0.4),
        reset_knob=between(rng, 14, 26) if chance(rng, 0.35 if style == "transformer" else 0.02) else 0.0,
        glass=between(rng, 0.2, 1.0),
    )
    return replace(spec, prints=sample_prints(rng, spec, style))


def _case(rng: Rng, style: str) -> Case:
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
    weights = (0.42, 0.28, 0.07, 0.1, 0.07, 0.06) if not square else (0.08, 0.52, 0.0, 0.15, 0.2, 0.05)
    color, bezel_style = looks[int(rng.choice(6, p=weights))]
    if chance(rng, 0.25):
        bezel_style = "stepped"
    bezel = between(rng, 3, 9) if chance(rng, 0.55) else between(rng, 9, 20)
    if chance(rng, 0.06):
        bezel, bezel_style = 1.0, "none"
    flange = 0.0
    if not square and chance(rng, 0.12):
        flange = between(rng, 108, 140)
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
        flange_square=chance(rng, 0.3),
        flange_color=gray(rng, 10, 200),
        stem=stem,  # type: ignore[arg-type]
        stem_color=near(rng, (176, 142, 72), 16) if chance(rng, 0.55) else gray(rng, 90, 190),
        recess=between(rng, 0, 14),
        ring=between(rng, 1, 6) if chance(rng, 0.25) else 0.0,
        ring_color=gray(rng, 5, 60) if chance(rng, 0.6) else gray(rng, 150, 240),
    )


def _layout(rng: Rng, style: str, case: Case, options: DialOptions) -> Layout:
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
    common = {"pressure": (270.0, 270.0, 270.0, 300.0, 240.0), "thermometer": (270.0, 270.0, 300.0, 240.0, 288.0)}.get(
        style, (270.0, 240.0, 180.0, 220.0)
    )
    sweep = pick(rng, common) if chance(rng, 0.72) else (between(rng, 160, 340) if chance(rng, 0.85) else between(rng, 80, 160))
    start = 180 - sweep / 2 + (float(rng.normal(0, 2)) if chance(rng, 0.3) else 0.0)
    if chance(rng, 0.04):  # nearly the whole circle
        sweep, start = (turn := between(rng, 315, 350)), 180 - turn / 2
    if chance(rng, options.odd_gap):
        start = between(rng, 0, 360)
    pivot = (0.0, 0.0) if chance(rng, 0.8) else (float(rng.normal(0, 3)), float(rng.normal(2, 6)))
    reach = inner - math.hypot(*pivot)
    return Layout(pivot, reach * between(rng, 0.78, 0.97), start % 360, sweep)


def _colors(rng: Rng, dark: bool, style: str) -> tuple[Color, Color]:
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


def _zones(rng: Rng, art: ScaleArt, style: str) -> tuple[Zone, ...]:
    count = int(rng.integers(1, 4))
    inner = art.radius - art.major_length * between(rng, 0.3, 1.2)
    outer = inner + between(rng, 2, 9)
    if style == "edge":
        inner, outer = art.radius - between(rng, 10, 24), art.radius
    if chance(rng, 0.3):
        inner, outer = art.radius + 0.5, art.radius + between(rng, 2, 6)
    cuts = sorted(rng.uniform(0, 1, count + 1).tolist())
    if chance(rng, 0.5):
        cuts[-1] = 1.0
    if chance(rng, 0.4):
        cuts[0] = 0.0
    names = [pick(rng, ("red", "green", "yellow", "blue", "red", "green")) for _ in range(count)]
    return tuple(
        Zone(cuts[i], cuts[i + 1], inner, outer, near(rng, HUES[names[i]], 15))
        for i in range(count)
        if cuts[i + 1] - cuts[i] > 0.03
    )


def _screws(rng: Rng, layout: Layout, style: str) -> tuple[tuple[float, float, float], ...]:
    if style in ("panel", "quadrant") and chance(rng, 0.4):
        return ((layout.pivot[0], min(80.0, layout.pivot[1] + 12), between(rng, 4, 8)),)
    if chance(rng, 0.4):
        gap, y, size = between(rng, 10, 26), between(rng, 15, 45), between(rng, 2, 5)
        return ((-gap, y, size), (gap, y, size))
    return ()
