"""The digits of a display: the main number as shown, agreed on by several looks at the same picture.

Segmented digits are not print: OCR reads them well where their gaps are closed, and loses the point
easily. So the picture is looked at as it is and with its strokes thickened, a point is looked for in the
pixels where OCR saw none, and a number counts only where two looks agree or one is very sure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vision.digit_points import with_point
from vision.display_rows import DIGITS_OF_BOX, RowReading, as_printed, read_row, read_rows, row_boxes
from vision.fields import DIGITS_PATTERN, MAX_DIGITS, Point
from vision.line_crop import LinePlace
from vision.line_reader import LineReader
from vision.numerals import NumeralReader, Pixels, PrintedText, TextPatch
from vision.printed_numbers import find_units, plain_text

SURE_ALONE = 0.95
MIN_HEIGHT_SHARE = 0.7
"""Of the tallest number's height: smaller numbers on a display are clocks, totals and labels."""
CLEARLY_LARGER = 1.22
MIN_TEXT_SHARE = 0.14
"""Of the crop's shorter side: smaller print is a label beside the display."""
MIN_SHARE = 0.55
LONE_LOOK = 0.75
NO_POINT = 0.55
_SHOWN = re.compile(r"[+-]?[0-9]*[.,]?[0-9]+[.,]?")


class DigitsWitness(NamedTuple):
    """The main number of a display as shown (leading zeros, sign and point included), or None with a `reason`.

    `rows` holds every number of the main number's height, from top to bottom.
    """

    text: str | None
    unit: str | None = None
    confidence: float = 0.0
    reason: str | None = None
    rows: tuple[str, ...] = ()


class _Shown(NamedTuple):
    text: str
    center: tuple[float, float]
    width_px: float
    height_px: float
    confidence: float

    @property
    def digits(self) -> str:
        """Without the point."""
        return self.text.replace(".", "")


def read_display(
    reader: NumeralReader, crop: Pixels, lines: LineReader | None = None, row_place: LinePlace | None = None
) -> DigitsWitness:
    """Read a display from its crop (uint8 RGB), looking a second and third time with thickened strokes.

    `lines` reads every box in which the looks found something; `row_place` is where a model says the main row stands.
    """
    found = [reader.look(picture) for picture in (crop, *thickened(crop))]
    looks = [tuple(with_point(text, crop) for text in look.texts) for look in found]
    size = (crop.shape[1], crop.shape[0])
    main: RowReading | None = None
    if lines is not None:
        boxes = row_boxes(found, size)
        rows = read_rows(lines, crop, boxes)
        looks.append(tuple(as_printed(row, box) for row, box in zip(rows, boxes, strict=True) if row is not None))
        main = None if row_place is None else read_row(lines, crop, row_place)
        if main is not None:
            height, width = main.place.height_px / DIGITS_OF_BOX[1], main.place.width_px
            looks.append((as_printed(main, TextPatch(main.place.center, width, height, main.place.angle_deg)),))
    return read_digits(looks[0], size, looks[1:], None if main is None else main.place.center)


def thickened(crop: Pixels) -> tuple[Pixels, Pixels]:
    """The picture in grey with dark strokes thickened, and with light strokes thickened (gaps of segments close)."""
    import cv2

    gray = cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY)
    size = max(1, round(0.02 * min(crop.shape[:2])))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * size + 1, 2 * size + 1))
    pictures = []
    for change in (cv2.erode, cv2.dilate):
        changed = cv2.GaussianBlur(change(gray, kernel), (0, 0), max(0.6, size / 2))
        pictures.append(np.ascontiguousarray(np.repeat(np.asarray(changed, np.uint8)[..., None], 3, axis=2)))
    return pictures[0], pictures[1]


def read_digits(
    texts: Sequence[PrintedText],
    crop_size: tuple[float, float],
    further_looks: Sequence[Sequence[PrintedText]] = (),
    main_row: Point | None = None,
) -> DigitsWitness:
    """The main number of a display; `crop_size` is (width, height) in the pixels of the texts.

    Abstains with a reason where nothing was read, where looks contradict each other, and where several
    rows of the same size leave open which one is meant.
    """
    looks = [_numbers(look, crop_size) for look in (texts, *further_looks)]
    everything = [shown for look in looks for shown in look]
    printed = [text for look in (texts, *further_looks) for text in look]
    unit = _unit(printed)
    if not everything:
        return DigitsWitness(None, unit, reason="no digits were read on the display")
    best = max(shown.confidence for shown in everything)
    tallest = max(shown.height_px for shown in everything if shown.confidence >= 0.6 * best)
    tall = [shown for shown in everything if shown.height_px >= MIN_HEIGHT_SHARE * tallest]
    groups = _without_channel(_by_place(tall))
    agreed = [_agree(group) for group in groups]
    rows = tuple(text for text, _ in agreed if text is not None)
    main = _main_row(groups, main_row)
    if main is None:
        shown_rows = ", ".join(rows) or "unclear"
        return DigitsWitness(None, unit, reason=f"the display has {len(groups)} numbers of one size ({shown_rows})", rows=rows)
    text, confidence = agreed[main]
    if text is None:
        seen = ", ".join(dict.fromkeys(shown.text for shown in groups[main]))
        return DigitsWitness(None, unit, confidence, f"the looks at the display disagree: {seen}")
    if _goes_on(groups[main], printed):
        return DigitsWitness(None, unit, 0.3, f"beside {text} stands more that could not be read", rows=rows)
    return DigitsWitness(text, unit, confidence, rows=rows)


def _main_row(groups: Sequence[Sequence[_Shown]], place: Point | None) -> int | None:
    """The only row, the row at the place that a model names, or the one with clearly the largest digits; else None."""
    if len(groups) == 1:
        return 0
    if place is not None:
        for index, group in enumerate(groups):
            width, height = (max(getattr(shown, side) for shown in group) for side in ("width_px", "height_px"))
            x, y = group[0].center
            if abs(x - place[0]) < 0.5 * width and abs(y - place[1]) < 0.5 * height:
                return index
    heights = [float(np.median([shown.height_px for shown in group])) for group in groups]
    tallest = int(np.argmax(heights))
    others = [height for index, height in enumerate(heights) if index != tallest]
    return tallest if heights[tallest] >= CLEARLY_LARGER * max(others) else None


def _numbers(texts: Sequence[PrintedText], crop_size: tuple[float, float]) -> list[_Shown]:
    result = []
    for text in texts:
        match = _SHOWN.fullmatch(_compact(text.text))
        if match is None or text.height_px < MIN_TEXT_SHARE * min(crop_size):
            continue
        shown = match.group().replace(",", ".").rstrip(".")
        if re.fullmatch(DIGITS_PATTERN, shown) and len(shown) <= MAX_DIGITS:
            result.append(_Shown(shown, text.center, text.width_px, text.height_px, text.confidence))
    return result


def _compact(text: str) -> str:
    """Without the gaps that OCR sees between digits, and without the letters before the number (`b 56.1`, `cos 0.95`)."""
    without_gaps = re.sub(r"(?<=[0-9.,])\s+(?=[0-9.,])", "", plain_text(text)).strip()
    return re.sub(r"^[^\W\d_]+(?:\s+(?=[0-9])|(?=[0-9]+[.,][0-9]+$))", "", without_gaps)


def _by_place(numbers: Sequence[_Shown]) -> list[list[_Shown]]:
    """Numbers that lie over each other, top to bottom: the same place in different looks."""
    groups: list[list[_Shown]] = []
    for number in sorted(numbers, key=lambda n: -n.width_px):
        for group in groups:
            if _overlap(group[0], number):
                group.append(number)
                break
        else:
            groups.append([number])
    return sorted(groups, key=lambda group: (group[0].center[1], group[0].center[0]))


def _overlap(first: _Shown, second: _Shown) -> bool:
    beside = abs(first.center[0] - second.center[0]) < 0.5 * max(first.width_px, second.width_px)
    return beside and abs(first.center[1] - second.center[1]) < 0.5 * max(first.height_px, second.height_px)


def _without_channel(groups: list[list[_Shown]]) -> list[list[_Shown]]:
    """Without single digits on the row of a longer number: a channel's name (`b 56.1` read as `6`, `56.1`)."""
    longest = max(len(shown.digits) for group in groups for shown in group)
    if longest < 3:
        return groups
    return [group for group in groups if max(len(shown.digits) for shown in group) > 1]


def _goes_on(group: Sequence[_Shown], texts: Sequence[PrintedText]) -> bool:
    """Whether digits or what looks like them stand close beside the number: a part of it that was not read.

    Beside a single digit anything of that kind counts, for a display seldom shows one digit alone.
    """
    main = max(group, key=lambda shown: shown.width_px)
    single = len(main.digits) == 1
    reach, like = (2.0, 0.12) if single else (0.6, 0.5)
    for text in texts:
        compact = _compact(text.text)
        if not re.search(r"[0-9lI|OoSB]", compact) or compact == main.text or (not single and _SHOWN.fullmatch(compact)):
            continue
        apart = abs(text.center[0] - main.center[0]) - 0.5 * (text.width_px + main.width_px)
        level = abs(text.center[1] - main.center[1]) < 0.5 * main.height_px
        beside = -0.3 * main.height_px < apart < reach * main.height_px
        if level and beside and text.height_px > like * main.height_px:
            return True
    return False


def _agree(group: Sequence[_Shown]) -> tuple[str | None, float]:
    """The digits that most looks read, whole or in part, with their point; None where another reading is nearly as good."""
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
        return None, 0.3
    if (len(voters) < 2 and best < SURE_ALONE) or share <= MIN_SHARE:
        return None, 0.5 * best * share
    alone = 1.0 if len(voters) >= 2 else LONE_LOOK
    # The point is what segment displays lose most easily: a long number that none of the looks saw one in is doubtful.
    pointless = NO_POINT if not with_point and len(digits) >= 4 and not digits.startswith("0") else 1.0
    return (with_point[0][0] if with_point else digits), best * share * alone * pointless


def _share_of(part: str, whole: str) -> float:
    """1 for the same digits, their share where they are a beginning or an end of at least two of them, else 0."""
    if part == whole:
        return 1.0
    return len(part) / len(whole) if len(part) >= 2 and (whole.startswith(part) or whole.endswith(part)) else 0.0


def _pointed(shown: _Shown, digits: str) -> str | None:
    """`digits` with the point where this look saw one; None where it saw none or only the end of the number."""
    if "." not in shown.text or not digits.startswith(shown.digits):
        return None
    at = shown.text.index(".")
    return f"{digits[:at]}.{digits[at:]}"


def _unit(texts: Sequence[PrintedText]) -> str | None:
    names = {mark.unit for mark in find_units(texts)}
    return names.pop() if len(names) == 1 else None
