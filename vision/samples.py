"""Dataset folders in Donut's format: pictures plus one `metadata.jsonl` line each.

A line is `{"file_name": "000001.jpg", "ground_truth": "{\\"gt_parse\\": {...}}"}`; `gt_parse` is a
`PhotoTruth`. No torch here: the renderer writes these, the trainer and the evaluator read them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from vision.fields import Angle, Box, Contract, EvidencePoints, Finite, Fraction, GaugeFields, Point, UnitName, ValueUnit

METADATA_NAME = "metadata.jsonl"


class SampleError(ValueError):
    """A dataset folder or a line of it that does not hold to the format."""


class Numeral(Contract):
    """A number printed on a face: its text, the value it stands for and its centre in pixels."""

    text: str
    value: Finite
    center: Point


class PrintedUnit(Contract):
    """A unit printed on an instrument: its text, the unit it declares, and where it stands in pixels.

    `height_px` is the height of its letters, `angle_deg` how far the line is turned clockwise in the picture;
    `primary` False marks the unit of a further scale.
    """

    text: str
    unit: UnitName
    center: Point
    height_px: Finite
    angle_deg: Finite = 0.0
    primary: bool = True


class DigitRow(Contract):
    """A row of digits on a display or of drums in a counter, as shown: sign, digits and point.

    `corners` go round the digits from their own top left clockwise, in the picture's pixels.
    """

    text: str
    corners: tuple[Point, Point, Point, Point]


class InstrumentTruth(Contract):
    """What is true of one instrument in a picture; points and box in the picture's pixels.

    `value`, `value_low`, `value_high`: the true value and the interval to accept (half a minor tick
    where nothing else is stated); None for instruments without a number (lamp, selector).
    `fields.pointer_angle` is what is seen on the dial's plane; `true_pointer_angle` the needle's own angle,
    free of parallax. `homography` maps the face's own plane to the picture (row by row, lens distortion left
    out). `rows` are the rows of digits, the main one first; `marks` those of a selector's positions in their order.
    `legibility` is 0..1; `readable` False marks what nobody could read off this picture.
    """

    instrument_model: str | None = None
    box: Box
    fields: GaugeFields
    points: EvidencePoints = EvidencePoints()
    numerals: tuple[Numeral, ...] = ()
    value: Finite | None = None
    value_low: Finite | None = None
    value_high: Finite | None = None
    unit: ValueUnit | None = None
    units: tuple[PrintedUnit, ...] = ()
    rows: tuple[DigitRow, ...] = ()
    marks: tuple[Point, ...] = ()
    true_pointer_angle: Angle | None = None
    homography: Annotated[tuple[Finite, ...], Field(min_length=9, max_length=9)] | None = None
    legibility: Fraction | None = None
    readable: bool = True


class PhotoTruth(Contract):
    """All instruments of one picture, the main one first; empty where there is none.

    `look_alikes` are boxes of what is no instrument but could pass for one (buttons, signs, bolts), as far as they are
    known; something else may stand in front of them.
    """

    instruments: tuple[InstrumentTruth, ...] = ()
    look_alikes: tuple[Box, ...] = ()


class SampleRecord(Contract):
    """One picture of a dataset folder with its truth."""

    file_name: str
    truth: PhotoTruth


def encode_record(record: SampleRecord) -> str:
    """One `metadata.jsonl` line."""
    ground_truth = json.dumps({"gt_parse": record.truth.model_dump(mode="json")}, ensure_ascii=False)
    return json.dumps({"file_name": record.file_name, "ground_truth": ground_truth}, ensure_ascii=False)


def decode_record(line: str, where: str = "line") -> SampleRecord:
    """The record of one `metadata.jsonl` line. Raises SampleError naming `where` and what is wrong."""
    try:
        outer: dict[str, Any] = json.loads(line)
        inner: dict[str, Any] = json.loads(outer["ground_truth"])
        return SampleRecord(file_name=outer["file_name"], truth=PhotoTruth.model_validate(inner["gt_parse"]))
    except (KeyError, TypeError, ValidationError, ValueError) as error:
        raise SampleError(f"{where} is not a dataset record: {error}") from error


def read_records(folder: Path) -> Iterator[SampleRecord]:
    """Records of a dataset folder in file order. Raises SampleError where it is not one.

    File names must stay inside the folder: a dataset from elsewhere is not trusted.
    """
    path = folder / METADATA_NAME
    if not path.is_file():
        raise SampleError(f"{folder} is not a dataset folder: it has no {METADATA_NAME}")
    root = folder.resolve()
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            record = decode_record(line, f"{path}:{number}")
            if not (folder / record.file_name).resolve().is_relative_to(root):
                raise SampleError(f"{path}:{number}: file name {record.file_name!r} leaves the folder")
            yield record


def write_records(folder: Path, records: Iterable[SampleRecord]) -> None:
    """Append records to the folder's `metadata.jsonl`, creating it where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / METADATA_NAME).open("a", encoding="utf-8") as out:
        for record in records:
            out.write(encode_record(record) + "\n")
