"""Whether one quantity says what another says.

A number may be converted and may be rounded to the digits it shows, not coarser than `ROUNDING`; a range is another
claim than a number within it.
"""

from __future__ import annotations

from collections.abc import Iterable

from knowledge.text_units import convert_text
from rag.verify.numbers import Quantity
from vision.units import UnitError, convert

ROUNDING = 0.005
"""Largest relative difference between a number and its rounding."""

_OFFSET_UNITS = frozenset({"°C", "°F", "K"})


def says_same(said: Quantity, meant: Quantity) -> bool:
    """Whether `said` is `meant`, converted and rounded to the digits it shows. A unit on one side alone is a difference."""
    if said.single != meant.single or (said.unit is None) != (meant.unit is None):
        return False
    low, high = _in_unit(meant.low, meant, said), _in_unit(meant.high, meant, said)
    return (
        low is not None
        and high is not None
        and _rounds(low, said.low, said.half_low)
        and _rounds(high, said.high, said.half_high)
    )


def supported_by(said: Quantity, stated: Iterable[Quantity]) -> bool:
    """Whether sources that state these quantities state `said`: the same, or each of its ends. A unit may be left out."""
    known = tuple(stated)
    if any(says_same(said, _in_its_unit(said, one)) for one in known):
        return True
    ends = [_low_end(said)] if said.single else [_low_end(said), _high_end(said)]
    pieces = [end for one in known for end in (_low_end(one), _high_end(one))]
    return all(any(says_same(end, _in_its_unit(end, piece)) for piece in pieces) for end in ends)


def _low_end(one: Quantity) -> Quantity:
    return one._replace(high=one.low, half_high=one.half_low)


def _high_end(one: Quantity) -> Quantity:
    return one._replace(low=one.high, half_low=one.half_high)


def _in_its_unit(said: Quantity, one: Quantity) -> Quantity:
    return one._replace(unit=said.unit) if said.unit is None or one.unit is None else one


def _in_unit(value: float, meant: Quantity, said: Quantity) -> float | None:
    if meant.unit == said.unit or meant.unit is None or said.unit is None:
        return value
    if (meant.step or said.step) and {meant.unit, said.unit} & _OFFSET_UNITS:
        return value if {meant.unit, said.unit} == {"°C", "K"} else None
    if meant.unit.startswith("x") or said.unit.startswith("x"):
        return _multiplied(value, meant.unit, said.unit)
    return convert_text(value, meant.unit, said.unit)


def _multiplied(value: float, source: str, target: str) -> float | None:
    try:
        return convert(value, source, target)
    except (UnitError, ValueError):
        return None


def _rounds(exact: float, shown: float, half: float) -> bool:
    """Whether `shown` is `exact` to its last digit, and no coarser than is sensible."""
    slack = 1e-9 * max(1.0, abs(exact))
    return abs(exact - shown) <= min(half, ROUNDING * abs(exact)) + slack
