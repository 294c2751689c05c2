"""Which printed unit belongs to which scale of a face.

Two scales of one face show the same quantity, so at one angle their values stand in the ratio of their
units: 100 psi lies beside 690 kPa. That tells them apart, even where only a few numbers of the second
scale or only one of the two units was read; where it does not, place, colour and size of the print do.
A unit that follows from nothing printed is never made up.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from vision.numerals import PrintedText
from vision.printed_units import UnitMark, find_units
from vision.scale_curve import robust_line
from vision.scale_parts import PlacedNumber, ScaleCandidate, ScaleNumeral, unwrap
from vision.units import UNIT_NAMES, UnitError, compatible, convert

BESIDE_DEG = 7.0
"""A number of the second scale may stand this far from where the first scale and the ratio put it."""
MIN_BESIDE, MIN_BESIDE_UNPRINTED = 2, 3
"""Numbers of the second scale that must agree: one alone may do so by chance, two where the own unit was not read."""
SURE_BESIDE = 0.5
"""Confidence from which a number beside a scale counts: a stroke taken for a 1 must not make Fahrenheit of Celsius."""
SLIGHT_SHARE = 0.6
TEMPERATURES = frozenset({"°C", "°F"})
"""A family of two leaves little to chance: one number beside the scale decides."""
LOOK_MARGIN = 0.25
VACUUM_UNITS = frozenset({"inHg", "mmHg"})
_PRESSURE_WORD = re.compile(r"\bvac|press|真空|压力", re.IGNORECASE)


class PrintedScale(NamedTuple):
    """A scale with the unit printed for it; None where none is, or where it cannot be told which."""

    candidate: ScaleCandidate
    unit: str | None
    multiplier: float | None


def assign_units(
    scales: Sequence[ScaleCandidate],
    units: Sequence[UnitMark],
    placed: Sequence[PlacedNumber],
    texts: Sequence[PrintedText],
) -> tuple[PrintedScale, ...]:
    """Every scale with its unit. A scale that falls to zero clockwise on a vacuum face is turned negative."""
    printed = _distinct(units)
    chosen: dict[int, UnitMark] = {}
    settled: set[int] = set()
    for index, scale in enumerate(scales):
        pairing = _by_ratio(scale, printed, placed)
        if pairing is not None and not (len(printed) == 1 and index > 0 and _is_slight(scale, scales[0])):
            settled.add(index)
            chosen[index] = printed.get(pairing, _deduced(pairing, scale))
    if len(printed) == 1 and 0 not in settled and all(_is_slight(scale, scales[0]) for scale in scales[1:]):
        # The only unit of the face: what little speaks for another scale does not take it from the one that is read.
        settled.add(0)
        chosen[0] = next(iter(printed.values()))
    open_scales = [index for index in range(len(scales)) if index not in settled]
    taken = {mark.unit for mark in chosen.values()}
    chosen |= _by_look({index: scales[index] for index in open_scales}, [m for m in printed.values() if m.unit not in taken])
    pressure_face = any(_PRESSURE_WORD.search(text.text) for text in texts)
    result = []
    for index, scale in enumerate(scales):
        mark = chosen.get(index)
        unit = None if mark is None else mark.unit
        vacuum = pressure_face or unit in VACUUM_UNITS or (unit is not None and compatible(unit, "bar"))
        factor = None if mark is None or mark.multiplier == 1.0 else mark.multiplier
        result.append(PrintedScale(_as_vacuum(scale) if vacuum else scale, unit, factor))
    return tuple(result)


def _is_slight(scale: ScaleCandidate, best: ScaleCandidate) -> bool:
    """Whether far less speaks for a scale than for the best supported one of the face."""
    return scale.score < SLIGHT_SHARE * best.score


def lone_unit(texts: Sequence[PrintedText]) -> UnitMark | None:
    """The unit of a face on which only one is printed: it holds whatever became of the numerals."""
    printed = _distinct(find_units(texts))
    return next(iter(printed.values())) if len(printed) == 1 else None


def _deduced(unit: str, scale: ScaleCandidate) -> UnitMark:
    """A unit that OCR missed but that follows from the unit and the numbers printed beside the scale."""
    mark = scale.numerals[0].place.mark
    return UnitMark(unit, 1.0, mark.center, mark.height_px, mark.color, 0.5)


def _distinct(units: Sequence[UnitMark]) -> dict[str, UnitMark]:
    """One mark a unit: the largest printed, without a multiplier where it is printed both ways."""
    best: dict[str, UnitMark] = {}
    for mark in sorted(units, key=lambda mark: (mark.multiplier != 1.0, -mark.height_px)):
        best.setdefault(mark.unit, mark)
    return best


def _by_ratio(scale: ScaleCandidate, printed: dict[str, UnitMark], placed: Sequence[PlacedNumber]) -> str | None:
    """The unit that makes the numbers beside the scale come out right; None where nothing speaks clearly.

    May return a unit that is not printed: then a printed one belongs to the numbers beside the scale.
    """
    beside = _numbers_beside(scale, placed)
    if not scale.linear or not printed or not beside:
        return None
    slope, offset = robust_line(np.asarray(scale.values), np.asarray(scale.angles_deg))
    hits: dict[tuple[str, str], float] = {}
    for own in UNIT_NAMES:
        for other in UNIT_NAMES:
            known = (own in printed) + (other in printed)
            relation = _relation(own, other) if own != other and known else None
            if relation is None:
                continue
            factor, shift = relation
            count = sum(abs(offset + slope * (value - shift) / factor - angle) <= BESIDE_DEG for value, angle in beside if factor)
            least = MIN_BESIDE if own in printed else MIN_BESIDE_UNPRINTED
            if count >= (1 if {own, other} <= TEMPERATURES else least):
                hits[own, other] = count + 0.6 * (known - 1)
    if not hits:
        return None
    best = max(hits.values())
    winners = {own for (own, _), count in hits.items() if count == best}
    own_printed = winners & printed.keys()
    if len(own_printed) == 1:
        return own_printed.pop()
    return winners.pop() if len(winners) == 1 else None


def _numbers_beside(scale: ScaleCandidate, placed: Sequence[PlacedNumber]) -> list[tuple[float, float]]:
    """(value as read, angle along the scale) of the numbers within its sweep that are not its own."""
    own = {id(numeral.place) for numeral in scale.numerals}
    low, high = scale.angles_deg[0], scale.angles_deg[-1]
    result = []
    for place in placed:
        angle = unwrap(scale.direction * place.angle_deg, low, high)
        sure = place.mark.confidence >= SURE_BESIDE
        if id(place) not in own and sure and place.mark.value != 0.0 and low - 20.0 <= angle <= high + 20.0:
            result.append((place.mark.value, angle))
    return result


@lru_cache(maxsize=4096)
def _relation(own: str, other: str) -> tuple[float, float] | None:
    """(factor, shift) with value in `other` = shift + factor * value in `own`; None where they do not convert."""
    try:
        shift = convert(0.0, own, other)
        return convert(1.0, own, other) - shift, shift
    except UnitError:
        return None


def _by_look(scales: dict[int, ScaleCandidate], units: Sequence[UnitMark]) -> dict[int, UnitMark]:
    """The one unit for the one scale; of several, the pairs nearest in colour and size, where it is clear."""
    if len(scales) == 1 and len(units) == 1:
        return {next(iter(scales)): units[0]}
    names = {unit.unit for unit in units}
    compound = bool(names & VACUUM_UNITS) and any(name not in VACUUM_UNITS and compatible(name, "bar") for name in names)
    chosen: dict[int, UnitMark] = {}
    left = list(units)
    for index, scale in scales.items():  # best supported first
        ranked = sorted((_unlikeness(scale, unit, compound), number) for number, unit in enumerate(left))
        if not ranked:
            break
        nearest, number = ranked[0]
        margin = ranked[1][0] - nearest if len(ranked) > 1 else math.inf
        rivals = [
            _unlikeness(other, left[number], compound) for key, other in scales.items() if key not in chosen and key != index
        ]
        if margin >= LOOK_MARGIN and nearest <= min(rivals, default=math.inf) + LOOK_MARGIN:
            chosen[index] = left.pop(number)
    return chosen


def _unlikeness(scale: ScaleCandidate, unit: UnitMark, compound: bool) -> float:
    color = np.mean([numeral.place.mark.color for numeral in scale.numerals], axis=0)
    height = float(np.median([numeral.place.mark.height_px for numeral in scale.numerals]))
    # The halves of a compound dial carry vacuum and pressure: each has its unit.
    misplaced = (unit.unit in VACUUM_UNITS) != (max(scale.values) <= 0.0 or not scale.clockwise) and compound
    # Hue tells red from black print whatever the exposure; brightness does not.
    apart = float(np.abs((color - color.mean()) - (np.asarray(unit.color) - np.mean(unit.color))).sum()) / 100.0
    return apart + 0.5 * abs(math.log(unit.height_px / height)) + (1.0 if misplaced else 0.0)


def _as_vacuum(scale: ScaleCandidate) -> ScaleCandidate:
    """`30 ... 0` clockwise on a pressure face means -30 ... 0: the minus is often not printed.

    Only where the scale ends at its zero: pressure that falls clockwise and goes on below zero is none.
    """
    if scale.clockwise or min(scale.values) < 0 or scale.values[0] > 0.3 * scale.values[-1]:
        return scale
    numerals = tuple(ScaleNumeral(n.place, -n.value, n.weight, -n.angle_deg) for n in reversed(scale.numerals))
    return scale._replace(numerals=numerals, clockwise=True)
