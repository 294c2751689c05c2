"""Can the instrument have shown this? Pure arithmetic: what was seen before and the limits decide, no clock, no disk.

A reading that cannot be is held back with the reason. One that moved too far waits: where the next ones go back it was a
misreading, where `confirm` in a row agree the instrument did move. Moments are seconds of a clock that never goes back.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from serve.cameras.registry import Limits

SLACK = 1e-9
"""Share of a value that rounding may cost."""


class Seen(NamedTuple):
    """One value as read, with its interval and the probability that it is right."""

    at_s: float
    value: float
    low: float
    high: float
    confidence: float


class Memory(NamedTuple):
    """What is known of an instrument: the last good reading, those that wait, when it moved last, how often it rolled over."""

    last: Seen | None = None
    waiting: tuple[Seen, ...] = ()
    rest: tuple[float, float, float] | None = None
    """Since when (s), lowest and highest value in which the needle has rested."""
    rolls: int = 0


class Verdict(NamedTuple):
    """Whether a reading counts; `reason` says why not, or what is noteworthy about one that does."""

    status: Literal["good", "held"]
    reason: str | None = None
    level: Literal["same", "new"] = "same"
    """`new` where the value begins anew: a jump that was borne out, a counter that rolled over."""
    stuck_s: float | None = None
    """For how long the needle has not moved, where that is longer than the limit."""


def judge(memory: Memory, seen: Seen, limits: Limits, unit: str = "") -> tuple[Memory, Verdict]:
    """The verdict on a reading, and what is known afterwards. A moment before the last one counts as the same moment."""
    if memory.last is not None and seen.at_s < memory.last.at_s:
        seen = seen._replace(at_s=memory.last.at_s)
    if (problem := _alone(seen, limits, unit)) is not None:
        return memory, Verdict("held", problem)
    if memory.last is None:
        return _accept(memory, seen, limits)
    if (problem := _step(memory.last, seen, limits, unit)) is None:
        return _accept(memory, seen, limits)
    if limits.counter and limits.rolls_over_at is not None and _rolled(memory.last, seen, limits, limits.rolls_over_at):
        return _accept(memory._replace(rolls=memory.rolls + 1), seen, limits, "the counter rolled over", "new")
    return _wait(memory, seen, limits, problem, unit)


def _alone(seen: Seen, limits: Limits, unit: str) -> str | None:
    """What is wrong with a reading whatever came before."""
    if seen.confidence < limits.min_confidence:
        return f"its confidence {seen.confidence:.2f} is below {limits.min_confidence:.2f}"
    if limits.low is not None and seen.high < limits.low:
        return f"{_text(seen.value, unit)} lies below {_text(limits.low, unit)}, the least that can be"
    if limits.high is not None and seen.low > limits.high:
        return f"{_text(seen.value, unit)} lies above {_text(limits.high, unit)}, the most that can be"
    if limits.rolls_over_at is not None and seen.value >= limits.rolls_over_at:
        return f"{_text(seen.value, unit)} is more than the counter shows before it rolls over at {limits.rolls_over_at:g}"
    return None


def _step(last: Seen, seen: Seen, limits: Limits, unit: str) -> str | None:
    """What is wrong with the way from one reading to the next; their intervals are given the benefit of the doubt."""
    minutes, step = (seen.at_s - last.at_s) / 60.0, seen.value - last.value
    spare = _spare(last, seen)
    if limits.counter and step < -spare:
        return f"from {_text(last.value, unit)} to {_text(seen.value, unit)} a counter would run backwards"
    if limits.most_per_min is not None and abs(step) > limits.most_per_min * minutes + spare:
        way = f"from {_text(last.value, unit)} to {_text(seen.value, unit)} in {seen.at_s - last.at_s:.3g} s"
        return f"{way} is more than {_text(limits.most_per_min, unit)} a minute"
    return None


def _rolled(last: Seen, seen: Seen, limits: Limits, at: float) -> bool:
    """Whether a counter that went from a high number to a low one passed 0 on its way: forwards, and no faster than it can.

    Without a limit of the rate, no more than a tenth of its numbers may lie between the two.
    """
    run = seen.value + at - last.value
    if seen.value >= last.value or run < -_spare(last, seen):
        return False
    if limits.most_per_min is None:
        return run <= at / 10.0
    return run <= limits.most_per_min * (seen.at_s - last.at_s) / 60.0 + _spare(last, seen)


def _wait(memory: Memory, seen: Seen, limits: Limits, problem: str, unit: str) -> tuple[Memory, Verdict]:
    """Hold a reading until enough in a row agree with each other."""
    agree = bool(memory.waiting) and _step(memory.waiting[-1], seen, limits, unit) is None
    waiting = (*memory.waiting, seen) if agree else (seen,)
    if len(waiting) >= limits.confirm:
        assert memory.last is not None
        note = f"{len(waiting)} readings in a row agree that it went from {_text(memory.last.value, unit)}"
        return _accept(memory, seen, limits, f"{note} to {_text(seen.value, unit)}", "new")
    more = limits.confirm - len(waiting)
    reason = f"{problem}; it counts if {more} more {'agree' if more > 1 else 'agrees'}"
    return memory._replace(waiting=waiting), Verdict("held", reason)


def _accept(
    memory: Memory, seen: Seen, limits: Limits, note: str | None = None, level: Literal["same", "new"] = "same"
) -> tuple[Memory, Verdict]:
    if note is None and memory.waiting:
        count = len(memory.waiting)
        note = "the reading held back before was no move: it is back" if count == 1 else f"a jump of {count} readings is back"
    rest = _rest(memory.rest, seen, limits)
    still_s = seen.at_s - rest[0]
    stuck_s = still_s if limits.stuck_after_s is not None and still_s >= limits.stuck_after_s else None
    if stuck_s is not None and note is None:
        note = f"the needle has not moved for {stuck_s / 60:.0f} min and may be stuck"
    return Memory(seen, (), rest, memory.rolls), Verdict("good", note, level, stuck_s)


def _rest(rest: tuple[float, float, float] | None, seen: Seen, limits: Limits) -> tuple[float, float, float]:
    """Since when the value has stayed within the band, with this reading in it."""
    if rest is not None and limits.stuck_within is not None:
        low, high = min(rest[1], seen.value), max(rest[2], seen.value)
        if high - low <= limits.stuck_within:
            return rest[0], low, high
    return seen.at_s, seen.value, seen.value


def total(memory: Memory, limits: Limits) -> float | None:
    """What a counter counted through its roll-overs: its number and a full round for each; None before the first reading."""
    if memory.last is None or limits.rolls_over_at is None:
        return None
    return memory.last.value + memory.rolls * limits.rolls_over_at


def _spare(one: Seen, other: Seen) -> float:
    """How far two values may lie apart while their true ones are equal."""
    rounding = SLACK * max(abs(one.value), abs(other.value), 1.0)
    if other.value >= one.value:
        return (one.high - one.value) + (other.value - other.low) + rounding
    return (one.value - one.low) + (other.high - other.value) + rounding


def _text(value: float, unit: str) -> str:
    return f"{value:.6g} {unit}".rstrip()
