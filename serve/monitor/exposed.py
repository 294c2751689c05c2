"""The monitor's values for Prometheus: what the store holds when it is scraped, whichever process measured it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from serve.monitor.alerts import Alerts
from serve.monitor.degradation import NAME, Degraded
from serve.monitor.gate_outcome import GATE, GateOutcome
from serve.monitor.live_status import LIVE, LiveStatus
from serve.monitor.log import MonitorLog
from serve.monitor.periodic import DAILY, HOURLY, Measures
from serve.store.database import Database
from serve.store.errors import StoreError


class MonitorValues(Collector):
    """Asks the store at each scrape; what was not measured is left out, and so is all where the store does not answer."""

    def __init__(self, database: Database) -> None:
        self._log, self._alerts = MonitorLog(database), Alerts(database)

    def describe(self) -> Iterable[Any]:
        """What it has, without asking the store."""
        return [GaugeMetricFamily("gauge_monitor", "What the monitor measured last.", labels=("level", "measure"))]

    def collect(self) -> Iterator[Any]:
        """The values now."""
        family = GaugeMetricFamily("gauge_monitor", "What the monitor measured last.", labels=("level", "measure"))
        try:
            values = list(self._values())
        except StoreError:
            return
        for level, name, value in values:
            if value == value:
                family.add_metric((level, name), value)
        yield family

    def _values(self) -> Iterator[tuple[str, str, float]]:
        yield "live", "language_models_set_aside", float(self._log.get(NAME, Degraded) is not None)
        yield "live", "alerts_waiting", float(self._alerts.waiting())
        live = self._log.get(LIVE, LiveStatus)
        if live is not None:
            yield "live", "at_seconds", live.at
            yield "live", "report_ms_p95", live.report_ms_p95
            yield "live", "faithful", live.faithful.value
            yield "live", "uncertain", live.uncertain.value
            yield "live", "flagged", float(len(live.flagged))
            yield "live", "anchor_failures", float(live.anchor_failures)
        for gate in self._log.newest(GATE, GateOutcome):
            yield GATE, "at_seconds", gate.at
            yield GATE, "passed", float(gate.passed)
        for kind in (HOURLY, DAILY):
            for run in self._log.newest(kind, Measures):
                yield kind, "at_seconds", run.at
                for one in run.measures:
                    yield kind, one.name, one.value
