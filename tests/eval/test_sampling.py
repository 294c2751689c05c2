"""One request in a hundred is diagnosed at once, the same ones everywhere; the rest waits in a backlog that has an end."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.sampling import LIVE_RATE, Backlog, BacklogOptions, Sampler, place_of
from eval.score import EvalError
from tests.eval.builders import Clock

IDS = [f"request-{n}" for n in range(20_000)]


@pytest.fixture
def backlog(tmp_path: Path, clock: Clock) -> Backlog:
    return Backlog(tmp_path / "home" / "backlog.sqlite", clock=clock)


def test_one_in_a_hundred_is_taken() -> None:
    taken = sum(map(Sampler().takes, IDS))
    # 200 are expected; five standard deviations of a fair draw are 70.
    assert LIVE_RATE == 0.01
    assert 130 <= taken <= 270


def test_a_split_loses_nothing_and_keeps_the_order() -> None:
    split = Sampler(0.2).split(IDS[:500])
    assert sorted([*split.live, *split.offline]) == sorted(IDS[:500])
    assert list(split.live) == [id for id in IDS[:500] if id in set(split.live)]
    assert 50 < len(split.live) < 150


@settings(deadline=None)
@given(st.text(max_size=20), st.floats(0, 1), st.floats(0, 1))
def test_whoever_is_taken_at_a_lower_rate_is_taken_at_a_higher_one(id: str, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert Sampler(high).takes(id) or not Sampler(low).takes(id)
    assert 0 <= place_of(id) < 1
    assert Sampler(1.0).takes(id)
    assert not Sampler(0.0).takes(id)


def test_another_salt_takes_others() -> None:
    one, other = (set(Sampler(0.1, salt).split(IDS[:2000]).live) for salt in ("a", "b"))
    assert one != other
    assert len(one & other) < len(one) / 2


def test_another_process_takes_the_same_ones() -> None:
    code = "from eval.sampling import Sampler; print(*Sampler(0.05).split([f'request-{n}' for n in range(300)]).live)"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60).stdout
    assert tuple(told.split()) == Sampler(0.05).split(IDS[:300]).live


@pytest.mark.parametrize("rate", [-0.01, 1.01, float("nan")])
def test_a_rate_is_a_share(rate: float) -> None:
    with pytest.raises(EvalError, match=r"\[0, 1\]"):
        Sampler(rate)


def test_the_backlog_gives_the_oldest_first_and_each_once(backlog: Backlog, clock: Clock) -> None:
    backlog.add(["a", "b"])
    clock.now += 1
    backlog.add(["b", "c"])
    assert len(backlog) == 3
    assert backlog.take(2) == ("a", "b")
    assert backlog.take(2) == ("c",)
    assert backlog.take(2) == ()
    backlog.finish(["a", "c", "never there"])
    assert len(backlog) == 1


def test_a_worker_that_died_gives_its_requests_back(tmp_path: Path, clock: Clock) -> None:
    backlog = Backlog(tmp_path / "b.sqlite", BacklogOptions(lease_s=60, tries=2), clock)
    backlog.add(["a"])
    assert backlog.take(1) == ("a",)
    clock.now += 59
    assert backlog.take(1) == ()
    clock.now += 1
    assert backlog.take(1) == ("a",)
    clock.now += 60
    assert backlog.take(1) == (), "a request that nobody could finish twice is given up"
    assert len(backlog) == 0


def test_the_backlog_has_an_end(tmp_path: Path, clock: Clock) -> None:
    backlog = Backlog(tmp_path / "b.sqlite", BacklogOptions(most=10), clock)
    backlog.add(f"old-{n}" for n in range(8))
    clock.now += 1
    backlog.add(f"new-{n}" for n in range(8))
    assert len(backlog) == 10
    assert backlog.take(10)[:2] == ("old-6", "old-7")


def test_workers_never_share_a_request(tmp_path: Path) -> None:
    path = tmp_path / "b.sqlite"
    Backlog(path).add(IDS[:120])

    def work(_: int) -> list[str]:
        backlog, done = Backlog(path), []
        while taken := backlog.take(7):
            done += taken
            backlog.finish(taken)
        return done

    with ThreadPoolExecutor(6) as pool:
        done = [id for one in pool.map(work, range(6)) for id in one]
    assert sorted(done) == sorted(IDS[:120])
    assert len(Backlog(path)) == 0


def test_a_file_that_is_none_is_said(backlog: Backlog) -> None:
    backlog.path.parent.mkdir(parents=True)
    backlog.path.write_bytes(b"no database, " * 100)
    with pytest.raises(EvalError, match="the backlog"):
        backlog.add(["a"])
    backlog.path.unlink()
    with sqlite3.connect(backlog.path) as db:
        db.execute("PRAGMA user_version = 9")
    db.close()
    with pytest.raises(EvalError, match="another version"):
        backlog.take(1)


@pytest.mark.parametrize("bad", [{"most": 0}, {"lease_s": 0}, {"tries": 0}])
def test_senseless_options_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(EvalError, match="above 0"):
        BacklogOptions(**bad)
