"""Turns, waiting and time limits of heavy work; jobs in the background; what a tenant's service shares with the house."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from knowledge.search import KnowledgeBase
from serve.api.problems import ProblemError
from serve.api.runner import Control, JobFailed, JobStopped, Runner
from serve.api.workers import Workers
from serve.service import Service, TenantService
from serve.settings import Settings
from serve.store.errors import StoreError
from serve.store.jobs import Job
from serve.store.store import Store
from serve.store.tables import jobs
from serve.tenancy import tenant_reader
from tests.serve.doubles import DoubleReader, picture_bytes


def test_results_and_faults_come_through() -> None:
    workers = Workers(2, 2)

    def fail() -> None:
        raise KeyError("mine")

    assert asyncio.run(workers.run(lambda: 7)) == 7
    with pytest.raises(KeyError, match="mine"):
        asyncio.run(workers.run(fail))
    assert (workers.running, workers.waiting) == (0, 0)
    workers.close()


def test_who_waits_too_long_leaves_the_queue_and_work_that_began_is_ended() -> None:
    workers = Workers(1, 5, timeout_s=0.2)
    release, done = threading.Event(), []

    def slow() -> None:
        release.wait(20)
        done.append("slow")

    async def scene() -> None:
        first = asyncio.create_task(workers.run(slow))
        await asyncio.sleep(0.05)
        second = asyncio.create_task(workers.run(lambda: done.append("never")))
        for task in (first, second):
            with pytest.raises(ProblemError) as caught:
                await task
            assert (caught.value.status, caught.value.kind) == (503, "timeout")
            assert caught.value.headers["Retry-After"]
        assert (workers.running, workers.waiting) == (1, 0)  # The thread cannot be stopped: it keeps its place.
        release.set()

    asyncio.run(scene())
    workers.close()
    assert done == ["slow"]
    assert (workers.running, workers.waiting) == (0, 0)


def test_a_client_that_goes_away_leaves_the_queue() -> None:
    workers = Workers(1, 5)
    release, done = threading.Event(), []

    async def scene() -> None:
        first = asyncio.create_task(workers.run(lambda: release.wait(20)))
        await asyncio.sleep(0.05)
        second = asyncio.create_task(workers.run(lambda: done.append("never")))
        await asyncio.sleep(0.05)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        assert workers.waiting == 0
        release.set()
        await first

    asyncio.run(scene())
    workers.close()
    assert done == []


def test_a_timeout_of_the_work_itself_is_no_problem_of_waiting() -> None:
    workers = Workers(1, 1, timeout_s=5)

    def fail() -> None:
        raise TimeoutError("the camera")

    with pytest.raises(TimeoutError, match="the camera"):
        asyncio.run(workers.run(fail))
    workers.close()


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Store]:
    """A store in SQLite: what the runner does is the same on both."""
    store = Store.open(Settings(home=tmp_path / "home"))
    yield store
    store.close()


def test_a_job_is_done_and_its_result_kept(plain: Store) -> None:
    runner = Runner(plain)

    def work(job: Job, control: Control) -> dict[str, Any]:
        control.report({"done": 1})
        return {"twice": 2 * job.payload["n"]}

    runner.register("double", work)
    job = plain.jobs.add("a", "double", {"n": 21})
    plain.jobs.add("a", "foreign", {})
    assert runner.run_one()
    assert not runner.run_one()
    done = plain.jobs.get("a", job.id)
    assert (done.state, done.result, done.progress) == ("done", {"twice": 42}, {"done": 1})


@pytest.mark.parametrize(
    ("error", "said"), [(JobFailed("no labels"), "no labels"), (RuntimeError("secret path"), "the server's log knows why")]
)
def test_a_job_that_fails_says_why_and_tells_no_internals(plain: Store, error: Exception, said: str) -> None:
    def fail(job: Job, control: Control) -> dict[str, Any]:
        raise error

    runner = Runner(plain)
    runner.register("bad", fail)
    job = plain.jobs.add("a", "bad", {})
    assert runner.run_one()
    failed = plain.jobs.get("a", job.id)
    assert failed.state == "failed"
    assert said in (failed.reason or "")
    assert "secret" not in (failed.reason or "")


def test_a_store_that_fails_costs_no_job(plain: Store) -> None:
    def fail(job: Job, control: Control) -> dict[str, Any]:
        raise StoreError("locked")

    runner = Runner(plain)
    runner.register("bad", fail)
    job = plain.jobs.add("a", "bad", {})
    with pytest.raises(StoreError):
        runner.run_one()
    assert plain.jobs.get("a", job.id).state == "queued"


def endless(started: threading.Event) -> Any:
    def work(job: Job, control: Control) -> dict[str, Any]:
        started.set()
        while True:
            control.report({"at": time.monotonic()})
            time.sleep(0.01)

    return work


def test_a_cancelled_job_stops_at_its_next_report(plain: Store) -> None:
    started = threading.Event()
    runner = Runner(plain)
    runner.register("endless", endless(started))
    job = plain.jobs.add("a", "endless", {})
    runner.start()
    assert started.wait(10)
    plain.jobs.cancel("a", job.id)
    deadline = time.monotonic() + 10
    while plain.jobs.get("a", job.id).state == "running" and time.monotonic() < deadline:
        time.sleep(0.02)
    assert plain.jobs.get("a", job.id).state == "cancelled"
    runner.stop()


def test_at_the_servers_end_jobs_go_back_to_the_queue(plain: Store) -> None:
    started = threading.Event()
    runner = Runner(plain)
    runner.register("endless", endless(started))
    job = plain.jobs.add("a", "endless", {})
    runner.start()
    assert started.wait(10)
    runner.stop()
    waiting = plain.jobs.get("a", job.id)
    assert (waiting.state, waiting.attempts) == ("queued", 0)


def test_a_lost_job_is_written_by_nobody_but_its_new_holder(plain: Store) -> None:
    def slow(job: Job, control: Control) -> dict[str, Any]:
        with plain.database.write() as db:
            db.execute(jobs.update().values(owner="another", attempts=2))
        with pytest.raises(JobStopped):
            control.report({})
        return {"late": True}

    runner = Runner(plain)
    runner.register("slow", slow)
    job = plain.jobs.add("a", "slow", {})
    assert runner.run_one()
    kept = plain.jobs.get("a", job.id)
    assert (kept.state, kept.owner, kept.result) == ("running", "another", None)


def test_tenants_share_reader_and_manuals_and_keep_their_own_files(
    service: Service, reader: DoubleReader, knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    tenant = service.for_home(tmp_path / "t")
    assert isinstance(tenant, TenantService)
    assert service.for_home(tmp_path / "t") is tenant
    assert service.for_home(service.settings.home) is service
    assert tenant.knowledge is knowledge
    assert tenant.reader is reader
    (inspection,) = tenant.inspect_photos([picture_bytes()], model="XYZ-2000", request_ids=["r-1"])
    assert inspection.report is not None
    assert tenant.traces.load("r-1").request_id == "r-1"
    assert not (service.settings.home / "traces.sqlite").exists()


def test_a_tenants_adapters_are_asked_before_the_houses(tmp_path: Path) -> None:
    from vision.adapter_files import AdapterFolder
    from vision.reader import Reader

    house = Reader.__new__(Reader)  # Without a model: only its adapters matter here.
    house.adapters = AdapterFolder(tmp_path / "house", "0" * 64)
    assert tenant_reader(house, tmp_path / "none") is house
    (tmp_path / "mine" / "xyz-2000").mkdir(parents=True)
    (tmp_path / "mine" / "xyz-2000" / "card.json").touch()
    view = tenant_reader(house, tmp_path / "mine")
    assert isinstance(view, Reader)
    assert view.adapters is not None
    assert (view.adapters.home, view.adapters.others) == (tmp_path / "mine", house.adapters)
    assert house.adapters.home == tmp_path / "house"  # The house reads on as before.
