"""What devices with a display have in common: the case, the front put together, the unit outside the window."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from synth.devices import DigitalSpec, DisplayRow
from synth.draw import Rng, any_color, between, chance, gray, near, pick
from synth.fonts import BOLD, SYMBOL_SAFE
from synth.sample_display import TEXTS, UNITS, Look, Window
from synth.sample_front import Front, front_ink
from synth.spec import Case, Color, Print

ICON_WORDS = ("AUTO", "MAX", "MIN", "HOLD", "SET", "AC", "DC", "REL", "ROOM", "OUT", "ALM", "TOTAL", "NET", "ZERO")


def box_case(rng: Rng, aspect: float) -> Case:
    """A device's case: a rounded box seen from the front."""
    paints = (gray(rng, 15, 60), gray(rng, 190, 245), gray(rng, 190, 245), near(rng, (215, 205, 170), 10), gray(rng, 90, 170))
    color = any_color(rng) if chance(rng, 0.12) else pick(rng, paints)
    bezel, depth, corner, recess = between(rng, 1, 6), between(rng, 10, 50), between(rng, 2, 14), between(rng, 0, 6)
    return Case("square", bezel, color, "flat", depth, near(rng, color, 25), aspect, corner, recess=recess)


def build_device(
    rng: Rng, case: Case, rows: tuple[DisplayRow, ...], window: Window, look: Look, front: Front, **more: Any
) -> DigitalSpec:
    """The device of these parts; `more` replaces what the look says, or sets further fields of the spec."""
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


def add_outside_unit(
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
