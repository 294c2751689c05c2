"""Counters, lamps and selectors: what they look like and what they show."""

from __future__ import annotations

from synth import words
from synth.devices import CounterSpec, LampSpec, SelectorSpec
from synth.draw import Rng, any_color, between, chance, gray, near, pick
from synth.fonts import BOLD, SANS, SYMBOL_SAFE
from synth.sample_digital import box_case
from synth.spec import Case, Color, Print
from vision.fields import LampColor

LENSES: dict[LampColor, tuple[Color, ...]] = {
    "red": ((240, 35, 25), (255, 70, 50), (225, 20, 40)),
    "yellow": ((250, 190, 30), (255, 160, 20), (255, 220, 60)),
    "green": ((50, 215, 75), (20, 190, 110), (130, 250, 90)),
}


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
                declares=unit,
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
