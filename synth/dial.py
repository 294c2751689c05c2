"""Dial artwork as geometry: where marks, numerals and the needle's outline lie, in face units."""

from __future__ import annotations

import math
from typing import NamedTuple

from synth.needle_shape import needle_outline, needle_tip
from synth.spec import Scale, ScaleArt, Vec, polar

__all__ = ["Mark", "PrintedNumeral", "marks", "needle_outline", "needle_tip", "number_text", "numerals"]


class Mark(NamedTuple):
    """One tick: outer and inner end, and whether it is a major one."""

    outer: Vec
    inner: Vec
    major: bool


class PrintedNumeral(NamedTuple):
    """One number on the face: text as printed, the value it stands for, centre and angle of its mark."""

    text: str
    value: float
    center: Vec
    angle_deg: float


def number_text(value: float, step: float) -> str:
    """`value` with as many decimals as `step` needs: 0.4 in steps of 0.2, 40 in steps of 20."""
    decimals = 0
    while decimals < 4 and abs(round(step, decimals) - step) > 1e-9 * max(1.0, abs(step)):
        decimals += 1
    text = f"{value:.{decimals}f}"
    return "0" if float(text) == 0 else text


def marks(scale: Scale, art: ScaleArt, pivot: Vec) -> tuple[Mark, ...]:
    """All ticks of a scale. With an even number of minors the middle one is longer, as on most faces."""
    found = []
    for index, value in enumerate(scale.ticks()):
        major = index % scale.minors == 0
        length = art.major_length if major else art.minor_length
        if not major and scale.minors % 2 == 0 and scale.minors > 2 and index % scale.minors == scale.minors // 2:
            length = 0.5 * (art.major_length + art.minor_length)
        angle = scale.angle_at(scale.fraction_of(value))
        inner = art.radius - length if art.inward else art.radius - art.major_length
        outer = art.radius if art.inward else inner + length
        found.append(Mark(polar(pivot, outer, angle), polar(pivot, inner, angle), major))
    return tuple(found)


def numerals(scale: Scale, art: ScaleArt, pivot: Vec) -> tuple[PrintedNumeral, ...]:
    """The printed numbers of a scale. On a full circle the last one would cover the first and is left out."""
    majors = scale.majors()
    if scale.sweep_deg > 350:
        majors = majors[:-1]
    values = majors[:: art.numeral_every]
    if scale.exponent != 1.0:
        values = _uncrowded(scale, art, values)
    found = []
    for value in values:
        angle = scale.angle_at(scale.fraction_of(value))
        text = number_text(abs(value) if art.unsigned else value, scale.major_step)
        found.append(PrintedNumeral(text, round(value, 6), polar(pivot, art.numeral_radius, angle), angle))
    return tuple(found)


def _uncrowded(scale: Scale, art: ScaleArt, values: tuple[float, ...]) -> tuple[float, ...]:
    """Numbers with room for each: makers leave out those in the crowded part of a scale that is not linear."""
    order = values[::-1] if scale.exponent > 1 else values
    kept: list[float] = []
    for value in order:
        width = 0.6 * art.numeral_size * max(2, len(number_text(value, scale.major_step)))
        room = math.radians(scale.sweep_deg) * max(art.numeral_radius, 1.0)
        if not kept or abs(scale.fraction_of(value) - scale.fraction_of(kept[-1])) * room > width:
            kept.append(value)
    return tuple(sorted(kept))
