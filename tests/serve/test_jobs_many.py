"""Ten thousand jobs and two processes: each job is done once, and the last claims cost no more than the first."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median

import pytest
from pydantic import SecretStr

from serve.settings import Settings
from serve.store.store import Store

JOBS = 10_000
LEASE_S = 3600.0
"""No job is slow here: one that two workers get would be a fault, however long a loaded machine lets a worker wait."""


def work(home: Path, database: SecretStr | None) -> list[tuple[int, float]]:
    """Claim and finish jobs until there are none; the number of each and the processor's seconds that its claim took."""
    store = Store.open(Settings(home=home, database=database))
    done = []
    try:
        while True:
            began = time.thread_time()
            job = store.jobs.claim(["batch"], LEASE_S)
            took = time.thread_time() - began
            if job is None:
                return done
            assert store.jobs.finish(job, {})
            done.append((int(job.payload["n"]), took))
    finally:
        store.close()


@pytest.mark.slow
def test_ten_thousand_jobs_are_each_done_once_and_claims_stay_fast(
    store: Store, database: SecretStr | None, tmp_path: Path
) -> None:
    began = time.perf_counter()
    for start in range(0, JOBS, 1000):
        store.jobs.add_many("a", "batch", [{"n": start + n} for n in range(1000)])
    queued_s = time.perf_counter() - began
    context = multiprocessing.get_context("spawn")
    both = context.Barrier(2)  # A process that starts late on a busy machine would find nothing left to do.
    began = time.perf_counter()
    with ProcessPoolExecutor(2, context, initializer=both.wait) as pool:
        parts = [part.result() for part in [pool.submit(work, tmp_path / "home", database) for _ in range(2)]]
    done_s = time.perf_counter() - began
    counts = Counter(n for part in parts for n, _ in part)
    assert len(counts) == JOBS
    assert set(counts.values()) == {1}
    assert all(parts), "one process did all of the work"
    assert {job.state for job in store.jobs.list("a", kind="batch", limit=200)} == {"done"}
    first = median(took for part in parts for _, took in part[:500])
    last = median(took for part in parts for _, took in part[-500:])
    print(
        f"{JOBS} jobs queued in {queued_s:.1f} s, done by two processes in {done_s:.1f} s ({len(parts[0])} and {len(parts[1])})"
    )
    print(f"a claim takes {1000 * first:.2f} ms of processor at first, {1000 * last:.2f} ms at last")
    assert last < 3 * first + 0.001
