"""Values against intervals, units included: what "right" means for a number with a unit."""

from __future__ import annotations

from vision.units import UnitError, convert, find_unit, split_multiplier

RELATIVE_SLACK = 1e-9


def known_unit(unit: str | None) -> str | None:
    """Canonical spelling (multiplier kept) of a unit text, or None where there is none or the table lacks it."""
    if not unit:
        return None
    factor, plain = split_multiplier(unit)
    name = find_unit(plain)
    return name if name is None or factor == 1.0 else f"x{factor:g} {name}"


def value_in_unit(value: float, unit: str | None, wanted: str | None) -> float | None:
    """`value` expressed in `wanted`; None where the units measure different things or one is missing.

    Without a wanted unit any unit will do, and the number stays as it is.
    """
    if not wanted:
        return value
    known, target = known_unit(unit), known_unit(wanted)
    if target is None:
        # A unit outside the table ("count") is a bare number: only a reading without unit can mean it.
        return value if unit is None else None
    if known is None:
        return None
    if known == target:
        return value
    try:
        return convert(value, known, target)
    except UnitError:
        return None


def inside(value: float, low: float, high: float) -> bool:
    """Whether the value lies in the closed interval, allowing for the rounding of a unit conversion."""
    slack = RELATIVE_SLACK * max(1.0, abs(low), abs(high))
    return low - slack <= value <= high + slack


def value_fits(value: float, unit: str | None, low: float, high: float, wanted: str | None) -> bool:
    """Whether the value is right: in the interval, in the right unit or one that converts to it."""
    converted = value_in_unit(value, unit, wanted)
    return converted is not None and inside(converted, low, high)


def number_fits(value: float, unit: str | None, low: float, high: float, wanted: str | None) -> bool:
    """Whether the value is right when the unit is left aside: as printed, or converted where it converts."""
    return inside(value, low, high) or value_fits(value, unit, low, high, wanted)


def angle_error_deg(first: float, second: float) -> float:
    """Smallest turn between two angles, in [0, 180] degrees."""
    return abs((first - second + 180.0) % 360.0 - 180.0)
