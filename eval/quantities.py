"""Numbers with units in running text, English and Chinese, and whether one bears out another.

A number states its value only to its last digit: 42.9 bears out 42.88, and 42.88 is not borne out by 43.
References (section 5.2, model XYZ-2000, [1]) are no quantities, nor is what stands behind ±.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from eval.values import value_in_unit
from knowledge.text_units import NOT_GAUGE, TEXT_UNITS, convert_text, is_text_unit
from vision.fields import Contract
from vision.units import UNITS, find_unit

Bound = Literal["exact", "at least", "at most", "interval"]
"""`interval`: an uncertainty or a scale, of which no single number within is stated."""


NEAR_CHARS = 30
"""Words this far from a number say what it is ("at most", "about")."""
_SCALES = {"万": 1e4, "亿": 1e8, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_WORDS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_DIGITS = {
    char: value for value, chars in enumerate(("零〇", "一", "二两", "三", "四", "五", "六", "七", "八", "九")) for char in chars
}
_TENS = {"十": 10, "百": 100, "千": 1000}

_NUMERALS = "零〇一二两三四五六七八九十百千"
_NUMBER = r"[-+−]?\d+(?:,\d{3})*(?:\.\d+)?"
_SKIP = re.compile(
    r"(?:sections?|chapters?|clauses?|figures?|tables?|passages?|steps?|§)\s*\d+(?:\.\d+)*(?:\s*(?:,|and|to|-)\s*\d+(?:\.\d+)*\b(?!\s*[%°A-Za-z]))*"
    r"|±\s*\d+(?:\.\d+)?|第\s*\d+(?:\.\d+)*\s*[节章条步页]|\[\d+\]|(?<![A-Za-z0-9_.])[A-Za-z][A-Za-z0-9]*-\d[A-Za-z0-9.]*",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"(?:above|over|exceed(?:s|ing|ed)?|(?:more|greater|higher) than|at least|(?:no|not) (?:less|lower) than|minimum(?: of| is)?"
    r"|≥|>=?|超过|超出|高于|大于|不低于|不小于|不少于|至少|达到或超过)\s*$",
    re.IGNORECASE,
)
_AT_MOST = re.compile(
    r"(?:(?<!not )below|under|(?:less|lower|fewer) than|at most|up to|(?:no|not) (?:more|greater|higher) than"
    r"|(?:must|may|should|can|do|does) not exceed"
    r"|maximum(?: of| is)?|≤|<=?|低于|小于|少于|不足|不超过|不高于|不大于|不得超过|至多|最多)\s*$",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"(?:about|around|approximately|approx\.?|roughly|nearly|some|~|≈|约|大约|近|左右)\s*$", re.IGNORECASE)


class Quantity(Contract):
    """A number or range in a text. `low == high` for a single number.

    `half_low` and `half_high`: half the weight of each number's last digit, in the same unit.
    """

    text: str
    start: int
    end: int
    low: float
    high: float
    unit: str | None
    bound: Bound
    half_low: float
    half_high: float


@lru_cache(maxsize=1)
def _unit_names() -> dict[str, str]:
    names = {alias: unit.name for unit in UNITS for alias in (unit.name, *unit.aliases) if alias not in NOT_GAUGE}
    return (
        names
        | {alias: unit.name for unit in TEXT_UNITS for alias in (unit.name, *unit.aliases)}
        | {"元": "元", "美元": "$", "人": "人"}
    )


@lru_cache(maxsize=1)
def _unit_pattern() -> str:
    spellings = sorted(_unit_names(), key=lambda name: (-len(name), name))
    return "|".join(
        re.escape(name) + (r"(?![A-Za-z0-9])" if name[-1].isascii() and name[-1].isalnum() else "") for name in spellings
    )


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    unit, scale = _unit_pattern(), rf"(?:\s?(?:{'|'.join(_SCALES)})(?![a-z]))?"
    single = rf"(?<![A-Za-z0-9_.])(?<![A-Za-z]-)(?P<cash>[$€£¥]\s?)?(?P<a>{_NUMBER})(?P<sa>{scale})\s?-?(?P<ua>{unit})?"
    ranged = single + rf"\s*(?:-|–|—|~|～|to|and|至|到)\s*[$€£¥]?(?P<b>{_NUMBER})(?P<sb>{scale})\s?-?(?P<ub>{unit})?"
    spelt = (
        rf"(?<![{_NUMERALS}])(?P<zh>[{_NUMERALS}]{{1,12}})(?P<uz>{unit})|\b(?P<en>{'|'.join(_WORDS)})\b(?:[\s-](?P<ue>{unit}))?"
    )
    return re.compile(ranged), re.compile(single), re.compile(spelt, re.IGNORECASE)


def find_quantities(text: str) -> tuple[Quantity, ...]:
    """Quantities of a text in order, with offsets. "between 5 and 8" is one range, "5 and 8" are two numbers."""
    ranged, single, spelt = _patterns()
    taken = bytearray(len(text))  # One mark a character: a text full of numbers must not cost its square.
    found: list[Quantity] = []

    def free(span: tuple[int, int]) -> bool:
        return not any(taken[slice(*span)])

    def take(span: tuple[int, int]) -> None:
        taken[slice(*span)] = b"\x01" * (span[1] - span[0])

    for match in _SKIP.finditer(text):
        take(match.span())

    for match in ranged.finditer(text):
        joined = text[match.end("a") : match.start("b")]
        if "and" in joined and not re.search(r"between\s*$", _before(text, match), re.IGNORECASE):
            continue
        quantity = _range(match, text)
        if free(match.span()) and quantity is not None:
            take(match.span())
            found.append(quantity)
    for match in single.finditer(text):
        if free(match.span("a")):
            take(match.span())
            found.append(_single(match, text))
    for match in spelt.finditer(text):
        if free(match.span()):
            value = _chinese(match["zh"]) if match["zh"] else float(_WORDS.index(match["en"].lower()) + 2)
            unit = _unit_names().get(match["uz"] or match["ue"] or "")
            found.append(_quantity(text, match.span(), (value, 0.0), (value, 0.0), unit))
    return tuple(sorted(found, key=lambda one: one.start))


def _before(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - NEAR_CHARS) : match.start()]


def _single(match: re.Match[str], text: str) -> Quantity:
    value, half = _value(match["a"], match["sa"])
    if _ABOUT.search(_before(text, match)) or re.match(r"\s*(?:左右|上下)", text[match.end() : match.end() + NEAR_CHARS]):
        half = max(half * 10 ** _trailing_zeros(match["a"]), 0.02 * abs(value))
    unit = "$" if match["cash"] else _unit_names().get(match["ua"] or "")
    return _quantity(text, match.span(), (value, half), (value, half), unit)


def _range(match: re.Match[str], text: str) -> Quantity | None:
    first, second = match["a"], match["b"].lstrip("+")
    low, high = _value(first, match["sa"] or match["sb"]), _value(second, match["sb"])
    unit = "$" if match["cash"] else _unit_names().get(match["ub"] or match["ua"] or "")
    if low[0] > high[0]:
        return None
    return _quantity(text, match.span(), low, high, unit)


def _quantity(
    text: str, span: tuple[int, int], low: tuple[float, float], high: tuple[float, float], unit: str | None
) -> Quantity:
    """`low` and `high` come each with half the weight of its last digit."""
    before, after = text[max(0, span[0] - NEAR_CHARS) : span[0]], text[span[1] : span[1] + 3]
    bound: Bound = "exact"
    if low == high and (_AT_MOST.search(before) or after.startswith(("以下", "以内"))):
        bound = "at most"
    elif low == high and (_AT_LEAST.search(before) or after.startswith("以上")):
        bound = "at least"
    raw = text[span[0] : span[1]].rstrip()
    ends = {"low": low[0], "high": high[0], "half_low": low[1], "half_high": high[1]}
    return Quantity(text=raw, start=span[0], end=span[0] + len(raw), unit=unit, bound=bound, **ends)


def _value(number: str, scale: str | None) -> tuple[float, float]:
    plain = number.replace(",", "").replace("−", "-")
    decimals = len(plain.partition(".")[2])
    factor = _scale(scale)
    return float(plain) * factor, 0.5 * 10**-decimals * factor


def _scale(scale: str | None) -> float:
    return _SCALES[scale.strip().lower()] if scale else 1.0


def _trailing_zeros(number: str) -> int:
    return 0 if "." in number else len(number) - len(number.rstrip("0"))


def _chinese(text: str) -> float:
    """Value of a Chinese numeral below ten thousand: 四 -> 4, 二十五 -> 25, 两百 -> 200."""
    if all(char in _DIGITS for char in text):
        return float("".join(str(_DIGITS[char]) for char in text))
    total, digit = 0, 0
    for char in text:
        if char in _TENS:
            total += (digit or 1) * _TENS[char]
            digit = 0
        else:
            digit = _DIGITS[char]
    return float(total + digit)


def in_unit(value: float, unit: str | None, wanted: str | None) -> float | None:
    """`value` in the wanted unit, for gauge units and those of running text; None where they do not convert."""
    if unit == wanted:
        return value
    if unit is None or wanted is None:
        return None
    if is_text_unit(unit) and is_text_unit(wanted):
        return convert_text(value, unit, wanted)
    if find_unit(unit) is None or find_unit(wanted) is None:
        return None
    return value_in_unit(value, unit, wanted)


def same_dimension(first: Quantity, second: Quantity) -> bool:
    """Whether the two could contradict each other: their units convert, or neither has one."""
    return in_unit(second.high, second.unit, first.unit) is not None


def bears_out(evidence: Quantity, claim: Quantity, stated_units: frozenset[str] = frozenset(), *, within: bool = True) -> bool:
    """Whether the evidence's number supports the claim's, after conversion and to the claim's last digit.

    A range is borne out by the same range, a single number also by a range that holds it, unless `within` is
    False, the range is an `interval`, or only one of the two has a unit. A unit that the evidence does not
    state (beside the number, or in `stated_units` of its surroundings) is an invention.
    """
    single, ranged = claim.low == claim.high, evidence.low < evidence.high
    if {claim.bound, evidence.bound} == {"at least", "at most"}:
        return False
    if single and ranged and not (within and evidence.bound != "interval" and (claim.unit is None) == (evidence.unit is None)):
        return False
    if claim.unit is None or (evidence.unit is None and claim.unit in stated_units):
        low, high = evidence.low, evidence.high
    else:
        ends = (in_unit(evidence.low, evidence.unit, claim.unit), in_unit(evidence.high, evidence.unit, claim.unit))
        if ends[0] is None or ends[1] is None:
            return False
        low, high = min(ends[0], ends[1]), max(ends[0], ends[1])
    slack = 1e-9 * max(1.0, abs(claim.low), abs(claim.high))
    below, above = claim.half_low + slack, claim.half_high + slack
    if single:
        return low - below <= claim.low <= high + above
    return abs(low - claim.low) <= below and abs(high - claim.high) <= above


@lru_cache(maxsize=4096)
def units_in(text: str) -> frozenset[str]:
    """All units that a text names, beside a number or alone (a table's header)."""
    pattern = re.compile(rf"(?<![A-Za-z])(?:{_unit_pattern()})")
    return frozenset(_unit_names()[match.group(0)] for match in pattern.finditer(text))
