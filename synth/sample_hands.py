"""Needles and the hands beside them: maximum pointers, set hands, markers on the rim."""

from __future__ import annotations

from dataclasses import replace

from synth.draw import HUES, Rng, between, chance, gray, luma, near, pick
from synth.spec import Color, Hand, Needle, Scale, ScaleArt

SHAPES = ("taper", "taper", "taper", "taper", "baton", "baton", "spade", "lance", "arrow")
TAILS = ("bar", "bar", "flare", "flare", "bulb", "none")


def sample_needle(rng: Rng, style: str, art: ScaleArt, face: Color, ink: Color) -> Needle:
    """A needle that reaches the scale and stands out from the face."""
    reach = art.radius - (art.major_length * between(rng, 0.0, 1.1) if art.inward else art.major_length)
    length = reach * (between(rng, 0.94, 1.03) if chance(rng, 0.75) else between(rng, 0.62, 0.92))
    dark_face = luma(face) < 110
    if chance(rng, 0.62):
        color = ink if chance(rng, 0.7) else (HUES["white"] if dark_face else HUES["black"])
    else:
        names = ("red", "orange", "white", "yellow") if dark_face else ("red", "blue", "orange", "black", "red")
        color = near(rng, HUES[pick(rng, names)], 12)
    if style == "automotive" and chance(rng, 0.6):
        color = near(rng, HUES[pick(rng, ("orange", "red", "white"))], 12)
    if abs(luma(color) - luma(face)) < 45 and max(color) - min(color) < 60:
        color = HUES["white"] if dark_face else HUES["black"]
    width = between(rng, 2.5, 8) if style != "panel" or chance(rng, 0.3) else between(rng, 1.2, 3.0)
    if style == "transformer":
        width = between(rng, 5, 11)
    # A pointer painted on a disc: only where the pivot is not behind a cover.
    shape = "disc" if style in ("pressure", "thermometer") and chance(rng, 0.02) else pick(rng, SHAPES)
    if shape == "disc":
        width = between(rng, 5, 9)
    tail_shape = "none" if style in ("panel", "quadrant", "edge") and chance(rng, 0.7) else pick(rng, TAILS)
    tail = between(rng, 8, 40) if tail_shape != "none" else 0.0
    hub = between(rng, 3, 9) if chance(rng, 0.7) else between(rng, 9, 24)
    if style == "automotive" and chance(rng, 0.6):
        hub = between(rng, 12, 26)
    hub_color = (
        color
        if chance(rng, 0.5)
        else (gray(rng, 10, 60) if chance(rng, 0.5) else near(rng, (180, 150, 80) if chance(rng, 0.3) else (170, 170, 170), 20))
    )
    # The tip is the farther end: a tail or a hub as long as the blade would leave nothing to tell them apart.
    tail, hub = min(tail, 0.6 * length), min(hub, 0.45 * length)
    tip = width * float(rng.choice([0.1, 0.2, 0.35, 0.8], p=[0.4, 0.3, 0.2, 0.1]))
    return Needle(
        length=length,
        width=width,
        tip_width=tip,
        tail=tail,
        tail_width=width * between(rng, 0.8, 1.6) if tail_shape != "flare" else width * between(rng, 2.0, 3.4),
        shape=shape,  # type: ignore[arg-type]
        tail_shape=tail_shape,  # type: ignore[arg-type]
        color=color,
        hub=hub,
        hub_color=hub_color,
        cap=hub * between(rng, 0.3, 0.7) if chance(rng, 0.45) else 0.0,
        cap_color=gray(rng, 60, 220),
        tail_color=near(rng, HUES["red"], 10) if chance(rng, 0.04) else None,
        height=between(rng, 1.0, 5.0),
    )


def _hand_color(rng: Rng, needle: Color) -> str:
    """Red where it differs from the needle, else another signal colour that does."""
    others = [
        n for n in ("red", "yellow", "green", "orange") if max(abs(a - b) for a, b in zip(HUES[n], needle, strict=True)) > 95
    ]
    return "red" if "red" in others and chance(rng, 0.85) else pick(rng, others)


def sample_hands(rng: Rng, needle: Needle, art: ScaleArt, scale: Scale, share: float) -> tuple[Hand, ...]:
    """Maximum pointers and set hands (channels of the truth), and small markers on the rim (none)."""
    hands: list[Hand] = []
    while len(hands) < 2 and chance(rng, 0.15 if hands else share):
        name = _hand_color(rng, needle.color)
        look = replace(
            needle,
            length=needle.length * between(rng, 0.75, 1.05),
            width=needle.width * between(rng, 0.3, 0.9),
            tip_width=needle.width * between(rng, 0.1, 0.4),
            shape=pick(rng, ("taper", "baton", "arrow")),
            tail_shape="none" if chance(rng, 0.6) else "bar",
            tail=between(rng, 5, 25),
            tail_width=needle.width * 0.7,
            color=near(rng, HUES[name], 10),
            hub=needle.hub * between(rng, 0.6, 1.0),
            hub_color=near(rng, HUES[name], 10),
            tail_color=None,
        )
        hands.append(Hand(look, between(rng, -0.02, 1.0), "max" if chance(rng, 0.6) else "set", name))
    if chance(rng, 0.07):
        for _ in range(int(rng.integers(1, 4))):
            look = replace(
                needle, length=art.radius + between(rng, 0, 3), color=near(rng, HUES[pick(rng, ("red", "green", "yellow"))], 12)
            )
            hands.append(Hand(look, between(rng, 0, 1), "set", "red", marker=True))
    return tuple(hands)
