"""What else is printed on a face: unit, multiplier, makers' names, small print, curved rims, stickers."""

from __future__ import annotations

import math

from synth import words
from synth.draw import HUES, Rng, any_color, between, chance, gray, near, pick
from synth.fonts import BOLD, SANS, SYMBOL_SAFE
from synth.spec import Color, DialSpec, Print

TOPIC = {
    "pressure": "pressure",
    "thermometer": "temperature",
    "transformer": "temperature",
    "panel": "electric",
    "quadrant": "electric",
    "edge": "electric",
}


def text_width(text: str, size: float, condensed: float = 1.0) -> float:
    """About the width of a text in face units; exact widths need the font and are the renderer's."""
    return 0.56 * size * condensed * len(text)


def safe_font(text: str, font: str) -> str:
    """A font that has every sign of the text."""
    return SYMBOL_SAFE if any(ord(c) > 0xFF for c in text) else font


class _Rows:
    """Free rows on a face, so that no line of print lies on another one."""

    def __init__(self, rng: Rng, spec: DialSpec, style: str) -> None:
        art = spec.art
        room = min(art.numeral_radius, art.radius - art.major_length) - 0.6 * art.numeral_size
        if spec.second is not None and spec.second[1].numeral_radius < art.numeral_radius:
            room = spec.second[1].numeral_radius - 0.6 * spec.second[1].numeral_size
        self.rng, self.room, (self.x, self.y) = rng, max(room, 20.0), spec.pivot
        self.narrow = spec.scale.sweep_deg < 200
        half = 100 * spec.case.aspect - spec.case.bezel
        if self.narrow and style != "transformer":
            self.low, self.high = self.y - 0.78 * self.room, min(self.y - 14, half - 12)
        elif self.narrow:
            self.low, self.high = self.y - 0.62 * self.room, min(self.y + 70, half - 12)
        else:
            self.low, self.high = self.y - 0.85 * self.room, self.y + self.room
        self.center = self.x - 0.45 * self.room if style == "quadrant" else self.x
        self.used: list[tuple[float, float]] = [(self.y - 11, self.y + 11)]

    def place(self, text: str, size: float) -> tuple[float, float] | None:
        """Row and size that fit, or None: tries some heights, shrinking the text to the width there."""
        for _ in range(7):
            y = between(self.rng, self.low, self.high)
            away = abs(y - self.y)
            wide = 0.62 * self.room if self.narrow else math.sqrt(max(self.room**2 - away**2, 9.0)) * 0.92
            fitted = min(size, size * 2 * wide / text_width(text, size))
            if fitted < 3.0:
                continue
            top, low = y - 0.62 * fitted, y + 0.62 * fitted
            if all(low < start or top > end for start, end in self.used):
                self.used.append((top, low))
                return y, fitted
        return None


def sample_prints(rng: Rng, spec: DialSpec, style: str) -> tuple[Print, ...]:
    """All lines of a face; the unit comes first, so that it finds room where the truth says it is printed."""
    rows = _Rows(rng, spec, style)
    art, ink = spec.art, spec.art.color
    prints: list[Print] = []

    def put(
        text: str,
        size: float,
        color: Color,
        font: str,
        must: bool = False,
        frame: bool = False,
        strokes: int = 0,
        declares: str | None = None,
        second: bool = False,
    ) -> None:
        spot = rows.place(text, size)
        if spot is None and must:
            spot = (rows.y - 0.4 * rows.room if rows.narrow else rows.y + 0.42 * rows.room, min(size, 9.0))
        if spot is not None:
            x = rows.center + float(rng.normal(0, 1.2))
            prints.append(
                Print(
                    text,
                    x,
                    spot[0],
                    spot[1],
                    font,
                    color,
                    0.0,
                    between(rng, 0.82, 1.0),
                    "line" if frame else "none",
                    0.0,
                    strokes,
                    declares,
                    second,
                )
            )

    for text, size in _unit_lines(rng, spec, style):
        color = near(rng, HUES["red"], 10) if chance(rng, 0.05) else ink
        declares = spec.scale.unit if text == spec.scale.unit_text or text.endswith(f" {spec.scale.unit_text}") else None
        put(text, size, color, safe_font(text, art.font), must=True, declares=declares)
    if spec.second is not None and spec.second[0].unit_text is not None:
        text = spec.second[0].unit_text
        size, font = spec.second[1].numeral_size * between(rng, 0.9, 1.3), safe_font(text, art.font)
        put(text, size, spec.second[1].color, font, must=True, declares=spec.second[0].unit, second=True)
    topic = TOPIC.get(style, "other")
    if chance(rng, 0.5):
        put(
            words.brand(rng),
            between(rng, 5, 11),
            ink if chance(rng, 0.7) else any_color(rng),
            pick(rng, BOLD),
            frame=chance(rng, 0.25),
        )
    if chance(rng, 0.4):
        put(pick(rng, words.TOPICS[topic]), between(rng, 5, 9), ink, pick(rng, SANS))
    if chance(rng, 0.16):
        signs, seed = "x" * int(rng.integers(3, 9)), int(rng.integers(1, 2**31))
        put(signs, between(rng, 5, 10), ink, art.font, strokes=seed)
    for _ in range(int(rng.integers(0, 4))):
        strokes = int(rng.integers(1, 2**31)) if chance(rng, 0.12) else 0
        put(words.small_line(rng, topic), between(rng, 3.2, 6), ink, pick(rng, SANS), strokes=strokes)
    return (*prints, *_rim(rng, spec, topic), *_stickers(rng, spec, style))


def _unit_lines(rng: Rng, spec: DialSpec, style: str) -> list[tuple[str, float]]:
    """Unit and multiplier, in one line or two."""
    scale, size = spec.scale, spec.art.numeral_size * between(rng, 0.6, 1.15)
    if style in ("panel", "quadrant", "transformer"):
        size *= 1.2
    factor = None if scale.multiplier is None else f"x{scale.multiplier:g}"
    if scale.unit_text is None:
        return [] if factor is None else [(factor, size * 0.8)]
    if factor is None:
        return [(scale.unit_text, size)]
    return [(f"{factor} {scale.unit_text}", size)] if chance(rng, 0.6) else [(factor, size * 0.8), (scale.unit_text, size)]


def _rim(rng: Rng, spec: DialSpec, topic: str) -> list[Print]:
    """Text along the lower rim of round faces."""
    if spec.case.shape != "round" or not chance(rng, 0.16):
        return []
    radius = 100 - spec.case.bezel - spec.case.ring - between(rng, 5, 8)
    text = (
        f"{pick(rng, words.TOPICS[topic])} {words.serial(rng)}"
        if chance(rng, 0.5)
        else f"{words.brand(rng)} {pick(rng, words.SMALL)}"
    )
    gap = 360 - spec.scale.sweep_deg
    size = min(between(rng, 3.5, 8), math.radians(gap) * radius * 0.8 / (0.62 * len(text)))
    if size < 2.4:
        return []
    middle = spec.scale.start_deg - (gap / 2 if spec.scale.clockwise else -gap / 2)
    return [Print(text, 0.0, 0.0, size, pick(rng, SANS), spec.art.color, middle % 360, 1.0, "none", radius)]


def _stickers(rng: Rng, spec: DialSpec, style: str) -> list[Print]:
    """Calibration stickers stuck on the glass."""
    if not chance(rng, 0.25 if style == "transformer" else 0.04):
        return []
    found = []
    for _ in range(int(rng.integers(1, 3))):
        x, y = between(rng, -45, 45), spec.pivot[1] + between(rng, 12, 45)
        if y < 75:
            text = pick(rng, (words.serial(rng), "CALIBRATED", words.brand(rng), pick(rng, words.NORMS)))
            found.append(
                Print(
                    text, x, y, between(rng, 3, 5.5), pick(rng, SANS), gray(rng, 10, 80), float(rng.normal(0, 6)), 1.0, "sticker"
                )
            )
    return found
