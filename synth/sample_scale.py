"""Scales: range and divisions, how they are drawn, and where the needle stands."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from synth import ranges
from synth.dial import numeral_reach, numeral_text, numerals, numerals_collide, printed_values
from synth.draw import HUES, Rng, between, chance, near, pick
from synth.recipe import DialOptions
from synth.sample_case import Layout
from synth.spec import Color, Scale, ScaleArt


class Fixed(NamedTuple):
    """What a kind of dial fixes of its numbers: which values carry them, relative sizes, size, signs."""

    numerals_at: tuple[float, ...]
    sizes: tuple[float, ...]
    size: float
    unsigned: bool
    plus: bool


def sample_scale(rng: Rng, unit: str, layout: Layout, options: DialOptions) -> Scale:
    """A range of the unit with divisions that its maker would choose; rarely counter-clockwise or not linear."""
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
        multiplier = 1000.0 if (unit == "r/min" and chance(rng, 0.75)) or chance(rng, 0.4) else 100.0
    elif high <= 100 and low >= 0 and chance(rng, options.multiplier * 0.25):
        multiplier = pick(rng, (10.0, 100.0, 0.1))
    factor = multiplier if multiplier and high >= 1000 else 1.0
    exponent = 1.0
    if chance(rng, options.nonlinear * (3 if unit in ("L/min", "m3/h", "gpm", "A", "cc") and low == 0 else 0.7)) and low == 0:
        exponent = between(rng, 1.3, 2.0) if chance(rng, 0.75) else between(rng, 0.5, 0.8)
    printed = not chance(rng, options.no_unit)
    scale = Scale(
        minimum=round(low / factor, 9),
        maximum=round(high / factor, 9),
        major_step=round(step / factor, 12),
        minors=minors,
        start_deg=layout.start_deg,
        sweep_deg=layout.sweep_deg,
        exponent=exponent,
        unit=unit if printed else None,
        unit_text=ranges.unit_text(rng, unit) if printed else None,
        multiplier=multiplier,
    )
    return reversed_scale(scale) if chance(rng, options.counter_clockwise) else scale


def reversed_scale(scale: Scale) -> Scale:
    """The same scale running the other way over the same arc."""
    return replace(scale, start_deg=scale.end_deg, clockwise=not scale.clockwise)


def even_steps(low: float, high: float, step: float) -> tuple[float, ...]:
    """Values from `low` to `high`, a step apart."""
    return tuple(round(low + i * step, 9) for i in range(round((high - low) / step) + 1))


def build_scale(
    rng: Rng,
    layout: Layout,
    unit: str,
    printed: tuple[float, ...],
    parts: int | tuple[int, ...] = 5,
    law: tuple[float, ...] | None = None,
    multiplier: float | None = None,
) -> Scale:
    """A scale with given major values; `law` is the fraction of the sweep of each, None for a linear one."""
    low, high = printed[0], printed[-1]
    steps = [b - a for a, b in pairwise(printed)]
    even = max(steps) - min(steps) < 1e-6 * (high - low)
    counts = (parts,) * len(steps) if isinstance(parts, int) else parts
    knots: tuple[tuple[float, float], ...] = ()
    if law is not None:
        middle = zip(printed[1:-1], law[1:-1], strict=True)
        knots = ((0.0, 0.0), *(((value - low) / (high - low), at) for value, at in middle), (1.0, 1.0))
    return Scale(
        minimum=low,
        maximum=high,
        major_step=round(min(steps), 12),
        minors=counts[0] if len(set(counts)) == 1 else max(counts),
        start_deg=layout.start_deg,
        sweep_deg=layout.sweep_deg,
        unit=unit,
        unit_text=ranges.unit_text(rng, unit),
        multiplier=multiplier,
        knots=knots,
        printed=() if even and len(set(counts)) == 1 else printed,
        parts=() if len(set(counts)) == 1 else counts,
    )


def sample_art(rng: Rng, scale: Scale, layout: Layout, style: str, font: str, ink: Color, few: Fixed | None = None) -> ScaleArt:
    """How a scale is drawn: ticks, numerals inside or outside of them, weights.

    `few` gives which values carry numbers, their sizes and signs where a kind of dial has its own way.
    """
    size = between(rng, 10, 17) * {"transformer": 1.6, "automotive": 1.15}.get(style, 1.0)
    major = between(rng, 6, 15)
    outside = chance(rng, 0.18) and style != "transformer"
    fat = between(rng, 0.8, 2.2) * (1.5 if style in ("transformer", "automotive") else 1.0)
    # A counter-clockwise or signed scale keeps its sign in the value even where the face does not print it.
    unsigned = (scale.minimum < 0 < scale.maximum and chance(rng, 0.12)) or (scale.maximum <= 0 and chance(rng, 0.4))
    rotated = chance(rng, 0.2 if outside else 0.1)
    art = ScaleArt(
        radius=layout.radius,
        major_length=major,
        minor_length=major * between(rng, 0.35, 0.8),
        major_width=fat,
        minor_width=max(0.5, fat * between(rng, 0.3, 0.7)),
        numeral_radius=layout.radius + 1 if outside else 0.0,
        numeral_size=size,
        color=ink,
        font=font,
        condensed=between(rng, 0.75, 1.0),
        inward=outside or chance(rng, 0.85),
        arc=chance(rng, 0.4),
        arc_width=between(rng, 0.5, 1.8),
        numerals_rotated=rotated,
        unsigned=unsigned,
        dotted=chance(rng, 0.02),
        numeral_gap=between(rng, 1.0, 4.5),
        short=chance(rng, 0.55),
        plus=scale.minimum < 0 < scale.maximum and not unsigned and chance(rng, 0.12),
        end_extra=major * between(rng, 0.15, 0.5) if chance(rng, 0.12) else 0.0,
        comma=chance(rng, 0.06),
    )
    if few is not None:
        art = replace(art, numerals_at=few.numerals_at, sizes=few.sizes, unsigned=few.unsigned, plus=few.plus)
        art = replace(art, numeral_size=min(art.numeral_size * few.size, 30.0))
    if chance(rng, 0.05):
        count = len(scale.majors())
        accent = scale.majors()[int(rng.integers(count // 2, count))]
        art = replace(art, accent_from=accent, accent_color=near(rng, HUES["red"], 12))
    return fit_numerals(rng, scale, art, even=chance(rng, 0.45))


def fit_numerals(rng: Rng, scale: Scale, art: ScaleArt, even: bool) -> ScaleArt:
    """Shrink the numerals, or print fewer of them, until they stand clear of each other.

    With `even` all stand on one circle, else each that far from its tick. Outside ones take room from the ticks.
    """
    outside = art.numeral_radius >= art.radius
    edge = art.radius
    thinner = chance(rng, 0.6)
    for attempt in range(16):
        art = _placed(scale, art, edge, outside, even)
        if outside and art.radius < 0.72 * edge:
            outside = False
            art = _placed(scale, replace(art, radius=edge, numeral_radius=0.0), edge, outside, even)
        if not numerals_collide(scale, art):
            if art.numeral_every == 1 and not art.numerals_at and chance(rng, 0.25) and (every := _sparser(scale, art)):
                art = _placed(scale, replace(art, numeral_every=every), edge, outside, even)
            return art
        every = _sparser(scale, art)
        if every and (thinner or art.numeral_size < 9.0):
            art, thinner = replace(art, numeral_every=every), False
        elif art.numeral_size > 5.5:
            art, thinner = replace(art, numeral_size=0.85 * art.numeral_size), True
        elif attempt < 14 and art.condensed > 0.75:
            art = replace(art, condensed=0.7)
        else:
            break
    ends = (scale.minimum, *((0.0,) if scale.minimum < 0 < scale.maximum else ()), scale.maximum)
    return _placed(scale, replace(art, numerals_at=ends, sizes=()), edge, outside, even)


def _sparser(scale: Scale, art: ScaleArt) -> int:
    """The next larger distance in majors between numbers that prints both ends and zero; 0 where there is none."""
    count = len(scale.majors()) - 1
    if art.numerals_at or not scale.is_linear or scale.printed:
        return 0
    zero = round(-scale.minimum / scale.major_step) if scale.minimum < 0 < scale.maximum else 0
    fits = (e for e in (2, 3, 4, 5) if e > art.numeral_every and count % e == 0 and count // e >= 2 and zero % e == 0)
    return next(fits, 0)


def _placed(scale: Scale, art: ScaleArt, edge: float, outside: bool, even: bool) -> ScaleArt:
    """The art with its numbers' radius set; `edge` is how far print may reach from the pivot."""
    gap = max(art.numeral_gap, 0.8)
    reaches = []
    for index, value in enumerate(printed_values(scale, replace(art, numeral_radius=max(art.numeral_radius, edge - 25)))):
        size = art.numeral_size * (art.sizes[index] if index < len(art.sizes) else 1.0)
        text = numeral_text(value, scale, art)
        reaches.append(numeral_reach(text, size, art, scale.angle_at(scale.fraction_of(value))))
    reach = max(reaches)
    if outside:
        radius = edge - 2 * reach - gap - 0.5
        return replace(art, radius=radius, numeral_radius=radius + gap + reach, numeral_gap=0.0 if even else gap, inward=True)
    radius = max(edge - art.major_length - gap - reach, 16.0)
    return replace(art, numeral_radius=radius, numeral_gap=0.0 if even or radius <= 16.0 else gap)


def numeral_room(scale: Scale, art: ScaleArt) -> float:
    """Radius inside which a face is free of the scale's print, from its pivot."""
    found = numerals(scale, art, (0.0, 0.0))
    inner = art.radius - art.major_length
    if art.numeral_radius >= art.radius:
        return inner
    away = (math.hypot(*n.center) - numeral_reach(n.text, n.size, art, n.angle_deg) for n in found)
    return min(inner, *away)


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
