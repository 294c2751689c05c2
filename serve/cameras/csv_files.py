"""Events as CSV, a file a camera. The file itself says how far it came: a killed process leaves no gap and no line twice."""

from __future__ import annotations

import csv
import io
import os
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from serve.cameras.errors import OutputError
from serve.cameras.events import CameraEvent
from serve.cameras.kept import KeptEvents, Numbered

COLUMNS = (
    "seq", "time", "status", "value", "low", "high", "unit", "raw", "raw_low", "raw_high", "confidence", "total", "color",
    "alarms", "changes", "reason", "source", "id",
)  # fmt: skip
HEADING = (",".join(COLUMNS) + "\n").encode()
_TAIL_BYTES = 65536
_FORMULA = ("=", "+", "-", "@", "\t")


class CsvFolder:
    """The CSV files of some cameras below a folder, brought up to what is kept by `catch_up`."""

    def __init__(self, folder: Path, kept: KeptEvents, cameras: Sequence[str]) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{folder}: {error.strerror or error}; CSV files cannot be written there") from error
        self._folder = folder
        self._kept = kept
        self._cameras = cameras
        self._lock = threading.Lock()

    def catch_up(self) -> int:
        """Write what is kept and not in the files; how many lines. Raises OutputError, StoreError."""
        with self._lock:
            return sum(self._catch_up(camera) for camera in self._cameras)

    def _catch_up(self, camera: str) -> int:
        path, count = self._folder / f"{camera}.csv", 0
        try:
            with path.open("a+b") as file:
                last = _repair(file)
                while events := self._kept.after(camera, last):
                    file.write(csv_lines(events))
                    file.flush()
                    os.fsync(file.fileno())
                    last, count = events[-1].seq, count + len(events)
        except OSError as error:
            raise OutputError(f"{path}: {error.strerror or error}; it goes on when that is mended") from error
        return count


def _repair(file: io.BufferedRandom) -> int:
    """Cut off a line that was broken off in the middle; the number of the last whole event. A new file gets its heading."""
    size = file.seek(0, os.SEEK_END)
    start = max(0, size - _TAIL_BYTES)
    file.seek(start)
    tail = file.read()
    end = tail.rfind(b"\n") + 1
    if end < len(tail):
        file.truncate(start + end)
        tail = tail[:end]
    lines = tail.splitlines()
    if not lines:
        file.write(HEADING)
        return 0
    number = lines[-1].split(b",", 1)[0]
    if number == b"seq":
        return 0
    if not number.isdigit():
        raise OutputError(f"{file.name}: its last line is none of these; move the file away")
    return int(number)


def csv_lines(events: Sequence[Numbered]) -> bytes:
    """Events as lines of CSV in UTF-8, in the order of `COLUMNS`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for seq, event in events:
        writer.writerow([seq, *_cells(event)])
    return out.getvalue().encode()


def _cells(event: CameraEvent) -> list[object]:
    numbers = (event.raw, event.raw_low, event.raw_high, event.confidence, event.total)
    return [
        datetime.fromtimestamp(event.at, UTC).isoformat(timespec="milliseconds"),
        event.status,
        *(_number(one) for one in (event.value, event.low, event.high)),
        event.unit or "",
        *(_number(one) for one in numbers),
        event.color or "",
        " ".join(name for name, on in event.alarms.items() if on),
        " ".join(f"{change.name}:{change.to}" for change in event.changes),
        _text(event.reason),
        _text(event.source),
        event.id,
    ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.9g}"


def _text(value: str | None) -> str:
    """Text in one line that a spreadsheet does not take for a formula: a file's name comes from outside."""
    line = " ".join((value or "").split())
    return f"'{line}" if line.startswith(_FORMULA) else line
