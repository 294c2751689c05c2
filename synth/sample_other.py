"""Displays, counters, lamps and selectors: what they look like and what they show."""

from __future__ import annotations

from synth import words
from synth.draw import Rng, any_color, between, chance, gray, near, pick
from synth.fonts import BOLD, SANS, SYMBOL_SAFE
from synth.spec import Case, Color, CounterSpec, DigitalSpec, DisplayRow, LampSpec, Print, SelectorSpec
from vision.fields import LampColor

DISPLAY_UNITS = (
    "bar",
    "psi",
    "kPa",
    "MPa",
    "°C",
    "°C",
    "°F",
    "V",
    "A",
    "kW",
    "Hz",
    "kWh",
    "% RH",
    "%",
    "r/min",
    "L",
    "L/min",
    "m3/h",
    "mA",
    "kgf/cm2",
    "mbar",
)
DISPLAY_TEXT = {"m3/h": "m³/h", "kgf/cm2": "kg/cm²", "% RH": "%RH", "r/min": "rpm", "L": "LITRES"}
LED_COLORS: tuple[Color, ...] = ((255, 40, 30), (255, 40, 30), (60, 255, 90), (90, 190, 255), (255, 190, 40), (250, 250, 250))
LENSES: dict[LampColor, tuple[Color, ...]] = {
    "red": ((240, 35, 25), (255, 70, 50), (225, 20, 40)),
    "yellow": ((250, 190, 30), (255, 160, 20), (255, 220, 60)),
    "green": ((50, 215, 75), (20, 190, 110), (130, 250, 90)),
}


def box_case(rng: Rng, aspect: float) -> Case:
    """A device's case: a rounded box seen from the front."""
    color = pick(
        rng,
        (
            gray(rng, 15, 60),
            gray(rng, 190, 245),
            gray(rng, 190, 245),
            near(rng, (215, 205, 170), 10),
            gray(rng, 90, 170),
            any_color(rng),
        ),
    )
    return Case(
        "square",
        between(rng, 1, 6),
        color,
        "flat",
        between(rng, 10, 50),
        near(rng, color, 25),
        aspect,
        between(rng, 2, 14),
        recess=between(rng, 0, 6),
    )


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


def sample_digital(rng: Rng) -> DigitalSpec:
    """A panel display or a handheld one, LED or LCD, with one to four rows."""
    led = chance(rng, 0.42)
    count = int(rng.choice([1, 2, 3, 4], p=[0.66, 0.17, 0.11, 0.06]))
    same_unit = chance(rng, 0.6)
    unit = pick(rng, DISPLAY_UNITS) if chance(rng, 0.62) else None
    rows = []
    for index in range(count):
        row_unit = unit if same_unit or index == 0 else pick(rng, DISPLAY_UNITS)
        lead = pick(rng, ("b", "P", "C", "A", "H", "L")) if chance(rng, 0.06) else ""
        rows.append(DisplayRow(sample_digits(rng), lead, row_unit, DISPLAY_TEXT.get(row_unit, row_unit) if row_unit else None))
    aspect = between(rng, 0.42, 0.75) if count == 1 else between(rng, 0.65, 1.05)
    round_case = count == 1 and chance(rng, 0.12)
    case = box_case(rng, 1.0 if round_case else aspect)
    if round_case:
        case = Case(
            "round",
            between(rng, 5, 14),
            gray(rng, 60, 220),
            "metal",
            30,
            gray(rng, 30, 120),
            stem="bottom",
            recess=between(rng, 0, 6),
        )
    height = 100 * case.aspect
    wide = between(rng, 0.6, 0.92) if not round_case else between(rng, 0.55, 0.68)
    tall = between(rng, 0.38, 0.8) if not round_case else between(rng, 0.25, 0.4)
    shift = between(rng, -0.7, 0.2) * (1 - tall) * height
    window = (-100 * wide, shift - tall * height, 100 * wide, shift + tall * height)
    ink: Color
    if led:
        window_color, ink = gray(rng, 4, 34), near(rng, pick(rng, LED_COLORS), 12)
    elif chance(rng, 0.2):
        window_color, ink = near(rng, pick(rng, ((40, 90, 200), (10, 60, 130), (30, 30, 40))), 10), gray(rng, 215, 250)
    else:
        backs = (
            (168, 182, 152),
            (150, 165, 140),
            (190, 196, 184),
            (200, 205, 200),
            (120, 190, 60),
            (235, 200, 30),
            (205, 225, 150),
        )
        window_color, ink = near(rng, pick(rng, backs), 10), gray(rng, 12, 70)
    prints, buttons, dots = _device_prints(rng, window, height, case, round_case)
    return DigitalSpec(
        case=case,
        rows=tuple(rows),
        window=window,
        window_color=window_color,
        digit_color=ink,
        led=led,
        slant=between(rng, 0, 0.18) if chance(rng, 0.7) else 0.0,
        stroke=between(rng, 0.09, 0.155),
        gap=between(rng, 0.004, 0.022),
        ghost=between(rng, 0.02, 0.14) if chance(rng, 0.6) else 0.0,
        lit=not chance(rng, 0.04),
        bare=chance(rng, 0.12) and not round_case,
        prints=prints,
        buttons=buttons,
        dots=dots,
    )


def _device_prints(
    rng: Rng, window: tuple[float, float, float, float], height: float, case: Case, round_case: bool
) -> tuple[
    tuple[Print, ...], tuple[tuple[float, float, float, float, Color], ...], tuple[tuple[float, float, float, Color], ...]
]:
    ink = gray(rng, 10, 60) if sum(case.bezel_color) > 380 else gray(rng, 200, 250)
    if round_case:
        ink = gray(rng, 10, 60)
    prints: list[Print] = []
    top, bottom = (window[1] + height) * 0.5, (height - window[3]) * 0.5
    if top > 5 and chance(rng, 0.7):
        prints.append(
            Print(
                words.brand(rng), between(rng, -50, 50), -height + top, min(top * 0.9, between(rng, 7, 14)), pick(rng, BOLD), ink
            )
        )
    if bottom > 7 and chance(rng, 0.45):
        prints.append(
            Print(
                pick(rng, words.LABELS),
                between(rng, -30, 30),
                height - bottom,
                min(bottom * 0.9, between(rng, 7, 16)),
                pick(rng, SANS),
                ink,
            )
        )
    buttons = []
    if bottom > 8 and all(line.y < 0 for line in prints) and chance(rng, 0.6):
        count, size, color = (
            int(rng.integers(2, 6)),
            min(bottom * 0.55, between(rng, 4, 9)),
            any_color(rng) if chance(rng, 0.4) else gray(rng, 20, 220),
        )
        buttons = [
            ((i - (count - 1) / 2) * size * between(rng, 3.0, 3.01), height - bottom, size * 1.1, size * 0.8, color)
            for i in range(count)
        ]
    dots = []
    if chance(rng, 0.3) and not round_case:
        for index in range(int(rng.integers(1, 5))):
            color = pick(rng, ((240, 40, 30), (60, 220, 80), (60, 60, 60), (90, 40, 40), (250, 190, 40)))
            dots.append((-70 + 22.0 * index, max(-height + 6, window[1] - 6), 2.5, color))
    return tuple(prints), tuple(buttons), tuple(dots)


def sample_counter(rng: Rng) -> CounterSpec:
    """A drum counter as on water, gas and hour meters."""
    count = int(rng.integers(4, 9))
    decimals = int(rng.integers(1, min(4, count - 1))) if chance(rng, 0.5) else 0
    unit = pick(rng, ("m3", "kWh", "L", "m3")) if chance(rng, 0.8) else None
    dark = chance(rng, 0.7)
    round_case = chance(rng, 0.45)
    case = (
        Case(
            "round",
            between(rng, 3, 12),
            gray(rng, 60, 220) if chance(rng, 0.7) else any_color(rng),
            "metal",
            30,
            gray(rng, 40, 150),
        )
        if round_case
        else box_case(rng, between(rng, 0.4, 0.8))
    )
    text = {"m3": "m³"}.get(unit, unit) if unit else None
    height = 100 * case.aspect
    prints = (
        [
            Print(
                text,
                between(rng, 45, 60) if round_case else 0.0,
                between(rng, -0.6, -0.5) * height if not round_case else 18.0,
                13,
                SYMBOL_SAFE,
                (20, 20, 20),
            )
        ]
        if text
        else []
    )
    prints.append(Print(words.serial(rng), 0.0, 0.68 * height, 7, pick(rng, SANS), (30, 30, 30)))
    if chance(rng, 0.6):
        prints.append(Print(words.brand(rng), 0.0, (-0.42 if round_case else -0.8) * height, 9, pick(rng, BOLD), (30, 30, 60)))
    return CounterSpec(
        case=case,
        digits="".join(str(int(d)) if i or chance(rng, 0.3) else "0" for i, d in enumerate(rng.integers(0, 10, count))),
        decimals=decimals,
        shift=between(rng, 0, 0.35),
        drum_color=gray(rng, 8, 40) if dark else gray(rng, 215, 250),
        digit_color=gray(rng, 225, 255) if dark else gray(rng, 5, 40),
        decimal_color=near(rng, (200, 30, 30), 12),
        unit=unit,
        font=pick(rng, SANS),
        prints=tuple(prints),
        subdials=int(rng.integers(1, 5)) if round_case and chance(rng, 0.6) else 0,
    )


def sample_lamp(rng: Rng, model: str | None = None) -> LampSpec:
    """A signal lamp, lit in its lens's colour or off."""
    lens: LampColor = pick(rng, ("red", "yellow", "green"))
    state: LampColor = "off" if chance(rng, 0.27) else lens
    text = pick(rng, words.LAMP_LABELS) if chance(rng, 0.45) else None
    if model is not None:
        text = model
    prints = (
        (Print(text, 0.0, pick(rng, (-128.0, 130.0)), between(rng, 22, 36), pick(rng, BOLD), gray(rng, 10, 60)),) if text else ()
    )
    return LampSpec(
        state=state,
        lens_color=near(rng, pick(rng, LENSES[lens]), 10),
        ring=between(rng, 6, 30),
        ring_color=gray(rng, 10, 60) if chance(rng, 0.45) else gray(rng, 130, 225),
        square=chance(rng, 0.12),
        faceted=chance(rng, 0.3),
        glow=between(rng, 0.1, 0.9),
        prints=prints,
        model=model,
    )


def sample_selector(rng: Rng, model: str | None = None) -> SelectorSpec:
    """A rotary selector with two to five positions, numbered clockwise from the first."""
    if model is not None or chance(rng, 0.55):
        count = 5 if model is not None else int(rng.integers(3, 6))
        labels: tuple[str, ...] = tuple(str(i + 1) for i in range(count))
    else:
        labels = pick(rng, words.MODES)
        count = len(labels)
    step = {2: 90.0, 3: between(rng, 40, 90), 4: between(rng, 35, 75), 5: between(rng, 30, 65)}[count]
    first = 180 - step * (count - 1) / 2 + (float(rng.normal(0, 4)) if chance(rng, 0.2) else 0.0)
    plate = gray(rng, 15, 60) if chance(rng, 0.35) else gray(rng, 150, 245)
    knob_color = pick(rng, (gray(rng, 8, 50), gray(rng, 8, 50), gray(rng, 120, 220), any_color(rng)))
    mark = (
        gray(rng, 225, 255) if sum(knob_color) < 380 else (near(rng, (200, 30, 30), 15) if chance(rng, 0.4) else gray(rng, 5, 40))
    )
    return SelectorSpec(
        angles_deg=tuple((first + step * i) % 360 for i in range(count)),
        position=int(rng.integers(1, count + 1)),
        labels=labels,
        knob=between(rng, 42, 62),
        knob_color=knob_color,
        mark_color=mark,
        plate_color=plate,
        ink=gray(rng, 5, 40) if sum(plate) > 380 else gray(rng, 220, 255),
        style=pick(rng, ("bar", "pointer", "disc", "lever")),
        square=chance(rng, 0.5),
        font=pick(rng, BOLD),
        label_size=between(rng, 13, 22) if max(map(len, labels)) < 3 else between(rng, 10, 13),
        offset_deg=float(rng.normal(0, 2)),
        prints=(Print(model, 0.0, 84.0, 16, pick(rng, BOLD), gray(rng, 5, 40) if sum(plate) > 380 else gray(rng, 220, 255)),)
        if model
        else (),
        model=model,
    )
