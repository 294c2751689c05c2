"""Ten thousand jobs and two workers: each job is done once, and the last claims cost no more than the first."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from statistics import median

import pytest

from serve.store.store import Store

JOBS = 10_000


@pytest.mark.slow
def test_ten_thousand_jobs_are_each_done_once_and_claims_stay_fast(store: Store) -> None:
    for start in range(0, JOBS, 1000):
        store.jobs.add_many("a", "batch", [{"n": start + n} for n in range(1000)])

    def work(worker: int) -> list[tuple[int, float]]:
        done = []
        while True:
            began = time.thread_time()
            job = store.jobs.claim(["batch"], owner=f"w:{worker}:0")
            took = time.thread_time() - began
            if job is None:
                return done
            assert store.jobs.finish(job, {})
            done.append((int(job.payload["n"]), took))

    with ThreadPoolExecutor(2) as pool:
        parts = list(pool.map(work, range(2)))
    counts = Counter(n for part in parts for n, _ in part)
    assert len(counts) == JOBS
    assert set(counts.values()) == {1}
    first = median(took for part in parts for _, took in part[:500])
    last = median(took for part in parts for _, took in part[-500:])
    print(f"a claim takes {1000 * first:.2f} ms of processor at first, {1000 * last:.2f} ms at last")
    assert last < 3 * first + 0.001
