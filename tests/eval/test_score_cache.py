"""The cache of scores: what it gives is what was computed, for a day, and never anything of another question or version."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.score import EvalError, Score, supported, unsupported
from eval.score_cache import CacheOptions, ScoreCache, text_hash
from tests.eval.builders import Clock

DAY = 24 * 3600.0


@pytest.fixture
def cache(tmp_path: Path, clock: Clock) -> ScoreCache:
    return ScoreCache(tmp_path / "home" / "scores.sqlite", "1", clock=clock)


def test_a_score_is_computed_once(cache: ScoreCache) -> None:
    calls: list[int] = []

    def compute() -> Score:
        calls.append(1)
        return supported("it stands there")

    results = [cache.through("fci", "how hot?", ["a", "b"], Score, compute) for _ in range(3)]
    assert results == [supported("it stands there")] * 3
    assert len(calls) == 1
    assert (cache.counts.hits, cache.counts.misses, cache.counts.faults) == (2, 1, 0)


def test_not_scorable_comes_back_as_such(cache: ScoreCache) -> None:
    from eval.score import not_scorable

    for _ in range(2):
        kept = cache.through("fci", "q", ["a"], Score, lambda: not_scorable("nothing there"))
        assert kept.state == "not_scorable"
        assert kept.value != kept.value


def test_all_that_a_score_depends_on_is_its_key(cache: ScoreCache, clock: Clock) -> None:
    cache.put("fci", "q", ["a", "b"], "kept")
    other = ScoreCache(cache.path, "2", clock=clock)
    assert cache.get("fci", "q", ["a", "b"]) == "kept"
    assert cache.get("crs", "q", ["a", "b"]) is None
    assert cache.get("fci", "Q", ["a", "b"]) is None
    assert cache.get("fci", "q", ["b", "a"]) is None
    assert cache.get("fci", "q", ["ab"]) is None
    assert cache.get("fci", "q", []) is None
    assert other.get("fci", "q", ["a", "b"]) is None


def test_a_score_holds_for_a_day(cache: ScoreCache, clock: Clock) -> None:
    cache.put("fci", "q", ["a"], "kept")
    clock.now += DAY - 1
    assert cache.get("fci", "q", ["a"]) == "kept"
    clock.now += 1
    assert cache.get("fci", "q", ["a"]) is None
    cache.put("fci", "other", ["a"], "new")
    assert len(cache) == 1, "what is too old goes when something comes"


def test_a_clock_set_back_gives_nothing_from_the_future(cache: ScoreCache, clock: Clock) -> None:
    cache.put("fci", "q", ["a"], "kept")
    clock.now -= 500
    assert cache.get("fci", "q", ["a"]) is None
    cache.put("fci", "other", ["a"], "new")
    assert len(cache) == 1


def test_the_oldest_go_where_there_are_too_many(tmp_path: Path, clock: Clock) -> None:
    cache = ScoreCache(tmp_path / "s.sqlite", "1", CacheOptions(most=3), clock)
    for n in range(7):
        clock.now += 1
        cache.put("fci", f"q{n}", ["a"], str(n))
    assert len(cache) == 3
    assert [cache.get("fci", f"q{n}", ["a"]) for n in range(7)] == [None, None, None, None, "4", "5", "6"]


def test_a_smaller_bound_holds_for_a_file_that_was_larger(tmp_path: Path, clock: Clock) -> None:
    large = ScoreCache(tmp_path / "s.sqlite", "1", clock=clock)
    for n in range(20):
        large.put("fci", f"q{n}", ["a"], "x")
    small = ScoreCache(tmp_path / "s.sqlite", "1", CacheOptions(most=5, at_once=4), clock)
    sizes = []
    for n in range(6):
        clock.now += 1
        small.put("fci", f"new{n}", ["a"], "x")
        sizes.append(len(small))
    assert sizes[0] == 17, "no single put clears away everything"
    assert sizes[-1] == 5


def test_a_huge_value_is_not_kept(tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path / "s.sqlite", "1", CacheOptions(most_bytes=10))
    cache.put("fci", "q", ["a"], "x" * 11)
    assert cache.get("fci", "q", ["a"]) is None
    cache.put("fci", "q", ["a"], "x" * 10)
    assert cache.get("fci", "q", ["a"]) == "x" * 10


def test_a_damaged_file_is_started_afresh(cache: ScoreCache) -> None:
    cache.put("fci", "q", ["a"], "kept")
    cache.path.write_bytes(b"no database at all, " * 500)
    for name in ("-wal", "-shm"):
        cache.path.with_name(cache.path.name + name).unlink(missing_ok=True)
    assert cache.through("fci", "q", ["a"], Score, lambda: supported("anew")) == supported("anew")
    assert cache.counts.faults >= 1
    assert cache.through("fci", "q", ["a"], Score, lambda: unsupported("not asked")) == supported("anew")


def test_a_value_of_another_form_is_computed_anew(cache: ScoreCache) -> None:
    cache.put("fci", "q", ["a"], '{"value": 3}')
    assert cache.through("fci", "q", ["a"], Score, lambda: supported("anew")) == supported("anew")
    assert cache.counts.faults == 1


def test_another_layout_is_replaced(cache: ScoreCache) -> None:
    cache.path.parent.mkdir(parents=True)
    with sqlite3.connect(cache.path) as db:
        db.execute("CREATE TABLE scores (something TEXT)")
        db.execute("PRAGMA user_version = 99")
    db.close()
    cache.put("fci", "q", ["a"], "kept")
    assert cache.get("fci", "q", ["a"]) == "kept"


def test_where_no_file_can_be_the_score_is_computed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = ScoreCache(tmp_path / "file" / "s.sqlite", "1")
    assert cache.through("fci", "q", ["a"], Score, lambda: supported("computed")) == supported("computed")
    assert cache.counts.faults == 2
    assert len(cache) == 0


def test_what_fails_to_be_computed_is_not_kept(cache: ScoreCache) -> None:
    def broken() -> Score:
        raise EvalError("no score today")

    with pytest.raises(EvalError, match="today"):
        cache.through("fci", "q", ["a"], Score, broken)
    assert len(cache) == 0


def test_many_threads_share_one_file(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"

    def work(n: int) -> bool:
        cache = ScoreCache(path, "1")
        text = str(n % 10)
        score = cache.through("fci", text, ["a"], Score, lambda: supported(text))
        return score == supported(text) and cache.counts.faults == 0

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(80)))
    assert len(ScoreCache(path, "1")) == 10


def test_processes_share_one_file(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    code = (
        "import sys; from pathlib import Path; from eval.score_cache import ScoreCache\n"
        "cache = ScoreCache(Path(sys.argv[1]), '1')\n"
        "for n in range(30): cache.put('fci', f'{sys.argv[2]}-{n}', ['a'], 'x')\n"
        "assert cache.counts.faults == 0, cache.counts"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(path), str(n)]) for n in range(3)]
    assert [one.wait(timeout=60) for one in running] == [0, 0, 0]
    assert len(ScoreCache(path, "1")) == 90


@settings(deadline=None)
@given(st.lists(st.text(max_size=5), max_size=4), st.lists(st.text(max_size=5), max_size=4))
def test_only_the_same_texts_have_the_same_hash(one: list[str], other: list[str]) -> None:
    assert (text_hash(one) == text_hash(other)) == (one == other)


@pytest.mark.parametrize("bad", [{"ttl_s": 0}, {"most": 0}, {"most_bytes": -1}, {"at_once": 0}])
def test_senseless_options_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(EvalError, match="above 0"):
        CacheOptions(**bad)
