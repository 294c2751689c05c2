"""The contract: what a reading of an instrument is made of.

Everything that crosses a room or the disk is one of these frozen models. A field that was not read is
`None`, never a default value. Angles are degrees **clockwise from 6 o'clock** in the dial's own upright
frame; pixels are those of the upright photo (EXIF orientation applied), x to the right, y down.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from vision.units import parse_unit, split_multiplier

Kind = Literal["dial", "digital", "counter", "lamp", "selector"]
LampColor = Literal["red", "yellow", "green", "off"]
ValueSource = Literal["calibration_formula", "numerals", "printed_scale", "digits"]
ModelSource = Literal["given", "registry", "nameplate"]

KINDS: tuple[Kind, ...] = ("dial", "digital", "counter", "lamp", "selector")
LAMP_COLORS: tuple[LampColor, ...] = ("red", "yellow", "green", "off")
POINT_NAMES = ("needle_tip", "pivot", "scale_start", "scale_end")
DIGITS_PATTERN = r"^[+-]?[0-9]*\.?[0-9]+$|^[+-]?[0-9]+\.$"
MAX_DIGITS = 16

Angle = Annotated[float, Field(ge=0, lt=360, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
UnitName = Annotated[str, AfterValidator(parse_unit)]
PrintedNumber = Annotated[float, Field(ge=-9e14, le=9e14, allow_inf_nan=False)]
Point = tuple[Finite, Finite]
Box = tuple[Finite, Finite, Finite, Finite]
Fraction = Annotated[float, Field(ge=0, le=1)]


def _known_multiplied_unit(text: str) -> str:
    factor, unit = split_multiplier(text)
    return parse_unit(unit) if factor == 1.0 else f"x{factor:g} {parse_unit(unit)}"


ValueUnit = Annotated[str, AfterValidator(_known_multiplied_unit)]


class Contract(BaseModel):
    """Base of all contract models: frozen, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ScalePoint(Contract):
    """One printed mark of a scale: its angle and the value printed beside it."""

    angle: Angle
    value: PrintedNumber


class Channel(Contract):
    """A further needle, scale or display row of the same instrument."""

    label: str | None = None
    color: str | None = None
    pointer_angle: Angle | None = None
    scale_min: PrintedNumber | None = None
    scale_max: PrintedNumber | None = None
    unit: UnitName | None = None
    digital_readout: Annotated[str, Field(pattern=DIGITS_PATTERN, max_length=MAX_DIGITS)] | None = None


class GaugeFields(Contract):
    """What is printed on and shown by one instrument, as seen.

    `scale_min` and `scale_max` are as printed; a face marked `x1000 r/min` has `scale_multiplier` 1000
    and `unit` `r/min`. `scale_fraction` is the fraction of the sweep angle, 0 at the scale's start and 1
    at its end; it may run slightly outside.
    """

    kind: Kind
    pointer_angle: Angle | None = None
    start_angle: Angle | None = None
    end_angle: Angle | None = None
    clockwise: bool | None = None
    scale_fraction: Annotated[float, Field(ge=-0.5, le=1.5)] | None = None
    scale_min: PrintedNumber | None = None
    scale_max: PrintedNumber | None = None
    scale_multiplier: Annotated[float, Field(ge=1e-30, le=9e14)] | None = None
    scale_points: tuple[ScalePoint, ...] = ()
    unit: UnitName | None = None
    warning_light_color: LampColor | None = None
    mode_dial_position: Annotated[int, Field(ge=1, le=5)] | None = None
    digital_readout: Annotated[str, Field(pattern=DIGITS_PATTERN, max_length=MAX_DIGITS)] | None = None
    channels: tuple[Channel, ...] = ()


class EvidencePoints(Contract):
    """Where the reading was taken, in pixels of the upright photo."""

    needle_tip: Point | None = None
    pivot: Point | None = None
    scale_start: Point | None = None
    scale_end: Point | None = None


class InstrumentReading(Contract):
    """One instrument of a photo: fields, evidence, and a value with its interval, or the reason why not.

    Raises ValidationError where an abstained reading carries a value or a read one has no interval
    around its value: a wrong number reported with confidence is the worst bug this product can have.
    `value_confidence` is the probability that the true value lies in that interval and that the unit, where one is stated,
    is the right one; a reading without a unit states the number that is printed, and nothing of what it is measured in.
    `adapted` says that the adapter of `instrument_model` took part.
    """

    kind: Kind
    instrument_model: str | None = None
    model_source: ModelSource | None = None
    box: Box
    points: EvidencePoints = EvidencePoints()
    fields: GaugeFields
    confidence: dict[str, Fraction] = {}
    value_confidence: Fraction = 0.0
    value: Finite | None = None
    value_low: Finite | None = None
    value_high: Finite | None = None
    unit: ValueUnit | None = None
    value_source: ValueSource | None = None
    status: Literal["read", "abstained"]
    reason: str | None = None
    adapted: bool = False

    @model_validator(mode="after")
    def _value_is_whole(self) -> InstrumentReading:
        parts = (self.value, self.value_low, self.value_high, self.value_source)
        given = [part is not None for part in parts]
        if any(given) and not all(given):
            raise ValueError(f"value, value_low, value_high and value_source go together, got {parts}")
        if (
            self.value is not None
            and self.value_low is not None
            and self.value_high is not None
            and not self.value_low <= self.value <= self.value_high
        ):
            raise ValueError(f"value {self.value} lies outside its interval [{self.value_low}, {self.value_high}]")
        if self.status == "abstained":
            if self.value is not None:
                raise ValueError(f"an abstained reading must not carry a value, got {self.value}")
            if not self.reason:
                raise ValueError("an abstained reading needs a reason")
        return self


class Weights(Contract):
    """Which weights produced a reading."""

    name: str
    version: str


class PhotoReading(Contract):
    """Everything read from one photo: one line of `gauge read --json`."""

    photo: str
    sha256: str | None
    status: Literal["read", "abstained", "error"]
    reason: str | None = None
    instruments: tuple[InstrumentReading, ...] = ()
    weights: Weights
    timing_ms: dict[str, float] = {}

    @model_validator(mode="after")
    def _status_is_honest(self) -> PhotoReading:
        read = any(instrument.status == "read" for instrument in self.instruments)
        if self.status == "error" and self.instruments:
            raise ValueError("a photo that could not be opened has no instruments")
        if self.status != "error" and read != (self.status == "read"):
            raise ValueError(f"status {self.status!r} does not follow from the instruments' own")
        if self.status != "read" and not self.reason:
            raise ValueError(f"a photo with status {self.status!r} needs a reason")
        return self


def sweep_deg(start_angle: float, end_angle: float, clockwise: bool) -> float:
    """Sweep of a scale in degrees, in (0, 360]: a full-circle scale starts and ends at the same angle."""
    sweep = (end_angle - start_angle if clockwise else start_angle - end_angle) % 360.0
    return sweep or 360.0


def angle_fraction(angle: float, start_angle: float, end_angle: float, clockwise: bool) -> float:
    """Fraction of the sweep at `angle`: 0 at the start, 1 at the end.

    An angle in the scale's gap is counted from the nearer end, so a needle resting on a stop just
    below the start gives a small negative fraction instead of one above 1.
    """
    sweep = sweep_deg(start_angle, end_angle, clockwise)
    run = (angle - start_angle if clockwise else start_angle - angle) % 360.0
    if run > sweep + (360.0 - sweep) / 2.0:
        run -= 360.0
    return run / sweep


def fields_value(fields: GaugeFields) -> float | None:
    """The value that the fields themselves state: from the digits, or linearly from the printed scale.

    None where a needed field was not read, or where the scale is not linear and has no points.
    """
    if fields.kind in ("digital", "counter"):
        return None if fields.digital_readout is None else float(fields.digital_readout)
    if fields.kind != "dial" or fields.scale_fraction is None:
        return None
    if fields.scale_min is None or fields.scale_max is None:
        return None
    return fields.scale_min + fields.scale_fraction * (fields.scale_max - fields.scale_min)


def dump_fields(fields: GaugeFields) -> dict[str, Any]:
    """Fields as plain JSON data, unread fields as null."""
    return fields.model_dump(mode="json")
