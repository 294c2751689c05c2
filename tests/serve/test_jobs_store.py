"""The queue on both databases: each job to one worker, to another one when the first dies, and to none too often."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from serve.store.errors import NotFoundError, RefusedError
from serve.store.ids import this_owner
from serve.store.jobs import MAX_ATTEMPTS, Job, Jobs
from serve.store.store import Store
from serve.store.tables import jobs as table


def claimed(jobs: Jobs, **options: object) -> Job:
    job = jobs.claim(["batch"], **options)  # type: ignore[arg-type]
    assert job is not None
    return job


def test_jobs_come_in_order_and_of_the_kinds_asked_for(store: Store) -> None:
    first, second = store.jobs.add_many("a", "batch", [{"n": 1}, {"n": 2, "名": "压力"}])
    store.jobs.add("a", "other", {})
    assert [claimed(store.jobs).id for _ in range(2)] == [first.id, second.id]
    assert store.jobs.claim(["batch"]) is None
    assert store.jobs.get("a", second.id).payload == {"n": 2, "名": "压力"}


def test_no_two_workers_get_the_same_job(store: Store) -> None:
    store.jobs.add_many("a", "batch", [{"n": n} for n in range(40)])

    def work(worker: int) -> list[str]:
        done = []
        while (job := store.jobs.claim(["batch"], owner=f"w:{worker}:0")) is not None:
            assert store.jobs.finish(job, {"n": job.payload["n"]})
            done.append(job.id)
        return done

    with ThreadPoolExecutor(4) as pool:
        counts = Counter(id for done in pool.map(work, range(4)) for id in done)
    assert len(counts) == 40
    assert set(counts.values()) == {1}
    assert [(one.state, one.length) for one in store.jobs.lengths()] == [("done", 40)]


def test_a_job_whose_lease_ran_out_goes_to_another_and_the_first_writes_nothing(store: Store) -> None:
    store.jobs.add("a", "batch", {})
    first = claimed(store.jobs, lease_s=-1, owner="one")
    second = claimed(store.jobs, owner="two")
    assert (second.id, second.attempts) == (first.id, 2)
    assert not store.jobs.renew(first, {"done": 5})
    assert not store.jobs.finish(first, {"late": True})
    assert not store.jobs.fail(first, "late")
    assert store.jobs.finish(second, {"good": True})
    done = store.jobs.get("a", first.id)
    assert (done.state, done.result, done.owner) == ("done", {"good": True}, None)


def test_a_held_job_is_renewed_with_its_progress(store: Store) -> None:
    store.jobs.add("a", "batch", {})
    job = claimed(store.jobs, lease_s=1)
    assert store.jobs.renew(job, {"done": 3, "of": 9}, lease_s=100)
    kept = store.jobs.get("a", job.id)
    assert kept.progress == {"done": 3, "of": 9}
    assert (kept.leased_until or 0) > time.time() + 50
    assert store.jobs.claim(["batch"]) is None


def test_a_job_that_kills_its_workers_is_given_up(store: Store) -> None:
    job = store.jobs.add("a", "batch", {})
    for _ in range(MAX_ATTEMPTS):
        claimed(store.jobs, lease_s=-1)
    assert store.jobs.claim(["batch"]) is None
    given_up = store.jobs.get("a", job.id)
    assert given_up.state == "failed"
    assert f"after {MAX_ATTEMPTS} attempts" in (given_up.reason or "")


def test_a_released_job_waits_again_and_the_attempt_does_not_count(store: Store) -> None:
    store.jobs.add("a", "batch", {})
    for _ in range(MAX_ATTEMPTS + 2):
        job = claimed(store.jobs)
        assert job.attempts == 1
        assert store.jobs.release(job)


def test_jobs_of_a_dead_process_wait_again_at_once(store: Store) -> None:
    first, second = store.jobs.add_many("a", "batch", [{}, {}])
    host = this_owner().split(":")[0]
    claimed(store.jobs, owner=f"{host}:999999999:1.00")
    claimed(store.jobs)
    assert store.jobs.recover() == 1
    assert store.jobs.recover() == 0
    assert store.jobs.get("a", first.id).state == "queued"
    assert store.jobs.get("a", second.id).state == "running"


def test_a_waiting_job_is_cancelled_at_once_a_running_one_when_it_renews(store: Store) -> None:
    waiting, running = store.jobs.add_many("a", "batch", [{}, {}])
    job = claimed(store.jobs)
    assert job.id == waiting.id
    assert store.jobs.cancel("a", running.id).state == "cancelled"
    assert store.jobs.cancel("a", job.id).state == "running"
    assert not store.jobs.renew(job)
    assert store.jobs.end_cancelled(job, {"done": 1})
    ended = store.jobs.get("a", job.id)
    assert (ended.state, ended.result) == ("cancelled", {"done": 1})
    assert store.jobs.cancel("a", job.id).state == "cancelled"
    assert store.jobs.claim(["batch"]) is None


def test_a_cancelled_job_whose_worker_died_is_not_tried_again(store: Store) -> None:
    store.jobs.add("a", "batch", {})
    job = claimed(store.jobs, lease_s=-1)
    store.jobs.cancel("a", job.id)
    assert store.jobs.claim(["batch"]) is None
    assert store.jobs.get("a", job.id).state == "cancelled"


def test_lists_are_a_tenants_own_newest_first(store: Store) -> None:
    mine = store.jobs.add_many("a", "batch", [{"n": n} for n in range(5)])
    store.jobs.add("b", "batch", {})
    assert [job.id for job in store.jobs.list("a")] == [job.id for job in reversed(mine)]
    page = store.jobs.list("a", limit=2)
    assert [job.id for job in store.jobs.list("a", before=page[-1].id)] == [job.id for job in reversed(mine[:3])]
    claimed(store.jobs)
    assert len(store.jobs.list("a", state="queued")) == 4
    assert store.jobs.list("a", kind="none") == ()
    with pytest.raises(RefusedError, match="queued, running"):
        store.jobs.list("a", state="lost")
    with pytest.raises(NotFoundError):
        store.jobs.list("b", before=mine[0].id)


def test_old_jobs_go_and_open_ones_stay(store: Store) -> None:
    store.jobs.add_many("a", "batch", [{}, {}])
    assert store.jobs.finish(claimed(store.jobs), {})
    with store.database.write() as db:
        db.execute(table.update().values(updated=1.0))
    assert store.jobs.sweep(86400) == 1
    assert [job.state for job in store.jobs.list("a")] == ["queued"]


def test_no_jobs_are_no_write(store: Store) -> None:
    assert store.jobs.add_many("a", "batch", []) == ()
    assert store.jobs.lengths() == ()
