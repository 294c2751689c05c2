"""Needles and the hands beside them: maximum pointers, set hands, markers on the rim.

The measuring needle is never of the colour of a further hand, so that an expert tells them apart at a glance.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, get_args

from synth.draw import HUES, Rng, between, chance, gray, luma, near, pick
from synth.spec import Color, Hand, Needle, NeedleShape, Scale, ScaleArt, TailShape

Shapes = tuple[NeedleShape, ...]
Tails = tuple[TailShape, ...]
HAND_COLORS = ("red", "yellow", "green", "orange", "white", "blue")
MIN_COLOR_DISTANCE = 95
"""Least difference between a further hand and the needle in one of red, green and blue."""
MAX_TAIL, MAX_HUB = 0.6, 0.45
"""Tail and hub as fractions of the length: the tip is the farther end, or nothing would tell them apart."""


class _Fashion(NamedTuple):
    """What needles of one style of instruments look like; widths and tails in face units."""

    shapes: Shapes
    tails: Tails
    width: tuple[float, float]
    tail: tuple[float, float]
    hub: tuple[float, float]


FASHIONS: dict[str, _Fashion] = {
    "pressure": _Fashion(
        ("taper", "taper", "taper", "taper", "knife", "baton", "spade", "lance", "arrow", "syringe"),
        ("flare", "flare", "crescent", "round", "bar", "drop", "bulb", "block", "none", "ring"),
        (3.0, 8.5),
        (16.0, 44.0),
        (3.0, 9.0),
    ),
    "thermometer": _Fashion(
        ("taper", "taper", "arrow", "baton", "open arrow", "lance", "knife", "sword"),
        ("bar", "flare", "none", "round", "crescent", "block"),
        (2.5, 7.0),
        (8.0, 35.0),
        (3.0, 10.0),
    ),
    "transformer": _Fashion(
        ("broad", "broad", "taper", "sword", "baton", "arrow"),
        ("block", "block", "bar", "none", "flare"),
        (4.5, 10.0),
        (12.0, 40.0),
        (4.0, 12.0),
    ),
    "panel": _Fashion(
        ("taper", "knife", "knife", "syringe", "baton", "lance"),
        ("none", "none", "none", "bar"),
        (1.2, 4.0),
        (6.0, 18.0),
        (3.0, 9.0),
    ),
    "automotive": _Fashion(
        ("sword", "taper", "broad", "baton", "knife"), ("none", "none", "bar", "block"), (2.5, 7.0), (8.0, 25.0), (6.0, 24.0)
    ),
    "wild": _Fashion(
        tuple(s for s in get_args(NeedleShape) if s != "disc"), get_args(TailShape), (1.5, 10.0), (8.0, 42.0), (3.0, 24.0)
    ),
}


def _reach(rng: Rng, art: ScaleArt) -> float:
    """Length of a needle: most end among the ticks, within 0.8 to 1.02 of the scale's radius; some are short."""
    edge = art.radius if art.inward else art.radius - art.major_length
    if chance(rng, 0.12):
        return edge * between(rng, 0.62, 0.82)
    depth = art.major_length if art.inward else 0.5 * art.major_length
    return min(max(edge - depth * between(rng, -0.1, 1.15), 0.8 * edge), 1.02 * edge)


def _color(rng: Rng, style: str, face: Color, ink: Color) -> Color:
    """A colour that stands out from the face: mostly that of the print, some signal colours."""
    dark = luma(face) < 110
    if style == "automotive" and chance(rng, 0.6):
        color = near(rng, HUES[pick(rng, ("orange", "red", "white"))], 12)
    elif chance(rng, 0.8 if style in ("pressure", "thermometer") else 0.64):
        color = ink if chance(rng, 0.7) else (HUES["white"] if dark else HUES["black"])
    else:
        names = ("red", "orange", "white", "yellow") if dark else ("red", "blue", "orange", "black", "red")
        color = near(rng, HUES[pick(rng, names)], 12)
    if abs(luma(color) - luma(face)) < 45 and max(color) - min(color) < 60:
        color = HUES["white"] if dark else HUES["black"]
    return color


def sample_needle(rng: Rng, style: str, art: ScaleArt, face: Color, ink: Color) -> Needle:
    """A needle that reaches the scale and stands out from the face."""
    fashion = FASHIONS.get({"quadrant": "panel", "edge": "panel"}.get(style, style), FASHIONS["wild"])
    length, color = _reach(rng, art), _color(rng, style, face, ink)
    shape, tail_shape = pick(rng, fashion.shapes), pick(rng, fashion.tails)
    # A pointer painted on a disc: only where the pivot is not behind a cover.
    if style in ("pressure", "thermometer") and chance(rng, 0.012):
        shape = "disc"
    width = between(rng, *fashion.width) if shape != "disc" else between(rng, 5, 9)
    tail = between(rng, *fashion.tail) if tail_shape != "none" else 0.0
    hub = between(rng, *fashion.hub) if chance(rng, 0.88) else between(rng, 9, 24)
    # A blade whose lower part is hidden: seen from the rim inwards only.
    start = length * between(rng, 0.3, 0.7) if style in ("panel", "edge", "thermometer") and chance(rng, 0.04) else 0.0
    # The tip is the farther end: a tail or a hub as long as the blade would leave nothing to tell them apart.
    tail, hub = min(tail, MAX_TAIL * length), min(hub, MAX_HUB * length)
    signal = near(rng, HUES[pick(rng, ("red", "orange", "red", "white"))], 12)
    two_tone = shape in ("sword", "taper", "lance", "broad") and chance(rng, 0.06)
    return Needle(
        length=length,
        width=width,
        tip_width=width * float(rng.choice([0.1, 0.2, 0.35, 0.8], p=[0.4, 0.3, 0.2, 0.1])),
        tail=tail,
        tail_width=_tail_width(rng, width, tail, tail_shape),
        shape=shape,
        tail_shape=tail_shape,
        color=color,
        hub=hub,
        hub_color=_hub_color(rng, color),
        cap=hub * between(rng, 0.3, 0.7) if chance(rng, 0.45) else 0.0,
        cap_color=gray(rng, 60, 220) if chance(rng, 0.8) else near(rng, (190, 155, 85), 15),
        tail_color=(near(rng, HUES["red"], 10) if chance(rng, 0.5) else HUES["black"]) if chance(rng, 0.05) else None,
        height=between(rng, 1.0, 5.0),
        start=start,
        tip_color=signal if shape in ("baton", "taper", "arrow", "broad") and start == 0 and chance(rng, 0.05) else None,
        tip_from=between(rng, 0.6, 0.88),
        edge_color=_shade(color, 0.7) if two_tone else None,
        hub_style=pick(rng, ("plain", "plain", "plain", "slotted", "dome", "ring")),
        glow=between(rng, 0.3, 1.0) if style == "automotive" and luma(face) < 70 and chance(rng, 0.4) else 0.0,
    )


def _shade(color: Color, gain: float) -> Color:
    red, green, blue = (int(c * gain) for c in color)
    return red, green, blue


def _tail_width(rng: Rng, width: float, tail: float, shape: str) -> float:
    if shape == "flare":
        return width * between(rng, 2.0, 3.4)
    if shape in ("crescent", "round", "ring", "bulb"):
        return min(max(width * between(rng, 1.5, 2.6), 5.0), 0.5 * tail)
    if shape in ("block", "drop"):
        return width * between(rng, 1.4, 2.6)
    return width * between(rng, 0.8, 1.6)


def _hub_color(rng: Rng, needle: Color) -> Color:
    if chance(rng, 0.5):
        return needle
    return gray(rng, 10, 60) if chance(rng, 0.5) else near(rng, (180, 150, 80) if chance(rng, 0.3) else (170, 170, 170), 20)


def _distance(first: Color, second: Color) -> int:
    return max(abs(a - b) for a, b in zip(first, second, strict=True))


def _hand_color(rng: Rng, needle: Needle, label: str) -> str:
    """Red where it differs from the needle, else another signal colour that does; set hands come in more colours.

    Empty where a needle of several colours leaves none.
    """
    shown = [needle.color, *(c for c in (needle.tip_color, needle.edge_color) if c is not None)]
    names = HAND_COLORS[:4] if label == "max" else HAND_COLORS
    others = [name for name in names if all(_distance(HUES[name], color) > MIN_COLOR_DISTANCE for color in shown)]
    if not others:
        return ""
    return "red" if "red" in others and chance(rng, 0.85 if label == "max" else 0.45) else pick(rng, others)


def _max_hand(rng: Rng, needle: Needle, name: str, fraction: float) -> Hand:
    """A pointer that the needle has pushed to its highest value: often with a tail of its own, in front or behind."""
    color = near(rng, HUES[name], 10)
    tailed = chance(rng, 0.55)
    look = replace(
        needle,
        length=needle.length * between(rng, 0.8, 1.04),
        width=max(1.2, needle.width * between(rng, 0.3, 0.9)),
        tip_width=needle.width * between(rng, 0.1, 0.4),
        shape=pick(rng, ("taper", "taper", "baton", "arrow", "sword", "knife")),
        tail_shape=pick(rng, ("bar", "block", "flare")) if tailed else "none",
        tail=min(between(rng, 8, 34), MAX_TAIL * 0.8 * needle.length) if tailed else 0.0,
        tail_width=needle.width * between(rng, 0.7, 1.5),
        color=color,
        hub=needle.hub * between(rng, 0.6, 1.0),
        hub_color=color if chance(rng, 0.6) else needle.hub_color,
        start=0.0,
    )
    # It stands where the needle has been: at the needle or beyond it, unless it was just reset by hand to some place.
    highest = max(fraction, 0.0) + between(rng, 0.0, 1.0) ** 2 * (1.0 - max(fraction, 0.0))
    place = highest if chance(rng, 0.8) else between(rng, 0.0, 1.0)
    return Hand(look, min(place, 1.0), "max", name, above=chance(rng, 0.5))


def _set_hand(rng: Rng, needle: Needle, art: ScaleArt, name: str) -> Hand:
    """A hand set by hand: a whole one below the needle, or a short one from the rim, perhaps with a letter on it."""
    color = near(rng, HUES[name], 10)
    short = chance(rng, 0.4)
    length = needle.length * between(rng, 0.86, 1.04) if short else needle.length * between(rng, 0.72, 1.0)
    look = replace(
        needle,
        length=length,
        width=needle.width * between(rng, 0.9, 1.5) if short else max(1.2, needle.width * between(rng, 0.4, 0.9)),
        tip_width=needle.width * between(rng, 0.1, 0.4),
        shape=pick(
            rng, ("open arrow", "arrow", "broad", "baton") if short else ("taper", "baton", "arrow", "open arrow", "sword")
        ),
        tail_shape="none",
        tail=0.0,
        color=color,
        hub=needle.hub * between(rng, 0.6, 1.0),
        hub_color=color,
        start=length * between(rng, 0.55, 0.78) if short else 0.0,
    )
    lettered = str(int(rng.integers(1, 5))) if short and look.width > 4 and chance(rng, 0.4) else ""
    return Hand(look, between(rng, 0.0, 1.0), "set", name, above=short and chance(rng, 0.3), lettered=lettered)


def sample_hands(
    rng: Rng, needle: Needle, art: ScaleArt, scale: Scale, share: float, fraction: float = 0.0, most: int = 2
) -> tuple[Hand, ...]:
    """Maximum pointers and set hands (channels of the truth), and small markers on the rim (none).

    `fraction` is where the needle stands, `share` the chance of a first hand; no two hands have one colour.
    """
    hands: list[Hand] = []
    plain = replace(needle, tail_color=None, tip_color=None, edge_color=None, glow=0.0, cap=needle.cap * 0.8)
    while len(hands) < most and chance(rng, 0.22 if hands else share):
        label = "max" if chance(rng, 0.55) and all(h.label != "max" for h in hands) else "set"
        name = _hand_color(rng, needle, label)
        if not name or any(h.color_name == name for h in hands):
            break
        hands.append(_max_hand(rng, plain, name, fraction) if label == "max" else _set_hand(rng, plain, art, name))
    if chance(rng, 0.07):
        for _ in range(int(rng.integers(1, 4))):
            color = near(rng, HUES[pick(rng, ("red", "green", "yellow"))], 12)
            look = replace(plain, length=art.radius + between(rng, 0, 3), color=color, start=0.0)
            hands.append(Hand(look, between(rng, 0, 1), "set", "red", marker=True))
    return tuple(hands)
