"""From printed text to numbers, units and multipliers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vision.dial_layouts import printed
from vision.number_alternatives import number_alternatives
from vision.printed_numbers import find_numbers
from vision.printed_units import find_multiplier, find_units, plain_text


def values(text: str) -> list[float]:
    return [mark.value for mark in find_numbers([printed(text, (100.0, 100.0))])]


def units(*texts: str) -> set[str]:
    return {mark.unit for mark in find_units([printed(text, (100.0, 100.0 + 60 * row)) for row, text in enumerate(texts)])}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("40", 40.0),
        ("0.25", 0.25),
        ("1,5", 1.5),
        ("１０", 10.0),
        ("-30", -30.0),
        ("−30", -30.0),
        ("+60", 60.0),
        ("1400°", 1400.0),
        ("80-", 80.0),
        ("1000.", 1000.0),
        ("：30", 30.0),
        ("3O", 30.0),
        ("1O", 10.0),
        ("O", 0.0),
        ("D", 0.0),
        (".5", 0.5),
        ("04", 0.4),
    ],
)
def test_a_number_is_read(text: str, value: float) -> None:
    assert values(text) == [value]


@pytest.mark.parametrize(
    "text",
    ["", "psi", "bar", "11:52:10", "20/2018", "2/20/2020", "2018-11-20", "x100", "x1000 r/min", "20181104", "038-002-01", "OIL"],
)
def test_what_is_no_numeral(text: str) -> None:
    assert values(text) == []


def test_numbers_within_a_longer_text_have_their_own_places() -> None:
    first, second = find_numbers([printed("100 150", (200.0, 80.0), height=20)])
    assert (first.value, second.value) == (100.0, 150.0)
    assert first.center[0] < 200.0 < second.center[0]
    assert math.isclose(first.center[0] + second.center[0], 400.0)


def test_a_wide_gap_splits_digits_read_as_one_word() -> None:
    glued = printed("100150", (200.0, 80.0), height=20)
    places = tuple((140.0 + 12 * k + (40 if k >= 3 else 0), 80.0) for k in range(6))
    assert [mark.value for mark in find_numbers([glued._replace(character_centers=places)])] == [100.0, 150.0]
    assert [mark.value for mark in find_numbers([printed("1050", (200.0, 80.0))])] == [1050.0]


def test_letters_that_touch_a_number_make_it_doubtful() -> None:
    alone = find_numbers([printed("837", (0.0, 0.0))])[0].confidence
    for text in ("EN837", "KI10", "CL1.6"):
        assert find_numbers([printed(text, (0.0, 0.0))])[0].confidence <= 0.5 * alone
    glued = find_numbers([printed("PSi100", (100.0, 0.0))])[0]
    assert glued.value == 100.0
    assert glued.center[0] > 100.0


def test_alternatives_are_ordered_and_start_with_what_was_read() -> None:
    found = number_alternatives("15")
    assert found[0] == (15.0, 1.0)
    assert {a.value for a in found} == {15.0, 1.5, -15.0, -1.5}
    assert [a.weight for a in found] == sorted((a.weight for a in found), reverse=True)
    assert number_alternatives("-30")[0].value == -30.0
    assert 30.0 in {a.value for a in number_alternatives("-30")}
    assert number_alternatives("04")[0].value == 0.4
    assert [a.value for a in number_alternatives("0")] == [0.0]
    assert 125.0 in {a.value for a in number_alternatives("12.5")}


def test_a_point_is_rather_lost_than_invented() -> None:
    lost = {a.value: a.weight for a in number_alternatives("25")}[2.5]
    invented = {a.value: a.weight for a in number_alternatives("5,0")}[50.0]
    assert lost > invented


@given(st.floats(0.1, 9000).map(lambda value: f"{value:.4g}").filter(lambda text: "e" not in text))
def test_any_plain_decimal_is_read_as_printed(text: str) -> None:
    digits = sum(letter.isdigit() for letter in text)
    assert values(text) == ([float(text)] if digits <= 5 else [])
    assert values(text.replace(".", ",")) == values(text)


@given(st.text(max_size=24))
def test_no_text_breaks_the_reading(text: str) -> None:
    assert len(plain_text(text)) == len(text)
    for mark in find_numbers([printed(text or " ", (10.0, 10.0))]):
        assert math.isfinite(mark.value)
        assert 0.0 < mark.confidence <= 1.0
    find_units([printed(text or " ", (10.0, 10.0))])


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("MPa", "MPa"),
        ("Mpa", "MPa"),
        ("kPa", "kPa"),
        ("bar", "bar"),
        ("BAR", "bar"),
        ("psi", "psi"),
        ("PSI", "psi"),
        ("PS1", "psi"),
        ("psig", "psi"),
        ("(PSI)", "psi"),
        ("PSi100", "psi"),
        ("kg/cm²", "kgf/cm2"),
        ("kg/cm'", "kgf/cm2"),
        ("kgf/cm2", "kgf/cm2"),
        ("℃", "°C"),
        ("°C", "°C"),
        ("'C", "°C"),
        ("TSUB℃", "°C"),
        ("2SUBD°F", "°F"),
        ('"F', "°F"),
        ('"Hg', "inHg"),
        ("in Hg", "inHg"),
        ("inHg", "inHg"),
        ("inches of water", "inH2O"),
        ("mm ofWater", "mmH2O"),
        ("kV", "kV"),
        ("mA", "mA"),
        ("km/h", "km/h"),
        ("% RH", "% RH"),
        ("CUBIC CENTIMETERS", "cc"),
        ("A", "A"),
        ("V", "V"),
        ("C", "°C"),
        ("%", "%"),
    ],
)
def test_printed_units(text: str, unit: str) -> None:
    assert units(text) == {unit}


@pytest.mark.parametrize(
    "text", ["WIKA", "PRESSURE", "BARCLAY", "psittacus", "MADE IN U.S.A.", "K", "L", "CE", "EN837", "TYPE", "A1"]
)
def test_words_are_no_units(text: str) -> None:
    assert units(text) == set()


def test_single_letters_must_be_sure_and_large() -> None:
    numerals = [printed(str(20 * k), (50.0 + 80 * k, 50.0), height=30) for k in range(4)]
    assert {mark.unit for mark in find_units([*numerals, printed("A", (200.0, 200.0), height=40)])} == {"A"}
    assert not find_units([*numerals, printed("A", (200.0, 200.0), height=10)])
    assert not find_units([*numerals, printed("A", (200.0, 200.0), height=40, confidence=0.5)])


def test_of_between_words_is_not_degrees_fahrenheit() -> None:
    line = [printed("VOLUME", (100.0, 50.0)), printed("OF", (190.0, 50.0)), printed("GAS", (250.0, 52.0))]
    assert not find_units(line)
    assert {mark.unit for mark in find_units([printed("OF", (190.0, 250.0)), *line[:1]])} == {"°F"}


def test_conversion_notes_are_no_units() -> None:
    assert units("MPa=bar x0.1") == set()
    assert units("kPa=barx100") == set()
    assert units("bar") == {"bar"}


@pytest.mark.parametrize(
    ("text", "factor"),
    [
        ("x1000 r/min", 1000.0),
        ("×100", 100.0),
        ("X 10", 10.0),
        ("x0.1", 0.1),
        ("1000", None),
        ("max 100", None),
        ("1/min x1000", 1000.0),
        ("RPMx100", 100.0),
        ("A x100", 100.0),
        ("MPa x 10", 10.0),
        ("x10001/min", 1000.0),
        ("x1001/min", 100.0),
        ("x7", None),
        ("x1000000", None),
    ],
)
def test_multipliers(text: str, factor: float | None) -> None:
    assert find_multiplier(text) == factor


@pytest.mark.parametrize("text", ["x1000 r/min", "1/min x1000", "RPMx1000", "rpm ×1000"])
def test_a_multiplied_unit_carries_its_factor(text: str) -> None:
    (mark,) = find_units([printed(text, (0.0, 0.0))])
    assert (mark.unit, mark.multiplier) == ("r/min", 1000.0)


def test_a_factor_on_its_own_line_belongs_to_the_nearest_unit() -> None:
    rpm, volt = printed("RPM", (200.0, 300.0)), printed("V", (500.0, 300.0))
    marks = find_units([printed("20", (0.0, 0.0)), rpm, volt, printed("x100", (205.0, 350.0))])
    assert {mark.unit: mark.multiplier for mark in marks} == {"r/min": 100.0, "V": 1.0}


@pytest.mark.parametrize("text", ["x7", "100", "x100 kPa", "(x100"])
def test_what_is_no_lone_factor_multiplies_nothing_else(text: str) -> None:
    marks = find_units([printed("RPM", (200.0, 300.0)), printed(text, (205.0, 350.0))])
    assert {mark.multiplier for mark in marks if mark.unit == "r/min"} == ({100.0} if text == "(x100" else {1.0})


def test_a_far_or_doubtful_factor_multiplies_nothing() -> None:
    rpm = printed("RPM", (200.0, 300.0))
    for factor in (printed("x100", (200.0, 600.0)), printed("x100", (205.0, 350.0), confidence=0.3)):
        assert [mark.multiplier for mark in find_units([rpm, factor])] == [1.0]


def test_a_number_that_lost_its_point_tells_of_the_numbers_beside_it() -> None:
    marks = {mark.text: mark for mark in find_numbers([printed(t, (0.0, 0.0)) for t in ("05", "10", "15", "20", "100")])}
    for text, value in (("10", 1.0), ("15", 1.5), ("20", 2.0)):
        assert marks[text].value == value
        assert float(text) in [alternative.value for alternative in marks[text].alternatives]
    assert marks["100"].value == 100.0


@pytest.mark.parametrize("telling", ["0", "00", "5"])
def test_plain_numbers_keep_their_values_beside_others(telling: str) -> None:
    marks = find_numbers([printed(telling, (0.0, 0.0)), printed("10", (50.0, 0.0)), printed("15", (90.0, 0.0))])
    assert [mark.value for mark in marks if mark.text in ("10", "15")] == [10.0, 15.0]


def test_the_frequency_of_the_mains_is_no_unit_of_the_scale() -> None:
    assert [mark.unit for mark in find_units([printed("60Hz", (100.0, 100.0)), printed("Pa", (100.0, 160.0))])] == ["Pa"]
    assert find_units([printed("50/60 Hz", (100.0, 100.0))]) == ()
    assert [mark.unit for mark in find_units([printed("Hz", (100.0, 100.0))])] == ["Hz"]


def test_the_end_of_a_unit_read_at_its_place_is_not_another_one() -> None:
    whole, end = printed("kV", (100.0, 100.0), confidence=0.97), printed("V", (104.0, 100.0), confidence=0.8)
    assert [mark.unit for mark in find_units([whole, end])] == ["kV"]
    apart = printed("V", (220.0, 100.0), confidence=0.8)
    assert {mark.unit for mark in find_units([whole, apart])} == {"kV", "V"}


@pytest.mark.parametrize(("text", "factor"), [("x1Q0min-1", 100.0), ("x1001b/in2", 100.0), ("x1OOO r/min", 1000.0)])
def test_round_letters_in_a_multiplier_are_zeros(text: str, factor: float) -> None:
    assert find_multiplier(text) == factor


def test_a_number_read_upside_down_does_not_take_the_points_of_others() -> None:
    texts = [printed(text, (100.0, 100.0 + 60 * row)) for row, text in enumerate(("2000", "4000", "0009", "6000"))]
    assert [mark.value for mark in find_numbers(texts) if mark.text in ("2000", "4000")] == [2000.0, 4000.0]
    lost = [printed(text, (100.0, 100.0 + 60 * row)) for row, text in enumerate(("05", "15", "25"))]
    assert 1.5 in [alternative.value for alternative in find_numbers(lost)[1].alternatives[:2]]
