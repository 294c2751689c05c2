"""Traces are kept within limits and under any trouble; what cannot be kept or read costs one line, never a report."""

from __future__ import annotations

import logging
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from rag.errors import TraceError
from rag.trace import LOGGER, NO_REQUEST, RequestFilter, Stage, Trace, check_request_id, request_context
from rag.trace_store import FILE, Retention, TraceStore

HOSTILE = ("", " ", "a b", "a'; DROP TABLE requests; --", "../../etc/passwd", "x" * 81, "é", "a\n", "%", "a\x00b", "\ud800")


def trace(request_id: str = "r-1", text: str = "x") -> Trace:
    reading = Stage(name="reading", inputs={"options": {}}, outputs={"photo": "a.jpg", "sha256": "0" * 64})
    report = Stage(name="report", outputs={"markdown": text, "numbers": [1.5, None, True]})
    return Trace(request_id=request_id, language="en", writer="template", knowledge_version="v", stages=(reading, report))


def test_a_trace_comes_back_as_it_was(tmp_path: Path) -> None:
    store = TraceStore(tmp_path / "home")
    made = trace(text="压力 “x” \u0001 \U0001f600")
    assert store.record(made)
    assert store.load("r-1") == made


def test_the_file_can_be_read_with_sql_alone(tmp_path: Path) -> None:
    TraceStore(tmp_path).record(trace())
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        assert db.execute("SELECT request_id, photo, sha256 FROM requests").fetchall() == [("r-1", "a.jpg", "0" * 64)]
        rows = db.execute("SELECT position, name FROM stages ORDER BY position").fetchall()
        assert rows == [(0, "reading"), (1, "report")]
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_of_an_id_used_twice_the_newest_counts_and_the_older_one_stays(tmp_path: Path) -> None:
    store = TraceStore(tmp_path)
    for text in ("first", "second"):
        store.record(trace(text=text))
    assert store.load("r-1").stages[1].outputs["markdown"] == "second"
    assert len(store.newest()) == 2


def test_the_newest_are_kept(tmp_path: Path) -> None:
    store = TraceStore(tmp_path, Retention(requests=3))
    for number in range(7):
        store.record(trace(f"r-{number}"))
    assert [one.request_id for one in store.newest()] == ["r-6", "r-5", "r-4"]
    with pytest.raises(TraceError, match=r"no request r-3 .*newest 3 of the last 30 days"):
        store.load("r-3")
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        assert db.execute("SELECT COUNT(*) FROM stages").fetchone() == (6,)


def test_old_ones_are_dropped(tmp_path: Path) -> None:
    store = TraceStore(tmp_path, Retention(days=1))
    store.record(trace("old"))
    with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
        db.execute("UPDATE requests SET at = ?", (time.time() - 2 * 86400,))
    store.record(trace("new"))
    assert [one.request_id for one in store.newest()] == ["new"]


def test_none_are_kept_where_none_are_wanted(tmp_path: Path) -> None:
    store = TraceStore(tmp_path / "home", Retention(requests=0))
    assert not store.record(trace())
    assert not (tmp_path / "home").exists()


def test_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(lambda n: TraceStore(tmp_path, Retention(wait_s=30)).record(trace(f"r-{n}")), range(40)))
    assert all(kept)
    assert {one.request_id for one in TraceStore(tmp_path).newest(100)} == {f"r-{n}" for n in range(40)}


def test_a_locked_file_costs_the_trace_alone_and_not_much_time(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = TraceStore(tmp_path, Retention(wait_s=0.1))
    store.record(trace("before"))
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        started = time.monotonic()
        with caplog.at_level(logging.WARNING):
            assert not store.record(trace("during"))
        assert time.monotonic() - started < 5
    assert "not kept" in caplog.text
    assert "locked" in caplog.text
    assert store.record(trace("after"))


def test_a_full_disk_costs_the_trace_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = TraceStore(tmp_path)
    store.record(trace("before"))

    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(TraceStore, "_insert", fail)
    with caplog.at_level(logging.WARNING):
        assert not store.record(trace("full"))
    assert "disk is full" in caplog.text
    assert [one.request_id for one in store.newest()] == ["before"]


def test_a_home_that_is_a_file_costs_the_trace_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "home").write_text("x")
    assert not TraceStore(tmp_path / "home").record(trace())
    assert "not kept" in caplog.text


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough to be taken for one" * 40, b"SQLite format 3\x00" + b"\xff" * 200]
)
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    store = TraceStore(tmp_path)
    assert not store.record(trace())
    for ask in (lambda: store.load("r-1"), store.newest):
        with pytest.raises(TraceError, match=r"traces\.sqlite cannot be read .*remove it"):
            ask()


@pytest.mark.parametrize("column", ["head", "outputs"])
def test_damaged_rows_are_named(tmp_path: Path, column: str) -> None:
    store = TraceStore(tmp_path)
    store.record(trace())
    table = "requests" if column == "head" else "stages"
    for broken in ("{", "[]", '{"request_id": 5}'):
        with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
            db.execute(f"UPDATE {table} SET {column} = ?", (broken,))
        if broken == '{"request_id": 5}' and column == "outputs":
            continue
        with pytest.raises(TraceError):
            store.load("r-1")


def test_a_file_of_another_version_is_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute("PRAGMA user_version = 99")
    store = TraceStore(tmp_path)
    assert not store.record(trace())
    with pytest.raises(TraceError, match="layout 99"):
        store.load("r-1")


def test_nothing_inspected_yet(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="nothing was inspected"):
        TraceStore(tmp_path).load("r-1")
    with pytest.raises(TraceError, match="GAUGE_HOME"):
        TraceStore(tmp_path).newest()


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_ids_are_refused_in_one_short_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(TraceError) as error:
        TraceStore(tmp_path).load(text)
    assert "is no request id" in str(error.value)
    assert len(str(error.value)) < 160
    assert "\n" not in str(error.value)


def test_ids_that_are_given_out_are_taken_back() -> None:
    for text in ("r-1", "a" * 32, "client.7_b-2"):
        assert check_request_id(text) == text


def test_every_line_of_a_request_carries_its_id_whichever_logger_wrote_it() -> None:
    records: list[logging.LogRecord] = []

    class Keeper(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    keeper = Keeper()
    keeper.addFilter(RequestFilter())
    root = logging.getLogger()
    root.addHandler(keeper)
    try:
        with request_context("r-7"):
            LOGGER.warning("of the room")
            logging.getLogger("some.library").warning("of a library")
            with request_context("r-8"):
                LOGGER.warning("inner")
        LOGGER.warning("outside")
    finally:
        root.removeHandler(keeper)
    ids = [record.__dict__["request_id"] for record in records]
    assert ids == ["r-7", "r-7", "r-8", NO_REQUEST]
    form = logging.Formatter("%(levelname)s%(request)s: %(message)s")
    assert form.format(records[0]) == "WARNING [r-7]: of the room"
    assert form.format(records[-1]) == "WARNING: outside"


def test_requests_in_threads_do_not_mix() -> None:
    seen: dict[str, str] = {}
    record = logging.LogRecord("x", logging.INFO, "x", 1, "x", None, None)

    def work(request_id: str) -> None:
        with request_context(request_id):
            time.sleep(0.01)
            own = logging.makeLogRecord(record.__dict__)
            RequestFilter().filter(own)
            seen[request_id] = own.__dict__["request_id"]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, (f"r-{n}" for n in range(24))))
    assert all(key == value for key, value in seen.items())
    assert len(seen) == 24
