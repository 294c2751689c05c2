"""A clock that jumps: back at a correction, forward at a wrong one. No request fails, nothing is lost, nothing comes twice."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from serve.api.app import create_app
from serve.service import Service
from serve.settings import Settings
from serve.store.idempotency import InProgressError
from serve.store.store import Store
from tests.serve.doubles import picture_bytes

HOUR, DAY = 3600.0, 86400.0
Jump = Callable[[float], None]


@pytest.fixture
def jump(monkeypatch: pytest.MonkeyPatch) -> Jump:
    """Sets the clock of this process so many seconds off; what measures spans of time is not touched."""
    true = time.time

    def set_off(seconds: float) -> None:
        monkeypatch.setattr(time, "time", lambda: true() + seconds)

    return set_off


def send(client: TestClient, key: str | None = None) -> str:
    headers = {"Idempotency-Key": key} if key else None
    answer = client.post("/inspect", files={"file": ("a.png", picture_bytes())}, data={"place": "P-1"}, headers=headers)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


@pytest.mark.parametrize("seconds", [-30 * DAY, -HOUR, -1.0, HOUR, 300 * DAY])
def test_requests_go_on_and_every_report_is_found(service: Service, jump: Jump, seconds: float) -> None:
    with TestClient(create_app(service.settings, service)) as client:
        made = [send(client), send(client, "k")]
        jump(seconds)
        made += [send(client)]
        if abs(seconds) <= DAY:  # A key is kept for two days.
            assert send(client, "k") == made[1], "one request, one report, whatever the clock says"
        assert client.get("/ready").status_code == 200
        assert {line["id"] for line in client.get("/reports").json()["reports"]} == set(made)
        pages, before = [], None
        for _ in range(4):
            lines = client.get("/reports", params={"limit": 1, **({"before": before} if before else {})}).json()["reports"]
            pages += [line["id"] for line in lines]
            before = pages[-1]
        assert set(pages) == set(made), "paging shows each once"
        assert len(pages) == len(made)
        assert client.get("/history", params={"place": "P-1"}).status_code == 200


def test_a_job_is_not_taken_twice_and_not_kept_for_ever(store: Store, jump: Jump) -> None:
    job = store.jobs.add("local", "work", {})
    first = store.jobs.claim(["work"], lease_s=60)
    assert first is not None
    jump(-HOUR)
    assert store.jobs.claim(["work"], lease_s=60) is None, "held, whatever the clock says"
    assert store.jobs.renew(first, lease_s=60)
    jump(0)
    assert store.jobs.finish(first, {"done": True})
    assert store.jobs.get("local", job.id).state == "done"


def test_a_key_that_is_held_stays_held_when_the_clock_goes_back(store: Store, jump: Jump) -> None:
    assert store.idempotency.begin("local", "k", "f", lease_s=60) is None
    jump(-DAY)
    with pytest.raises(InProgressError):
        store.idempotency.begin("local", "k", "f", lease_s=60)


def test_a_backward_step_removes_nothing_at_the_next_sweep(
    tmp_path_factory: pytest.TempPathFactory, service: Service, jump: Jump
) -> None:
    settings = Settings(home=service.settings.home)
    with TestClient(create_app(settings, service)) as client:
        made = send(client)
        jump(-100 * DAY)
        store = Store.open(settings)
        assert not any(store.sweep())
        store.close()
        assert client.get(f"/reports/{made}/photo").status_code == 200
