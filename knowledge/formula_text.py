"""Calibration formulas as manuals write them: `pressure = (pointer angle - 30) / 2.5` in back-ticks.

Only recognition; evaluating a formula is the report room's work. The pointer's angle has one name in the
result, `angle`, whatever the manual calls it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from vision.units import find_unit

VARIABLE = "angle"

_CODE = re.compile(r"`([^`=]+)=([^`=]+)`")
_VARIABLE_NAMES = re.compile(r"pointer angle|pointer_angle|needle angle|\bangle\b|指针角度|指针转角|指针角|角度", re.IGNORECASE)
_SIGNS = str.maketrans({"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "（": "(", "）": ")"})
_ARITHMETIC = re.compile(rf"(?:{VARIABLE}|\d+(?:\.\d+)?|[-+*/()\s])+")


class FormulaText(NamedTuple):
    """A formula found: the quantity as named, the arithmetic over `angle`, and its unit where one follows it."""

    quantity: str
    expression: str
    unit: str | None
    text: str


def find_formulas(text: str) -> tuple[FormulaText, ...]:
    """Formulas over the pointer's angle in a text; anything else in back-ticks is not one."""
    found: list[FormulaText] = []
    for match in _CODE.finditer(text):
        # The first line of a fenced block names its language, not a quantity.
        left, right = match.group(1).strip().splitlines(), match.group(2).strip()
        if not left:
            continue
        quantity = left[-1].strip().lower()
        expression, unit = _split_unit(_VARIABLE_NAMES.sub(VARIABLE, right.translate(_SIGNS)))
        if VARIABLE in expression and _ARITHMETIC.fullmatch(expression):
            shown = f"{left[-1].strip()} = {right}"
            found.append(FormulaText(quantity, " ".join(expression.split()), unit, shown))
    return tuple(found)


def _split_unit(right: str) -> tuple[str, str | None]:
    """`(angle - 30) / 2.5 MPa` -> arithmetic and canonical unit; the unit follows the last digit or bracket."""
    match = re.search(r"^(.*[\d)])\s*([^\d)]+)$", right)
    if match is None:
        return right, None
    unit = find_unit(match.group(2))
    return (match.group(1), unit) if unit else (right, None)
