"""Dials and what instruments are made of: frozen data that says what is printed on a face and what it shows.

Lengths are in **face units**: 100 is the half width of the case, the origin its centre, x to the right and y
down in the instrument's own upright frame. Angles are degrees clockwise from 6 o'clock. Colours are RGB.
Only geometry and print live here; pose, light and wear belong to the scene.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from synth.face_look import PLAIN_FACE, FaceLook
from synth.scale import Scale as Scale

Color = tuple[int, int, int]
Vec = tuple[float, float]
CaseShape = Literal["round", "square", "wide"]
NeedleShape = Literal["taper", "baton", "arrow", "lance", "spade", "disc", "sword", "knife", "broad", "open arrow", "syringe"]
TailShape = Literal["none", "bar", "flare", "bulb", "crescent", "round", "block", "drop", "ring"]
HubStyle = Literal["plain", "ring", "slotted", "dome"]
Frame = Literal["none", "line", "sticker", "badge", "oval", "oval badge", "circle", "underline", "swoosh", "label", "rhomb"]


@dataclass(frozen=True, slots=True)
class ScaleArt:
    """How a scale is drawn; radii from the pivot in face units. `inward` ticks run from `radius` to the pivot.

    Numbers stand on `numeral_radius`, or, with `numeral_gap` above 0, that far from their ticks' ends whatever their
    width (`numeral_radius` is then the one nearest to the pivot). `numerals_at` are the values that carry numbers
    where not every `numeral_every`-th major does, `sizes` their sizes as parts of `numeral_size`, one for each printed
    number. `short` prints 0, 0.5, 1 instead of 0.0, 0.5, 1.0; `plus` signs positive numbers; numbers from `accent_from`
    on are printed in `accent_color`. `comma` prints 0,4 for 0.4. The first and the last tick are `end_extra` longer.
    """

    radius: float
    major_length: float
    minor_length: float
    major_width: float
    minor_width: float
    numeral_radius: float
    numeral_size: float
    color: Color
    font: str
    condensed: float = 1.0
    inward: bool = True
    arc: bool = False
    arc_width: float = 1.0
    numerals_rotated: bool = False
    numeral_every: int = 1
    unsigned: bool = False
    numeral_color: Color | None = None
    dotted: bool = False
    numeral_gap: float = 0.0
    numerals_at: tuple[float, ...] = ()
    sizes: tuple[float, ...] = ()
    short: bool = False
    plus: bool = False
    accent_from: float | None = None
    accent_color: Color | None = None
    end_extra: float = 0.0
    comma: bool = False


@dataclass(frozen=True, slots=True)
class Zone:
    """A coloured part of the scale between two fractions of the sweep; radii of its band in face units."""

    start: float
    end: float
    inner: float
    outer: float
    color: Color


@dataclass(frozen=True, slots=True)
class Needle:
    """A hand: `length` from the pivot to the tip, `tail` beyond the pivot, `height` above the face.

    The blade is seen from `start` on, where something hides what is nearer to the pivot. `tip_color` paints it from
    `tip_from` (a fraction of its length) on, `edge_color` one of its two sides. `glow` lights it from below.
    """

    length: float
    width: float
    tip_width: float
    tail: float
    tail_width: float
    shape: NeedleShape
    tail_shape: TailShape
    color: Color
    hub: float
    hub_color: Color
    cap: float = 0.0
    cap_color: Color = (120, 120, 120)
    tail_color: Color | None = None
    height: float = 3.0
    start: float = 0.0
    tip_color: Color | None = None
    tip_from: float = 1.0
    edge_color: Color | None = None
    hub_style: HubStyle = "plain"
    glow: float = 0.0


@dataclass(frozen=True, slots=True)
class Hand:
    """A further hand beside the measuring needle: a maximum pointer or a set hand.

    `above` says that it turns in front of the measuring needle; `lettered` is written on its tip.
    """

    needle: Needle
    fraction: float
    label: Literal["max", "set"]
    color_name: str
    marker: bool = False
    above: bool = False
    lettered: str = ""


@dataclass(frozen=True, slots=True)
class Print:
    """A line of text on a face or a plate, centred at (x, y), turned by `angle_deg` clockwise.

    With `curve` the text runs on a circle of that radius about (x, y), its middle at `angle_deg` clockwise from
    6 o'clock. `declares` is the unit that the line prints, `declares_second` True where it is a
    further scale's. `slant` leans the letters to the right (0.25 is an italic), `fill` is the colour of a badge or
    label, `tracking` widens the gaps between letters by so many font sizes, `vertical` writes one letter below the
    other. `symbol` names a sign that is drawn in place of the text
    (`synth.flat.symbols`), `seed` what chance decides in it.
    """

    text: str
    x: float
    y: float
    size: float
    font: str
    color: Color
    angle_deg: float = 0.0
    condensed: float = 1.0
    frame: Frame = "none"
    curve: float = 0.0
    seed: int = 0
    declares: str | None = None
    declares_second: bool = False
    slant: float = 0.0
    fill: Color | None = None
    tracking: float = 0.0
    vertical: bool = False
    alpha: float = 1.0
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """Case and bezel. `bezel` is the rim's width; `flange` a mounting plate's half width or 0; `aspect` height / width."""

    shape: CaseShape
    bezel: float
    bezel_color: Color
    bezel_style: Literal["metal", "flat", "stepped", "none"]
    depth: float
    side_color: Color
    aspect: float = 1.0
    corner: float = 6.0
    flange: float = 0.0
    flange_square: bool = False
    flange_color: Color = (90, 90, 90)
    stem: Literal["none", "bottom", "top", "left"] = "none"
    stem_color: Color = (170, 140, 70)
    recess: float = 8.0
    ring: float = 0.0
    ring_color: Color = (20, 20, 20)


@dataclass(frozen=True, slots=True)
class Inner:
    """A small display or counter in a dial's face: a channel of the dial. Half sizes in face units about (x, y)."""

    style: Literal["lcd", "led", "drums"]
    digits: str
    x: float
    y: float
    half_width: float
    half_height: float
    back: Color
    ink: Color
    label: str
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class DialSpec:
    """A dial: everything printed on it and where its needle stands (`fraction` of the sweep).

    `skirt` is the height below which a panel meter's cover hides the face, None for none; `cover` how far one
    over the lower right corner reaches, 0 for none. `look` is the face's own below the print.
    """

    case: Case
    face_color: Color
    pivot: Vec
    scale: Scale
    art: ScaleArt
    needle: Needle
    fraction: float
    second: tuple[Scale, ScaleArt] | None = None
    third: tuple[Scale, ScaleArt] | None = None
    zones: tuple[Zone, ...] = ()
    hands: tuple[Hand, ...] = ()
    prints: tuple[Print, ...] = ()
    screws: tuple[tuple[float, float, float], ...] = ()
    skirt: float | None = None
    cover: float = 0.0
    skirt_color: Color = (30, 30, 30)
    stop_pin: bool = False
    reset_knob: float = 0.0
    glass: float = 1.0
    model: str | None = None
    inner: Inner | None = None
    look: FaceLook = PLAIN_FACE

    @property
    def pointer_deg(self) -> float:
        return self.scale.angle_at(self.fraction)

    @property
    def further_scales(self) -> tuple[tuple[Scale, ScaleArt], ...]:
        """The second and the third scale where there are any."""
        return tuple(pair for pair in (self.second, self.third) if pair is not None)


def direction(angle_deg: float) -> Vec:
    """Unit vector in the face plane at an angle clockwise from 6 o'clock (x right, y down)."""
    turn = math.radians(angle_deg)
    return -math.sin(turn), math.cos(turn)


def polar(pivot: Vec, radius: float, angle_deg: float) -> Vec:
    """Point at `radius` and `angle_deg` from a pivot."""
    dx, dy = direction(angle_deg)
    return pivot[0] + radius * dx, pivot[1] + radius * dy
