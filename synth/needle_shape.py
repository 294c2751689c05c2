"""Needles as geometry: outlines of blade, tail and ornaments in face units, for whoever draws them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

from synth.spec import Color, Needle, Vec, direction, polar

Half = list[tuple[float, float]]


class NeedlePart(NamedTuple):
    """One closed area of a needle and its colour."""

    outline: tuple[Vec, ...]
    color: Color


def needle_tip(needle: Needle, pivot: Vec, angle_deg: float) -> Vec:
    return polar(pivot, needle.length, angle_deg)


def _arrow_neck(needle: Needle) -> float:
    """Where an arrow's head begins: heads are some widths long, whatever the needle's length."""
    return needle.length - min(max(2.6 * needle.width, 9.0), 0.3 * needle.length)


def _blade(needle: Needle) -> Half:
    """(along, half width) from the tip to the pivot."""
    length, wide, thin = needle.length, needle.width / 2, needle.tip_width / 2
    if needle.shape == "arrow":
        neck = _arrow_neck(needle)
        return [(length, 0.0), (neck, wide * 1.9), (neck + 0.15 * (length - neck), wide * 0.6), (0.0, wide * 0.7)]
    if needle.shape == "open arrow":
        neck = _arrow_neck(needle)
        return [(length, 0.0), (neck, wide * 2.0), (neck + 0.75 * (length - neck), wide * 0.45), (0.0, wide * 0.5)]
    if needle.shape == "lance":
        return [(length, 0.0), (length * 0.78, wide * 1.3), (length * 0.5, wide * 0.45), (0.0, wide * 0.8)]
    if needle.shape == "sword":
        return [(length, 0.0), (length * 0.88, wide * 0.75), (length * 0.15, wide), (0.0, wide * 0.7)]
    if needle.shape == "spade":
        return [(length, thin), (length * 0.5, thin), (length * 0.3, wide * 1.4), (0.0, wide)]
    if needle.shape == "baton":
        return [(length, thin), (length - needle.width * 1.2, wide), (0.0, wide)]
    if needle.shape == "broad":
        return [(length, 0.0), (length - 1.1 * needle.width, wide), (0.0, wide * 1.05)]
    if needle.shape == "knife":
        return [(length, thin * 0.5), (length * 0.86, thin), (length * 0.8, wide * 0.6), (0.0, wide)]
    if needle.shape == "syringe":
        return [(length, thin * 0.6), (length * 0.62, max(thin, 0.3)), (length * 0.6, wide), (0.0, wide)]
    return [(length, thin), (0.0, wide)]


def _tail(needle: Needle) -> Half:
    wide, tail, broad = needle.width / 2, needle.tail, needle.tail_width / 2
    if tail <= 0 or needle.tail_shape == "none":
        return []
    if needle.tail_shape == "flare":
        return [(-tail * 0.35, wide * 0.8), (-tail * 0.45, broad), (-tail, broad * 1.15)]
    if needle.tail_shape == "block":
        return [(-tail * 0.45, wide), (-tail * 0.46, broad), (-tail, broad)]
    if needle.tail_shape == "drop":
        return [(-tail * 0.3, wide * 0.6), (-tail * 0.8, broad), (-tail * 0.93, broad * 0.75), (-tail, 0.0)]
    if needle.tail_shape in ("crescent", "round", "ring", "bulb"):
        return [(-(tail - 0.5 * broad), min(wide, 0.5 * broad))]
    return [(-tail, broad)]


def _both_sides(half: Half, needle: Needle, pivot: Vec, angle_deg: float) -> tuple[Vec, ...]:
    ux, uy = direction(angle_deg)
    px, py = pivot
    right = [(px + ux * a - uy * c, py + uy * a + ux * c) for a, c in half]
    left = [(px + ux * a + uy * c, py + uy * a - ux * c) for a, c in reversed(half)]
    return tuple(right + left)


def _cut(half: Half, low: float, high: float) -> Half:
    """The part of a half outline between two places along the needle."""
    found: Half = []
    for (a, c), (b, d) in pairwise(half):
        top, bottom = min(a, high), max(b, low)
        if a == b or top < bottom:
            continue
        found += [(top, c + (d - c) * (a - top) / (a - b)), (bottom, c + (d - c) * (a - bottom) / (a - b))]
    return found


def needle_outline(needle: Needle, pivot: Vec, angle_deg: float) -> tuple[Vec, ...]:
    """Outline of the needle from the tip around, without round ornaments and hub."""
    half = _blade(needle)
    if needle.start > 0:
        return _both_sides(_cut(half, needle.start, needle.length), needle, pivot, angle_deg)
    return _both_sides(half + _tail(needle), needle, pivot, angle_deg)


def needle_parts(needle: Needle, pivot: Vec, angle_deg: float) -> tuple[NeedlePart, ...]:
    """What lies on the plain outline: a tail, a tip or one side in another colour, crescents."""
    parts: list[NeedlePart] = []
    half = _blade(needle)
    if needle.tail_color is not None and needle.start <= 0 and (tail := _tail(needle)):
        parts.append(NeedlePart(_both_sides([(0.0, needle.width / 2), *tail], needle, pivot, angle_deg), needle.tail_color))
    if needle.edge_color is not None:
        side = _cut(half, max(needle.start, 0.0), needle.length)
        ux, uy = direction(angle_deg)
        edge = [(pivot[0] + ux * a - uy * c, pivot[1] + uy * a + ux * c) for a, c in side]
        middle = [(pivot[0] + ux * a, pivot[1] + uy * a) for a, _ in (side[-1], side[0])]
        parts.append(NeedlePart((*edge, *middle), needle.edge_color))
    if needle.tip_color is not None and needle.tip_from < 1:
        tip = _cut(half, max(needle.start, needle.tip_from * needle.length), needle.length)
        parts.append(NeedlePart(_both_sides(tip, needle, pivot, angle_deg), needle.tip_color))
    if needle.tail_shape == "crescent" and needle.tail > 0 and needle.start <= 0:
        parts.append(NeedlePart(_crescent(needle, pivot, angle_deg), needle.tail_color or needle.color))
    return tuple(parts)


def _crescent(needle: Needle, pivot: Vec, angle_deg: float) -> tuple[Vec, ...]:
    """A half moon, its horns away from the pivot, as counterweights of fine needles have it."""
    radius = needle.tail_width / 2
    center = polar(pivot, -(needle.tail - 0.2 * radius), angle_deg)
    outer = [polar(center, radius, angle_deg + t) for t in range(-120, 121, 20)]
    hollow = polar(center, -0.55 * radius, angle_deg)
    reach = math.dist(hollow, outer[0])
    turn = math.degrees(math.acos(max(-1.0, min(1.0, (math.cos(math.radians(120)) * radius + 0.55 * radius) / reach))))
    inner = [polar(hollow, reach, angle_deg + turn * (1 - k / 5)) for k in range(11)]
    return (*outer, *inner)
