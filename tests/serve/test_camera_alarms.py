"""Smoothing and alarms as arithmetic, and a camera's memory that puts them together and survives its process."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serve.cameras.alarms import AlarmState, Now, step_alarm
from serve.cameras.events import CameraEvent
from serve.cameras.plausible import Seen
from serve.cameras.registry import AlarmRule, Camera, Smoothing
from serve.cameras.smoothing import keep_recent, smooth
from serve.cameras.track import Shot, Track


def seen(at_s: float, value: float, half: float = 0.1, confidence: float = 0.9) -> Seen:
    return Seen(at_s, value, value - half, value + half, confidence)


readings = st.lists(
    st.builds(seen, st.just(0.0), st.floats(-1e4, 1e4), st.floats(0, 100), st.floats(0, 1)), min_size=1, max_size=9
)


@given(readings)
def test_the_median_is_a_value_that_was_read_inside_its_interval(some: list[Seen]) -> None:
    found = smooth(some)
    assert found is not None
    assert found.value in [one.value for one in some]
    assert found.low <= found.value <= found.high
    assert found.frames == len(some)


def test_one_wild_reading_does_not_move_the_median() -> None:
    found = smooth([seen(0, 4.0), seen(1, 4.1), seen(2, 90.0), seen(3, 4.2), seen(4, 4.1)])
    assert found is not None
    assert found.value == 4.1


def test_an_exact_reading_weighs_more_than_two_vague_ones() -> None:
    found = smooth([seen(0, 4.0, half=0.05), seen(1, 5.0, half=1.0), seen(2, 5.1, half=1.0)])
    assert found is not None
    assert found.value == 4.0


def test_many_frames_do_not_shrink_the_interval() -> None:
    one, many = smooth([seen(0, 4.0)]), smooth([seen(n, 4.0) for n in range(9)])
    assert one is not None
    assert many is not None
    assert one.high - one.low == many.high - many.low


def test_while_the_instrument_moves_the_interval_holds_the_newest_one() -> None:
    found = smooth([seen(n, 4.0 + n) for n in range(5)])
    assert found is not None
    assert (found.value, found.high) == (6.0, 8.1)


def test_old_readings_fall_out() -> None:
    kept = keep_recent([seen(0, 1.0), seen(50, 2.0), seen(100, 3.0)], 100, Smoothing(frames=5, seconds=60))
    assert [one.value for one in kept] == [2.0, 3.0]
    assert smooth(()) is None


def changes(rule: AlarmRule, steps: list[Now]) -> list[str]:
    state, out = AlarmState(), list[str]()
    for now in steps:
        state, change = step_alarm(rule, state, now)
        out.append(change.to if change else "")
    return out


def values(*some: float | None, every_s: float = 10.0) -> list[Now]:
    return [Now(n * every_s, value is not None, value) for n, value in enumerate(some)]


def test_an_alarm_begins_after_its_time_and_ends_past_the_hysteresis() -> None:
    rule = AlarmRule(name="high", above=8.0, for_s=20, hysteresis=0.5)
    assert changes(rule, values(7, 9, 9, 9, 7.9, 7.6, 7.5, 9)) == ["", "", "", "on", "", "", "off", ""]


def test_a_short_peak_is_no_alarm() -> None:
    assert changes(AlarmRule(name="high", above=8.0, for_s=20), values(7, 9, 9, 7, 9, 9, 7)) == [""] * 7


def test_below_is_the_mirror_of_above() -> None:
    rule = AlarmRule(name="low", below=2.0, hysteresis=0.5)
    assert changes(rule, values(3, 1.9, 2.4, 2.5, 2.0)) == ["", "on", "", "off", ""]


def test_what_is_not_read_neither_begins_nor_ends_an_alarm() -> None:
    rule = AlarmRule(name="high", above=8.0)
    assert changes(rule, values(9, None, None, 7)) == ["on", "", "", "off"]
    assert changes(AlarmRule(name="high", above=8.0, for_s=15), values(9, None, None, 9, 9, 9)) == ["", "", "", "", "", "on"]
    assert changes(AlarmRule(name="high", above=8.0, for_s=15), values(9, None, 9)) == ["", "", "on"]


def test_not_read_for_long_is_an_alarm_that_one_reading_ends() -> None:
    rule = AlarmRule(name="blind", not_read_for_s=20)
    assert changes(rule, values(1, None, None, None, None, 1)) == ["", "", "", "on", "", "off"]
    assert changes(rule, values(1, None, None, 1, None, None)) == [""] * 6


def test_colour_and_stuck() -> None:
    red = AlarmRule(name="red", color="red", for_s=10)
    lamps = [Now(n * 10.0, True, color=color) for n, color in enumerate(["green", "red", "red", "off"])]
    assert changes(red, lamps) == ["", "", "on", "off"]
    stuck = AlarmRule(name="stuck", stuck=True)
    assert changes(stuck, [Now(0, True, 1.0), Now(1, True, 1.0, stuck=True), Now(2, True, 2.0)]) == ["", "on", "off"]


@given(st.lists(st.one_of(st.none(), st.floats(0, 10)), max_size=40), st.floats(0, 30), st.floats(0, 2))
def test_alarms_alternate(some: list[float | None], for_s: float, hysteresis: float) -> None:
    told = [one for one in changes(AlarmRule(name="a", above=5, for_s=for_s, hysteresis=hysteresis), values(*some)) if one]
    assert told == ["on" if n % 2 == 0 else "off" for n in range(len(told))]


def camera(**keys: Any) -> Camera:
    return Camera.model_validate({"name": "p1", "source": "http://camera/p.jpg", "every_s": 10, **keys})


def shots(track: Track, *some: float | None, start: int = 0) -> list[CameraEvent]:
    out = []
    for n, value in enumerate(some, start):
        at_s = n * 10.0
        reading = None if value is None else seen(at_s, value)
        out.append(track.take(Shot(at_s, 1e9 + at_s, reading, None, "bar", None if value is not None else "dark")))
    return out


def test_a_jump_is_kept_out_of_value_and_alarm() -> None:
    track = Track(camera(limits={"most_per_min": 1}, alarm=[{"name": "high", "above": 8}]))
    events = shots(track, 4.0, 4.1, 9.5, 4.1, None)
    assert [one.status for one in events] == ["good", "good", "held", "good", "not_read"]
    assert [one.raw for one in events] == [4.0, 4.1, 9.5, 4.1, None]
    assert events[2].value is None
    assert not any(one.changes for one in events)
    assert events[4].reason == "dark"


def test_a_level_that_was_borne_out_replaces_the_old_one() -> None:
    track = Track(camera(limits={"most_per_min": 1}, alarm=[{"name": "high", "above": 8}]))
    events = shots(track, 4.0, 4.0, 4.0, 9.5, 9.5, 9.6)
    assert events[-1].value == 9.5
    assert events[-1].frames == 3
    assert [change.to for change in events[-1].changes] == ["on"]


def test_a_counter_is_not_smoothed() -> None:
    track = Track(camera(limits={"counter": True, "rolls_over_at": 100}))
    events = shots(track, 96, 97, 99, 1)
    assert [one.value for one in events] == [96, 97, 99, 1]
    assert events[-1].total == 101


@pytest.mark.parametrize("cut", range(1, 9))
def test_a_killed_process_is_taken_up_where_it_stopped(cut: int) -> None:
    keys: dict[str, Any] = {"limits": {"most_per_min": 1}, "alarm": [{"name": "high", "above": 4.05, "for_s": 15}]}
    some = [4.0, 4.1, 4.2, 9.5, 9.5, 9.5, None, 9.4, 4.0, 4.0]
    whole = shots(Track(camera(**keys)), *some)
    first, second = Track(camera(**keys)), Track(camera(**keys))
    before = shots(first, *some[:cut])
    second.recall(before, cut * 10.0, 1e9 + cut * 10.0)
    after = shots(second, *some[cut:], start=cut)
    told = [one.model_dump(exclude={"id"}) for one in [*before, *after]]
    assert told == [one.model_dump(exclude={"id"}) for one in whole]


def test_rolls_are_remembered_and_events_of_a_fast_clock_are_not() -> None:
    keys = {"limits": {"counter": True, "rolls_over_at": 100}}
    before = shots(Track(camera(**keys)), 95, 99, 2)
    again = Track(camera(**keys))
    again.recall(before[-1:], 30.0, 1e9 + 30.0)
    assert shots(again, 5, start=3)[0].total == 105
    fast = Track(camera(**keys))
    fast.recall(before, 30.0, 1e9 - 86400)
    assert fast.memory.last is None
