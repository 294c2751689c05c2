"""What lies on the glass: reflections, flash, dirt, scratches, fog and a filling liquid's level."""

from __future__ import annotations

import math

import numpy as np

from synth.draw import near
from synth.flat.pen import Pen, linear, radial, rgba
from synth.scene import Light, Wear

WHITE = (255, 255, 255)
FOG = (200, 205, 205)


def draw_glass(pen: Pen, half: float, tall: float, glass: float, light: Light, wear: Wear, rng: np.random.Generator) -> None:
    """Drawn in face units, clipped to the glass by the caller; strengths come from light and wear."""
    if wear.liquid:
        _liquid(pen, half, tall, rng)
    if wear.fog > 0:
        _fog(pen, half, tall, wear.fog, rng)
    if light.veil > 0 and glass > 0:
        _veil(pen, half, tall, light.veil * glass, rng)
    for _ in range(light.glare_count):
        _reflection(pen, half, light.glare * glass, rng)
    if light.ring > 0 and glass > 0:
        _ring(pen, half, light.ring * glass, rng)
    if light.flash:
        _flash(pen, half, 0.5 + 0.45 * glass, rng)
    _dirt(pen, half, tall, wear, rng)
    if wear.dust > 0:
        _dust(pen, half, tall, wear.dust, rng)
    if wear.drops > 0:
        _drops(pen, half, tall, wear.drops, rng)
    color = (int(rng.integers(20, 250)), int(rng.integers(20, 250)), int(rng.integers(20, 250)))
    for _ in range(wear.paint):  # small, and near the rim: what hides print would hide the label
        turn, size = float(rng.uniform(0, 2 * math.pi)), half * float(rng.uniform(0.006, 0.03))
        pen.disc(0.93 * half * math.cos(turn), 0.93 * tall * math.sin(turn), size, color)


def _liquid(pen: Pen, half: float, tall: float, rng: np.random.Generator) -> None:
    """A filling of glycerine: a yellowish tint up to its level, the level's dark line, a bubble under the glass."""
    level = tall * (rng.uniform(-0.9, -0.55) if rng.random() < 0.75 else rng.uniform(-0.55, -0.2))
    pen.box(-half, level, half, tall, (190, 170, 90), alpha=float(rng.uniform(0.03, 0.14)))
    # The level climbs at the glass: a curve that turns up at its ends, dark above and bright below.
    climb, tilt = half * float(rng.uniform(0.0, 0.09)), half * float(rng.normal(0, 0.015))
    steps = [k / 8 - 1 for k in range(17)]
    line = [(half * t, level + tilt * t - climb * t**4 + 0.3 * climb) for t in steps]
    for shift, color, width, alpha in ((0.0, (50, 45, 25), 1.2, 0.5), (1.4, WHITE, 1.3, 0.4), (2.8, (70, 62, 40), 0.6, 0.3)):
        pen.polyline([(x, y + shift) for x, y in line], color, width, alpha)
    for _ in range(int(rng.integers(0, 4))):
        x, y, size = (
            half * float(rng.uniform(-0.7, 0.7)),
            level + half * float(rng.uniform(0.05, 0.35)),
            half * min(0.13, 0.012 + float(rng.exponential(0.035))),
        )
        shade = linear((x, y - size), (x, y + size), [rgba((30, 28, 20), 0.28), rgba(WHITE, 0.05), rgba(WHITE, 0.3)])
        pen.disc(x, y, size, WHITE, shader=shade)
        pen.circle(x, y, size, (40, 38, 30), 0.8, 0.5)
        pen.disc(x - size * 0.35, y - size * 0.4, size * 0.2, WHITE, 0.8)


def _fog(pen: Pen, half: float, tall: float, strength: float, rng: np.random.Generator) -> None:
    """Condensation behind the glass: even, or thick on one side."""
    if rng.random() < 0.4:
        pen.box(-half, -tall, half, tall, FOG, alpha=0.45 * strength)
        return
    turn = rng.uniform(0, 2 * math.pi)
    start, end = (half * math.cos(turn), half * math.sin(turn)), (-half * math.cos(turn), -half * math.sin(turn))
    pen.box(-half, -tall, half, tall, FOG, shader=linear(start, end, [rgba(FOG, 0.6 * strength), rgba(FOG, 0.12 * strength)]))


def _veil(pen: Pen, half: float, tall: float, strength: float, rng: np.random.Generator) -> None:
    """The room in the glass: bright window panes, the outline of who takes the photo, or shelves and lamps."""
    alpha, kind = strength * float(rng.uniform(0.5, 1.0)), rng.random()
    tint = near(rng, (225, 230, 240), 12)
    if kind < 0.4:  # a window of several panes
        columns, rows = int(rng.integers(1, 4)), int(rng.integers(1, 4))
        x0, y0, pane = (
            half * float(rng.uniform(-0.9, 0.1)),
            tall * float(rng.uniform(-0.9, 0.0)),
            half * float(rng.uniform(0.16, 0.42)),
        )
        lean = float(rng.normal(0, 0.15))
        for column in range(columns):
            for row in range(rows):
                x, y = x0 + column * pane * 1.12 + lean * row * pane, y0 + row * pane * 1.3
                pen.polygon(
                    [(x, y), (x + pane, y), (x + pane + lean * pane, y + 1.2 * pane), (x + lean * pane, y + 1.2 * pane)],
                    tint,
                    alpha,
                )
    elif kind < 0.75:  # a bright room, and a dark figure with a camera before it
        pen.box(-half, -tall, half, tall, tint, alpha=alpha * 0.6)
        x, size = half * float(rng.uniform(-0.3, 0.3)), half * float(rng.uniform(0.14, 0.3))
        y = tall * float(rng.uniform(-0.3, 0.4))
        dark, shade = (25, 24, 28), alpha * 0.9
        pen.oval(x, y, size * 0.8, size, dark, shade)
        pen.polygon(
            [(x - size * 2.1, tall), (x - size * 1.7, y + 1.5 * size), (x + size * 1.7, y + 1.5 * size), (x + size * 2.1, tall)],
            dark,
            shade,
        )
    else:  # lamps and edges of a hall
        for _ in range(int(rng.integers(2, 6))):
            y, slope = tall * float(rng.uniform(-1, 1)), float(rng.normal(0, 0.25)) * half
            pen.polyline([(-half, y - slope), (half, y + slope)], tint, half * float(rng.uniform(0.01, 0.09)), alpha)


def _ring(pen: Pen, half: float, strength: float, rng: np.random.Generator) -> None:
    """The reflection of a ring of diodes about the lens."""
    x, y = (float(v) for v in rng.uniform(-0.35, 0.35, 2) * half)
    radius, count = half * float(rng.uniform(0.12, 0.5)), int(rng.integers(8, 28))
    if rng.random() < 0.4:
        pen.circle(x, y, radius, WHITE, half * 0.03, 0.8 * strength)
        return
    for k in range(count):
        turn = 2 * math.pi * k / count
        pen.disc(x + radius * math.cos(turn), y + radius * math.sin(turn), half * 0.018, WHITE, 0.9 * strength)


def _flash(pen: Pen, half: float, strength: float, rng: np.random.Generator) -> None:
    x, y = (float(v) for v in rng.uniform(-0.6, 0.6, 2) * half)
    size = half * float(rng.uniform(0.1, 0.35)) * 2.2
    colors = [rgba(WHITE, strength), rgba(WHITE, strength * 0.75), rgba(WHITE, 0.0)]
    pen.disc(x, y, size, WHITE, shader=radial(x, y, size, colors, [0.0, 0.3, 1.0]))


def _dust(pen: Pen, half: float, tall: float, strength: float, rng: np.random.Generator) -> None:
    """A grey film that lies thicker below, and specks."""
    film = linear((0, -tall), (0, tall), [rgba((150, 140, 122), 0.05 * strength), rgba((150, 140, 122), 0.42 * strength)])
    pen.box(-half, -tall, half, tall, (0, 0, 0), shader=film)
    for level, width in ((210, 0.5), (70, 0.7)):
        spots = rng.uniform(-1, 1, (int(20 + 120 * strength), 2)) * (half, tall)
        pen.dots([(float(x), float(y)) for x, y in spots], (level, level, level), width, 0.6)


def _drops(pen: Pen, half: float, tall: float, strength: float, rng: np.random.Generator) -> None:
    """Condensed water: small lenses with a bright edge below and a dark one above."""
    for _ in range(int(8 + 60 * strength)):
        x, y = float(rng.uniform(-half, half)), float(rng.uniform(-tall, tall))
        size = min(5.0, float(rng.exponential(1.3)) + 0.4)
        pen.disc(x, y, size, (20, 24, 28), 0.25)
        pen.disc(x, y + size * 0.25, size * 0.75, (235, 238, 240), 0.3)
        pen.disc(x - size * 0.3, y - size * 0.35, size * 0.22, WHITE, 0.8)


def _reflection(pen: Pen, half: float, strength: float, rng: np.random.Generator) -> None:
    kind, alpha = rng.random(), strength * rng.uniform(0.25, 1.0)
    blur = half * rng.choice([0.005, 0.02, 0.06, 0.12])
    x, y = rng.uniform(-0.8, 0.8, 2) * half
    tint = near(rng, (245, 245, 245), 10)
    if kind < 0.3:
        pen.oval(x, y, half * rng.uniform(0.05, 0.45), half * rng.uniform(0.04, 0.25), tint, alpha, blur)
    elif kind < 0.6:  # a window: a skewed quadrangle, sometimes with its bars
        size, turn = half * rng.uniform(0.15, 0.6), rng.uniform(0, math.pi)
        cosine, sine = math.cos(turn), math.sin(turn)
        corners = [(-1.0, -0.6), (1.0, -0.6 + rng.normal(0, 0.2)), (1.0, 0.6), (-1.0, 0.6 + rng.normal(0, 0.2))]
        points = [(x + size * (u * cosine - v * sine), y + size * (u * sine + v * cosine)) for u, v in corners]
        pen.polygon(points, tint, alpha * 0.8, blur)
        if rng.random() < 0.4:  # its bars
            for first, second in (((0, 1), (3, 2)), ((0, 3), (1, 2))):
                ends = [((points[i][0] + points[j][0]) / 2, (points[i][1] + points[j][1]) / 2) for i, j in (first, second)]
                pen.polyline(ends, (60, 64, 70), size * 0.07, alpha * 0.7)
    elif kind < 0.8:  # a band across
        turn = rng.uniform(0, math.pi)
        dx, dy = math.cos(turn) * 2.5 * half, math.sin(turn) * 2.5 * half
        wide = half * float(rng.uniform(0.05, 0.4))
        for k in (-1, 0, 1):  # three widths stand for a blurred edge
            pen.polyline([(x - dx, y - dy), (x + dx, y + dy)], tint, max(0.5, wide + k * blur), alpha * 0.22)
    elif kind < 0.92:  # a crescent along the rim
        start, extent = rng.uniform(0, 360), rng.uniform(20, 110)
        angles = np.radians(np.linspace(start, start + extent, 14))
        radius = half * rng.uniform(0.8, 0.95)
        pen.polyline(
            [(radius * math.cos(a), radius * math.sin(a)) for a in angles.tolist()],
            tint,
            half * rng.uniform(0.02, 0.1),
            alpha,
            blur,
        )
    else:  # light falling off over the whole glass
        turn = rng.uniform(0, 2 * math.pi)
        near_end, far_end = (
            (half * math.cos(turn), half * math.sin(turn)),
            (-0.3 * half * math.cos(turn), -0.3 * half * math.sin(turn)),
        )
        pen.disc(0, 0, half * 1.5, WHITE, shader=linear(near_end, far_end, [rgba(tint, alpha * 0.8), rgba(tint, 0.0)]))


def _dirt(pen: Pen, half: float, tall: float, wear: Wear, rng: np.random.Generator) -> None:
    if wear.dirt > 0:
        for _ in range(int(3 + 18 * wear.dirt)):
            x, y = rng.uniform(-1, 1) * half, rng.uniform(-1, 1) * tall
            level = int(rng.uniform(20, 190))
            size = float(rng.exponential(1.0 + 3.5 * wear.dirt))
            pen.oval(
                x,
                y,
                size,
                size * rng.uniform(0.4, 1.2),
                (level, level, int(level * 0.85)),
                float(rng.uniform(0.15, 0.6)),
                size * 0.15,
            )
        if rng.random() < 0.5:
            x, y = rng.uniform(-1, 1, 2) * half
            pen.oval(
                x, y, half * rng.uniform(0.2, 0.7), half * rng.uniform(0.1, 0.4), (110, 100, 80), 0.25 * wear.dirt, half * 0.08
            )
    for _ in range(wear.scratches):
        x, y, turn = rng.uniform(-half, half), rng.uniform(-tall, tall), rng.uniform(0, math.pi)
        length = half * rng.uniform(0.1, 0.8)
        bend = rng.normal(0, 0.08) * length
        points = [
            (x, y),
            (x + math.cos(turn) * length / 2 + bend, y + math.sin(turn) * length / 2),
            (x + math.cos(turn) * length, y + math.sin(turn) * length),
        ]
        level = int(rng.choice([250, 40]))
        pen.polyline(points, (level, level, level), float(rng.uniform(0.25, 0.8)), float(rng.uniform(0.2, 0.6)))
