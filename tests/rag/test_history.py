"""Earlier readings: kept once, in time order, under a key that never mixes two instruments."""

from __future__ import annotations

import sqlite3
import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from rag.history import History, HistoryError, Sighting, history_citation, instrument_keys, recall, record_photo
from tests.rag.builders import make_photo, make_reading

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def valued(value: float = 5.0, unit: str | None = "bar", **more: Any) -> Any:
    own = {"value": value, "value_low": value - 0.1, "value_high": value + 0.1, "value_source": "numerals", "unit": unit}
    return make_reading(**{"model": "T-1", **own, **more})


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "deep" / "history.sqlite")


def test_the_last_readings_come_oldest_first(history: History) -> None:
    for hour in (3, 1, 2, 0):
        assert history.record("a", NOON + timedelta(hours=hour), valued(float(hour)), f"r{hour}")
    found = history.last("a", NOON + timedelta(hours=3), 2)
    assert [one.value for one in found] == [1.0, 2.0]
    assert found[0] == (NOON + timedelta(hours=1), 1.0, 0.9, 1.1, "bar")
    assert history.last("b", NOON + timedelta(days=1)) == ()


def test_one_request_is_kept_once(history: History) -> None:
    for _ in range(3):
        history.record("a", NOON, valued(), "same")
    assert len(history.last("a", NOON + timedelta(days=1))) == 1


def test_a_reading_without_a_value_is_not_kept(history: History) -> None:
    assert not history.record("a", NOON, make_reading(pointer_angle=3.0), "r")
    assert not history.record("a", NOON, make_reading(status="abstained", reason="glare"), "r")
    assert history.last("a", NOON + timedelta(days=1)) == ()


def test_time_zones_are_one_time(history: History) -> None:
    east = timezone(timedelta(hours=8))
    history.record("a", datetime(2026, 5, 1, 20, tzinfo=east), valued(), "r")
    (found,) = history.last("a", datetime(2026, 5, 1, 12, 0, 1))
    assert found.taken_at == NOON
    assert history.last("a", NOON) == ()


def test_several_threads_may_write(history: History) -> None:
    def write(start: int) -> None:
        for n in range(start, start + 10):
            history.record("a", NOON + timedelta(seconds=n), valued(), f"r{n}")

    threads = [threading.Thread(target=write, args=(start,)) for start in (0, 10, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(history.last("a", NOON + timedelta(days=1), 100)) == 30


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite"
    path.write_text("not a database, and long enough to be looked at " * 30)
    for act in (lambda: History(path).last("a", NOON), lambda: History(path).record("a", NOON, valued(), "r")):
        with pytest.raises(HistoryError, match=r"history\.sqlite cannot be used"):
            act()


def test_a_table_of_another_shape_is_named(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE readings (x)")
    db.close()
    with pytest.raises(HistoryError, match="move the file away"):
        History(path).last("a", NOON)


def test_keys_name_place_kind_and_model() -> None:
    photo = make_photo(valued(), make_reading("lamp", "XYZ 2000", warning_light_color="red"), make_reading("digital", None))
    assert instrument_keys(photo, "pump-a") == ("pump-a/dial/t1", "pump-a/lamp/xyz2000", "pump-a/digital/")


def test_two_of_one_model_are_not_told_apart() -> None:
    photo = make_photo(valued(), valued(model="t-1"), make_reading("lamp", "T-1", warning_light_color="red"))
    assert instrument_keys(photo, "hall") == (None, None, "hall/lamp/t1")


def test_nothing_is_recalled_without_a_place(history: History) -> None:
    photo = make_photo(valued())
    assert recall(history, None, photo) == (None,)
    assert recall(None, Sighting("hall", NOON), photo) == (None,)


def test_what_was_recorded_is_recalled_the_next_time(history: History) -> None:
    photo = make_photo(valued(), valued(model="T-2"))
    assert record_photo(history, Sighting("hall", NOON), photo, "r1") == 2
    later = Sighting("hall", NOON + timedelta(hours=1))
    assert [len(past.readings) if past else None for past in recall(history, later, photo)] == [1, 1]
    assert [len(past.readings) if past else None for past in recall(history, Sighting("yard", NOON), photo)] == [0, 0]
    assert [len(past.readings) if past else None for past in recall(history, Sighting("hall", NOON), photo)] == [0, 0]


def test_the_citation_names_the_instrument() -> None:
    assert history_citation(2) == "history#2"
