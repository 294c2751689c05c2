"""`gauge eval DATASET --by model`: page, CSV and JSON of a dataset."""

from __future__ import annotations

from pathlib import Path

from tests.serve.conftest import Gauge
from tests.serve.doubles import make_dial, picture_bytes
from vision.samples import InstrumentTruth, PhotoTruth, SampleRecord, write_records


def dataset(folder: Path) -> Path:
    dial = make_dial(120, 90)
    truth = InstrumentTruth(
        instrument_model="T-1", box=dial.box, fields=dial.fields, value=50.0, value_low=49.0, value_high=51.0, unit="MPa"
    )
    write_records(folder, [SampleRecord(file_name="a.png", truth=PhotoTruth(instruments=(truth,)))])
    (folder / "a.png").write_bytes(picture_bytes())
    return folder


def test_pages_of_a_dataset(gauge: Gauge, tmp_path: Path) -> None:
    answer = gauge("eval", dataset(tmp_path / "set"), "--by", "model", "--out", tmp_path / "out")
    assert answer.code == 0
    assert "| T-1 | 1 |" in answer.out
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "accuracy.csv",
        "accuracy.html",
        "accuracy.json",
        "confusion.csv",
    ]
    (card,) = gauge("eval", "readings", tmp_path / "set", "--by", "kind", "--json").objects()
    assert card["group"] == "kind"
    assert card["models"][0]["overall"]["value"]["right"]["hits"] == 1


def test_wrong_use(gauge: Gauge, tmp_path: Path) -> None:
    folder = dataset(tmp_path / "set")
    assert gauge("eval", folder, "--out", tmp_path / "out").code == 2
    assert gauge("eval", folder, "--by", "weather").code == 2
    labels = tmp_path / "labels"
    labels.mkdir()
    (labels / "labels.csv").write_text("id\n", encoding="utf-8")
    answer = gauge("eval", labels, "--by", "model")
    assert answer.code == 1
    assert "metadata.jsonl" in answer.err
    (tmp_path / "file").write_text("")
    assert gauge("eval", folder, "--by", "model", "--out", tmp_path / "file").code == 1
