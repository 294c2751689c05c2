"""What a printed number may stand for besides what was read: OCR drops points and signs in known ways."""

from __future__ import annotations

import re
from typing import NamedTuple

FLIPPED_SIGN_WEIGHT = 0.6
LOST_POINT_WEIGHT = 0.8
AS_READ_BESIDE_LOST = 0.75
MOVED_POINT_WEIGHT = 0.35
INVENTED_POINT_WEIGHT = 0.2
"""Reading drops points often and invents them seldom."""


class Alternative(NamedTuple):
    """One value that a mark may stand for; weight 1 is "as read"."""

    value: float
    weight: float


def number_alternatives(token: str, *, point_is_lost: bool = False) -> tuple[Alternative, ...]:
    """What a number token may stand for: as read, then with the point or the sign that OCR drops.

    `04` is 0.4 (no scale prints a leading zero without its point), `15` may be 1.5, `-30` may be a tick
    before 30, and 5 on the left of a centre zero may be -5. `point_is_lost` where other numbers of the face
    have lost theirs after the first digit.
    """
    clean = token.replace(",", ".").lstrip("+")
    negative = clean.startswith("-")
    digits = clean.lstrip("-")
    readings: list[tuple[float, float]] = []
    if re.fullmatch(r"0\d+", digits) and int(digits) != 0:
        readings.append((float(digits[0] + "." + digits[1:]), LOST_POINT_WEIGHT))
    elif point_is_lost and digits.isdigit() and len(digits) > 1:
        readings += [(float(digits[0] + "." + digits[1:]), LOST_POINT_WEIGHT), (float(digits), AS_READ_BESIDE_LOST)]
    else:
        readings.append((float(digits), 1.0))
        if "." in digits and float(digits):
            readings.append((float(digits.replace(".", "")), INVENTED_POINT_WEIGHT))
        elif float(digits):
            readings.append((float(digits) / 10.0, MOVED_POINT_WEIGHT))
    sign = -1.0 if negative else 1.0
    alternatives = [Alternative(sign * value if value else 0.0, weight) for value, weight in readings]
    alternatives += [Alternative(-a.value, a.weight * FLIPPED_SIGN_WEIGHT) for a in alternatives if a.value]
    return tuple(sorted(alternatives, key=lambda a: -a.weight))
