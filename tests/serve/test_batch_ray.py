"""Batches on Ray: a photo that no worker survives is given up after some, and the rest has its rows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from serve.batch.attempts import Attempts
from serve.batch.errors import BatchError
from serve.batch.pool import MAX_DEATHS
from serve.batch.ray_engine import START_TRIES, RayEngine
from serve.batch.rows import Row
from serve.batch.stage import Stage
from tests.serve.batch_doubles import REPOSITORY, environment, reads, write_photos
from tests.serve.doubles import picture_bytes


def test_a_photo_that_comes_again_to_another_worker_has_ended_the_first() -> None:
    attempts = Attempts()
    assert attempts.deaths("one", [1, 2]) == [0, 0]
    attempts.begin("one", 1)
    attempts.begin("one", 2)
    assert attempts.deaths("two", [1, 2]) == [0, 1]
    attempts.begin("two", 2)
    assert attempts.deaths("three", [2, 3]) == [2, 0]


def test_what_came_to_its_end_ended_nobody() -> None:
    attempts = Attempts()
    attempts.begin("one", 1)
    assert attempts.deaths("one", [1]) == [0]
    attempts.begin("one", 1)
    attempts.begin("one", None)
    assert attempts.deaths("two", [1]) == [0]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed")
def test_a_photo_that_ends_its_actors_is_named_and_spares_the_rest(tmp_path: Path) -> None:
    paths, log, out = write_photos(tmp_path / "photos", 12), tmp_path / "log", tmp_path / "t.jsonl"
    killer = tmp_path / "photos" / "0003killer.png"
    killer.write_bytes(picture_bytes(color="blue"))
    order = json.dumps({"sources": [str(tmp_path / "photos")], "out": str(out), "workers": 2, "engine": "ray"})
    line = [sys.executable, "-m", "tests.serve.batch_doubles", order]
    done = subprocess.run(line, cwd=REPOSITORY, env=environment(log, 0), capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 1, done.stderr
    rows = [Row.model_validate_json(text) for text in out.read_text().splitlines()]
    assert [row.photo for row in rows] == sorted([*map(str, paths), str(killer)])
    (given_up,) = (row for row in rows if row.status == "error")
    assert given_up.photo == str(killer)
    assert f"ended the worker process {MAX_DEATHS} times" in str(given_up.reason)
    assert Counter(reads(log))[str(killer)] == MAX_DEATHS


class StubbornRay:
    """Stands for Ray's module: it starts after some tries, or never."""

    def __init__(self, failures: int) -> None:
        self.failures, self.tries, self.shutdowns = failures, 0, 0

    def is_initialized(self) -> bool:
        return False

    def init(self, **_: object) -> None:
        self.tries += 1
        if self.tries <= self.failures:
            raise RuntimeError("System error:\nFailed to connect to GCS.")

    def shutdown(self) -> None:
        self.shutdowns += 1


@pytest.mark.parametrize(("address", "told"), [(None, "Ray cannot be started"), ("host:6379", "host:6379 cannot be joined")])
def test_ray_that_does_not_start_is_tried_again_and_then_said(address: str | None, told: str) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    engine = RayEngine(Stage(), 2, address)
    engine._ray = late = StubbornRay(START_TRIES - 1)
    with engine:
        assert (late.tries, late.shutdowns) == (START_TRIES, START_TRIES - 1)
    engine._ray = never = StubbornRay(START_TRIES)
    with pytest.raises(BatchError, match=f"{told} .*Failed to connect to GCS"), engine:
        pass
    assert never.tries == START_TRIES
