"""Draws dials: face, scales, print, hands, and the shadows they throw."""

from __future__ import annotations

import math

import numpy as np

from synth.dial import marks, needle_outline, numerals
from synth.flat.case import draw_case, face_half, shade_face
from synth.flat.glass import draw_glass
from synth.flat.lettering import draw_print
from synth.flat.pen import Pen, lighten, radial, rgba
from synth.scene import Light, Pose, Wear
from synth.spec import DialSpec, Needle, Scale, ScaleArt, Vec, Zone, polar


def draw_dial(pen: Pen, spec: DialSpec, pose: Pose, light: Light, wear: Wear, rng: np.random.Generator) -> None:
    case = spec.case
    draw_case(pen, case, pose, light, rng)
    half = face_half(case)
    with pen.plane(pose.homography(0.0)):
        if case.ring > 0:
            _opening(pen, spec, half + case.ring, case.ring_color)
        _opening(pen, spec, half, spec.face_color)
        clip = (
            pen.clip_disc(0, 0, half, half * case.aspect)
            if case.shape == "round"
            else pen.clip_box(-half, -half * case.aspect, half, half * case.aspect, case.corner * 0.7)
        )
        with clip:
            _face_texture(pen, spec, half, wear, rng)
            for zone in spec.zones:
                draw_zone(pen, zone, spec.scale, spec.pivot)
            for further, look in spec.further_scales:
                draw_scale(pen, further, look, spec.pivot)
            draw_scale(pen, spec.scale, spec.art, spec.pivot)
            for line in spec.prints:
                draw_print(pen, line)
            for x, y, radius in spec.screws:
                _screw(pen, x, y, radius, rng)
            if spec.stop_pin:
                x, y = polar(
                    spec.pivot,
                    spec.needle.length * 0.6,
                    spec.scale.angle_at(min(spec.fraction, 0.0)) - 4 * (1 if spec.scale.clockwise else -1),
                )
                pen.disc(x, y, 1.8, (60, 60, 60))
    for hand in spec.hands:
        _draw_hand(pen, hand.needle, spec.pivot, spec.scale.angle_at(hand.fraction), pose, light, hand.marker)
    draw_needle(pen, spec.needle, spec.pivot, spec.pointer_deg, pose, light)
    with pen.plane(pose.homography(0.0)):
        clip = (
            pen.clip_disc(0, 0, half, half * case.aspect)
            if case.shape == "round"
            else pen.clip_box(-half, -half * case.aspect, half, half * case.aspect, case.corner * 0.7)
        )
        with clip:
            if spec.reset_knob > 0:
                _reset_knob(pen, spec.pivot, spec.reset_knob)
            if spec.cover > 0:
                x, y = spec.pivot
                low = half * case.aspect
                corner = [(half, y - spec.cover), (half, low), (x - spec.cover, low), (x - spec.cover * 0.2, y + 4)]
                pen.polygon(corner, spec.skirt_color)
                pen.polyline([corner[0], corner[3], corner[2]], lighten(spec.skirt_color, 0.4), 0.8, 0.8)
            if spec.skirt is not None:
                pen.box(-half, spec.skirt, half, half * case.aspect, spec.skirt_color)
                pen.box(-half, spec.skirt - 0.6, half, spec.skirt + 0.6, lighten(spec.skirt_color, 0.3))
            shade_face(pen, case, light, rng)
            draw_glass(pen, half, half * case.aspect, spec.glass, light, wear, rng)


def _opening(pen: Pen, spec: DialSpec, half: float, color: tuple[int, int, int]) -> None:
    if spec.case.shape == "round":
        pen.oval(0, 0, half, half * spec.case.aspect, color)
    else:
        pen.box(-half, -half * spec.case.aspect, half, half * spec.case.aspect, color, spec.case.corner * 0.7)


def _face_texture(pen: Pen, spec: DialSpec, half: float, wear: Wear, rng: np.random.Generator) -> None:
    if wear.yellowing > 0:
        pen.disc(0, 0, half * 1.5, (210, 180, 90), 0.35 * wear.yellowing)
    style = rng.random()
    if style < 0.25:
        pen.disc(
            0,
            0,
            half * 1.5,
            (0, 0, 0),
            shader=radial(
                0,
                0,
                half * 1.4,
                [rgba(lighten(spec.face_color, 0.25)), rgba(spec.face_color), rgba(lighten(spec.face_color, -0.25))],
            ),
        )
    elif style < 0.32:
        inner = abs(spec.art.numeral_radius) * rng.uniform(0.4, 0.75)
        pen.disc(*spec.pivot, inner, lighten(spec.face_color, float(rng.uniform(-0.35, 0.35))), 0.7)


def draw_zone(pen: Pen, zone: Zone, scale: Scale, pivot: Vec) -> None:
    start = scale.angle_at(zone.start)
    sweep = scale.sweep_deg * (zone.end - zone.start) * (1 if scale.clockwise else -1)
    pen.arc(*pivot, (zone.inner + zone.outer) / 2, start, sweep, zone.color, zone.outer - zone.inner)


def draw_scale(pen: Pen, scale: Scale, art: ScaleArt, pivot: Vec) -> None:
    ticks = marks(scale, art, pivot)
    if art.dotted:
        for mark in ticks:
            pen.disc(*mark.inner, art.major_width * (1.1 if mark.major else 0.6), art.color)
    else:
        pen.segments([p for m in ticks if not m.major for p in (m.outer, m.inner)], art.color, art.minor_width)
        pen.segments([p for m in ticks if m.major for p in (m.outer, m.inner)], art.color, art.major_width)
    if art.arc:
        radius = art.radius if art.inward else art.radius - art.major_length
        sweep = scale.sweep_deg if scale.clockwise else -scale.sweep_deg
        pen.arc(*pivot, radius, scale.start_deg, sweep, art.color, art.arc_width)
    for number in numerals(scale, art, pivot):
        turn = number.angle_deg - 180.0 if art.numerals_rotated else 0.0
        pen.text(number.text, *number.center, number.size, art.font, number.color, turn, art.condensed)


def _screw(pen: Pen, x: float, y: float, radius: float, rng: np.random.Generator) -> None:
    level = int(rng.uniform(70, 210))
    color = (level, level, int(level * rng.uniform(0.6, 1.0)))
    pen.disc(x, y, radius * 1.15, (0, 0, 0), 0.45, 0.5)
    pen.disc(x, y, radius, color)
    turn = rng.uniform(0, math.pi)
    dx, dy = radius * 0.8 * math.cos(turn), radius * 0.8 * math.sin(turn)
    pen.segments([(x - dx, y - dy), (x + dx, y + dy)], lighten(color, -0.65), radius * 0.28)


def _tail_bulb(needle: Needle, pivot: Vec, angle_deg: float) -> Vec:
    return polar(pivot, -needle.tail, angle_deg)


def _reset_knob(pen: Pen, pivot: Vec, radius: float) -> None:
    """A clear knob in the middle of the glass: rings of light and shade, the hand is seen through it."""
    pen.disc(*pivot, radius, (255, 255, 255), 0.08)
    for part, level in ((1.0, 225), (0.9, 40), (0.72, 235), (0.5, 60), (0.32, 230)):
        pen.circle(*pivot, radius * part, (level, level, level), radius * 0.05, 0.45)


def draw_needle(pen: Pen, needle: Needle, pivot: Vec, angle_deg: float, pose: Pose, light: Light) -> None:
    """A hand above the face: its shadow first, then blade, tail, hub and cap."""
    outline = needle_outline(needle, pivot, angle_deg)
    with pen.plane(pose.homography(0.0)):
        turn = math.radians(light.shadow_deg)
        reach = needle.height * (0.8 + 0.6 * light.softness)
        pen.canvas.save()
        pen.canvas.translate(-math.sin(turn) * reach, math.cos(turn) * reach)
        pen.polygon(outline, (0, 0, 0), light.shadow, 0.5 + 2.2 * light.softness)
        pen.disc(*pivot, needle.hub, (0, 0, 0), light.shadow, 0.5 + 2.2 * light.softness)
        pen.canvas.restore()
    with pen.plane(pose.homography(needle.height)):
        pen.polygon(outline, needle.color)
        if needle.tail_shape == "bulb" and needle.tail > 0:
            pen.disc(*_tail_bulb(needle, pivot, angle_deg), needle.tail_width * 0.9, needle.tail_color or needle.color)
        if needle.shape == "disc":
            pen.disc(*pivot, needle.length * 0.55, needle.hub_color)
        pen.disc(*pivot, needle.hub, needle.hub_color)
        pen.circle(*pivot, needle.hub, lighten(needle.hub_color, -0.5), max(0.3, needle.hub * 0.06), 0.6)
        if needle.cap > 0:
            shine = radial(
                pivot[0] - needle.cap * 0.3,
                pivot[1] - needle.cap * 0.3,
                needle.cap * 1.6,
                [rgba(lighten(needle.cap_color, 0.5)), rgba(lighten(needle.cap_color, -0.4))],
            )
            pen.disc(*pivot, needle.cap, needle.cap_color, shader=shine)


def _draw_hand(pen: Pen, needle: Needle, pivot: Vec, angle_deg: float, pose: Pose, light: Light, marker: bool) -> None:
    if not marker:
        draw_needle(pen, needle, pivot, angle_deg, pose, light)
        return
    with pen.plane(pose.homography(0.0)):
        tip = polar(pivot, needle.length - 7, angle_deg)
        left, right = polar(pivot, needle.length + 1, angle_deg - 2.6), polar(pivot, needle.length + 1, angle_deg + 2.6)
        pen.polygon((tip, left, right), needle.color)
