"""Displays, counters, lamps, selectors and look-alikes: frozen data in the units of `synth.spec`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from synth.spec import Case, Color, DialSpec, Print
from vision.fields import LampColor


@dataclass(frozen=True, slots=True)
class DisplayRow:
    """One row of a display: the digits, letters before them, and the unit behind them (`unit_text` None: not in the window)."""

    digits: str
    lead: str = ""
    unit: str | None = None
    unit_text: str | None = None


@dataclass(frozen=True, slots=True)
class DigitalSpec:
    """A device with a 7-segment display; `lit` False is a display that is switched off, `bare` one without its device.

    `buttons` are (x, y, half width, half height, colour), `dots` small lamps (x, y, radius, colour).
    """

    case: Case
    rows: tuple[DisplayRow, ...]
    window: tuple[float, float, float, float]
    window_color: Color
    digit_color: Color
    led: bool
    slant: float
    stroke: float
    gap: float
    ghost: float
    lit: bool = True
    bare: bool = False
    prints: tuple[Print, ...] = ()
    buttons: tuple[tuple[float, float, float, float, Color], ...] = ()
    dots: tuple[tuple[float, float, float, Color], ...] = ()
    model: str | None = None


@dataclass(frozen=True, slots=True)
class CounterSpec:
    """A drum counter: one digit a drum, the last `decimals` drums in the other colour."""

    case: Case
    digits: str
    decimals: int
    shift: float
    drum_color: Color
    digit_color: Color
    decimal_color: Color
    unit: str | None
    font: str
    prints: tuple[Print, ...] = ()
    subdials: int = 0
    model: str | None = None

    @property
    def readout(self) -> str:
        if not self.decimals:
            return self.digits
        return f"{self.digits[: -self.decimals]}.{self.digits[-self.decimals :]}"


@dataclass(frozen=True, slots=True)
class LampSpec:
    """A signal lamp: `state` as shown, `lens_color` what it would be when lit."""

    state: LampColor
    lens_color: Color
    ring: float
    ring_color: Color
    square: bool = False
    faceted: bool = False
    glow: float = 0.6
    prints: tuple[Print, ...] = ()
    model: str | None = None


@dataclass(frozen=True, slots=True)
class SelectorSpec:
    """A rotary selector: angles of its positions in clockwise order; `position` counts from 1."""

    angles_deg: tuple[float, ...]
    position: int
    labels: tuple[str, ...]
    knob: float
    knob_color: Color
    mark_color: Color
    plate_color: Color
    ink: Color
    style: Literal["bar", "pointer", "disc", "lever"]
    square: bool
    font: str
    label_size: float = 20.0
    offset_deg: float = 0.0
    prints: tuple[Print, ...] = ()
    model: str | None = None


InstrumentSpec = DialSpec | DigitalSpec | CounterSpec | LampSpec | SelectorSpec


@dataclass(frozen=True, slots=True)
class Distractor:
    """A thing that is no instrument: `kind` says what, `seed` fixes the rest of its look."""

    kind: Literal[
        "clock",
        "wheel",
        "knob",
        "lid",
        "sign",
        "bolt",
        "flange",
        "plate",
        "label",
        "button",
        "porthole",
        "speaker",
        "coin",
        "dish",
        "fan",
        "pizza",
        "disc_record",
        "drain",
        "roadsign",
        "socket",
        "compass_rose",
    ]
    seed: int
    texts: tuple[str, ...] = field(default=())
