"""Coloured arcs, limit lines, double arcs and tick bands, as zones of the sweep."""

from __future__ import annotations

from itertools import pairwise

from synth.draw import HUES, Rng, between, chance, near, pick
from synth.sample_scale import numeral_room
from synth.spec import Color, Print, Scale, ScaleArt, Zone

Arc = tuple[float, float, str]
"""A coloured part of a scale: from a value to a value, and the name of its hue."""


def sample_zones(rng: Rng, scale: Scale, art: ScaleArt, style: str) -> tuple[Zone, ...]:
    """Working ranges as users have them printed: cut at ticks, green between yellow and red, or one red end."""
    cuts = [scale.fraction_of(value) for value in scale.ticks()]
    if len(cuts) < 4:
        return ()
    low, middle, high = (cuts[round(between(rng, a, b) * (len(cuts) - 1))] for a, b in ((0.05, 0.35), (0.4, 0.65), (0.7, 0.9)))
    parts = pick(
        rng,
        (
            ((high, 1.0, "red"),),
            ((low, high, "green"),),
            ((low, middle, "green"), (middle, high, "yellow"), (high, 1.0, "red")),
            ((0.0, low, "red"), (low, high, "green"), (high, 1.0, "red")),
            ((0.0, low, "yellow"), (low, high, "green")),
            ((middle, high, "green"), (high, 1.0, "red")),
            ((0.0, middle, "blue"), (middle, 1.0, "red")),
            ((low, high, pick(rng, ("blue", "orange", "yellow"))),),
        ),
    )
    inner, outer = band(rng, art, 4.0 if style == "edge" else 1.0)
    return tuple(Zone(start, end, inner, outer, near(rng, HUES[name], 15)) for start, end, name in parts if end - start > 0.015)


def band(rng: Rng, art: ScaleArt, broad: float = 1.0) -> tuple[float, float]:
    """Inner and outer radius of a coloured band: on the ticks, at their ends, or outside the scale."""
    place = rng.random()
    width = between(rng, 2, 7) * broad
    if place < 0.3 and art.numeral_radius < art.radius:
        return art.radius + 0.3, art.radius + min(width, 5.0)
    if place < 0.65:
        return art.radius - min(width, art.major_length), art.radius
    if art.numeral_radius >= art.radius:
        return art.radius - art.major_length - width, art.radius - art.major_length
    return art.radius - art.major_length, art.radius - 0.3 * art.major_length


def arc_band(rng: Rng, scale: Scale, art: ScaleArt, place: str) -> tuple[float, float]:
    """Inner and outer radius of the arcs of a kind of dial: `outside` the ticks, on the `ticks`, `inside` them, or `broad`."""
    width = between(rng, 2.5, 6)
    if place == "broad":
        room = numeral_room(scale, art)
        wide = min(between(rng, 9, 18), room - 25)
        return (room - wide - 1.0, room - 1.0) if wide > 5 else (art.radius - art.major_length, art.radius)
    if place == "outside" and art.numeral_radius < art.radius:
        return art.radius + 0.3, art.radius + min(width, 5.0)
    if place == "inside":
        room = numeral_room(scale, art)
        return room - width - 0.8, room - 0.8
    return art.radius - min(1.5 * width, art.major_length), art.radius


def value_zones(rng: Rng, scale: Scale, arcs: tuple[Arc, ...], inner: float, outer: float) -> tuple[Zone, ...]:
    """Zones of given values and hues, each hue a little off its pure colour and the same over the whole face."""
    hues = {name: near(rng, HUES[name], 14) for name in dict.fromkeys(arc[2] for arc in arcs)}
    spans = ((scale.fraction_of(low), scale.fraction_of(high), hues[name]) for low, high, name in arcs)
    return tuple(Zone(start, end, inner, outer, color) for start, end, color in spans)


def limit_line(rng: Rng, scale: Scale, art: ScaleArt, color: Color) -> Zone:
    """The line at the working pressure: across the ticks at one of them in the upper part."""
    ticks = scale.ticks()
    at = scale.fraction_of(ticks[round(between(rng, 0.5, 0.95) * (len(ticks) - 1))])
    half = between(rng, 0.8, 1.6) / art.radius / max(scale.sweep_deg, 1.0) * 57.3
    return Zone(
        at - half, at + half, art.radius - art.major_length * between(rng, 1.0, 1.2), art.radius + between(rng, 0, 2), color
    )


def rails(rng: Rng, scale: Scale, art: ScaleArt) -> tuple[Zone, ...]:
    """A double arc that the ticks stand between, or a band of alternating blocks between them."""
    thick = between(rng, 0.35, 0.8)
    inner, outer = art.radius - art.minor_length, art.radius
    if not art.inward:
        inner, outer = art.radius - art.major_length, art.radius - art.major_length + art.minor_length
    both = (Zone(0.0, 1.0, inner - thick, inner, art.color), Zone(0.0, 1.0, outer - thick, outer, art.color))
    if not chance(rng, 0.2):
        return both
    cuts = [scale.fraction_of(value) for value in scale.majors()]
    blocks = zip(cuts[::2], cuts[1::2], strict=False)
    top = inner + (outer - inner) * between(rng, 0.25, 0.6)
    return (*both, *(Zone(start, end, inner, top, art.color) for start, end in blocks))


def wedge(scale: Scale, inner: float, width: float, color: Color, pieces: int = 24) -> tuple[Zone, ...]:
    """A band that grows from nothing to `width` along the scale, in small steps."""
    parts = [k / pieces for k in range(pieces + 1)]
    return tuple(Zone(a, b + 0.002, inner, inner + width * max(b, 0.06), color) for a, b in pairwise(parts))


def arc_words(
    scale: Scale,
    words: tuple[tuple[float, float, str], ...],
    radius: float,
    size: float,
    font: str,
    ink: Color,
    pivot: tuple[float, float],
) -> tuple[Print, ...]:
    """Words on a circle about the pivot, each over its part of the scale (from value to value) and shrunk to fit there."""
    prints = []
    for low, high, text in words:
        start, end = scale.fraction_of(low), scale.fraction_of(high)
        length = abs(end - start) * scale.sweep_deg / 57.3 * radius
        fitted = min(size, 0.86 * length / (0.66 * len(text)))
        if fitted >= 2.6:
            prints.append(Print(text, *pivot, fitted, font, ink, scale.angle_at((start + end) / 2), 1.0, "none", radius))
    return tuple(prints)
