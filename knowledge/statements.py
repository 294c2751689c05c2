"""Statements that manuals make in a fixed way, and their parsers.

The machine-readable facts have no hidden second copy: they are read from the sentences and tables that
people read. A manual's author keeps to this small convention, in either language:

formula     "`pressure = (pointer angle - 30) / 2.5`"        "`压力 = (指针角度 - 30) / 2.5`"
unit        "The unit of pressure is MPa."                   "压力的单位为 MPa。"
angle       "The pointer angle is counted from 6 o'clock, clockwise."
            "指针角度从 6 点钟方向起顺时针计算。"
validity    "The formula is valid for pointer angles from 30 to 330 degrees."
            "公式适用于指针角度 30 至 330 度。"
range       "The measuring range is 0 to 120 MPa."           "测量范围为 0 至 120 MPa。"
accuracy    "The accuracy class is 1.6" or "±0.5 % of span"  "准确度等级为 1.6 级" / "量程的 ±0.5 %"
limits      table: State | quantity ...: Normal, Warning, Alarm and "0 to 80 MPa", "above 100 MPa"
            表：状态 | …：正常、预警、报警 与 “0 至 80 MPa”、“超过 100 MPa”
lamp        table: Lamp colour | Meaning | Action            表：指示灯颜色 | 含义 | 处理
mode        table: Position | Mode | Meaning                 表：档位 | 模式 | 说明
codes       table: Code | Meaning                            表：代码 | 含义
readout     "The digits are the reading: ..."                "数字即读数：……"
emergency   a section titled "... emergency shutdown ..."    标题含“紧急停机”的一节

What does not parse is not a fact: nothing is guessed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from knowledge.chunks import find_references
from knowledge.facts import LimitLevel
from knowledge.sentences import Table, split_sentences
from knowledge.units import leading_unit
from vision.fields import LampColor

_NUMBER = r"[-−]?\d+(?:\.\d+)?"
_SPAN = rf"(?P<low>{_NUMBER})\s*(?:°|degrees|度)?\s*(?:to|至|到|~|–|and)\s*(?P<high>{_NUMBER})"
_HOURS = {name: hour for hour, name in enumerate(["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"], 1)}

_ORIGIN = re.compile(r"from (?:the )?(?P<en>\d{1,2}) o['’]clock|(?P<zh>\d{1,2}|十[一二]?|[一二三四五六七八九])\s*点(?:钟)?")
_COUNTER = re.compile(r"counter-?\s?clockwise|anti-?clockwise|逆时针", re.IGNORECASE)
_CLOCKWISE = re.compile(r"clockwise|顺时针", re.IGNORECASE)
_VALIDITY = re.compile(
    rf"(?:formula|公式)[^。.]*?(?:valid|holds|applies|适用|有效)[^。.]*?{_SPAN}\s*(?:°|degrees|度)",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"(?:(?:measuring|display|indicating) range|(?:测量|显示|指示)范围)"
    rf"\s*(?:is|:|为|是|：)\s*{_SPAN}\s*(?P<rest>\S.*)",
    re.IGNORECASE,
)
_CLASS = re.compile(r"(?:accuracy class (?:is|of)|(?:准确度|精度)等级(?:为|是))\s*(?P<percent>\d+(?:\.\d+)?)", re.IGNORECASE)
_OF_SPAN = re.compile(
    r"(?:±|\+/-)\s*(?P<en>\d+(?:\.\d+)?)\s*% of (?:the )?(?:span|full scale)"
    r"|量程的\s*(?:±|\+/-)\s*(?P<zh>\d+(?:\.\d+)?)\s*%",
    re.IGNORECASE,
)
_READOUT = re.compile(r"\bdigits are the reading\b|数字即(?:为)?读数", re.IGNORECASE)
_ABOVE = re.compile(r"above|over|more than|(?<!不)(?:超过|高于|大于)|>", re.IGNORECASE)
_BELOW = re.compile(r"below|under|less than|(?<!不)低于|小于|<", re.IGNORECASE)
_UP_TO = re.compile(r"up to|at most|不超过|不高于|以下|至多|≤", re.IGNORECASE)
_FROM = re.compile(r"at least|and more|不低于|以上|至少|≥", re.IGNORECASE)

_LEVELS: tuple[tuple[LimitLevel, str], ...] = (
    ("normal", r"^(?:normal|正常)"),
    ("warning", r"^(?:warning|low warning|high warning|预警|警告)"),
    ("alarm", r"^(?:alarm|low alarm|high alarm|报警)"),
)
_COLORS: tuple[tuple[LampColor, str], ...] = (
    ("red", r"^(?:red|红)"),
    ("yellow", r"^(?:yellow|amber|黄)"),
    ("green", r"^(?:green|绿)"),
    ("off", r"^(?:off|dark|熄灭|灭|不亮)"),
)
_STATE_HEADER = re.compile(r"^(?:state|status|level|状态)", re.IGNORECASE)
_COLOR_HEADER = re.compile(r"colou?r|颜色", re.IGNORECASE)
_POSITION_HEADER = re.compile(r"^(?:position|档位|位置)", re.IGNORECASE)
_CODE_HEADER = re.compile(r"^(?:code|代码|故障代码)", re.IGNORECASE)
EMERGENCY_TITLE = re.compile(r"emergency (?:shutdown|stop|disconnection)|紧急(?:停机|停止|断电|停车)", re.IGNORECASE)


class AngleFrame(NamedTuple):
    """Hour of the clock where the angle is zero, and its direction."""

    origin_hour: int
    clockwise: bool


class Span(NamedTuple):
    """A closed range with its unit; None for degrees."""

    low: float
    high: float
    unit: str | None


class Band(NamedTuple):
    """One row of the limits table."""

    level: LimitLevel
    low: float | None
    high: float | None
    unit: str | None
    low_included: bool = True
    high_included: bool = True


def parse_angle_frame(sentence: str) -> AngleFrame | None:
    """Origin and direction of the angle where a sentence states both, else None."""
    if not re.search(r"angle|角度", sentence, re.IGNORECASE):
        return None
    origin = _ORIGIN.search(sentence)
    counter = _COUNTER.search(sentence)
    # The word for one direction holds the other's: "counter-clockwise" is taken away before looking again.
    clockwise = _CLOCKWISE.search(_COUNTER.sub("", sentence))
    if origin is None or (counter is None) == (clockwise is None):
        return None
    named = origin.group("en") or origin.group("zh")
    hour = int(named) if named.isdigit() else _HOURS[named]
    return AngleFrame(hour, clockwise is not None) if 1 <= hour <= 12 else None


def parse_validity(sentence: str) -> Span | None:
    """Range of pointer angles (degrees) over which the formula is said to hold."""
    match = _VALIDITY.search(sentence)
    return _span(match, None) if match else None


def parse_range(sentence: str) -> Span | None:
    """Measuring range with its unit; a range whose unit is not known is not one."""
    match = _RANGE.search(sentence)
    unit = leading_unit(match.group("rest")) if match else None
    return _span(match, unit) if match and unit else None


def parse_accuracy(sentence: str) -> float | None:
    """Permitted error in percent of the span."""
    match = _CLASS.search(sentence)
    if match:
        return float(match.group("percent"))
    match = _OF_SPAN.search(sentence)
    return float(match.group("en") or match.group("zh")) if match else None


def parse_readout(sentence: str) -> bool | None:
    """True where a sentence says that the digits are the reading, else None."""
    return True if _READOUT.search(sentence) else None


def parse_bands(table: Table) -> tuple[tuple[Band, str], ...]:
    """Bands of a limits table with the row's text; empty for any other table."""
    if not _STATE_HEADER.search(table.header[0]):
        return ()
    found: list[tuple[Band, str]] = []
    for row in table.rows:
        level = next((name for name, pattern in _LEVELS if re.search(pattern, row[0], re.IGNORECASE)), None)
        band = _band(level, row[1]) if level and len(row) > 1 else None
        if band:
            found.append((band, row_text(table, row)))
    return tuple(found)


def parse_lamps(table: Table) -> tuple[tuple[LampColor, tuple[str, ...], str | None], ...]:
    """Colour, cells and the referred section of each row of a lamp table; empty for any other table."""
    if not _COLOR_HEADER.search(table.header[0]):
        return ()
    found: list[tuple[LampColor, tuple[str, ...], str | None]] = []
    for row in table.rows:
        color = next((name for name, pattern in _COLORS if re.search(pattern, row[0], re.IGNORECASE)), None)
        if color and len(row) > 1:
            found.append((color, row, next(iter(find_references(" ".join(row))), None)))
    return tuple(found)


def parse_modes(table: Table) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Position and cells of each row of a mode table; empty for any other table."""
    if not _POSITION_HEADER.search(table.header[0]):
        return ()
    return tuple((int(row[0]), row) for row in table.rows if len(row) > 2 and re.fullmatch(r"[1-5]", row[0]))


def parse_codes(table: Table) -> tuple[tuple[str, ...], ...]:
    """Rows of a table of display codes; empty for any other table."""
    return tuple(row for row in table.rows if len(row) > 1 and row[0]) if _CODE_HEADER.search(table.header[0]) else ()


def row_text(table: Table, row: tuple[str, ...]) -> str:
    """A table row as one line of "header: cell" parts, which a reader can cite."""
    return "; ".join(f"{head}: {cell}" for head, cell in zip(table.header, row, strict=False) if cell)


def statement_sentences(text: str) -> tuple[str, ...]:
    """Sentences of a chunk with white space made single."""
    return tuple(" ".join(s.split()) for paragraph in re.split(r"\n\s*\n", text) for s in split_sentences(paragraph))


def _number(text: str) -> float:
    return float(text.replace("−", "-"))


def _span(match: re.Match[str], unit: str | None) -> Span | None:
    low, high = _number(match.group("low")), _number(match.group("high"))
    return Span(low, high, unit) if low < high else None


def _band(level: LimitLevel, cell: str) -> Band | None:
    numbers = list(re.finditer(_NUMBER, cell))
    if not numbers or len(numbers) > 2:
        return None
    unit = leading_unit(cell[numbers[-1].end() :])
    if len(numbers) == 2:
        low, high = (_number(match.group()) for match in numbers)
        return Band(level, low, high, unit, low_included=not _ABOVE.search(cell)) if low < high else None
    value = _number(numbers[0].group())
    if _UP_TO.search(cell) or _BELOW.search(cell):
        return Band(level, None, value, unit, high_included=bool(_UP_TO.search(cell)))
    if _FROM.search(cell) or _ABOVE.search(cell):
        return Band(level, value, None, unit, low_included=bool(_FROM.search(cell)))
    return None
