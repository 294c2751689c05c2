"""Scales and dial geometry: the laws that the truth rests on."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth import ranges
from synth.dial import marks, needle_outline, needle_tip, number_text, numerals
from synth.models import SCALES, XYZ_2000
from synth.spec import Needle, Scale, ScaleArt, direction, polar
from vision.fields import angle_fraction, sweep_deg
from vision.units import UNIT_NAMES, find_unit

ART = ScaleArt(90, 10, 5, 2, 1, 70, 12, (0, 0, 0), "Roboto-Regular.ttf")


def test_direction_counts_clockwise_from_six() -> None:
    assert direction(0) == pytest.approx((0, 1))
    assert direction(90) == pytest.approx((-1, 0)), "a quarter turn clockwise from 6 is 9 o'clock"
    assert direction(180) == pytest.approx((0, -1))
    assert direction(270) == pytest.approx((1, 0))


def test_demo_scale_follows_its_manual() -> None:
    scale = SCALES[XYZ_2000]
    for angle in (30.0, 137.2, 330.0):
        assert scale.value_at((angle - scale.start_deg) / scale.sweep_deg) == pytest.approx((angle - 30.0) / 2.5)
    assert (scale.start_deg, scale.end_deg) == (30.0, 330.0)


@pytest.mark.parametrize(
    ("name", "low", "high", "start", "end"),
    [("BT-160", 0, 160, 45, 315), ("VM-48", 0, 300, 135, 225), ("XYZ-2000", 0, 120, 30, 330)],
)
def test_models_have_the_manuals_ends(name: str, low: float, high: float, start: float, end: float) -> None:
    scale = SCALES[name]
    assert (scale.minimum, scale.maximum, scale.start_deg, scale.end_deg) == (low, high, start, end)


scales = st.builds(
    Scale,
    minimum=st.just(0.0),
    maximum=st.sampled_from([1.0, 6.0, 100.0]),
    major_step=st.just(1.0),
    minors=st.integers(1, 10),
    start_deg=st.floats(0, 359),
    sweep_deg=st.floats(40, 340),
    clockwise=st.booleans(),
    exponent=st.sampled_from([1.0, 2.0, 0.5, 1.7]),
)


@given(scales, st.floats(-0.05, 1.05))
@settings(max_examples=150, deadline=None)
def test_value_and_fraction_are_inverse(scale: Scale, fraction: float) -> None:
    assert scale.fraction_of(scale.value_at(fraction)) == pytest.approx(fraction, abs=1e-9)


@given(scales, st.floats(-0.02, 1.02))
@settings(max_examples=150, deadline=None)
def test_angle_agrees_with_the_contracts_fraction(scale: Scale, fraction: float) -> None:
    back = angle_fraction(scale.angle_at(fraction), scale.start_deg, scale.end_deg, scale.clockwise)
    assert back == pytest.approx(fraction, abs=1e-6)
    assert sweep_deg(scale.start_deg, scale.end_deg, scale.clockwise) == pytest.approx(scale.sweep_deg)


def test_square_root_scale_is_crowded_at_its_start() -> None:
    scale = Scale(0, 10, 2, 2, 45, 270, exponent=2.0)
    assert scale.fraction_of(5) == pytest.approx(0.25)
    assert scale.value_at(0.25) == pytest.approx(5)


@pytest.mark.parametrize("unit", sorted(ranges.RANGES))
def test_ranges_divide_sensibly(unit: str) -> None:
    assert unit in UNIT_NAMES
    for low, high in ranges.RANGES[unit]:
        assert low < high
        for step in ranges.major_steps(low, high):
            count = (high - low) / step
            assert count == pytest.approx(round(count), abs=1e-6)
            assert 2 <= round(count) <= 22
            assert ranges.minor_choices(step)
            if low < 0 < high:
                assert low / step == pytest.approx(round(low / step), abs=1e-6), f"{unit} {low}..{high} by {step} must show 0"


@pytest.mark.parametrize("unit", sorted(ranges.UNIT_TEXTS))
def test_printed_units_are_known_to_the_table(unit: str) -> None:
    for text in ranges.UNIT_TEXTS[unit]:
        assert find_unit(text) == unit, f"{text!r} must read as {unit}"


@pytest.mark.parametrize(
    ("value", "step", "text"),
    [(0.4, 0.2, "0.4"), (40, 20, "40"), (-0.0, 0.5, "0"), (2.5, 2.5, "2.5"), (0.05, 0.025, "0.050"), (-30, 10, "-30")],
)
def test_numbers_have_the_steps_decimals(value: float, step: float, text: str) -> None:
    assert number_text(value, step) == text


def test_marks_start_and_end_at_the_scale() -> None:
    scale = Scale(0, 10, 2, 5, 45, 270)
    ticks = marks(scale, ART, (3.0, -2.0))
    assert len(ticks) == 26
    assert sum(t.major for t in ticks) == 6
    assert ticks[0].outer == pytest.approx(polar((3.0, -2.0), 90, 45))
    assert ticks[-1].outer == pytest.approx(polar((3.0, -2.0), 90, 315))
    for tick in ticks:
        assert math.dist(tick.outer, tick.inner) in (pytest.approx(10), pytest.approx(5))


def test_outward_ticks_keep_the_outer_radius_of_majors() -> None:
    art = ScaleArt(90, 10, 5, 2, 1, 70, 12, (0, 0, 0), "Roboto-Regular.ttf", inward=False)
    ticks = marks(Scale(0, 10, 2, 5, 45, 270), art, (0.0, 0.0))
    assert math.hypot(*ticks[0].outer) == pytest.approx(90)
    assert math.hypot(*ticks[0].inner) == pytest.approx(80)


def test_numerals_skip_and_sign() -> None:
    scale = Scale(-30, 150, 30, 3, 45, 270)
    assert [n.text for n in numerals(scale, ART, (0, 0))] == ["-30", "0", "30", "60", "90", "120", "150"]
    unsigned = ScaleArt(90, 10, 5, 2, 1, 70, 12, (0, 0, 0), "Roboto-Regular.ttf", unsigned=True, numeral_every=2)
    found = numerals(scale, unsigned, (0, 0))
    assert [(n.text, n.value) for n in found] == [("30", -30), ("30", 30), ("90", 90), ("150", 150)]


@pytest.mark.parametrize("shape", ["taper", "baton", "arrow", "lance", "spade"])
@pytest.mark.parametrize("tail", ["none", "bar", "flare"])
def test_needle_reaches_its_tip_and_tail(shape: str, tail: str) -> None:
    needle = Needle(80, 5, 1, 20 if tail != "none" else 0, 6, shape, tail, (0, 0, 0), 5, (0, 0, 0))  # type: ignore[arg-type]
    for angle in (0.0, 77.0, 200.0):
        points = np.array(needle_outline(needle, (1.0, 2.0), angle)) - (1.0, 2.0)
        along = points @ np.array(direction(angle))
        assert along.max() == pytest.approx(80)
        assert along.min() == pytest.approx(-20 if tail != "none" else 0, abs=1e-6)
        across = points @ np.array([-direction(angle)[1], direction(angle)[0]])
        assert across.max() == pytest.approx(-across.min()), "a needle is symmetric about its axis"
        assert needle_tip(needle, (1.0, 2.0), angle) == pytest.approx(polar((1.0, 2.0), 80, angle))
