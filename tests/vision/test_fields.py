"""The contract: frozen, strict, and unable to hold a dishonest reading."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from vision.fields import (
    EvidencePoints,
    GaugeFields,
    InstrumentReading,
    PhotoReading,
    Weights,
    angle_fraction,
    dump_fields,
    fields_value,
    sweep_deg,
)

BOX = (0.0, 0.0, 10.0, 10.0)
WEIGHTS = Weights(name="small", version="1")
READ_LINE_KEYS = {"photo", "sha256", "status", "reason", "instruments", "weights", "timing_ms"}
INSTRUMENT_KEYS = {
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
    "adapted",
    "reason",
}


def reading(**changes: object) -> InstrumentReading:
    base = {"kind": "dial", "box": BOX, "fields": GaugeFields(kind="dial"), "status": "abstained", "reason": "glare"}
    return InstrumentReading.model_validate({**base, **changes})


def test_a_line_of_gauge_read_has_all_its_keys() -> None:
    line = PhotoReading(
        photo="a.jpg", sha256="0" * 64, status="abstained", reason="glare", instruments=(reading(),), weights=WEIGHTS
    )
    data = json.loads(line.model_dump_json())
    assert set(data) == READ_LINE_KEYS
    assert set(data["instruments"][0]) == INSTRUMENT_KEYS
    assert data["instruments"][0]["points"] == {"needle_tip": None, "pivot": None, "scale_start": None, "scale_end": None}


def test_unread_fields_are_null_never_a_default() -> None:
    data = dump_fields(GaugeFields(kind="dial"))
    assert data.pop("kind") == "dial"
    assert data.pop("scale_points") == []
    assert data.pop("channels") == []
    assert set(data.values()) == {None}


def test_frozen_and_strict() -> None:
    fields = GaugeFields(kind="dial")
    with pytest.raises(ValidationError):
        fields.unit = "bar"  # type: ignore[misc]
    with pytest.raises(ValidationError, match="colour"):
        GaugeFields.model_validate({"kind": "dial", "colour": "red"})


@pytest.mark.parametrize(
    "bad",
    [
        {"pointer_angle": 360.0},
        {"pointer_angle": -1.0},
        {"pointer_angle": math.nan},
        {"scale_min": math.inf},
        {"unit": "parsec"},
        {"warning_light_color": "blue"},
        {"mode_dial_position": 0},
        {"mode_dial_position": 6},
        {"digital_readout": "OL"},
        {"digital_readout": ""},
        {"digital_readout": "1.2.3"},
        {"digital_readout": "-"},
        {"scale_multiplier": 0},
        {"kind": "clock"},
    ],
)
def test_values_outside_the_contract_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        GaugeFields.model_validate({"kind": "dial", **bad})


@pytest.mark.parametrize("shown", ["0", "007", "-1.5", "+3", ".5", "12.", "6659149.1"])
def test_digits_are_kept_as_shown(shown: str) -> None:
    assert GaugeFields(kind="digital", digital_readout=shown).digital_readout == shown


def test_units_take_any_spelling_and_keep_the_canonical_one() -> None:
    assert GaugeFields(kind="dial", unit="кгс/см²").unit == "kgf/cm2"


def test_an_abstained_reading_cannot_carry_a_value_or_lack_a_reason() -> None:
    whole = {"value": 1.0, "value_low": 0.9, "value_high": 1.1, "value_source": "numerals"}
    with pytest.raises(ValidationError, match="must not carry a value"):
        reading(**whole)
    with pytest.raises(ValidationError, match="needs a reason"):
        reading(reason=None)


@pytest.mark.parametrize("missing", ["value_low", "value_high", "value_source"])
def test_a_value_without_its_interval_or_source_is_refused(missing: str) -> None:
    whole = {"value": 1.0, "value_low": 0.9, "value_high": 1.1, "value_source": "numerals", "status": "read", "reason": None}
    assert reading(**whole).value == 1.0
    with pytest.raises(ValidationError, match="go together"):
        reading(**{**whole, missing: None})


@pytest.mark.parametrize(("low", "high"), [(1.1, 1.2), (0.5, 0.9), (1.2, 0.8)])
def test_a_value_outside_its_interval_is_refused(low: float, high: float) -> None:
    with pytest.raises(ValidationError, match="outside its interval"):
        reading(value=1.0, value_low=low, value_high=high, value_source="numerals", status="read")


def test_zero_is_a_value_like_any_other() -> None:
    zero = reading(value=0.0, value_low=0.0, value_high=0.0, value_source="digits", status="read", reason=None)
    assert zero.value == 0.0
    with pytest.raises(ValidationError, match="outside"):
        reading(value=0.0, value_low=0.1, value_high=0.2, value_source="digits", status="read")


def test_a_photo_is_as_read_as_its_instruments() -> None:
    with pytest.raises(ValidationError, match="does not follow"):
        PhotoReading(photo="a", sha256=None, status="read", instruments=(reading(),), weights=WEIGHTS)
    with pytest.raises(ValidationError, match="no instruments"):
        PhotoReading(photo="a", sha256=None, status="error", reason="broken", instruments=(reading(),), weights=WEIGHTS)
    with pytest.raises(ValidationError, match="needs a reason"):
        PhotoReading(photo="a", sha256=None, status="abstained", weights=WEIGHTS)


@given(st.floats(0, 359), st.floats(10, 350), st.booleans(), st.floats(0, 1))
def test_fraction_is_where_the_needle_is(start: float, sweep: float, clockwise: bool, fraction: float) -> None:
    sign = 1 if clockwise else -1
    end, needle = (start + sign * sweep) % 360, (start + sign * sweep * fraction) % 360
    assert sweep_deg(start, end, clockwise) == pytest.approx(sweep, abs=1e-6)
    assert angle_fraction(needle, start, end, clockwise) == pytest.approx(fraction, abs=1e-6)


def test_a_needle_on_its_stop_is_a_little_below_zero() -> None:
    assert angle_fraction(40, 45, 315, clockwise=True) == pytest.approx(-5 / 270)
    assert angle_fraction(320, 45, 315, clockwise=True) == pytest.approx(1 + 5 / 270)
    assert sweep_deg(180, 180, clockwise=True) == 360


def test_fields_give_a_value_only_when_they_are_whole() -> None:
    whole = GaugeFields(kind="dial", scale_fraction=0.25, scale_min=-1, scale_max=3)
    assert fields_value(whole) == 0.0
    assert fields_value(whole.model_copy(update={"scale_max": None})) is None
    assert fields_value(GaugeFields(kind="digital", digital_readout="-07.50")) == -7.5
    assert fields_value(GaugeFields(kind="lamp", warning_light_color="red")) is None


def test_points_are_pixels_or_null() -> None:
    assert EvidencePoints(pivot=(1.5, 2)).pivot == (1.5, 2.0)
    with pytest.raises(ValidationError):
        EvidencePoints(pivot=(math.nan, 0))


def test_the_contract_is_light() -> None:
    heavy = "{'torch', 'cv2', 'numpy', 'spacy', 'pint'}"
    code = f"import sys, vision.fields, vision.samples, vision.units; print({heavy} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "set()"
