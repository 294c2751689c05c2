"""Round and square things of home and street: clocks, portholes, loudspeakers, coins, dishes, records, sockets."""

from __future__ import annotations

import numpy as np

from synth import words
from synth.draw import any_color, gray, near, pick
from synth.flat.pen import Pen, lighten, linear, radial, rgba, sweep
from synth.fonts import BOLD, SANS
from synth.spec import Color, polar

Rng = np.random.Generator


def draw_clock(pen: Pen, rng: Rng) -> None:
    """A clock, with or without hour numerals: a face with hands and no scale."""
    pen.disc(0, 0, 100, any_color(rng) if rng.random() < 0.5 else gray(rng, 10, 230))
    dark = rng.random() < 0.25
    face, ink = (gray(rng, 10, 50), gray(rng, 220, 250)) if dark else (gray(rng, 225, 252), gray(rng, 5, 40))
    pen.disc(0, 0, 88, face)
    pen.segments([polar((0, 0), away, 6 * k) for k in range(60) if k % 5 for away in (85, 81)], ink, 0.8)
    pen.segments([polar((0, 0), away, 30 * k) for k in range(12) for away in (85, 77)], ink, 2.0)
    if rng.random() < 0.75:
        font = pick(rng, (*SANS, *BOLD))
        for hour in range(1, 13):
            pen.text(str(hour), *polar((0, 0), 66, 180 + 30 * hour), 15, font, ink)
    for turn, length, width in ((rng.uniform(0, 360), 48.0, 5.5), (rng.uniform(0, 360), 74.0, 3.5)):
        pen.segments([polar((0, 0), -10, turn), polar((0, 0), length, turn)], ink, width)
    if rng.random() < 0.5:
        pen.segments([polar((0, 0), -16, 77), polar((0, 0), 78, rng.uniform(0, 360))], (200, 30, 30), 1.2)
    pen.disc(0, 0, 4, ink)


def draw_porthole(pen: Pen, rng: Rng) -> None:
    """The door of a washing machine or a dryer: a wide ring about dark, curved glass."""
    ring = gray(rng, 150, 245) if rng.random() < 0.7 else gray(rng, 20, 90)
    pen.disc(0, 0, 100, ring, shader=linear((-80, -80), (80, 80), [rgba(lighten(ring, f)) for f in (0.4, 0.0, -0.45)]))
    pen.circle(0, 0, 99, lighten(ring, -0.5), 1.5)
    hole = float(rng.uniform(60, 80))
    glass = gray(rng, 10, 70)
    pen.disc(0, 0, hole, glass, shader=radial(-20, -25, hole * 1.6, [rgba(lighten(glass, 0.35)), rgba(lighten(glass, -0.6))]))
    pen.circle(0, 0, hole, lighten(ring, -0.6), 3)
    for _ in range(int(rng.integers(0, 6))):  # laundry
        x, y = (float(v) for v in rng.uniform(-0.5, 0.5, 2) * hole)
        pen.oval(x, y + hole * 0.25, hole * 0.3, hole * 0.18, any_color(rng), 0.35)
    pen.box(84, -16, 97, 16, lighten(ring, -0.25), 4)


def draw_speaker(pen: Pen, rng: Rng) -> None:
    """A loudspeaker, or the grille of one: rings, or holes in rows."""
    color = gray(rng, 15, 150)
    pen.disc(0, 0, 100, color, shader=linear((-80, -80), (80, 80), [rgba(lighten(color, f)) for f in (0.3, -0.35)]))
    if rng.random() < 0.5:
        for radius, part in ((86, -0.65), (78, -0.4), (70, -0.75), (40, -0.3), (30, 0.15)):
            pen.disc(0, 0, radius, lighten(color, part))
        pen.disc(0, 0, 28, color, shader=radial(-8, -10, 34, [rgba(lighten(color, 0.5)), rgba(lighten(color, -0.5))]))
        return
    pitch = float(rng.uniform(8, 15))
    steps = int(90 / pitch)
    holes = [(pitch * i, pitch * j) for i in range(-steps, steps + 1) for j in range(-steps, steps + 1)]
    pen.dots([p for p in holes if np.hypot(*p) < 90], lighten(color, -0.8), pitch * 0.55)


def draw_coin(pen: Pen, rng: Rng) -> None:
    """A coin with its value and year."""
    color: Color = pick(rng, ((196, 160, 90), (180, 182, 186), (176, 112, 74)))
    waves = [rgba(lighten(color, float(f))) for f in rng.uniform(-0.35, 0.45, 6)]
    pen.disc(0, 0, 100, color, shader=sweep(0, 0, [*waves, waves[0]]))
    pen.segments([polar((0, 0), away, 5 * k) for k in range(72) for away in (93, 98)], lighten(color, -0.4), 1.2)
    pen.circle(0, 0, 90, lighten(color, -0.35), 2)
    pen.text(str(pick(rng, (1, 2, 5, 10, 20, 50))), 0, 0, float(rng.uniform(50, 80)), pick(rng, BOLD), lighten(color, -0.3))
    pen.text(str(int(rng.integers(1970, 2026))), 0, 66, 14, pick(rng, SANS), lighten(color, -0.35))


def draw_dish(pen: Pen, rng: Rng) -> None:
    """A plate, at times with food on it."""
    color = gray(rng, 205, 250) if rng.random() < 0.7 else any_color(rng)
    pen.disc(0, 0, 100, color, shader=radial(-30, -40, 170, [rgba(color), rgba(lighten(color, -0.35))]))
    pen.circle(0, 0, 96, any_color(rng) if rng.random() < 0.4 else lighten(color, -0.15), 3, 0.8)
    pen.disc(0, 0, 64, lighten(color, -0.06))
    pen.circle(0, 0, 64, lighten(color, -0.3), 2, 0.6)
    for _ in range(int(rng.integers(0, 9))):
        x, y = (float(v) for v in rng.normal(0, 24, 2))
        food: Color = pick(rng, ((160, 90, 40), (200, 150, 60), (90, 130, 50), (190, 60, 40), (240, 225, 180)))
        pen.oval(x, y, float(rng.uniform(8, 28)), float(rng.uniform(6, 18)), near(rng, food, 12))


def draw_pizza(pen: Pen, rng: Rng) -> None:
    """A pizza, at times cut."""
    crust = near(rng, (190, 130, 70), 14)
    pen.disc(0, 0, 100, crust, shader=radial(0, 0, 104, [rgba(crust), rgba(crust), rgba(lighten(crust, -0.4))], [0, 0.85, 1]))
    pen.disc(0, 0, 86, near(rng, (225, 175, 80), 14))
    for _ in range(int(rng.integers(6, 30))):
        turn, away = float(rng.uniform(0, 360)), 76 * float(rng.uniform(0, 1)) ** 0.5
        x, y = polar((0, 0), away, turn)
        topping: Color = pick(rng, ((165, 45, 35), (90, 120, 50), (240, 225, 190), (60, 50, 40)))
        pen.disc(x, y, float(rng.uniform(4, 13)), near(rng, topping, 10))
    if rng.random() < 0.6:
        for k in range(4):
            pen.segments([polar((0, 0), 100, 45 * k), polar((0, 0), 100, 45 * k + 180)], (120, 80, 40), 1.6)


def draw_disc_record(pen: Pen, rng: Rng) -> None:
    """A record or a data disc: fine grooves, a label in the middle."""
    color = gray(rng, 10, 30) if rng.random() < 0.6 else gray(rng, 160, 210)
    waves = [rgba(lighten(color, float(f))) for f in (0.05, 0.4, 0.05, 0.0, 0.35, 0.0, 0.05)]
    pen.disc(0, 0, 100, color, shader=sweep(0, 0, waves))
    for radius in range(42, 98, 5):
        pen.circle(0, 0, radius, lighten(color, -0.3), 0.6, 0.7)
    label = any_color(rng)
    pen.disc(0, 0, 36, label)
    pen.text(words.brand(rng), 0, -16, 9, pick(rng, BOLD), lighten(label, -0.75))
    pen.disc(0, 0, 4, (230, 230, 230))


def draw_roadsign(pen: Pen, rng: Rng) -> None:
    """A number in a red ring: a scale it is not."""
    pen.disc(0, 0, 100, (235, 235, 235))
    pen.disc(0, 0, 97, near(rng, (196, 28, 34), 10))
    pen.disc(0, 0, 74, (240, 240, 238))
    pen.text(str(10 * int(rng.integers(1, 14))), 0, 0, 68, pick(rng, BOLD), (20, 20, 20))


def draw_socket(pen: Pen, rng: Rng) -> None:
    """A wall socket."""
    color = gray(rng, 200, 250)
    pen.box(-100, -100, 100, 100, color, 14, shader=linear((-90, -90), (90, 90), [rgba(color), rgba(lighten(color, -0.2))]))
    pen.disc(0, 0, 66, lighten(color, -0.15))
    pen.circle(0, 0, 66, lighten(color, -0.4), 2)
    pen.disc(-28, 0, 8, (30, 30, 30))
    pen.disc(28, 0, 8, (30, 30, 30))
    pen.box(-5, -64, 5, -50, (150, 150, 150))
    pen.box(-5, 50, 5, 64, (150, 150, 150))


def draw_compass_rose(pen: Pen, rng: Rng) -> None:
    """A decorative rose of the winds: points and letters, no hand."""
    ink, paper = gray(rng, 10, 90), gray(rng, 190, 250)
    pen.disc(0, 0, 100, paper)
    pen.circle(0, 0, 90, ink, 2)
    for k in range(8):
        long = 76 if k % 2 == 0 else 48
        for side in (-1, 1):
            color = ink if side > 0 else lighten(ink, 0.6)
            pen.polygon([(0, 0), polar((0, 0), 16, 45 * k + 22.5 * side), polar((0, 0), long, 45 * k)], color)
    for letter, at in (("S", 0), ("W", 90), ("N", 180), ("E", 270)):
        pen.text(letter, *polar((0, 0), 83, at), 15, pick(rng, BOLD), ink)
