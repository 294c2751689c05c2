"""Calibration and model card, on a reader whose confidences and faults are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.calibrate import angle_rows, collect_rows, field_rows, fit_curves, fit_rows, is_right
from eval.calibration_sets import Folders
from eval.card import finish_weights
from eval.matching import Pair
from synth.factory import FactoryOptions, build_dataset
from tests.eval.builders import make_truth, perfect_reading
from vision.calibration import CALIBRATION_FILE
from vision.donut import CARD_FILE, DonutConfig, DonutError, build_small, load_card, save
from vision.fields import EvidencePoints, GaugeFields
from vision.reader import Reader

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
    pairs = [Pair(truth, None, 0.0, True), Pair(None, perfect_reading(truth, confidence={"clockwise": 0.9}), 0.0, False)]
    assert field_rows("a", pairs) == []
    assert angle_rows("a", pairs) == []


def test_overconfidence_is_learned() -> None:
    truth = make_truth()
    rows = []
    for index in range(80):
        right = perfect_reading(truth, confidence={"clockwise": 0.9, "no_field": 0.5})
        wrong = right.model_copy(update={"fields": right.fields.model_copy(update={"clockwise": not right.fields.clockwise})})
        rows += field_rows(f"{index}", [Pair(truth, right if index % 2 else wrong, 1.0, True)])
    assert {row.name for row in rows} == {"clockwise"}
    assert fit_curves(rows)("clockwise", 0.9) == pytest.approx(0.5, abs=0.05)


def test_one_pass_over_drawn_pictures_gives_rows_and_leaves_the_reader_as_it_was(tmp_path: Path) -> None:
    build_dataset("close", 10**9 + 5, 1, tmp_path / "drawn", options=FactoryOptions(evaluation=True))
    save(build_small(TINY), tmp_path / "mine", {"recipe": {"name": "r"}, "step": 7, "samples": 70, "seconds": 1})
    reader = Reader.load(tmp_path / "mine")
    calibration, support = reader.calibration, reader.support
    rows = collect_rows(reader, Folders(values=(tmp_path / "drawn",)), progress=False)
    assert reader.calibration is calibration
    assert reader.support is support
    # Untrained weights find and state nothing, which is told as well.
    assert rows
    assert all(row.picture.startswith("drawn/") for row in rows)
    assert fit_rows(rows).report.values == sum(row.row == "value" for row in rows)


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
