"""Dial artwork as geometry: where marks, numerals and the needle's outline lie, in face units."""

from __future__ import annotations

import math
from typing import NamedTuple

from synth.fonts import advance
from synth.needle_shape import needle_outline, needle_tip
from synth.spec import Color, Scale, ScaleArt, Vec, direction, polar

__all__ = [
    "Mark",
    "PrintedNumeral",
    "marks",
    "needle_outline",
    "needle_tip",
    "number_text",
    "number_width",
    "numeral_reach",
    "numeral_text",
    "numerals",
    "numerals_collide",
    "printed_values",
    "scales_collide",
]


class Mark(NamedTuple):
    """One tick: outer and inner end, and whether it is a major one."""

    outer: Vec
    inner: Vec
    major: bool


class PrintedNumeral(NamedTuple):
    """One number on the face: text as printed, the value it stands for, centre, angle of its mark, size and colour."""

    text: str
    value: float
    center: Vec
    angle_deg: float
    size: float
    color: Color


def number_text(value: float, step: float) -> str:
    """`value` with as many decimals as `step` needs: 0.4 in steps of 0.2, 40 in steps of 20."""
    decimals = 0
    while decimals < 4 and abs(round(step, decimals) - step) > 1e-9 * max(1.0, abs(step)):
        decimals += 1
    text = f"{value:.{decimals}f}"
    return "0" if float(text) == 0 else text


def marks(scale: Scale, art: ScaleArt, pivot: Vec) -> tuple[Mark, ...]:
    """All ticks of a scale: major, middle and minor ones by their rank, the first and the last as long as the art says."""
    lengths = (art.minor_length, 0.5 * (art.major_length + art.minor_length), art.major_length)
    found = []
    graduations = scale.graduations()
    for index, tick in enumerate(graduations):
        length = lengths[tick.rank] + (art.end_extra if index in (0, len(graduations) - 1) else 0.0)
        angle = scale.angle_at(scale.fraction_of(tick.value))
        inner = art.radius - length if art.inward else art.radius - art.major_length
        outer = art.radius if art.inward else inner + length
        found.append(Mark(polar(pivot, outer, angle), polar(pivot, inner, angle), tick.rank == 2))
    return tuple(found)


def printed_values(scale: Scale, art: ScaleArt) -> tuple[float, ...]:
    """Values that carry a number. On a full circle the last one would cover the first and is left out."""
    if art.numerals_at:
        return art.numerals_at
    majors = scale.majors()
    if scale.sweep_deg > 350:
        majors = majors[:-1]
    values = majors[:: art.numeral_every]
    if scale.logarithmic:
        return _decade_values(scale, art)
    return values if scale.is_linear else _uncrowded(scale, art, values)


def numeral_text(value: float, scale: Scale, art: ScaleArt) -> str:
    """A value as its face prints it."""
    shown = abs(value) if art.unsigned else value
    even = not scale.printed and not scale.logarithmic
    text = number_text(shown, scale.major_step) if even and not art.short else f"{round(shown, 9) + 0.0:.12g}"
    if art.comma:
        text = text.replace(".", ",")
    return f"+{text}" if art.plus and value > 0 else text


def numerals(scale: Scale, art: ScaleArt, pivot: Vec) -> tuple[PrintedNumeral, ...]:
    """The printed numbers of a scale, in order of their values."""
    found = []
    for index, value in enumerate(printed_values(scale, art)):
        angle = scale.angle_at(scale.fraction_of(value))
        text = numeral_text(value, scale, art)
        size = art.numeral_size * (art.sizes[index] if index < len(art.sizes) else 1.0)
        accent = art.accent_color if art.accent_from is not None and value >= art.accent_from - 1e-9 else None
        center = polar(pivot, _numeral_radius(text, size, art, angle), angle)
        found.append(PrintedNumeral(text, round(value, 6), center, angle, size, accent or art.numeral_color or art.color))
    return tuple(found)


def number_width(text: str, size: float, font: str, condensed: float = 1.0) -> float:
    """Width of a printed number in face units."""
    return size * condensed * advance(text, font)


def numeral_reach(text: str, size: float, art: ScaleArt, angle_deg: float) -> float:
    """Half of a number's extent along the radius through its mark: between that of its box and of the oval in it."""
    half_width, half_height = 0.5 * number_width(text, size, art.font, art.condensed), 0.37 * size
    if art.numerals_rotated:
        return half_height
    across, along = (abs(part) for part in direction(angle_deg))
    box, oval = half_width * across + half_height * along, math.hypot(half_width * across, half_height * along)
    return 0.35 * box + 0.65 * oval


def _numeral_radius(text: str, size: float, art: ScaleArt, angle_deg: float) -> float:
    """Radius of a number's centre: one for all, or so far out or in that it stays clear of the ticks by the gap."""
    if art.numeral_gap <= 0:
        return art.numeral_radius
    reach = art.numeral_gap + numeral_reach(text, size, art, angle_deg)
    return art.radius + reach if art.numeral_radius >= art.radius else max(art.radius - art.major_length - reach, 4.0)


def numerals_collide(scale: Scale, art: ScaleArt, margin: float = 0.12) -> bool:
    """Whether two numbers of a scale touch, with a margin as a part of their size."""
    found = numerals(scale, art, (0.0, 0.0))
    return any(_touch(one, art, two, art, margin) for i, one in enumerate(found) for two in found[i + 1 :])


def scales_collide(first: tuple[Scale, ScaleArt], second: tuple[Scale, ScaleArt], margin: float = 0.05) -> bool:
    """Whether a number of one scale touches a number of another one about the same pivot."""
    one, two = (numerals(*pair, (0.0, 0.0)) for pair in (first, second))
    return any(_touch(a, first[1], b, second[1], margin) for a in one for b in two)


def _touch(one: PrintedNumeral, look: ScaleArt, two: PrintedNumeral, other: ScaleArt, margin: float) -> bool:
    dx, dy = abs(one.center[0] - two.center[0]), abs(one.center[1] - two.center[1])
    wide = 0.5 * number_width(one.text, one.size, look.font, look.condensed)
    wide += 0.5 * number_width(two.text, two.size, other.font, other.condensed)
    tall, room = 0.37 * (one.size + two.size), margin * max(one.size, two.size)
    if look.numerals_rotated and look is other:
        return math.hypot(dx, dy) < wide + room
    return dx < wide + 2 * room and dy < tall + room


def _decade_values(scale: Scale, art: ScaleArt) -> tuple[float, ...]:
    """Numbers of a logarithmic scale: 1, 2 and 5 of each decade where there is room, else 1 alone."""
    decade = math.radians(scale.sweep_deg) * max(art.numeral_radius, 1.0) / math.log10(scale.maximum / scale.minimum)
    longest = max(number_width(numeral_text(v, scale, art), art.numeral_size, art.font, art.condensed) for v in scale.majors())
    room = decade / (max(longest, art.numeral_size) * 1.15)
    leads = (1, 2, 5) if 0.301 * room > 1 else (1,)
    return tuple(v for v in scale.majors() if round(v / 10.0 ** math.floor(math.log10(v) + 1e-9)) in leads)


def _uncrowded(scale: Scale, art: ScaleArt, values: tuple[float, ...]) -> tuple[float, ...]:
    """Numbers with room for each: makers leave out those in the crowded part of a scale that is not linear.

    Both ends are kept, the rest from the wide end on.
    """
    if len(values) < 3:
        return values
    wide_start = scale.fraction_of(values[1]) - scale.fraction_of(values[0]) > 1 - scale.fraction_of(values[-2])
    kept: list[float] = []
    room = math.radians(scale.sweep_deg) * max(art.numeral_radius, 1.0)
    for value in (values[0], values[-1], *(values[1:-1] if wide_start else values[-2:0:-1])):
        width = number_width(numeral_text(value, scale, art), art.numeral_size, art.font, art.condensed) + 0.2 * art.numeral_size
        places = (scale.fraction_of(other) for other in kept)
        if all(abs(scale.fraction_of(value) - place) * room > max(width, art.numeral_size) for place in places):
            kept.append(value)
    return tuple(sorted(kept))
