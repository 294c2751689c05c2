"""A batch from sources to rows: each photo once, what is no photo named, and killed processes cost nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from serve.batch.errors import BatchError
from serve.batch.journal import Journal
from serve.batch.pool import BatchSize, PoolEngine
from serve.batch.rows import Row
from serve.batch.run import Batch, Progress
from serve.batch.sources import find_photos
from serve.batch.stage import HereEngine, Stage, Task, one_by_one
from serve.commands.batching import journal_path
from tests.serve.batch_doubles import OPENER, REPOSITORY, double_reading, environment, reads, write_photos
from tests.serve.doubles import DoubleReader, abstained_dial, make_dial, picture_bytes
from vision.fields import PhotoReading, Weights

DOUBLE = Stage(opener=OPENER)


ReadOne = Callable[[Task], PhotoReading]


def run_here(folder: Path, journal: Path, read: ReadOne = double_reading) -> tuple[Progress, list[Row]]:
    """A batch in this process."""
    with Journal(journal, {}) as kept, HereEngine(one_by_one(read)) as engine:
        batch = Batch(find_photos([str(folder)]), kept)
        return batch.run(engine), list(batch.rows())


def command(**order: Any) -> list[str]:
    return [sys.executable, "-m", "tests.serve.batch_doubles", json.dumps(order)]


def kept_in(journal: Path) -> set[str]:
    """The photos that a journal knows."""
    with closing(sqlite3.connect(journal)) as db:
        return {os.fsdecode(path) for (path,) in db.execute("select path from photos")}


def rows_in(path: Path) -> list[Row]:
    return [Row.model_validate_json(line) for line in path.read_text().splitlines()]


# --- rows ----------------------------------------------------------------------------------------------------------


def test_every_photo_has_its_rows_in_order_and_a_reason_where_nothing_was_read(tmp_path: Path) -> None:
    paths = write_photos(tmp_path / "photos", 10)
    (tmp_path / "photos" / "0003.png").write_bytes(b"no picture")
    progress, rows = run_here(tmp_path / "photos", tmp_path / "j")
    assert [row.photo for row in rows] == [str(path) for path in paths]
    assert [row.status for row in rows] == ["read"] * 3 + ["error", "abstained"] + ["read"] * 4 + ["abstained"]
    assert (rows[0].value, rows[0].value_low, rows[0].value_high, rows[0].unit) == (50.0, 48.5, 51.5, "MPa")
    assert rows[3].reason is not None
    assert "not an image" in rows[3].reason
    assert rows[4].reason == "no instrument was found"
    assert all(row.value is None and row.value_confidence is None for row in rows if row.status != "read")
    assert (progress.total, progress.done, progress.read, progress.abstained, progress.errors) == (10, 10, 7, 2, 1)


def test_a_photo_of_several_instruments_has_a_row_for_each_and_a_reason_for_the_unread(tmp_path: Path) -> None:
    write_photos(tmp_path / "photos", 1)

    def read(task: Task) -> PhotoReading:
        reading = double_reading(task)
        return reading.model_copy(update={"instruments": (make_dial(60, 60), abstained_dial(60, 60))})

    _, rows = run_here(tmp_path / "photos", tmp_path / "j", read)
    assert [(row.instrument, row.status, row.value, row.reason) for row in rows] == [
        (1, "read", 50.0, None),
        (2, "abstained", None, "the needle is hidden"),
    ]


# --- duplicates, changes, resuming ---------------------------------------------------------------------------------


def test_the_same_bytes_are_read_once_and_have_a_row_each_that_names_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOUBLE_LOG", str(tmp_path / "log"))
    first, other = write_photos(tmp_path / "photos", 2)
    twin = tmp_path / "photos" / "9999.png"
    shutil.copy(first, twin)
    progress, rows = run_here(tmp_path / "photos", tmp_path / "j")
    assert reads(tmp_path / "log") == [str(first), str(other)]
    assert [(row.photo, row.duplicate_of, row.value) for row in rows][2] == (str(twin), str(first), 50.0)
    assert rows[0].sha256 == rows[2].sha256
    assert progress.duplicates == 1


def test_twins_that_wait_in_the_pool_are_read_once_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOUBLE_LOG", str(tmp_path / "log"))
    (first,) = write_photos(tmp_path / "photos", 1)
    for n in range(5):
        shutil.copy(first, tmp_path / "photos" / f"twin{n}.png")
    with Journal(tmp_path / "j", {}) as journal, PoolEngine(DOUBLE, 1) as engine:
        batch = Batch(find_photos([str(tmp_path / "photos")]), journal)
        batch.run(engine)
        assert [row.duplicate_of for row in batch.rows()] == [None] + [str(first)] * 5
    assert reads(tmp_path / "log") == [str(first)]


def test_a_photo_that_changes_before_it_is_read_leaves_its_twin_to_be_read_itself(tmp_path: Path) -> None:
    first, *_ = write_photos(tmp_path / "photos", 1)
    shutil.copy(first, tmp_path / "photos" / "twin.png")

    class Late(HereEngine):
        """Takes all tasks before it reads one, as processes do."""

        def read(self, tasks: Any, count: int) -> Any:
            yield from super().read(list(tasks), count)

    def read(task: Task) -> PhotoReading:
        if task.path == str(first):
            first.write_bytes(picture_bytes(color="white", mark=False))
        return double_reading(task)

    with Journal(tmp_path / "j", {}) as journal, Late(one_by_one(read)) as engine:
        batch = Batch(find_photos([str(tmp_path / "photos")]), journal)
        batch.run(engine)
        changed, twin = batch.rows()
    assert (changed.status, twin.status, twin.duplicate_of) == ("abstained", "read", None)
    assert changed.sha256 != twin.sha256


def test_a_second_run_reads_what_is_new_or_changed_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOUBLE_LOG", str(tmp_path / "log"))
    paths = write_photos(tmp_path / "photos", 4)
    run_here(tmp_path / "photos", tmp_path / "j")
    (tmp_path / "log").unlink()
    paths[1].write_bytes(picture_bytes(color="blue"))
    new = tmp_path / "photos" / "new.png"
    new.write_bytes(picture_bytes(color="green"))
    paths[3].unlink()
    progress, rows = run_here(tmp_path / "photos", tmp_path / "j")
    assert reads(tmp_path / "log") == [str(paths[1]), str(new)]
    assert [row.photo for row in rows] == [str(paths[0]), str(paths[1]), str(paths[2]), str(new)]
    assert (progress.earlier, progress.done) == (2, 4)


def test_what_failed_is_tried_again_by_the_next_run(tmp_path: Path) -> None:
    (path,) = write_photos(tmp_path / "photos", 1)

    def broken(task: Task) -> PhotoReading:
        return double_reading(task).model_copy(update={"status": "error", "reason": "a fault", "instruments": ()})

    assert run_here(tmp_path / "photos", tmp_path / "j", broken)[0].errors == 1
    progress, rows = run_here(tmp_path / "photos", tmp_path / "j")
    assert (progress.errors, progress.read, rows[0].photo, rows[0].value) == (0, 1, str(path), 50.0)


def test_a_photo_that_vanishes_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    paths = write_photos(tmp_path / "photos", 3)
    with Journal(tmp_path / "j", {}) as journal, HereEngine(one_by_one(double_reading)) as engine:
        batch = Batch(find_photos([str(tmp_path / "photos")]), journal)
        paths[1].unlink()
        batch.run(engine)
        assert [(row.status, row.reason) for row in batch.rows()][1] == ("error", "no such file")
        assert batch.progress.read == 2


def test_a_named_pipe_in_a_photos_place_holds_nothing_up(tmp_path: Path) -> None:
    paths = write_photos(tmp_path / "photos", 2)
    with Journal(tmp_path / "j", {}) as journal, HereEngine(one_by_one(double_reading)) as engine:
        batch = Batch(find_photos([str(tmp_path / "photos")]), journal)
        paths[0].unlink()
        os.mkfifo(paths[0])
        batch.run(engine)
        assert [row.status for row in batch.rows()] == ["error", "read"]


# --- the journal ---------------------------------------------------------------------------------------------------


def test_a_journal_has_one_writer(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", {}), pytest.raises(BatchError, match="another batch writes"):
        Journal(tmp_path / "j", {})
    Journal(tmp_path / "j", {}).close()


def test_a_journal_is_continued_with_the_same_wishes_and_weights_alone(tmp_path: Path) -> None:
    write_photos(tmp_path / "photos", 2)
    run_here(tmp_path / "photos", tmp_path / "j")
    with pytest.raises(BatchError, match=r"model None, now 'XYZ'.*--fresh"):
        Journal(tmp_path / "j", {"model": "XYZ"})

    def other(task: Task) -> PhotoReading:
        return double_reading(task).model_copy(update={"weights": Weights(name="other", version="2")})

    (tmp_path / "photos" / "new.png").write_bytes(picture_bytes(color="green"))
    with pytest.raises(BatchError, match=r"weights double 1, these are other 2"):
        run_here(tmp_path / "photos", tmp_path / "j", other)


def test_what_is_no_journal_is_refused_and_replaced_on_demand(tmp_path: Path) -> None:
    (tmp_path / "j").write_bytes(b"something else, and long enough to be looked at" * 30)
    with pytest.raises(BatchError, match="--fresh begins anew"):
        Journal(tmp_path / "j", {})
    Journal(tmp_path / "j", {}, fresh=True).close()


# --- worker processes ----------------------------------------------------------------------------------------------


def test_batches_follow_the_instruments_that_photos_hold_and_get_small_at_the_end() -> None:
    size = BatchSize(workers=2)
    assert [size.photos(left) for left in (1000, 8, 3, 0)] == [8, 2, 1, 1]
    crowded = PhotoReading(
        photo="p",
        sha256=None,
        status="read",
        instruments=(make_dial(9, 9),) * 8,
        weights=DoubleReader.weights,
    )
    for _ in range(60):
        size.see(crowded)
    assert size.photos(1000) == 1


def test_the_pool_reads_what_one_process_reads(tmp_path: Path) -> None:
    write_photos(tmp_path / "photos", 25)
    _, alone = run_here(tmp_path / "photos", tmp_path / "one")
    with Journal(tmp_path / "two", {}) as journal, PoolEngine(DOUBLE, 2) as engine:
        batch = Batch(find_photos([str(tmp_path / "photos")]), journal)
        batch.run(engine)
        assert list(batch.rows()) == alone


def test_a_photo_that_ends_its_worker_is_named_and_spares_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOUBLE_LOG", str(tmp_path / "log"))
    write_photos(tmp_path / "photos", 6)
    killer = tmp_path / "photos" / "0002killer.png"
    killer.write_bytes(picture_bytes(color="blue"))
    with Journal(tmp_path / "j", {}) as journal, PoolEngine(DOUBLE, 1) as engine:
        batch = Batch(find_photos([str(tmp_path / "photos")]), journal)
        batch.run(engine)
        rows = {Path(row.photo).name: row for row in batch.rows()}
    assert rows[killer.name].status == "error"
    assert "ended the worker process 3 times" in str(rows[killer.name].reason)
    assert [row.status for name, row in rows.items() if name != killer.name].count("read") == 5
    assert Counter(reads(tmp_path / "log"))[str(killer)] == 3


@pytest.mark.parametrize(
    ("opener", "told"), [("open_broken", "RuntimeError: no weights 'lost'"), ("open_dying", "workers end before they can read")]
)
def test_a_reader_that_cannot_be_loaded_ends_the_batch_with_the_reason(tmp_path: Path, opener: str, told: str) -> None:
    write_photos(tmp_path / "photos", 2)
    stage = Stage(opener=f"tests.serve.batch_doubles:{opener}", weights="lost")
    with Journal(tmp_path / "j", {}) as journal, PoolEngine(stage, 1) as engine:
        batch = Batch(find_photos([str(tmp_path / "photos")]), journal)
        with pytest.raises(BatchError, match=told):
            batch.run(engine)


def test_killed_workers_and_parents_lose_and_double_nothing(tmp_path: Path) -> None:
    paths, log, out = write_photos(tmp_path / "photos", 40), tmp_path / "log", tmp_path / "t.jsonl"
    order = command(sources=[str(tmp_path / "photos")], out=str(out), workers=2)
    rounds: list[tuple[set[str], int]] = []
    for wanted in (6, 14):
        with subprocess.Popen(
            order, cwd=REPOSITORY, env=environment(log, 0.05), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        ) as batch:
            deadline = time.monotonic() + 60
            while len(reads(log)) < wanted and time.monotonic() < deadline:
                time.sleep(0.02)
            os.kill(int(log.read_text().splitlines()[-1].split("\t")[0]), signal.SIGKILL)  # A worker,
            time.sleep(0.2)
            batch.send_signal(signal.SIGKILL)  # then the parent.
        rounds.append((kept_in(journal_path(out)), len(reads(log))))
    done = subprocess.run(
        order, cwd=REPOSITORY, env=environment(log, 0), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [row.photo for row in rows_in(out)] == [str(path) for path in paths]
    assert set(reads(log)) == {str(path) for path in paths}
    for kept, read_before in rounds:  # Whatever the parent still had to write down when it was killed: what it wrote stays.
        assert kept
        assert not kept & set(reads(log)[read_before:])
