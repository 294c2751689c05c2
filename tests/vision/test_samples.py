"""Dataset folders: what is written is read, and what is broken or leaves the folder is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vision.fields import EvidencePoints, GaugeFields
from vision.samples import (
    METADATA_NAME,
    InstrumentTruth,
    Numeral,
    PhotoTruth,
    SampleError,
    SampleRecord,
    decode_record,
    encode_record,
    read_records,
    write_records,
)

RECORD = SampleRecord(
    file_name="0000/a.jpg",
    truth=PhotoTruth(
        instruments=(
            InstrumentTruth(
                instrument_model="XYZ-2000",
                box=(1, 2, 30, 40),
                fields=GaugeFields(kind="dial", pointer_angle=137.2, unit="MPa"),
                points=EvidencePoints(pivot=(10, 12)),
                numerals=(Numeral(text="40", value=40, center=(5, 6)),),
                value=42.88,
                value_low=42,
                value_high=44,
                unit="MPa",
            ),
        )
    ),
)


def test_a_line_is_donuts_format_and_comes_back() -> None:
    line = encode_record(RECORD)
    outer = json.loads(line)
    assert set(outer) == {"file_name", "ground_truth"}
    assert json.loads(outer["ground_truth"])["gt_parse"]["instruments"][0]["instrument_model"] == "XYZ-2000"
    assert decode_record(line) == RECORD


def test_folders_append_and_keep_order(tmp_path: Path) -> None:
    empty = SampleRecord(file_name="b.jpg", truth=PhotoTruth())
    write_records(tmp_path / "set", [RECORD])
    write_records(tmp_path / "set", [empty])
    assert list(read_records(tmp_path / "set")) == [RECORD, empty]


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "{}",
        '{"file_name": "a"}',
        '{"file_name": "a", "ground_truth": "{}"}',
        '{"file_name": "a", "ground_truth": "[1]"}',
        "3",
    ],
)
def test_broken_lines_are_named_with_their_place(tmp_path: Path, line: str) -> None:
    (tmp_path / METADATA_NAME).write_text(encode_record(RECORD) + "\n\n" + line + "\n")
    with pytest.raises(SampleError, match=f"{METADATA_NAME}:3"):
        list(read_records(tmp_path))


def test_a_file_name_may_not_leave_the_folder(tmp_path: Path) -> None:
    for name in ("../secret.jpg", "/etc/passwd", "a/../../b.jpg"):
        folder = tmp_path / "set"
        (folder / METADATA_NAME).unlink(missing_ok=True)
        write_records(folder, [RECORD.model_copy(update={"file_name": name})])
        with pytest.raises(SampleError, match="leaves the folder"):
            list(read_records(folder))


def test_not_a_dataset_folder(tmp_path: Path) -> None:
    with pytest.raises(SampleError, match="not a dataset folder"):
        list(read_records(tmp_path))
