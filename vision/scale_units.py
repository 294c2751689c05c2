"""Which printed unit belongs to which scale of a face.

Two scales of one face show the same quantity, so their values at one angle stand in the ratio of their
units: 100 psi lies beside 690 kPa. That tells them apart without guessing; where it does not, colour and
place do; a unit that is not printed is never made up.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vision.numerals import PrintedText
from vision.printed_numbers import UnitMark
from vision.scale_curve import robust_line
from vision.scale_fit import ScaleCandidate, ScaleNumeral
from vision.units import UnitError, convert

RATIO_TOLERANCE = 0.06
"""Relative, of one scale's span: printed dual scales agree to their line width, OCR places to a few degrees."""
VACUUM_UNITS = frozenset({"inHg", "mmHg"})
VACUUM_WORDS = ("vac", "真空")


class PrintedScale(NamedTuple):
    """A scale with the unit printed for it; None where none is, or where it cannot be told which."""

    candidate: ScaleCandidate
    unit: str | None
    multiplier: float | None


def assign_units(
    scales: Sequence[ScaleCandidate], units: Sequence[UnitMark], texts: Sequence[PrintedText]
) -> tuple[PrintedScale, ...]:
    """Every scale with its unit. A scale that falls to zero clockwise on a vacuum face is turned negative."""
    names = _distinct(units)
    chosen = _by_ratio(scales, names) if len(scales) > 1 else {}
    if not chosen:
        chosen = _by_look(scales, names)
    vacuum = any(word in text.text.lower() for text in texts for word in VACUUM_WORDS)
    result = []
    for index, scale in enumerate(scales):
        mark = chosen.get(index)
        unit = None if mark is None else mark.unit
        signed = _as_vacuum(scale) if vacuum or unit in VACUUM_UNITS else scale
        factor = None if mark is None or mark.multiplier == 1.0 else mark.multiplier
        result.append(PrintedScale(signed, unit, factor))
    return tuple(result)


def _distinct(units: Sequence[UnitMark]) -> list[UnitMark]:
    """One mark a unit: the largest printed, without a multiplier where it is printed both ways."""
    best: dict[str, UnitMark] = {}
    for mark in sorted(units, key=lambda mark: (mark.multiplier != 1.0, -mark.height_px)):
        best.setdefault(mark.unit, mark)
    return list(best.values())


def _by_ratio(scales: Sequence[ScaleCandidate], units: Sequence[UnitMark]) -> dict[int, UnitMark]:
    """Units of the first two scales where one pairing of printed units explains both, and only one does."""
    fits: list[tuple[float, UnitMark, UnitMark]] = []
    for first, second in itertools.permutations(units, 2):
        off = _disagreement(scales[0], scales[1], first.unit, second.unit)
        if off is not None and off <= RATIO_TOLERANCE:
            fits.append((off, first, second))
    if not fits:
        return {}
    _, first, second = min(fits, key=lambda fit: fit[0])
    return {0: first, 1: second}


def _disagreement(first: ScaleCandidate, second: ScaleCandidate, first_unit: str, second_unit: str) -> float | None:
    """Mean distance, in spans of the second scale, between its numerals and the converted first scale there."""
    if first.clockwise != second.clockwise:
        return None
    slope, offset = _line(first)
    values = np.asarray(second.values)
    angles = np.asarray([numeral.angle_deg for numeral in second.numerals])
    middle = float(np.mean([numeral.angle_deg for numeral in first.numerals]))
    angles = angles - 360.0 * round((float(angles.mean()) - middle) / 360.0)
    try:
        converted = np.asarray([convert(float((angle - offset) / slope), first_unit, second_unit) for angle in angles])
    except UnitError:
        return None
    return float(np.abs(converted - values).mean() / (values.max() - values.min()))


def _line(scale: ScaleCandidate) -> tuple[float, float]:
    return robust_line(np.asarray(scale.values), np.asarray([numeral.angle_deg for numeral in scale.numerals]))


def _by_look(scales: Sequence[ScaleCandidate], units: Sequence[UnitMark]) -> dict[int, UnitMark]:
    """One unit for one scale; of several, the pair nearest in colour and letter height."""
    if not units:
        return {}
    if len(scales) == 1 and len(units) == 1:
        return {0: units[0]}
    chosen: dict[int, UnitMark] = {}
    pairs = sorted(
        (_unlikeness(scale, unit), index, number) for index, scale in enumerate(scales) for number, unit in enumerate(units)
    )
    taken: set[int] = set()
    for _, index, number in pairs:
        if index not in chosen and number not in taken:
            chosen[index] = units[number]
            taken.add(number)
    return chosen


def _unlikeness(scale: ScaleCandidate, unit: UnitMark) -> float:
    color = np.mean([numeral.place.mark.color for numeral in scale.numerals], axis=0)
    height = float(np.median([numeral.place.mark.height_px for numeral in scale.numerals]))
    # Hue tells red from black print whatever the exposure; brightness does not.
    apart = float(np.abs((color - color.mean()) - (np.asarray(unit.color) - np.mean(unit.color))).sum()) / 100.0
    return apart + 0.5 * abs(math.log(unit.height_px / height))


def _as_vacuum(scale: ScaleCandidate) -> ScaleCandidate:
    """`30 ... 0` clockwise on a vacuum scale means -30 ... 0: the minus is often not printed."""
    if scale.clockwise or min(scale.values) < 0:
        return scale
    numerals = tuple(ScaleNumeral(n.place, -n.value, n.weight, -n.angle_deg) for n in reversed(scale.numerals))
    return scale._replace(numerals=numerals, clockwise=True)
