"""All that the monitor knows, at once: for the command line, the API, the page and Prometheus. Nothing is measured here."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

from eval.sampling import FILE, Backlog
from eval.score import EvalError
from serve.monitor.alerts import Alert, Alerts
from serve.monitor.colours import Light, worst
from serve.monitor.degradation import NAME, Degraded
from serve.monitor.gate_outcome import GATE, GateOutcome, gate_light
from serve.monitor.live_status import LIVE, LiveLight, LiveStatus, is_fresh, live_lights
from serve.monitor.log import MonitorLog
from serve.monitor.periodic import DAILY, HOURLY, Change, Measures, compare_runs
from serve.store.database import Database
from vision.fields import Contract

logger = logging.getLogger("gauge.monitor")

NEWEST_ALERTS = 10


class Compared(Measures):
    """A run beside the one before it."""

    changes: tuple[Change, ...]

    @property
    def light(self) -> Light:
        """The worst colour of its measures."""
        return worst(one.colour for one in self.changes)


class Overview(Contract):
    """What was measured last, at each level; parts that were never measured are None.

    `running`: a monitor was at work a short while ago. `set_aside`: since when and why language models do not write.
    `alerts_waiting` are not sent yet; `backlog` counts reports that wait for the day's diagnosis, None where it cannot be
    told.
    """

    at: float
    running: bool
    live: LiveStatus | None
    lights: tuple[LiveLight, ...]
    hourly: Compared | None
    daily: Compared | None
    gate: GateOutcome | None
    gate_light: Light
    set_aside: Degraded | None
    alerts: tuple[Alert, ...]
    alerts_waiting: int
    backlog: int | None


def read_overview(database: Database, home: Path, clock: Callable[[], float] = time.time) -> Overview:
    """What the store holds now, whichever process measured it. Raises StoreError."""
    now, log, alerts = clock(), MonitorLog(database, clock), Alerts(database, clock=clock)
    live = log.get(LIVE, LiveStatus)
    hourly, daily = _compared(log, HOURLY), _compared(log, DAILY)
    gate = next(iter(log.newest(GATE, GateOutcome)), None)
    measured = max((one for one in (hourly, daily) if one is not None), key=lambda one: one.at, default=None)
    # A run that is older than the gate says nothing of what changed since.
    manuals = measured.knowledge_version if measured is not None and gate is not None and measured.at > gate.at else None
    return Overview(
        at=now,
        running=is_fresh(live, now),
        live=live,
        lights=live_lights(live, now) if live is not None else (),
        hourly=hourly,
        daily=daily,
        gate=gate,
        gate_light=gate_light(gate, manuals) if gate is not None else "unknown",
        set_aside=log.get(NAME, Degraded),
        alerts=alerts.newest(NEWEST_ALERTS),
        alerts_waiting=alerts.waiting(),
        backlog=_backlog(home),
    )


def compared(before: Measures | None, now: Measures) -> Compared:
    """A run with its changes against the one before."""
    return Compared(**now.model_dump(), changes=compare_runs(before, now))


def _compared(log: MonitorLog, kind: str) -> Compared | None:
    found = log.newest(kind, Measures, 2)
    return compared(found[1] if len(found) > 1 else None, found[0]) if found else None


def _backlog(home: Path) -> int | None:
    path = home / "monitor" / FILE
    try:
        return len(Backlog(path)) if path.exists() else 0
    except (EvalError, OSError) as error:
        logger.warning("how many reports wait is not known: %s", error)
        return None
