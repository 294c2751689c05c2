"""Scales: range and divisions, how they are drawn, where the needle stands, and a second scale inside."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from synth import ranges
from synth.dial import number_text
from synth.draw import HUES, Rng, between, chance, near, pick
from synth.recipe import DialOptions
from synth.sample_print import text_width
from synth.spec import Color, Scale, ScaleArt, Vec

SECOND_UNITS = {
    "MPa": ("kgf/cm2", 10.197),
    "bar": ("psi", 14.504),
    "psi": ("kPa", 6.8948),
    "kPa": ("psi", 0.14504),
    "kgf/cm2": ("psi", 14.223),
    "inHg": ("kPa", 3.3864),
    "°C": ("°F", 1.8),
    "°F": ("°C", 1 / 1.8),
    "mph": ("km/h", 1.6093),
    "km/h": ("mph", 0.62137),
    "mbar": ("mmHg", 0.75006),
    "Pa": ("mmH2O", 0.10197),
    "mmHg": ("kPa", 0.13332),
}


class Layout(NamedTuple):
    """Where the scale lies on the face."""

    pivot: Vec
    radius: float
    start_deg: float
    sweep_deg: float
    large: bool = False


def sample_scale(rng: Rng, unit: str, layout: Layout, options: DialOptions) -> Scale:
    low, high = pick(rng, ranges.RANGES[unit])
    most = 15 if layout.sweep_deg > 200 else 8
    if layout.large:
        most = 8 if layout.sweep_deg > 200 else 4
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


class _Fit(NamedTuple):
    """Numerals that fit: their size, how many majors apart they stand, and their radius."""

    size: float
    every: int
    radius: float


def _fit_numerals(rng: Rng, scale: Scale, size: float, condensed: float, edge: float, outside: bool) -> _Fit:
    """Shrink the numerals, or print every second one, until they stand clear of each other along the arc.

    `edge` is the radius of the ticks' ends on the numerals' side.
    """
    count = len(scale.majors())
    longest = "0" * max(len(number_text(v, scale.major_step)) for v in scale.majors())
    gap, every = between(rng, 1, 5), 1
    for _ in range(6):
        width = 1.08 * text_width(longest, size, condensed)
        reach = gap + 0.32 * size + 0.3 * width
        radius = edge + reach if outside else max(18.0, edge - reach)
        room = math.radians(scale.sweep_deg) * radius / max(1, count - 1) * every
        if 0.5 * (width + size) < 0.92 * room or size < 5.5:
            break
        if every == 1 and count % 2 == 1 and count > 4:
            every = 2
        else:
            size *= 0.82
    if every == 1 and count % 2 == 1 and count > 6 and chance(rng, 0.3):
        every = 2
    return _Fit(size, every, radius)


def sample_art(rng: Rng, scale: Scale, layout: Layout, style: str, font: str, ink: Color) -> ScaleArt:
    """How a scale is drawn: ticks, numerals inside or outside of them, weights."""
    size = between(rng, 10, 17) * {"transformer": 1.6, "automotive": 1.15}.get(style, 1.0)
    condensed = between(rng, 0.75, 1.0)
    radius, major = layout.radius, between(rng, 6, 15)
    outside = chance(rng, 0.16) and style != "transformer"
    if outside:
        longest = max(len(number_text(v, scale.major_step)) for v in scale.majors())
        radius -= size * 0.5 + 0.5 * text_width("0" * longest, size, condensed) + 1
    fit = _fit_numerals(rng, scale, size, condensed, radius if outside else radius - major, outside)
    minor = major * between(rng, 0.35, 0.8)
    fat = between(rng, 0.8, 2.2) * (1.5 if style in ("transformer", "automotive") else 1.0)
    # A counter-clockwise or signed scale keeps its sign in the value even where the face does not print it.
    unsigned = (scale.minimum < 0 < scale.maximum and chance(rng, 0.12)) or (scale.maximum <= 0 and chance(rng, 0.4))
    return ScaleArt(
        radius=radius,
        major_length=major,
        minor_length=minor,
        major_width=fat,
        minor_width=max(0.5, fat * between(rng, 0.3, 0.7)),
        numeral_radius=fit.radius,
        numeral_size=fit.size,
        color=ink,
        font=font,
        condensed=condensed,
        inward=outside or chance(rng, 0.85),
        arc=chance(rng, 0.4),
        arc_width=between(rng, 0.5, 1.8),
        numerals_rotated=chance(rng, 0.12),
        numeral_every=fit.every,
        unsigned=unsigned,
        dotted=chance(rng, 0.02),
    )


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


def sample_second(rng: Rng, scale: Scale, art: ScaleArt, ink: Color) -> tuple[ScaleArt, tuple[Scale, ScaleArt] | None]:
    """A further scale in another unit, with smaller numerals and mostly another colour: inside the first or around it.

    Returns the first scale's art, made smaller where the second runs around it, and the second scale or None.
    """
    if scale.unit not in SECOND_UNITS or scale.exponent != 1.0 or scale.multiplier is not None or not art.inward:
        return art, None
    inner = _converted(rng, scale)
    size, length = art.numeral_size * between(rng, 0.5, 0.75), between(rng, 3, 6)
    color = near(rng, HUES["red"], 15) if chance(rng, 0.55) else (near(rng, HUES["blue"], 15) if chance(rng, 0.2) else ink)
    width = text_width("0" * max(len(number_text(v, inner.major_step)) for v in inner.majors()), size, art.condensed)
    look = replace(
        art,
        major_length=length,
        minor_length=length * 0.6,
        major_width=art.major_width * 0.7,
        minor_width=max(0.4, art.minor_width * 0.7),
        numeral_size=size,
        color=color,
        arc=chance(rng, 0.7),
        numeral_every=1,
        unsigned=False,
    )
    if chance(rng, 0.2) and art.numeral_radius < art.radius:
        drop = length + 0.8 * size + 0.4 * width
        shrunk = replace(art, radius=art.radius - drop, numeral_radius=art.numeral_radius - drop, arc=True)
        if shrunk.numeral_radius < 35:
            return art, None
        around = replace(
            look, radius=shrunk.radius + length, inward=False, numeral_radius=shrunk.radius + length + 0.4 * size + 0.25 * width
        )
        return shrunk, (inner, around)
    room = art.numeral_radius - 0.75 * art.numeral_size if art.numeral_radius < art.radius else art.radius - art.major_length - 1
    radius = room - between(rng, 0, 6)
    if radius < 31:
        return art, None
    return art, (inner, replace(look, radius=radius, numeral_radius=radius - length - 1.5 - 0.35 * size - 0.25 * width))


def _converted(rng: Rng, scale: Scale) -> Scale:
    """The scale in its second unit: whole steps of it that lie within the first one's ends."""
    assert scale.unit is not None
    unit, factor = SECOND_UNITS[scale.unit]
    shift = {"°C": 32.0, "°F": -32 / 1.8}.get(scale.unit, 0.0)
    low, high = scale.minimum * factor + shift, scale.maximum * factor + shift
    step = pick(rng, [s * 10.0**p for p in range(-3, 5) for s in (1.0, 2.0, 5.0) if 3 <= (high - low) / (s * 10.0**p) <= 9])
    first, last = math.ceil(low / step - 1e-6) * step, math.floor(high / step + 1e-6) * step
    start, end = (first - low) / (high - low), (last - low) / (high - low)
    return replace(
        scale,
        minimum=round(first, 9),
        maximum=round(last, 9),
        major_step=step,
        minors=pick(rng, (5, 2, 4)),
        start_deg=scale.angle_at(start),
        sweep_deg=scale.sweep_deg * (end - start),
        unit=unit,
        unit_text=ranges.unit_text(rng, unit),
    )


def sample_vacuum(rng: Rng, scale: Scale) -> tuple[Scale, Scale | None]:
    """A compound face: vacuum in another unit on the left, pressure from 0 on the right; the pressure side is primary.

    Returns the shortened scale and the vacuum side, or the scale as it was where it cannot be split.
    """
    sides = {
        "psi": ("inHg", -30.0, 10.0),
        "bar": ("mbar", -1000.0, 500.0),
        "kgf/cm2": ("mmHg", -760.0, 380.0),
        "kPa": ("mmHg", -760.0, 380.0),
    }
    if (
        scale.unit not in sides
        or scale.minimum != 0
        or scale.sweep_deg < 200
        or scale.exponent != 1.0
        or scale.multiplier is not None
    ):
        return scale, None
    unit, low, step = sides[scale.unit]
    share = between(rng, 0.12, 0.5)
    left = replace(
        scale,
        minimum=low,
        maximum=0.0,
        major_step=step,
        minors=pick(rng, (2, 5)),
        sweep_deg=scale.sweep_deg * share,
        unit=unit,
        unit_text=ranges.unit_text(rng, unit),
    )
    right = replace(scale, start_deg=scale.angle_at(share), sweep_deg=scale.sweep_deg * (1 - share))
    steps = ranges.major_steps(right.minimum, right.maximum, 10 if right.sweep_deg > 180 else 7)
    if scale.major_step not in steps:
        step = pick(rng, steps)
        right = replace(right, major_step=step, minors=min(ranges.minor_choices(step)))
    return right, left
