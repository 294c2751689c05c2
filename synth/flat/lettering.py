"""Lines of print: straight, curved along a rim, framed, on a sticker, or in invented ideographs."""

from __future__ import annotations

import math

import numpy as np

from synth.flat.pen import Pen
from synth.spec import Print, Vec, polar

PAPER = (236, 234, 226)


def draw_print(pen: Pen, line: Print) -> None:
    """Draw one line in the face units of the plane that is set."""
    if line.curve > 0:
        _curved(pen, line)
        return
    if line.frame != "none":
        _frame(pen, line)
    if line.strokes_seed:
        _ideographs(pen, line)
        return
    pen.text(line.text, line.x, line.y, line.size, line.font, line.color, line.angle_deg, line.condensed)


def _frame(pen: Pen, line: Print) -> None:
    half = pen.text_width(line.text, line.size, line.font, line.condensed) / 2 + line.size * 0.35
    tall = line.size * 0.62
    pen.canvas.save()
    pen.canvas.translate(line.x, line.y)
    pen.canvas.rotate(line.angle_deg)
    if line.frame == "sticker":
        pen.box(-half, -tall, half, tall, PAPER, 0.8)
    else:
        pen.box(-half, -tall, half, tall, line.color, stroke=line.size * 0.1)
    pen.canvas.restore()


def _curved(pen: Pen, line: Print) -> None:
    """Letters on a circle: upright at the top, and read from inside along the lower half."""
    lower = math.cos(math.radians(line.angle_deg)) > 0
    widths = [pen.text_width(c, line.size, line.font, line.condensed) for c in line.text]
    arcs = [math.degrees(w / line.curve) * 1.04 for w in widths]
    at = -sum(arcs) / 2
    for char, arc in zip(line.text, arcs, strict=True):
        middle = at + arc / 2
        at += arc
        angle = line.angle_deg - middle if lower else line.angle_deg + middle
        x, y = polar((line.x, line.y), line.curve, angle)
        turn = angle if lower else angle - 180.0
        pen.text(char, x, y, line.size, line.font, line.color, turn, line.condensed)


def _ideographs(pen: Pen, line: Print) -> None:
    """Square signs of a few strokes each: a look, not a language."""
    rng = np.random.default_rng(line.strokes_seed)
    pitch = line.size * 1.12
    left = line.x - pitch * (len(line.text) - 1) / 2
    for index in range(len(line.text)):
        x, half = left + pitch * index, line.size * 0.44
        ends: list[Vec] = []
        for height in np.sort(rng.uniform(-1, 1, int(rng.integers(2, 5)))).tolist():
            start, end = sorted(rng.uniform(-1, 1, 2).tolist())
            ends += [(x + half * min(start, -0.3), line.y + half * height), (x + half * max(end, 0.3), line.y + half * height)]
        for across in rng.uniform(-0.9, 0.9, int(rng.integers(1, 4))).tolist():
            top, low = sorted(rng.uniform(-1, 1, 2).tolist())
            ends += [(x + half * across, line.y + half * min(top, -0.2)), (x + half * across, line.y + half * max(low, 0.3))]
        for side in (-1, 1):
            if rng.random() < 0.5:
                ends += [(x, line.y + half * float(rng.uniform(-0.5, 0.3))), (x + side * half, line.y + half)]
        pen.segments(ends, line.color, max(0.3, line.size * 0.085))
