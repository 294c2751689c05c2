"""Earlier readings of an instrument, kept in SQLite, so that a value can be held against what it was.

Which instrument a photo shows is known only where somebody says so: a `Sighting` names the place (a camera, a gauge's
tag). Without it nothing is kept and nothing compared: two gauges of one model must not be mixed up.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from knowledge.lexical import model_key
from rag.errors import RagError
from vision.fields import InstrumentReading, PhotoReading

KEPT_FOR_TREND = 20
"""Readings that a trend looks back on."""
_TABLE = (
    "CREATE TABLE IF NOT EXISTS readings (instrument TEXT NOT NULL, taken_at TEXT NOT NULL, request_id TEXT NOT NULL,"
    " value REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL, unit TEXT,"
    " PRIMARY KEY (instrument, taken_at, request_id)) WITHOUT ROWID"
)


class HistoryError(RagError):
    """A history that cannot be opened, read or written; the message names the file."""


class Sighting(NamedTuple):
    """Where and when a photo was taken. `place` names the instrument or the camera that always shows the same ones."""

    place: str
    taken_at: datetime


class PastReading(NamedTuple):
    """One earlier reading. `taken_at` is in UTC."""

    taken_at: datetime
    value: float
    low: float
    high: float
    unit: str | None


class Past(NamedTuple):
    """When the present photo was taken, and the earlier readings of one instrument, the oldest first."""

    taken_at: datetime
    readings: tuple[PastReading, ...]


class History:
    """Readings by instrument. Safe to share between threads; several processes may write to one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def record(self, instrument: str, taken_at: datetime, reading: InstrumentReading, request_id: str) -> bool:
        """Keep a reading's value under the instrument's key; False where it has none. Twice the same request keeps one."""
        if reading.value is None or reading.value_low is None or reading.value_high is None:
            return False
        row = (instrument, _stamp(taken_at), request_id, reading.value, reading.value_low, reading.value_high, reading.unit)
        with self._lock, closing(self._open()) as db, _named(self.path), db:
            db.execute("INSERT OR REPLACE INTO readings VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        return True

    def last(self, instrument: str, before: datetime, count: int = KEPT_FOR_TREND) -> tuple[PastReading, ...]:
        """The last `count` readings taken before a moment, the oldest first."""
        query = (
            "SELECT taken_at, value, low, high, unit FROM readings WHERE instrument = ? AND taken_at < ?"
            " ORDER BY taken_at DESC, request_id DESC LIMIT ?"
        )
        with self._lock, closing(self._open()) as db, _named(self.path):
            rows = db.execute(query, (instrument, _stamp(before), count)).fetchall()
        return tuple(PastReading(datetime.fromisoformat(at), value, low, high, unit) for at, value, low, high, unit in rows[::-1])

    def _open(self) -> sqlite3.Connection:
        with _named(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self.path, timeout=30)
            try:
                db.execute(_TABLE)
            except sqlite3.Error:
                db.close()
                raise
            return db


class _named:
    """What fails inside is a HistoryError that names the file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.Error | OSError):
            raise HistoryError(f"the history {self._path} cannot be used: {error}; move the file away to start afresh") from error


def _stamp(moment: datetime) -> str:
    """A moment in UTC, to the microsecond, so that text order is time order. A moment without a zone is taken as UTC."""
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="microseconds")


def history_citation(instrument: int) -> str:
    """How a sentence cites the earlier readings of an instrument: `history#1` for the first."""
    return f"history#{instrument}"


def instrument_keys(photo: PhotoReading, place: str) -> tuple[str | None, ...]:
    """A key for each instrument of a photo taken at a place, from its kind and model.

    None for all instruments of one kind and model where the photo shows several: which is which is not known.
    """
    names = [f"{place}/{one.kind}/{model_key(one.instrument_model or '')}" for one in photo.instruments]
    return tuple(name if names.count(name) == 1 else None for name in names)


def recall(history: History | None, sighting: Sighting | None, photo: PhotoReading) -> tuple[Past | None, ...]:
    """What is known of each instrument from before. None where nobody says which instrument it is. Raises HistoryError."""
    if history is None or sighting is None:
        return (None,) * len(photo.instruments)
    keys = instrument_keys(photo, sighting.place)
    return tuple(Past(sighting.taken_at, history.last(key, sighting.taken_at)) if key is not None else None for key in keys)


def record_photo(history: History, sighting: Sighting, photo: PhotoReading, request_id: str) -> int:
    """Keep every value of a photo after the manuals were asked; how many were kept. Raises HistoryError."""
    keys = instrument_keys(photo, sighting.place)
    return sum(
        1
        for key, reading in zip(keys, photo.instruments, strict=True)
        if key is not None and history.record(key, sighting.taken_at, reading, request_id)
    )
