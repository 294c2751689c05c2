"""Numbers of running text: what is one, which unit it has, and when one says what another says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.verify.compare import says_same, supported_by
from rag.verify.numbers import Quantity, describe, find_marks, find_quantities, fold
from vision.units import convert

PAIRS = (("MPa", "psi"), ("bar", "kPa"), ("°C", "°F"), ("V", "mV"))


def one(text: str) -> Quantity:
    (found,) = find_quantities(fold(text))
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("80-100 MPa", ["80 to 100 MPa"]),
        ("above 80 and up to 100 MPa", ["80 to 100 MPa"]),
        ("高于 80 且不高于 100 MPa", ["80 to 100 MPa"]),
        ("between 42.08 and 43.68 MPa", ["42.08 to 43.68 MPa"]),
        ("0 MPa to 1200 kPa", ["0 to 1200 kPa"]),
        ("5 and 8 bar", ["5 bar", "8 bar"]),
        ("0, 25 and 50 MPa", ["0 MPa", "25 MPa", "50 MPa"]),
        ("1,374,560 kWh", ["1374560 kWh"]),
        ("two hours", ["2 h"]),
        ("两小时后", ["2 h"]),
        ("300 - 100", ["300", "100"]),
        ("shows -9.8", ["-9.8"]),
        ("95.5° ± 3°", ["95.5 °", "3 °"]),
        ("4.75 x1000 r/min", ["4.75 x1000 r/min"]),
        ("100 degrees Celsius", ["100 °C"]),
        ("5 安全阀", ["5"]),
        ("XYZ-2000, V1, 2A-3", []),
        ("section 5.2", []),
        ("2025-03-01", []),
    ],
)
def test_quantities(text: str, found: list[str]) -> None:
    assert [describe(quantity) for quantity in find_quantities(fold(text))] == found


def test_dates_and_references_have_one_spelling() -> None:
    dates = {
        mark.key for text in ("2025-03-01", "1 March 2025", "March 1, 2025", "2025年3月1日") for mark in find_marks(fold(text))
    }
    assert dates == {"date:2025-03-01"}
    places = {
        mark.key for text in ("section 5.2", "Section 5.2", "§5.2", "第 5.2 节", "第5.2节") for mark in find_marks(fold(text))
    }
    assert places == {"section:5.2"}


@pytest.mark.parametrize(
    ("said", "meant", "same"),
    [
        ("42.9 MPa", "42.88 MPa", True),
        ("428.8 bar", "42.88 MPa", True),
        ("6219 psi", "42.88 MPa", True),
        ("42.8 MPa", "42.88 MPa", False),
        ("42.89 MPa", "42.88 MPa", False),
        ("43 MPa", "42.6 MPa", False),  # to its last digit, but too coarse
        ("5 years", "60 months", True),
        ("120 min", "two hours", True),
        ("140 °F", "60 °C", True),
        ("-4 to 140 °F", "-20 to 60 °C", True),
        ("50 MPa", "0 to 80 MPa", False),
        ("0 to 80 MPa", "0 to 90 MPa", False),
        ("42.88", "42.88 MPa", False),
        ("42.88 MPa", "42.88", False),
        ("42.88 V", "42.88 MPa", False),
    ],
)
def test_says_same(said: str, meant: str, same: bool) -> None:
    assert says_same(one(said), one(meant)) is same


def test_a_difference_has_no_zero_point() -> None:
    assert not says_same(one("every 50 °F"), one("every 10 °C"))
    assert says_same(one("every 10 K"), one("every 10 °C"))


@given(
    st.floats(0.1, 1000).map(lambda value: round(value, 2)),
    st.sampled_from([("MPa", "psi"), ("bar", "kPa"), ("°C", "°F"), ("V", "mV")]),
)
def test_whatever_pint_converts_is_the_same(value: float, units: tuple[str, str]) -> None:
    source, target = units
    assert says_same(one(f"{convert(value, source, target):.6f} {target}"), one(f"{value} {source}"))


def test_support_by_the_ends_of_a_range() -> None:
    stated = [one("0 to 80 MPa")]
    assert supported_by(one("80 MPa"), stated)
    assert supported_by(one("0 to 800 bar"), stated)
    assert not supported_by(one("40 MPa"), stated)
    assert supported_by(one("28.75 to 28.85"), [one("28.75"), one("28.85 bar")])
