"""The API against its own OpenAPI document: what the document allows is answered as the document says, never by a 500."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case
from schemathesis.schemas import APIOperation

from serve.api.app import create_app
from serve.service import Service
from serve.settings import Settings
from serve.store.keys import SCOPES
from serve.store.store import Store
from tests.serve.doubles import DoubleReader
from tests.serve.live import serving

UNCHECKED = ("positive_data_acceptance",)
"""Bytes at random are a file by the document and no photo to the server."""


class Tried(NamedTuple):
    """The document, and a key that may do everything in a tenant of its own."""

    document: Any
    key: str


@pytest.fixture
def schema(service: Service) -> Iterator[Tried]:
    quick = Settings(home=service.settings.home, rate_limit="1000000/minute", trace_requests=50)
    store = Store.open(quick)
    key = store.keys.create("fuzz", SCOPES, "plant-7").secret
    with serving(create_app(quick, Service(quick, reader=DoubleReader(), knowledge=service.knowledge), store)) as url:
        yield Tried(schemathesis.openapi.from_url(f"{url}/openapi.json"), key)
    store.close()


def operations(schema: Tried) -> list[APIOperation[Any, Any, Any]]:
    return [result.ok() for result in schema.document.get_all_operations()]


def try_out(operation: APIOperation[Any, Any, Any], key: str, examples: int) -> int:
    """How many requests were made up, sent and answered as the document says. Raises what was found."""
    excluded = [check for name in UNCHECKED for check in schemathesis.checks.CHECKS.get_all() if check.__name__ == name]
    sent = 0

    @given(case=operation.as_strategy())
    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    def attempt(case: Case) -> None:
        nonlocal sent
        case.call_and_validate(excluded_checks=excluded, headers={"X-API-Key": key}, timeout=60)
        sent += 1

    attempt()
    return sent


def run_all(schema: Tried, examples: int) -> dict[str, int]:
    """Requests by route; all routes are tried before anything is told."""
    sent: dict[str, int] = {}
    faults: list[str] = []
    for operation in operations(schema):
        try:
            sent[operation.label] = try_out(operation, schema.key, examples)
        except BaseExceptionGroup as group:
            faults += [f"{operation.label}: {error}" for error in group.exceptions]
        except Exception as error:
            faults.append(f"{operation.label}: {error}")
    assert not faults, "\n\n".join(faults)
    return sent


def test_every_route_of_the_document_is_tried(schema: Tried) -> None:
    labels = {operation.label for operation in operations(schema)}
    assert {"POST /inspect", "GET /reports", "GET /reports/{id}", "GET /ready", "POST /feedback", "POST /failures"} <= labels


def test_made_up_requests_are_answered_as_the_document_says(schema: Tried) -> None:
    sent = run_all(schema, examples=3)
    assert min(sent.values()) >= 1


@pytest.mark.slow
def test_many_made_up_requests_are_answered_as_the_document_says(schema: Tried) -> None:
    sent = run_all(schema, examples=60)
    print(f"\n{sum(sent.values())} requests to {len(sent)} routes: {sent}")
    assert sum(sent.values()) > 300
