"""One camera's memory: each picture's reading goes through plausibility, smoothing and alarms and comes out as an event."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from serve.cameras.alarms import AlarmState, Now, step_alarm
from serve.cameras.events import AlarmChange, CameraEvent
from serve.cameras.plausible import Memory, Seen, Verdict, judge, total
from serve.cameras.registry import Camera
from serve.cameras.smoothing import Smooth, keep_recent, smooth
from serve.store.ids import new_id
from vision.fields import LampColor


class Shot(NamedTuple):
    """What was read from a picture. Without `seen` and `color` nothing was, and `reason` says why; with them it
    is what the reader says against them.

    `at_s` is steady (it never goes back), `clock` the clock's time in seconds since 1970.
    """

    at_s: float
    clock: float
    seen: Seen | None = None
    color: LampColor | None = None
    unit: str | None = None
    reason: str | None = None
    pictured: bool = True
    source: str | None = None
    photo_sha256: str | None = None


class Track:
    """The memory of one camera; not for use by several threads at a time."""

    def __init__(self, camera: Camera) -> None:
        self.camera = camera
        self.memory = Memory()
        self.recent: tuple[Seen, ...] = ()
        self.alarms = {rule.name: AlarmState() for rule in camera.alarms}

    def take(self, shot: Shot) -> CameraEvent:
        """The event of a picture; the memory moves on."""
        verdict, smoothed = self._weigh(shot)
        good = verdict is not None and verdict.status == "good"
        stuck = verdict is not None and verdict.stuck_s is not None
        now = Now(shot.at_s, good, smoothed.value if smoothed else None, shot.color, stuck)
        changes = self._step_alarms(now)
        status = verdict.status if verdict is not None else "not_read" if shot.pictured else "no_picture"
        seen = shot.seen
        return CameraEvent(
            id=new_id(),
            camera=self.camera.name,
            at=shot.clock,
            status=status,
            reason="; ".join(filter(None, (verdict.reason if verdict else None, shot.reason))) or None,
            raw=seen.value if seen else None,
            raw_low=seen.low if seen else None,
            raw_high=seen.high if seen else None,
            confidence=seen.confidence if seen else None,
            value=smoothed.value if good and smoothed else None,
            low=smoothed.low if good and smoothed else None,
            high=smoothed.high if good and smoothed else None,
            unit=shot.unit,
            color=shot.color,
            total=total(self.memory, self.camera.limits) if good and seen else None,
            frames=smoothed.frames if good and smoothed else 0,
            stuck=stuck,
            alarms={name: state.on for name, state in self.alarms.items()},
            changes=changes,
            source=shot.source,
            photo_sha256=shot.photo_sha256,
        )

    def recall(self, events: Iterable[CameraEvent], now_s: float, now_clock: float) -> None:
        """Take up where a process before this one stopped, from its events, the oldest first.

        Events of a clock that ran ahead of this one are left out: how long ago they were is not known.
        """
        on: dict[str, bool] = {}
        for event in events:
            if event.at > now_clock:
                continue
            at_s = now_s - (now_clock - event.at)
            seen = None
            if event.raw is not None and event.raw_low is not None and event.raw_high is not None:
                seen = Seen(at_s, event.raw, event.raw_low, event.raw_high, event.confidence or 0.0)
            self.take(Shot(at_s, event.at, seen, event.color, event.unit, event.reason, event.status != "no_picture"))
            on = event.alarms
            if event.total is not None and event.raw is not None and self.camera.limits.rolls_over_at:
                rolls = round((event.total - event.raw) / self.camera.limits.rolls_over_at)
                self.memory = self.memory._replace(rolls=rolls)
        for name, state in self.alarms.items():
            # What people were told stands, whatever older events this one was told from.
            self.alarms[name] = state._replace(on=on.get(name, False))

    def _weigh(self, shot: Shot) -> tuple[Verdict | None, Smooth | None]:
        if shot.seen is None:
            return (Verdict("good") if shot.color is not None else None), None
        was_waiting = self.memory.waiting
        self.memory, verdict = judge(self.memory, shot.seen, self.camera.limits, shot.unit or "")
        if verdict.status == "held":
            return verdict, None
        if self.camera.limits.counter:
            kept: tuple[Seen, ...] = (shot.seen,)  # A median of what only grows is late.
        elif verdict.level == "new":
            # Readings that agreed on a new level take the place of those of the old one: a median of both is neither.
            kept = (*was_waiting, shot.seen)
        else:
            kept = (*self.recent, shot.seen)
        self.recent = keep_recent(kept, shot.at_s, self.camera.smoothing)
        return verdict, smooth(self.recent)

    def _step_alarms(self, now: Now) -> tuple[AlarmChange, ...]:
        changes = []
        for rule in self.camera.alarms:
            self.alarms[rule.name], change = step_alarm(rule, self.alarms[rule.name], now)
            if change is not None:
                changes.append(AlarmChange(name=change.name, to=change.to))
        return tuple(changes)
