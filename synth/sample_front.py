"""Fronts of devices: maker's name, labels, keys and small lamps on what a window leaves free."""

from __future__ import annotations

from typing import NamedTuple

from synth import words, words_chinese
from synth.draw import Rng, any_color, between, chance, gray, pick
from synth.fonts import BOLD, CHINESE, SANS
from synth.spec import Case, Color, Print

Button = tuple[float, float, float, float, Color]
Dot = tuple[float, float, float, Color]
DOT_COLORS: tuple[Color, ...] = (
    *((240, 40, 30), (60, 220, 80), (60, 60, 60), (90, 40, 40), (250, 190, 40), (70, 30, 30), (40, 70, 45), (46, 40, 34)),
)


class Front(NamedTuple):
    """What surrounds a window."""

    prints: tuple[Print, ...] = ()
    buttons: tuple[Button, ...] = ()
    dots: tuple[Dot, ...] = ()


def front_ink(rng: Rng, case: Case) -> Color:
    """A colour that stands out from the case."""
    return (
        gray(rng, 10, 60)
        if sum(case.bezel_color) > 380 or (case.shape == "round" and sum(case.bezel_color) > 250)
        else gray(rng, 200, 250)
    )


def plain_front(rng: Rng, window: tuple[float, float, float, float], case: Case) -> Front:
    """Maker's name above, a label or keys below, small lamps along the window."""
    height, ink = 100 * case.aspect, front_ink(rng, case)
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
    if chance(rng, 0.3):
        y = max(-height + 6, window[1] - 6)
        dots = [(-70 + 22.0 * i, y, 2.5, pick(rng, DOT_COLORS)) for i in range(int(rng.integers(1, 5)))]
    return Front(tuple(prints), tuple(buttons), tuple(dots))


def controller_front(rng: Rng, window: tuple[float, float, float, float], case: Case) -> Front:
    """Rows of small lamps and keys with a label at each, in one script or in two."""
    height, ink, font = 100 * case.aspect, front_ink(rng, case), pick(rng, SANS)
    chinese = chance(rng, 0.4)
    prints: list[Print] = []
    buttons: list[Button] = []
    dots: list[Dot] = []
    y = window[3] + 16.0
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
            if chinese:
                below = pick(rng, words_chinese.BUTTON_LABELS if keys else words_chinese.LAMP_LABELS)
                prints.append(Print(below, x, y + 10.5, min(5.5, pitch / (1.1 * len(below))), CHINESE[0], ink))
        y += between(rng, 26, 34)
    return Front(tuple(prints), tuple(buttons), tuple(dots))
