"""Draws displays: the device's front, the window, its digits as light or as liquid crystal, and signs in it."""

from __future__ import annotations

import math

import numpy as np

from synth.devices import DigitalSpec, Icon
from synth.display import Line, cells, lines, window_units
from synth.flat.case import draw_case, face_half
from synth.flat.glass import draw_glass
from synth.flat.lettering import draw_print
from synth.flat.pen import Pen, lighten, linear, radial, rgba
from synth.flat.segments import draw_dots, draw_segments
from synth.fonts import SYMBOL_SAFE
from synth.scene import Light, Pose, Wear
from synth.spec import Color

BLACK: Color = (0, 0, 0)
WHITE: Color = (255, 255, 255)


def draw_digital(pen: Pen, spec: DigitalSpec, pose: Pose, light: Light, wear: Wear, rng: np.random.Generator) -> None:
    """A device with a display, or the bare window of one."""
    if not spec.bare:
        draw_case(pen, spec.case, pose, light, rng)
    x0, y0, x1, y1 = spec.window
    with pen.plane(pose.homography(0.0)):
        if not spec.bare:
            _front(pen, spec, light)
        if spec.frame > 0:
            _frame(pen, spec)
        levels = (float(rng.uniform(0.0, 0.18)), 0.0, float(rng.uniform(-0.25, 0.0)))
        shade = linear((x0, y0), (x1, y1), [rgba(lighten(spec.window_color, level)) for level in levels])
        pen.box(x0, y0, x1, y1, spec.window_color, 1.5, shader=shade)
        with pen.clip_box(x0, y0, x1, y1, 1.5):
            if spec.backlight > 0:
                _backlight(pen, spec, rng)
            strength = 1.0 if spec.led else _slanted(spec.contrast, pose)
            _digits(pen, spec, strength)
            if not spec.led:
                pen.box(x0 - 2, y0 - 2, x1 + 2, y1 + 2, BLACK, alpha=light.shadow * 0.6, blur=2.5, stroke=6)
            pen.canvas.save()
            pen.canvas.translate((x0 + x1) / 2, (y0 + y1) / 2)
            draw_glass(pen, (x1 - x0) / 2, (y1 - y0) / 2, 0.5, light, wear, rng)
            pen.canvas.restore()


def _slanted(contrast: float, pose: Pose) -> float:
    """A liquid crystal loses contrast where it is seen at a slant."""
    return contrast * (1.0 - 0.45 * math.pow(min(1.0, pose.tilt_deg / 60.0), 1.5))


def _front(pen: Pen, spec: DigitalSpec, light: Light) -> None:
    case = spec.case
    if case.shape == "round":
        half = face_half(case)
        face = lighten(case.bezel_color, 0.55) if sum(case.bezel_color) > 250 else case.bezel_color
        shade = linear((-half, -half), (half, half), [rgba(lighten(face, f)) for f in (0.2, 0.0, -0.12)])
        pen.disc(0, 0, half, face, shader=shade)
    for line in spec.prints:
        draw_print(pen, line)
    turn = math.radians(light.shadow_deg)
    for x, y, rx, ry, color in spec.buttons:
        shift = (-1.2 * math.sin(turn), 1.2 * math.cos(turn))
        if spec.round_buttons:
            pen.oval(x + shift[0], y + shift[1], rx * 1.04, ry * 1.04, BLACK, light.shadow + 0.2, 0.9)
            pen.oval(x, y, rx, ry, lighten(color, -0.35))
            pen.oval(x, y - 0.4, rx * 0.9, ry * 0.88, color)
            pen.oval(x - rx * 0.25, y - ry * 0.4, rx * 0.4, ry * 0.25, WHITE, 0.25, 0.8)
        else:
            pen.box(
                x - rx + shift[0], y - ry + shift[1], x + rx + shift[0], y + ry + shift[1], BLACK, 1.5, light.shadow + 0.2, 0.9
            )
            pen.box(x - rx, y - ry, x + rx, y + ry, lighten(color, -0.35), 1.6)
            pen.box(x - rx * 0.93, y - ry * 0.93, x + rx * 0.93, y + ry * 0.85, color, 1.5)
    for x, y, radius, color in spec.dots:
        bright = max(color) > 150
        if bright:
            pen.disc(x, y, radius * 2.4, color, 0.28, radius)
        pen.disc(x, y, radius * 1.18, BLACK, 0.5)
        core = [rgba(lighten(color, 0.75 if bright else 0.2)), rgba(color), rgba(lighten(color, -0.1 if bright else -0.4))]
        pen.disc(x, y, radius, color, shader=radial(x - radius * 0.2, y - radius * 0.2, radius, core, [0.0, 0.55, 1.0]))


def _frame(pen: Pen, spec: DigitalSpec) -> None:
    x0, y0, x1, y1 = spec.window
    f = spec.frame
    pen.box(x0 - f, y0 - f, x1 + f, y1 + f, spec.frame_color, 3)
    pen.box(x0 - f, y0 - f, x1 + f, y1 + f, lighten(spec.frame_color, -0.5), 3, 0.6, stroke=0.8)
    pen.box(x0 - 0.9, y0 - 0.9, x1 + 0.9, y1 + 0.9, lighten(spec.frame_color, 0.25), 1.8, 0.6, stroke=0.9)


def _backlight(pen: Pen, spec: DigitalSpec, rng: np.random.Generator) -> None:
    """Brighter near the lamps at one side, darker in the corners."""
    x0, y0, x1, y1 = spec.window
    x, y = x0 + (x1 - x0) * float(rng.uniform(0.1, 0.9)), y0 + (y1 - y0) * float(rng.uniform(0.2, 0.8))
    glow = [rgba(WHITE, 0.4 * spec.backlight), rgba(WHITE, 0.1 * spec.backlight), rgba(BLACK, 0.22 * spec.backlight)]
    pen.box(x0, y0, x1, y1, WHITE, shader=radial(x, y, (x1 - x0) * 0.75, glow, [0.0, 0.5, 1.0]))


def _cells(pen: Pen, spec: DigitalSpec, line: Line, color: Color, alpha: float, blur: float = 0.0, ghost: bool = False) -> None:
    text = "8" * cells(line.text) if ghost else line.text
    if spec.digit_style == "dots":
        draw_dots(pen, text, line.left, line.top, line.height, color, alpha, blur, ghost, spec.led)
    elif spec.digit_style == "type":
        _typed(pen, spec, line, color, alpha, blur)
    else:
        look = (line.height, spec.stroke, spec.gap, spec.slant)
        fourteen = spec.digit_style == "fourteen"
        draw_segments(pen, text, line.left, line.top, *look, color, alpha, blur, ghost, fourteen)


def _typed(pen: Pen, spec: DigitalSpec, line: Line, color: Color, alpha: float, blur: float) -> None:
    """A typeface, as pixel screens show it, closed up at the side of its row."""
    text = line.text.strip()
    wide = cells(line.text) * 0.72 * line.height - 0.16 * line.height
    size = line.height * 1.32
    length = pen.text_width(text, size, spec.font)
    condensed = min(1.0, wide / max(length, 1e-6))
    length *= condensed
    x = line.left + (wide - length / 2 if spec.align_right else length / 2)
    pen.text(text, x, line.top + line.height / 2, size, spec.font, color, 0.0, condensed, alpha, blur)


def _digits(pen: Pen, spec: DigitalSpec, strength: float) -> None:
    placed = lines(spec)
    ghostly = spec.ghost > 0 and spec.digit_style != "type"
    for line in placed if ghostly else ():
        level = spec.ghost if spec.led else min(spec.ghost * 0.8, 0.4 * strength)
        _cells(pen, spec, line, line.row.color or spec.digit_color, level, ghost=True)
    if not spec.lit:
        return
    for line in placed:
        ink, row = line.row.color or spec.digit_color, line.row
        if spec.led:
            _cells(pen, spec, line, ink, 0.5, line.height * 0.07)
            _cells(pen, spec, line, lighten(ink, 0.18), 1.0)
        else:
            pen.canvas.save()
            pen.canvas.translate(line.height * 0.02, line.height * 0.025)
            _cells(pen, spec, line, ink, 0.22 * strength)
            pen.canvas.restore()
            _cells(pen, spec, line, ink, 0.94 * strength)
        if row.label and row.label_shown:
            pen.text(row.label, *_label_spot(spec, line), line.height * 0.34, SYMBOL_SAFE, ink, alpha=0.9 * strength)
    for unit in window_units(spec):
        pen.text(unit.text, unit.x, unit.y, unit.size, unit.font, unit.color, alpha=strength)
    for icon in spec.icons:
        _icon(pen, icon, spec.digit_color, spec.window_color, strength)


def _label_spot(spec: DigitalSpec, line: Line) -> tuple[float, float]:
    x0 = spec.window[0]
    return (x0 + line.left) / 2, line.top + line.height * 0.72


def _icon(pen: Pen, icon: Icon, ink: Color, ground: Color, strength: float) -> None:
    x, y, size = icon.x, icon.y, icon.size
    if icon.kind in ("word", "boxed"):
        if icon.kind == "boxed":
            half = pen.text_width(icon.text, size, SYMBOL_SAFE) / 2 + size * 0.25
            pen.box(x - half, y - size * 0.62, x + half, y + size * 0.62, ink, size * 0.1, strength)
        pen.text(icon.text, x, y, size, SYMBOL_SAFE, ground if icon.kind == "boxed" else ink, alpha=strength)
    elif icon.kind == "bars":
        count = 10
        for k in range(count):
            left = x - size * 5 + size * k
            pen.box(
                left,
                y - size * 0.5,
                left + size * 0.7,
                y + size * 0.5,
                ink,
                0.0,
                strength * (1.0 if k < icon.level * count else 0.12),
            )
    elif icon.kind == "battery":
        pen.box(x - size, y - size * 0.5, x + size, y + size * 0.5, ink, 0.3, strength, stroke=size * 0.16)
        pen.box(x + size, y - size * 0.22, x + size * 1.25, y + size * 0.22, ink, 0.0, strength)
        pen.box(x - size * 0.8, y - size * 0.3, x - size * 0.8 + size * 1.6 * icon.level, y + size * 0.3, ink, 0.0, strength)
    elif icon.kind == "arrow":
        pen.polygon([(x, y - size * 0.6), (x + size * 0.6, y + size * 0.5), (x - size * 0.6, y + size * 0.5)], ink, strength)
    else:
        rays = 8 if icon.kind == "sun" else 6
        ends = []
        for k in range(rays):
            turn = 2 * math.pi * k / rays
            inner = size * 0.45 if icon.kind == "sun" else 0.0
            ends += [
                (x + inner * math.cos(turn), y + inner * math.sin(turn)),
                (x + size * math.cos(turn), y + size * math.sin(turn)),
            ]
        pen.segments(ends, ink, size * 0.16)
        if icon.kind == "sun":
            pen.disc(x, y, size * 0.34, ink, strength)
