"""Drum counters: water, gas and electricity meters, odometers, hour meters."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from synth import words
from synth.devices import CounterSpec, SubDial
from synth.draw import HUES, Rng, any_color, between, chance, gray, near, pick, weighted
from synth.fonts import BOLD, SANS, SYMBOL_SAFE
from synth.sample_device import box_case
from synth.spec import Case, Color, Print

KINDS = {"water": 0.38, "electricity": 0.2, "gas": 0.16, "hours": 0.12, "odometer": 0.14}


def sample_counter(rng: Rng) -> CounterSpec:
    """A drum counter; drums and small dials agree on how far the last drum has rolled on."""
    return BUILDERS[weighted(rng, KINDS)](rng)


def _digits(rng: Rng, count: int) -> str:
    """Digits with zeros in front on young meters, and now and then a carry about to happen."""
    text = "".join(str(int(d)) for d in rng.integers(0, 10, count))
    zeros = int(rng.integers(0, count - 1)) if chance(rng, 0.6) else 0
    text = "0" * zeros + text[zeros:]
    if chance(rng, 0.15):
        nines = int(rng.integers(1, 3))
        text = text[:-nines] + "9" * nines
    return text


def _shift(rng: Rng) -> float:
    """How far the last drum has rolled on: mostly at rest or nearly."""
    return 0.0 if chance(rng, 0.3) else (between(rng, 0, 0.3) if chance(rng, 0.6) else between(rng, 0.3, 0.95))


def _colors(rng: Rng, dark_share: float) -> tuple[Color, Color]:
    dark = chance(rng, dark_share)
    drum = gray(rng, 8, 40) if dark else gray(rng, 215, 250)
    return drum, gray(rng, 225, 255) if dark else gray(rng, 5, 40)


def _drum_size(rng: Rng, count: int, room: float) -> tuple[float, float]:
    wide = min(2 * room / count, 26.0)
    return wide, wide * between(rng, 1.2, 1.6)


def _water(rng: Rng) -> CounterSpec:
    """A round face: drums across, red dials below them, the star wheel."""
    blue = chance(rng, 0.18)
    face = (
        near(rng, (70, 190, 220), 14) if blue else (gray(rng, 222, 248) if chance(rng, 0.75) else near(rng, (205, 205, 180), 10))
    )
    metal = gray(rng, 60, 220) if chance(rng, 0.5) else pick(rng, ((40, 80, 160), (180, 140, 70), (60, 120, 180), any_color(rng)))
    case = Case("round", between(rng, 3, 14), metal, pick(rng, ("metal", "flat")), 30, gray(rng, 40, 150))
    half = 100 - case.bezel
    dials = int(rng.integers(1, 5)) if chance(rng, 0.65) else 0
    count = int(rng.integers(4, 7)) if dials else int(rng.integers(5, 9))
    decimals = 0 if dials else (int(rng.integers(2, 4)) if chance(rng, 0.8) else 0)
    rest = between(rng, 0, 1)
    # With small dials the last drum rolls on while the first of them passes from 9 to 0, as the gears make it.
    shift = max(0.0, (rest - 0.9) * 10) if dials else _shift(rng)
    middle = between(rng, -0.42, -0.18) * half
    room = math.sqrt(half**2 - (abs(middle) + 16) ** 2) - (20 if chance(rng, 0.6) else 6)
    drum, ink = _colors(rng, 0.45)
    size = _drum_size(rng, count, room * between(rng, 0.75, 1.0))
    end = size[0] * count / 2
    dark = gray(rng, 10, 45)
    space = math.sqrt(max(0.0, half**2 - middle**2)) - end - 4
    spot = (end + space / 2 + 2, middle) if space > 14 else (0.0, middle - size[1] / 2 - 12)
    prints = [Print("m³", *spot, min(14.0, space * 0.52) if space > 14 else 11.0, SYMBOL_SAFE, dark, declares="m3")]
    subdials = []
    radius = {1: 19.0, 2: 17.0, 3: 15.0, 4: 14.0}.get(dials, 0.0) * between(rng, 0.9, 1.05)
    spread = {1: (0.0,), 2: (32.0, -32.0), 3: (56.0, 4.0, -48.0), 4: (70.0, 24.0, -24.0, -70.0)}.get(dials, ())
    for index, angle in enumerate(spread):
        turn = math.radians(angle)
        reach = 0.56 * half if dials < 4 else 0.6 * half
        x, y = reach * math.sin(turn) * 1.02, reach * math.cos(turn) * (1.0 if dials > 1 else 0.9)
        subdials.append(
            SubDial(x, max(y, middle + size[1] / 2 + radius * 1.5), radius, f"x0.{'0' * index}1", rest * 10**index % 1.0)
        )
    star = (between(rng, -16, 16), middle + size[1] / 2 + 16, between(rng, 5, 8)) if chance(rng, 0.55) and dials != 1 else None
    title = pick(rng, (words.brand(rng), "WATER METER", "Q3 2.5 m³/h", "Qn 1.5"))
    prints.append(Print(title, 0.0, middle - size[1] / 2 - (24 if spot[0] == 0.0 else 14), 8, pick(rng, BOLD), dark))
    curve = half * 0.9
    if chance(rng, 0.6):
        prints.append(Print(words.serial(rng), 0, 0, 6, pick(rng, SANS), dark, 180.0, curve=curve))
    if not subdials:
        prints.append(Print(words.serial(rng), 0.0, 0.5 * half, 7, pick(rng, SANS), dark))
    return CounterSpec(
        case=case,
        digits=_digits(rng, count),
        decimals=decimals,
        shift=shift,
        drum_color=drum,
        digit_color=ink,
        decimal_color=near(rng, HUES["red"], 12),
        unit="m3",
        font=pick(rng, SANS),
        prints=tuple(prints),
        subdials=tuple(subdials),
        face_color=face,
        middle=middle,
        drum=size,
        red_frame=bool(decimals) and chance(rng, 0.25),
        star=star,
        flat=chance(rng, 0.3),
    )


def _boxed(rng: Rng, unit: str | None, text: str | None, count: int, decimals: int, dark_share: float) -> CounterSpec:
    """A box with a wide window, the unit beside it."""
    case = box_case(rng, between(rng, 0.42, 0.85))
    half = 100 - case.bezel
    face = near(rng, case.bezel_color, 6) if chance(rng, 0.5) else gray(rng, 225, 248)
    dark = gray(rng, 10, 45) if sum(face) > 380 else gray(rng, 215, 250)
    size = _drum_size(rng, count, half * between(rng, 0.6, 0.78))
    height = half * case.aspect
    middle = between(rng, -0.3, 0.2) * height
    size = size[0], min(size[1], height * 0.8)
    drum, ink = _colors(rng, dark_share)
    end = size[0] * count / 2 + 4
    prints = []
    if text:
        space = half - end
        size_px = min(14.0, space / (0.8 * len(text) + 0.4))
        spot = (end + space / 2, middle) if size_px > 7 else (0.0, middle - size[1] / 2 - 11)
        prints.append(Print(text, *spot, size_px if size_px > 7 else 10.0, SYMBOL_SAFE, dark, declares=unit))
    if chance(rng, 0.7):
        prints.append(Print(words.brand(rng), between(rng, -40, 40), -height * 0.82, 9, pick(rng, BOLD), dark))
    if chance(rng, 0.6):
        prints.append(Print(words.serial(rng), between(rng, -20, 20), height * 0.78, 7, pick(rng, SANS), dark))
    return CounterSpec(
        case=case,
        digits=_digits(rng, count),
        decimals=decimals,
        shift=_shift(rng),
        drum_color=drum,
        digit_color=ink,
        decimal_color=near(rng, HUES["red"], 12),
        unit=unit,
        font=pick(rng, SANS),
        prints=tuple(prints),
        face_color=face,
        middle=middle,
        drum=size,
        red_frame=bool(decimals) and chance(rng, 0.4),
        flat=chance(rng, 0.3),
    )


def _electricity(rng: Rng) -> CounterSpec:
    return _boxed(rng, "kWh", "kWh", int(rng.integers(5, 8)), int(rng.integers(0, 2)), 0.75)


def _gas(rng: Rng) -> CounterSpec:
    return _boxed(rng, "m3", "m³", int(rng.integers(7, 9)), int(rng.integers(2, 4)), 0.8)


def _hours(rng: Rng) -> CounterSpec:
    """An hour meter: tenths on the last drum, which is white or red; hours are no unit of the contract."""
    base = _boxed(rng, None, None, int(rng.integers(5, 7)), 1 if chance(rng, 0.75) else 0, 0.85)
    low = base.middle + base.drum[1] / 2 + 11
    line = Print(
        pick(rng, ("HOURS", "h", "TOTAL HOURS", "HOUR METER")),
        0.0,
        low,
        9,
        pick(rng, BOLD),
        base.prints[0].color if base.prints else (30, 30, 30),
    )
    if not base.prints and sum(base.face_color) <= 380:
        line = replace(line, color=(230, 230, 230))
    room = 100 * base.case.aspect - low > 8
    white = chance(rng, 0.5)
    return replace(
        base,
        prints=(*base.prints[:1], line) if room else base.prints[:1],
        decimal_color=gray(rng, 220, 250) if white else base.decimal_color,
        decimal_ink=gray(rng, 5, 40) if white else (255, 255, 255),
        red_frame=False,
    )


def _odometer(rng: Rng) -> CounterSpec:
    """A car's or a machine's counter: a narrow black window, the tenths in the opposite colours."""
    base = _boxed(rng, None, None, int(rng.integers(5, 8)), 1 if chance(rng, 0.6) else 0, 0.95)
    white = chance(rng, 0.8)
    paint = gray(rng, 8, 45)
    case = replace(base.case, bezel_color=paint, aspect=between(rng, 0.32, 0.5))
    high = min(base.drum[1], 70 * case.aspect)
    ink = gray(rng, 200, 250)
    text = pick(rng, ("km", "MILES", "TOTAL", "mi"))
    wide = 2 * 88.0 / len(base.digits)
    wide = min(wide, high * between(rng, 0.7, 0.85))
    below = 100 * case.aspect - (base.middle + high / 2)
    prints = (Print(text, 0.0, high / 2 + 9, 7, pick(rng, BOLD), ink),) if below > 14 else ()
    return replace(
        base,
        case=case,
        face_color=gray(rng, 8, 40),
        middle=-3.0,
        drum=(wide, high),
        prints=prints,
        decimal_color=gray(rng, 220, 250) if white else base.decimal_color,
        decimal_ink=gray(rng, 5, 40) if white else (255, 255, 255),
        red_frame=False,
    )


BUILDERS: dict[str, Callable[[Rng], CounterSpec]] = {
    "water": _water,
    "electricity": _electricity,
    "gas": _gas,
    "hours": _hours,
    "odometer": _odometer,
}
