"""What the pages are made of: shapes over the photo, the strip, the chart, rows, and the correction form's text."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from knowledge.facts import LimitFact, ModelFacts, RangeFact
from rag.pipeline import Inspection
from serve.store.reports import PlaceReading
from serve.web.chart import BOTTOM, LEFT, RIGHT, TOP, UNREAD_Y, build_charts, nice_steps, value_text
from serve.web.drawing import draw_shapes
from serve.web.strip import WIDTH, build_strip
from serve.web.views import view_report
from serve.web.words import Words
from tests.serve.doubles import WEIGHTS, abstained_dial, make_dial
from vision.fields import EvidencePoints, InstrumentReading, PhotoReading

EN = Words("en")


def photo_reading(*instruments: InstrumentReading) -> PhotoReading:
    read = any(one.status == "read" for one in instruments)
    status = "read" if read else "abstained"
    reason = None if read else "no instrument was found in the photo"
    return PhotoReading(photo="a.png", sha256="0" * 64, status=status, reason=reason, instruments=instruments, weights=WEIGHTS)


def limits(*bands: tuple[str, float | None, float | None], unit: str = "MPa") -> ModelFacts:
    facts = tuple(LimitFact(chunk="c", text="t", level=level, low=low, high=high, unit=unit) for level, low, high in bands)  # type: ignore[arg-type]
    value_range = RangeFact(chunk="c", text="t", low=0.0, high=120.0, unit="MPa")
    return ModelFacts(model="X", language="en", document="d", version="1", limits=facts, value_range=value_range)


STATED = limits(("normal", 0.0, 80.0), ("warning", 80.0, 100.0), ("alarm", 100.0, None))


# --- shapes ---------------------------------------------------------------------------------------------------------


def test_shapes_lie_where_it_was_read() -> None:
    overlay = draw_shapes(photo_reading(make_dial(400, 300)), 400, 300)
    (shape,) = overlay.shapes
    assert (shape.x, shape.y, shape.width, shape.height) == (40, 30, 320, 240)
    assert shape.needle == (200, 150, 200, 60)
    assert {dot.name for dot in shape.dots} == {"start", "end", "needle"}
    assert shape.read


def test_small_instruments_lie_on_top_and_keep_their_numbers() -> None:
    small = make_dial(400, 300, box=(10.0, 10.0, 60.0, 60.0), points=EvidencePoints())
    shapes = draw_shapes(photo_reading(small, make_dial(400, 300), abstained_dial(400, 300)), 400, 300).shapes
    assert [shape.number for shape in shapes] == [3, 2, 1]
    assert [shape.read for shape in shapes] == [False, True, True]


numbers = st.floats(-1e7, 1e7)


@given(box=st.tuples(numbers, numbers, numbers, numbers))
def test_boxes_stay_inside_the_photo(box: tuple[float, float, float, float]) -> None:
    (shape,) = draw_shapes(photo_reading(make_dial(400, 300, box=box)), 400, 300).shapes
    assert 0 <= shape.x <= shape.x + shape.width <= 400.01
    assert 0 <= shape.y <= shape.y + shape.height <= 300.01
    assert 0 <= shape.badge[0] <= 400
    assert 0 <= shape.badge[1] <= 300


# --- strip ----------------------------------------------------------------------------------------------------------


def test_the_strip_holds_scale_bands_and_value() -> None:
    dial = make_dial(100, 100, value_source="calibration_formula")
    strip = build_strip(dial, STATED)
    assert strip is not None
    assert strip.value_x == pytest.approx(WIDTH * 50 / 120, abs=0.1)
    assert [(band.level, round(band.x)) for band in strip.bands] == [("normal", 0), ("warning", 667), ("alarm", 833)]
    assert [tick.text for tick in strip.ticks] == ["0", "80", "100", "120"]


def test_the_strip_is_in_the_values_unit() -> None:
    dial = make_dial(100, 100, value=500.0, value_low=490.0, value_high=510.0, unit="bar", value_source="calibration_formula")
    strip = build_strip(dial, STATED)
    assert strip is not None
    assert strip.ticks[-1].text == "1200"
    assert strip.value_x == pytest.approx(WIDTH * 500 / 1200, abs=0.1)


@pytest.mark.parametrize(
    "changes",
    [
        {"value": None, "value_low": None, "value_high": None, "value_source": None},
        {"value_source": "digits"},
        {"unit": None, "value_source": "calibration_formula"},
        {"unit": "V", "value_source": "calibration_formula"},
        {"value": 900.0, "value_low": 890.0, "value_high": 910.0},
    ],
)
def test_no_strip_where_the_scale_is_not_known(changes: dict[str, Any]) -> None:
    assert build_strip(make_dial(100, 100, **changes), STATED) is None


def test_bands_of_another_quantity_are_left_out() -> None:
    strip = build_strip(make_dial(100, 100), limits(("alarm", 10.0, None), unit="°C"))
    assert strip is not None
    assert strip.bands == ()


# --- chart ----------------------------------------------------------------------------------------------------------


def past(hours: float, value: float | None, report: str = "", **changes: Any) -> PlaceReading:
    values: dict[str, Any] = {
        "report": report or f"r{hours}", "number": 1, "created": 1.79e9 + 3600 * hours, "place": "P", "kind": "dial",
        "model": "X", "status": "abstained" if value is None else "read", "reason": None, "value": value,
        "low": None if value is None else value - 1, "high": None if value is None else value + 1,
        "unit": None if value is None else "MPa", "confidence": 0.9,
    }  # fmt: skip
    return PlaceReading(**{**values, **changes})


def test_a_chart_of_values_intervals_limits_and_what_was_not_read() -> None:
    history = [past(0, 70.0), past(1, None), past(2, 79.0), past(3, 90.0)]
    (chart,) = build_charts(history, {"X": STATED})
    assert [round(dot.x) for dot in chart.dots] == sorted(round(dot.x) for dot in chart.dots)
    assert chart.dots[0].y > chart.dots[1].y > chart.dots[2].y
    assert all(dot.high_y < dot.y < dot.low_y for dot in chart.dots)
    assert [(limit.level, limit.text) for limit in chart.limits] == [("warning", "80"), ("alarm", "100")]
    assert chart.dots[1].y > chart.limits[0].y > chart.dots[2].y
    assert len(chart.crosses) == 1
    assert "90 MPa" in chart.dots[2].text


def test_units_of_one_quantity_share_a_chart_and_others_do_not() -> None:
    history = [past(0, 700.0, unit="bar", low=690.0, high=710.0), past(1, 71.0), past(2, 5.0, unit=None)]
    charts = build_charts(history, {})
    assert sorted(str(chart.unit) for chart in charts) == ["MPa", "None"]
    shared = next(chart for chart in charts if chart.unit == "MPa")
    assert "70 MPa" in shared.dots[0].text


def test_two_instruments_of_one_kind_in_a_photo_are_not_mixed_up() -> None:
    history = [past(0, 10.0, "a"), past(1, 11.0, "b"), past(1, 99.0, "b", number=2), past(2, 12.0, "c")]
    (chart,) = build_charts(history, {})
    assert [dot.report for dot in chart.dots] == ["a", "c"]


def test_nothing_to_chart() -> None:
    assert build_charts([], {}) == ()
    assert build_charts([past(0, None)], {}) == ()


values = st.floats(-1e9, 1e9)


@given(st.lists(st.tuples(st.floats(0, 1e5), st.one_of(st.none(), values), st.floats(0, 1e6)), min_size=1, max_size=20))
def test_everything_lies_inside_the_drawing(rows: list[tuple[float, float | None, float]]) -> None:
    history = [
        past(hour, value, f"r{number}", low=None if value is None else value - half, high=None if value is None else value + half)
        for number, (hour, value, half) in enumerate(rows)
    ]
    for chart in build_charts(history, {"X": STATED}):
        heights = [place for dot in chart.dots for place in (dot.y, dot.low_y, dot.high_y)]
        heights += [mark.at for mark in chart.rows] + [limit.y for limit in chart.limits]
        assert all(TOP - 0.1 <= height <= UNREAD_Y <= BOTTOM for height in heights)
        assert all(LEFT <= one.x <= RIGHT for one in (*chart.dots, *chart.crosses))


@given(values, st.floats(0, 1e9))
@example(0.0, 5e-324)
@example(1e-310, 0.0)
def test_steps_span_what_they_are_for(low: float, span: float) -> None:
    steps = nice_steps(low, low + span)
    assert 2 <= len(steps) <= 8
    assert steps[0] <= low + 1e-6 * max(1.0, abs(low))
    assert steps[-1] >= low + span - 1e-6 * max(1.0, abs(low + span))
    assert all(math.isfinite(step) for step in steps)


def test_values_have_the_digits_of_their_interval() -> None:
    assert value_text(42.8812, 41.4, 44.3, "MPa") == "42.88 MPa"
    assert value_text(3.0, None, None, None) == "3"


# --- a report's page ------------------------------------------------------------------------------------------------


def test_either_a_value_or_the_reason_why_not() -> None:
    reading = photo_reading(make_dial(400, 300), abstained_dial(400, 300))
    view = view_report(Inspection(request_id="r", reading=reading), None, EN)
    first, second = view.cards
    assert (first.value, first.unit, first.interval, first.confidence_percent, first.reason) == (
        "50", "MPa", ("48.5", "51.5"), 87, None,
    )  # fmt: skip
    assert (second.value, second.unit, second.interval, second.reason) == (None, None, None, "the needle is hidden")
    assert second.confidence_percent is None
    assert view.reason is None


def test_reasons_are_told_in_chinese() -> None:
    dial = abstained_dial(400, 300).model_copy(update={"reason": "glare lies over the needle"})
    view = view_report(Inspection(request_id="r", reading=photo_reading(dial)), None, Words("zh"))
    assert view.cards[0].reason == "指针处有反光"
    assert view_report(Inspection(request_id="r", reading=photo_reading()), None, Words("zh")).reason == "照片中没有找到仪表"


def test_a_value_without_a_unit_says_so() -> None:
    view = view_report(Inspection(request_id="r", reading=photo_reading(make_dial(400, 300, unit=None))), None, EN)
    assert view.cards[0].unit is None
    assert view.cards[0].unit_missing


def test_what_has_no_number_has_no_confidence_either() -> None:
    fields = make_dial(9, 9).fields.model_copy(update={"kind": "lamp", "warning_light_color": "red", "unit": None})
    lamp = InstrumentReading(kind="lamp", box=(0, 0, 9, 9), fields=fields, status="read", value_confidence=0.9)
    (card,) = view_report(Inspection(request_id="r", reading=photo_reading(lamp)), None, EN).cards
    assert card.value == "red"
    assert card.confidence_percent is None
    assert not card.unit_missing


def test_ninety_nine_point_nine_is_not_certain() -> None:
    dial = make_dial(9, 9, value_confidence=0.999)
    assert view_report(Inspection(request_id="r", reading=photo_reading(dial)), None, EN).cards[0].confidence_percent == 99
