"""Alarms: rules that begin and end, each with its own memory. Pure: moments are seconds of a clock that never goes back."""

from __future__ import annotations

from typing import Literal, NamedTuple

from serve.cameras.registry import AlarmRule


class Now(NamedTuple):
    """What is known at a moment. `fresh` says that this picture was read and counts; without it value and colour are old."""

    at_s: float
    fresh: bool
    value: float | None = None
    color: str | None = None
    stuck: bool = False


class AlarmState(NamedTuple):
    """One rule's memory: whether it is on, since when its condition holds, since when nothing was read."""

    on: bool = False
    since_s: float | None = None
    unread_since_s: float | None = None


class Change(NamedTuple):
    """An alarm that began or ended."""

    name: str
    to: Literal["on", "off"]


def step_alarm(rule: AlarmRule, state: AlarmState, now: Now) -> tuple[AlarmState, Change | None]:
    """The rule's state after a picture, and the change where there is one.

    A picture that was not read neither begins nor ends an alarm about the value. Where more than `for_s` passed unread, the
    time that a condition must hold begins anew: nobody saw that it held.
    """
    if rule.not_read_for_s is not None:
        return _step_unread(rule, state, now)
    if not now.fresh:
        return state._replace(unread_since_s=now.at_s if state.unread_since_s is None else state.unread_since_s), None
    blind_s = 0.0 if state.unread_since_s is None else now.at_s - state.unread_since_s
    state = state._replace(unread_since_s=None)
    if state.on:
        return (state, None) if not _is_over(rule, now) else (AlarmState(), Change(rule.name, "off"))
    if not _holds(rule, now):
        return state._replace(since_s=None), None
    since_s = now.at_s if state.since_s is None or blind_s > rule.for_s else state.since_s
    if now.at_s - since_s >= rule.for_s:
        return AlarmState(True, since_s), Change(rule.name, "on")
    return state._replace(since_s=since_s), None


def _step_unread(rule: AlarmRule, state: AlarmState, now: Now) -> tuple[AlarmState, Change | None]:
    assert rule.not_read_for_s is not None
    if now.fresh:
        return AlarmState(), Change(rule.name, "off") if state.on else None
    since_s = now.at_s if state.unread_since_s is None else state.unread_since_s
    late = now.at_s - since_s >= rule.not_read_for_s + rule.for_s
    return AlarmState(state.on or late, None, since_s), Change(rule.name, "on") if late and not state.on else None


def _holds(rule: AlarmRule, now: Now) -> bool:
    if rule.above is not None:
        return now.value is not None and now.value > rule.above
    if rule.below is not None:
        return now.value is not None and now.value < rule.below
    if rule.color is not None:
        return now.color == rule.color
    return now.stuck


def _is_over(rule: AlarmRule, now: Now) -> bool:
    """Whether an alarm that is on ends: past the hysteresis, not merely on the line."""
    if rule.above is not None:
        return now.value is not None and now.value <= rule.above - rule.hysteresis
    if rule.below is not None:
        return now.value is not None and now.value >= rule.below + rule.hysteresis
    return not _holds(rule, now)
