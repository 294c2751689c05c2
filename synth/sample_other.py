"""Lamps and selectors: what they look like and what they show."""

from __future__ import annotations

from typing import Literal

from synth import words, words_chinese
from synth.devices import LampSpec, LampStyle, SelectorSpec
from synth.draw import Rng, any_color, between, chance, gray, near, pick, weighted
from synth.fonts import BOLD, CHINESE
from synth.sample_counter import sample_counter
from synth.spec import Color, Print
from vision.fields import LampColor

__all__ = ["lamp_label", "sample_counter", "sample_lamp", "sample_selector"]

LENSES: dict[LampColor, tuple[Color, ...]] = {
    "red": ((240, 35, 25), (255, 60, 45), (225, 20, 40)),
    "yellow": ((250, 190, 30), (255, 165, 20), (255, 220, 60)),
    "green": ((50, 215, 75), (20, 190, 110), (110, 240, 80)),
}
STYLES: dict[LampStyle, float] = {"dome": 0.5, "led": 0.14, "flat": 0.14, "ring": 0.1, "stack": 0.12}
LEGENDS = ("STOP", "RUN", "FAULT", "ALARM", "ON", "OFF", "TRIP", "LOW", "HIGH", "READY")
SELECTOR_STYLES: tuple[Literal["bar", "pointer", "disc", "lever", "key"], ...] = (
    "bar",
    "bar",
    "pointer",
    "pointer",
    "disc",
    "lever",
    "key",
)
MODES = (
    *words.MODES,
    *(("HAND", "OFF", "AUTO"), ("LOCAL", "REMOTE"), ("OPEN", "CLOSE"), ("FWD", "STOP", "REV"), ("I", "0", "II")),
    *(("OFF", "1", "2", "3"), ("OFF", "LOCAL", "REMOTE"), ("0", "R-S", "S-T", "T-R"), ("OFF", "ON", "START")),
)
CHINESE_MODES = (
    *words_chinese.MODES,
    ("就地", "远方"),
    ("手动", "自动"),
    ("停", "手动", "自动"),
    ("分闸", "合闸"),
    ("就地", "停", "远方"),
)


def lamp_label(rng: Rng, chinese: bool = False) -> str:
    """A legend as it stands beside a lamp."""
    return pick(rng, words_chinese.LAMP_LABELS if chinese else words.LAMP_LABELS)


def sample_lamp(rng: Rng, model: str | None = None) -> LampSpec:
    """A signal lamp, lit in its lens's colour or off. Blue and white lenses have no name in the contract: never drawn here."""
    lens: LampColor = pick(rng, ("red", "yellow", "green"))
    state: LampColor = "off" if chance(rng, 0.27) else lens
    style: LampStyle = "dome" if model is not None else weighted(rng, STYLES)
    square = style == "stack" or (style in ("dome", "flat") and chance(rng, 0.35 if style == "flat" else 0.1))
    prints: tuple[Print, ...] = ()
    ink = gray(rng, 10, 60)
    if model is not None:
        prints = (Print(model, 0.0, pick(rng, (-128.0, 130.0)), between(rng, 22, 36), pick(rng, BOLD), ink),)
    elif style != "stack" and chance(rng, 0.45):
        chinese = chance(rng, 0.3)
        font = pick(rng, CHINESE) if chinese else pick(rng, BOLD)
        frame = pick(rng, ("none", "none", "sticker"))
        size = between(rng, 22, 36)
        prints = (Print(lamp_label(rng, chinese), 0.0, pick(rng, (-128.0, 130.0)), size, font, ink, frame=frame),)  # type: ignore[arg-type]
    legend = None
    if style == "flat" and chance(rng, 0.7):
        chinese = chance(rng, 0.3)
        text = lamp_label(rng, True) if chinese else pick(rng, LEGENDS)
        size = min(40.0, 120 / (len(text) * (1.0 if chinese else 0.68)))
        legend = Print(text, 0.0, 0.0, size, CHINESE[-1] if chinese else pick(rng, BOLD), gray(rng, 5, 40))
    ring = between(rng, 6, 30) if style in ("dome", "flat") else between(rng, 4, 16)
    return LampSpec(
        state=state,
        lens_color=near(rng, pick(rng, LENSES[lens]), 10),
        ring=ring,
        ring_color=gray(rng, 10, 60) if chance(rng, 0.45) else gray(rng, 130, 225),
        square=square,
        faceted=style == "dome" and chance(rng, 0.35),
        glow=between(rng, 0.1, 0.9),
        prints=prints,
        model=model,
        style=style,
        legend=legend,
        clear=style in ("led", "dome") and chance(rng, 0.12),
        core=between(rng, 0.55, 0.92),
    )


def sample_selector(rng: Rng, model: str | None = None) -> SelectorSpec:
    """A rotary selector with two to five positions, numbered clockwise from the first."""
    font = pick(rng, BOLD)
    labels: tuple[str, ...]
    if model is not None or chance(rng, 0.4):
        count = 5 if model is not None else int(rng.integers(2, 6))
        first = 0 if model is None and chance(rng, 0.25) else 1
        labels = tuple(str(i + first) for i in range(count))
    elif chance(rng, 0.28):
        labels, font = pick(rng, CHINESE_MODES), pick(rng, CHINESE)
    else:
        labels = pick(rng, MODES)
    count = len(labels)
    step = {
        2: 90.0 if chance(rng, 0.7) else between(rng, 50, 110),
        3: between(rng, 40, 90),
        4: between(rng, 35, 75),
        5: between(rng, 30, 65),
    }
    start = 180 - step[count] * (count - 1) / 2 + (float(rng.normal(0, 4)) if chance(rng, 0.2) else 0.0)
    plate = (
        gray(rng, 15, 60) if chance(rng, 0.35) else (gray(rng, 150, 245) if chance(rng, 0.85) else near(rng, (220, 200, 60), 12))
    )
    knob_color = pick(
        rng,
        (gray(rng, 8, 50), gray(rng, 8, 50), gray(rng, 8, 50), gray(rng, 120, 220), near(rng, (170, 30, 30), 14), any_color(rng)),
    )
    mark = (
        gray(rng, 225, 255) if sum(knob_color) < 380 else (near(rng, (200, 30, 30), 15) if chance(rng, 0.4) else gray(rng, 5, 40))
    )
    style = pick(rng, SELECTOR_STYLES)
    if style == "key":
        mark = gray(rng, 225, 255) if sum(knob_color) < 300 else gray(rng, 5, 40)
    longest = max(map(len, labels))
    wide = any(ord(c) > 0x2E80 for label in labels for c in label)
    dark = gray(rng, 5, 40) if sum(plate) > 380 else gray(rng, 220, 255)
    knob = between(rng, 38, 60) if longest < 3 or wide else between(rng, 34, 48)
    return SelectorSpec(
        angles_deg=tuple((start + step[count] * i) % 360 for i in range(count)),
        position=int(rng.integers(1, count + 1)),
        labels=labels,
        knob=knob,
        knob_color=knob_color,
        mark_color=mark,
        plate_color=plate,
        ink=dark,
        style=style,
        square=chance(rng, 0.5),
        font=font,
        label_size=between(rng, 13, 20) if longest < 3 else between(rng, 9.5, 12.5),
        offset_deg=float(rng.normal(0, 2)),
        prints=(Print(model, 0.0, 84.0, 16, pick(rng, BOLD), dark),) if model else (),
        model=model,
        ring_color=gray(rng, 130, 225) if chance(rng, 0.35) and style != "key" else None,
    )
