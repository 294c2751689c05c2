"""Devices that stand for themselves: thermostats, handheld meters, fuel pumps, round gauges, a window alone."""

from __future__ import annotations

from dataclasses import replace

from synth import words
from synth.devices import DigitalSpec, DisplayRow, Icon
from synth.draw import Rng, any_color, between, chance, gray, near, pick
from synth.fonts import BOLD, CHINESE, SANS, SYMBOL_SAFE
from synth.sample_device import ICON_WORDS, box_case, build_device
from synth.sample_display import TEXTS, number, plain_rows, sample_look, window_icons
from synth.sample_front import Front, front_ink
from synth.spec import Case, Print


def sample_thermostat(rng: Rng) -> DigitalSpec:
    """A room thermostat: large digits, a small set point, signs of season and mode."""
    unit = pick(rng, ("°C", "°C", "°F"))
    warm = (12, 31) if unit == "°C" else (55, 88)
    decimals = int(rng.integers(0, 2))
    rows = [DisplayRow(number(rng, *warm, decimals), unit=unit, unit_text=unit, unit_raised=chance(rng, 0.5))]
    if chance(rng, 0.5):
        rows.append(DisplayRow(number(rng, *warm, decimals), label="SET", height=between(rng, 0.3, 0.55)))
    case = replace(box_case(rng, between(rng, 0.8, 1.1)), bezel_color=gray(rng, 205, 250), bezel=1.0)
    height = 100 * case.aspect
    left, tall = between(rng, -0.82, -0.6), between(rng, 0.5, 0.75)
    column = chance(rng, 0.6)
    right = between(rng, 0.15, 0.5) if column else -left
    window = (100 * left, -tall * height, 100 * right, (tall if column else tall - 0.35) * height)
    count, color = int(rng.integers(3, 6)), gray(rng, 170, 250) if chance(rng, 0.7) else gray(rng, 40, 120)
    along = [(i + 0.5) / count for i in range(count)]
    if column:
        x = (window[2] + 96) / 2
        buttons = tuple((x, -tall * height + 2 * tall * height * part, 12.0, 6.5, color) for part in along)
    else:
        buttons = tuple((-70 + 140 * part, (window[3] + height) / 2, 10.0, 7.0, color) for part in along)
    look = sample_look(rng, 0.0, plain=True)
    x0, y0, x1, y1 = window
    size = (y1 - y0) * 0.07
    icons = [
        Icon(pick(rng, ("boxed", "word")), x0 + (x1 - x0) * 0.2, y0 + size * 1.2, size * 1.3, pick(rng, ("ROOM", "IN", "TEMP")))
    ]
    icons.append(
        Icon(pick(rng, ("sun", "flake", "battery")), x0 + (x1 - x0) * 0.8, y1 - size * 1.3, size, level=between(rng, 0, 1))
    )
    if chance(rng, 0.5):
        icons.append(
            Icon("boxed", x0 + (x1 - x0) * 0.75, y0 + size * 1.2, size * 1.2, pick(rng, ("AUTO", "HEAT", "COOL", "FAN")))
        )
    shown = look._replace(fill=between(rng, 0.45, 0.66), align_right=False)
    return build_device(rng, case, tuple(rows), window, shown, Front((), buttons), icons=tuple(icons))


def sample_handheld(rng: Rng) -> DigitalSpec:
    """A multimeter, a clamp meter or a scale: a window at the top, words and a bar graph in it."""
    unit = pick(rng, ("V", "mV", "A", "mA", "°C", "Hz", "%", "bar", "psi"))
    digits = number(rng, 0, pick(rng, (2, 20, 200, 600)), int(rng.integers(1, 4)))
    if chance(rng, 0.15):
        digits = f"-{digits}"
    rows: tuple[DisplayRow, ...] = (DisplayRow(digits, unit=unit, unit_text=unit, unit_raised=chance(rng, 0.4)),)
    if chance(rng, 0.08):
        rows = (DisplayRow("", status=pick(rng, ("OL", "-OL", "Err", "Lo"))),)
    color = pick(rng, ((235, 190, 20), (200, 40, 30), (40, 60, 60), (60, 60, 65), (235, 120, 30)))
    case = replace(box_case(rng, between(rng, 0.75, 1.1)), bezel_color=near(rng, color, 10), corner=between(rng, 8, 20))
    height, wide = 100 * case.aspect, between(rng, 0.68, 0.85)
    window = (-100 * wide, -0.82 * height, 100 * wide, between(rng, -0.15, 0.15) * height)
    ink = front_ink(rng, case)
    labels = ("HOLD", "RANGE", "REL", "MAX/MIN", "Hz%", "LIGHT")[: int(rng.integers(2, 6))]
    pitch, y = 160 / len(labels), window[3] + 0.22 * height
    spots = [-80 + pitch * (i + 0.5) for i in range(len(labels))]
    buttons = tuple((x, y, min(12.0, pitch * 0.35), 6.0, gray(rng, 30, 220)) for x in spots)
    prints = [Print(label, x, y - 11, 5.5, pick(rng, SANS), ink) for label, x in zip(labels, spots, strict=True)]
    prints.append(Print(words.brand(rng), 0.0, -0.91 * height, 8.0, pick(rng, BOLD), ink))
    icons = list(window_icons(rng, (window[0], window[1], window[2], window[3]), ICON_WORDS))
    if chance(rng, 0.5):
        icons.append(Icon("bars", 0.0, window[3] - 5, 7.0, level=between(rng, 0, 1)))
        icons = [one for one in icons if one.kind == "bars" or one.y < 0.5 * (window[1] + window[3])]
    look = sample_look(rng, 0.06, plain=chance(rng, 0.8))._replace(fill=0.52)
    return build_device(rng, case, rows, window, look, Front(tuple(prints), buttons), icons=tuple(icons), slots=4)


def sample_pump(rng: Rng) -> DigitalSpec:
    """A window of a fuel dispenser: digits at the right, the quantity in bold print below or above."""
    decimals = pick(rng, (2, 2, 2, 1, 3))
    rows = (DisplayRow(number(rng, 0, pick(rng, (10, 100, 100, 999)), decimals), unit="L"),)
    paint = gray(rng, 190, 250) if chance(rng, 0.8) else any_color(rng)
    case = Case("square", 0.5, paint, "none", 2.0, paint, between(rng, 0.5, 0.85), 1.0, recess=0.0)
    height, wide, tall = 100 * case.aspect, between(rng, 0.4, 0.9), between(rng, 0.26, 0.42)
    below = chance(rng, 0.85)
    middle = (-0.12 if below else 0.15) * height
    window = (-100 * wide, middle - 50 * tall, 100 * wide, middle + 50 * tall)
    size = min(100 * wide * 0.3, between(rng, 10, 20))
    y = window[3] + size * between(rng, 0.9, 1.3) if below else window[1] - size * 1.1
    text = pick(rng, ("LITRES", "LITRES", "Liters", "LITER", "L"))
    line = Print(text, between(rng, -0.25, 0.25) * 100 * wide, y, size, pick(rng, BOLD), front_ink(rng, case), declares="L")
    look = sample_look(rng, 0.12, plain=True)._replace(align_right=True, fill=between(rng, 0.6, 0.85))
    return build_device(rng, case, rows, window, look, Front((line,)), slots=6)


def sample_round(rng: Rng) -> DigitalSpec:
    """A round digital pressure gauge on its stem."""
    unit = pick(rng, ("MPa", "bar", "psi", "kPa", "kgf/cm2", "mbar"))
    digits = number(rng, 0, pick(rng, (1, 10, 100)), int(rng.integers(1, 4)))
    inside = chance(rng, 0.7)
    text = TEXTS.get(unit, unit)
    rows = (DisplayRow(digits, unit=unit, unit_text=text if inside else None, unit_raised=chance(rng, 0.5)),)
    look_color = gray(rng, 90, 225) if chance(rng, 0.7) else pick(rng, ((70, 90, 85), (60, 90, 140), (30, 30, 34)))
    bezel, side, recess = between(rng, 4, 12), gray(rng, 30, 120), between(rng, 0, 6)
    case = Case("round", bezel, look_color, pick(rng, ("metal", "flat")), 30, side, stem="bottom", recess=recess)
    wide, tall = between(rng, 0.55, 0.7), between(rng, 0.2, 0.32)
    middle = between(rng, -12, 4)
    window = (-100 * wide, middle - 100 * tall, 100 * wide, middle + 100 * tall)
    ink = front_ink(rng, case)
    chinese = chance(rng, 0.4)
    font = pick(rng, CHINESE) if chinese else pick(rng, BOLD)
    title = pick(rng, ("数字压力表", "精密数字压力表")) if chinese else pick(rng, ("DIGITAL", "PRESSURE GAUGE", words.brand(rng)))
    prints = [Print(title, 0.0, window[1] - 14, min(12.0, 80 / (len(title) * (1.0 if chinese else 0.66))), font, ink)]
    if not inside:
        prints.append(Print(text, 0.0, window[3] + 11, 11, SYMBOL_SAFE, ink, declares=unit))
    prints.append(Print(words.serial(rng), 0.0, window[1] - 26, 5, pick(rng, SANS), ink))
    count, color = int(rng.integers(0, 4)), gray(rng, 20, 120)
    buttons = tuple((26.0 * (i - (count - 1) / 2), 58.0 + middle, 10.0, 6.0, color) for i in range(count))
    look = sample_look(rng, 0.2, plain=True)._replace(fill=between(rng, 0.55, 0.75))
    return build_device(rng, case, rows, window, look, Front(tuple(prints), buttons))


def sample_bare(rng: Rng) -> DigitalSpec:
    """The window alone, as a camera close to it sees it."""
    rows = plain_rows(rng, chance(rng, 0.4))
    case = box_case(rng, between(rng, 0.3, 0.75))
    height = 100 * case.aspect
    return build_device(rng, case, rows, (-97.0, -0.97 * height, 97.0, 0.97 * height), sample_look(rng), Front(), bare=True)
