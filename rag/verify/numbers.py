"""Numbers, ranges, dates and references of a sentence, where they stand, with their units."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from knowledge.text_units import NOT_GAUGE, RUNNING_SPELLINGS, TEXT_UNITS, convert_text
from vision.units import UNITS

_FIGURE = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)*"
_START = r"(?<![A-Za-z0-9_.])(?<![A-Za-z]-)"
_NOT_A_NAME = r"(?![A-Za-z]+[A-Za-z0-9]*-\d)"
_BETWEEN = r"(?:\s*(?:-|~|～|至|到)\s*|\s+to\s+|\s*,?\s+(?:and\s+)?up to\s+|\s+and\s+|\s*且不(?:高于|超过|大于)\s*)"
_REFERENCE = re.compile(
    r"(?:\bsections?|\bchapters?|§)\s*(?P<en>\d+(?:\.\d+)*)|第\s*(?P<zh>\d+(?:\.\d+)*)\s*[节章条]|(?P<tail>\d+(?:\.\d+)+)\s*节",
    re.IGNORECASE,
)
_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH = "|".join(_MONTHS)
_DATE = re.compile(
    r"(?P<y1>\d{4})-(?P<m1>\d{2})-(?P<d1>\d{2})|(?P<y2>\d{4})\s*年\s*(?P<m2>\d{1,2})\s*月\s*(?P<d2>\d{1,2})\s*日"
    rf"|\b(?P<d3>\d{{1,2}})\s+(?P<m3>{_MONTH})\s+(?P<y3>\d{{4}})|\b(?P<m4>{_MONTH})\s+(?P<d4>\d{{1,2}}),?\s+(?P<y4>\d{{4}})",
    re.IGNORECASE,
)
_SPELT_TEXT = "two three four five six seven eight nine ten eleven twelve"
_SPELT = {word: value for value, word in enumerate(_SPELT_TEXT.split(), 2)}
_SPELT |= {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
_HAN_DIGITS = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
_OFFSET_STEP = re.compile(r"(?:\b(?:every|each|per|by)|每)\s*$", re.IGNORECASE)


class Number(NamedTuple):
    """A number as written, with its canonical unit or None."""

    value: str
    unit: str | None


class Quantity(NamedTuple):
    """A number (`low == high`) or a range where it stands in a folded text.

    `half_low`, `half_high`: half the weight of the last digit shown. `step`: a difference ("every 10 °C"), which
    converts without a zero point.
    """

    start: int
    end: int
    low: float
    high: float
    unit: str | None
    half_low: float
    half_high: float
    step: bool = False

    @property
    def single(self) -> bool:
        """Whether this is one number."""
        return self.low == self.high


class Mark(NamedTuple):
    """A date or a reference where it stands, in one spelling."""

    start: int
    end: int
    key: str


def fold(text: str) -> str:
    """Text with compatibility forms folded, so that full-width digits and signs compare equal."""
    folded = unicodedata.normalize("NFKC", text)
    return folded.replace("−", "-").replace("–", "-").replace("—", "-").replace("º", "°").replace("’", "'")


@lru_cache(maxsize=1)
def unit_spellings() -> dict[str, str]:
    """Every spelling of a unit in running text with its canonical name."""
    gauge = {spelling: unit.name for unit in UNITS for spelling in (unit.name, *unit.aliases) if spelling not in NOT_GAUGE}
    text = {spelling: unit.name for unit in TEXT_UNITS for spelling in (unit.name, *unit.aliases)}
    return {fold(spelling): name for spelling, name in gauge.items()} | text | RUNNING_SPELLINGS


@lru_cache(maxsize=1)
def _unit_pattern() -> str:
    spellings = sorted(unit_spellings(), key=lambda one: (-len(one), one))
    ended = (re.escape(one) + _unit_end(one) for one in spellings)
    return rf"(?:[x×]\s?\d+\s*)?(?:{'|'.join(ended)})"


def _unit_end(spelling: str) -> str:
    if spelling[-1].isascii() and spelling[-1].isalnum():
        return r"(?![A-Za-z0-9])"
    # One Chinese character before another is the beginning of a word: 安全 is no ampere.
    return r"(?![\u4e00-\u9fff])" if len(spelling) == 1 and spelling > "\u4e00" and spelling not in "度秒天米克吨周" else ""


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    unit = rf"(?:[\s-]?(?:{_unit_pattern()}))"
    first = rf"{_START}(?P<a>[-+]?{_FIGURE}){_NOT_A_NAME}(?P<ua>\s*{unit})?"
    ranged = rf"{first}{_BETWEEN}(?P<b>[-+]?{_FIGURE}){_NOT_A_NAME}(?P<ub>\s*{unit})?"
    spelt = rf"(?i:\b(?P<en>{'|'.join(_SPELT)})\b)(?P<ue>[\s-]{_unit_pattern()})?"
    spelt += rf"|(?P<zh>[一二两三四五六七八九十])(?:个?(?P<uz>{_zh_units()})|(?=[个次台只组位级档]))"
    return re.compile(ranged), re.compile(first), re.compile(spelt)


def _zh_units() -> str:
    return "|".join(sorted((one for one in unit_spellings() if one[0] > "\u4e00"), key=lambda one: (-len(one), one)))


def _unit_name(written: str | None) -> str | None:
    if not written or not written.strip():
        return None
    spelling = written.strip().lstrip("-").strip()
    multiplied = re.match(r"[x×]\s?(\d+)\s*(.+)", spelling)
    if multiplied:
        return f"x{multiplied.group(1)} {unit_spellings()[multiplied.group(2)]}"
    return unit_spellings().get(spelling)


@lru_cache(maxsize=4096)
def find_marks(text: str) -> tuple[Mark, ...]:
    """Dates and references of a folded text."""
    found: list[Mark] = []
    for match in _DATE.finditer(text):
        parts = {key[0]: value for key, value in match.groupdict().items() if value}
        month = parts["m"] if parts["m"].isdigit() else str(_MONTHS.index(parts["m"].lower()) + 1)
        found.append(Mark(*match.span(), f"date:{parts['y']}-{int(month):02d}-{int(parts['d']):02d}"))
    for match in _REFERENCE.finditer(text):
        found.append(Mark(*match.span(), f"section:{match['en'] or match['zh'] or match['tail']}"))
    return tuple(found)


@lru_cache(maxsize=4096)
def find_quantities(text: str) -> tuple[Quantity, ...]:
    """Quantities of a folded text in order; digits of names, dates and references are none."""
    ranged, single, spelt = _patterns()
    taken = [(mark.start, mark.end) for mark in find_marks(text)]
    found: list[Quantity] = []

    def free(start: int, end: int) -> bool:
        return all(end <= first or start >= last for first, last in taken)

    for match in ranged.finditer(text):
        made = _range(match, text)
        if made is not None and free(made.start, made.end):
            taken.append((made.start, made.end))
            found.append(made)
    for match in single.finditer(text):
        if free(match.start("a"), match.end("a")):
            made = _single(match, text)
            taken.append((made.start, made.end))
            found.append(made)
    for match in spelt.finditer(text):
        if free(*match.span()):
            value = float(_SPELT[match["en"].lower()] if match["en"] else _HAN_DIGITS[match["zh"]])
            unit = _unit_name(match["ue"] or match["uz"])
            found.append(Quantity(*match.span(), value, value, unit, 0.0, 0.0))
    return tuple(_with_shared_units(sorted(found), text))


def _range(match: re.Match[str], text: str) -> Quantity | None:
    joint = text[match.end("ua") if match["ua"] else match.end("a") : match.start("b")]
    if "and" in joint and "up to" not in joint and not re.search(r"\bbetween\s+$", text[: match.start()], re.IGNORECASE):
        return None
    low, high = _signed(match["a"], text[: match.start("a")]), match["b"].lstrip("+")
    if low.count(".") > 1 or high.count(".") > 1 or _value(low) > _value(high):
        return None
    unit = _unit_name(match["ub"]) or _unit_name(match["ua"])
    low_value = _value(low)
    own = _unit_name(match["ua"])
    if own is not None and unit is not None and own != unit:
        converted = convert_text(low_value, own, unit)
        if converted is None:
            return None
        low_value = converted
    return Quantity(match.start("a"), match.end(), low_value, _value(high), unit, _half(low), _half(high))


def _single(match: re.Match[str], text: str) -> Quantity:
    before = text[: match.start("a")]
    written = _signed(match["a"], before)
    value = _value(written)
    # Section numbers without their word (5.2.1) are compared digit by digit.
    half = 0.0 if written.count(".") > 1 else _half(written)
    step = _OFFSET_STEP.search(before) is not None
    return Quantity(match.start("a"), match.end(), value, value, _unit_name(match["ua"]), half, half, step)


def _signed(written: str, before: str) -> str:
    """A minus behind a number or a bracket is arithmetic, not a sign."""
    return written[1:] if written[0] in "+-" and re.search(r"[\d)]\s*$", before) else written


def _value(written: str) -> float:
    plain = written.replace(",", "")
    if plain.count(".") > 1:
        parts = [int(part) for part in plain.lstrip("+-").split(".")]
        return float(sum(part * 1000.0 ** (2 - place) for place, part in enumerate(parts)))
    return float(plain)


def _half(written: str) -> float:
    return 0.5 * 10.0 ** -len(written.partition(".")[2])


def _with_shared_units(found: list[Quantity], text: str) -> list[Quantity]:
    """ "0, 25 and 50 MPa": a number takes the unit that the list names at its end."""
    for index in range(len(found) - 2, -1, -1):
        one, after = found[index], found[index + 1]
        if (
            one.unit is None
            and after.unit is not None
            and re.fullmatch(r"\s*(?:,|、|and|or|和|或|/)\s*(?:(?:and|or)\s+)?", text[one.end : after.start])
        ):
            found[index] = one._replace(unit=after.unit)
    return found


def find_numbers(text: str) -> tuple[Number, ...]:
    """Numbers in reading order with their units, both ends of a range, references too; digits of names are none."""
    folded = fold(text)
    found: list[tuple[int, Number]] = []
    for one in find_quantities(folded):
        found.append((one.start, Number(_plain(one.low), one.unit)))
        if not one.single:
            found.append((one.end, Number(_plain(one.high), one.unit)))
    for mark in find_marks(folded):
        found.append((mark.start, Number(mark.key.partition(":")[2], None)))
    return tuple(number for _, number in sorted(found, key=lambda pair: pair[0]))


def _plain(value: float) -> str:
    return f"{value:.12g}"


def describe(one: Quantity) -> str:
    """A quantity in words, for a refusal."""
    span = _plain(one.low) if one.single else f"{_plain(one.low)} to {_plain(one.high)}"
    return f"{span} {one.unit}" if one.unit else span
