"""What survives the tokens: bins of angles and scale fractions, numbers of six digits, and fields reduced to them.

Bin widths: angles 1 degree, scale fraction 0.005.
"""

from __future__ import annotations

from vision.fields import Channel, GaugeFields, ScalePoint
from vision.vocabulary import (
    ANGLE_BIN_DEG,
    ANGLE_BINS,
    ANGLE_FIELDS,
    FRACTION_BIN,
    FRACTION_BINS,
    FRACTION_LOW,
    NUMBER_FIELDS,
)


def quantise_number(value: float) -> float:
    """`value` to six significant digits; what is nearer to zero than 1e-15, minus zero too, becomes zero."""
    return float(f"{value:.6g}") if abs(value) >= 1e-15 else 0.0


def angle_bin(angle: float) -> int:
    """The bin of an angle in degrees, the nearest one; 360 is 0 again."""
    return round(angle / ANGLE_BIN_DEG) % ANGLE_BINS


def fraction_bin(fraction: float) -> int:
    """The bin nearest to a scale fraction; what lies beyond the bins is put into the last one of its side."""
    return min(max(round((fraction - FRACTION_LOW) / FRACTION_BIN), 0), FRACTION_BINS - 1)


def fraction_value(index: int) -> float:
    """The scale fraction at the middle of a bin."""
    return round(FRACTION_LOW + index * FRACTION_BIN, 6)


def quantise(fields: GaugeFields | None) -> GaugeFields | None:
    """What survives a round trip through the tokens: every bin at its centre, numbers at six digits."""
    if fields is None:
        return None
    changes: dict[str, object] = {}
    for name in ANGLE_FIELDS:
        angle = getattr(fields, name)
        changes[name] = None if angle is None else float(angle_bin(angle))
    for name in NUMBER_FIELDS:
        number = getattr(fields, name)
        changes[name] = None if number is None else quantise_number(number)
    if fields.scale_fraction is not None:
        changes["scale_fraction"] = fraction_value(fraction_bin(fields.scale_fraction))
    changes["scale_points"] = tuple(
        ScalePoint(angle=float(angle_bin(p.angle)), value=quantise_number(p.value)) for p in fields.scale_points
    )
    changes["channels"] = tuple(_quantise_channel(channel) for channel in fields.channels)
    return fields.model_copy(update=changes)


def _quantise_channel(channel: Channel) -> Channel:
    changes: dict[str, object] = {}
    if channel.pointer_angle is not None:
        changes["pointer_angle"] = float(angle_bin(channel.pointer_angle))
    for name in ("scale_min", "scale_max"):
        number = getattr(channel, name)
        changes[name] = None if number is None else quantise_number(number)
    return channel.model_copy(update=changes)
