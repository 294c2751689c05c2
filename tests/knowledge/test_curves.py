"""Curves: tables of points between their ends, and formulas that have no value somewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.arithmetic import FormulaError
from knowledge.curves import PointTable, defined_span, load_curve, undefined_at

TABLE = PointTable(((30.0, 0.0), (180.0, 10.0), (330.0, 100.0)), "table")


@pytest.mark.parametrize(("angle", "value"), [(30, 0), (31.5, 0.1), (180, 10), (181, 10.6), (330, 100)])
def test_between_points_the_curve_is_straight(angle: float, value: float) -> None:
    assert TABLE.evaluate({"pointer_angle": angle}) == pytest.approx(value)


@pytest.mark.parametrize("angle", [29.9, 330.1, -30, 720])
def test_beyond_the_points_there_is_no_value(angle: float) -> None:
    with pytest.raises(FormulaError, match="30 to 330 degrees"):
        TABLE.evaluate({"pointer_angle": angle})


def test_an_angle_that_was_not_read_is_named() -> None:
    with pytest.raises(FormulaError, match="pointer_angle"):
        TABLE.evaluate({})


@pytest.mark.parametrize("points", [(), ((1.0, 2.0),), ((1.0, 2.0), (1.0, 3.0)), ((2.0, 1.0), (1.0, 2.0))])
def test_points_that_do_not_rise_are_refused(points: tuple[tuple[float, float], ...]) -> None:
    with pytest.raises(FormulaError, match="rising angle"):
        PointTable(points, "table")


@given(st.lists(st.tuples(st.integers(0, 360), st.floats(-1e3, 1e3)), min_size=2, max_size=9, unique_by=lambda p: p[0]))
def test_a_table_meets_its_points_and_never_leaves_their_range(pairs: list[tuple[int, float]]) -> None:
    points = tuple(sorted((float(angle), value) for angle, value in pairs))
    table = PointTable(points, "table")
    for angle, value in points:
        assert table.evaluate({"pointer_angle": angle}) == pytest.approx(value, abs=1e-6)
    middle = (points[0][0] + points[-1][0]) / 2
    values = [value for _, value in points]
    assert min(values) - 1e-6 <= table.evaluate({"pointer_angle": middle}) <= max(values) + 1e-6


@pytest.mark.parametrize(
    ("formula", "span", "angle"),
    [
        ("(angle - 30) / 2.5", (30, 330), None),
        ("1 / (angle - 100.3)", (30, 330), 100.5),  # between two steps of half a degree
        ("1 / (angle - 100)", (30, 330), 100),
        ("1 / (angle - 20)", (30, 330), None),
        ("sqrt(angle - 60)", (30, 330), 30),
        ("sqrt(angle - 30)", (30, 330), None),
        ("digital readout / 0.5", (30, 330), None),
    ],
)
def test_where_a_formula_has_no_value(formula: str, span: tuple[float, float], angle: float | None) -> None:
    assert undefined_at(load_curve(formula), *span) == angle


def test_the_span_in_which_a_formula_has_values() -> None:
    assert defined_span(load_curve("sqrt(angle - 60)")) == (60, 360)
    assert defined_span(load_curve("1 / 0")) is None
    assert defined_span(load_curve("sqrt(0 - angle - 1)")) is None
    assert defined_span(TABLE) == (30, 330)
    assert load_curve("", TABLE.points).variables == {"pointer_angle"}
