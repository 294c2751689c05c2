"""Needles on their stops, and clocks."""

from __future__ import annotations

import math

import pytest

from vision.fields import EvidencePoints, GaugeFields
from vision.plane import clock_angle
from vision.scale_end import at_stop, beyond_numerals, dial_roll, is_clock, upright_angle
from vision.scale_witness import ScalePlace, ScaleWitness

PIVOT = (100.0, 100.0)


def at(angle: float) -> tuple[float, float]:
    return PIVOT[0] - 80 * math.sin(math.radians(angle)), PIVOT[1] + 80 * math.cos(math.radians(angle))


def witness(value: float, values: list[float], clockwise: bool = True, first: float = 45.0, per: float = 2.7) -> ScaleWitness:
    sign = 1 if clockwise else -1
    places = tuple(ScalePlace((first + sign * v * per) % 360, v) for v in values)
    return ScaleWitness(value, value - 1, value + 1, "mph", clockwise=clockwise, confidence=0.9, scale_points=places)


def points(needle: float, start: float = 45.0, end: float = 315.0) -> EvidencePoints:
    return EvidencePoints(needle_tip=at(needle), pivot=PIVOT, scale_start=at(start), scale_end=at(end))


TENS = [float(v) for v in range(20, 101, 20)]


def test_a_needle_below_zero_shows_the_scales_start_and_keeps_its_reach() -> None:
    raw = witness((31 - 45) / 2.7, TENS)
    settled = at_stop(raw, points(31))
    assert settled.value == 0.0
    assert settled.value_low == raw.value_low
    assert settled.value_high is not None
    assert settled.value_high >= 1.0


def test_a_needle_beyond_the_end_shows_the_end() -> None:
    assert at_stop(witness((321 - 45) / 2.7, TENS), points(321)).value == 100.0


@pytest.mark.parametrize("needle", [48.5, 60.0, 180.0, 311.0])
def test_a_needle_on_the_scale_is_left_alone(needle: float) -> None:
    raw = witness((needle - 45) / 2.7, TENS)
    assert at_stop(raw, points(needle)) == raw


def test_counter_clockwise_scales_have_their_stop_on_the_other_side() -> None:
    raw = witness(-4.0, TENS, clockwise=False, first=315.0)
    assert at_stop(raw, points(326, start=315, end=45)).value == 0.0


def test_an_end_that_is_no_printed_step_settles_nothing() -> None:
    raw = witness(-4.0, TENS)
    assert at_stop(raw, points(33, start=45 + 2.7 * 10)) == raw


def test_without_points_or_value_nothing_changes() -> None:
    raw = witness(-4.0, TENS)
    assert at_stop(raw, EvidencePoints(pivot=PIVOT)) == raw
    none = ScaleWitness(None, reason="nothing")
    assert at_stop(none, points(31)) == none


def test_a_needle_on_the_first_mark_shows_it() -> None:
    assert at_stop(witness(0.3, TENS), points(45.8)).value == 0.0


@pytest.mark.parametrize("clockwise", [True, False])
def test_three_numerals_over_three_quarters_of_the_circle_are_not_wrapped(clockwise: bool) -> None:
    """0, 60 and 120 lie 270 degrees apart: seen from one end, the other is not a quarter turn behind it."""
    first = 45.0 if clockwise else 315.0
    last = 360.0 - first
    settled = witness(0.0, [0.0, 60.0, 120.0], clockwise, first, 270 / 120)
    assert at_stop(settled, points(first, start=first, end=last)).value == 0.0
    full = settled._replace(value=119.7, value_low=118.7, value_high=120.7)
    assert at_stop(full, points(last - (0.7 if clockwise else -0.7), start=first, end=last)).value == 120.0


def test_a_misplaced_end_point_does_not_move_the_value_by_a_step() -> None:
    raw = witness(41.0, TENS)
    assert at_stop(raw, points(45 + 41 * 2.7, end=45 + 60 * 2.7)) == raw
    assert at_stop(raw, points(45 + 41 * 2.7, end=45 + 20 * 2.7)) == raw


def test_extrapolation_widens_the_interval_and_lowers_the_confidence() -> None:
    inside, outside = witness(50.0, TENS), witness(0.0, TENS)
    assert beyond_numerals(inside) == inside
    wider = beyond_numerals(outside)
    assert (wider.value_low, wider.value_high) == (-11.0, 11.0)
    assert wider.confidence == pytest.approx(0.9 * 0.75)


def test_hours_are_a_clock_and_gauges_are_not() -> None:
    assert is_clock(witness(7, [float(h) for h in range(1, 13)], first=180.0, per=30.0))
    assert is_clock(witness(7, [2.0, 3.0, 6.0, 9.0, 12.0], first=180.0, per=30.0))
    assert not is_clock(witness(7, [float(v) for v in range(0, 11, 2)], per=27.0))
    assert not is_clock(witness(7, [0.0, 1.0, 2.0, 3.0], per=30.0))
    assert not is_clock(witness(7, [float(v) for v in range(0, 11, 2)], per=30.0))
    assert not is_clock(witness(7, [float(h) for h in range(1, 13)], clockwise=False, first=180.0, per=30.0))


def test_image_angle_counts_clockwise_from_six() -> None:
    assert [clock_angle(PIVOT, at(angle)) for angle in (0, 90, 200, 359)] == pytest.approx([0, 90, 200, 359], abs=1e-9)


@pytest.mark.parametrize("roll", [-90.0, -20.0, 0.0, 7.0, 150.0])
def test_the_upright_angle_takes_the_photos_roll_away(roll: float) -> None:
    fields = GaugeFields(kind="dial", start_angle=45, end_angle=315, pointer_angle=200)
    seen = upright_angle(fields, points(200 + roll, start=45 + roll, end=315 + roll))
    assert seen == pytest.approx(200, abs=1e-6)


@pytest.mark.parametrize("roll", [-179.0, -90.0, -20.0, 0.0, 7.0, 150.0])
def test_the_roll_needs_no_needle(roll: float) -> None:
    fields = GaugeFields(kind="dial", start_angle=45, end_angle=315)
    seen = points(200 + roll, start=45 + roll, end=315 + roll).model_copy(update={"needle_tip": None})
    assert dial_roll(fields, seen) == pytest.approx(roll, abs=1e-6)
    assert upright_angle(fields, seen) is None
    assert dial_roll(fields, EvidencePoints(pivot=PIVOT)) is None


def test_ends_that_disagree_about_the_roll_give_no_angle() -> None:
    fields = GaugeFields(kind="dial", start_angle=45, end_angle=315, pointer_angle=200)
    assert upright_angle(fields, points(200, start=45, end=330)) is None
    assert upright_angle(GaugeFields(kind="dial"), points(200)) is None
    assert upright_angle(fields, EvidencePoints(pivot=PIVOT)) is None
