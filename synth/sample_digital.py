"""Devices with a display: panel meters, power meters, controllers, thermostats, pumps, handheld ones, round gauges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from synth import words
from synth.devices import DigitalSpec, DisplayRow, Icon
from synth.draw import Rng, any_color, between, chance, gray, near, pick, weighted
from synth.fonts import BOLD, CHINESE, SANS, SYMBOL_SAFE
from synth.sample_display import (
    TEXTS,
    UNITS,
    Look,
    Window,
    meter_rows,
    number,
    plain_rows,
    process_rows,
    sample_digits,
    sample_look,
    window_icons,
)
from synth.sample_front import Front, controller_front, front_ink, plain_front
from synth.spec import Case, Color, Print

__all__ = ["box_case", "sample_digital", "sample_digits"]

KINDS = {
    "plain": 0.29,
    "power": 0.13,
    "controller": 0.14,
    "process": 0.09,
    "thermostat": 0.07,
    "handheld": 0.07,
    "pump": 0.07,
    "round": 0.07,
    "bare": 0.07,
}
ICON_WORDS = ("AUTO", "MAX", "MIN", "HOLD", "SET", "AC", "DC", "REL", "ROOM", "OUT", "ALM", "TOTAL", "NET", "ZERO")


def box_case(rng: Rng, aspect: float) -> Case:
    """A device's case: a rounded box seen from the front."""
    paints = (gray(rng, 15, 60), gray(rng, 190, 245), gray(rng, 190, 245), near(rng, (215, 205, 170), 10), gray(rng, 90, 170))
    color = any_color(rng) if chance(rng, 0.12) else pick(rng, paints)
    bezel, depth, corner, recess = between(rng, 1, 6), between(rng, 10, 50), between(rng, 2, 14), between(rng, 0, 6)
    return Case("square", bezel, color, "flat", depth, near(rng, color, 25), aspect, corner, recess=recess)


def sample_digital(rng: Rng) -> DigitalSpec:
    """A device with a display, lit or off."""
    spec = BUILDERS[weighted(rng, KINDS)](rng)
    return replace(spec, lit=not chance(rng, 0.04))


def _device(
    rng: Rng, case: Case, rows: tuple[DisplayRow, ...], window: Window, look: Look, front: Front, **more: Any
) -> DigitalSpec:
    return DigitalSpec(
        case=case,
        rows=rows,
        window=window,
        prints=front.prints,
        buttons=front.buttons,
        dots=front.dots,
        frame=pick(rng, (4.0, 4.0, 2.0, between(rng, 1, 9))),
        frame_color=gray(rng, 10, 70) if chance(rng, 0.65) else near(rng, case.bezel_color, 20),
        round_buttons=chance(rng, 0.55),
        **{**look._asdict(), **more},
    )


def _plain(rng: Rng) -> DigitalSpec:
    """A panel meter: a window and little else."""
    inside = chance(rng, 0.42)
    rows = plain_rows(rng, inside)
    case = box_case(rng, between(rng, 0.42, 0.75) if len(rows) == 1 else between(rng, 0.65, 1.05))
    height = 100 * case.aspect
    wide, tall = between(rng, 0.6, 0.92), between(rng, 0.38, 0.8)
    shift = between(rng, -0.7, 0.2) * (1 - tall) * height
    window = (-100 * wide, shift - tall * height, 100 * wide, shift + tall * height)
    front = plain_front(rng, window, case)
    look = sample_look(rng)
    if not inside and chance(rng, 0.45):
        rows, front = _outside_unit(rng, rows, window, case, front)
    icons = window_icons(rng, window, ICON_WORDS) if not look.led and chance(rng, 0.25) else ()
    fill = min(look.fill, 0.58) if icons else look.fill
    return _device(rng, case, rows, window, look._replace(fill=fill), front, icons=icons)


def _power(rng: Rng) -> DigitalSpec:
    """A power meter: phases one below the other, keys along the lower edge."""
    rows = meter_rows(rng)
    case = box_case(rng, between(rng, 0.85, 1.1))
    height = 100 * case.aspect
    wide, top, low = between(rng, 0.72, 0.88), between(rng, -0.88, -0.7), between(rng, 0.3, 0.62)
    window = (-100 * wide, top * height, 100 * wide, low * height)
    ink, font = front_ink(rng, case), pick(rng, SANS)
    labels = pick(
        rng, (("H", "P", "E", "V/A"), ("F1", "F2", "F3", "F4"), ("<", "E", "P", "V/A"), ("U", "I", "P", "SET"), ("V", "A", "W"))
    )
    y = (low * height + height) / 2
    pitch = 140 / len(labels)
    color, size = gray(rng, 20, 220) if chance(rng, 0.7) else near(rng, (205, 170, 80), 10), between(rng, 5, 9)
    spots = [-70 + pitch * (i + 0.5) for i in range(len(labels))]
    buttons = tuple((x, y + 3, size * 1.2, size * 0.75, color) for x in spots)
    prints = [Print(label, x, y - size - 2, 7.0, font, ink) for label, x in zip(labels, spots, strict=True)]
    if top > -0.85:
        prints.append(Print(words.brand(rng), between(rng, -60, 60), (top * height - height) / 2 - 1, 9.0, pick(rng, BOLD), ink))
    look = sample_look(rng, 0.25)
    if look.digit_style in ("fourteen", "dots"):
        look = look._replace(digit_style="seven")
    slots = pick(rng, (0, 0, 1, 2)) + (0 if rows[0].fold else 4)
    return _device(
        rng, case, rows, window, look._replace(fill=between(rng, 0.6, 0.84)), Front(tuple(prints), buttons), slots=slots
    )


def _controller(rng: Rng) -> DigitalSpec:
    """A controller: a small window over rows of lamps and keys with their legends."""
    case = box_case(rng, between(rng, 0.65, 1.05))
    height = 100 * case.aspect
    wide, tall = between(rng, 0.35, 0.7), between(rng, 0.14, 0.28)
    shift = between(rng, -0.85, -0.4) * (1 - tall) * height
    across = between(rng, -0.5, 0.5) * (92 - 100 * wide)
    window = (across - 100 * wide, shift - tall * height, across + 100 * wide, shift + tall * height)
    rows = plain_rows(rng, False)[:1]
    front = controller_front(rng, window, case)
    if chance(rng, 0.6):
        rows, front = _outside_unit(rng, rows, window, case, front)
    return _device(rng, case, rows, window, sample_look(rng, 0.7, plain=True), front)


def _process(rng: Rng) -> DigitalSpec:
    """A process indicator: PV over SV, keys below, small lamps at the side."""
    rows = process_rows(rng)
    case = box_case(rng, between(rng, 0.8, 1.08))
    height, ink, font = 100 * case.aspect, front_ink(rng, case), pick(rng, BOLD)
    wide, low = between(rng, 0.5, 0.68), between(rng, 0.15, 0.4)
    window = (-100 * wide + 12, -0.85 * height, 100 * wide + 12, low * height)
    split = window[1] + (window[3] - window[1]) * rows[0].height / (rows[0].height + rows[1].height)
    x = (window[0] - 96) / 2
    prints = [Print("PV", x, (window[1] + split) / 2, 10, font, ink), Print("SV", x, (split + window[3]) / 2, 9, font, ink)]
    unit = pick(rng, ("°C", "°C", "°F", "bar", "%", "kPa"))
    if chance(rng, 0.7):
        spot = ((window[2] + 98) / 2, window[1] + 10)
        prints.append(Print(unit, *spot, 9, SYMBOL_SAFE, ink, declares=unit))
        rows = (replace(rows[0], unit=unit), replace(rows[1], unit=unit))
    y, keys = (window[3] + height) / 2, int(rng.integers(3, 5))
    buttons = tuple((-60 + 120 * (i + 0.5) / keys, y, 9.0, 6.0, gray(rng, 30, 200)) for i in range(keys))
    names = ("OUT", "AT", "AL1", "AL2", "RUN")
    dots = []
    for index in range(int(rng.integers(2, 5))):
        place = ((window[2] + 96) / 2, window[1] + 30 + 18.0 * index)
        if place[1] > window[3]:
            break
        dots.append((*place, 2.6, pick(rng, ((240, 40, 30), (60, 220, 80), (70, 30, 30), (40, 70, 45), (70, 40, 30)))))
        prints.append(Print(names[index], place[0], place[1] + 7, 5.0, font, ink))
    prints.append(Print(words.brand(rng), between(rng, -40, 40), -0.93 * height, 6.0, font, ink))
    look = sample_look(rng, 0.85, plain=True)
    if not look.led:
        rows = (replace(rows[0], color=None), replace(rows[1], color=None))
    front = Front(tuple(prints), buttons, tuple(dots))
    return _device(rng, case, rows, window, look._replace(align_right=True, fill=between(rng, 0.6, 0.8)), front, slots=4)


def _thermostat(rng: Rng) -> DigitalSpec:
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
    return _device(rng, case, tuple(rows), window, shown, Front((), buttons), icons=tuple(icons))


def _handheld(rng: Rng) -> DigitalSpec:
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
    return _device(rng, case, rows, window, look, Front(tuple(prints), buttons), icons=tuple(icons), slots=4)


def _pump(rng: Rng) -> DigitalSpec:
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
    return _device(rng, case, rows, window, look, Front((line,)), slots=6)


def _round(rng: Rng) -> DigitalSpec:
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
    return _device(rng, case, rows, window, look, Front(tuple(prints), buttons))


def _bare(rng: Rng) -> DigitalSpec:
    """The window alone, as a camera close to it sees it."""
    rows = plain_rows(rng, chance(rng, 0.4))
    case = box_case(rng, between(rng, 0.3, 0.75))
    height = 100 * case.aspect
    return _device(rng, case, rows, (-97.0, -0.97 * height, 97.0, 0.97 * height), sample_look(rng), Front(), bare=True)


def _outside_unit(
    rng: Rng, rows: tuple[DisplayRow, ...], window: Window, case: Case, front: Front
) -> tuple[tuple[DisplayRow, ...], Front]:
    """The unit beside or below the window, where there is room for it."""
    unit = pick(rng, UNITS)
    text = TEXTS.get(unit, unit)
    ink: Color = front_ink(rng, case)
    below, right = 100 * case.aspect - window[3], 96 - window[2]
    font = SYMBOL_SAFE if any(ord(c) > 0xFF for c in text) else pick(rng, BOLD)
    if not rows[0].digits:
        return rows, front
    if right > 14:
        size = min(16.0, right / (0.62 * len(text)))
        spot = Print(text, window[2] + right / 2, (window[1] + window[3]) / 2, size, font, ink, declares=unit)
    elif below > 12 and all(line.y < window[3] for line in front.prints) and not front.buttons:
        size = min(below * 0.6, between(rng, 10, 18))
        spot = Print(text, (window[0] + window[2]) / 2, window[3] + below / 2, size, font, ink, declares=unit)
    else:
        return rows, front
    return (replace(rows[0], unit=unit), *rows[1:]), front._replace(prints=(*front.prints, spot))


BUILDERS: dict[str, Callable[[Rng], DigitalSpec]] = {
    "plain": _plain,
    "power": _power,
    "controller": _controller,
    "process": _process,
    "thermostat": _thermostat,
    "handheld": _handheld,
    "pump": _pump,
    "round": _round,
    "bare": _bare,
}
