"""What no instrument can show: pressures below vacuum, temperatures below absolute zero, humidity outside 0 to 100 %.

A scale taken for another, or one read far beyond its numbers, gives such values. They are not stated.
"""

from __future__ import annotations

from typing import NamedTuple

from vision.units import compatible, convert


class _Bound(NamedTuple):
    """The least and the greatest value of a quantity, in `unit`, with what to say beyond them."""

    unit: str
    low: float
    high: float
    why: str


BOUNDS = (
    # Below the sea level's 1.013 bar no gauge reads; the margin is for readings of a full vacuum.
    _Bound("bar", -1.08, float("inf"), "no gauge pressure lies below a full vacuum"),
    _Bound("°C", -273.2, float("inf"), "no temperature lies below absolute zero"),
    _Bound("% RH", -5.0, 105.0, "relative humidity lies between 0 and 100 %"),
)


BAROMETER_MBAR = (800.0, 1120.0)
"""Weather barometers count in here; no gauge of bar or MPa has a scale that lies in these numbers."""
LARGE_PRESSURES = ("bar", "MPa", "kPa", "psi")


def why_impossible(value: float, unit: str | None, scale: tuple[float | None, float | None] = (None, None)) -> str | None:
    """Why nothing can have this value, or None where something can (or the unit is not known).

    `scale`: the printed ends, where they are known. From 960 to 1040 runs a barometer in mbar, whose `m` was not seen.
    """
    if unit is None:
        return None
    low, high = scale
    weather = low is not None and high is not None and BAROMETER_MBAR[0] <= min(low, high) <= max(low, high) <= BAROMETER_MBAR[1]
    if weather and unit in LARGE_PRESSURES:
        return f"{value:.4g} {unit} cannot be: a scale from {low:g} to {high:g} is that of a barometer in mbar"
    for bound in BOUNDS:
        # A level or a power factor has no dimension either, and is no humidity.
        same = unit == bound.unit if bound.unit.startswith("%") else compatible(unit, bound.unit)
        if same and not bound.low <= convert(value, unit, bound.unit) <= bound.high:
            return f"{value:.4g} {unit} cannot be: {bound.why}"
    return None
