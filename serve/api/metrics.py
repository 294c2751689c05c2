"""Counts and times for Prometheus, in a registry of the app's own: no tenant's name, no value, no file name is in them.

What is a tenant's own, the values of its cameras, is told to that tenant's key alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from rag.pipeline import Inspection
from rag.reasons import reason_name
from serve.store.errors import StoreError
from serve.store.jobs import QueueLength

MEDIA_TYPE = CONTENT_TYPE_LATEST
READER_STAGES = frozenset({"open", "locate", "donut", "witnesses", "read"})
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """What the service counts. Other rooms may register collectors of their own on `registry`."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        registry = self.registry
        self.requests = Counter("gauge_http_requests", "Requests answered.", ("method", "route", "status"), registry=registry)
        self.seconds = Histogram(
            "gauge_http_seconds", "From a request's first byte to its answer's last.", ("method", "route"),
            buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        self.photos = Counter("gauge_photos", "Photos inspected, by the reading's status.", ("status",), registry=registry)
        self.instruments = Counter(
            "gauge_instruments", "Instruments seen, by kind, status and, where not read, why.", ("kind", "status", "reason"),
            registry=registry,
        )  # fmt: skip
        self.reader_seconds = Histogram(
            "gauge_reader_seconds", "Time of the reader a photo.", buckets=_SECONDS, registry=registry
        )
        self.report_seconds = Histogram(
            "gauge_report_seconds", "Time from reading to report a photo.", buckets=_SECONDS, registry=registry
        )
        self.running = Gauge("gauge_requests_running", "Requests whose photos are being worked on.", registry=registry)
        self.waiting = Gauge("gauge_requests_waiting", "Requests that wait for their turn.", registry=registry)

    def watch_queue(self, running: Callable[[], float], waiting: Callable[[], float]) -> None:
        """Where the two gauges of the queue are asked."""
        self.running.set_function(running)
        self.waiting.set_function(waiting)

    def watch_jobs(self, lengths: Callable[[], Iterable[QueueLength]]) -> None:
        """Where the lengths of the queue of jobs are asked, at each scrape."""
        self.registry.register(_JobLengths(lengths))

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered; `route` is the pattern, never the address with its ids."""
        self.requests.labels(method, route, str(status)).inc()
        self.seconds.labels(method, route).observe(seconds)

    def count_inspection(self, inspection: Inspection) -> None:
        """A photo was inspected."""
        reading = inspection.reading
        self.photos.labels(reading.status).inc()
        for one in reading.instruments:
            self.instruments.labels(one.kind, one.status, reason_name(one.reason) if one.status == "abstained" else "").inc()
        times = inspection.timing_ms
        self.reader_seconds.observe(sum(ms for name, ms in times.items() if name in READER_STAGES) / 1000)
        self.report_seconds.observe(sum(ms for name, ms in times.items() if name not in READER_STAGES) / 1000)

    def text(self, *more: Collector) -> bytes:
        """All of it in Prometheus' text format, with what else the one who asks may see."""
        own = CollectorRegistry()
        for one in more:
            own.register(one)
        return bytes(generate_latest(self.registry) + generate_latest(own))


class _JobLengths(Collector):
    """Asks the store when it is scraped; a store that does not answer leaves the rest of the page whole."""

    def __init__(self, lengths: Callable[[], Iterable[QueueLength]]) -> None:
        self._lengths = lengths

    def describe(self) -> Iterable[Any]:
        """What it has, without asking the store."""
        return [GaugeMetricFamily("gauge_jobs", "Jobs by kind and state.", labels=("kind", "state"))]

    def collect(self) -> Iterator[Any]:
        """The lengths now."""
        family = GaugeMetricFamily("gauge_jobs", "Jobs by kind and state.", labels=("kind", "state"))
        try:
            for one in self._lengths():
                family.add_metric((one.kind, one.state), one.length)
        except StoreError:
            return
        yield family
