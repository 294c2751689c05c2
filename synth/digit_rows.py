"""Where rows of digits stand on displays and counters, for the truth: the digits alone, without letters before them."""

from __future__ import annotations

from collections.abc import Callable

from synth.devices import CounterSpec, DigitalSpec
from synth.display import PITCH, WIDTH, Line, cells, lines
from synth.spec import Vec
from vision.samples import DigitRow

View = Callable[[list[Vec]], list[Vec]]


def display_rows(spec: DigitalSpec, view: View) -> tuple[DigitRow, ...]:
    """The rows of a lit display, the main one first; a row folded over two lines has no one place and is left out."""
    if not spec.lit:
        return ()
    found = [(line.row is not spec.main, _row(line, view)) for line in lines(spec) if _has_digits(line)]
    return tuple(row for _, row in sorted(found, key=lambda pair: pair[0]))


def counter_rows(spec: CounterSpec, view: View) -> tuple[DigitRow, ...]:
    """The drums of a counter as one row."""
    wide, high = spec.drum
    x = wide * len(spec.digits) / 2
    return (DigitRow(text=spec.readout, corners=_corners(view, -x, spec.middle - high / 2, x, spec.middle + high / 2)),)


def _has_digits(line: Line) -> bool:
    return bool(line.row.digits) and not line.row.status and not line.row.fold


def _row(line: Line, view: View) -> DigitRow:
    shown = line.row.digits.replace(".", ",") if line.row.comma else line.row.digits
    first = cells(line.text[: line.text.rindex(shown)])
    left = line.left + first * PITCH * line.height
    right = left + ((cells(shown) - 1) * PITCH + WIDTH) * line.height
    return DigitRow(text=line.row.digits, corners=_corners(view, left, line.top, right, line.top + line.height))


def _corners(view: View, x0: float, y0: float, x1: float, y1: float) -> tuple[Vec, Vec, Vec, Vec]:
    top_left, top_right, low_right, low_left = view([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    return top_left, top_right, low_right, low_left
