"""Needles near their stops beside other dials: doubted there, believed alone or further on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.cluster import AT_MOST, GAP_OF_SIDE, REMARK, are_neighbours, doubt_resting_needles
from vision.fields import Box, GaugeFields, InstrumentReading, Kind
from vision.judge import Judged

LEFT: Box = (0.0, 0.0, 100.0, 100.0)
RIGHT: Box = (120.0, 10.0, 220.0, 110.0)
FAR: Box = (400.0, 0.0, 500.0, 100.0)
sides = st.floats(1.0, 500.0)
boxes = st.tuples(st.floats(0, 900), st.floats(0, 900), sides, sides).map(lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3]))


def read(
    box: Box, along: float | None = 0.03, confidence: float = 0.95, kind: Kind = "dial", reason: str | None = None
) -> Judged:
    reading = InstrumentReading(
        kind=kind,
        box=box,
        fields=GaugeFields(kind=kind),
        value=4.9,
        value_low=2.0,
        value_high=7.0,
        value_source="numerals",
        value_confidence=confidence,
        status="read",
        reason=reason,
    )
    return Judged(reading, (), {} if along is None else {"along": along})


def silent(box: Box, kind: Kind = "dial") -> Judged:
    fields = GaugeFields(kind=kind)
    return Judged(InstrumentReading(kind=kind, box=box, fields=fields, status="abstained", reason="no scale"), ())


@pytest.mark.parametrize("along", [-0.05, 0.01, 0.03])
def test_a_needle_near_its_stop_beside_a_dial_is_doubted(along: float) -> None:
    first, second = doubt_resting_needles([read(LEFT, along), silent(RIGHT)])
    assert first.reading.value_confidence == AT_MOST
    assert first.reading.value == 4.9
    assert first.reading.reason == REMARK
    assert second == silent(RIGHT)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (read(LEFT), silent(FAR)),
        (read(LEFT), silent(RIGHT, "digital")),
        (read(LEFT, 0.4), silent(RIGHT)),
        (read(LEFT, 0.0), silent(RIGHT)),
        (read(LEFT, None), silent(RIGHT)),
        (read(LEFT, confidence=0.6), silent(RIGHT)),
    ],
)
def test_what_stands_alone_or_far_along_is_believed(one: Judged, other: Judged) -> None:
    assert doubt_resting_needles([one, other]) == (one, other)
    assert doubt_resting_needles([one]) == (one,)


def test_a_remark_that_is_there_stays() -> None:
    first, _ = doubt_resting_needles([read(LEFT, reason="the looks differ"), read(RIGHT, 0.5)])
    assert first.reading.reason == f"the looks differ; {REMARK}"
    assert doubt_resting_needles([]) == ()


@given(boxes, boxes, st.floats(0.1, 10.0))
def test_neighbours_are_so_both_ways_and_at_any_scale(first: Box, second: Box, factor: float) -> None:
    assert are_neighbours(first, second) == are_neighbours(second, first)
    assert are_neighbours(first, first)
    grown = tuple(factor * side for side in first), tuple(factor * side for side in second)
    gaps = max(max(first[0], second[0]) - min(first[2], second[2]), max(first[1], second[1]) - min(first[3], second[3]))
    side = max(first[2] - first[0], first[3] - first[1], second[2] - second[0], second[3] - second[1])
    if abs(gaps - GAP_OF_SIDE * side) > 1e-6 * side:
        assert are_neighbours(*grown) == are_neighbours(first, second)  # type: ignore[arg-type]
