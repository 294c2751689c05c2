"""Values that nothing can have are not stated; everything that gauges do show passes."""

from __future__ import annotations

import pytest

from vision.possible import why_impossible


@pytest.mark.parametrize(
    ("value", "unit"),
    [(-115.2, "psi"), (-1.2, "bar"), (-40.0, "inHg"), (-0.2, "MPa"), (-1.0, "x100 psi"), (-280.0, "°C"), (-470.0, "°F")],
)
def test_below_vacuum_and_below_absolute_zero_nothing_is(value: float, unit: str) -> None:
    why = why_impossible(value, unit)
    assert why is not None
    assert unit in why


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        (-1.0, "bar"),
        (-30.0, "inHg"),
        (-760.0, "mmHg"),
        (-0.1, "MPa"),
        (-14.7, "psi"),
        (-196.0, "°C"),
        (-40.0, "°F"),
        (100.0, "% RH"),
        (-1e6, "V"),
        (-500.0, "L/min"),
        (-1e9, None),
        (120.0, "%"),
    ],
)
def test_what_gauges_show_is_possible(value: float, unit: str | None) -> None:
    assert why_impossible(value, unit) is None


def test_humidity_has_two_ends() -> None:
    assert why_impossible(140.0, "% RH") is not None
    assert why_impossible(-20.0, "% RH") is not None


@pytest.mark.parametrize("unit", ["bar", "kPa", "MPa", "psi"])
def test_a_barometers_scale_is_in_mbar(unit: str) -> None:
    why = why_impossible(978.0, unit, (960.0, 1040.0))
    assert why is not None
    assert "mbar" in why
    assert why_impossible(978.0, "mbar", (960.0, 1040.0)) is None


@pytest.mark.parametrize("scale", [(0.0, 1000.0), (900.0, 1600.0), (None, 1040.0), (960.0, None), (None, None)])
def test_other_scales_of_large_pressures_stand(scale: tuple[float | None, float | None]) -> None:
    assert why_impossible(978.0, "bar", scale) is None
