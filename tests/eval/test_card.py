"""Calibration and model card, on a reader whose confidences and faults are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.calibrate import collect, fit_calibration, is_right
from eval.card import finish_weights
from eval.matching import Pair
from tests.eval.builders import ScriptedReader, make_photo, make_record, make_truth, perfect_reading
from vision.calibration import CALIBRATION_FILE, Calibration
from vision.donut import CARD_FILE, DonutConfig, DonutError, build_small, load_card, save
from vision.fields import EvidencePoints, GaugeFields
from vision.samples import write_records

TINY = DonutConfig(
    image_size=64, hidden_size=32, encoder_layers=1, decoder_layers=1, feed_forward=32, encoder_heads=2, decoder_heads=2
)


def test_rightness_of_fields_and_points() -> None:
    truth = make_truth()
    reading = perfect_reading(truth)
    assert is_right("kind", truth, reading) is True
    off = reading.model_copy(update={"fields": reading.fields.model_copy(update={"unit": "psi"})})
    assert is_right("unit", truth, off) is (truth.fields.unit == "psi")
    blank = reading.model_copy(update={"fields": GaugeFields(kind=truth.fields.kind)})
    assert is_right("unit", truth, blank) is None
    invented = truth.model_copy(update={"fields": GaugeFields(kind=truth.fields.kind)})
    assert is_right("unit", invented, reading) is False
    side = max(truth.box[2] - truth.box[0], truth.box[3] - truth.box[1])
    placed = truth.model_copy(update={"points": EvidencePoints(pivot=(50, 50))})
    near = reading.model_copy(update={"points": EvidencePoints(pivot=(50 + 0.02 * side, 50))})
    far = reading.model_copy(update={"points": EvidencePoints(pivot=(50 + 0.2 * side, 50))})
    assert is_right("pivot", placed, near) is True
    assert is_right("pivot", placed, far) is False


def test_unmatched_instruments_calibrate_nothing() -> None:
    truth = make_truth()
    assert collect([Pair(truth, None, 0.0, True), Pair(None, perfect_reading(truth), 0.0, False)]) == {}


def test_overconfidence_is_learned(tmp_path: Path) -> None:
    records, photos = [], []
    for index in range(80):
        truth = make_truth()
        right = perfect_reading(truth).model_copy(update={"confidence": {"clockwise": 0.9}})
        wrong = right.model_copy(update={"fields": right.fields.model_copy(update={"clockwise": not right.fields.clockwise})})
        records.append(make_record(f"{index}.png", truth))
        photos.append(make_photo(str(tmp_path / f"{index}.png"), right if index % 2 else wrong))
    write_records(tmp_path, records)
    reader = ScriptedReader(*photos)
    reader.calibration = Calibration()  # type: ignore[attr-defined]
    fitted = fit_calibration(reader, [tmp_path], progress=False)  # type: ignore[arg-type]
    assert fitted("clockwise", 0.9) == pytest.approx(0.5, abs=0.05)


def test_a_card_needs_weights_and_tells_how_they_were_made(tmp_path: Path) -> None:
    with pytest.raises(DonutError, match=CARD_FILE):
        finish_weights(tmp_path, [], [])
    save(build_small(TINY), tmp_path / "mine", {"recipe": {"name": "r"}, "step": 7, "samples": 70, "seconds": 1})
    card = finish_weights(tmp_path / "mine", [], [], progress=False)
    assert card == load_card(tmp_path / "mine")
    assert card["name"] == "mine"
    assert card["version"].endswith(".7")
    assert card["recipe"] == {"name": "r"}
    assert json.loads((tmp_path / "mine" / CALIBRATION_FILE).read_text()) == {}
