"""Disks that fill up under a batch and folders that change while it reads: nothing twice, nothing lost, the rest is done."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from serve.batch import stage
from serve.batch.journal import Journal
from serve.batch.rows import Row
from serve.batch.run import Batch
from serve.batch.sources import find_photos
from serve.batch.stage import HereEngine, Task, one_by_one
from serve.commands import batching
from tests.serve.batch_doubles import double_reading, open_double, reads, write_photos
from tests.serve.conftest import Gauge
from tests.serve.doubles import picture_bytes
from tests.serve.test_faults_disk import disk
from vision.fields import PhotoReading

PHOTOS = 120


def test_a_full_disk_ends_the_batch_in_a_line_and_with_room_the_same_command_goes_on(
    gauge: Gauge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batching, "_engine", lambda _, wanted: stage.HereEngine(open_double(wanted)))
    monkeypatch.setenv("DOUBLE_LOG", str(tmp_path / "log"))
    paths = [str(path) for path in write_photos(tmp_path / "photos", PHOTOS)]
    with disk(tmp_path / "disk", "-t", "tmpfs", "-o", "size=400k", "tmpfs") as small:
        out = small / "t.jsonl"
        answer = gauge("batch", tmp_path / "photos", "--out", out)
        assert answer.code == 1
        assert f"gauge: {out}.journal: " in answer.err
        assert "full" in answer.err
        assert "Traceback" not in answer.err
        first = reads(tmp_path / "log")
        assert 0 < len(first) < PHOTOS
        assert not out.exists()  # Never half a table.
        subprocess.run([str(shutil.which("mount")), "-o", "remount,size=32m", str(small)], check=True)
        answer = gauge("batch", tmp_path / "photos", "--out", out)
        assert answer.code == 0, answer.err
        rows = [Row.model_validate_json(line) for line in out.read_text().splitlines()]
    assert [row.photo for row in rows] == paths
    counts = Counter(reads(tmp_path / "log"))
    assert set(counts) == set(paths)
    assert [path for path, times in counts.items() if times > 1] == first[-1:]  # What was read when the disk was full.


def test_a_disk_that_is_full_for_the_table_alone_costs_no_reading(
    gauge: Gauge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batching, "_engine", lambda _, wanted: stage.HereEngine(open_double(wanted)))
    monkeypatch.setenv("DOUBLE_LOG", str(tmp_path / "log"))
    write_photos(tmp_path / "photos", 5)
    out = tmp_path / "t.jsonl"

    def full(path: Path, rows: object) -> int:
        raise OSError(28, "No space left on device", str(path))

    with monkeypatch.context() as patch:
        patch.setattr("serve.batch.run.write_table", full)
        answer = gauge("batch", tmp_path / "photos", "--out", out)
    assert (answer.code, answer.err.splitlines()[-1]) == (1, f"gauge: {out}: No space left on device")
    assert gauge("batch", tmp_path / "photos", "--out", out).code == 0
    assert len(reads(tmp_path / "log")) == len(out.read_text().splitlines()) == 5


def test_a_folder_that_changes_while_it_is_read_gives_each_photo_that_was_found_its_row(tmp_path: Path) -> None:
    paths = write_photos(tmp_path / "photos", 12)

    def read(task: Task) -> PhotoReading:
        reading = double_reading(task)
        if task.path == str(paths[2]):
            paths[5].unlink()  # One goes,
            paths[6].write_bytes(picture_bytes(color="green"))  # one becomes another,
            paths[7].rename(paths[7].with_name("moved.png"))  # one is renamed,
            (tmp_path / "photos" / "new.png").write_bytes(picture_bytes(color="blue"))  # one comes,
            paths[8].unlink()
            paths[8].mkdir()  # and one makes room for a folder.
        return reading

    with Journal(tmp_path / "j", {}) as kept, HereEngine(one_by_one(read)) as engine:
        batch = Batch(find_photos([str(tmp_path / "photos")]), kept)
        batch.run(engine)
        rows = list(batch.rows())
    assert [row.photo for row in rows] == [str(path) for path in paths]
    assert {row.photo: row.reason for row in rows if row.status == "error"}.keys() == {str(paths[n]) for n in (5, 7, 8)}
