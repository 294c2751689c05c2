"""The unit table: one canonical spelling per unit, every alias, and conversion by pint.

A gauge face prints `kg/cm²`, `kgf/cm2` or `кгс/см²`; the contract knows one spelling of each unit, and
this module is the only place that maps between them. Multiplied units (`x1000 r/min`) are written
with `multiplied_unit` and taken apart with `split_multiplier`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple


class UnitError(ValueError):
    """A unit text that the table does not know, or two units that do not convert."""


class Unit(NamedTuple):
    """One row of the table: canonical spelling, pint expression, aliases as printed or written."""

    name: str
    pint: str
    aliases: tuple[str, ...]


UNITS: tuple[Unit, ...] = (
    Unit("MPa", "megapascal", ("兆帕", "MPA", "Mpa", "megapascal")),
    Unit("kPa", "kilopascal", ("千帕", "KPa", "KPA", "Kpa", "kPA", "kilopascal")),
    Unit("Pa", "pascal", ("帕", "pascal")),
    Unit("bar", "bar", ("巴", "Bar", "BAR")),
    Unit("mbar", "millibar", ("毫巴", "hPa", "mBar", "MBAR", "millibar")),
    Unit("psi", "pound_force_per_square_inch", ("PSI", "Psi", "lb/in2", "lbf/in2", "lb/in²", "psig", "PSIG", "psid")),
    Unit(
        "kgf/cm2",
        "kilogram_force / centimeter ** 2",
        ("kgf/cm²", "kg/cm2", "kg/cm²", "кгс/см²", "кгс/см2", "公斤", "KG/CM2", "kp/cm2", "kp/cm²", "Kg/cm2", "Kg/cm²"),
    ),
    Unit("inHg", "inch_Hg", ("in.Hg", "in Hg", "inHg.", "INHG", "in. Hg", '"Hg', "INCH.HG", "ins Hg")),
    Unit("mmHg", "millimeter_Hg", ("毫米汞柱", "mm Hg", "MMHG", "torr")),
    Unit("mmH2O", "millimeter_water", ("毫米水柱", "mmH₂O", "mm H2O", "mmWC", "mmWS")),
    Unit("inH2O", "inch_water", ("inH₂O", "in H2O", "in. H2O", "IN H2O", "inWC", '"H2O', "in.W.C.")),
    Unit("°C", "degC", ("℃", "摄氏度", "degC", "deg C", "º C", "ºC", "° C", "Celsius", "celsius")),
    Unit("°F", "degF", ("℉", "华氏度", "degF", "deg F", "ºF", "° F", "Fahrenheit", "fahrenheit")),
    Unit("K", "kelvin", ("开尔文", "kelvin")),
    Unit("V", "volt", ("伏", "伏特", "VOLTS", "Volts", "volt", "volts", "VOLT")),
    Unit("mV", "millivolt", ("毫伏", "millivolt", "millivolts")),
    Unit("kV", "kilovolt", ("千伏", "KV", "kilovolt")),
    Unit("A", "ampere", ("安", "安培", "AMPS", "Amps", "AMPERES", "amp", "amps", "ampere")),
    Unit("mA", "milliampere", ("毫安", "MA", "milliamp")),
    Unit("kA", "kiloampere", ("千安", "KA")),
    Unit("Hz", "hertz", ("赫兹", "HZ", "hertz")),
    Unit("kW", "kilowatt", ("千瓦", "KW", "kilowatt")),
    Unit("kWh", "kilowatt_hour", ("千瓦时", "KWH", "kW·h", "kW.h", "度")),
    Unit("r/min", "shaft_turn / minute", ("rpm", "RPM", "1/min", "min-1", "转/分", "rev/min")),
    Unit("km/h", "kilometer / hour", ("公里/小时", "千米/小时", "kmh", "kph", "KM/H", "Km/h")),
    Unit("mph", "mile / hour", ("MPH", "英里/小时", "miles/h")),
    Unit("kn", "knot", ("knots", "KNOTS", "kt", "kts", "节")),
    Unit("L", "liter", ("升", "l", "litre", "liter", "litres", "liters")),
    Unit("L/min", "liter / minute", ("l/min", "升/分", "LPM", "lpm", "Lpm")),
    Unit("m3", "meter ** 3", ("m³", "立方米", "cbm")),
    Unit("m3/h", "meter ** 3 / hour", ("m³/h", "立方米/小时", "m3/hr", "M3/H")),
    Unit("gpm", "gallon / minute", ("GPM", "gal/min", "US gpm")),
    Unit("%", "percent", ("％", "百分之", "percent", "PERCENT")),
    Unit("% RH", "percent", ("%RH", "%rh", "% rh", "相对湿度", "RH%", "% r.F.", "%r.F.")),
    Unit("cc", "centimeter ** 3", ("cm3", "cm³", "ml", "mL")),
    Unit("ft", "foot", ("feet", "FEET", "fsw")),
)
"""Order is part of the token vocabulary: append, never reorder."""

UNIT_NAMES: tuple[str, ...] = tuple(u.name for u in UNITS)
MULTIPLIERS: tuple[float, ...] = (0.001, 0.01, 0.1, 10.0, 100.0, 1000.0, 10000.0, 100000.0)
"""Scale multipliers that faces print (`x100`); `None` in the contract means no multiplier is printed."""


def _squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text.strip())


@lru_cache(maxsize=1)
def _spellings() -> tuple[dict[str, str], dict[str, str]]:
    """Exact and case-folded spelling -> canonical name; a folded spelling of two units is left out."""
    exact: dict[str, str] = {}
    folded: dict[str, set[str]] = {}
    for unit in UNITS:
        for spelling in (unit.name, *unit.aliases):
            exact[_squeeze(spelling)] = unit.name
            folded.setdefault(_squeeze(spelling).casefold(), set()).add(unit.name)
    return exact, {text: names.pop() for text, names in folded.items() if len(names) == 1}


def find_unit(text: str) -> str | None:
    """Canonical spelling of a printed or written unit, or None where the table does not know it.

    Case decides where it must (`mA` against `MA` on a face, `mV` against `MV`) and is forgiven elsewhere.
    """
    exact, folded = _spellings()
    key = _squeeze(text)
    return exact.get(key) or folded.get(key.casefold())


def parse_unit(text: str) -> str:
    """Canonical spelling of `text`. Raises UnitError naming the text where it is unknown."""
    name = find_unit(text)
    if name is None:
        raise UnitError(f"unknown unit {text!r}; known units: {', '.join(UNIT_NAMES)}")
    return name


def multiplied_unit(unit: str | None, multiplier: float | None) -> str | None:
    """The unit that a value as printed carries: `x1000 r/min` for a face marked x1000 in r/min."""
    if unit is None or multiplier is None or multiplier == 1:
        return unit
    return f"x{multiplier:g} {unit}"


def split_multiplier(unit: str) -> tuple[float, str]:
    """`x1000 r/min` -> (1000.0, 'r/min'); a plain unit has multiplier 1."""
    match = re.fullmatch(r"[x×]\s*([0-9.eE+-]+)\s+(.+)", unit.strip())
    if match is None:
        return 1.0, unit
    return float(match.group(1)), match.group(2)


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint

    registry: Any = pint.UnitRegistry(autoconvert_offset_to_baseunit=True)
    # Conventional water column: 1000 kg/m3 under standard gravity (ISO 80000-4 remarks), whatever the temperature.
    registry.define("millimeter_water = 9.80665 pascal")
    registry.define("inch_water = 249.08891 pascal")
    # pint counts a revolution as 2 pi, a plain number, so that 60 r/min would be 6.28 Hz: turns are their own kind.
    registry.define("shaft_turn = [turn]")
    return registry


@lru_cache(maxsize=256)
def _pint_unit(name: str) -> Any:
    by_name = {unit.name: unit.pint for unit in UNITS}
    return _registry().parse_units(by_name[parse_unit(name)])


def convert(value: float, source: str, target: str) -> float:
    """`value` in `source` expressed in `target` (any spelling, multipliers included).

    Raises UnitError where a unit is unknown or the two measure different things.
    """
    import pint

    source_factor, source_unit = split_multiplier(source)
    target_factor, target_unit = split_multiplier(target)
    try:
        quantity = _registry().Quantity(value * source_factor, _pint_unit(source_unit))
        return float(quantity.to(_pint_unit(target_unit)).magnitude) / target_factor
    except pint.DimensionalityError as error:
        raise UnitError(f"cannot convert {source!r} to {target!r}: {error}") from error


def compatible(first: str, second: str) -> bool:
    """True where a value in `first` can be expressed in `second`; unknown units are not compatible."""
    try:
        convert(1.0, first, second)
    except UnitError:
        return False
    return True
