"""What a display's window shows: colours of light and liquid crystal, rows of digits, units, signs."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple

from synth.devices import DisplayRow, Icon
from synth.draw import Rng, between, chance, gray, near, pick, weighted
from synth.fonts import SANS
from synth.spec import Color

Window = tuple[float, float, float, float]
DigitStyle = Literal["seven", "fourteen", "dots", "type"]

UNITS = (
    *("bar", "psi", "kPa", "MPa", "°C", "°C", "°F", "V", "A", "kW", "Hz", "kWh", "% RH", "%", "r/min"),
    *("L", "L/min", "m3/h", "mA", "kgf/cm2", "mbar", "kV"),
)
TEXTS = {"m3/h": "m³/h", "kgf/cm2": "kgf/cm²", "% RH": "%RH", "r/min": "rpm", "L": "LITRES"}
LED_COLORS: dict[str, Color] = {
    "red": (255, 40, 30),
    "green": (60, 255, 90),
    "amber": (255, 180, 40),
    "blue": (80, 170, 255),
    "white": (250, 250, 250),
}
LED_WEIGHTS = {"red": 0.5, "green": 0.17, "amber": 0.13, "blue": 0.1, "white": 0.1}
LCD_BACKS: tuple[Color, ...] = (
    *((168, 182, 152), (150, 165, 140), (190, 196, 184), (200, 205, 200), (172, 178, 172), (142, 148, 140), (184, 188, 176)),
    *((120, 190, 60), (235, 200, 30), (205, 225, 150), (140, 138, 150), (96, 110, 60)),
)
NEGATIVE_BACKS: tuple[Color, ...] = ((40, 90, 200), (10, 60, 130), (30, 30, 40), (20, 110, 160))
STATUSES = ("Er1", "Err", "E02", "----", "---", "HHH", "LLL", "oFF", "on", "OPEn", "dEF", "run", "FAIL", "tESt", "init")
LEADS = ("b", "P", "C", "A", "H", "L", "d", "n")
PHASES = (("Ua", "Ub", "Uc"), ("Ia", "Ib", "Ic"), ("Uab", "Ubc", "Uca"), ("V1", "V2", "V3"), ("A", "B", "C"), ("L1", "L2", "L3"))


class Look(NamedTuple):
    """How a display's digits and ground look."""

    led: bool
    window_color: Color
    digit_color: Color
    slant: float
    stroke: float
    gap: float
    ghost: float
    contrast: float
    backlight: float
    digit_style: DigitStyle
    font: str
    align_right: bool
    fill: float


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


def number(rng: Rng, low: float, high: float, decimals: int) -> str:
    """A number of a range with fixed decimals."""
    return f"{between(rng, low, high):.{decimals}f}"


def sample_look(rng: Rng, led_share: float = 0.45, plain: bool = False) -> Look:
    """Light or liquid crystal; `plain` keeps to seven segments."""
    led = chance(rng, led_share)
    style: DigitStyle = "seven"
    if not plain and chance(rng, 0.22):
        style = pick(rng, ("fourteen", "dots", "type", "type"))
    if led:
        window, ink = gray(rng, 4, 34), near(rng, LED_COLORS[weighted(rng, LED_WEIGHTS)], 12)
        if chance(rng, 0.3):  # a filter in the digits' colour
            window = (int(12 + ink[0] * 0.14), int(8 + ink[1] * 0.1), int(8 + ink[2] * 0.1))
        contrast, backlight = 1.0, 0.0
    elif chance(rng, 0.2):
        window, ink = near(rng, pick(rng, NEGATIVE_BACKS), 10), gray(rng, 215, 250)
        contrast, backlight = between(rng, 0.75, 1.0), between(rng, 0.1, 0.9)
    else:
        window, ink = near(rng, pick(rng, LCD_BACKS), 10), gray(rng, 8, 50)
        contrast = between(rng, 0.38, 0.75) if chance(rng, 0.3) else between(rng, 0.75, 1.0)
        backlight = between(rng, 0.1, 1.0) if chance(rng, 0.45) else 0.0
    return Look(
        led=led,
        window_color=window,
        digit_color=ink,
        slant=between(rng, 0, 0.18) if chance(rng, 0.7) else 0.0,
        stroke=between(rng, 0.085, 0.155),
        gap=between(rng, 0.004, 0.026),
        ghost=between(rng, 0.02, 0.14) if chance(rng, 0.55) else 0.0,
        contrast=contrast,
        backlight=backlight,
        digit_style=style,
        font=pick(rng, SANS),
        align_right=chance(rng, 0.75),
        fill=between(rng, 0.5, 0.8),
    )


def plain_rows(rng: Rng, inside: bool) -> tuple[DisplayRow, ...]:
    """One to three rows of any numbers; with units `inside` the window or not printed there."""
    count = int(rng.choice([1, 2, 3], p=[0.72, 0.17, 0.11]))
    same, comma = chance(rng, 0.6), chance(rng, 0.08)
    unit, raised = pick(rng, UNITS), chance(rng, 0.3)
    most = int(rng.integers(3, 8))
    height = pick(rng, (1.0, 1.0, between(rng, 0.5, 0.8)))
    rows = []
    for index in range(count):
        own = unit if same or index == 0 else pick(rng, UNITS)
        lead = pick(rng, LEADS) if chance(rng, 0.08) else ""
        digits = sample_digits(rng, most)
        text = TEXTS.get(own, own) if inside else None
        row = DisplayRow(digits, lead, own if inside else None, text, comma=comma, unit_raised=raised)
        rows.append(row if index == 0 else replace(row, height=height))
    if chance(rng, 0.05):
        status = pick(rng, STATUSES)
        rows[0] = replace(rows[0], digits="", lead="", status=status, unit=None, unit_text=None)
        rows = rows[:1]
    return tuple(rows)


def meter_rows(rng: Rng) -> tuple[DisplayRow, ...]:
    """A power meter's three phases, often with a total below, or one long total on two lines."""
    unit = pick(rng, ("V", "V", "A", "kV", "kW"))
    decimals = int(rng.integers(0, 3))
    if chance(rng, 0.18):
        digits = f"{int(rng.integers(10**5, 10**7))}.{int(rng.integers(0, 10))}"
        text = "kWh" if chance(rng, 0.7) else None
        return (DisplayRow(digits, unit="kWh" if text else None, unit_text=text, fold=len(digits) - 5),)
    middle = between(rng, 0.5, 700)
    inside, labelled, names = chance(rng, 0.7), chance(rng, 0.75), pick(rng, PHASES)
    every = chance(rng, 0.6)
    rows = [
        DisplayRow(
            number(rng, 0.93 * middle, 1.07 * middle, decimals),
            unit=unit if inside and (every or index == 0) else None,
            unit_text=unit if inside and (every or index == 0) else None,
            label=names[index] if labelled else None,
        )
        for index in range(3)
    ]
    if chance(rng, 0.35):
        rows.append(DisplayRow(number(rng, 49, 51, 2), unit="Hz", unit_text="Hz", height=pick(rng, (1.0, 0.8))))
    if chance(rng, 0.5):
        total = str(int(rng.integers(10**4, 10**8)))
        if chance(rng, 0.5):
            total = f"{total[:-1]}.{total[-1]}"
        rows.append(DisplayRow(total, unit="kWh", unit_text="kWh", height=between(rng, 0.55, 0.8)))
    return tuple(rows)


def process_rows(rng: Rng) -> tuple[DisplayRow, ...]:
    """A process value over its set point; the labels PV and SV stand beside the window."""
    decimals = int(rng.integers(0, 2))
    top = pick(rng, (100.0, 300.0, 999.0))
    goal = between(rng, 0.1, 1.0) * top
    red, green = LED_COLORS["red"], LED_COLORS["green"]
    first, second = pick(rng, ((red, green), (green, red), (green, LED_COLORS["amber"]), (red, red)))
    small = between(rng, 0.55, 0.9)
    pv = DisplayRow(f"{goal * between(rng, 0.8, 1.1):.{decimals}f}", label="PV", label_shown=False, color=first)
    sv = DisplayRow(f"{goal:.{decimals}f}", label="SV", label_shown=False, height=small, color=second)
    return (pv, sv)


def window_icons(rng: Rng, window: Window, texts: tuple[str, ...]) -> tuple[Icon, ...]:
    """Small signs along the upper or lower edge of a window that leaves room there."""
    x0, y0, x1, y1 = window
    size = (y1 - y0) * between(rng, 0.05, 0.08)
    top = chance(rng, 0.6)
    y = y0 + size * 1.1 if top else y1 - size * 1.1
    count = int(rng.integers(1, 5))
    pitch = (x1 - x0) / (count + 0.5)
    icons = []
    for index in range(count):
        x = x0 + pitch * (index + 0.75)
        kind: Literal["word", "boxed", "battery", "sun", "arrow", "flake"] = pick(
            rng, ("word", "word", "boxed", "battery", "sun", "arrow", "flake")
        )
        text = pick(rng, texts)
        big = min(size * 1.6, pitch / (0.75 * len(text))) if kind in ("word", "boxed") else size * 0.8
        icons.append(Icon(kind, x, y, big, text, between(rng, 0.1, 1.0)))
    return tuple(icons)
