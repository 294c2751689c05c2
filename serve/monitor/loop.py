"""The monitor at work: live every few seconds, hourly and daily when it is time, alerts handed on; it never raises."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from eval.context_relevance import ContextJudge
from eval.score import EvalError
from knowledge.articles import KnowledgeError
from serve.background import Background
from serve.library import build_judge
from serve.monitor.alerts import Alerts, Level, never_sent
from serve.monitor.colours import Light, worst
from serve.monitor.degradation import Degradation
from serve.monitor.live import LiveMonitor
from serve.monitor.live_status import LiveOptions
from serve.monitor.log import MonitorLog
from serve.monitor.periodic import DAILY, HOURLY, Measures, compare_runs, measure_daily, measure_hourly
from serve.monitor.texts import changes_text
from serve.monitor.webhook import Webhook
from serve.service import Service
from serve.store.errors import StoreError
from serve.store.store import Store

logger = logging.getLogger("gauge.monitor")

DAILY_HOUR = 2
HOUR_S = 3600.0
STEP_S = 5.0
NICE = 10
RETRY_S = 600.0
_LEVELS: dict[Light, Level] = {"green": "notice", "yellow": "warning", "red": "alarm", "unknown": "alarm"}


class Monitor:
    """All levels over one store. `step` does what is due; `start` does so on a thread of low priority until `stop`."""

    def __init__(
        self,
        service: Service,
        store: Store,
        degradation: Degradation | None = None,
        judge: Callable[[], ContextJudge] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        settings = service.settings
        self._service, self._clock = service, clock
        self.alerts = Alerts(store.database, clock=clock)
        self.degradation = degradation or Degradation(store.database, clock)
        options = LiveOptions(slow_ms=settings.monitor_report_ms)
        self.live = LiveMonitor(service, store, self.alerts, self.degradation, options, clock)
        self.log = MonitorLog(store.database, clock)
        self._judge = judge or self._build_judge
        secret = settings.webhook_secret.get_secret_value() if settings.webhook_secret else None
        url = settings.webhook_url.get_secret_value() if settings.webhook_url else None
        self._send = Webhook(url, secret, clock).send if url else never_sent
        self._tried: dict[str, float] = {}
        self._background = Background("gauge-monitor", self.run)
        self._stopping = self._background.stopping

    def step(self) -> None:
        """Do all that is due now. A part that fails is logged, and tried again at the next step."""
        for part in (self.live.tick, self._hourly_if_due, self._daily_if_due, self.deliver):
            if self._stopping.is_set():
                return
            try:
                part()
            except (StoreError, KnowledgeError, EvalError, OSError) as error:
                logger.warning("the monitor goes on without a part: %s", error)
            except Exception:
                logger.exception("the monitor stumbled and goes on")

    def deliver(self) -> int:
        """Hand on the alerts that wait."""
        return self.alerts.deliver(self._send)

    def daily(self) -> Measures:
        """Measure what is measured daily, keep it and say it with its colours; diagnose what waits for that."""
        self.live.diagnoses.of_waiting()
        return self._keep(DAILY, measure_daily(self._service.knowledge, self._judge(), self._clock()))

    def hourly(self) -> Measures:
        """Measure what is measured hourly, keep it, and say what is red."""
        return self._keep(HOURLY, measure_hourly(self._service.knowledge, self._clock()))

    def start(self) -> None:
        """Begin on a thread of its own."""
        self._background.start()

    def run(self) -> None:
        """Step after step until `stop`."""
        if hasattr(os, "setpriority"):
            try:
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)  # On Linux of this thread alone.
            except OSError as error:
                logger.info("the monitor runs at the usual priority: %s", error)
        while not self._stopping.is_set():
            self.step()
            self._stopping.wait(STEP_S)

    def stop(self, wait_s: float = 30.0) -> None:
        """End after the part that is being done. Blocks."""
        self._background.stop(wait_s)

    def _hourly_if_due(self) -> None:
        last = next(iter(self.log.newest(HOURLY, Measures)), None)
        if last is None or not 0 <= self._clock() - last.at < HOUR_S:
            self._try(HOURLY, self.hourly)

    def _daily_if_due(self) -> None:
        last = next(iter(self.log.newest(DAILY, Measures)), None)
        now = self._clock()
        if last is None or last.at > now or last.at < last_due(now):
            self._try(DAILY, self.daily)

    def _try(self, kind: str, work: Callable[[], Measures]) -> None:
        """Do it, and where it fails not again at once: it costs minutes."""
        now = self._clock()
        tried = self._tried.get(kind)
        if tried is None or not 0 <= now - tried < RETRY_S:
            self._tried[kind] = now
            work()
            del self._tried[kind]

    def _keep(self, kind: str, now: Measures) -> Measures:
        before = next(iter(self.log.newest(kind, Measures)), None)
        changes = compare_runs(before, now)
        self.log.keep(kind, now)
        colour = worst(one.colour for one in changes)
        if kind == DAILY or colour == "red":  # Each day is told, so that silence is none of "all is well".
            self.alerts.say(kind, _LEVELS[colour], changes_text(kind, now, changes))
        return now

    def _build_judge(self) -> ContextJudge:
        return build_judge(self._service.settings)


def last_due(now: float) -> float:
    """The last 02:00 of this machine's time at or before a moment, both in seconds since 1970."""
    local = datetime.fromtimestamp(now, UTC).astimezone()
    due = local.replace(hour=DAILY_HOUR, minute=0, second=0, microsecond=0)
    return (due if due <= local else due - timedelta(days=1)).timestamp()
