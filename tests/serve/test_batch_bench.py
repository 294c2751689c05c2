"""`gauge bench batch`: what it says follows from what was measured, and what kills did is counted from the rows."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from serve.batch.stage import Stage, Task
from serve.cli import app
from serve.commands.batch_bench import BatchBench, Speed, bench_text
from serve.commands.batch_bench_kills import Kills, try_kills
from serve.commands.batch_bench_stage import LIGHT
from tests.serve.doubles import picture_bytes


def bench(**changes: object) -> BatchBench:
    speeds = (
        Speed(name="bare reader", workers=1, wall_s=10, processor_s=9),
        Speed(name="batch, 1 workers", workers=1, wall_s=10.5, processor_s=9.9, memory_mib=300, same=True),
        Speed(name="batch, 2 workers", workers=2, wall_s=5.25, processor_s=10, slope=1.5, slope_low=-1, slope_high=4, same=False),
    )
    return BatchBench.model_validate({"photos": 20, "cores": 2, "load": 0.5, "light": False, "speeds": speeds, **changes})


def test_the_text_compares_with_the_bare_reader_and_with_one_worker() -> None:
    head, bare, single, double = bench_text(bench()).splitlines()
    assert "2 cores, load 0.5" in head
    assert "2.00 photos/s, 450.0 ms of processor a photo" in bare
    assert "processor +10.0 %" in single
    assert "0.95 times the bare reader" in single
    assert "same rows" in single
    assert "2.00 times one worker" in double
    assert "+1.5 MiB per 1,000 photos (-1.0 to +4.0)" in double
    assert "OTHER ROWS" in double


def test_what_was_not_measured_is_not_said() -> None:
    ray = Speed(name="Ray, 2 workers", workers=2, wall_s=5, processor_s=math.nan, same=True)
    line = bench_text(bench(speeds=(*bench().speeds, ray))).splitlines()[-1]
    assert "processor" not in line
    assert "MiB" not in line
    assert json.loads(ray.model_dump_json())["processor_s"] is None


def test_kills_are_told_by_whom_and_with_what_they_did() -> None:
    text = bench_text(bench(kills=Kills(victims={"parent": 2, "worker": 3}, batches=2, lost=0, doubled=1, changed=0)))
    assert text.splitlines()[-1] == "5 kills (2 parent, 3 worker) over 2 batches: 0 photos lost, 1 doubled, 0 changed"


def test_the_stage_without_a_model_states_no_value(tmp_path: Path) -> None:
    good, bad = tmp_path / "a.png", tmp_path / "b.png"
    good.write_bytes(picture_bytes())
    bad.write_bytes(b"no picture")
    read = Stage(opener=LIGHT).open()
    readings = list(read([Task(n, str(path), path.name) for n, path in enumerate((good, bad))]))
    assert [one.status for one in readings] == ["abstained", "error"]
    assert not any(one.instruments for one in readings)


@pytest.mark.slow
def test_a_small_bench_runs() -> None:
    answer = CliRunner().invoke(app, ["bench", "batch", "--light", "--photos", "6", "--workers", "1", "--json"])
    assert answer.exit_code == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert [one["name"] for one in found["speeds"]] == ["bare reader", "batch, 1 workers"]
    assert found["speeds"][1]["same"]


@pytest.mark.slow
def test_killed_processes_lose_and_double_nothing(tmp_path: Path) -> None:
    kills = try_kills(tmp_path, 4, ray=False, photos=40)
    assert sum(kills.victims.values()) == 4
    assert (kills.lost, kills.doubled, kills.changed) == (0, 0, 0)
