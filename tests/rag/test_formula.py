"""A pointer angle becomes the manual's value with unit and interval, or no value and a reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.facts import AngleFrameFact, FormulaFact, ModelFacts, RangeFact, ReadoutFact, UnitFact
from rag.formula import calibrate, replace_instruments
from rag.needle import FormulaOptions, angle_half_width, manual_angle, needle_stands
from tests.rag.builders import make_facts, make_photo, make_reading
from vision.fields import EvidencePoints, InstrumentReading


def frame(hour: int, clockwise: bool = True) -> AngleFrameFact:
    return AngleFrameFact(chunk="a", text="", origin_hour=hour, clockwise=clockwise)


def formula(expression: str, unit: str | None = None) -> FormulaFact:
    return FormulaFact(chunk="f", text=f"x = {expression}", quantity="x", expression=expression, variable="angle", unit=unit)


@pytest.mark.parametrize(
    ("hour", "clockwise", "seen", "expected"),
    [
        (6, True, 137.2, 137.2),
        (6, False, 137.2, 222.8),
        (12, True, 180.0, 0.0),
        (12, True, 0.0, 180.0),
        (12, True, 270.0, 90.0),  # 3 o'clock is a quarter turn after 12
        (12, False, 90.0, 90.0),  # 9 o'clock is a quarter turn before 12
        (3, True, 270.0, 0.0),
        (3, True, 0.0, 90.0),
        (3, False, 180.0, 90.0),
        (9, True, 90.0, 0.0),
        (9, True, 180.0, 90.0),
        (9, False, 0.0, 90.0),
        (7, True, 30.0, 0.0),
    ],
)
def test_angle_in_the_manuals_frame(hour: int, clockwise: bool, seen: float, expected: float) -> None:
    assert manual_angle(seen, frame(hour, clockwise)) == pytest.approx(expected)


@given(st.floats(0, 359.99), st.integers(1, 12), st.booleans())
def test_frames_keep_the_circle(seen: float, hour: int, clockwise: bool) -> None:
    angle = manual_angle(seen, frame(hour, clockwise))
    assert 0 <= angle < 360
    origin = (hour - 6) * 30
    back = (origin + angle if clockwise else origin - angle) % 360
    assert min(abs(back - seen), 360 - abs(back - seen)) < 1e-6


def test_the_documents_own_example() -> None:
    found = calibrate(make_reading(pointer_angle=137.2, confidence={"pointer_angle": 0.95}), make_facts())
    reading = found.reading
    assert reading.value == pytest.approx(42.88)
    assert (reading.value_low, reading.value_high) == (pytest.approx(42.08, abs=0.01), pytest.approx(43.68, abs=0.01))
    assert (reading.unit, reading.value_source, reading.reason) == ("MPa", "calibration_formula", None)
    assert reading.value_confidence == 0.95
    assert found.used
    assert {fact.chunk for fact in found.facts} == {"f", "u", "a"}
    assert found.slots["formula"] == "pressure = (pointer angle - 30) / 2.5"


def test_the_reading_given_is_not_changed() -> None:
    given = make_reading(pointer_angle=137.2)
    before = given.model_dump()
    calibrate(given, make_facts())
    assert given.model_dump() == before


@pytest.mark.parametrize("confidence", [0.3, 0.6, 0.9, 0.99])
def test_less_confidence_is_a_wider_interval(confidence: float) -> None:
    options = FormulaOptions()
    wide, source = angle_half_width(make_reading(pointer_angle=90, confidence={"pointer_angle": confidence}), options)
    sure, _ = angle_half_width(make_reading(pointer_angle=90, confidence={"pointer_angle": confidence + 0.005}), options)
    assert source == "confidence"
    assert 0 < sure < wide <= options.max_half_width_deg


def test_confidence_is_the_probability_to_be_within_the_stated_degrees() -> None:
    # By definition: 95 % of angles lie within 2 degrees where the confidence is 0.95.
    width, _ = angle_half_width(make_reading(pointer_angle=90, confidence={"pointer_angle": 0.95}), FormulaOptions())
    assert width == pytest.approx(2.0)


@pytest.mark.parametrize("confidence", [0.0, 1.0])
def test_certainty_and_ignorance_stay_finite(confidence: float) -> None:
    width, _ = angle_half_width(make_reading(pointer_angle=90, confidence={"pointer_angle": confidence}), FormulaOptions())
    assert 0 < width <= FormulaOptions().max_half_width_deg


def test_without_confidence_the_default_is_used_and_named() -> None:
    found = calibrate(make_reading(pointer_angle=137.2), make_facts())
    assert found.half_width_source == "default"
    assert found.half_width_deg == FormulaOptions().default_half_width_deg


def test_a_falling_formula_keeps_its_ends_in_order() -> None:
    facts = make_facts(formula=formula("100 - angle / 4", "MPa"))
    reading = calibrate(make_reading(pointer_angle=100), facts).reading
    assert reading.value == pytest.approx(75.0)
    assert reading.value_low is not None
    assert reading.value_high is not None
    assert reading.value_low < 75.0 < reading.value_high


def test_an_extreme_inside_the_interval_is_not_missed() -> None:
    facts = make_facts(formula=formula("(angle - 100) ** 2 / 10", "MPa"))
    reading = calibrate(make_reading(pointer_angle=101), facts).reading
    assert reading.value_low == pytest.approx(0.0, abs=0.02)
    assert reading.value_high == pytest.approx(1.6, abs=0.01)


@pytest.mark.parametrize("angle", [5.0, 20.0, 345.0])
def test_beyond_the_valid_range_there_is_no_value_at_all(angle: float) -> None:
    given = make_reading(pointer_angle=angle, value=1.0, value_low=0.5, value_high=1.5, unit="MPa", value_source="printed_scale")
    reading = calibrate(given, make_facts()).reading
    assert reading.value is reading.value_low is reading.value_high is reading.value_source is None
    assert reading.value_confidence == 0.0
    assert "outside the valid range" in (reading.reason or "")


def test_at_rest_within_uncertainty_the_value_is_the_scales_end() -> None:
    reading = calibrate(make_reading(pointer_angle=29.0), make_facts()).reading
    assert reading.value == 0.0
    assert reading.value_low == 0.0
    # 3 degrees on the scale's own side, though the needle was seen one degree beside it.
    assert reading.value_high == pytest.approx(1.2)


def test_a_scale_across_the_frames_zero_is_counted_on() -> None:
    # Counted from 9 o'clock, clockwise: a scale that starts at 8 o'clock runs from -30 to 210 degrees.
    facts = make_facts(
        angle_frame=frame(9),
        angle_range=RangeFact(chunk="a", text="", low=-30, high=210),
        formula=formula("(angle + 30) / 2", "MPa"),
    )
    assert calibrate(make_reading(pointer_angle=60), facts).reading.value == pytest.approx(0.0)
    assert calibrate(make_reading(pointer_angle=80), facts).reading.value == pytest.approx(10.0)
    assert calibrate(make_reading(pointer_angle=120), facts).reading.value == pytest.approx(30.0)


def test_unit_not_declared_is_a_value_marked_so_and_never_given_a_unit() -> None:
    calibration = calibrate(make_reading(pointer_angle=137.2), make_facts(unit=None))
    assert calibration.reading.value == pytest.approx(42.88)
    assert calibration.reading.unit is None
    assert calibration.problem is not None
    assert calibration.problem.name == "unit_not_declared"
    assert "unit not declared" in (calibration.reading.reason or "")


def table_facts() -> ModelFacts:
    points = ((30.0, 0.0), (180.0, 10.0), (330.0, 100.0))
    fact = FormulaFact(
        chunk="f", text="Angle, Pressure: ...", quantity="p", expression="", variable="angle", unit="MPa", points=points
    )
    return make_facts(formula=fact, unit=None, angle_range=None, value_range=None)


@pytest.mark.parametrize(("angle", "value"), [(30, 0), (105, 5), (180, 10), (255, 55), (330, 100)])
def test_a_calibration_table_is_read_in_straight_lines(angle: float, value: float) -> None:
    calibration = calibrate(make_reading(pointer_angle=angle), table_facts())
    reading = calibration.reading
    assert reading.value == pytest.approx(value)
    assert (reading.unit, reading.value_source) == ("MPa", "calibration_formula")
    assert reading.value_low is not None
    assert reading.value_high is not None
    assert 0 <= reading.value_low <= value <= reading.value_high <= 100


def test_a_calibration_table_says_nothing_beyond_its_points() -> None:
    reading = calibrate(make_reading(pointer_angle=10), table_facts()).reading
    assert reading.value is None
    assert "outside the valid range of 30° to 330°" in (reading.reason or "")


def test_the_corner_of_a_table_is_in_the_interval() -> None:
    reading = calibrate(make_reading(pointer_angle=180.5), table_facts()).reading
    assert reading.value_low is not None
    assert reading.value_low < 10 < (reading.value or 0)


def test_unit_not_declared_leaves_the_photos_own_value() -> None:
    given = make_reading(pointer_angle=137.2, value=42.0, value_low=41.0, value_high=43.0, unit="MPa", value_source="numerals")
    reading = calibrate(given, make_facts(unit=None)).reading
    assert (reading.value, reading.value_source) == (42.0, "numerals")
    assert "unit not declared" in (reading.reason or "")


def test_units_that_conflict_are_no_value() -> None:
    facts = make_facts(unit=UnitFact(chunk="u", text="", quantity="x", unit="°C"), formula=formula("angle / 2", "MPa"))
    reading = calibrate(make_reading(pointer_angle=137.2), facts).reading
    assert reading.value is None
    assert "conflict" in (reading.reason or "")


def test_a_frame_that_is_not_declared_is_no_value() -> None:
    reading = calibrate(make_reading(pointer_angle=137.2), make_facts(angle_frame=None)).reading
    assert reading.value is None
    assert "starts" in (reading.reason or "")


def test_a_formula_that_is_not_arithmetic_is_no_value() -> None:
    reading = calibrate(make_reading(pointer_angle=137.2), make_facts(formula=formula("__import__('os')", "MPa"))).reading
    assert reading.value is None
    assert "cannot be used" in (reading.reason or "")


def test_a_value_outside_the_measuring_range_is_no_value() -> None:
    facts = make_facts(angle_range=None, formula=formula("angle * 10", "MPa"))
    reading = calibrate(make_reading(pointer_angle=137.2), facts).reading
    assert reading.value is None
    assert "measuring range" in (reading.reason or "")


def test_measuring_range_in_another_unit_is_converted() -> None:
    span = RangeFact(chunk="r", text="", low=0, high=1200, unit="bar")
    assert calibrate(make_reading(pointer_angle=137.2), make_facts(value_range=span)).reading.value == pytest.approx(42.88)


PHOTO = {"value_source": "printed_scale", "unit": "MPa", "confidence": {"pointer_angle": 0.9}}


def test_printed_scale_far_from_the_formula_is_said_and_doubted() -> None:
    given = make_reading(pointer_angle=137.2, value=80.0, value_low=79.0, value_high=81.0, **PHOTO)
    reading = calibrate(given, make_facts()).reading
    assert reading.value == pytest.approx(42.88)
    assert reading.value_confidence < 0.3
    assert "80 MPa" in (reading.reason or "")
    assert "42.88 MPa" in (reading.reason or "")


def test_printed_scale_that_agrees_in_another_unit_is_not_doubted() -> None:
    given = make_reading(pointer_angle=137.2, value=430.0, value_low=420.0, value_high=440.0, **{**PHOTO, "unit": "bar"})
    reading = calibrate(given, make_facts()).reading
    assert reading.reason is None
    assert reading.value_confidence == 0.9


def test_a_scale_in_a_unit_of_another_quantity_is_doubted() -> None:
    given = make_reading(pointer_angle=137.2, value=42.8, value_low=42.0, value_high=44.0, **{**PHOTO, "unit": "°C"})
    assert "°C" in (calibrate(given, make_facts()).reading.reason or "")


def test_abstained_readings_stay_as_they_are() -> None:
    given = make_reading(pointer_angle=137.2, status="abstained", reason="glare")
    found = calibrate(given, make_facts())
    assert found.reading == given
    assert not found.used


def test_without_formula_or_angle_nothing_happens() -> None:
    assert calibrate(make_reading(pointer_angle=137.2), make_facts(formula=None)).reading.value is None
    assert calibrate(make_reading(kind="lamp", warning_light_color="red"), make_facts()).reading.reason is None


def test_digits_take_the_manuals_unit_where_they_are_the_reading() -> None:
    digits = {"digital_readout": "12.5", "value": 12.5, "value_low": 12.45, "value_high": 12.55, "value_source": "digits"}
    readout = ReadoutFact(chunk="d", text="The digits are the reading.")
    plain = make_facts(formula=None, readout=readout)
    assert calibrate(make_reading("digital", **digits), plain).reading.unit == "MPa"
    assert calibrate(make_reading("digital", **digits), make_facts(formula=None)).reading.unit is None
    doubted = calibrate(make_reading("digital", unit="°C", value_confidence=0.9, **digits), plain).reading
    assert doubted.value == 12.5
    assert doubted.value_confidence < 0.3
    assert "°C" in (doubted.reason or "")


def test_a_formula_of_digits_carries_their_interval() -> None:
    facts = make_facts(formula=formula("readout * 10", "kWh"), unit=None, value_range=None)
    given = make_reading("counter", digital_readout="5", value=5.0, value_low=4.5, value_high=5.5, value_source="digits")
    reading = calibrate(given, facts).reading
    assert (reading.value, reading.value_low, reading.value_high, reading.unit) == (50.0, 45.0, 55.0, "kWh")


@given(st.floats(31, 329), st.floats(0.2, 0.999))
def test_the_value_always_lies_in_its_interval(angle: float, confidence: float) -> None:
    reading = calibrate(make_reading(pointer_angle=angle, confidence={"pointer_angle": confidence}), make_facts()).reading
    assert reading.value == pytest.approx((angle - 30) / 2.5)
    assert reading.value_low is not None
    assert reading.value_high is not None
    assert 0 <= reading.value_low <= reading.value <= reading.value_high <= 120


def abstained(tip: tuple[float, float] | None, confidence: float = 0.9, **given: float) -> InstrumentReading:
    """A dial whose printed scale gave no value; the pivot at (100, 100)."""
    reading = make_reading(
        status="abstained", reason="the numbers are not legible", confidence={"pointer_angle": confidence}, **given
    )
    return reading.model_copy(update={"points": EvidencePoints(needle_tip=tip, pivot=(100.0, 100.0))})


# 137.2 degrees clockwise from 6 o'clock: left of the pivot and above it (pixels run down).
TIP = (100.0 - 50 * 0.6794, 100.0 - 50 * 0.7337)


def test_a_needle_found_for_certain_is_read_by_the_formula_alone() -> None:
    reading = calibrate(abstained(TIP, pointer_angle=137.2), make_facts()).reading
    assert reading.status == "read"
    assert reading.value == pytest.approx(42.88)
    assert "not legible" in (reading.reason or "")
    photo = replace_instruments(make_photo(abstained(TIP, pointer_angle=137.2)), [reading])
    assert (photo.status, photo.reason) == ("read", None)
    assert type(photo).model_validate(photo.model_dump()) == photo


@pytest.mark.parametrize(
    "reading",
    [
        abstained(TIP, confidence=0.4, pointer_angle=137.2),
        abstained(None, pointer_angle=137.2),
        abstained(TIP),
        abstained((200 - TIP[0], 200 - TIP[1]), pointer_angle=137.2),  # the tail taken for the tip
        abstained((100.0, 150.0), pointer_angle=137.2),
        abstained((100.0, 100.0), pointer_angle=137.2),
        abstained(TIP, pointer_angle=137.2).model_copy(update={"kind": "lamp"}),
    ],
)
def test_any_doubt_about_the_needle_leaves_the_reading_abstained(reading: InstrumentReading) -> None:
    assert not needle_stands(reading, FormulaOptions())
    assert calibrate(reading, make_facts()).reading == reading


@pytest.mark.parametrize("changes", [{"formula": None}, {"unit": None}, {"angle_frame": None}])
def test_a_manual_that_gives_no_value_leaves_the_reading_abstained(changes: dict[str, None]) -> None:
    reading = abstained(TIP, pointer_angle=137.2)
    assert calibrate(reading, make_facts(**changes)).reading == reading


def test_beyond_the_scale_an_abstained_reading_stays_abstained() -> None:
    reading = abstained((100.0, 150.0), pointer_angle=0.0)
    assert needle_stands(reading, FormulaOptions())
    assert calibrate(reading, make_facts()).reading == reading


@pytest.mark.parametrize(("tip", "angle"), [((100, 150), 0.0), ((50, 100), 90.0), ((100, 50), 180.0), ((150, 100), 270.0)])
def test_points_and_angle_share_a_frame(tip: tuple[float, float], angle: float) -> None:
    assert needle_stands(abstained(tip, pointer_angle=angle), FormulaOptions())


def test_the_status_of_a_photo_without_a_read_instrument_stays() -> None:
    photo = make_photo(abstained(None))
    assert replace_instruments(photo, photo.instruments) == photo
