"""A total that is too long for its window and shown on two lines: 6659 above 149.1 is 6659149.1.

Energy meters do so. Nothing but the unit tells such a total from two numbers, so without it neither is stated.
"""

from __future__ import annotations

import re

from vision.digits import DigitsWitness
from vision.fields import MAX_DIGITS

TOTAL_UNITS = frozenset({"kWh", "MWh", "Wh"})
ALIKE = 1.2
"""Ratio of the heights of two lines of one number at most."""
_FIRST, _SECOND = re.compile(r"[1-9][0-9]{0,3}"), re.compile(r"[0-9]{3}\.[0-9]")


def is_folded(seen: DigitsWitness) -> bool:
    """Whether the display shows two lines, alike in size, that may be one number: its first digits and the last four."""
    if seen.text is None or seen.place is None or len(seen.rows) != 2 or len(seen.others) != 1 or seen.rows[0] != seen.text:
        return False
    heights = sorted((seen.place.height_px, seen.others[0].height_px))
    fits = _FIRST.fullmatch(seen.rows[0]) is not None and _SECOND.fullmatch(seen.rows[1]) is not None
    return fits and heights[1] <= ALIKE * heights[0] and len("".join(seen.rows)) <= MAX_DIGITS


def unfolded(seen: DigitsWitness, units: set[str]) -> DigitsWitness:
    """The one number of two lines, where the only unit is that of a total; else nothing, with the reason."""
    first, second = seen.rows
    if len(units) == 1 and units <= TOTAL_UNITS:
        return seen._replace(text=first + second, unit=next(iter(units)), rows=(first + second,))
    return seen._replace(text=None, reason=f"{first} over {second} may be two numbers or one on two lines")
