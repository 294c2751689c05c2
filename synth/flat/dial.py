"""Draws dials: face, scales, print, hands, and the shadows they throw."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from synth.dial import marks, numerals
from synth.flat.case import draw_case, face_half, shade_face
from synth.flat.device import draw_inner
from synth.flat.face import draw_face
from synth.flat.glass import draw_glass
from synth.flat.lettering import draw_print
from synth.flat.needle import draw_hand, draw_needle, draw_reset_knob
from synth.flat.pen import Pen, lighten
from synth.scene import Light, Pose, Wear
from synth.spec import DialSpec, Scale, ScaleArt, Vec, Zone, polar


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
            draw_face(pen, spec, half, wear, rng)
            for zone in spec.zones:
                draw_zone(pen, zone, spec.scale, spec.pivot)
            if spec.look.relief != 0:
                _relief(pen, spec)
            for further, look in spec.further_scales:
                draw_scale(pen, further, look, spec.pivot)
            draw_scale(pen, spec.scale, spec.art, spec.pivot)
            for line in spec.prints:
                draw_print(pen, line)
            if spec.inner is not None:
                draw_inner(pen, spec.inner)
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
        if not hand.above:
            draw_hand(pen, hand, spec.pivot, spec.scale.angle_at(hand.fraction), pose, light)
    draw_needle(pen, spec.needle, spec.pivot, spec.pointer_deg, pose, light)
    for hand in spec.hands:
        if hand.above:
            draw_hand(pen, hand, spec.pivot, spec.scale.angle_at(hand.fraction), pose, light)
    with pen.plane(pose.homography(0.0)):
        clip = (
            pen.clip_disc(0, 0, half, half * case.aspect)
            if case.shape == "round"
            else pen.clip_box(-half, -half * case.aspect, half, half * case.aspect, case.corner * 0.7)
        )
        with clip:
            if spec.reset_knob > 0:
                draw_reset_knob(pen, spec.pivot, spec.reset_knob, spec.needle.cap_color)
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


def _relief(pen: Pen, spec: DialSpec) -> None:
    """Light and shade beside raised (or below engraved) scale and print, lit from the upper left."""
    reach = spec.look.relief
    for shift, level in ((reach, -0.6), (-reach, 0.6)):
        shade = lighten(spec.face_color, level)
        pen.canvas.save()
        pen.canvas.translate(shift, shift)
        draw_scale(pen, spec.scale, replace(spec.art, color=shade, numeral_color=None), spec.pivot)
        for line in spec.prints:
            if not line.symbol and line.frame == "none":
                draw_print(pen, replace(line, color=shade))
        pen.canvas.restore()


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
