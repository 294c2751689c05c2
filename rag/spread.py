"""How far the variables of a formula may be off, and what the formula makes of that: no value is surer than what it came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from knowledge.curves import Curve, PointTable
from rag.needle import FormulaOptions, angle_half_width
from vision.fields import InstrumentReading, sweep_deg

STEPS = 16
"""A formula need not be monotone: the ends of an interval alone would miss an extreme between them."""
STEPS_OF_SEVERAL = 4
"""Of each variable where several of them are uncertain."""

Span = tuple[float, float, float]
"""A variable's least, own and greatest value."""


def held_within(low: float, high: float, value: float, half_width: float) -> Span:
    """An interval about a value on a scale from `low` to `high`, which nothing can leave.

    A needle that was seen beside the scale's end stands on it; on the scale's own side the interval keeps its width.
    """
    held = min(max(value, low), high)
    return max(held - half_width, low), held, min(held + half_width, high)


def fraction_span(reading: InstrumentReading, options: FormulaOptions) -> Span | None:
    """The place on the scale, as sure as the needle's angle; None where it was not read or lies off the scale for certain."""
    seen = reading.fields
    if seen.scale_fraction is None:
        return None
    sweep = options.assumed_sweep_deg
    if seen.start_angle is not None and seen.end_angle is not None:
        sweep = sweep_deg(seen.start_angle, seen.end_angle, seen.clockwise is not False) or sweep
    half_width = angle_half_width(reading, options, ("pointer_angle", "scale_fraction"))[0] / sweep
    if not -half_width <= seen.scale_fraction <= 1.0 + half_width:
        return None
    return held_within(0.0, 1.0, seen.scale_fraction, half_width)


def digits_span(reading: InstrumentReading) -> Span | None:
    """The digits as a number with the interval of the reader's own value, half of the last digit either way at least.

    None where they are no number.
    """
    text = reading.fields.digital_readout
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    half = 0.5 * 10.0 ** -len(text.partition(".")[2])
    below = above = half
    if reading.value is not None and reading.value_low is not None and reading.value_high is not None:
        below, above = max(half, reading.value - reading.value_low), max(half, reading.value_high - reading.value)
    return number - below, number, number + above


def evaluate_over(expression: Curve, spans: Mapping[str, Span]) -> tuple[float, float, float]:
    """Least, own and greatest value of a formula over the intervals of its variables. Raises FormulaError where it has none."""
    own = expression.evaluate({name: span[1] for name, span in spans.items()})
    steps = STEPS if len(spans) == 1 else STEPS_OF_SEVERAL
    places = [tuple(_places(span, steps, expression)) for span in spans.values()]
    found = [expression.evaluate(dict(zip(spans, values, strict=True))) for values in product(*places)]
    return min(*found, own), own, max(*found, own)


def _places(span: Span, steps: int, expression: Curve) -> Iterable[float]:
    low, own, high = span
    yield from (low + (high - low) * step / steps for step in range(steps + 1))
    yield own
    if isinstance(expression, PointTable):
        # The corners of a table are where its extremes lie.
        yield from _corners(expression.points, low, high)


def _corners(points: Sequence[tuple[float, float]], low: float, high: float) -> Iterable[float]:
    return (angle for angle, _ in points if low < angle < high)
