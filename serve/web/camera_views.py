"""Cameras and their readings as the pages show them: what counts, what was held back and why, who watches."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from rag.queries import format_number
from rag.reasons import localize_reason
from rag.tables import tables
from serve.cameras.events import CameraEvent
from serve.cameras.kept import Moment, Numbered
from serve.cameras.states import CameraState
from serve.store.reports import PlaceReading
from serve.web.chart import value_text
from serve.web.words import Words

LATE_S = 60.0
"""A picture that is so long overdue was not taken: it is told as what was due."""


class EventLine(NamedTuple):
    """One picture in a line. Without `value` it has no number that counts: `held` was read and not believed."""

    seq: int
    when: str
    iso: str
    value: str | None
    interval: tuple[str, str] | None
    status: str
    reason: str | None
    total: str | None
    alarms: tuple[str, ...]
    file: str | None


class ChangeLine(NamedTuple):
    """An alarm that began or ended."""

    when: str
    text: str
    began: bool
    value: str | None


class CameraLine(NamedTuple):
    """A camera in a line. `unwatched` says that nobody takes its pictures; `is_down` that none comes."""

    name: str
    title: str
    newest: EventLine | None
    next: str
    source: str
    is_down: bool
    unwatched: str | None
    schedule: str
    address: str | None
    model: str | None
    counts: str


def camera_line(state: CameraState, now: float, words: Words) -> CameraLine:
    """A camera as it is at a moment."""
    about = state.about
    watched = state.is_watched(now)
    return CameraLine(
        name=state.camera,
        title=(about.label if about is not None else "") or state.camera,
        newest=event_line(Numbered(state.seq, state.newest), words) if state.newest is not None else None,
        next=_next(state, now, words) if watched else "–",
        source=_source(state, words),
        is_down=state.is_up is False,
        unwatched=None if watched else _unwatched(state, words),
        schedule=_schedule(state, words),
        address=about.address if about is not None else None,
        model=about.model if about is not None else None,
        counts=words("camera_counts", **state.events),
    )


def event_line(one: Numbered, words: Words) -> EventLine:
    """One picture as it is shown."""
    event = one.event
    value, interval = _value(event.value, event.low, event.high, event.unit) if event.value is not None else (None, None)
    if event.color is not None and event.status == "good":
        value = tables().colors[event.color].fill(words.language, {})
    return EventLine(
        seq=one.seq,
        when=moment_text(event.at),
        iso=datetime.fromtimestamp(event.at, UTC).isoformat(timespec="seconds"),
        value=value,
        interval=interval,
        status="" if event.status == "good" else _status(event, words),
        reason=localize_reason(event.reason, words.language) if event.reason else None,
        total=words("camera_total", total=value_text(event.total, None, None, event.unit)) if event.total is not None else None,
        alarms=tuple(name for name, on in event.alarms.items() if on),
        file=event.source,
    )


def change_lines(events: list[Numbered], words: Words) -> list[ChangeLine]:
    """The changes of alarms, the newest first."""
    return [
        ChangeLine(
            when=moment_text(one.event.at),
            text=words(f"camera_alarm_{change.to}", name=change.name),
            began=change.to == "on",
            value=event_line(one, words).value,
        )
        for one in events
        for change in one.event.changes
    ]


def as_history(course: list[Moment], state: CameraState) -> list[PlaceReading]:
    """What a camera showed as the history of a place, which is what charts are drawn from."""
    about = state.about
    return [
        PlaceReading(
            report=str(one.seq),
            number=1,
            created=one.at,
            place=state.camera,
            kind=(about.kind if about is not None else None) or "dial",
            model=about.model if about is not None else None,
            status="read" if one.value is not None else "abstained",
            reason=None,
            value=one.value,
            low=one.low,
            high=one.high,
            unit=one.unit,
            confidence=1.0,
        )
        for one in course
    ]


def moment_text(moment: float) -> str:
    """A moment for people, in UTC, to the second: cameras are asked more than once a minute."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _value(value: float, low: float | None, high: float | None, unit: str | None) -> tuple[str, tuple[str, str] | None]:
    if low is None or high is None:
        return value_text(value, None, None, unit), None
    half = (high - low) / 2
    return value_text(value, low, high, unit), (format_number(low, half), format_number(high, half))


def _status(event: CameraEvent, words: Words) -> str:
    if event.status == "held" and event.raw is not None:
        return words("camera_held_value", value=_value(event.raw, event.raw_low, event.raw_high, event.unit)[0])
    return words(f"camera_{event.status}")


def _next(state: CameraState, now: float, words: Words) -> str:
    if state.next_at is None:
        about = state.about
        of_folder = about is not None and about.every_s is None and about.cron is None
        return words("camera_as_files_come") if of_folder else "–"
    when = moment_text(state.next_at)
    return words("camera_overdue", when=when) if now - state.next_at > LATE_S else when


def _source(state: CameraState, words: Words) -> str:
    if state.is_up is None:
        return words("camera_unknown")
    name = "camera_up" if state.is_up else "camera_down"
    return words(name) if state.since is None else words(f"{name}_since", when=moment_text(state.since))


def _unwatched(state: CameraState, words: Words) -> str:
    if state.watched_until is None:
        return words("camera_unwatched")
    return words("camera_unwatched_since", when=moment_text(state.watched_until))


def _schedule(state: CameraState, words: Words) -> str:
    about = state.about
    if about is None:
        return "–"
    if about.every_s is not None:
        return words("camera_every", seconds=f"{about.every_s:g}")
    return words("camera_cron", line=about.cron) if about.cron is not None else words("camera_as_files_come")
