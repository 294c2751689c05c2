"""Things that are no instruments: clocks, valve wheels, knobs, lids, signs, bolts, flanges, plates, labels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from synth import words
from synth.devices import Distractor
from synth.draw import any_color, gray, near, pick
from synth.flat.pen import Pen, lighten, linear, radial, rgba, sweep
from synth.fonts import BOLD, SANS
from synth.scene import Pose
from synth.spec import Color, polar

Rng = np.random.Generator
SHADOW = [rgba((0, 0, 0), 0.32), rgba((0, 0, 0), 0.13), rgba((0, 0, 0), 0.0)]


def draw_thing(pen: Pen, thing: Distractor, pose: Pose) -> None:
    rng = np.random.default_rng(thing.seed)
    with pen.plane(pose.homography(0.0)):
        pen.disc(6, 8, 108, (0, 0, 0), shader=radial(6, 8, 108, SHADOW, [0.7, 0.88, 1.0]))
        DRAWERS[thing.kind](pen, rng)


def _clock(pen: Pen, rng: Rng) -> None:
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


def _wheel(pen: Pen, rng: Rng) -> None:
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


def _knob(pen: Pen, rng: Rng) -> None:
    color = gray(rng, 10, 200) if rng.random() < 0.7 else any_color(rng)
    pen.disc(0, 0, 100, color, shader=linear((-80, -80), (80, 80), [rgba(lighten(color, f)) for f in (0.4, 0.0, -0.4)]))
    ribs = int(rng.integers(10, 40))
    ends = [polar((0, 0), away, 360 * k / ribs) for k in range(ribs) for away in (88, 100)]
    pen.segments(ends, lighten(color, -0.5), 3)
    pen.disc(0, 0, 60, lighten(color, 0.1))


def _lid(pen: Pen, rng: Rng) -> None:
    color = gray(rng, 40, 235) if rng.random() < 0.6 else any_color(rng)
    waves = [rgba(lighten(color, float(f))) for f in rng.uniform(-0.4, 0.5, 8)]
    pen.disc(0, 0, 100, color, shader=sweep(0, 0, [*waves, waves[0]]))
    for _ in range(int(rng.integers(1, 5))):
        pen.circle(
            0, 0, float(rng.uniform(10, 98)), lighten(color, float(rng.uniform(-0.6, 0.5))), float(rng.uniform(1, 10)), 0.7
        )
    if rng.random() < 0.4:
        pen.text(words.brand(rng), 0, 0, 22, pick(rng, BOLD), lighten(color, -0.6))


def _sign(pen: Pen, rng: Rng) -> None:
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


def _bolt(pen: Pen, rng: Rng) -> None:
    color = gray(rng, 60, 190)
    pen.disc(
        0, 0, 100, lighten(color, -0.3), shader=radial(-20, -30, 120, [rgba(lighten(color, 0.3)), rgba(lighten(color, -0.4))])
    )
    first = rng.uniform(0, 60)
    hexagon = [polar((0, 0), 72, first + 60 * k) for k in range(6)]
    pen.polygon(hexagon, color, shader=linear((-60, -60), (60, 60), [rgba(lighten(color, f)) for f in (0.45, 0.0, -0.35)]))
    pen.circle(0, 0, 50, lighten(color, 0.3), 3, 0.6)


def _flange(pen: Pen, rng: Rng) -> None:
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


def _plate(pen: Pen, rng: Rng) -> None:
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


def _label(pen: Pen, rng: Rng) -> None:
    color: Color = pick(rng, ((250, 250, 245), (245, 215, 60), (235, 120, 40), (120, 190, 230)))
    pen.box(-100, -40, 100, 40, color, 2)
    pen.text(pick(rng, words.LABELS), 0, -14, 24, pick(rng, BOLD), (20, 20, 20))
    if rng.random() < 0.5:
        for _ in range(24):
            x = float(rng.uniform(-85, 85))
            pen.segments([(x, 6), (x, 32)], (20, 20, 20), float(rng.uniform(0.8, 3)))
    else:
        pen.text(words.serial(rng), 0, 18, 15, pick(rng, SANS), (20, 20, 20))


def _button(pen: Pen, rng: Rng) -> None:
    """A push button; always with its word or sign, for a plain one could as well be a lamp."""
    ring = gray(rng, 20, 200)
    color: Color = pick(rng, ((190, 25, 25), (20, 120, 50), (30, 30, 30), (225, 225, 225), (30, 70, 150)))
    pen.disc(0, 0, 100, ring, shader=linear((-70, -70), (70, 70), [rgba(lighten(ring, f)) for f in (0.4, -0.3)]))
    pen.disc(0, 0, 72, lighten(color, -0.2))
    pen.disc(-2, -3, 66, color)
    ink = (250, 250, 250) if sum(color) < 400 else (20, 20, 20)
    pen.text(pick(rng, ("STOP", "START", "I", "O", "RESET", "TEST")), 0, 0, 30, pick(rng, BOLD), ink)


def _porthole(pen: Pen, rng: Rng) -> None:
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


def _speaker(pen: Pen, rng: Rng) -> None:
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


def _coin(pen: Pen, rng: Rng) -> None:
    color: Color = pick(rng, ((196, 160, 90), (180, 182, 186), (176, 112, 74)))
    waves = [rgba(lighten(color, float(f))) for f in rng.uniform(-0.35, 0.45, 6)]
    pen.disc(0, 0, 100, color, shader=sweep(0, 0, [*waves, waves[0]]))
    pen.segments([polar((0, 0), away, 5 * k) for k in range(72) for away in (93, 98)], lighten(color, -0.4), 1.2)
    pen.circle(0, 0, 90, lighten(color, -0.35), 2)
    pen.text(str(pick(rng, (1, 2, 5, 10, 20, 50))), 0, 0, float(rng.uniform(50, 80)), pick(rng, BOLD), lighten(color, -0.3))
    pen.text(str(int(rng.integers(1970, 2026))), 0, 66, 14, pick(rng, SANS), lighten(color, -0.35))


def _dish(pen: Pen, rng: Rng) -> None:
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


def _fan(pen: Pen, rng: Rng) -> None:
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


def _pizza(pen: Pen, rng: Rng) -> None:
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


def _disc_record(pen: Pen, rng: Rng) -> None:
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


def _drain(pen: Pen, rng: Rng) -> None:
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


def _roadsign(pen: Pen, rng: Rng) -> None:
    """A number in a red ring: a scale it is not."""
    pen.disc(0, 0, 100, (235, 235, 235))
    pen.disc(0, 0, 97, near(rng, (196, 28, 34), 10))
    pen.disc(0, 0, 74, (240, 240, 238))
    pen.text(str(10 * int(rng.integers(1, 14))), 0, 0, 68, pick(rng, BOLD), (20, 20, 20))


def _socket(pen: Pen, rng: Rng) -> None:
    color = gray(rng, 200, 250)
    pen.box(-100, -100, 100, 100, color, 14, shader=linear((-90, -90), (90, 90), [rgba(color), rgba(lighten(color, -0.2))]))
    pen.disc(0, 0, 66, lighten(color, -0.15))
    pen.circle(0, 0, 66, lighten(color, -0.4), 2)
    pen.disc(-28, 0, 8, (30, 30, 30))
    pen.disc(28, 0, 8, (30, 30, 30))
    pen.box(-5, -64, 5, -50, (150, 150, 150))
    pen.box(-5, 50, 5, 64, (150, 150, 150))


def _compass_rose(pen: Pen, rng: Rng) -> None:
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


DRAWERS: dict[str, Callable[[Pen, Rng], None]] = {
    "clock": _clock,
    "wheel": _wheel,
    "knob": _knob,
    "lid": _lid,
    "sign": _sign,
    "bolt": _bolt,
    "flange": _flange,
    "plate": _plate,
    "label": _label,
    "button": _button,
    "porthole": _porthole,
    "speaker": _speaker,
    "coin": _coin,
    "dish": _dish,
    "fan": _fan,
    "pizza": _pizza,
    "disc_record": _disc_record,
    "drain": _drain,
    "roadsign": _roadsign,
    "socket": _socket,
    "compass_rose": _compass_rose,
}
KINDS = tuple(DRAWERS)
