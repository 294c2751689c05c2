"""Photos that a reader looks at together: in a service and in worker processes each still ends as its own one reading."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from serve.batch.journal import Journal
from serve.batch.pool import PoolEngine
from serve.batch.run import Batch
from serve.batch.sources import find_photos
from serve.batch.stage import Read, Stage, Task, one_by_one
from serve.service import Service
from tests.serve.batch_doubles import note, reads, write_photos
from tests.serve.doubles import DoubleReader, picture_bytes
from vision.fields import PhotoReading


class GroupReader(DoubleReader):
    """Looks at three photos together, as a reader on a GPU does."""

    together = 3


@pytest.fixture
def grouped(service: Service) -> tuple[Service, GroupReader]:
    reader = GroupReader()
    return Service(service.settings, reader=reader, knowledge=service.knowledge), reader


def test_a_service_hands_its_reader_as_many_photos_as_it_looks_at_together(grouped: tuple[Service, GroupReader]) -> None:
    service, reader = grouped
    names = [f"{n}.png" for n in range(7)]
    readings = list(service.read_photos([picture_bytes()] * 7, names=names, model="XYZ-2000"))
    assert [one.photo for one in readings] == names
    assert [len(asked["names"]) for asked in reader.asked] == [3, 3, 1]
    assert {one.instruments[0].value_source for one in readings} == {"calibration_formula"}


def test_a_fault_that_ends_a_group_leaves_the_rest_to_be_read_alone(grouped: tuple[Service, GroupReader]) -> None:
    service, reader = grouped
    reader.broken_on = "b"
    readings = list(service.read_photos([picture_bytes()] * 4, names=["a", "b", "c", "d"]))
    assert [one.photo for one in readings] == ["a", "b", "c", "d"]
    assert [one.status for one in readings] == ["read", "error", "read", "read"]
    assert [list(asked["names"]) for asked in reader.asked] == [["a", "b", "c"], ["b"], ["c"], ["d"]]


def test_others_get_the_reader_between_two_photos_of_a_group(grouped: tuple[Service, GroupReader]) -> None:
    service, _ = grouped
    readings = service.read_photos([picture_bytes()] * 3, names=["a", "b", "c"])
    next(readings)
    assert next(service.read_photos([picture_bytes()], names=["other"])).photo == "other"
    assert [one.photo for one in readings] == ["b", "c"]


def open_group_double(stage: Stage) -> Read:
    """A worker that looks at all photos of its batch before it reads one; looking at a `killer` ends it."""
    reader = DoubleReader()

    def look(tasks: Iterable[Task]) -> None:
        for task in tasks:
            note(task.path)
            if "killer" in task.name:
                os.kill(os.getpid(), signal.SIGKILL)

    def read(tasks: Sequence[Task]) -> Iterator[PhotoReading]:
        look(tasks)
        return reader.read_photos([Path(task.path) for task in tasks], names=[task.name for task in tasks])

    return read


def test_a_group_that_ends_its_worker_is_read_photo_by_photo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOUBLE_LOG", str(tmp_path / "log"))
    paths = write_photos(tmp_path / "photos", 20)
    killer = tmp_path / "photos" / "0003killer.png"
    killer.write_bytes(picture_bytes(color="blue"))
    stage = Stage(opener="tests.serve.test_batch_groups:open_group_double")
    with Journal(tmp_path / "j", {}) as journal, PoolEngine(stage, 1) as engine:
        batch = Batch(find_photos([str(tmp_path / "photos")]), journal)
        batch.run(engine)
        rows = list(batch.rows())
    assert [row.photo for row in rows] == sorted([*map(str, paths), str(killer)])
    assert [row.photo for row in rows if row.status == "error"] == [str(killer)]
    counts = Counter(reads(tmp_path / "log"))
    assert counts[str(killer)] == 4  # Once among others, then alone until it is given up.
    assert max(counts[str(path)] for path in paths) <= 2


def open_once(stage: Stage) -> Read:
    """A reader that only the first worker can load: the memory is full then."""
    lock = Path(os.environ["DOUBLE_LOG"] + ".lock")
    try:
        lock.touch(exist_ok=False)
    except FileExistsError:
        os._exit(9)
    reader = DoubleReader()
    return one_by_one(lambda task: reader.read_one(Path(task.path), task.name, None))


def test_workers_that_cannot_start_leave_the_batch_to_those_that_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("DOUBLE_LOG", str(tmp_path / "log"))
    write_photos(tmp_path / "photos", 4)
    with PoolEngine(Stage(opener="tests.serve.test_batch_groups:open_once"), 2) as engine:
        engine.start()
        assert len(engine.pids) == 1
        tasks = [Task(n, one.path, one.name) for n, one in enumerate(find_photos([str(tmp_path / "photos")]).photos)]
        assert sorted(done.number for done in engine.read(iter(tasks), 4)) == [0, 1, 2, 3]
    assert "is there memory for --workers 2? 1 of them go on" in caplog.text
