"""Curves, steps, views and chains that the witness is built from."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vision.dial_layouts import at_angle, face, linear, printed
from vision.plane import clock_angle
from vision.printed_numbers import find_numbers
from vision.scale_curve import PiecewiseCurve, SmoothCurve, TickPoint, robust_line
from vision.scale_fit import find_scales
from vision.scale_grow import grow_scale
from vision.scale_parts import completeness, place_numbers, printed_step, unwrap
from vision.scale_view import IDENTITY, TILTS, DialGeometry, View

PIVOT = (300.0, 310.0)


@given(st.floats(0, 359.9), st.floats(5, 400))
def test_clock_angle_counts_clockwise_from_six(angle: float, radius: float) -> None:
    off = clock_angle(PIVOT, at_angle(angle, radius)) - angle
    assert abs(unwrap(off, 0.0, 0.0)) < 1e-6


def test_clock_angle_at_the_quarters() -> None:
    assert clock_angle((0, 0), (0, 5)) == pytest.approx(0)
    assert clock_angle((0, 0), (-5, 0)) == pytest.approx(90)
    assert clock_angle((0, 0), (0, -5)) == pytest.approx(180)
    assert clock_angle((0, 0), (5, 0)) == pytest.approx(270)


@given(st.floats(-2000, 2000), st.floats(-500, 500), st.floats(0, 359))
def test_unwrap_is_the_same_direction_near_the_middle(angle: float, low: float, width: float) -> None:
    found = unwrap(angle, low, low + width)
    assert abs(found - (low + width / 2)) <= 180.0 + 1e-6
    assert math.isclose(math.cos(math.radians(found - angle)), 1.0, abs_tol=1e-6)


@given(st.sampled_from([0.05, 0.1, 0.2, 0.25, 1, 2.5, 5, 20, 500]), st.sets(st.integers(-20, 40), min_size=2, max_size=9))
def test_printed_step_divides_all_differences(step: float, multiples: set[int]) -> None:
    values = [round(step * multiple, 6) for multiple in multiples]
    ordered = sorted(multiples)
    expected = step * math.gcd(*(b - a for a, b in itertools.pairwise(ordered)))
    assert printed_step(values) == pytest.approx(expected, rel=0.02)
    assert 0.0 < completeness(values) <= 1.0


def test_printed_step_needs_two_values() -> None:
    with pytest.raises(ValueError, match="two different values"):
        printed_step([3.0, 3.0])


def test_robust_line_ignores_one_wrong_numeral() -> None:
    values, angles = np.arange(8.0), 45 + 30 * np.arange(8.0)
    angles[3] += 50
    slope, offset = robust_line(values, angles)
    assert slope == pytest.approx(30, abs=0.5)
    assert offset == pytest.approx(45, abs=2)


def test_smooth_curve_goes_both_ways() -> None:
    curve = SmoothCurve([0, 20, 40, 60, 80, 100], [45, 99, 153, 207, 261, 315])
    assert curve.angle_at(50) == pytest.approx(180, abs=0.2)
    at = curve.value_at(180)
    assert at.value == pytest.approx(50, abs=0.2)
    assert at.slope_deg == pytest.approx(2.7, rel=0.05)
    assert np.abs(curve.residuals_deg()).max() < 0.5


def test_smooth_curve_follows_tilt_and_says_how_sure_it_is() -> None:
    values = np.arange(0, 101, 10.0)
    true = 45 + 2.7 * values
    seen = true + 6 * np.sin(np.radians(2 * true))
    curve = SmoothCurve(values, seen)
    assert curve.value_at(180 + 6 * np.sin(np.radians(360))).value == pytest.approx(50, abs=0.7)
    assert curve.value_at(float(seen[0]) - 40).sd_deg > 2 * curve.value_at(180.0).sd_deg


def test_located_ends_move_the_curve_and_sharpen_it() -> None:
    values, seen = [0, 60, 120, 180], [112.0, 155.0, 203.0, 246.0]
    alone = SmoothCurve(values, seen, placement_deg=6.0)
    ends = [TickPoint(0, 122.0), TickPoint(180, 236.0)]
    located = SmoothCurve(values, seen, placement_deg=6.0, ticks=ends)
    assert abs(located.angle_at(0) - 122) < 0.6 * abs(alone.angle_at(0) - 122)
    assert located.value_at(130).sd_deg < alone.value_at(130).sd_deg


@given(st.lists(st.floats(5, 60), min_size=3, max_size=8), st.floats(0.02, 0.98))
def test_piecewise_curve_is_its_own_inverse(gaps: list[float], share: float) -> None:
    angles = np.concatenate([[10.0], 10.0 + np.cumsum(gaps)])
    values = 5.0 * np.arange(len(angles))
    curve = PiecewiseCurve(values, angles)
    value = share * values[-1]
    assert curve.value_at(curve.angle_at(value)).value == pytest.approx(value, abs=1e-6)


def test_views_keep_the_pivot_and_come_back() -> None:
    for view in TILTS:
        for angle in (0.0, 77.0, 200.0, 301.0):
            point = at_angle(angle, 150.0)
            assert view.point_in_image(view.of_point(point, PIVOT), PIVOT) == pytest.approx(point)
            seen = clock_angle(PIVOT, view.of_point(point, PIVOT))
            assert abs(unwrap(view.angle_in_image(seen) - angle, 0, 0)) < 1e-6
        assert view.of_point(PIVOT, PIVOT) == pytest.approx(PIVOT)
    assert View(2.0, 0.0).of_point((301.0, 311.0), PIVOT) == pytest.approx((302.0, 311.0))
    geometry = DialGeometry(PIVOT, (320.0, 200.0), None, (1.0, 2.0))
    assert IDENTITY.of_geometry(geometry) == geometry


def test_find_scales_returns_both_families_of_a_dual_dial() -> None:
    texts = face(linear(0, 100, 45, 270), range(0, 101, 20), radius=220) + face(linear(0, 7, 45, 270), range(1, 8), radius=140)
    scales = find_scales(place_numbers(find_numbers(texts), PIVOT))
    assert {scale.values[-1] for scale in scales[:2]} == {100.0, 7.0}
    assert all(scale.clockwise and scale.linear for scale in scales[:2])


def test_find_scales_needs_three_that_agree() -> None:
    assert find_scales(()) == ()
    assert find_scales(place_numbers(find_numbers([printed("3", (1, 1)), printed("9", (50, 90))]), PIVOT)) == ()


def test_grow_scale_needs_to_explain_its_ring() -> None:
    angles = {0: 20.0, 1: 30.0, 2: 55.0, 3: 100.0, 4: 170.0, 5: 255.0}
    curve = lambda value: float(np.interp(value, list(angles), list(angles.values())))  # noqa: E731
    chain = face(curve, list(angles))
    grown = grow_scale(place_numbers(find_numbers(chain), PIVOT))
    assert grown is not None
    assert grown.values == (0, 1, 2, 3, 4, 5)
    strangers = [printed(str(n), at_angle(float(a), 200)) for n, a in ((77, 45), (31, 130), (64, 210), (52, 290))]
    assert grow_scale(place_numbers(find_numbers([*chain[:4], *strangers]), PIVOT)) is None


@pytest.mark.parametrize(
    ("values", "share"),
    [
        ([50, 200, 300, 400, 500], 1.0),  # begins off its step
        ([-1, 0, 2, 4, 6], 1.0),
        ([0, 10, 20, 30, 35], 1.0),
        ([0, 4, 6, 8, 10], 5 / 6),  # the 2 was not read
        ([0, 25, 50, 100], 4 / 5),
    ],
)
def test_an_end_off_the_step_is_no_gap(values: list[float], share: float) -> None:
    assert completeness(values) == pytest.approx(share)


def test_a_number_that_is_not_round_on_the_scale_leaves_gaps() -> None:
    assert completeness([0, 2, 4, 6, 7.3]) < 0.1
    assert completeness([0, 2, 4, 6, 17]) < 0.6
