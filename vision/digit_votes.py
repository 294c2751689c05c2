"""Numbers that several looks at one display read, gathered by place, and what the looks of one place agree on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from vision.display_rows import RowReading, box_of_place
from vision.fields import DIGITS_PATTERN, MAX_DIGITS, Point
from vision.numerals import PrintedText
from vision.printed_units import plain_text

SURE_ALONE = 0.95
SURE_NAMED, SURE_BOXED = 0.6, 0.9
"""Confidence from which the digit reader's row is stated whatever the OCR reads there: at a place that the model names,
and in a detector's box, which may end within the number."""
SURE_LONGER, WIDER_HEIGHTS = 0.8, 0.45
LOOSE = 1.6
"""Height of a detector's box to that of a row's from which it holds more than the row."""
MIN_TEXT_SHARE = 0.14
"""Of the crop's shorter side: smaller print is a label beside the display."""
MIN_SHARE = 0.55
LONE_LOOK = 0.75
NO_POINT = 0.55
_SHOWN = re.compile(r"[+-]?[0-9]*[.,]?[0-9]+[.,]?")


class Shown(NamedTuple):
    """A number that one look reads; `by_row` marks the digit reader's, `named` the one at the place that a model names."""

    text: str
    center: Point
    width_px: float
    height_px: float
    confidence: float
    by_row: bool = False
    named: bool = False
    angle_deg: float = 0.0

    @property
    def digits(self) -> str:
        """Without the point."""
        return self.text.replace(".", "")


class Agreed(NamedTuple):
    """What the looks of one place agree on, None where they do not; `by_row` where the digit reader was sure of it."""

    text: str | None
    confidence: float
    by_row: bool = False


def shown_numbers(texts: Sequence[PrintedText], crop_size: tuple[float, float]) -> list[Shown]:
    """The numbers among the texts of one look that are large enough to be shown on the display."""
    result = []
    for text in texts:
        match = _SHOWN.fullmatch(compact(text.text))
        if match is None or text.height_px < MIN_TEXT_SHARE * min(crop_size):
            continue
        shown = match.group().replace(",", ".").rstrip(".")
        if re.fullmatch(DIGITS_PATTERN, shown) and len(shown) <= MAX_DIGITS:
            result.append(Shown(shown, text.center, text.width_px, text.height_px, text.confidence, angle_deg=text.angle_deg))
    return result


def shown_row(row: RowReading, *, named: bool = False) -> Shown:
    """A row of the digit reader, as large as a detector's box around it."""
    box = box_of_place(row.place)
    return Shown(row.text, box.center, box.width_px, box.height_px, row.confidence, True, named, box.angle_deg)


def compact(text: str) -> str:
    """Without the gaps that OCR sees between digits, and without the letters before the number (`b 56.1`, `cos 0.95`)."""
    without_gaps = re.sub(r"(?<=[0-9.,])\s+(?=[0-9.,])", "", plain_text(text)).strip()
    return re.sub(r"^[^\W\d_]+(?:\s+(?=[0-9])|(?=[0-9]+[.,][0-9]+$))", "", without_gaps)


def by_place(numbers: Sequence[Shown]) -> list[list[Shown]]:
    """Numbers that lie over each other, top to bottom: the same place in different looks."""
    groups: list[list[Shown]] = []
    for number in sorted(numbers, key=lambda n: -n.width_px):
        for group in groups:
            if _overlap(group[0], number):
                group.append(number)
                break
        else:
            groups.append([number])
    return sorted(groups, key=lambda group: (group[0].center[1], group[0].center[0]))


def _overlap(first: Shown, second: Shown) -> bool:
    beside = abs(first.center[0] - second.center[0]) < 0.5 * max(first.width_px, second.width_px)
    return beside and abs(first.center[1] - second.center[1]) < 0.5 * max(first.height_px, second.height_px)


def without_channel(groups: list[list[Shown]]) -> list[list[Shown]]:
    """Without single digits on the row of a longer number: a channel's name (`b 56.1` read as `6`, `56.1`)."""
    longest = max(len(shown.digits) for group in groups for shown in group)
    if longest < 3:
        return groups
    return [group for group in groups if max(len(shown.digits) for shown in group) > 1]


def without_loose(numbers: Sequence[Shown]) -> list[Shown]:
    """Without numbers of boxes that are far taller than a sure row in them that says the same: they go round two rows."""
    rows = [number for number in numbers if number.by_row and number.confidence >= SURE_NAMED]
    return [number for number in numbers if number.by_row or not any(_is_loose(number, row) for row in rows)]


def _is_loose(number: Shown, row: Shown) -> bool:
    inside = abs(number.center[1] - row.center[1]) < 0.5 * number.height_px
    return inside and number.digits == row.digits and number.height_px > LOOSE * row.height_px


def goes_on(group: Sequence[Shown], texts: Sequence[PrintedText]) -> bool:
    """Whether digits or what looks like them stand close beside the number: a part of it that was not read.

    Beside a single digit anything of that kind counts, for a display seldom shows one digit alone.
    """
    main = max(group, key=lambda shown: shown.width_px)
    single = len(main.digits) == 1
    reach, like = (2.0, 0.12) if single else (0.6, 0.5)
    for text in texts:
        plain = compact(text.text)
        if not re.search(r"[0-9lI|OoSB]", plain) or plain == main.text or (not single and _SHOWN.fullmatch(plain)):
            continue
        apart = abs(text.center[0] - main.center[0]) - 0.5 * (text.width_px + main.width_px)
        level = abs(text.center[1] - main.center[1]) < 0.5 * main.height_px
        beside = -0.3 * main.height_px < apart < reach * main.height_px
        if level and beside and text.height_px > like * main.height_px:
            return True
    return False


def agree(group: Sequence[Shown]) -> Agreed:
    """The digits that most looks read, whole or in part, with their point; None where another reading is nearly as good."""
    rows = [shown for shown in group if shown.by_row]
    row, row_confidence = _agreed_rows(rows)
    sure = SURE_NAMED if any(shown.named for shown in rows) else SURE_BOXED
    if row is not None and row_confidence >= sure:
        widest = max((shown for shown in rows if shown.text == row), key=lambda shown: shown.width_px)
        if any(_goes_further(shown, widest) for shown in group):
            return Agreed(None, 0.3)
        return Agreed(row, row_confidence, by_row=True)
    weight: dict[str, float] = {}
    for digits in {shown.digits for shown in group}:
        weight[digits] = sum(shown.confidence * _share_of(shown.digits, digits) for shown in group)
    ranked = sorted(weight, key=lambda digits: -weight[digits])
    digits = ranked[0]
    voters = [shown for shown in group if _share_of(shown.digits, digits) > 0.0]
    best = max(shown.confidence for shown in voters if shown.digits == digits)
    # A complete number with its point is no mere part of a longer one: `44.00` against `44.001` is a difference.
    whole = {shown.digits for shown in group if "." in shown.text and len(shown.digits) >= 3}
    rivals = [other for other in ranked[1:] if _share_of(other, digits) == 0.0 or other in whole]
    share = weight[digits] / (weight[digits] + (weight[rivals[0]] if rivals else 0.0))
    with_point = Counter(text for shown in voters if (text := _pointed(shown, digits)) is not None).most_common(2)
    if len(with_point) == 2 and with_point[0][1] == with_point[1][1]:
        return Agreed(None, 0.3)
    if (len(voters) < 2 and best < SURE_ALONE) or share <= MIN_SHARE:
        return Agreed(None, 0.5 * best * share)
    alone = 1.0 if len(voters) >= 2 else LONE_LOOK
    # The point is what segment displays lose most easily: a long number that none of the looks saw one in is doubtful.
    missed = not with_point and len(digits) >= 4 and not digits.startswith("0") and not any(row.text == digits for row in rows)
    pointless = NO_POINT if missed else 1.0
    return Agreed(with_point[0][0] if with_point else digits, best * share * alone * pointless)


def _goes_further(shown: Shown, row: Shown) -> bool:
    """Whether an OCR look surely reads the row's digits and more in a wider box: the row may end within the number."""
    longer = row.digits in shown.digits and row.digits != shown.digits and shown.confidence >= SURE_LONGER
    # A display shows no zero in front: `050.9` has lost its first digit where a look reads 20509.
    cut = re.match("0[0-9]", row.text) is not None and shown.confidence >= SURE_ALONE and not shown.digits.startswith("0")
    return longer and not shown.by_row and (cut or shown.width_px > row.width_px + WIDER_HEIGHTS * row.height_px)


def _agreed_rows(rows: Sequence[Shown]) -> tuple[str | None, float]:
    """The digits that the rows at one place give: several make it surer, others that are no part of it less sure."""
    doubt: dict[str, float] = {}
    for row in rows:
        doubt[row.text] = doubt.get(row.text, 1.0) * (1.0 - row.confidence)
    if not doubt:
        return None, 0.0
    best = min(doubt, key=lambda text: doubt[text])
    rivals = [1.0 - doubt[text] for text in doubt if text not in best]
    return best, (1.0 - doubt[best]) * (1.0 - max(rivals, default=0.0))


def _share_of(part: str, whole: str) -> float:
    """1 for the same digits, their share where they are a beginning or an end of at least two of them, else 0."""
    if part == whole:
        return 1.0
    return len(part) / len(whole) if len(part) >= 2 and (whole.startswith(part) or whole.endswith(part)) else 0.0


def _pointed(shown: Shown, digits: str) -> str | None:
    """`digits` with the point where this look saw one; None where it saw none or only the end of the number."""
    if "." not in shown.text or not digits.startswith(shown.digits):
        return None
    at = shown.text.index(".")
    return f"{digits[:at]}.{digits[at:]}"
