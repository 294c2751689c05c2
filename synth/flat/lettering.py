"""Lines of print: straight, vertical, curved along a rim, framed as logos are, on labels, or as drawn signs."""

from __future__ import annotations

import math

from synth.flat.pen import Pen
from synth.flat.symbols import draw_symbol
from synth.spec import Print, polar

PAPER = (236, 234, 226)
VERTICAL_PITCH = 1.12


def draw_print(pen: Pen, line: Print) -> None:
    """Draw one line in the face units of the plane that is set."""
    if line.curve > 0:
        _curved(pen, line)
    elif line.symbol:
        draw_symbol(pen, line)
    elif line.vertical:
        top = line.y - 0.5 * VERTICAL_PITCH * line.size * (len(line.text) - 1)
        for index, char in enumerate(line.text):
            y = top + index * VERTICAL_PITCH * line.size
            pen.text(char, line.x, y, line.size, line.font, line.color, 0.0, line.condensed, line.alpha)
    else:
        if line.frame != "none":
            _frame(pen, line)
        if line.tracking > 0:
            _spaced(pen, line)
        else:
            turn, thin = line.angle_deg, line.condensed
            pen.text(line.text, line.x, line.y, line.size, line.font, line.color, turn, thin, line.alpha, slant=line.slant)


def _spaced(pen: Pen, line: Print) -> None:
    """Letters with wider gaps, each drawn on its own."""
    gap = line.tracking * line.size
    widths = [pen.text_width(c, line.size, line.font, line.condensed) for c in line.text]
    cos, sin = math.cos(math.radians(line.angle_deg)), math.sin(math.radians(line.angle_deg))
    at = -0.5 * (sum(widths) + gap * (len(widths) - 1))
    for char, width in zip(line.text, widths, strict=True):
        along = at + 0.5 * width
        at += width + gap
        x, y = line.x + along * cos, line.y + along * sin
        pen.text(char, x, y, line.size, line.font, line.color, line.angle_deg, line.condensed, line.alpha, slant=line.slant)


def _frame(pen: Pen, line: Print) -> None:
    size, color = line.size, line.color
    text = pen.text_width(line.text, size, line.font, line.condensed) + line.tracking * size * max(0, len(line.text) - 1)
    half, tall, stroke = text / 2 + size * 0.35, size * 0.62, size * 0.1
    pen.canvas.save()
    pen.canvas.translate(line.x, line.y)
    pen.canvas.rotate(line.angle_deg)
    if line.frame in ("sticker", "label"):
        pen.box(-half, -tall, half, tall, line.fill or PAPER, 0.8)
    elif line.frame == "badge":
        pen.box(-half, -tall, half, tall, line.fill or PAPER, size * 0.12)
    elif line.frame == "oval":
        pen.canvas.drawOval(_rect(half + 0.25 * size, tall * 1.15), pen.paint(color, stroke=stroke))
    elif line.frame == "oval badge":
        pen.oval(0, 0, half + 0.25 * size, tall * 1.15, line.fill or PAPER)
    elif line.frame == "circle":
        pen.circle(0, 0, max(half * 0.95, tall * 0.95), color, stroke * 0.8)
    elif line.frame == "rhomb":
        wide, high = half * 1.35, max(tall * 1.5, half * 0.5)
        pen.polyline([(0, -high), (wide, 0), (0, high), (-wide, 0), (0, -high)], color, stroke * 0.8)
    elif line.frame == "underline":
        pen.box(-half, tall * 0.8, half, tall * 0.8 + stroke, color)
    elif line.frame == "swoosh":
        _swoosh(pen, line, half, tall)
    else:
        pen.box(-half, -tall, half, tall, color, stroke=stroke)
    pen.canvas.restore()


def _rect(wide: float, tall: float) -> object:
    import skia

    return skia.Rect.MakeLTRB(-wide, -tall, wide, tall)


def _swoosh(pen: Pen, line: Print, half: float, tall: float) -> None:
    """A stroke that swells below the word and runs up behind its end."""
    steps = [k / 12 for k in range(13)]
    low = [(-half + 2.1 * half * t, tall * (0.75 + 0.35 * math.sin(math.pi * t) - 0.9 * t * t)) for t in steps]
    high = [(x, y - line.size * 0.16 * math.sin(math.pi * t)) for (x, y), t in zip(low, steps, strict=True)]
    pen.polygon([*low, *reversed(high)], line.fill or line.color, 0.9)


def _curved(pen: Pen, line: Print) -> None:
    """Letters on a circle: upright at the top, and read from inside along the lower half."""
    lower = math.cos(math.radians(line.angle_deg)) > 0
    widths = [pen.text_width(c, line.size, line.font, line.condensed) for c in line.text]
    arcs = [math.degrees(w / line.curve) * 1.04 for w in widths]
    at = -sum(arcs) / 2
    for char, arc in zip(line.text, arcs, strict=True):
        middle = at + arc / 2
        at += arc
        if char == " ":
            continue
        angle = line.angle_deg - middle if lower else line.angle_deg + middle
        x, y = polar((line.x, line.y), line.curve, angle)
        turn = angle if lower else angle - 180.0
        pen.text(char, x, y, line.size, line.font, line.color, turn, line.condensed, line.alpha)
