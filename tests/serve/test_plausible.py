"""Plausibility as arithmetic: what an instrument cannot do is held back with the reason, what it did is believed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serve.cameras.plausible import Memory, Seen, Verdict, judge, total
from serve.cameras.registry import Limits

SLOW = Limits(most_per_min=1.0, confirm=3)
COUNTER = Limits(counter=True, rolls_over_at=1000.0, most_per_min=60.0)


def run(values: Sequence[float], limits: Limits, every_s: float = 10.0, half: float = 0.05) -> list[Verdict]:
    memory, verdicts = Memory(), []
    for number, value in enumerate(values):
        memory, verdict = judge(memory, Seen(number * every_s, value, value - half, value + half, 0.9), limits, "bar")
        verdicts.append(verdict)
    return verdicts


def statuses(values: Sequence[float], limits: Limits, every_s: float = 10.0) -> str:
    return "".join(verdict.status[0] for verdict in run(values, limits, every_s))


def test_a_slow_drift_is_believed() -> None:
    assert statuses([4.0, 4.1, 4.2, 4.3, 4.2, 4.1], SLOW) == "gggggg"


def test_a_jump_that_returns_is_held_back_and_named() -> None:
    verdicts = run([4.0, 9.0, 4.0], SLOW)
    assert [one.status for one in verdicts] == ["good", "held", "good"]
    assert verdicts[1].reason == "from 4 bar to 9 bar in 10 s is more than 1 bar a minute; it counts if 2 more agree"
    assert verdicts[2].reason == "the reading held back before was no move: it is back"


def test_a_jump_that_stays_is_believed_when_enough_agree() -> None:
    verdicts = run([4.0, 9.0, 9.0, 9.1, 9.1], SLOW)
    assert [one.status for one in verdicts] == ["good", "held", "held", "good", "good"]
    assert verdicts[3].level == "new"
    assert verdicts[3].reason == "3 readings in a row agree that it went from 4 bar to 9.1 bar"


def test_jumps_that_do_not_agree_with_each_other_never_count() -> None:
    assert statuses([4.0, 9.0, 1.0, 7.0, 12.0, 9.0, 1.0], SLOW) == "ghhhhhh"


def test_intervals_get_the_benefit_of_the_doubt() -> None:
    wide = [Seen(0, 4.0, 3.0, 5.0, 0.9), Seen(10, 5.9, 4.9, 6.9, 0.9)]
    memory, _ = judge(Memory(), wide[0], SLOW)
    assert judge(memory, wide[1], SLOW)[1].status == "good"
    assert judge(memory, wide[1]._replace(low=5.89), SLOW)[1].status == "held"


def test_after_a_long_time_a_long_way_is_believed() -> None:
    memory, _ = judge(Memory(), Seen(0, 4.0, 3.9, 4.1, 0.9), SLOW)
    assert judge(memory, Seen(600, 13.0, 12.9, 13.1, 0.9), SLOW)[1].status == "good"


@pytest.mark.parametrize(
    ("value", "confidence", "reason"),
    [
        (-1.0, 0.9, "-1 bar lies below 0 bar, the least that can be"),
        (11.0, 0.9, "11 bar lies above 10 bar, the most that can be"),
        (5.0, 0.49, "its confidence 0.49 is below 0.50"),
    ],
)
def test_what_cannot_be_is_held_back_at_once(value: float, confidence: float, reason: str) -> None:
    seen = Seen(0.0, value, value - 0.05, value + 0.05, confidence)
    memory, verdict = judge(Memory(), seen, Limits(low=0.0, high=10.0), "bar")
    assert (verdict.status, verdict.reason, memory) == ("held", reason, Memory())


def test_an_interval_that_reaches_into_what_can_be_is_kept() -> None:
    assert judge(Memory(), Seen(0, -0.1, -0.2, 0.0, 0.9), Limits(low=0.0))[1].status == "good"


def test_a_counter_never_runs_backwards() -> None:
    verdicts = run([500, 505, 405, 510], COUNTER)
    assert [one.status for one in verdicts] == ["good", "good", "held", "good"]
    assert "from 505 bar to 405 bar a counter would run backwards" in (verdicts[2].reason or "")


def test_a_counter_rolls_over_and_its_total_goes_on() -> None:
    memory = Memory()
    totals = []
    for number, value in enumerate([985, 995, 5, 15]):
        memory, verdict = judge(memory, Seen(number * 10.0, value, value - 0.5, value + 0.5, 0.9), COUNTER)
        assert verdict.status == "good"
        totals.append(total(memory, COUNTER))
    assert totals == [985, 995, 1005, 1015]


def test_a_roll_over_that_would_be_too_fast_is_a_misreading() -> None:
    assert statuses([500, 5, 510], COUNTER) == "ghg"
    assert statuses([905, 5, 910], COUNTER) == "ghg"


def test_without_a_rate_a_roll_over_crosses_a_tenth_at_the_most() -> None:
    limits = Limits(counter=True, rolls_over_at=1000.0)
    assert statuses([950, 20], limits) == "gg"
    assert statuses([850, 20], limits) == "gh"


def test_what_a_counter_cannot_show_is_held_back() -> None:
    assert statuses([999, 1000], COUNTER) == "gh"


def test_a_stuck_needle_is_named_and_still_counts() -> None:
    limits = Limits(stuck_after_s=30.0, stuck_within=0.2)
    verdicts = run([4.0, 4.1, 4.0, 4.1, 4.0, 5.0, 5.0], limits)
    assert {one.status for one in verdicts} == {"good"}
    assert [one.stuck_s for one in verdicts] == [None, None, None, 30.0, 40.0, None, None]
    assert "may be stuck" in (verdicts[3].reason or "")


def test_a_needle_that_creeps_is_not_stuck() -> None:
    creeping = [4.0 + 0.05 * n for n in range(40)]
    assert all(one.stuck_s is None for one in run(creeping, Limits(stuck_after_s=100.0, stuck_within=0.2)))


def test_a_moment_that_goes_back_counts_as_the_same_moment() -> None:
    memory, _ = judge(Memory(), Seen(100.0, 4.0, 3.95, 4.05, 0.9), SLOW)
    memory, verdict = judge(memory, Seen(50.0, 4.05, 4.0, 4.1, 0.9), SLOW)
    assert verdict.status == "good"
    assert memory.last is not None
    assert memory.last.at_s == 100.0


finite = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(st.tuples(finite, st.floats(0, 100), st.floats(0, 1)), max_size=30), st.booleans())
def test_laws(readings: list[tuple[float, float, float]], counter: bool) -> None:
    limits = Limits(most_per_min=5.0, counter=counter, confirm=2)
    memory = Memory()
    for number, (value, half, confidence) in enumerate(readings):
        before = memory
        memory, verdict = judge(memory, Seen(10.0 * number, value, value - half, value + half, confidence), limits)
        # What counts becomes the last good reading; what is held back never does, and says why.
        assert (memory.last is not None and memory.last.value == value) or verdict.status == "held"
        if verdict.status == "held":
            assert memory.last == before.last
            assert verdict.reason
        assert len(memory.waiting) < limits.confirm
        assert confidence >= limits.min_confidence or verdict.status == "held"


@given(st.lists(finite, min_size=1, max_size=30))
def test_without_limits_everything_counts(values: list[float]) -> None:
    assert set(statuses(values, Limits())) == {"g"}
