"""Tables that are whole at any time and the same in every format, and the summary that shows what to look at."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from serve.batch.errors import BatchError
from serve.batch.rows import Outcome, Row, rows_of
from serve.batch.run import Progress
from serve.batch.sources import Skipped
from serve.batch.stage import Task
from serve.batch.summary import WORST, Heading, doubt, render_summary, tally
from serve.batch.tables import COLUMNS, check_output, write_table
from tests.serve.batch_doubles import double_reading
from tests.serve.doubles import WEIGHTS, abstained_dial, make_dial, picture_bytes
from vision.fields import InstrumentReading, PhotoReading


def outcome(name: str, *instruments: InstrumentReading, path: str = "gone", twin: str | None = None) -> Outcome:
    read = any(one.status == "read" for one in instruments)
    reading = PhotoReading(
        photo=name,
        sha256="0" * 64,
        status="read" if read else "abstained",
        reason=None if read else "no instrument was found",
        instruments=instruments,
        weights=WEIGHTS,
    )
    return Outcome(name, path, reading.sha256, twin, reading)


def some_rows() -> list[Row]:
    outcomes = [
        outcome("=cmd|1.jpg", make_dial(60, 60, "XYZ-2000"), abstained_dial(60, 60)),
        outcome("压力表.jpg"),
        Outcome("gone.jpg", "gone.jpg", None, None, None, "no such file"),
    ]
    return [row for one in outcomes for row in rows_of(one)]


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_a_table_holds_the_rows_whatever_its_format(tmp_path: Path, ending: str) -> None:
    path, rows = tmp_path / f"t.{ending}", some_rows()
    assert write_table(path, rows) == 4
    if ending == "parquet":
        found = [Row.model_validate(row) for row in pq.read_table(path).to_pylist()]
    elif ending == "jsonl":
        found = [Row.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines()]
    else:
        with path.open(encoding="utf-8", newline="") as file:
            cells = list(csv.DictReader(file))
        assert cells[0]["photo"] == "'=cmd|1.jpg"  # No spreadsheet may take a name for a formula.
        found = [Row.model_validate({name: text or None for name, text in row.items()}) for row in cells]
        found[0:2] = [row.model_copy(update={"photo": row.photo.removeprefix("'")}) for row in found[0:2]]
    assert found == rows


def test_an_empty_table_has_its_columns(tmp_path: Path) -> None:
    for ending in ("parquet", "csv"):
        assert write_table(tmp_path / f"t.{ending}", []) == 0
    assert tuple(pq.read_table(tmp_path / "t.parquet").column_names) == COLUMNS
    assert (tmp_path / "t.csv").read_text().strip() == ",".join(COLUMNS)


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_a_writing_that_breaks_off_leaves_the_table_before(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    write_table(path, some_rows())
    before = path.read_bytes()

    def breaking() -> object:
        yield some_rows()[0]
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_table(path, breaking())  # type: ignore[arg-type]
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_an_output_is_checked_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(BatchError, match=r"ends in .parquet, .csv, .jsonl"):
        check_output(tmp_path / "t.xlsx")
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(BatchError, match="is a folder"):
        check_output(tmp_path / "d.csv")
    check_output(tmp_path / "new" / "t.CSV")
    assert (tmp_path / "new").is_dir()


def test_a_tally_counts_reasons_of_photos_and_of_instruments_and_models() -> None:
    found = tally(
        [
            outcome("a", make_dial(60, 60, "XYZ-2000"), abstained_dial(60, 60)),
            outcome("b", make_dial(60, 60, "XYZ-2000")),
            outcome("c"),
            Outcome("d", "d", None, None, None, "no such file"),
        ]
    )
    assert sorted(found.reasons.values()) == [1, 1, 1]
    assert {name: (count.instruments, count.read) for name, count in found.models.items()} == {"XYZ-2000": (2, 2), "": (1, 0)}
    assert found.errors == [("d", "no such file")]


def test_reasons_that_differ_in_numbers_alone_are_one() -> None:
    told = "the instrument is too small in the photo to be read ({n} x {n} pixels); move closer"
    small = [abstained_dial(60, 60).model_copy(update={"reason": told.format(n=n)}) for n in (9, 12)]
    odd = abstained_dial(60, 60).model_copy(update={"reason": "a reason that nobody knows"})
    found = tally([outcome("a", *small), outcome("b", odd)])
    assert sorted(found.reasons.values()) == [1, 2]
    assert set(found.examples.values()) == {told.format(n=9), "a reason that nobody knows"}


def test_the_worst_are_the_unread_then_the_least_sure_and_each_photo_once() -> None:
    many = [outcome(f"p{n:03d}", make_dial(60, 60, value_confidence=1 - n / 1000)) for n in range(100)]
    found = tally([*many, outcome("unread"), outcome("twin", path="x", twin="unread")])
    shown = [one.name for _, _, one in sorted(found.worst, key=lambda one: (-one[0], -one[1]))]
    assert shown == ["unread", *(f"p{n:03d}" for n in range(99, 100 - WORST, -1))]
    assert doubt(outcome("x", make_dial(60, 60, value_confidence=0.9), abstained_dial(60, 60))) > doubt(many[99])


def test_the_summary_shows_counts_reasons_and_pictures_in_both_languages(tmp_path: Path) -> None:
    path = tmp_path / "<b>dial.png"
    path.write_bytes(picture_bytes())
    reading = double_reading(Task(0, str(path), str(path)))
    seen = Outcome(str(path), str(path), reading.sha256, None, reading)
    gone = Outcome(f"{path}2", str(path), "1" * 64, None, reading.model_copy(update={"sha256": "1" * 64}))
    found = tally([seen, gone, Outcome("lost", "lost", None, None, None, "no such file")])
    heading = Heading(Progress(total=4, done=3, read=2, errors=1), [Skipped("loop", "leads back", lost=False)], 1, 2, 3.25)
    english, chinese = (render_summary(heading, found, language) for language in ("en", "zh"))
    for page in (english, chinese):
        assert page.count("data:image/jpeg;base64,") == 1  # The other one's bytes are not those that were read.
        assert "<b>dial" not in page
        assert "&lt;b&gt;dial" in page
    assert "To look at first" in english
    assert "no such file" in english
    assert "优先查看" in chinese
    assert "leads back" in english


def test_rows_are_json_of_fixed_columns() -> None:
    assert all(tuple(json.loads(row.model_dump_json())) == COLUMNS for row in some_rows())
