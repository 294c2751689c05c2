"""Draws needles and hands: shadow, blade, tail, hub and cap, and the markers and knobs that belong to them."""

from __future__ import annotations

import math

from synth.flat.pen import Pen, lighten, radial, rgba
from synth.needle_shape import needle_outline, needle_parts
from synth.scene import Light, Pose
from synth.spec import Color, Hand, Needle, Vec, polar


def draw_needle(pen: Pen, needle: Needle, pivot: Vec, angle_deg: float, pose: Pose, light: Light, lettered: str = "") -> None:
    """A hand above the face: its shadow first, then blade, tail, hub and cap; `lettered` is written on its tip."""
    outline = needle_outline(needle, pivot, angle_deg)
    with pen.plane(pose.homography(0.0)):
        if needle.glow > 0:
            pen.polygon(outline, needle.color, 0.55 * needle.glow, 2.5 + 2 * needle.glow)
        turn = math.radians(light.shadow_deg)
        reach = needle.height * (0.8 + 0.6 * light.softness)
        blur = 0.5 + 2.2 * light.softness
        pen.canvas.save()
        pen.canvas.translate(-math.sin(turn) * reach, math.cos(turn) * reach)
        pen.polygon(outline, (0, 0, 0), light.shadow, blur)
        if needle.tail > 0 and needle.tail_shape in ("round", "bulb", "ring") and needle.start <= 0:
            pen.disc(*_bulb(needle, pivot, angle_deg), needle.tail_width / 2, (0, 0, 0), light.shadow, blur)
        if needle.start <= 0:
            pen.disc(*pivot, needle.hub, (0, 0, 0), light.shadow, blur)
        pen.canvas.restore()
    with pen.plane(pose.homography(needle.height)):
        pen.polygon(outline, needle.color)
        for part in needle_parts(needle, pivot, angle_deg):
            pen.polygon(part.outline, part.color)
        if needle.tail > 0 and needle.start <= 0:
            _counterweight(pen, needle, pivot, angle_deg)
        if needle.shape == "disc":
            pen.disc(*pivot, needle.length * 0.55, needle.hub_color)
        if lettered:
            at = polar(pivot, 0.86 * needle.length, angle_deg)
            pen.text(lettered, *at, 1.1 * needle.width, "Roboto-Bold.ttf", lighten(needle.color, -0.75), angle_deg - 180.0)
        if needle.start <= 0:
            _hub(pen, needle, pivot, angle_deg)


def _bulb(needle: Needle, pivot: Vec, angle_deg: float) -> Vec:
    return polar(pivot, -(needle.tail - needle.tail_width / 2), angle_deg)


def _counterweight(pen: Pen, needle: Needle, pivot: Vec, angle_deg: float) -> None:
    color = needle.tail_color or needle.color
    radius = needle.tail_width / 2
    if needle.tail_shape in ("round", "bulb"):
        pen.disc(*_bulb(needle, pivot, angle_deg), radius, color)
    elif needle.tail_shape == "ring":
        pen.circle(*_bulb(needle, pivot, angle_deg), radius * 0.75, color, radius * 0.5)


def _hub(pen: Pen, needle: Needle, pivot: Vec, angle_deg: float) -> None:
    color, hub = needle.hub_color, needle.hub
    if needle.hub_style == "ring":
        pen.disc(*pivot, hub * 0.6, lighten(color, -0.6))
        pen.circle(*pivot, hub * 0.78, color, hub * 0.44)
    elif needle.hub_style == "dome":
        x, y = pivot[0] - hub * 0.35, pivot[1] - hub * 0.4
        stops = [rgba(lighten(color, 0.6)), rgba(color), rgba(lighten(color, -0.45))]
        pen.disc(*pivot, hub, color, shader=radial(x, y, hub * 1.6, stops))
    else:
        pen.disc(*pivot, hub, color)
    pen.circle(*pivot, hub, lighten(color, -0.5), max(0.3, hub * 0.06), 0.6)
    if needle.cap > 0:
        x, y = pivot[0] - needle.cap * 0.3, pivot[1] - needle.cap * 0.3
        stops = [rgba(lighten(needle.cap_color, 0.5)), rgba(lighten(needle.cap_color, -0.4))]
        pen.disc(*pivot, needle.cap, needle.cap_color, shader=radial(x, y, needle.cap * 1.6, stops))
    if needle.hub_style == "slotted":
        slot = needle.cap if needle.cap > 0 else hub
        ends = [polar(pivot, k * slot * 0.85, angle_deg + 40.0) for k in (-1, 1)]
        pen.segments(ends, lighten(needle.cap_color if needle.cap > 0 else color, -0.7), slot * 0.26)


def draw_hand(pen: Pen, hand: Hand, pivot: Vec, angle_deg: float, pose: Pose, light: Light) -> None:
    """A maximum pointer, a set hand, or a marker at the rim."""
    if not hand.marker:
        draw_needle(pen, hand.needle, pivot, angle_deg, pose, light, hand.lettered)
        return
    needle = hand.needle
    with pen.plane(pose.homography(0.0)):
        tip = polar(pivot, needle.length - 7, angle_deg)
        left, right = polar(pivot, needle.length + 1, angle_deg - 2.6), polar(pivot, needle.length + 1, angle_deg + 2.6)
        pen.polygon((tip, left, right), needle.color)


def draw_reset_knob(pen: Pen, pivot: Vec, radius: float, color: Color) -> None:
    """A knob in the middle of the glass: rings of light and shade, the hand is seen through the clear part."""
    pen.disc(pivot[0] + 1.2, pivot[1] + 1.8, radius * 1.02, (0, 0, 0), 0.25, 1.5)
    pen.disc(*pivot, radius, (255, 255, 255), 0.08)
    for part, level in ((1.0, 225), (0.9, 40), (0.72, 235), (0.5, 60)):
        pen.circle(*pivot, radius * part, (level, level, level), radius * 0.05, 0.45)
    shine = radial(pivot[0] - radius * 0.1, pivot[1] - radius * 0.1, radius * 0.5, [rgba(lighten(color, f)) for f in (0.5, -0.3)])
    pen.disc(*pivot, radius * 0.34, color, shader=shine)
    pen.segments([polar(pivot, k * radius * 0.26, 62.0) for k in (-1, 1)], lighten(color, -0.7), radius * 0.08)
