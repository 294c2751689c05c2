"""`gauge batch`: exit codes, what it says, what it leaves beside the table, and that it can be stopped and continued."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from serve.batch import stage
from serve.commands import batching
from tests.serve.batch_doubles import REPOSITORY, environment, open_double, reads, write_photos
from tests.serve.conftest import Gauge

HAS_RAY = find_spec("ray") is not None


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of this process read with the double."""
    monkeypatch.setattr(batching, "_engine", lambda _, wanted: stage.HereEngine(open_double(wanted)))


def run(*, log: Path, sleep_s: float = 0.0, **order: Any) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "tests.serve.batch_doubles", json.dumps(order)]
    return subprocess.run(line, cwd=REPOSITORY, env=environment(log, sleep_s), capture_output=True, text=True, check=False)


@pytest.mark.usefixtures("here")
def test_a_batch_leaves_table_summary_and_journal_and_says_what_it_did(gauge: Gauge, tmp_path: Path) -> None:
    write_photos(tmp_path / "photos", 5)
    out = tmp_path / "out" / "readings.parquet"
    answer = gauge("batch", tmp_path / "photos", "--out", out)
    assert answer.code == 0, answer.err
    assert "5 photos: 4 read, 1 not read, 0 failed" in answer.out
    assert pq.read_table(out).num_rows == 5
    assert sorted(path.name for path in out.parent.iterdir()) == [
        "readings.html",
        "readings.parquet",
        "readings.parquet.journal",
        "readings.parquet.journal.lock",
    ]
    assert "5/5" in answer.err
    again = gauge("batch", tmp_path / "photos", "--out", out)
    assert "5 read by an earlier run" in again.out


@pytest.mark.usefixtures("here")
def test_what_cannot_be_opened_is_named_and_makes_the_exit_code(gauge: Gauge, tmp_path: Path) -> None:
    (photo,) = write_photos(tmp_path / "photos", 1)
    (tmp_path / "list.txt").write_text(f"{photo}\n{tmp_path}/gone.jpg\n")
    answer = gauge("batch", tmp_path / "list.txt", "--out", tmp_path / "t.csv", "--lang", "zh")
    assert answer.code == 1
    assert f"{tmp_path}/gone.jpg: no such file" in answer.err
    assert "2 photos: 1 read, 0 not read, 1 failed" in answer.out
    assert "优先查看" in (tmp_path / "t.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("here")
def test_links_that_lead_back_are_named_and_no_failure(gauge: Gauge, tmp_path: Path) -> None:
    write_photos(tmp_path / "photos", 1)
    (tmp_path / "photos" / "loop").symlink_to(tmp_path / "photos")
    answer = gauge("batch", tmp_path / "photos", "--out", tmp_path / "t.csv")
    assert answer.code == 0
    assert "loop: leads to the same folder" in answer.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere/*.jpg", "--out", "t.csv"], "matches nothing"),
        (["photos", "--out", "t.xlsx"], "a table ends in"),
        (["empty", "--out", "t.csv"], "no photos in"),
    ],
)
@pytest.mark.usefixtures("here")
def test_wrong_orders_are_refused_in_a_line(
    gauge: Gauge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_photos(tmp_path / "photos", 1)
    (tmp_path / "empty").mkdir()
    answer = gauge("batch", *arguments)
    assert answer.code == 1
    assert told in answer.err
    assert not list(tmp_path.glob("t.*"))


def test_an_address_without_ray_is_wrong_usage(gauge: Gauge, tmp_path: Path) -> None:
    assert gauge("batch", tmp_path, "--out", tmp_path / "t.csv", "--address", "host:6379").code == 2


@pytest.mark.usefixtures("here")
def test_other_wishes_over_the_same_table_are_refused_and_fresh_begins_anew(gauge: Gauge, tmp_path: Path) -> None:
    write_photos(tmp_path / "photos", 2)
    order = ["batch", tmp_path / "photos", "--out", tmp_path / "t.jsonl"]
    assert gauge(*order).code == 0
    answer = gauge(*order, "--model", "XYZ-2000")
    assert answer.code == 1
    assert "model None, now 'XYZ-2000'" in answer.err
    assert gauge(*order, "--model", "XYZ-2000", "--fresh").code == 0
    rows = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert {row["instrument_model"] for row in rows} == {"XYZ-2000"}


def test_ctrl_c_writes_what_there_is_and_the_same_command_goes_on(tmp_path: Path) -> None:
    write_photos(tmp_path / "photos", 30)
    log, out = tmp_path / "log", tmp_path / "t.jsonl"
    order = {"sources": [str(tmp_path / "photos")], "out": str(out), "workers": 1}
    line = [sys.executable, "-m", "tests.serve.batch_doubles", json.dumps(order)]
    with subprocess.Popen(line, cwd=REPOSITORY, env=environment(log, 0.2), stderr=subprocess.PIPE, text=True) as batch:
        deadline = time.monotonic() + 60
        while len(reads(log)) < 4 and time.monotonic() < deadline:
            time.sleep(0.05)
        batch.send_signal(signal.SIGINT)
        _, said = batch.communicate(timeout=60)
    assert "the same command goes on" in said
    done = len(out.read_text().splitlines())
    assert 3 <= done < 30
    log.unlink()
    assert run(log=log, **order).returncode == 0
    assert len(reads(log)) == 30 - done
    assert len(out.read_text().splitlines()) == 30


@pytest.mark.slow
@pytest.mark.skipif(not HAS_RAY, reason="ray is not installed")
def test_ray_gives_the_rows_of_the_pool_in_the_same_order(tmp_path: Path) -> None:
    write_photos(tmp_path / "photos", 30)
    (tmp_path / "photos" / "bad.jpg").write_bytes(b"no picture")
    (tmp_path / "photos" / "twin.png").write_bytes((tmp_path / "photos" / "0000.png").read_bytes())
    outs = {engine: tmp_path / f"{engine}.jsonl" for engine in ("local", "ray")}
    for engine, out in outs.items():
        done = run(log=tmp_path / engine, sleep_s=0.2, sources=[str(tmp_path / "photos")], out=str(out), workers=2, engine=engine)
        assert done.returncode == 1, done.stderr
        assert len(reads(tmp_path / engine)) == 31
    assert outs["ray"].read_bytes() == outs["local"].read_bytes()
    assert len({line.split("\t")[0] for line in (tmp_path / "ray").read_text().splitlines()}) == 2
