"""Displays, counters, lamps, selectors and look-alikes: frozen data in the units of `synth.spec`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from synth.spec import Case, Color, DialSpec, Print
from vision.fields import LampColor


@dataclass(frozen=True, slots=True)
class DisplayRow:
    """One row of a display.

    `digits` is what a reader notes (a point, never a comma); `lead` letters before them (a channel, a phase);
    `unit_text` the unit behind them (None: not in the window), `unit` what it declares. `status` is a code shown
    instead of digits ("Er1", "----"): such a row has no digits. `height` compares the rows' digits; `fold` is the
    number of characters on the first line where one number runs over two lines, 0 for none. `label` names the row
    (`label_shown` within the window, else beside it); `color` where its digits differ from the display's.
    """

    digits: str
    lead: str = ""
    unit: str | None = None
    unit_text: str | None = None
    status: str | None = None
    height: float = 1.0
    fold: int = 0
    comma: bool = False
    label: str | None = None
    label_shown: bool = True
    unit_raised: bool = False
    color: Color | None = None


@dataclass(frozen=True, slots=True)
class Icon:
    """A small sign in a display's window: a word, a bar graph filled to `level`, a battery, a sun, an arrow."""

    kind: Literal["word", "boxed", "bars", "battery", "sun", "arrow", "flake"]
    x: float
    y: float
    size: float
    text: str = ""
    level: float = 0.0


@dataclass(frozen=True, slots=True)
class DigitalSpec:
    """A device with a display; `lit` False is a display that is switched off, `bare` one without its device.

    `digit_style`: seven segments, fourteen, a 5x7 dot matrix, or a typeface on pixels. `contrast` fades a liquid
    crystal's digits into their ground. `buttons` are (x, y, half width, half height, colour), `dots` small lamps
    (x, y, radius, colour). The main row is the one with the largest digits, else the top one; the others are channels.
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
    digit_style: Literal["seven", "fourteen", "dots", "type"] = "seven"
    font: str = "DejaVuSans.ttf"
    align_right: bool = True
    fill: float = 0.66
    slots: int = 0
    icons: tuple[Icon, ...] = ()
    contrast: float = 1.0
    backlight: float = 0.0
    frame: float = 4.0
    frame_color: Color = (40, 40, 42)
    round_buttons: bool = True

    @property
    def main(self) -> DisplayRow | None:
        """The row a reader notes: the largest digits, else the top; None where no row shows digits."""
        shown = [row for row in self.rows if row.digits and not row.status]
        return max(shown, key=lambda row: row.height) if shown else None  # max keeps the first of equals

    @property
    def others(self) -> tuple[DisplayRow, ...]:
        """The further rows with digits, from the top."""
        main = self.main
        return tuple(row for row in self.rows if row is not main and row.digits and not row.status)


@dataclass(frozen=True, slots=True)
class SubDial:
    """A small dial on a counter's face: one turn is ten of its steps; `turn` is the part of it gone, 0 at the top."""

    x: float
    y: float
    radius: float
    label: str
    turn: float
    color_name: str = "red"

    @property
    def pointer_deg(self) -> float:
        return (180.0 + 360.0 * self.turn) % 360.0


@dataclass(frozen=True, slots=True)
class CounterSpec:
    """A drum counter: one digit a drum, the last `decimals` drums in the other colour.

    Mid-roll rule: a drum reads as its lower digit until the next one has fully arrived. `shift` in [0, 1) is how far
    the last drum has rolled on; where it passes from 9 to 0 it carries its neighbour along, as real counters do.
    """

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
    subdials: tuple[SubDial, ...] = ()
    model: str | None = None
    face_color: Color = (238, 238, 234)
    middle: float = 0.0
    drum: tuple[float, float] = (20.0, 29.0)
    red_frame: bool = False
    star: tuple[float, float, float] | None = None
    flat: bool = False
    decimal_ink: Color = (255, 255, 255)

    @property
    def readout(self) -> str:
        if not self.decimals:
            return self.digits
        return f"{self.digits[: -self.decimals]}.{self.digits[-self.decimals :]}"

    @property
    def shifts(self) -> tuple[float, ...]:
        """How far each drum has rolled on from its digit: the last one, and those that it carries."""
        rolled = [0.0] * len(self.digits)
        for index in range(len(self.digits) - 1, -1, -1):
            rolled[index] = self.shift
            if self.digits[index] != "9":
                break
        return tuple(rolled)


LampStyle = Literal["dome", "led", "flat", "stack", "ring"]


@dataclass(frozen=True, slots=True)
class LampSpec:
    """A signal lamp: `state` as shown, `lens_color` what it would be when lit.

    `style`: a dome in its ring, a small LED, a flat lens, a segment of a stack light, a push button with a lit ring.
    `legend` is print on the lens; `clear` a colourless lens while off; `core` how far a lit lens burns out to white.
    """

    state: LampColor
    lens_color: Color
    ring: float
    ring_color: Color
    square: bool = False
    faceted: bool = False
    glow: float = 0.6
    prints: tuple[Print, ...] = ()
    model: str | None = None
    style: LampStyle = "dome"
    legend: Print | None = None
    clear: bool = False
    core: float = 0.75


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
    style: Literal["bar", "pointer", "disc", "lever", "key"]
    square: bool
    font: str
    label_size: float = 20.0
    offset_deg: float = 0.0
    prints: tuple[Print, ...] = ()
    model: str | None = None
    ring_color: Color | None = None


@dataclass(frozen=True, slots=True)
class Decor:
    """A thing on a panel that is no instrument: `size` is its half width, `tall` its half height (0: as wide)."""

    kind: Literal["telltale", "duct", "screw", "line", "glow", "hood", "screen", "push", "cable", "pole", "slab"]
    x: float
    y: float
    size: float
    color: Color
    tall: float = 0.0
    seed: int = 0
    text: str = ""


InstrumentSpec = DialSpec | DigitalSpec | CounterSpec | LampSpec | SelectorSpec


ThingKind = Literal[
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


@dataclass(frozen=True, slots=True)
class Distractor:
    """A thing that is no instrument: `kind` says what, `seed` fixes the rest of its look."""

    kind: ThingKind
    seed: int
    texts: tuple[str, ...] = field(default=())
