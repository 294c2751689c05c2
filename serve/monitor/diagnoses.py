"""Live reports put before the probes: one in a hundred at once, the rest in the day's batch, the last ones when it broke."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

from eval.mvfu import SHIPPED_LIBRARY, FactLibrary, read_library
from eval.sampling import FILE, Backlog, Sampler
from eval.score import EvalError
from knowledge.articles import KnowledgeError
from serve.monitor.diagnosis import Diagnosis, RootCauses, diagnose, root_causes
from serve.monitor.fresh import last_reports
from serve.monitor.kept_causes import DIAGNOSIS, OFFLINE, SET_ASIDE
from serve.monitor.log import MonitorLog
from serve.service import Service
from serve.store.errors import NotFoundError, StoreError
from serve.store.reports import StoredReport
from serve.store.store import Store

logger = logging.getLogger("gauge.monitor")

PORTION = 500
OFFLINE_S = 300.0
"""How long the offline batch of a day may take: less than what it took from the backlog is left to it."""
MOST_CASES = 500
"""Cases that are kept of it, the worst first; causes and means are of all."""


class Diagnoses:
    """The diagnoses of one store. One thread at a time."""

    def __init__(self, service: Service, store: Store, sampler: Sampler, clock: Callable[[], float] = time.time) -> None:
        self._service, self._store, self._sampler, self._clock = service, store, sampler, clock
        self._log = MonitorLog(store.database, clock)
        self._library: FactLibrary | None = None
        self.backlog = Backlog(store.home / "monitor" / FILE, clock=clock)

    def take(self, report: StoredReport) -> bool:
        """Diagnose a report where it is one of the sample; what cannot be kept now is left for the day's batch."""
        if not self._sampler.takes(report.request_id):
            return False
        try:
            self._log.keep(DIAGNOSIS, self._diagnose(report))
        except (StoreError, EvalError, KnowledgeError) as error:
            logger.warning("a report is diagnosed later: %s", error)
            return False
        return True

    def let_wait(self, reports: Sequence[StoredReport]) -> None:
        """Leave reports to the day's batch."""
        if not reports:
            return
        try:
            self.backlog.add(f"{one.tenant}/{one.id}" for one in reports)
        except EvalError as error:
            logger.warning("reports are not diagnosed later: %s", error)

    def of_waiting(self, budget_s: float = OFFLINE_S) -> RootCauses | None:
        """Diagnose the reports that wait, the oldest first, for so long at most; None where none waits.

        What cannot be kept waits on. Raises StoreError.
        """
        until, done, cases = time.monotonic() + budget_s, list[str](), list[Diagnosis]()
        while names := self.backlog.take(PORTION):
            done += names
            cases += [case for name in names if (case := self._diagnose_named(name)) is not None]
            if time.monotonic() >= until:
                break
        causes = root_causes(self._clock(), "reports of the offline batch", cases) if cases else None
        if causes is not None:
            self._log.keep(OFFLINE, causes.model_copy(update={"cases": causes.cases[:MOST_CASES]}))
        self.backlog.finish(done)
        return causes

    def of_last(self, count: int, at: float, why: str) -> RootCauses:
        """Diagnose the newest reports, and keep what came out. Raises StoreError."""
        cases = [self._diagnose(one) for one in last_reports(self._store.database, count)]
        causes = root_causes(at, why, cases)
        self._log.keep(SET_ASIDE, causes)
        return causes

    def _diagnose(self, report: StoredReport) -> Diagnosis:
        if self._library is None:
            self._library = read_library(SHIPPED_LIBRARY)
        return diagnose(report, self._service.knowledge, self._library)

    def _diagnose_named(self, name: str) -> Diagnosis | None:
        tenant, _, id = name.partition("/")
        try:
            return self._diagnose(self._store.reports.get(tenant, id))
        except NotFoundError:  # It was removed by its age.
            return None
        except (EvalError, KnowledgeError) as error:
            logger.warning("report %s cannot be diagnosed: %s", id, error)
            return None
