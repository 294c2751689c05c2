"""Dials: what kinds there are, how their scales run and what is printed on them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from synth import ranges, words
from synth.dial import number_text
from synth.draw import HUES, Rng, any_color, between, chance, gray, luma, near, pick, weighted
from synth.fonts import BOLD, SANS, SERIF, SYMBOL_SAFE
from synth.recipe import DialOptions, Recipe
from synth.sample_hands import sample_hands, sample_needle
from synth.spec import Case, Color, DialSpec, Print, Scale, ScaleArt, Vec, Zone

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
TOPIC = {
    "pressure": "pressure",
    "thermometer": "temperature",
    "transformer": "temperature",
    "panel": "electric",
    "quadrant": "electric",
    "edge": "electric",
}
UNITS = {"pressure": PRESSURE, "thermometer": TEMPERATURE, "transformer": TEMPERATURE, "panel": ELECTRIC, "quadrant": ELECTRIC}
SECOND_UNITS = {"MPa": ("kgf/cm2", 10.197), "bar": ("psi", 14.504), "psi": ("kPa", 6.8948), "kPa": ("psi", 0.14504), "kgf/cm2": ("psi", 14.223), "inHg": ("kPa", 3.3864), "°C": ("°F", 1.8), "°F": ("°C", 1 / 1.8), "mph": ("km/h", 1.6093), "km/h": ("mph", 0.62137)}  # fmt: skip


class Layout(NamedTuple):
    """Where the scale lies on the face."""

    pivot: Vec
    radius: float
    start_deg: float
    sweep_deg: float


def sample_dial(rng: Rng, recipe: Recipe) -> DialSpec:
    """A dial of a random style."""
    style = weighted(rng, recipe.dial_styles)
    options = recipe.dial
    case = _case(rng, style)
    layout = _layout(rng, style, case, options)
    unit = weighted(rng, UNITS.get(style) or pick(rng, (AUTOMOTIVE, OTHER, PRESSURE)) if style != "automotive" else AUTOMOTIVE)
    scale = _scale(rng, unit, layout, options)
    dark = chance(rng, {"transformer": 0.85, "automotive": 0.7, "wild": 0.5}.get(style, options.dark_face * 0.6))
    face, ink = _colors(rng, dark, style)
    font = pick(rng, BOLD if style in ("transformer", "automotive") or chance(rng, 0.35) else SANS)
    if chance(rng, 0.07):
        font = pick(rng, SERIF)
    scale, art = _art(rng, scale, layout, style, font, ink)
    fraction = sample_fraction(rng, scale, options.at_rest)
    needle = sample_needle(rng, style, art, face, ink)
    zones = _zones(rng, art, style) if chance(rng, options.zones) or (style == "edge" and chance(rng, 0.4)) else ()
    second = (
        _second(rng, scale, art, ink)
        if style in ("pressure", "thermometer", "automotive") and chance(rng, options.second_scale)
        else None
    )
    share = options.set_hand * (4.0 if style == "transformer" else 1.0)
    hands = sample_hands(rng, needle, art, scale, share)
    skirted = style in ("panel", "quadrant", "edge") and chance(rng, 0.55)
    spec = DialSpec(
        case=case,
        face_color=face,
        pivot=layout.pivot,
        scale=scale,
        art=art,
        needle=needle,
        fraction=fraction,
        window="upper" if style == "panel" and chance(rng, 0.3) else "full",
        second=second,
        zones=zones,
        hands=hands,
        screws=_screws(rng, layout, style),
        skirt=layout.pivot[1] - between(rng, 2, 18) if skirted else None,
        skirt_color=gray(rng, 10, 60) if chance(rng, 0.6) else gray(rng, 120, 230),
        stop_pin=fraction <= 0.02 and chance(rng, 0.4),
        glass=between(rng, 0.2, 1.0),
        face_seed=int(rng.integers(2**31)),
    )
    return replace(spec, prints=_prints(rng, spec, style))


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
    if chance(rng, options.odd_gap):
        start = between(rng, 0, 360)
    pivot = (0.0, 0.0) if chance(rng, 0.8) else (float(rng.normal(0, 3)), float(rng.normal(2, 6)))
    reach = inner - math.hypot(*pivot)
    return Layout(pivot, reach * between(rng, 0.78, 0.97), start % 360, sweep)


def _scale(rng: Rng, unit: str, layout: Layout, options: DialOptions) -> Scale:
    low, high = pick(rng, ranges.RANGES[unit])
    most = 15 if layout.sweep_deg > 200 else 8
    step = pick(rng, ranges.major_steps(low, high, most, 2 if layout.sweep_deg < 150 else 3))
    minors = pick(rng, ranges.minor_choices(step))
    if (high - low) / step * minors > layout.sweep_deg / 1.4:
        minors = min(ranges.minor_choices(step))
    if chance(rng, 0.04):
        minors = 1
    multiplier = None
    if high >= 1000 and low >= 0 and chance(rng, 0.9 if unit == "r/min" else options.multiplier * 3):
        multiplier = 1000.0 if unit == "r/min" or chance(rng, 0.4) else 100.0
    elif high <= 100 and low >= 0 and chance(rng, options.multiplier * 0.25):
        multiplier = pick(rng, (10.0, 100.0, 0.1))
    factor = multiplier if multiplier and high >= 1000 else 1.0
    exponent = 1.0
    if chance(rng, options.nonlinear * (3 if unit in ("L/min", "m3/h", "gpm", "A", "cc") and low == 0 else 0.7)) and low == 0:
        exponent = between(rng, 1.3, 2.0) if chance(rng, 0.75) else between(rng, 0.5, 0.8)
    clockwise = not chance(rng, options.counter_clockwise)
    start = layout.start_deg if clockwise else (layout.start_deg + layout.sweep_deg) % 360
    printed = not chance(rng, options.no_unit)
    return Scale(
        minimum=round(low / factor, 9),
        maximum=round(high / factor, 9),
        major_step=round(step / factor, 12),
        minors=minors,
        start_deg=start,
        sweep_deg=layout.sweep_deg,
        clockwise=clockwise,
        exponent=exponent,
        unit=unit if printed else None,
        unit_text=ranges.unit_text(rng, unit) if printed else None,
        multiplier=multiplier,
    )


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


def _text_width(text: str, size: float, condensed: float = 1.0) -> float:
    return 0.56 * size * condensed * len(text)


def _art(rng: Rng, scale: Scale, layout: Layout, style: str, font: str, ink: Color) -> tuple[Scale, ScaleArt]:
    size = between(rng, 10, 17) * {"transformer": 1.35, "automotive": 1.15}.get(style, 1.0)
    condensed = between(rng, 0.75, 1.0)
    texts = [number_text(v, scale.major_step) for v in scale.majors()]
    longest = max(len(t) for t in texts)
    radius = layout.radius
    outside = chance(rng, 0.16) and style not in ("transformer",)
    major = between(rng, 6, 15)
    if outside:
        radius -= size * 0.5 + _text_width("0" * longest, size, condensed) * 0.5 + 1
    inner_room = radius - major
    room = math.radians(scale.sweep_deg) / max(1, len(texts) - 1) * (radius if outside else inner_room * 0.85)
    every = 1
    width = _text_width("0" * longest, size, condensed)
    if width > room * 0.9:
        if (len(texts) - 1) % 2 == 0 and len(texts) > 4:
            every = 2
        size *= min(1.0, max(0.5, room * every * 0.9 / width))
    elif (len(texts) - 1) % 2 == 0 and len(texts) > 6 and chance(rng, 0.3):
        every = 2
    width = _text_width("0" * longest, size, condensed)
    gap = between(rng, 1, 5)
    if outside:
        numeral_radius = radius + gap + 0.35 * size + 0.3 * width
    else:
        numeral_radius = inner_room - gap - 0.3 * size - 0.3 * width
    minor = major * between(rng, 0.35, 0.8)
    fat = between(rng, 0.8, 2.2) * (1.5 if style in ("transformer", "automotive") else 1.0)
    # A counter-clockwise or signed scale keeps its sign in the value even where the face does not print it.
    unsigned = (scale.minimum < 0 < scale.maximum and chance(rng, 0.2)) or (scale.maximum <= 0 and chance(rng, 0.4))
    art = ScaleArt(
        radius=radius,
        major_length=major,
        minor_length=minor,
        major_width=fat,
        minor_width=max(0.5, fat * between(rng, 0.3, 0.7)),
        numeral_radius=max(18.0, numeral_radius),
        numeral_size=size,
        color=ink,
        font=font,
        condensed=condensed,
        inward=outside or chance(rng, 0.85),
        arc=chance(rng, 0.4),
        arc_width=between(rng, 0.5, 1.8),
        numerals_rotated=chance(rng, 0.12),
        numeral_every=every,
        unsigned=unsigned,
        dotted=chance(rng, 0.02),
    )
    return scale, art


def sample_fraction(rng: Rng, scale: Scale, at_rest: float) -> float:
    """Where the needle stands: over the whole scale, with a share resting at zero or on the stop below the start."""
    room = 0.8 * (360 - scale.sweep_deg) / 2 / scale.sweep_deg
    if chance(rng, at_rest):
        if scale.minimum < 0 < scale.maximum and chance(rng, 0.6):
            return scale.fraction_of(0.0) + float(rng.normal(0, 0.004))
        return -between(rng, 0, min(0.04, room)) if chance(rng, 0.5) else 0.0
    if chance(rng, 0.015):
        return 1 + between(rng, 0, min(0.05, room))
    return float(rng.beta(0.95, 1.0))


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


def _second(rng: Rng, scale: Scale, art: ScaleArt, ink: Color) -> tuple[Scale, ScaleArt] | None:
    """A further scale in another unit inside the first: smaller numerals, mostly another colour."""
    if scale.unit not in SECOND_UNITS or scale.exponent != 1.0 or scale.multiplier is not None or not art.inward:
        return None
    if art.numeral_radius > art.radius and chance(rng, 0.3):
        return None
    unit, factor = SECOND_UNITS[scale.unit]
    shift = {"°C": 32.0, "°F": -32 / 1.8}.get(scale.unit, 0.0)
    low, high = scale.minimum * factor + shift, scale.maximum * factor + shift
    steps = [s * 10.0**p for p in range(-3, 5) for s in (1.0, 2.0, 5.0) if 3 <= (high - low) / (s * 10.0**p) <= 9]
    step = pick(rng, steps)
    first, last = math.ceil(low / step - 1e-6) * step, math.floor(high / step + 1e-6) * step
    start, end = (first - low) / (high - low), (last - low) / (high - low)
    room = art.numeral_radius - art.numeral_size * 1.1 if art.numeral_radius < art.radius else art.radius - art.major_length - 1
    radius = room - between(rng, 0, 6)
    if radius < 34:
        return None
    text = ranges.unit_text(rng, unit)
    inner = Scale(
        round(first, 9),
        round(last, 9),
        step,
        pick(rng, (5, 2, 4)),
        scale.angle_at(start),
        scale.sweep_deg * (end - start),
        scale.clockwise,
        1.0,
        unit,
        text,
    )
    size = art.numeral_size * between(rng, 0.5, 0.75)
    color = near(rng, HUES["red"], 15) if chance(rng, 0.55) else (near(rng, HUES["blue"], 15) if chance(rng, 0.2) else ink)
    length = between(rng, 3, 6)
    longest = max(len(number_text(v, step)) for v in inner.majors())
    look = replace(
        art,
        radius=radius,
        major_length=length,
        minor_length=length * 0.6,
        major_width=art.major_width * 0.7,
        minor_width=max(0.4, art.minor_width * 0.7),
        numeral_radius=radius - length - 1.5 - 0.35 * size - 0.14 * size * longest,
        numeral_size=size,
        color=color,
        arc=chance(rng, 0.7),
        numeral_every=1,
        unsigned=False,
    )
    return inner, look


def _screws(rng: Rng, layout: Layout, style: str) -> tuple[tuple[float, float, float], ...]:
    if style in ("panel", "quadrant") and chance(rng, 0.4):
        return ((layout.pivot[0], min(80.0, layout.pivot[1] + 12), between(rng, 4, 8)),)
    if chance(rng, 0.4):
        gap, y, size = between(rng, 10, 26), between(rng, 15, 45), between(rng, 2, 5)
        return ((-gap, y, size), (gap, y, size))
    return ()


def _prints(rng: Rng, spec: DialSpec, style: str) -> tuple[Print, ...]:
    """Unit, multiplier, brand and small print, on rows that stay clear of the numerals."""
    topic = TOPIC.get(style, "other")
    ink, art, font = spec.art.color, spec.art, spec.art.font
    room = min(art.numeral_radius, art.radius - art.major_length) - art.numeral_size
    if spec.second is not None:
        room = spec.second[1].numeral_radius - spec.second[1].numeral_size
    px, py = spec.pivot
    high = spec.scale.sweep_deg < 200
    up = [py - room * f for f in (0.35, 0.5, 0.65, 0.8)]
    down = [py + room * f for f in (0.32, 0.45, 0.58, 0.7, 0.82, 0.95)] if not high else [py - room * f for f in (0.25, 0.45)]
    if style == "transformer" and high:
        down = [py + 100 * f for f in (0.2, 0.32, 0.45) if py + 100 * f < 84]
    rows = [*up, *down]
    centre = 0.0 if style != "quadrant" else px - room * 0.5
    prints: list[Print] = []

    def put(text: str, size: float, color: Color, face: str, boxed: bool = False) -> None:
        if not rows:
            return
        y = rows.pop(int(rng.integers(len(rows))))
        width = _text_width(text, size)
        size = min(size, size * 2 * max(room, 30) * 0.8 / width) if width > 2 * max(room, 30) * 0.8 else size
        prints.append(Print(text, centre + float(rng.normal(0, 1.5)), y, size, face, color, 0.0, between(rng, 0.8, 1.0), boxed))

    scale = spec.scale
    if scale.unit_text is not None:
        text = scale.unit_text
        if scale.multiplier is not None and chance(rng, 0.6):
            text = f"x{scale.multiplier:g} {text}"
        elif scale.multiplier is not None:
            put(f"x{scale.multiplier:g}", art.numeral_size * 0.7, ink, font)
        face = SYMBOL_SAFE if any(ord(c) > 0xFF for c in text) else font
        size = art.numeral_size * between(rng, 0.6, 1.2) * (1.25 if style in ("panel", "quadrant") else 1.0)
        put(text, size, ink, face)
    elif scale.multiplier is not None:
        put(f"x{scale.multiplier:g}", art.numeral_size * 0.7, ink, font)
    if spec.second is not None and spec.second[0].unit_text is not None:
        text = spec.second[0].unit_text
        put(
            text,
            spec.second[1].numeral_size * between(rng, 0.9, 1.4),
            spec.second[1].color,
            SYMBOL_SAFE if any(ord(c) > 0xFF for c in text) else font,
        )
    if chance(rng, 0.5):
        put(words.brand(rng), between(rng, 5, 11), ink if chance(rng, 0.7) else any_color(rng), pick(rng, BOLD), chance(rng, 0.2))
    if chance(rng, 0.4):
        put(pick(rng, words.TOPICS[topic]), between(rng, 5, 9), ink, pick(rng, SANS))
    for _ in range(int(rng.integers(0, 4))):
        put(
            words.small_line(rng, topic),
            between(rng, 3.2, 6),
            ink if luma(spec.face_color) > 60 or chance(rng, 0.8) else any_color(rng),
            pick(rng, SANS),
        )
    return tuple(prints)
