"""What is counted for Prometheus: few series, whatever is read, and a page that is whole without the store."""

from __future__ import annotations

import pytest

from rag.reasons import OTHER, reason_name
from rag.templates import read_templates
from serve.api.metrics import Metrics
from serve.store.errors import StoreError
from serve.store.jobs import QueueLength
from tests.serve.doubles import abstained_dial, make_dial
from tests.serve.runs import make_run

DISPLAY = "the display is too small in the photo for its digits to be read"


@pytest.mark.parametrize(
    ("reason", "name"),
    [
        ("no instrument was found in the photo", "no_instrument"),
        ("the instrument is too small in the photo to be read (31 x 29 pixels); move closer", "too_small"),
        ("nothing could be read; no value could be supported", "nothing"),
        (f"{DISPLAY} (a value would be right with a probability of 31 % only)", "display_too_small"),
        ("something nobody wrote down 12.5", OTHER),
        (None, OTHER),
        ("", OTHER),
    ],
)  # fmt: skip
def test_a_reason_has_one_name_whatever_its_numbers(reason: str | None, name: str) -> None:
    assert reason_name(reason) == name


def test_every_reason_without_slots_is_found_under_its_own_name() -> None:
    for name, row in read_templates("reasons.toml").items():
        if not row.slots():
            assert reason_name(row.en) == name


def test_readings_are_counted_by_status_and_reason_and_timed() -> None:
    metrics = Metrics()
    inspection = make_run(make_dial(9, 9), abstained_dial(9, 9)).inspection
    metrics.count_inspection(inspection.model_copy(update={"timing_ms": {"locate": 200.0, "donut": 300.0, "search": 40.0}}))
    text = metrics.text().decode()
    assert 'gauge_photos_total{status="read"} 1.0' in text
    assert 'gauge_instruments_total{kind="dial",reason="other",status="abstained"} 1.0' in text
    assert "gauge_reader_seconds_sum 0.5" in text
    assert "gauge_report_seconds_sum 0.04" in text


def test_ids_in_addresses_make_no_series() -> None:
    metrics = Metrics()
    for status in (200, 404):
        metrics.count_request("GET", "/reports/{id}", status, 0.01)
    assert 'gauge_http_requests_total{method="GET",route="/reports/{id}",status="404"} 1.0' in metrics.text().decode()


def test_queues_are_asked_when_the_page_is() -> None:
    metrics = Metrics()
    waiting = [3]
    metrics.watch_queue(lambda: 1, lambda: waiting[0])
    metrics.watch_jobs(lambda: [QueueLength("batch", "queued", 7)])
    waiting[0] = 4
    text = metrics.text().decode()
    assert "gauge_requests_waiting 4.0" in text
    assert 'gauge_jobs{kind="batch",state="queued"} 7.0' in text


def test_a_store_that_does_not_answer_leaves_the_rest_whole() -> None:
    metrics = Metrics()

    def away() -> list[QueueLength]:
        raise StoreError("away")

    metrics.watch_jobs(away)
    metrics.count_request("GET", "/health", 200, 0.01)
    text = metrics.text().decode()
    assert "gauge_jobs" not in text
    assert "gauge_http_requests_total" in text
