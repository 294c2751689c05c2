"""Calibration points from CSV: a column of pointer angles and one of values become a small article.

The article states in sentences what the side-car declares (unit, origin and direction of the angle), in the language
that it names; what is not declared is not stated, and the audit will say so.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from knowledge.articles import Language
from knowledge.formula_text import MIN_POINTS, parse_points
from knowledge.intake_types import Converted, IntakeError, cell_text, markdown_table
from knowledge.sentences import parse_table
from vision.fields import Contract, UnitName

MAX_ROWS = 10_000
_NUMBER = re.compile(r"[-−+]?\d+(?:\.\d+)?")


class CalibrationHead(Contract):
    """What a side-car declares about calibration points: none of it can be seen in the numbers."""

    quantity: str | None = None
    unit: UnitName | None = None
    angle_from: Annotated[int, Field(ge=1, le=12)] | None = None
    angle_direction: Literal["clockwise", "counter-clockwise"] | None = None


def convert_csv(path: Path, language: Language, title: str, head: CalibrationHead) -> Converted:
    """Article body of a CSV file. Raises IntakeError naming the line that is wrong."""
    rows = _rows(path)
    table_text = markdown_table(rows, "line 1")
    table = parse_table(table_text)
    found = parse_points(table) if table else None
    if found is None:
        _blame(rows)
        raise IntakeError(
            "line 1", f"no column of angles and one of values with {MIN_POINTS} or more different angles in {rows[0]}"
        )
    quantity = head.quantity or found.quantity
    unit = found.unit or head.unit
    if found.unit and head.unit and found.unit != head.unit:
        raise IntakeError("line 1", f"the header says {found.unit}, the side-car says {head.unit}; which is it?")
    span = found.points[0][0], found.points[-1][0]
    sentences = _sentences(language, quantity, unit, head, span)
    words = {
        "en": ("Calibration points", "Unit and angle", "Between two points the value runs in a straight line."),
        "zh": ("校准点", "单位与角度", "两点之间按直线插值。"),
    }
    points, meaning, between = words[language]
    if head.quantity:
        table_text = _renamed(table_text, found.quantity, head.quantity)
    told = "\n\n".join(sentences)
    section = f"\n\n## 2 {meaning}\n\n{told}" if told else ""
    return Converted(f"# {title}\n\n## 1 {points}\n\n{between}\n\n{table_text}{section}\n", title)


def _rows(path: Path) -> list[list[str]]:
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        try:
            text = raw.decode("gb18030")
        except UnicodeDecodeError as error:
            raise IntakeError("", f"is neither UTF-8 nor GB 18030 text: {error}") from error
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text), delimiter=delimiter):
            if any(cell.strip() for cell in row):
                rows.append([_decimal(cell_text(cell), delimiter) for cell in row])
            if len(rows) > MAX_ROWS:
                raise IntakeError(f"line {len(rows)}", f"more than {MAX_ROWS} calibration points")
    except csv.Error as error:
        raise IntakeError(f"line {len(rows) + 1}", f"is not CSV: {error}") from error
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise IntakeError(f"line {number}", f"has {len(row)} cells where the header has {len(rows[0])}")
    return rows


def _decimal(cell: str, delimiter: str) -> str:
    """A decimal comma, common where cells are parted by semicolons, becomes a point."""
    return cell.replace(",", ".") if delimiter != "," and re.fullmatch(r"[-−+]?\d+,\d+", cell) else cell


def _blame(rows: list[list[str]]) -> None:
    """Raise for the first cell in a column of numbers that is none."""
    for column in range(len(rows[0])):
        cells = [row[column] for row in rows[1:]]
        odd = [n for n, cell in enumerate(cells, 2) if not _NUMBER.match(cell)]
        if odd and len(odd) < len(cells) / 2:
            raise IntakeError(f"line {odd[0]}", f"{cells[odd[0] - 2]!r} in the column {rows[0][column]!r} is no number")


def _sentences(
    language: Language, quantity: str, unit: str | None, head: CalibrationHead, span: tuple[float, float]
) -> list[str]:
    low, high = (f"{angle:g}" for angle in span)
    told: list[str] = []
    if unit:
        told.append(f"The unit of {quantity} is {unit}." if language == "en" else f"{quantity}的单位为 {unit}。")
    if head.angle_from and head.angle_direction:
        turn = {"clockwise": "顺时针", "counter-clockwise": "逆时针"}[head.angle_direction]
        told.append(
            f"The pointer angle is counted from {head.angle_from} o'clock, {head.angle_direction}, in degrees."
            if language == "en"
            else f"指针角度从 {head.angle_from} 点钟方向起，按{turn}方向以度计算。"
        )
    told.append(
        f"The formula of these points is valid for pointer angles from {low} to {high} degrees."
        if language == "en"
        else f"由这些点得出的公式适用于指针角度 {low} 至 {high} 度。"
    )
    return told


def _renamed(table: str, found: str, quantity: str) -> str:
    head, rest = table.split("\n", 1)
    return f"{re.sub(re.escape(found), quantity, head, count=1, flags=re.IGNORECASE)}\n{rest}"
