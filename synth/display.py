"""Where a display's rows, letters and units stand in its window: one layout for whoever draws or checks it.

Lengths in face units. A row's cells are WIDTH + PITCH_GAP digit heights apart; a point takes no cell of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from synth.devices import DigitalSpec, DisplayRow
from synth.fonts import SYMBOL_SAFE
from synth.spec import Print

WIDTH = 0.56
"""Width of a digit's cell without the space to the next, in digit heights."""
PITCH = WIDTH + 0.16
"""From one cell to the next, in digit heights."""
POINTS = ".,"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of cells: its text (padded to the row's slots), top left corner and digit height."""

    text: str
    left: float
    top: float
    height: float
    row: DisplayRow


def cells(text: str) -> int:
    return sum(1 for c in text if c not in POINTS)


def text_extent(text: str, stroke: float) -> float:
    """Width of the digits in digit heights."""
    return cells(text) * PITCH - 0.16 + (stroke if text.endswith(tuple(POINTS)) else 0.0)


def shown_text(row: DisplayRow) -> str:
    """What the row's cells show: lead, digits (a comma where it prints one) or the status code."""
    body = row.status or (row.digits.replace(".", ",") if row.comma else row.digits)
    return f"{row.lead} {body}" if row.lead and not row.status else body


def _texts(row: DisplayRow) -> tuple[str, ...]:
    text = shown_text(row)
    return (text[: row.fold], text[row.fold :]) if row.fold else (text,)


def lines(spec: DigitalSpec) -> tuple[Line, ...]:
    """All lines from the top; rows share the window by their heights, digits of equal rows are equally large."""
    x0, y0, x1, y1 = spec.window
    texts = [(row, text) for row in spec.rows for text in _texts(row)]
    if not texts:
        return ()
    units = any(row.unit_text for row in spec.rows)
    labels = any(row.label and row.label_shown for row in spec.rows)
    side = 0.1 if labels else 0.05
    room = (x1 - x0) * (0.95 - side - (0.26 if units else 0.0))
    most = max(max(cells(text), spec.slots) * row.height for row, text in texts)
    share = (y1 - y0) / sum(row.height for row, _ in texts)
    unit_height = min(share * spec.fill, room / (most * PITCH - 0.16 * min(row.height for row, _ in texts) + spec.stroke))
    wide = max(max(cells(text), spec.slots) * row.height for row, text in texts) * PITCH * unit_height
    left = x0 + (x1 - x0) * side if units or labels else (x0 + x1 - wide + 0.16 * unit_height) / 2
    placed, y = [], y0
    for row, text in texts:
        height, pitch = unit_height * row.height, share * row.height
        slots = max(cells(text), int(wide / (PITCH * height) + 0.01) if spec.align_right else cells(text), min(spec.slots, 99))
        pad = " " * (slots - cells(text))
        placed.append(Line(pad + text if spec.align_right else text + pad, left, y + (pitch - height) / 2, height, row))
        y += pitch
    return tuple(placed)


def window_units(spec: DigitalSpec) -> tuple[Print, ...]:
    """The units shown in the window, as print behind the last line of their rows."""
    x1, main = spec.window[2], spec.main
    placed = lines(spec) if spec.lit else ()
    found: list[Print] = []
    for index, line in enumerate(placed):
        row = line.row
        if not row.unit_text or (index + 1 < len(placed) and placed[index + 1].row is row):
            continue
        end = line.left + cells(line.text) * PITCH * line.height
        free = x1 - (x1 - spec.window[0]) * 0.03 - end
        size = min(line.height * 0.5, free / (0.72 * max(1.6, len(row.unit_text))))
        where = (end + free / 2, line.top + (size * 0.4 if row.unit_raised else line.height - size * 0.4))
        second = row is not main
        found.append(
            Print(
                row.unit_text, *where, size, SYMBOL_SAFE, row.color or spec.digit_color, declares=row.unit, declares_second=second
            )
        )
    return tuple(found)


def shown_prints(spec: DigitalSpec) -> tuple[Print, ...]:
    """The print on the device's front; a bare window has none."""
    return () if spec.bare else spec.prints
