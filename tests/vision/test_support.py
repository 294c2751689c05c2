"""The probability of a value from its signals: arithmetic by hand, files, absence, widths and named doubts."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.doubts import DOUBTS, name_doubt, why_not_stated
from vision.support import CLIP_SDS, SUPPORT_FILE, SourceModel, Support, SupportError, design


def make_model(**changes: object) -> SourceModel:
    """Two signals: `witness` speaks for the value, `rivals` against it."""
    data = {
        "names": ("witness", "rivals"),
        "means": (0.6, 1.0),
        "sds": (0.2, 0.5),
        "weights": (1.0, -0.8),
        "absent": (-0.4, 0.0),
        "intercept": 0.5,
        "probabilities": (0.02, 0.98),
        "widening": 1.5,
        "examples": 48,
    }
    return SourceModel.model_validate(data | changes)


def sigmoid(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-odds))


def test_probability_is_the_logistic_of_standardised_signals() -> None:
    model = make_model()
    assert model.probability({"witness": 0.6, "rivals": 1.0}) == pytest.approx(sigmoid(0.5))
    assert model.probability({"witness": 0.8, "rivals": 1.0}) == pytest.approx(sigmoid(1.5))
    assert model.probability({"witness": 0.8, "rivals": 2.0}) == pytest.approx(sigmoid(1.5 - 1.6))


def test_an_absent_signal_counts_as_absent_and_not_as_a_default() -> None:
    model = make_model()
    absent = model.probability({"rivals": 1.0})
    assert absent == pytest.approx(sigmoid(0.5 - 0.4))
    assert model.probability({"witness": math.nan, "rivals": 1.0}) == absent
    assert model.probability({"witness": math.inf, "rivals": 1.0}) == absent
    assert model.probability({"witness": 0.6, "rivals": 1.0, "unheard_of": 9.0}) == pytest.approx(sigmoid(0.5))


def test_an_extreme_signal_says_no_more_than_a_clear_one() -> None:
    model = make_model(probabilities=(0.0, 1.0))
    assert model.probability({"witness": 1e9, "rivals": 1.0}) == pytest.approx(sigmoid(0.5 + CLIP_SDS))
    assert model.contributions({"witness": -1e9, "rivals": 1.0})["witness"] == pytest.approx(-CLIP_SDS)


@given(witness=st.floats(-1e6, 1e6) | st.just(math.nan), rivals=st.floats(-1e6, 1e6) | st.just(math.nan))
def test_probability_stays_within_what_the_examples_can_tell(witness: float, rivals: float) -> None:
    probability = make_model(weights=(50.0, -50.0)).probability({"witness": witness, "rivals": rivals})
    assert 0.02 <= probability <= 0.98


def test_more_of_a_good_signal_never_lowers_the_probability() -> None:
    model = make_model()
    rising = [model.probability({"witness": w, "rivals": 1.0}) for w in np.linspace(-1, 2, 40)]
    falling = [model.probability({"witness": 0.6, "rivals": r}) for r in np.linspace(-1, 4, 40)]
    assert rising == sorted(rising)
    assert falling == sorted(falling, reverse=True)


def test_design_marks_absence() -> None:
    rows = design(np.array([[1.0, math.nan], [3.0, 4.0]]), np.array([2.0, 4.0]), np.array([1.0, 2.0]))
    assert rows.tolist() == [[-1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]]


def test_no_file_is_no_support(tmp_path: Path) -> None:
    support = Support.load(tmp_path)
    assert support == Support()
    assert support.probability("numerals", {"witness": 1.0}) is None
    assert support.contributions("numerals", {"witness": 1.0}) == {}
    assert support.widened("numerals", 1.0, 2.0, 4.0, 9.0) == (1.0, 4.0)


def test_file_round_trip_is_plain_json_and_the_same_bytes_again(tmp_path: Path) -> None:
    support = Support(sources={"numerals": make_model(), "digits": make_model(widening=1.0)})
    support.save(tmp_path)
    first = (tmp_path / SUPPORT_FILE).read_bytes()
    assert json.loads(first)["sources"]["numerals"]["widening"] == 1.5
    loaded = Support.load(tmp_path)
    assert loaded == support
    loaded.save(tmp_path)
    assert (tmp_path / SUPPORT_FILE).read_bytes() == first


@pytest.mark.parametrize(
    "change",
    [
        {"weights": [1.0]},
        {"sds": [0.0, 1.0]},
        {"examples": 0},
        {"probabilities": [0.1, 1.2]},
        {"widening": -1.0},
        {"colour": "red"},
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, change: dict[str, object]) -> None:
    data = {"sources": {"numerals": json.loads(make_model().model_dump_json()) | change}}
    (tmp_path / SUPPORT_FILE).write_text(json.dumps(data))
    with pytest.raises(SupportError, match=SUPPORT_FILE):
        Support.load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"[1, 2]", b"\xff\xfe\x00", b'{"sources": {"numerals": NaN}}'])
def test_a_file_that_is_no_support_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / SUPPORT_FILE).write_bytes(content)
    with pytest.raises(SupportError, match="fit it anew"):
        Support.load(tmp_path)


def test_intervals_are_widened_side_by_side_and_never_below_the_least_half() -> None:
    support = Support(sources={"numerals": make_model(widening=2.0)})
    low, high = support.widened("numerals", 9.5, 10.0, 10.25)
    assert (low, high) == pytest.approx((9.0, 10.5))
    low, high = support.widened("numerals", 9.5, 10.0, 10.25, 0.7)
    assert (low, high) == pytest.approx((9.0, 10.7))
    assert support.widened("digits", 9.5, 10.0, 10.5, 0.7) == (9.5, 10.5)


def test_each_doubt_can_be_the_one_that_is_named() -> None:
    for name, (_, signals) in DOUBTS.items():
        for signal in signals:
            found = name_doubt("numerals", {signal: -2.0, "anything_else": -0.5, "located": 3.0})
            assert found == name, signal


def test_small_doubts_of_one_kind_outweigh_a_larger_one_of_another() -> None:
    added = {"rivals": -0.4, "red_rival": -0.4, "long_rival": -0.4, "sharpness": -0.9, "size": 2.0}
    assert name_doubt("numerals", added) == "hands"
    assert name_doubt("numerals", added | {"sharpness": -1.3}) == "blurred"


def test_what_speaks_for_a_value_is_no_doubt() -> None:
    assert name_doubt("numerals", {"size": 1.0, "sharpness": 0.0}) == "scale"
    assert name_doubt("digits", {"size": 1.0}) == "digits"
    assert name_doubt("digits", {}) == "digits"
    # One good needle signal does not buy off a bad one.
    assert name_doubt("numerals", {"needle_sd": -1.0, "needle_found": 2.0, "size": -0.5}) == "needle"


def test_the_reason_says_how_likely_the_value_was() -> None:
    reason = why_not_stated("numerals", {"needle_glare": -2.0}, 0.314)
    assert "glare" in reason
    assert "31%" in reason


def test_support_loads_without_heavy_libraries() -> None:
    code = "import sys, vision.support, vision.doubts; print(sorted({'torch', 'cv2', 'sklearn', 'scipy'} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
