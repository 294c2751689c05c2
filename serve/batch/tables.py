"""The table as a file: Parquet, CSV or JSON lines by its ending, replaced as a whole so that what is there can be read."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from serve.batch.errors import BatchError
from serve.batch.rows import Row

COLUMNS = tuple(Row.model_fields)
CHUNK_ROWS = 5000
_INTEGERS, _FLAGS = ("instrument",), ("adapted",)
_FOREIGN, _FORMULA = ("photo", "duplicate_of", "reason", "instrument_model"), ("=", "+", "-", "@", "\t", "\r")
_NUMBERS = ("value", "value_low", "value_high", "value_confidence", "box_left", "box_top", "box_right", "box_bottom")


def check_output(path: Path) -> None:
    """Raises BatchError where a table cannot be written to `path`, before anything is read."""
    if path.suffix.lower() not in WRITERS:
        raise BatchError(f"{path}: a table ends in {', '.join(WRITERS)}")
    if path.is_dir():
        raise BatchError(f"{path} is a folder: name a file in it")
    path.parent.mkdir(parents=True, exist_ok=True)


def write_table(path: Path, rows: Iterable[Row]) -> int:
    """Write rows to `path` and say how many. Whoever opens it sees the old table or the new one, whole. Raises OSError."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        count = WRITERS[path.suffix.lower()](part, rows)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return count


def _write_parquet(path: Path, rows: Iterable[Row]) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {**dict.fromkeys(_INTEGERS, pa.int32()), **dict.fromkeys(_FLAGS, pa.bool_()), **dict.fromkeys(_NUMBERS, pa.float64())}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])
    count = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for chunk in _chunks(rows):
            writer.write_table(pa.Table.from_pylist(chunk, schema=schema))
            count += len(chunk)
    return count


def _write_csv(path: Path, rows: Iterable[Row]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for chunk in _chunks(rows):
            writer.writerows({name: _cell(name, value) for name, value in row.items()} for row in chunk)
            count += len(chunk)
    return count


def _write_jsonl(path: Path, rows: Iterable[Row]) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(row.model_dump_json() + "\n")
            count += 1
    return count


def _cell(name: str, value: Any) -> Any:
    """A cell that a spreadsheet takes for text: names and plates come from outside and may begin like a formula."""
    return f"'{value}" if name in _FOREIGN and isinstance(value, str) and value.startswith(_FORMULA) else value


def _chunks(rows: Iterable[Row]) -> Iterator[list[dict[str, Any]]]:
    waiting = iter(rows)
    while chunk := [row.model_dump() for row in islice(waiting, CHUNK_ROWS)]:
        yield chunk


WRITERS: dict[str, Callable[[Path, Iterable[Row]], int]] = {
    ".parquet": _write_parquet,
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
}
