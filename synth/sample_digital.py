"""Displays: panel meters, controllers and handheld ones, with what surrounds their window."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from synth import words
from synth.devices import DigitalSpec, DisplayRow
from synth.draw import Rng, any_color, between, chance, gray, near, pick
from synth.fonts import BOLD, SANS, SYMBOL_SAFE
from synth.spec import Case, Color, Print

UNITS = (
    *("bar", "psi", "kPa", "MPa", "°C", "°C", "°F", "V", "A", "kW", "Hz", "kWh", "% RH", "%", "r/min"),
    *("L", "L/min", "m3/h", "mA", "kgf/cm2", "mbar", "kV"),
)
TEXTS = {"m3/h": "m³/h", "kgf/cm2": "kg/cm²", "% RH": "%RH", "r/min": "rpm", "L": "LITRES"}
LED_COLORS: tuple[Color, ...] = ((255, 40, 30), (255, 40, 30), (60, 255, 90), (90, 190, 255), (255, 190, 40), (250, 250, 250))
LCD_BACKS: tuple[Color, ...] = (
    *((168, 182, 152), (150, 165, 140), (190, 196, 184), (200, 205, 200)),
    *((120, 190, 60), (235, 200, 30), (205, 225, 150), (140, 138, 150)),
)
DOT_COLORS: tuple[Color, ...] = (
    (240, 40, 30),
    (60, 220, 80),
    (60, 60, 60),
    (90, 40, 40),
    (250, 190, 40),
    (70, 30, 30),
    (40, 70, 45),
)
Window = tuple[float, float, float, float]
Button = tuple[float, float, float, float, Color]
Dot = tuple[float, float, float, Color]


class Front(NamedTuple):
    """What surrounds a window."""

    prints: tuple[Print, ...] = ()
    buttons: tuple[Button, ...] = ()
    dots: tuple[Dot, ...] = ()


def box_case(rng: Rng, aspect: float) -> Case:
    """A device's case: a rounded box seen from the front."""
    paints = (gray(rng, 15, 60), gray(rng, 190, 245), gray(rng, 190, 245), near(rng, (215, 205, 170), 10), gray(rng, 90, 170))
    color = any_color(rng) if chance(rng, 0.12) else pick(rng, paints)
    bezel, depth, corner, recess = between(rng, 1, 6), between(rng, 10, 50), between(rng, 2, 14), between(rng, 0, 6)
    return Case("square", bezel, color, "flat", depth, near(rng, color, 25), aspect, corner, recess=recess)


def sample_digits(rng: Rng, most: int = 6) -> str:
    """Digits as shown: sometimes a sign, a point, leading zeros."""
    count = int(rng.integers(1, most + 1)) if chance(rng, 0.2) else int(rng.integers(2, max(3, most)))
    digits = "".join(str(int(d)) for d in rng.integers(0, 10, count))
    point = int(rng.integers(1, count)) if count > 1 and chance(rng, 0.6) else None
    whole = digits if point is None else digits[:point]
    if not chance(rng, 0.12):
        whole = str(int(whole))
    text = whole if point is None else f"{whole}.{digits[point:]}"
    return f"-{text}" if chance(rng, 0.07) else text


def _rows(rng: Rng, inside: bool) -> tuple[DisplayRow, ...]:
    """One to four rows; with units `inside` the window or not printed there."""
    count = int(rng.choice([1, 2, 3, 4], p=[0.66, 0.17, 0.11, 0.06]))
    same = chance(rng, 0.6)
    unit = pick(rng, UNITS)
    most = int(rng.integers(3, 8))
    rows = []
    for index in range(count):
        own = unit if same or index == 0 else pick(rng, UNITS)
        lead = pick(rng, ("b", "P", "C", "A", "H", "L")) if chance(rng, 0.06) else ""
        printed = own if inside else None
        rows.append(DisplayRow(sample_digits(rng, most), lead, printed, TEXTS.get(own, own) if inside else None))
    return tuple(rows)


def _window(rng: Rng, layout: str, height: float) -> Window:
    if layout == "round":
        wide, tall = between(rng, 0.55, 0.68), between(rng, 0.25, 0.4)
    elif layout == "controller":
        wide, tall = between(rng, 0.35, 0.7), between(rng, 0.14, 0.28)
    else:
        wide, tall = between(rng, 0.6, 0.92), between(rng, 0.38, 0.8)
    low, high = (-0.85, -0.4) if layout == "controller" else (-0.7, 0.2)
    shift = between(rng, low, high) * (1 - tall) * height
    across = between(rng, -0.5, 0.5) * (92 - 100 * wide) if layout == "controller" else 0.0
    return across - 100 * wide, shift - tall * height, across + 100 * wide, shift + tall * height


def sample_digital(rng: Rng) -> DigitalSpec:
    """A panel display, a controller or a handheld one, LED or LCD, with one to four rows."""
    led = chance(rng, 0.42)
    layout = pick(rng, (*("plain",) * 6, "bare", "round", "controller", "controller"))
    inside = chance(rng, 0.42)
    rows = _rows(rng, inside)
    if layout == "round":
        rows = rows[:1]
    aspect = between(rng, 0.42, 0.75) if len(rows) == 1 and layout != "controller" else between(rng, 0.65, 1.05)
    case = box_case(rng, aspect)
    if layout == "round":
        bezel, color, side = between(rng, 5, 14), gray(rng, 60, 220), gray(rng, 30, 120)
        case = Case("round", bezel, color, "metal", 30, side, stem="bottom", recess=between(rng, 0, 6))
    window = _window(rng, layout, 100 * case.aspect)
    window_color, ink = _colors(rng, led)
    front = _front(rng, window, case, layout)
    outside = None
    if not inside and layout != "bare" and chance(rng, 0.45):
        rows, outside = _outside_unit(rng, rows, window, case, front)
    return DigitalSpec(
        case=case,
        rows=rows,
        window=window,
        window_color=window_color,
        digit_color=ink,
        led=led,
        slant=between(rng, 0, 0.18) if chance(rng, 0.7) else 0.0,
        stroke=between(rng, 0.085, 0.155),
        gap=between(rng, 0.004, 0.022),
        ghost=between(rng, 0.02, 0.14) if chance(rng, 0.6) else 0.0,
        lit=not chance(rng, 0.04),
        bare=layout == "bare",
        prints=(*front.prints, outside) if outside is not None else front.prints,
        buttons=front.buttons,
        dots=front.dots,
    )


def _colors(rng: Rng, led: bool) -> tuple[Color, Color]:
    """Colours of window and digits; some liquid crystals are faint."""
    if led:
        return gray(rng, 4, 34), near(rng, pick(rng, LED_COLORS), 12)
    if chance(rng, 0.18):
        return near(rng, pick(rng, ((40, 90, 200), (10, 60, 130), (30, 30, 40))), 10), gray(rng, 215, 250)
    back, dark = near(rng, pick(rng, LCD_BACKS), 10), gray(rng, 12, 60)
    part = between(rng, 0.25, 0.65) if chance(rng, 0.3) else 0.0
    red, green, blue = (int((1 - part) * d + part * b) for d, b in zip(dark, back, strict=True))
    return back, (red, green, blue)


def _outside_unit(
    rng: Rng, rows: tuple[DisplayRow, ...], window: Window, case: Case, front: Front
) -> tuple[tuple[DisplayRow, ...], Print | None]:
    """The unit beside or below the window, where there is room for it."""
    unit = pick(rng, UNITS)
    text = TEXTS.get(unit, unit)
    ink = _front_ink(rng, case)
    below, right = 100 * case.aspect - window[3], 96 - window[2]
    font = SYMBOL_SAFE if any(ord(c) > 0xFF for c in text) else pick(rng, BOLD)
    if right > 14:
        spot = Print(
            text,
            window[2] + right / 2,
            (window[1] + window[3]) / 2,
            min(16.0, right / (0.62 * len(text))),
            font,
            ink,
            declares=unit,
        )
    elif below > 12 and all(line.y < window[3] for line in front.prints) and not front.buttons:
        spot = Print(
            text,
            (window[0] + window[2]) / 2,
            window[3] + below / 2,
            min(below * 0.6, between(rng, 10, 18)),
            font,
            ink,
            declares=unit,
        )
    else:
        return rows, None
    return (replace(rows[0], unit=unit), *rows[1:]), spot


def _front_ink(rng: Rng, case: Case) -> Color:
    return gray(rng, 10, 60) if case.shape == "round" or sum(case.bezel_color) > 380 else gray(rng, 200, 250)


def _front(rng: Rng, window: Window, case: Case, layout: str) -> Front:
    """Maker's name, labels, buttons and small lamps on the free parts of a front."""
    if layout == "bare":
        return Front()
    if layout == "controller":
        return _controller(rng, window, case)
    height, ink = 100 * case.aspect, _front_ink(rng, case)
    prints: list[Print] = []
    top, bottom = (window[1] + height) * 0.5, (height - window[3]) * 0.5
    if top > 5 and chance(rng, 0.7):
        size = min(top * 0.9, between(rng, 7, 14))
        prints.append(Print(words.brand(rng), between(rng, -50, 50), -height + top, size, pick(rng, BOLD), ink))
    busy = bottom > 7 and chance(rng, 0.4)
    if busy:
        size = min(bottom * 0.9, between(rng, 7, 16))
        prints.append(Print(pick(rng, words.LABELS), between(rng, -30, 30), height - bottom, size, pick(rng, SANS), ink))
    buttons: list[Button] = []
    if bottom > 8 and not busy and chance(rng, 0.6):
        count, size = int(rng.integers(2, 6)), min(bottom * 0.55, between(rng, 4, 9))
        color = any_color(rng) if chance(rng, 0.4) else gray(rng, 20, 220)
        buttons = [((i - (count - 1) / 2) * size * 3, height - bottom, size * 1.1, size * 0.8, color) for i in range(count)]
    dots: list[Dot] = []
    if chance(rng, 0.3) and layout != "round":
        dots = [
            (-70 + 22.0 * i, max(-height + 6, window[1] - 6), 2.5, pick(rng, DOT_COLORS)) for i in range(int(rng.integers(1, 5)))
        ]
    return Front(tuple(prints), tuple(buttons), tuple(dots))


def _controller(rng: Rng, window: Window, case: Case) -> Front:
    """A controller's front: rows of small lamps and keys with a label at each."""
    height, ink, font = 100 * case.aspect, _front_ink(rng, case), pick(rng, SANS)
    prints: list[Print] = []
    buttons: list[Button] = []
    dots: list[Dot] = []
    y = window[3] + 16.0
    strokes = chance(rng, 0.35)
    while y < height - 10:
        count, keys = int(rng.integers(2, 7)), chance(rng, 0.45)
        pitch = 170.0 / count
        for index in range(count):
            x = -85 + pitch * (index + 0.5)
            if keys:
                buttons.append((x, y, 7.0, 6.0, gray(rng, 40, 230)))
            else:
                dots.append((x, y, 4.0, pick(rng, DOT_COLORS)))
            label = pick(rng, words.LAMP_LABELS)
            prints.append(Print(label, x, y - 9.5, min(5.5, pitch / (0.7 * len(label))), font, ink))
            if strokes:
                prints.append(Print("xx", x, y + 9.5, 5.0, font, ink, strokes_seed=int(rng.integers(1, 2**31))))
        y += between(rng, 26, 34)
    return Front(tuple(prints), tuple(buttons), tuple(dots))
