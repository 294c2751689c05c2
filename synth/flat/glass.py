"""What lies on the glass: reflections, flash, dirt, scratches, fog and a filling liquid's level."""

from __future__ import annotations

import math

import numpy as np

from synth.draw import near
from synth.flat.pen import Pen, linear, radial, rgba
from synth.scene import Light, Wear

WHITE = (255, 255, 255)


def draw_glass(pen: Pen, half: float, tall: float, glass: float, light: Light, wear: Wear, rng: np.random.Generator) -> None:
    """Drawn in face units, clipped to the glass by the caller; strengths come from light and wear."""
    if wear.liquid:
        level = tall * rng.uniform(-0.85, -0.3)
        pen.box(-half, level, half, tall, (190, 170, 90), alpha=0.12)
        pen.box(-half, level - 0.8, half, level + 0.8, (60, 50, 20), alpha=0.35, blur=0.4)
        if rng.random() < 0.5:
            pen.circle(float(rng.uniform(-20, 20)), level + 8, 5, WHITE, 1.0, 0.4, 0.4)
    if wear.fog > 0:
        pen.box(-half, -tall, half, tall, (200, 205, 205), alpha=0.45 * wear.fog)
    for _ in range(light.glare_count):
        _reflection(pen, half, light.glare * glass, rng)
    if light.flash:
        x, y = rng.uniform(-0.6, 0.6, 2) * half
        size = half * rng.uniform(0.1, 0.35)
        pen.disc(
            x,
            y,
            size * 2.2,
            WHITE,
            shader=radial(x, y, size * 2.2, [rgba(WHITE, 0.95), rgba(WHITE, 0.75), rgba(WHITE, 0.0)], [0.0, 0.3, 1.0]),
        )
    _dirt(pen, half, tall, wear, rng)


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
    elif kind < 0.8:  # a band across
        turn = rng.uniform(0, math.pi)
        dx, dy = math.cos(turn) * 2.5 * half, math.sin(turn) * 2.5 * half
        pen.polyline([(x - dx, y - dy), (x + dx, y + dy)], tint, half * rng.uniform(0.05, 0.4), alpha * 0.6, blur)
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
