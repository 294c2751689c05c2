"""Second and third scales of a face in further units, and vacuum sides of compound faces."""

from __future__ import annotations

import math
from dataclasses import replace

from synth import ranges
from synth.dial import scales_collide
from synth.draw import HUES, Rng, between, chance, near, pick
from synth.sample_scale import fit_numerals, numeral_room
from synth.spec import Color, Scale, ScaleArt

SECOND_UNITS: dict[str, tuple[tuple[str, float], ...]] = {
    "MPa": (("kgf/cm2", 10.1972), ("psi", 145.038), ("bar", 10.0)),
    "bar": (("psi", 14.5038), ("psi", 14.5038), ("kPa", 100.0), ("MPa", 0.1), ("kgf/cm2", 1.01972)),
    "psi": (("kPa", 6.89476), ("bar", 0.0689476), ("bar", 0.0689476), ("kgf/cm2", 0.070307)),
    "kPa": (("psi", 0.145038), ("mmHg", 7.50062), ("mmH2O", 101.972)),
    "kgf/cm2": (("psi", 14.2233), ("psi", 14.2233), ("MPa", 0.0980665), ("bar", 0.980665)),
    "inHg": (("kPa", 3.38639), ("bar", 0.0338639), ("mbar", 33.8639)),
    "°C": (("°F", 1.8),),
    "°F": (("°C", 1 / 1.8),),
    "mph": (("km/h", 1.609344),),
    "km/h": (("mph", 0.621371),),
    "kn": (("mph", 1.15078), ("km/h", 1.852)),
    "mbar": (("mmHg", 0.750062), ("inHg", 0.02953), ("mmH2O", 10.1972)),
    "Pa": (("mmH2O", 0.101972),),
    "mmHg": (("kPa", 0.133322), ("mbar", 1.33322)),
    "mmH2O": (("inH2O", 0.0393701), ("Pa", 9.80665)),
    "inH2O": (("Pa", 249.089), ("mbar", 2.49089)),
    "L/min": (("gpm", 0.264172), ("m3/h", 0.06)),
}
"""Further units of a scale and what one of it is in them."""

OFFSETS = {"°C": 32.0, "°F": -32 / 1.8}
Printed = tuple[Scale, ScaleArt]


def sample_further(rng: Rng, scale: Scale, art: ScaleArt, ink: Color, third: float) -> tuple[ScaleArt, tuple[Printed, ...]]:
    """Up to two scales in other units, with smaller numerals and mostly another colour: inside the first or around it.

    Returns the first scale's art, made smaller where the second runs around it, and the further scales. `third` is the
    share of faces with three where there is room.
    """
    units = SECOND_UNITS.get(scale.unit or "", ())
    if not units or not scale.is_linear or scale.printed or scale.multiplier is not None:
        return art, ()
    unit, factor = pick(rng, units)
    second = converted(rng, scale, unit, factor)
    color = near(rng, HUES["red"], 15) if chance(rng, 0.55) else (near(rng, HUES["blue"], 15) if chance(rng, 0.2) else ink)
    look = _look(rng, art, color)
    if chance(rng, 0.22) and art.numeral_radius < art.radius and art.inward:
        around = _around(rng, scale, art, second, look)
        if around is not None and not scales_collide((scale, around[0]), around[1]):
            return around[0], (around[1],)
    inner = _inside(rng, second, look, numeral_room(scale, art) - between(rng, 0.5, 5))
    if inner is None or scales_collide((scale, art), inner):
        return art, ()
    others = [other for other in units if other[0] != unit]
    if others and chance(rng, third):
        unit, factor = pick(rng, others)
        look = replace(look, color=ink if color != ink else near(rng, HUES["blue"], 15), numeral_size=look.numeral_size * 0.9)
        innermost = _inside(rng, converted(rng, scale, unit, factor), look, numeral_room(*inner) - 1.5)
        if innermost is not None and not any(scales_collide(pair, innermost) for pair in ((scale, art), inner)):
            return art, (inner, innermost)
    return art, (inner,)


def _look(rng: Rng, art: ScaleArt, color: Color) -> ScaleArt:
    length = between(rng, 3, 6)
    return replace(
        art,
        major_length=length,
        minor_length=length * 0.6,
        major_width=art.major_width * 0.7,
        minor_width=max(0.4, art.minor_width * 0.7),
        numeral_size=max(min(art.numeral_size * between(rng, 0.5, 0.78), 11.0), 4.5),
        color=color,
        arc=chance(rng, 0.7),
        numeral_every=1,
        numeral_radius=0.0,
        numeral_gap=1.5,
        unsigned=False,
        inward=True,
        numerals_at=(),
        sizes=(),
        accent_from=None,
        end_extra=0.0,
        dotted=False,
    )


def _inside(rng: Rng, scale: Scale, look: ScaleArt, radius: float) -> Printed | None:
    """The scale on a smaller circle, its numerals inside the ticks; None where there is no room."""
    if radius < 34:
        return None
    art = fit_numerals(rng, scale, replace(look, radius=radius, inward=chance(rng, 0.7)), even=chance(rng, 0.5))
    return None if art.numeral_size < 4.0 or numeral_room(scale, art) < 14 else (scale, art)


def _around(rng: Rng, scale: Scale, art: ScaleArt, second: Scale, look: ScaleArt) -> tuple[ScaleArt, Printed] | None:
    """The second scale outside the first one's ticks: the first moves inwards, both share the circle."""
    outer = fit_numerals(rng, second, replace(look, radius=art.radius, numeral_radius=art.radius + 1), even=True)
    drop = art.radius - outer.radius + look.major_length
    shrunk = replace(art, radius=art.radius - drop, numeral_radius=0.0, numeral_gap=2.0, arc=True)
    if shrunk.radius < 48:
        return None
    shrunk = fit_numerals(rng, scale, shrunk, even=art.numeral_gap == 0)
    tick = replace(outer, radius=shrunk.radius + look.major_length, inward=False)
    return shrunk, (second, replace(tick, numeral_radius=outer.numeral_radius, numeral_gap=0.0, arc=False))


def converted(rng: Rng, scale: Scale, unit: str, factor: float) -> Scale:
    """The scale in a further unit: whole steps of it that lie within the first one's ends."""
    shift = OFFSETS.get(scale.unit or "", 0.0)
    low, high = scale.minimum * factor + shift, scale.maximum * factor + shift
    steps = [s * 10.0**p for p in range(-4, 6) for s in (1.0, 2.0, 5.0) if 3 <= (high - low) / (s * 10.0**p) <= 9]
    step = pick(rng, steps)
    first, last = math.ceil(low / step - 1e-6) * step, math.floor(high / step + 1e-6) * step
    start, end = (first - low) / (high - low), (last - low) / (high - low)
    return replace(
        scale,
        minimum=round(first, 9),
        maximum=round(last, 9),
        major_step=round(step, 12),
        minors=pick(rng, ranges.minor_choices(step)) if chance(rng, 0.5) else pick(rng, (5, 2, 4)),
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
    plain = scale.minimum == 0 and scale.is_linear and not scale.printed and scale.multiplier is None
    if scale.unit not in sides or not plain or scale.sweep_deg < 200:
        return scale, None
    unit, low, step = sides[scale.unit]
    share = between(rng, 0.2, 0.5)
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


def vacuum_art(rng: Rng, left: Scale, art: ScaleArt, ink: Color) -> ScaleArt:
    """The vacuum side drawn like the pressure side, without signs, the numbers refitted to its own arc, zero left to it."""
    values = [value for value in left.majors() if value < 0]
    red = near(rng, HUES["red"], 12) if chance(rng, 0.35) else ink
    look = replace(
        art, unsigned=True, plus=False, color=red, numerals_at=tuple(values), sizes=(), numeral_every=1, accent_from=None
    )
    return fit_numerals(rng, left, look, even=art.numeral_gap == 0)
