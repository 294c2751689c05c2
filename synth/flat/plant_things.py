"""Things of a plant that are no instruments: valve wheels, knobs, signs, bolts, flanges, plates, labels, buttons, drains."""

from __future__ import annotations

import numpy as np

from synth import words
from synth.draw import any_color, gray, near, pick
from synth.flat.pen import Pen, lighten, linear, radial, rgba, sweep
from synth.fonts import BOLD, SANS
from synth.spec import Color, polar

Rng = np.random.Generator


def draw_wheel(pen: Pen, rng: Rng) -> None:
    """The hand wheel of a valve."""
    color: Color = pick(rng, ((190, 30, 30), (40, 70, 160), (30, 120, 60), (60, 60, 60), (210, 170, 40)))
    color = near(rng, color, 15)
    pen.circle(0, 0, 86, lighten(color, -0.3), 20)
    pen.circle(-1, -1, 87, color, 14)
    count = int(rng.integers(3, 7))
    first = rng.uniform(0, 360)
    for k in range(count):
        pen.segments([(0, 0), polar((0, 0), 84, first + 360 * k / count)], lighten(color, -0.15), float(rng.uniform(8, 16)))
    pen.disc(0, 0, 22, lighten(color, -0.1))
    pen.disc(0, 0, 10, (120, 120, 120))


def draw_knob(pen: Pen, rng: Rng) -> None:
    """A ribbed knob seen from above."""
    color = gray(rng, 10, 200) if rng.random() < 0.7 else any_color(rng)
    pen.disc(0, 0, 100, color, shader=linear((-80, -80), (80, 80), [rgba(lighten(color, f)) for f in (0.4, 0.0, -0.4)]))
    ribs = int(rng.integers(10, 40))
    ends = [polar((0, 0), away, 360 * k / ribs) for k in range(ribs) for away in (88, 100)]
    pen.segments(ends, lighten(color, -0.5), 3)
    pen.disc(0, 0, 60, lighten(color, 0.1))


def draw_lid(pen: Pen, rng: Rng) -> None:
    """A turned lid or cap, at times with its maker on it."""
    color = gray(rng, 40, 235) if rng.random() < 0.6 else any_color(rng)
    waves = [rgba(lighten(color, float(f))) for f in rng.uniform(-0.4, 0.5, 8)]
    pen.disc(0, 0, 100, color, shader=sweep(0, 0, [*waves, waves[0]]))
    for _ in range(int(rng.integers(1, 5))):
        pen.circle(
            0, 0, float(rng.uniform(10, 98)), lighten(color, float(rng.uniform(-0.6, 0.5))), float(rng.uniform(1, 10)), 0.7
        )
    if rng.random() < 0.4:
        pen.text(words.brand(rng), 0, 0, 22, pick(rng, BOLD), lighten(color, -0.6))


def draw_sign(pen: Pen, rng: Rng) -> None:
    """A warning sign or a plate with a word."""
    color: Color = pick(rng, ((240, 200, 30), (210, 35, 35), (30, 90, 180), (30, 140, 70), (240, 240, 240)))
    ink = (20, 20, 20) if sum(color) > 380 else (250, 250, 250)
    kind = rng.random()
    if kind < 0.35:
        pen.polygon([(0, -98), (98, 78), (-98, 78)], (20, 20, 20))
        pen.polygon([(0, -80), (82, 68), (-82, 68)], (245, 205, 40))
        pen.text("!", 0, 20, 95, "DejaVuSans-Bold.ttf", (20, 20, 20))
        return
    if kind < 0.65:
        pen.disc(0, 0, 98, color)
        pen.circle(0, 0, 88, ink, 6)
    else:
        pen.box(-98, -60, 98, 60, color, 8)
        pen.box(-92, -54, 92, 54, ink, 6, stroke=3)
    pen.text(pick(rng, words.LABELS), 0, 0, 24, pick(rng, BOLD), ink)


def draw_bolt(pen: Pen, rng: Rng) -> None:
    """The head of a hexagon bolt."""
    color = gray(rng, 60, 190)
    pen.disc(
        0, 0, 100, lighten(color, -0.3), shader=radial(-20, -30, 120, [rgba(lighten(color, 0.3)), rgba(lighten(color, -0.4))])
    )
    first = rng.uniform(0, 60)
    hexagon = [polar((0, 0), 72, first + 60 * k) for k in range(6)]
    pen.polygon(hexagon, color, shader=linear((-60, -60), (60, 60), [rgba(lighten(color, f)) for f in (0.45, 0.0, -0.35)]))
    pen.circle(0, 0, 50, lighten(color, 0.3), 3, 0.6)


def draw_flange(pen: Pen, rng: Rng) -> None:
    """A pipe flange with its bolts."""
    color = gray(rng, 50, 200) if rng.random() < 0.7 else any_color(rng)
    pen.disc(0, 0, 100, color, shader=linear((-80, -80), (80, 80), [rgba(lighten(color, f)) for f in (0.3, 0.0, -0.4)]))
    count = int(rng.integers(4, 13))
    for k in range(count):
        x, y = polar((0, 0), 78, 360 * k / count)
        pen.disc(x, y, 10, lighten(color, -0.5))
        pen.disc(x - 1, y - 1, 8, lighten(color, 0.2))
    hole = rng.uniform(25, 58)
    pen.disc(0, 0, hole, lighten(color, -0.7) if rng.random() < 0.6 else lighten(color, 0.2))
    pen.circle(0, 0, hole, lighten(color, 0.3), 4, 0.7)


def draw_plate(pen: Pen, rng: Rng) -> None:
    """A nameplate with lines of print."""
    color, tall = gray(rng, 90, 235), rng.uniform(30, 80)
    ink = lighten(color, -0.75)
    pen.box(
        -100,
        -tall,
        100,
        tall,
        color,
        5,
        shader=linear((-90, -60), (90, 60), [rgba(lighten(color, f)) for f in (0.25, -0.05, -0.25)]),
    )
    rows = int(rng.integers(2, 6))
    for k in range(rows):
        y = -tall + 2 * tall * (k + 0.7) / (rows + 0.4)
        text = pick(
            rng, (words.serial(rng), words.brand(rng), pick(rng, words.LABELS), pick(rng, words.NORMS), pick(rng, words.SMALL))
        )
        pen.text(text, float(rng.normal(0, 10)), y, min(1.2 * tall / rows, 15), pick(rng, SANS), ink)


def draw_label(pen: Pen, rng: Rng) -> None:
    """A sticker with a bar code or a serial number."""
    color: Color = pick(rng, ((250, 250, 245), (245, 215, 60), (235, 120, 40), (120, 190, 230)))
    pen.box(-100, -40, 100, 40, color, 2)
    pen.text(pick(rng, words.LABELS), 0, -14, 24, pick(rng, BOLD), (20, 20, 20))
    if rng.random() < 0.5:
        for _ in range(24):
            x = float(rng.uniform(-85, 85))
            pen.segments([(x, 6), (x, 32)], (20, 20, 20), float(rng.uniform(0.8, 3)))
    else:
        pen.text(words.serial(rng), 0, 18, 15, pick(rng, SANS), (20, 20, 20))


def draw_button(pen: Pen, rng: Rng) -> None:
    """A push button; always with its word or sign, for a plain one could as well be a lamp."""
    ring = gray(rng, 20, 200)
    color: Color = pick(rng, ((190, 25, 25), (20, 120, 50), (30, 30, 30), (225, 225, 225), (30, 70, 150)))
    pen.disc(0, 0, 100, ring, shader=linear((-70, -70), (70, 70), [rgba(lighten(ring, f)) for f in (0.4, -0.3)]))
    pen.disc(0, 0, 72, lighten(color, -0.2))
    pen.disc(-2, -3, 66, color)
    ink = (250, 250, 250) if sum(color) < 400 else (20, 20, 20)
    pen.text(pick(rng, ("STOP", "START", "I", "O", "RESET", "TEST")), 0, 0, 30, pick(rng, BOLD), ink)


def draw_fan(pen: Pen, rng: Rng) -> None:
    """Blades behind a wire guard."""
    color = gray(rng, 15, 90)
    pen.disc(0, 0, 100, lighten(color, -0.7))
    count, first = int(rng.integers(3, 8)), float(rng.uniform(0, 360))
    for k in range(count):
        at = first + 360 * k / count
        blade = [
            polar((0, 0), 18, at),
            polar((0, 0), 88, at - 8),
            polar((0, 0), 90, at + 240 / count),
            polar((0, 0), 20, at + 40),
        ]
        pen.polygon(blade, lighten(color, float(rng.uniform(0.1, 0.3))))
    pen.disc(0, 0, 24, lighten(color, 0.2))
    wire = gray(rng, 90, 220)
    for radius in range(20, 101, 12):
        pen.circle(0, 0, radius, wire, 1.6)
    for k in range(8):
        pen.segments([(0, 0), polar((0, 0), 98, 45 * k)], wire, 1.8)


def draw_drain(pen: Pen, rng: Rng) -> None:
    """A drain or a manhole cover: slots in cast iron."""
    color = gray(rng, 35, 150)
    pen.disc(0, 0, 100, color, shader=linear((-70, -70), (70, 70), [rgba(lighten(color, f)) for f in (0.2, -0.3)]))
    pen.circle(0, 0, 92, lighten(color, -0.55), 3)
    count = int(rng.integers(6, 25))
    for k in range(count):
        at = 360 * k / count
        pen.segments([polar((0, 0), 30, at), polar((0, 0), 78, at)], lighten(color, -0.75), 6)
    if rng.random() < 0.5:
        pen.text(pick(rng, ("WATER", "SEWER", "GAS", "D400", "EN 124")), 0, 0, 13, pick(rng, BOLD), lighten(color, 0.4))
