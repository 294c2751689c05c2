"""Draws displays, counters, lamps and selectors."""

from __future__ import annotations

import math

import numpy as np

from synth.devices import CounterSpec, DigitalSpec, DisplayRow, LampSpec, SelectorSpec
from synth.flat.case import draw_case, face_half, shade_face
from synth.flat.glass import draw_glass
from synth.flat.lettering import draw_print
from synth.flat.pen import Pen, lighten, linear, radial, rgba
from synth.flat.segments import draw_segments, text_extent
from synth.scene import Light, Pose, Wear
from synth.spec import polar

WHITE = (255, 255, 255)


def draw_digital(pen: Pen, spec: DigitalSpec, pose: Pose, light: Light, wear: Wear, rng: np.random.Generator) -> None:
    case = spec.case
    if not spec.bare:
        draw_case(pen, case, pose, light, rng)
    x0, y0, x1, y1 = spec.window
    with pen.plane(pose.homography(0.0)):
        if not spec.bare and case.shape == "round":
            half = face_half(case)
            pen.disc(0, 0, half, (225, 228, 226))
        for line in () if spec.bare else spec.prints:
            draw_print(pen, line)
        for x, y, rx, ry, color in () if spec.bare else spec.buttons:
            pen.oval(x, y, rx, ry, lighten(color, -0.4), 0.8, 0.6)
            pen.oval(x, y - 0.5, rx * 0.92, ry * 0.9, color)
        for x, y, radius, color in () if spec.bare else spec.dots:
            pen.disc(x, y, radius, color)
        frame = 4.0
        pen.box(x0 - frame, y0 - frame, x1 + frame, y1 + frame, lighten(spec.case.bezel_color, float(rng.uniform(-0.7, -0.1))), 3)
        shade = linear(
            (x0, y0),
            (x1, y1),
            [
                rgba(lighten(spec.window_color, float(rng.uniform(0.0, 0.18)))),
                rgba(spec.window_color),
                rgba(lighten(spec.window_color, float(rng.uniform(-0.25, 0.0)))),
            ],
        )
        pen.box(x0, y0, x1, y1, spec.window_color, 1.5, shader=shade)
        with pen.clip_box(x0, y0, x1, y1, 1.5):
            _rows(pen, spec, rng)
            if not spec.led:
                pen.box(x0 - 2, y0 - 2, x1 + 2, y1 + 2, (0, 0, 0), alpha=light.shadow * 0.6, blur=2.5, stroke=6)
            pen.canvas.save()
            pen.canvas.translate((x0 + x1) / 2, (y0 + y1) / 2)
            draw_glass(pen, (x1 - x0) / 2, (y1 - y0) / 2, 0.5, light, wear, rng)
            pen.canvas.restore()


def _rows(pen: Pen, spec: DigitalSpec, rng: np.random.Generator) -> None:
    x0, y0, x1, y1 = spec.window
    pitch = (y1 - y0) / len(spec.rows)
    room = (x1 - x0) * (0.62 if any(row.unit_text for row in spec.rows) else 0.88)
    align_right = rng.random() < 0.7
    slots = max(len(_shown(row).replace(".", "")) for row in spec.rows) + int(rng.integers(0, 2))
    height = min(pitch * float(rng.uniform(0.5, 0.8)), room / text_extent("8" * slots, spec.stroke))
    cell = text_extent("8" * slots, spec.stroke) * height
    left = x0 + ((x1 - x0) * 0.06 if any(row.unit_text for row in spec.rows) else ((x1 - x0) - cell) / 2)
    for index, row in enumerate(spec.rows):
        top = y0 + pitch * (index + 0.5) - height / 2
        text = _shown(row)
        cells = len(text.replace(".", ""))
        padded = " " * (slots - cells) + text if align_right else text + " " * (slots - cells)
        style = (height, spec.stroke, spec.gap, spec.slant)
        if spec.ghost > 0:
            draw_segments(
                pen, "8" * slots, left, top, *style, spec.digit_color, spec.ghost * (1.0 if spec.led else 0.8), ghost=True
            )
        if not spec.lit:
            continue
        if spec.led:
            draw_segments(pen, padded, left, top, *style, spec.digit_color, 0.45, blur=height * 0.07)
            draw_segments(pen, padded, left, top, *style, spec.digit_color, 1.0)
        else:
            pen.canvas.save()
            pen.canvas.translate(height * 0.02, height * 0.025)
            draw_segments(pen, padded, left, top, *style, spec.digit_color, 0.22, blur=height * 0.015)
            pen.canvas.restore()
            draw_segments(pen, padded, left, top, *style, spec.digit_color, 0.92)
        if row.unit_text:
            size = min(height * 0.55, ((x1 - x0) * 0.94 - (left - x0) - cell) / (0.62 * max(2, len(row.unit_text))) * 1.0)
            pen.text(row.unit_text, (left + cell + x1) / 2, top + height - size * 0.4, size, "DejaVuSans.ttf", spec.digit_color)


def _shown(row: DisplayRow) -> str:
    return f"{row.lead} {row.digits}" if row.lead else row.digits


def draw_counter(pen: Pen, spec: CounterSpec, pose: Pose, light: Light, wear: Wear, rng: np.random.Generator) -> None:
    case = spec.case
    draw_case(pen, case, pose, light, rng)
    half = face_half(case)
    tall = half * case.aspect
    with pen.plane(pose.homography(0.0)):
        clip = pen.clip_disc(0, 0, half) if case.shape == "round" else pen.clip_box(-half, -tall, half, tall, 3)
        with clip:
            face = (238, 238, 234)
            pen.box(-half, -tall, half, tall, face)
            for line in spec.prints:
                draw_print(pen, line)
            middle = -12.0 if case.shape == "round" else 0.0
            wide = (70.0 if case.shape == "round" else 84.0) * 2 / len(spec.digits)
            wide = min(wide, 24.0)
            high, left = wide * float(rng.uniform(1.25, 1.6)), -wide * len(spec.digits) / 2
            pen.box(left - 3, middle - high / 2 - 3, left + wide * len(spec.digits) + 3, middle + high / 2 + 3, (25, 25, 25), 1.5)
            for index, digit in enumerate(spec.digits):
                _drum(pen, spec, index, int(digit), left + wide * (index + 0.5), middle, wide, high)
            if spec.decimals:
                x = left + wide * (len(spec.digits) - spec.decimals)
                pen.disc(x, middle + high / 2 - 1.0, 1.6, WHITE)
            for index in range(spec.subdials):
                x, y = (-54 + 36 * index), 44.0 - 7 * abs(index - 1.5) + 10
                pen.circle(x, y, 13, spec.decimal_color, 2.0)
                tip = polar((x, y), 11, float(rng.uniform(0, 360)))
                pen.segments([(x, y), tip], spec.decimal_color, 2.4)
            shade_face(pen, case, light, rng)
            draw_glass(pen, half, tall, 0.7, light, wear, rng)


def _drum(pen: Pen, spec: CounterSpec, index: int, digit: int, x: float, y: float, wide: float, high: float) -> None:
    decimal = index >= len(spec.digits) - spec.decimals
    back = spec.decimal_color if decimal else spec.drum_color
    ink = WHITE if decimal else spec.digit_color
    last = index == len(spec.digits) - 1
    shade = linear((x, y - high / 2), (x, y + high / 2), [rgba(lighten(back, f)) for f in (-0.6, 0.12, 0.12, -0.6)])
    x0, x1 = x - wide * 0.46, x + wide * 0.46
    with pen.clip_box(x0, y - high / 2, x1, y + high / 2):
        pen.box(x0, y - high / 2, x1, y + high / 2, back, shader=shade)
        shift = spec.shift * high if last else 0.0
        pen.text(str(digit), x, y - shift, high * 0.78, spec.font, ink)
        if last:
            pen.text(str((digit + 1) % 10), x, y - shift + high, high * 0.78, spec.font, ink)


def draw_lamp(pen: Pen, spec: LampSpec, pose: Pose, light: Light, wear: Wear, rng: np.random.Generator) -> None:
    del wear
    lit = spec.state != "off"
    lens = 100.0 - spec.ring
    with pen.plane(pose.homography(0.0)):
        turn = math.radians(light.shadow_deg)
        pen.disc(-14 * math.sin(turn), 14 * math.cos(turn), 100, (0, 0, 0), light.shadow, 4 + 8 * light.softness)
        rim = linear((-70, -70), (70, 70), [rgba(lighten(spec.ring_color, f)) for f in (0.5, 0.0, -0.5)])
        if spec.square:
            pen.box(-100, -100, 100, 100, spec.ring_color, 8, shader=rim)
        else:
            pen.disc(0, 0, 100, spec.ring_color, shader=rim)
            pen.circle(0, 0, lens + 1, (0, 0, 0), 2.5, 0.6)
        base = spec.lens_color if lit else lighten(spec.lens_color, -float(rng.uniform(0.5, 0.78)))
        if not lit and rng.random() < 0.25:
            level = int(rng.uniform(120, 215))
            base = (level, level, int(level * 0.97))
        centre = lighten(base, float(rng.uniform(0.45, 0.95)) if lit else 0.12)
        shader = radial(
            float(rng.normal(0, 6)),
            float(rng.normal(0, 6)),
            lens,
            [rgba(centre), rgba(base), rgba(lighten(base, -0.15 if lit else -0.4))],
            [0.0, float(rng.uniform(0.4, 0.8)), 1.0],
        )
        if spec.square:
            pen.box(-lens, -lens, lens, lens, base, 5, shader=shader)
        else:
            pen.disc(0, 0, lens, base, shader=shader)
        if spec.faceted:
            for k in range(1, 4):
                pen.circle(0, 0, lens * k / 4, lighten(base, 0.3 if k % 2 else -0.3), 2.5, 0.45)
        spot = lens * float(rng.uniform(0.12, 0.3))
        pen.oval(-lens * 0.35, -lens * 0.4, spot, spot * 0.6, WHITE, float(rng.uniform(0.15, 0.6)), 4)
        if lit and spec.glow > 0.3:
            reach = 100 * (1.1 + 0.9 * spec.glow)
            pen.disc(
                0,
                0,
                reach,
                spec.lens_color,
                shader=radial(
                    0,
                    0,
                    reach,
                    [rgba(spec.lens_color, 0.0), rgba(spec.lens_color, 0.45 * spec.glow), rgba(spec.lens_color, 0.0)],
                    [0.3, 0.55, 1.0],
                ),
            )
        for line in spec.prints:
            draw_print(pen, line)


def draw_selector(pen: Pen, spec: SelectorSpec, pose: Pose, light: Light, wear: Wear, rng: np.random.Generator) -> None:
    angle = spec.angles_deg[spec.position - 1] + spec.offset_deg
    with pen.plane(pose.homography(0.0)):
        shade = linear((-80, -80), (80, 80), [rgba(lighten(spec.plate_color, f)) for f in (0.12, 0.0, -0.15)])
        if spec.square:
            pen.box(-100, -100, 100, 100, spec.plate_color, 6, shader=shade)
            pen.box(-100, -100, 100, 100, lighten(spec.plate_color, -0.4), 6, stroke=1.5)
        else:
            pen.disc(0, 0, 100, spec.plate_color, shader=shade)
            pen.circle(0, 0, 99, lighten(spec.plate_color, -0.4), 1.8)
        for label, mark in zip(spec.labels, spec.angles_deg, strict=True):
            pen.segments([polar((0, 0), spec.knob + 3, mark), polar((0, 0), spec.knob + 9, mark)], spec.ink, 2.0)
            reach = spec.knob + 11 + spec.label_size * (0.35 + 0.22 * len(label) * abs(math.sin(math.radians(mark))))
            pen.text(label, *polar((0, 0), min(reach, 90), mark), spec.label_size, spec.font, spec.ink)
        for line in spec.prints:
            draw_print(pen, line)
        turn = math.radians(light.shadow_deg)
        pen.disc(-9 * math.sin(turn), 9 * math.cos(turn), spec.knob, (0, 0, 0), light.shadow + 0.15, 3 + 6 * light.softness)
    with pen.plane(pose.homography(6.0)):
        _knob(pen, spec, angle, rng)
    with pen.plane(pose.homography(9.0)):
        draw_glass(pen, 100, 100, 0.0, Light(), wear, rng)


def _knob(pen: Pen, spec: SelectorSpec, angle: float, rng: np.random.Generator) -> None:
    knob, color = spec.knob, spec.knob_color
    shine = linear((-knob, -knob), (knob, knob), [rgba(lighten(color, f)) for f in (0.35, 0.0, -0.35)])
    pen.disc(0, 0, knob, color, shader=shine)
    pen.circle(0, 0, knob, lighten(color, -0.5), 1.5, 0.7)
    pen.canvas.save()
    pen.canvas.rotate(angle + 180)  # from here on the knob points up
    top = lighten(color, 0.25)
    if spec.style == "bar":
        pen.box(-knob * 0.26, -knob * 0.98, knob * 0.26, knob * 0.98, top, knob * 0.1)
        pen.box(-knob * 0.05, -knob * 0.94, knob * 0.05, -knob * 0.3, spec.mark_color)
    elif spec.style == "pointer":
        pen.polygon(
            [
                (0, -knob * 1.08),
                (knob * 0.36, -knob * 0.45),
                (knob * 0.36, knob * 0.8),
                (-knob * 0.36, knob * 0.8),
                (-knob * 0.36, -knob * 0.45),
            ],
            top,
        )
        pen.box(-knob * 0.05, -knob * 1.0, knob * 0.05, -knob * 0.2, spec.mark_color)
    elif spec.style == "lever":
        pen.box(-knob * 0.2, -knob * 1.08, knob * 0.2, knob * 0.35, top, knob * 0.12)
        pen.box(-knob * 0.06, -knob * 1.04, knob * 0.06, -knob * 0.7, spec.mark_color)
    else:
        ribs = int(rng.integers(12, 30))
        for k in range(ribs):
            pen.segments(
                [polar((0, 0), knob * 0.88, 360 * k / ribs), polar((0, 0), knob, 360 * k / ribs)], lighten(color, -0.4), 1.6
            )
        pen.disc(0, 0, knob * 0.72, top)
        pen.box(-knob * 0.06, -knob * 0.95, knob * 0.06, -knob * 0.45, spec.mark_color)
    pen.canvas.restore()
