"""Calibration formulas as manuals write them: `pressure = (pointer angle - 30) / 2.5`, with back-ticks or without,
and tables of calibration points.

Only recognition; `knowledge.arithmetic` checks and evaluates. The pointer's angle has one name in the result,
`angle`, whatever the manual calls it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from knowledge.arithmetic import FormulaError, parse_formula
from knowledge.sentences import Table, parse_table, split_sentences
from knowledge.units import leading_unit
from vision.units import find_unit

VARIABLE = "angle"
MIN_POINTS = 3
"""A table of fewer points says no more than its two ends."""

_CODE = re.compile(r"`([^`=＝]+)[=＝]([^`=＝]+)`")
_NAMES = {
    "angle": r"angle of the pointer|pointer[ _]angle|needle angle|\bangle\b|θ|指针角度|指针转角|指针角|表针角度|转角|角度",
    "digital_readout": r"digital readout|displayed digits|digital_readout|\breadout\b|显示读数|显示值|示数",
    "scale_fraction": r"scale fraction|scale_fraction|刻度比例",
}
_ANY_NAME = "|".join(_NAMES.values())
_SIGNS = str.maketrans(
    {"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "（": "(", "）": ")", "［": "[", "］": "]", "√": "sqrt"}
)
_ARITHMETIC = re.compile(r"(?:angle|digital_readout|scale_fraction|sqrt|\d+(?:\.\d+)?|\*\*|[-+*/()\s])+")
_PLAIN = re.compile(
    r"(?P<left>[A-Za-z][A-Za-z -]{0,60}|[\u4e00-\u9fff]{1,20})\s*[=＝]\s*"
    rf"(?P<right>(?:{_ANY_NAME}|sqrt|√|\d+(?:\.\d+)?|[-+*/×÷·−–^²³()（）\[\] \t])+)",
    re.IGNORECASE,
)
_ENDS_WELL = re.compile(r"[\s)）]*(?:$|[.,;:。，；：]|\n|where\b|with\b|which\b|for\b|and\b|其中|式中|适用)", re.IGNORECASE)
_UNIT_WORDS = re.compile(r"^[\s,，;；(（\[]*(?:单位\s*[为是:：]?|unit\s*[:=]?|in\s+(?=\S))?\s*", re.IGNORECASE)
_QUANTITY = re.compile(r"^.*(?:\bis|\bby|\bfrom|\bthat|\bformula|\buse|\bthe|[为是由按得])\s*", re.IGNORECASE | re.DOTALL)
_FORMULA_WORD = re.compile(r"formula|equation|calibrat|公式|换算|标定|校准", re.IGNORECASE)
_CALL = re.compile(r"(?!sqrt\b)[A-Za-z_][\w.]*\s*\(|__|\bimport\b|\blambda\b")
_ANGLE_HEADER = re.compile(r"angle|角度|转角", re.IGNORECASE)
_CELL = re.compile(r"(?P<number>[-−+]?\d+(?:\.\d+)?)\s*(?P<unit>\D*)")
_HEADER_UNIT = re.compile(r"^(?P<name>.+?)\s*(?:[(（\[]\s*(?P<in>[^)）\]]+)[)）\]]|[,/，]\s*(?P<after>.+))$")


class FormulaText(NamedTuple):
    """A formula found: the quantity as named, the arithmetic over `variable`, and its unit where one follows it.

    A calibration table has `points` (angle in degrees, value) in order of the angle, and an empty expression.
    """

    quantity: str
    expression: str
    unit: str | None
    text: str
    points: tuple[tuple[float, float], ...] = ()
    variable: str = VARIABLE


class BadFormula(NamedTuple):
    """Something that stands where a formula should and is none, and why."""

    text: str
    reason: str


def find_formulas(text: str) -> tuple[FormulaText, ...]:
    """Formulas over the pointer's angle, the display or the scale's fraction, in reading order; then a table of points."""
    found: list[tuple[int, FormulaText]] = []
    for match in _CODE.finditer(text):
        # The first line of a fenced block names its language, not a quantity.
        left = match.group(1).strip().splitlines()
        formula = _formula(left[-1].strip(), match.group(2).strip()) if left else None
        if formula is not None:
            found.append((match.start(), formula))
    for match in _PLAIN.finditer(_without_code(text)):
        formula = _plain_formula(match)
        if formula is not None:
            found.append((match.start(), formula))
    table = parse_table(text)
    points = parse_points(table) if table else None
    return (*(formula for _, formula in sorted(found, key=lambda pair: pair[0])), *([points] if points else []))


def find_bad_formulas(text: str) -> tuple[BadFormula, ...]:
    """What is written as a formula and cannot be computed: a call, an attribute, an unknown name, too large."""
    good = {formula.text for formula in find_formulas(text)}
    found: list[BadFormula] = []
    for sentence, shown, right in _assignments(text):
        named = bool(re.search(_ANY_NAME, right, re.IGNORECASE))
        called = bool(_CALL.search(right)) and bool(_FORMULA_WORD.search(sentence))
        if shown in good or not (named or called):
            continue
        try:
            parse_formula(right)
        except FormulaError as error:
            found.append(BadFormula(shown, str(error)))
    return tuple(found)


def _assignments(text: str) -> Iterator[tuple[str, str, str]]:
    """Sentence, whole text and right side of what looks like `quantity = something`."""
    for match in _CODE.finditer(text):
        left = match.group(1).strip().splitlines()
        if left:
            right = match.group(2).strip()
            yield text, f"{left[-1].strip()} = {right}", right
    for sentence in split_sentences(_without_code(text)):
        plain = re.search(r"([A-Za-z\u4e00-\u9fff][\w -]{0,60})\s*[=＝](?![=＝])\s*(\S.*)", sentence)
        # Running text with an equals sign is common; only what calls something is a formula gone wrong.
        if plain and _CALL.search(plain.group(2)) and _FORMULA_WORD.search(sentence):
            yield sentence, plain.group(0).strip(), plain.group(2).strip().rstrip(".。")


def _without_code(text: str) -> str:
    return re.sub(r"`[^`]*`", lambda match: "`" * len(match.group()), text)


def _formula(quantity: str, right: str, unit: str | None = None) -> FormulaText | None:
    plain = right.replace("²", "**2").replace("³", "**3").translate(_SIGNS).replace("^", "**")
    for name, pattern in _NAMES.items():
        plain = re.sub(pattern, name, plain, flags=re.IGNORECASE)
    expression, found = (plain, unit) if unit else _split_unit(plain)
    expression = " ".join(re.sub(r"\bsqrt\s+(?=\()", "sqrt", expression).split())
    used = {name for name in _NAMES if name in expression}
    if len(used) != 1 or not _ARITHMETIC.fullmatch(expression):
        return None
    try:
        parse_formula(expression)
    except FormulaError:
        return None
    return FormulaText(quantity.lower(), expression, found, f"{quantity} = {right}", variable=used.pop())


def _split_unit(right: str) -> tuple[str, str | None]:
    """`(angle - 30) / 2.5 MPa` -> arithmetic and canonical unit; the unit follows the last digit or bracket."""
    # Longest unit first: its own digits (m3/h, kgf/cm2) are not the formula's.
    for match in re.finditer(r"(?<=[\d)])\s*(?=[^\d\s)*/+.-])", right):
        unit = find_unit(right[match.end() :])
        if unit:
            return right[: match.start()], unit
    return right, None


def _plain_formula(match: re.Match[str]) -> FormulaText | None:
    right = match.group("right")
    while len(re.findall(r"[(（\[]", right)) > len(re.findall(r"[)）\]]", right)):
        shorter = re.sub(r"[(（\[][^(（\[]*$", "", right)
        if shorter == right:
            return None
        right = shorter
    rest = match.string[match.start("right") + len(right) :]
    unit = leading_unit(_UNIT_WORDS.sub("", rest, count=1)) or leading_unit(rest.lstrip())
    if unit is None and not _ENDS_WELL.match(rest):
        return None
    quantity = _QUANTITY.sub("", match.group("left").strip()) or match.group("left").strip()
    return _formula(quantity.strip(), right.strip(), unit)


def parse_points(table: Table) -> FormulaText | None:
    """The calibration points of a table with a column of angles and one of values, or None for any other table."""
    column = next((n for n, head in enumerate(table.header) if _ANGLE_HEADER.search(head)), None)
    if column is None or len(table.rows) < MIN_POINTS:
        return None
    for other, head in enumerate(table.header):
        pairs = [(_cell(row, column), _cell(row, other)) for row in table.rows] if other != column else []
        if not pairs or any(angle is None or value is None for angle, value in pairs):
            continue
        points = sorted((angle[0], value[0]) for angle, value in pairs if angle and value)
        units = {value[1] for _, value in pairs if value and value[1]}
        if len({angle for angle, _ in points}) < len(points) or any(find_unit(unit) is None for unit in units):
            continue
        quantity, unit = _header(head)
        unit = unit or (find_unit(units.pop()) if len(units) == 1 else None)
        shown = "; ".join(f"{angle:g} → {value:g}" for angle, value in points)
        return FormulaText(quantity, "", unit, f"{table.header[column]}, {head}: {shown}", tuple(points))
    return None


def _cell(row: tuple[str, ...], column: int) -> tuple[float, str] | None:
    match = _CELL.fullmatch(row[column].strip()) if column < len(row) else None
    return (float(match["number"].replace("−", "-")), match["unit"].strip()) if match else None


def _header(head: str) -> tuple[str, str | None]:
    """Quantity and unit of a column's head: `Pressure (MPa)`, `压力 / MPa`, `Pressure, MPa`."""
    match = _HEADER_UNIT.match(head.strip())
    unit = find_unit(match["in"] or match["after"]) if match else None
    return (match["name"].strip().lower(), unit) if match and unit else (head.strip().lower(), None)
