"""Units of running text that no gauge shows (minutes, metres, grams), beside those of `vision.units`, and their conversion."""

from __future__ import annotations

from typing import NamedTuple

from vision.units import UnitError, convert, find_unit

DEGREE = "°"


class TextUnit(NamedTuple):
    """A unit of running text that no gauge shows; `factor` converts within the dimension."""

    name: str
    dimension: str
    factor: float
    aliases: tuple[str, ...]


TEXT_UNITS: tuple[TextUnit, ...] = (
    TextUnit("mg", "mass", 1e-3, ("毫克", "milligram", "milligrams")),
    TextUnit("g", "mass", 1.0, ("克", "gram", "grams")),
    TextUnit("kg", "mass", 1e3, ("千克", "公斤", "kilogram", "kilograms", "kgs")),
    TextUnit("t", "mass", 1e6, ("吨", "tonne", "tonnes")),
    TextUnit("lb", "mass", 453.59237, ("lbs", "pound", "pounds", "磅")),
    TextUnit("oz", "mass", 28.349523125, ("ounce", "ounces")),
    TextUnit("ms", "time", 1e-3, ("毫秒", "millisecond", "milliseconds")),
    TextUnit("s", "time", 1.0, ("秒", "秒钟", "second", "seconds", "sec")),
    TextUnit("min", "time", 60.0, ("分钟", "minute", "minutes", "mins")),
    TextUnit("h", "time", 3600.0, ("小时", "hour", "hours", "hr", "hrs")),
    TextUnit("day", "time", 86400.0, ("天", "days")),
    TextUnit("week", "time", 604800.0, ("周", "星期", "weeks")),
    TextUnit("month", "months", 1.0, ("个月", "months")),
    TextUnit("year", "months", 12.0, ("years", "yr", "yrs")),
    TextUnit("mm", "length", 1e-3, ("毫米", "millimeter", "millimeters", "millimetre", "millimetres")),
    TextUnit("cm", "length", 1e-2, ("厘米", "centimeter", "centimeters", "centimetre", "centimetres")),
    TextUnit("m", "length", 1.0, ("米", "meter", "meters", "metre", "metres")),
    TextUnit("km", "length", 1e3, ("公里", "千米", "kilometer", "kilometers", "kilometre", "kilometres")),
    TextUnit("inch", "length", 0.0254, ("inches", "英寸")),
    TextUnit("mile", "length", 1609.344, ("miles", "英里")),
    TextUnit(DEGREE, "angle", 1.0, ("degree", "degrees", "deg", "度")),
)
_BY_NAME = {unit.name: unit for unit in TEXT_UNITS}

NOT_GAUGE = frozenset({"度", "公斤", "节", "升", "安", "伏", "巴", "帕", "l", "kt", "MA", '"Hg', '"H2O'})
"""Spellings of `vision.units` that mean something else in running text than on a gauge's face."""

RUNNING_SPELLINGS: dict[str, str] = {
    f"{word} {scale}": unit
    for word in ("degree", "degrees", "deg")
    for scale, unit in (("Celsius", "°C"), ("C", "°C"), ("Fahrenheit", "°F"), ("F", "°F"))
}
"""Spellings of gauge units that running text alone uses."""


def is_text_unit(name: str | None) -> bool:
    """Whether `name` is the canonical spelling of a unit of this table."""
    return name in _BY_NAME


def convert_text(value: float, source: str, target: str) -> float | None:
    """`value` in another unit, both canonical names of either table; None where the two do not convert."""
    if source == target:
        return value
    if source in _BY_NAME and target in _BY_NAME:
        first, second = _BY_NAME[source], _BY_NAME[target]
        return value * first.factor / second.factor if first.dimension == second.dimension else None
    if find_unit(source) is None or find_unit(target) is None:
        return None
    try:
        return convert(value, source, target)
    except (UnitError, ValueError):
        return None
