"""The convention of statements: what parses, and what must not."""

from __future__ import annotations

import pytest

from knowledge.facts import LimitFact, ModelFacts
from knowledge.sentences import Table
from knowledge.statements import (
    parse_accuracy,
    parse_angle_frame,
    parse_bands,
    parse_codes,
    parse_lamps,
    parse_modes,
    parse_range,
    parse_readout,
    parse_validity,
)


@pytest.mark.parametrize(
    ("sentence", "frame"),
    [
        ("The pointer angle is counted from 6 o'clock, clockwise, in degrees.", (6, True)),
        ("Angles are measured counter-clockwise from 12 o’clock.", (12, False)),
        ("The angle starts from the 3 o'clock position and runs anticlockwise.", (3, False)),
        ("指针角度从 6 点钟方向起，按顺时针方向以度计算。", (6, True)),
        ("角度自六点钟起逆时针计。", (6, False)),
        ("角度从十二点方向顺时针计。", (12, True)),
        ("The angle runs clockwise.", None),
        ("The angle is counted from 6 o'clock.", None),
        ("The angle is counted from 6 o'clock, clockwise or counter-clockwise.", None),
        ("The shift starts from 6 o'clock, clockwise through the plant.", None),
        ("The angle is counted clockwise from 13 o'clock.", None),
    ],
)
def test_angle_frame(sentence: str, frame: tuple[int, bool] | None) -> None:
    assert parse_angle_frame(sentence) == frame


@pytest.mark.parametrize(
    ("sentence", "span"),
    [
        ("The formula is valid for pointer angles from 30 to 330 degrees.", (30, 330, None)),
        ("This formula holds between 45° and 315°.", (45, 315, None)),
        ("公式适用于指针角度 30 至 330 度。", (30, 330, None)),
        ("公式在 45°～315° 内有效。", None),
        ("The formula is valid for pointer angles from 330 to 30 degrees.", None),
        ("The scale runs from 30 to 330 degrees.", None),
    ],
)
def test_validity(sentence: str, span: tuple[float, float, None] | None) -> None:
    assert parse_validity(sentence) == span


@pytest.mark.parametrize(
    ("sentence", "span"),
    [
        ("The measuring range is 0 to 120 MPa.", (0, 120, "MPa")),
        ("The measuring range is -1 to 3.5 bar.", (-1, 3.5, "bar")),
        ("测量范围为 0 至 160 °C。", (0, 160, "°C")),
        ("显示范围：−20 ~ 60 ℃", (-20, 60, "°C")),
        ("The measuring range is 0 to 120.", None),
        ("The measuring range is 0 to 120 units.", None),
        ("The measuring range is wide.", None),
    ],
)
def test_range(sentence: str, span: tuple[float, float, str] | None) -> None:
    assert parse_range(sentence) == span


@pytest.mark.parametrize(
    ("sentence", "percent"),
    [
        ("The accuracy class is 1.6, which permits 1.6 % of the span.", 1.6),
        ("The error limit is ±0.5 % of span plus one digit.", 0.5),
        ("准确度等级为 2.5 级。", 2.5),
        ("允许误差为量程的 ±0.5 % 加末位一个字。", 0.5),
        ("The class is high.", None),
        ("Add 0.4 % of the span.", None),
    ],
)
def test_accuracy(sentence: str, percent: float | None) -> None:
    assert parse_accuracy(sentence) == percent


def test_readout() -> None:
    assert parse_readout("The digits are the reading: no formula.") is True
    assert parse_readout("数字即读数。") is True
    assert parse_readout("Blinking digits are not a reading.") is None


def bands(*cells: str) -> list[tuple[float | None, float | None, str | None, bool, bool]]:
    table = Table(("State", "Pressure"), tuple(("Normal", cell) for cell in cells))
    return [(b.low, b.high, b.unit, b.low_included, b.high_included) for b, _ in parse_bands(table)]


def test_bands() -> None:
    assert bands("0 to 80 MPa") == [(0, 80, "MPa", True, True)]
    assert bands("above 80 to 100 MPa") == [(80, 100, "MPa", False, True)]
    assert bands("above 100 MPa") == [(100, None, "MPa", False, True)]
    assert bands("up to 80 MPa") == [(None, 80, "MPa", True, True)]
    assert bands("below 196 V") == [(None, 196, "V", True, False)]
    assert bands("at least 5 bar") == [(5, None, "bar", True, True)]
    assert bands("超过 80 至 100 MPa") == [(80, 100, "MPa", False, True)]
    assert bands("不超过 80 MPa") == [(None, 80, "MPa", True, True)]
    assert bands("低于 196 V") == [(None, 196, "V", True, False)]
    assert bands("不低于 5 bar") == [(5, None, "bar", True, True)]
    assert bands("≤ 5 bar", "> 7 bar") == [(None, 5, "bar", True, True), (7, None, "bar", False, True)]


def test_what_is_no_band_is_left_out() -> None:
    assert bands("about 80 MPa") == []
    assert bands("100 to 80 MPa") == []
    assert bands("1, 2 or 3 bar") == []
    assert bands("high") == []
    assert parse_bands(Table(("Item", "Value"), (("Normal", "0 to 8 bar"),))) == ()


def test_lamp_table() -> None:
    table = Table(
        ("Lamp colour", "Meaning", "Action"),
        (("Red", "Fault", "See section 5.2."), ("Amber", "Warning", ""), ("Blue", "Unknown to us", ""), ("Off", "No supply", "")),
    )
    assert [(color, row[1], section) for color, row, section in parse_lamps(table)] == [
        ("red", "Fault", "5.2"),
        ("yellow", "Warning", None),
        ("off", "No supply", None),
    ]
    chinese = Table(("指示灯颜色", "含义"), (("红色", "故障"), ("熄灭", "断电")))
    assert [color for color, _, _ in parse_lamps(chinese)] == ["red", "off"]


def test_mode_and_code_tables() -> None:
    modes = Table(("Position", "Mode", "Meaning"), (("1", "Off", "Out."), ("6", "None", "There is no sixth."), ("x", "y", "z")))
    assert [(position, row[1]) for position, row in parse_modes(modes)] == [(1, "Off")]
    codes = Table(("代码", "含义"), (("Er1", "断线"),))
    assert parse_codes(codes) == (("Er1", "断线"),)
    assert parse_codes(modes) == ()
    assert parse_modes(codes) == ()


def limit(level: str, low: float | None, high: float | None, **ends: bool) -> LimitFact:
    return LimitFact.model_validate({"chunk": "c", "text": "t", "level": level, "low": low, "high": high} | ends)


def test_limit_at_takes_the_graver_of_two_bands_that_meet() -> None:
    limits = (
        limit("alarm", None, 196, high_included=False),
        limit("warning", 196, 207),
        limit("normal", 207, 253),
        limit("alarm", 264, None, low_included=False),
    )
    facts = ModelFacts(model="M", language="en", document="d", version="1", limits=limits)
    found = [facts.limit_at(value) for value in (-5, 195.9, 196, 207, 208, 253, 260, 264, 264.1)]
    assert [f.level if f else None for f in found] == [
        "alarm",
        "alarm",
        "warning",
        "warning",
        "normal",
        "normal",
        None,
        None,
        "alarm",
    ]
