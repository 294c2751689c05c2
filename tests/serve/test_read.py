"""`gauge read`: the contract of its JSON lines, order, exit codes, and bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.serve.bad_photos import ODD_BUT_GOOD, ODD_NAMES, unopenable, write
from tests.serve.conftest import Gauge
from tests.serve.doubles import DoubleReader, picture_bytes
from vision.fields import GaugeFields, PhotoReading

PHOTO_KEYS = ["photo", "sha256", "status", "reason", "instruments", "weights", "timing_ms"]
INSTRUMENT_KEYS = [
    "kind",
    "instrument_model",
    "model_source",
    "box",
    "points",
    "fields",
    "confidence",
    "value_confidence",
    "value",
    "value_low",
    "value_high",
    "unit",
    "value_source",
    "status",
    "reason",
    "adapted",
]
POINT_KEYS = ["needle_tip", "pivot", "scale_start", "scale_end"]
BAD = unopenable()


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    return write(tmp_path, "gauge.png", picture_bytes())


@pytest.fixture
def black(tmp_path: Path) -> Path:
    return write(tmp_path, "black.png", picture_bytes(color="black", mark=False))


def test_every_key_of_the_contract_is_there(gauge: Gauge, photo: Path) -> None:
    answer = gauge("read", photo, "--json")
    (reading,) = answer.objects()
    assert answer.code == 0
    assert answer.err == ""
    assert list(reading) == PHOTO_KEYS
    assert reading["photo"] == str(photo)
    assert reading["status"] == "read"
    assert list(reading["weights"]) == ["name", "version"]
    (instrument,) = reading["instruments"]
    assert list(instrument) == INSTRUMENT_KEYS
    assert list(instrument["points"]) == POINT_KEYS
    assert list(instrument["fields"]) == list(GaugeFields.model_fields)
    assert len(instrument["box"]) == 4
    PhotoReading.model_validate(reading)


def test_lines_come_in_the_order_of_the_arguments(gauge: Gauge, photo: Path, black: Path, tmp_path: Path) -> None:
    missing = tmp_path / "missing.jpg"
    answer = gauge("read", black, missing, photo, photo, "--json")
    assert [(one["photo"], one["status"]) for one in answer.objects()] == [
        (str(black), "abstained"),
        (str(missing), "error"),
        (str(photo), "read"),
        (str(photo), "read"),
    ]
    assert answer.code == 1


def test_several_photos_show_progress_on_stderr(gauge: Gauge, photo: Path, reader: DoubleReader) -> None:
    answer = gauge("read", photo, photo, photo, "--json")
    assert "3/3" in answer.err
    assert len(answer.objects()) == 3
    assert [one["names"] for one in reader.asked] == [[str(photo)]] * 3


def test_the_model_and_the_manuals_models_reach_the_reader(gauge: Gauge, photo: Path, reader: DoubleReader) -> None:
    gauge("read", photo, "--model", "xyz2000", "--json")
    assert reader.asked[0]["model"] == "XYZ-2000"
    assert "XYZ-2000" in reader.asked[0]["known_models"]


def test_an_unknown_model_stays_as_given(gauge: Gauge, photo: Path, reader: DoubleReader) -> None:
    (reading,) = gauge("read", photo, "--model", "Nobody 1", "--json").objects()
    assert reading["instruments"][0]["instrument_model"] == "Nobody 1"
    assert reading["instruments"][0]["value_source"] == "printed_scale"


def test_a_known_models_formula_gives_the_value(gauge: Gauge, photo: Path) -> None:
    """180 degrees from 6 o'clock: (180 - 30) / 2.5 = 60 MPa by the XYZ-2000's manual."""
    (reading,) = gauge("read", photo, "--model", "XYZ-2000", "--json").objects()
    instrument = reading["instruments"][0]
    assert instrument["value_source"] == "calibration_formula"
    assert instrument["value"] == pytest.approx(60.0)
    assert instrument["unit"] == "MPa"
    assert instrument["value_low"] < 60.0 < instrument["value_high"]


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_opened(gauge: Gauge, tmp_path: Path, what: str) -> None:
    path = write(tmp_path, "bad file.jpg", BAD[what].data)
    answer = gauge("read", path, "--json")
    (reading,) = answer.objects()
    assert answer.code == 1
    assert list(reading) == PHOTO_KEYS
    assert (reading["status"], reading["instruments"]) == ("error", [])
    assert reading["photo"] == str(path)
    assert BAD[what].message in reading["reason"]
    assert (reading["sha256"] is None) == (what == "0 bytes")
    assert answer.err == ""
    assert gauge("read", path).out == f"{path}: {reading['reason']}\n"


def test_a_huge_file(gauge: Gauge, tmp_path: Path) -> None:
    path = tmp_path / "huge.jpg"
    with path.open("wb") as file:
        file.truncate(200 * 2**20)
    answer = gauge("read", path, "--json")
    assert answer.code == 1
    assert "200.0 MiB, more than the limit of 64 MiB" in answer.objects()[0]["reason"]


def test_a_folder_and_a_missing_file_have_no_hash(gauge: Gauge, tmp_path: Path) -> None:
    answer = gauge("read", tmp_path, tmp_path / "no such.jpg", "--json")
    folder, missing = answer.objects()
    assert answer.code == 1
    assert folder["reason"] == "is a folder, not a photo"
    assert missing["reason"] == "no such file"
    assert folder["sha256"] is missing["sha256"] is None


@pytest.mark.parametrize("what", ODD_BUT_GOOD)
def test_odd_pictures_are_opened(gauge: Gauge, tmp_path: Path, what: str) -> None:
    answer = gauge("read", write(tmp_path, "odd.bin", ODD_BUT_GOOD[what]()), "--json")
    (reading,) = answer.objects()
    assert answer.code == 0
    assert reading["status"] == "read"
    assert answer.err == ""


def test_a_rotated_photo_is_measured_upright(gauge: Gauge, tmp_path: Path) -> None:
    (reading,) = gauge("read", write(tmp_path, "turned.jpg", ODD_BUT_GOOD["EXIF-rotated"]()), "--json").objects()
    x0, y0, x1, y1 = reading["instruments"][0]["box"]
    assert (x1 - x0) < (y1 - y0)


def test_an_all_black_photo_abstains_with_a_reason(gauge: Gauge, black: Path) -> None:
    answer = gauge("read", black, "--json")
    (reading,) = answer.objects()
    assert answer.code == 0
    assert reading["status"] == "abstained"
    assert reading["reason"]
    assert reading["instruments"] == []


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_with_spaces_and_other_scripts(gauge: Gauge, tmp_path: Path, name: str) -> None:
    path = write(tmp_path, name, picture_bytes())
    (reading,) = gauge("read", "--json", "--", path).objects()
    assert reading["photo"] == str(path)
    assert reading["status"] == "read"


def test_a_name_that_is_not_utf8_is_shown_and_read(gauge: Gauge, tmp_path: Path) -> None:
    name = b"caf\xe9.png".decode("utf-8", "surrogateescape")
    path = write(tmp_path, name, picture_bytes())
    for json in ("--json", None):
        answer = gauge("read", path, *([json] if json else []))
        assert answer.code == 0
        assert "caf�.png" in answer.out


def test_a_fault_of_the_reader_is_one_line(
    gauge: Gauge, photo: Path, reader: DoubleReader, caplog: pytest.LogCaptureFixture
) -> None:
    reader.broken_on = str(photo)
    answer = gauge("read", photo, "--json")
    assert answer.code == 1
    assert answer.objects()[0]["status"] == "error"
    assert [record.exc_info for record in caplog.records if record.name == "gauge.service"] in ([None], [False])


def test_for_people(gauge: Gauge, photo: Path, black: Path, tmp_path: Path) -> None:
    answer = gauge("read", photo, black, tmp_path / "missing.jpg")
    lines = answer.out.splitlines()
    assert lines[0] == f"{photo}: 1 instrument"
    assert lines[1] == "  dial, unknown model: 50.0 MPa, between 48.5 and 51.5, confidence 0.87, from the printed scale"
    assert lines[2] == f"{black}: not read, because no instrument was found"
    assert lines[3] == f"{tmp_path / 'missing.jpg'}: no such file"
    assert answer.code == 1


def test_no_photo_is_wrong_usage(gauge: Gauge) -> None:
    answer = gauge("read")
    assert answer.code == 2
    assert "Missing argument" in answer.err
