"""The ends of a scale: what was read at them, what must be printed there, and silence where neither is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vision.dial_layouts import face, linear, needle_at, tilt
from vision.fields import GaugeFields
from vision.scale_range import ScaleRange, scale_range
from vision.scale_witness import read_scale

PRESSURE = linear(0, 10, 45, 270)
NOTHING_SPELLED = GaugeFields(kind="dial")


def ends_of(
    scale: Callable[[float], float],
    read: Sequence[float],
    ends: tuple[float, float] | None,
    spelled: GaugeFields = NOTHING_SPELLED,
    at: float = 0.5,
) -> ScaleRange:
    """What is stated of a face on which `read` was read and the scale was seen to end at the angles `ends`."""
    needle = scale(min(read) + at * (max(read) - min(read)))
    geometry = needle_at(needle, ends=ends)
    return scale_range(read_scale(face(scale, read), geometry), geometry, spelled)


def values(found: ScaleRange) -> tuple[float | None, float | None]:
    return None if found.low is None else found.low.value, None if found.high is None else found.high.value


def test_numerals_at_the_ends_are_the_ends() -> None:
    found = ends_of(PRESSURE, range(0, 11, 2), (45.0, 315.0))
    assert values(found) == (0.0, 10.0)
    assert found.low is not None
    assert found.high is not None
    assert min(found.low.confidence, found.high.confidence) > 0.9


def test_an_end_that_was_not_read_follows_from_the_step() -> None:
    assert values(ends_of(PRESSURE, [2, 4, 6, 8], (45.0, 315.0))) == (0.0, 10.0)
    assert values(ends_of(PRESSURE, [4, 6, 8, 10], (45.0, 315.0))) == (0.0, 10.0)


def test_what_follows_is_less_sure_than_what_was_read() -> None:
    read, extended = ends_of(PRESSURE, range(0, 11, 2), (45.0, 315.0)), ends_of(PRESSURE, [0, 2, 4, 6, 8], (45.0, 315.0))
    assert read.high is not None
    assert extended.high is not None
    assert extended.high.value == 10.0
    assert extended.high.confidence < read.high.confidence


def test_an_end_between_two_marks_is_not_known() -> None:
    assert values(ends_of(PRESSURE, range(0, 11, 2), (45.0, 315.0 + 27.0)))[1] is None


def test_the_step_is_not_carried_further_than_two_numerals() -> None:
    assert values(ends_of(PRESSURE, [0, 1, 2, 3, 4], (45.0, 315.0)))[1] is None


def test_without_points_the_donut_must_spell_what_the_numerals_say() -> None:
    spelled = GaugeFields(kind="dial", scale_min=0.0, scale_max=10.0)
    assert values(ends_of(PRESSURE, range(0, 11, 2), None, spelled)) == (0.0, 10.0)
    habit = GaugeFields(kind="dial", scale_min=0.0, scale_max=160.0)
    assert values(ends_of(PRESSURE, range(0, 11, 2), None, habit)) == (0.0, None)
    assert values(ends_of(PRESSURE, [2, 4, 6, 8, 10], None)) == (None, None)


def test_a_wrong_habit_of_the_donut_changes_nothing_where_the_ends_were_seen() -> None:
    habit = GaugeFields(kind="dial", scale_min=-40.0, scale_max=160.0)
    plain, told = ends_of(PRESSURE, range(0, 11, 2), (45.0, 315.0)), ends_of(PRESSURE, range(0, 11, 2), (45.0, 315.0), habit)
    assert plain == told


def test_agreement_makes_surer() -> None:
    spelled = GaugeFields(kind="dial", scale_min=0.0, scale_max=10.0)
    alone, both = ends_of(PRESSURE, range(0, 11, 2), (45.0, 315.0)), ends_of(PRESSURE, range(0, 11, 2), (45.0, 315.0), spelled)
    assert alone.high is not None
    assert both.high is not None
    assert both.high.confidence > alone.high.confidence


def test_scales_that_run_the_other_way_start_where_they_start() -> None:
    volume = linear(0, 400, 300, -240)
    assert values(ends_of(volume, range(0, 401, 100), (300.0, 60.0))) == (0.0, 400.0)
    assert values(ends_of(volume, [0, 100, 200, 300], (300.0, 60.0))) == (0.0, 400.0)


def test_ends_that_the_donut_took_for_each_other_are_put_right() -> None:
    volume = linear(0, 400, 300, -240)
    assert values(ends_of(volume, range(0, 401, 100), (60.0, 300.0))) == (0.0, 400.0)


def test_a_scale_below_zero_is_carried_below_zero_and_no_other_one_is() -> None:
    cold = linear(-30, 50, 45, 270)
    assert values(ends_of(cold, range(-20, 51, 10), (45.0, 315.0))) == (-30.0, 50.0)
    # The start was seen one step too far out: a scale that was read down to zero starts there, though less surely.
    seen, missed = ends_of(PRESSURE, range(0, 9, 2), (45.0, 315.0)), ends_of(PRESSURE, range(0, 9, 2), (45.0 - 54.0, 315.0))
    assert seen.low is not None
    assert missed.low is not None
    assert missed.low.value == 0.0
    assert missed.low.confidence < seen.low.confidence


def test_a_tilted_dial_keeps_its_ends() -> None:
    squeeze = tilt(0.8, 30.0)
    geometry = needle_at(PRESSURE(4.4), shape=squeeze, ends=(45.0, 315.0))
    witness = read_scale(face(PRESSURE, range(0, 11, 2), shape=squeeze), geometry)
    assert values(scale_range(witness, geometry, NOTHING_SPELLED)) == (0.0, 10.0)


def test_no_numerals_no_ends() -> None:
    geometry = needle_at(100.0, ends=(45.0, 315.0))
    spelled = GaugeFields(kind="dial", scale_min=0.0, scale_max=10.0)
    assert scale_range(read_scale([], geometry), geometry, spelled) == ScaleRange()


@settings(max_examples=40, deadline=None)
@given(
    low=st.sampled_from([-50.0, -1.0, 0.0, 20.0]),
    step=st.sampled_from([0.1, 0.5, 1.0, 20.0, 250.0]),
    count=st.integers(min_value=4, max_value=8),
    start=st.floats(min_value=20.0, max_value=70.0),
    off=st.tuples(st.floats(min_value=-5.0, max_value=5.0), st.floats(min_value=-5.0, max_value=5.0)),
)
def test_ends_that_are_a_few_degrees_off_change_nothing(
    low: float, step: float, count: int, start: float, off: tuple[float, float]
) -> None:
    numerals = [round(low + index * step, 6) for index in range(count + 1)]
    scale = linear(numerals[0], numerals[-1], start, 270.0)
    found = ends_of(scale, numerals, (start + off[0], start + 270.0 + off[1]))
    if found.low is None or found.high is None:
        pytest.fail(f"an end of {numerals} is not known")
    assert math.isclose(found.low.value, numerals[0], abs_tol=1e-9)
    assert math.isclose(found.high.value, numerals[-1], rel_tol=1e-9)
