"""One table of units: every alias leads to one name, every name converts, case is forgiven only where it is safe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.units import (
    MULTIPLIERS,
    UNIT_NAMES,
    UNITS,
    UnitError,
    compatible,
    convert,
    find_unit,
    multiplied_unit,
    parse_unit,
    split_multiplier,
)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_every_spelling_leads_to_its_name(unit) -> None:  # type: ignore[no-untyped-def]
    for spelling in (unit.name, *unit.aliases, f" {unit.name} "):
        assert find_unit(spelling) == unit.name
    assert convert(3.0, unit.name, unit.name) == pytest.approx(3.0)


def test_no_spelling_belongs_to_two_units() -> None:
    spellings = [spelling.replace(" ", "") for unit in UNITS for spelling in (unit.name, *unit.aliases)]
    owners = {
        spelling: [u.name for u in UNITS if spelling in {s.replace(" ", "") for s in (u.name, *u.aliases)}]
        for spelling in spellings
    }
    assert {spelling: names for spelling, names in owners.items() if len(names) > 1} == {}


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("kg/cm²", "kgf/cm2"),
        ("кгс/см²", "kgf/cm2"),
        ("兆帕", "MPa"),
        ("℃", "°C"),
        ("RPM", "r/min"),
        ("PSI", "psi"),
        ("in.Hg", "inHg"),
        ("km / h", "km/h"),
        ("%RH", "% RH"),
        ("mbar", "mbar"),
        ("hPa", "mbar"),
        ("MPA", "MPa"),
        ("VOLTS", "V"),
    ],
)
def test_what_faces_print(printed: str, name: str) -> None:
    assert parse_unit(printed) == name


@pytest.mark.parametrize("text", ["", "of", "oil", "bars of gold", "MADE IN", "x", "CL 1.6", "-"])
def test_words_are_no_units(text: str) -> None:
    assert find_unit(text) is None
    with pytest.raises(UnitError, match="known units"):
        parse_unit(text)


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (1, "bar", "psi", 14.5038),
        (20, "°C", "°F", 68),
        (-40, "°F", "°C", -40),
        (1, "MPa", "bar", 10),
        (1, "kgf/cm2", "kPa", 98.0665),
        (29.92, "inHg", "mbar", 1013.2),
        (3, "x1000 r/min", "r/min", 3000),
        (100, "km/h", "mph", 62.137),
        (1, "inH2O", "Pa", 249.089),
        (50, "% RH", "%", 50),
        (1, "m3/h", "L/min", 16.6667),
    ],
)
def test_conversions_against_tables(value: float, source: str, target: str, expected: float) -> None:
    assert convert(value, source, target) == pytest.approx(expected, rel=1e-4)


@given(st.sampled_from(UNIT_NAMES), st.sampled_from(UNIT_NAMES), st.floats(-1e5, 1e5))
def test_conversion_there_and_back_or_a_clear_error(first: str, second: str, value: float) -> None:
    if compatible(first, second):
        assert convert(convert(value, first, second), second, first) == pytest.approx(value, rel=1e-6, abs=1e-6)
    else:
        with pytest.raises(UnitError, match="cannot convert"):
            convert(value, first, second)


@given(st.sampled_from(UNIT_NAMES), st.sampled_from(MULTIPLIERS))
def test_multipliers_are_part_of_the_unit(unit: str, multiplier: float) -> None:
    text = multiplied_unit(unit, multiplier)
    assert text is not None
    assert split_multiplier(text) == (multiplier, unit)
    assert multiplied_unit(unit, None) == unit
    assert multiplied_unit(None, multiplier) is None


def test_pressure_is_not_temperature() -> None:
    assert not compatible("bar", "°C")
    assert not compatible("bar", "nonsense")


def test_turns_are_no_plain_number() -> None:
    assert not compatible("r/min", "Hz")
    assert not compatible("r/min", "%")
    assert convert(1.5, "x1000 r/min", "r/min") == pytest.approx(1500.0)
