"""Devices with a display: those that sit in a panel here, those for themselves in `synth.sample_standalone`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from synth import words
from synth.devices import DigitalSpec
from synth.draw import Rng, between, chance, gray, near, pick, weighted
from synth.fonts import BOLD, SANS, SYMBOL_SAFE
from synth.sample_device import ICON_WORDS, add_outside_unit, box_case, build_device
from synth.sample_display import meter_rows, plain_rows, process_rows, sample_look, window_icons
from synth.sample_front import Front, controller_front, front_ink, plain_front
from synth.sample_standalone import sample_bare, sample_handheld, sample_pump, sample_round, sample_thermostat
from synth.spec import Print

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


def sample_digital(rng: Rng) -> DigitalSpec:
    """A device with a display, lit or off."""
    spec = BUILDERS[weighted(rng, KINDS)](rng)
    return replace(spec, lit=not chance(rng, 0.04))


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
        rows, front = add_outside_unit(rng, rows, window, case, front)
    icons = window_icons(rng, window, ICON_WORDS) if not look.led and chance(rng, 0.25) else ()
    fill = min(look.fill, 0.58) if icons else look.fill
    return build_device(rng, case, rows, window, look._replace(fill=fill), front, icons=icons)


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
    return build_device(
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
        rows, front = add_outside_unit(rng, rows, window, case, front)
    return build_device(rng, case, rows, window, sample_look(rng, 0.7, plain=True), front)


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
    return build_device(rng, case, rows, window, look._replace(align_right=True, fill=between(rng, 0.6, 0.8)), front, slots=4)


BUILDERS: dict[str, Callable[[Rng], DigitalSpec]] = {
    "plain": _plain,
    "power": _power,
    "controller": _controller,
    "process": _process,
    "thermostat": sample_thermostat,
    "handheld": sample_handheld,
    "pump": sample_pump,
    "round": sample_round,
    "bare": sample_bare,
}
