"""Calibration curves: a checked expression, or the points of a calibration table with straight lines between them.

Both answer the same questions, so that whoever computes a value need not know which of them a manual gives.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from knowledge.arithmetic import Expression, FormulaError, evaluate_node, parse_formula

Point = tuple[float, float]

VARIABLE = "pointer_angle"
_STEP_DEG = 0.5
_TINY = 1e-9


@dataclass(frozen=True)
class PointTable:
    """Points (angle in degrees, value) in order of the angle; between two of them the curve is straight.

    Beyond the first and the last point there is no value: a calibration says nothing about what was not measured.
    """

    points: tuple[Point, ...]
    source: str
    unit: str | None = None
    variables: frozenset[str] = frozenset({VARIABLE})

    def __post_init__(self) -> None:
        angles = [angle for angle, _ in self.points]
        if len(angles) < 2 or any(b <= a for a, b in pairwise(angles)):
            raise FormulaError(f"{self.source}: a calibration table needs two or more points of rising angle, got {angles}")

    def evaluate(self, values: Mapping[str, float]) -> float:
        """Value at the given angle. Raises FormulaError outside the table's angles."""
        if VARIABLE not in values:
            raise FormulaError(f"{self.source} needs {VARIABLE}, which was not read")
        angle = values[VARIABLE]
        first, last = self.points[0][0], self.points[-1][0]
        if not first - _TINY <= angle <= last + _TINY:
            raise FormulaError(f"{self.source} has points from {first:g} to {last:g} degrees and none at {angle:g}")
        right = min(max(bisect_left([a for a, _ in self.points], angle), 1), len(self.points) - 1)
        (a, low), (b, high) = self.points[right - 1 : right + 1]
        return low + (high - low) * (min(max(angle, a), b) - a) / (b - a)


Curve = Expression | PointTable


def load_curve(expression: str, points: Sequence[Point] = (), source: str = "") -> Curve:
    """The curve of a formula fact. Raises FormulaError where the text is not plain arithmetic or the points do not rise."""
    return PointTable(tuple(points), source or f"table of {len(points)} points") if points else parse_formula(expression)


def undefined_at(curve: Curve, low_deg: float, high_deg: float) -> float | None:
    """The first angle of a range at which a formula of the angle alone has no finite value, else None.

    A denominator that changes its sign between two steps has a pole between them, although no step may meet it.
    """
    if isinstance(curve, PointTable):
        return None
    if not curve.variables:
        return low_deg if _fails(curve, {}) else None
    if curve.variables != {VARIABLE}:
        return None
    count = max(int((high_deg - low_deg) / _STEP_DEG), 1)
    angles = [low_deg + (high_deg - low_deg) * n / count for n in range(count + 1)]
    divisors = [node.right for node in ast.walk(curve.tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)]
    signs: list[float | None] = [None] * len(divisors)
    for angle in angles:
        values = {VARIABLE: angle}
        if _fails(curve, values):
            return angle
        for n, divisor in enumerate(divisors):
            now = evaluate_node(divisor, values)
            before = signs[n]
            if before is not None and before * now < 0:
                return angle
            signs[n] = now
    return None


def defined_span(curve: Curve, low_deg: float = 0.0, high_deg: float = 360.0) -> Point | None:
    """First and last angle of a range at which the curve has a value, None where it has none anywhere."""
    if isinstance(curve, PointTable):
        return curve.points[0][0], curve.points[-1][0]
    if curve.variables != {VARIABLE}:
        return None if not curve.variables and _fails(curve, {}) else (low_deg, high_deg)
    count = max(int((high_deg - low_deg) / _STEP_DEG), 1)
    angles = [low_deg + (high_deg - low_deg) * n / count for n in range(count + 1)]
    held = [angle for angle in angles if not _fails(curve, {VARIABLE: angle})]
    return (held[0], held[-1]) if held else None


def _fails(curve: Expression, values: Mapping[str, float]) -> bool:
    try:
        curve.evaluate(values)
    except FormulaError:
        return True
    return False
