"""What people write into the correction form: numbers, units, and texts that cannot be kept."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serve.web.corrections import CorrectionError, parse_correction, parse_number
from serve.web.words import Words

EN = Words("en")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("42.5", 42.5), ("42,5", 42.5), (" -3 ", -3.0), ("−3", -3.0), (".5", 0.5), ("1e3", 1000.0), ("0,125", 0.125),
        ("1,250", None), ("12,345", None), ("1,25O", None), ("", None), ("nan", None), ("inf", None), ("1e999", None),
        ("4 2", None), ("0x10", None), ("٣", 3.0), ("1" * 40, None), ("1.2.3", None),
    ],
)  # fmt: skip
def test_numbers_as_people_write_them(text: str, number: float | None) -> None:
    assert parse_number(text) == number


@given(st.text(max_size=30))
def test_any_text_is_a_finite_number_or_none(text: str) -> None:
    number = parse_number(text)
    assert number is None or math.isfinite(number)


class _Report:
    id = "r1"


@pytest.mark.parametrize(
    ("value", "unit", "note", "told"),
    [("about 4", "", "", "about 4"), ("4", "furlongs", "", "furlongs"), ("", "MPa", "", "value or a note")],
)
def test_what_cannot_be_kept_is_told(value: str, unit: str, note: str, told: str) -> None:
    with pytest.raises(CorrectionError, match=told):
        parse_correction(_Report(), 1, "misread", value, unit, note, EN)  # type: ignore[arg-type]


def test_units_are_kept_in_their_own_spelling() -> None:
    kept = parse_correction(_Report(), 1, "misread", "4", "mpa", "", EN)  # type: ignore[arg-type]
    assert (kept.value, kept.unit) == (4.0, "MPa")
