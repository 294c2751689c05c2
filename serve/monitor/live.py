"""Level 1: the reports as they are made, and one golden anchor a minute.

The reports are read from the store after they were kept, so no request waits for this, whichever process answered it.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from eval.golden import GoldenAnchor, core_anchors, load_anchors
from eval.golden_run import AnchorRow, ProductChain, check_anchors
from eval.score import Share, percentile, share_of
from rag.pipeline import asked_day
from serve.api.metrics import READER_STAGES
from serve.monitor.alerts import Alerts
from serve.monitor.causes_page import write_causes
from serve.monitor.degradation import LOW, Degradation
from serve.monitor.diagnoses import Diagnoses
from serve.monitor.diagnosis import judge_faithful
from serve.monitor.fresh import LAG_S, Place, read_fresh
from serve.monitor.live_status import LIVE, LiveOptions, LiveStatus
from serve.monitor.log import MonitorLog
from serve.service import Service
from serve.store.reports import StoredReport
from serve.store.store import Store
from vision.fields import Contract

logger = logging.getLogger("gauge.monitor")

MOST_SLOW = 500
"""Slow reports that are held until a snapshot could be taken."""


class Low(Contract):
    """Since when faithfulness is below the bound at which the language model is set aside."""

    since: float


class _Mark(NamedTuple):
    """A report in the window."""

    at: float
    id: str
    report_ms: float
    faithful: bool | None
    instruments: int
    unread: int


class LiveMonitor:
    """Watches one store. `tick` does one bounded step; one thread at a time."""

    def __init__(
        self,
        service: Service,
        store: Store,
        alerts: Alerts,
        degradation: Degradation,
        options: LiveOptions | None = None,
        clock: Callable[[], float] = time.time,
        rng: np.random.Generator | None = None,
    ) -> None:
        self.options = options or LiveOptions()
        self._service, self._store, self._alerts, self._degradation = service, store, alerts, degradation
        self._clock = clock
        self._rng = rng if rng is not None else np.random.default_rng()
        self._log = MonitorLog(store.database, clock)
        self.diagnoses = Diagnoses(service, store, self.options.sampler, clock)
        self._marks: deque[_Mark] = deque()
        self._slow: deque[_Mark] = deque(maxlen=MOST_SLOW)
        self._place = Place(clock() - self.options.window_s, "")
        self._anchors: tuple[GoldenAnchor, ...] = ()
        self._checked_at: float | None = None
        self._checked = self._failures = 0
        self._last_anchor: AnchorRow | None = None

    def tick(self) -> LiveStatus:
        """Look at what came, check an anchor where it is time, say what is wrong. Raises StoreError."""
        now = self._clock()
        self._look()
        if self._checked_at is None or not 0 <= now - self._checked_at < self.options.anchor_s:
            self._checked_at = now
            self._check([self._random_anchor()])
            if self._slow:
                self._snapshot()
        status = self._status(now)
        self._judge(status)
        self._log.set(LIVE, status)
        return status

    def _look(self) -> None:
        """Take in the reports that were kept since the last step."""
        now = self._clock()
        if self._place.created > now - LAG_S:  # Only a clock that was set back leaves a place there: later reports lie before it.
            self._place = Place(now - self.options.window_s, "")
        fresh, _ = read_fresh(self._store.database, self._place, now, self.options.at_once)
        known, waiting = {one.id for one in self._marks}, list[StoredReport]()
        try:
            for report in fresh:
                self._place = Place(report.created, report.id)  # First: one that cannot be judged is not met again and again.
                if report.id in known:
                    continue
                mark = self._mark(report)
                self._marks.append(mark)
                if mark.report_ms > self.options.slow_ms:
                    self._slow.append(mark)
                if not self.diagnoses.take(report):
                    waiting.append(report)
        finally:
            self.diagnoses.let_wait(waiting)

    def _mark(self, report: StoredReport) -> _Mark:
        score = judge_faithful(report.inspection, self._service.knowledge, "zh" if report.language == "zh" else "en")
        seen = report.inspection.reading.instruments
        faithful = None if score.state == "not_scorable" else score.state == "supported"
        unread = sum(one.status == "abstained" for one in seen)
        return _Mark(report.created, report.id, report_ms(report), faithful, len(seen), unread)

    def _random_anchor(self) -> GoldenAnchor:
        self._anchors = self._anchors or load_anchors()
        return self._anchors[int(self._rng.integers(len(self._anchors)))]

    def _check(self, anchors: Sequence[GoldenAnchor]) -> list[AnchorRow]:
        kb = self._service.knowledge
        rows = [one.row for one in check_anchors(anchors, ProductChain(kb, asked_day(kb)))]
        for row in rows:
            self._checked += 1
            self._last_anchor = row
            if row.status == "fail":
                self._failures += 1
            elif row.status == "pass":
                self._failures = 0
            if self._failures >= self.options.in_a_row:
                text = f"{self._failures} golden anchors failed one after another; the last one is {row.id}: {row.score.reason}"
                self._alerts.say("anchors", "alarm", text)
        return rows

    def _snapshot(self) -> None:
        """What the chain does while it is slow: a few anchors at once."""
        rows = self._check(core_anchors(self._anchors))
        held = sum(row.status == "pass" for row in rows)
        times = ", ".join(f"{row.id} {row.latency_ms:.0f} ms {row.status}" for row in rows)
        worst = max(self._slow, key=lambda one: one.report_ms)
        text = f"report {worst.id} took {worst.report_ms:.0f} ms (limit {self.options.slow_ms:.0f})"
        text += f", slow since the last look: {len(self._slow)}; {held} of {len(rows)} anchors pass now: {times}"
        self._alerts.say("slow", "notice", text)
        self._slow.clear()

    def _status(self, now: float) -> LiveStatus:
        # All are looked at, for a clock that was set back leaves some of the future behind those of now.
        marks = [one for one in self._marks if now - self.options.window_s <= one.at <= now]
        self._marks = deque(marks)
        judged = [one for one in marks if one.faithful is not None]
        seen, unread = sum(one.instruments for one in marks), sum(one.unread for one in marks)
        uncertain = share_of(unread, seen)
        return LiveStatus(
            at=now,
            reports=len(marks),
            report_ms_p95=percentile([one.report_ms for one in marks], 95),
            slow_ms=self.options.slow_ms,
            faithful=share_of(sum(bool(one.faithful) for one in judged), len(judged)),
            uncertain=uncertain,
            uncertain_note=self._note_of(uncertain),
            flagged=tuple(one.id for one in judged if not one.faithful)[-20:],
            low_since=self._low_since(now, judged),
            anchors=self._checked,
            anchor_failures=self._failures,
            last_anchor=self._last_anchor,
        )

    def _note_of(self, uncertain: Share) -> str:
        low, high = self.options.uncertain
        if uncertain.n < self.options.fewest or low <= uncertain.value <= high:
            return ""
        side = "below" if uncertain.value < low else "above"
        return f"{uncertain.value:.0%} of the instruments were not read, {side} the usual {low:.0%} to {high:.0%}"

    def _low_since(self, now: float, judged: Sequence[_Mark]) -> float | None:
        """Since when faithfulness is too low, kept over restarts. Without enough reports nothing is known and it ends."""
        held = self._log.get(LOW, Low)
        share = sum(bool(one.faithful) for one in judged) / len(judged) if judged else 1.0
        if len(judged) < self.options.fewest or share >= self.options.broken:
            if held is not None:
                self._log.set(LOW, None)
            return None
        if held is None or held.since > now:
            held = Low(since=now)
            self._log.set(LOW, held)
        return held.since

    def _judge(self, status: LiveStatus) -> None:
        options = self.options
        if status.reports >= options.fewest and status.report_ms_p95 > options.slow_ms:
            text = f"P95 of the reports' time is {status.report_ms_p95:.0f} ms (n {status.reports}), limit {options.slow_ms:.0f}"
            self._alerts.say("latency", "alarm", text)
        if status.faithful.n >= options.fewest and status.faithful.value < options.faithful:
            text = f"{status.faithful.hits} of {status.faithful.n} reports are borne out, limit {options.faithful:.0%}"
            self._alerts.say("faithfulness", "warning", text)
        if status.uncertain_note:
            self._alerts.say("uncertainty", "notice", status.uncertain_note)
        if status.low_since is not None and status.at - status.low_since >= options.broken_s:
            self._set_aside(status)

    def _set_aside(self, status: LiveStatus) -> None:
        """Language models write no more, and the last reports are looked into; once, until somebody ends it."""
        if self._degradation.now() is not None:
            return
        hours = (status.at - (status.low_since or status.at)) / 3600
        share = f"{status.faithful.value:.0%} of {status.faithful.n} reports"
        why = f"only {share} are borne out, below {self.options.broken:.0%} for {hours:.1f} h"
        # First of all: whatever fails below, language models write no more.
        self._degradation.begin(why, faithful=status.faithful)
        self._alerts.say("set_aside", "alarm", f"{why}; language models are set aside until `gauge monitor resume`.")
        causes = self.diagnoses.of_last(self.options.cases, status.at, why)
        try:
            page = str(write_causes(self._store.home / "monitor", causes))
        except OSError as error:
            logger.error("the root-cause report cannot be written: %s", error)
            page = ""
        self._degradation.begin(why, page, status.faithful)
        first = next(iter(causes.causes), "none")
        self._alerts.say("root_causes", "notice", f"most named cause of the last {causes.n} reports: {first}. {page}".rstrip())


def report_ms(report: StoredReport) -> float:
    """A report's own time, without the reader's."""
    return sum(ms for name, ms in report.inspection.timing_ms.items() if name not in READER_STAGES)
