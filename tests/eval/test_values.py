"""Values with units against intervals, and angles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.values import angle_error_deg, inside, known_unit, number_fits, value_fits, value_in_unit
from vision.plane import clock_angle
from vision.units import convert

ANGLES = st.floats(0, 360, exclude_max=True)


def test_units_convert_and_missing_ones_are_not_guessed() -> None:
    assert value_in_unit(1.0, "bar", "kPa") == pytest.approx(100.0)
    assert value_in_unit(3.0, None, "bar") is None
    assert value_in_unit(3.0, "V", "bar") is None
    assert value_in_unit(3.0, "psid", "psi") == 3.0
    assert value_in_unit(2.0, "x1000 r/min", "r/min") == pytest.approx(2000.0)


def test_a_label_without_unit_takes_any_unit_and_a_bare_number_none() -> None:
    assert value_fits(5.0, "bar", 4.9, 5.1, None)
    assert value_fits(5.0, None, 4.9, 5.1, "")
    assert value_fits(5.0, None, 4.9, 5.1, "count")
    assert not value_fits(5.0, "mA", 4.9, 5.1, "count")


def test_either_scale_of_a_dual_dial_is_right_with_its_own_unit() -> None:
    assert value_fits(convert(120, "psi", "kPa"), "kPa", 115, 125, "psi")
    assert not value_fits(120, "kPa", 115, 125, "psi")
    assert number_fits(120, "kPa", 115, 125, "psi")
    assert value_fits(22.5, "°C", 70.5, 74.5, "°F")


def test_digits_need_no_room_around_them() -> None:
    assert inside(56.1, 56.1, 56.1)
    assert inside(convert(convert(6.316, "kgf/cm2", "kPa"), "kPa", "kgf/cm2"), 6.316, 6.316)
    assert not inside(56.2, 56.1, 56.1)


def test_known_unit_keeps_the_multiplier() -> None:
    assert known_unit("x1000 rpm") == "x1000 r/min"
    assert known_unit("furlong") is None
    assert known_unit("") is None


@given(ANGLES, ANGLES)
def test_angle_error_is_a_distance_on_the_circle(first: float, second: float) -> None:
    error = angle_error_deg(first, second)
    assert 0 <= error <= 180
    assert error == pytest.approx(angle_error_deg(second, first), abs=1e-9)
    assert angle_error_deg(first, first) == 0
    assert angle_error_deg((first + 180) % 360, first) == pytest.approx(180)


def test_angle_error_crosses_six_o_clock() -> None:
    assert angle_error_deg(359.0, 2.0) == pytest.approx(3.0)


def test_image_angles_run_clockwise_from_six_o_clock() -> None:
    tips = {0.0: (0.0, 1.0), 90.0: (-1.0, 0.0), 180.0: (0.0, -1.0), 270.0: (1.0, 0.0)}
    for angle, tip in tips.items():
        assert clock_angle((0.0, 0.0), tip) == pytest.approx(angle)
