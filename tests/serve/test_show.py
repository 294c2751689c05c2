"""Readings for people."""

from __future__ import annotations

from typing import Any

import pytest

from serve.show import instrument_line, number_text, plain_text, reading_text, value_text
from tests.serve.doubles import WEIGHTS, abstained_dial, make_dial
from vision.fields import GaugeFields, InstrumentReading, PhotoReading


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (42.88, 42.1, 43.6, "42.88"),
        (42.88, 40.0, 46.0, "42.9"),
        (1234.5, 1200.0, 1260.0, "1234"),
        (0.00123456, 0.0012, 0.0013, "0.001235"),
        (5.0, 5.0, 5.0, "5"),
        (1.25, None, None, "1.25"),
        (-0.4, -0.5, -0.3, "-0.40"),
    ],
)
def test_numbers_have_the_digits_that_their_interval_supports(
    value: float, low: float | None, high: float | None, text: str
) -> None:
    assert number_text(value, low, high) == text


def instrument(kind: str, **fields: Any) -> InstrumentReading:
    return InstrumentReading.model_validate(
        {"kind": kind, "box": (0, 0, 1, 1), "fields": GaugeFields.model_validate({"kind": kind, **fields}), "status": "read"}
    )


def test_values_of_each_kind() -> None:
    assert value_text(instrument("lamp", warning_light_color="off")) == "off"
    assert value_text(instrument("selector", mode_dial_position=3)) == "position 3"
    assert value_text(instrument("digital", digital_readout="-12.50")) == "-12.50"
    assert value_text(instrument("dial")) == "no value"


def test_digits_are_shown_as_they_stand() -> None:
    shown = make_dial(
        10,
        10,
        kind="digital",
        fields=GaugeFields(kind="digital", digital_readout="12.50"),
        value=12.5,
        value_low=12.495,
        value_high=12.505,
        value_source="digits",
        unit=None,
    )
    assert value_text(shown) == "12.50"


def test_lines() -> None:
    assert instrument_line(abstained_dial(5, 5)) == "dial, unknown model: not read, because the needle is hidden"
    doubted = make_dial(5, 5, "XYZ-2000", reason="the printed scale contradicts the formula")
    assert instrument_line(doubted).startswith("dial, XYZ-2000 (given): 50.0 MPa, between 48.5 and 51.5")
    assert instrument_line(doubted).endswith("(the printed scale contradicts the formula)")


def test_an_error_names_the_photo_once() -> None:
    def error(reason: str) -> PhotoReading:
        return PhotoReading(photo="a.jpg", sha256=None, status="error", reason=reason, weights=WEIGHTS)

    assert reading_text(error("a.jpg: no such file")) == "a.jpg: no such file"
    assert reading_text(error("no such file")) == "a.jpg: no such file"


def test_several_instruments_have_a_line_each() -> None:
    reading = PhotoReading(
        photo="a.jpg", sha256="0", status="read", instruments=(make_dial(5, 5), abstained_dial(5, 5)), weights=WEIGHTS
    )
    lines = reading_text(reading).splitlines()
    assert lines[0] == "a.jpg: 2 instruments"
    assert len(lines) == 3


def test_markdown_escapes_are_not_for_eyes() -> None:
    assert plain_text(r"- 5 \* 3 \[photo\#1\] C:\temp") == r"- 5 * 3 [photo#1] C:\temp"


def test_a_models_control_characters_do_not_reach_the_terminal() -> None:
    named = abstained_dial(5, 5).model_copy(update={"instrument_model": "X\x1b[31m\nY", "model_source": "given"})
    line = instrument_line(named)
    assert line.startswith("dial, X�[31m�Y (given): not read")
    assert line.isprintable()
