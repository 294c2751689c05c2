"""The digits of a display: the main number as shown, agreed on by several looks at the same picture.

Segmented digits are not print: OCR reads them well where their gaps are closed, and loses the point
easily. So the picture is looked at as it is and with its strokes thickened, a point is looked for in the
pixels where OCR saw none, and a number counts only where two looks agree or one is very sure.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vision.fields import DIGITS_PATTERN, MAX_DIGITS
from vision.numerals import NumeralReader, Pixels, PrintedText
from vision.printed_numbers import find_units, plain_text

SURE_ALONE = 0.95
MIN_HEIGHT_SHARE = 0.7
"""Of the tallest number's height: smaller numbers on a display are clocks, totals and labels."""
SAME_PLACE_SHARE = 0.12
MIN_TEXT_SHARE = 0.08
"""Of the crop's shorter side: smaller print is a label beside the display."""
POINT_SIDE_SHARE = (0.05, 0.24)
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
    height_px: float
    confidence: float


def read_display(reader: NumeralReader, crop: Pixels) -> DigitsWitness:
    """Read a display from its crop (uint8 RGB), looking a second and third time with thickened strokes."""
    looks: list[tuple[PrintedText, ...]] = []
    for picture in (crop, *thickened(crop)):
        texts = reader.read(picture)
        looks.append(tuple(_with_point(text, crop) for text in texts))
    return read_digits(looks[0], (crop.shape[1], crop.shape[0]), looks[1:])


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
    texts: Sequence[PrintedText], crop_size: tuple[float, float], further_looks: Sequence[Sequence[PrintedText]] = ()
) -> DigitsWitness:
    """The main number of a display; `crop_size` is (width, height) in the pixels of the texts.

    Abstains with a reason where nothing was read, where looks contradict each other, and where several
    rows of the same size leave open which one is meant.
    """
    looks = [_numbers(look, crop_size) for look in (texts, *further_looks)]
    everything = [shown for look in looks for shown in look]
    unit = _unit([text for look in (texts, *further_looks) for text in look])
    if not everything:
        return DigitsWitness(None, unit, reason="no digits were read on the display")
    tallest = max(shown.height_px for shown in everything if shown.confidence >= 0.6 * max(s.confidence for s in everything))
    tall = [shown for shown in everything if shown.height_px >= MIN_HEIGHT_SHARE * tallest]
    groups = _by_place(tall, crop_size)
    agreed = [_agree(group, len(looks)) for group in groups]
    rows = tuple(text for text, _ in agreed if text is not None)
    if len(groups) > 1:
        shown_rows = ", ".join(rows) or "unclear"
        return DigitsWitness(None, unit, reason=f"the display has {len(groups)} numbers of one size ({shown_rows})", rows=rows)
    text, confidence = agreed[0]
    if text is None:
        seen = ", ".join(dict.fromkeys(shown.text for shown in groups[0]))
        return DigitsWitness(None, unit, confidence, f"the looks at the display disagree: {seen}")
    return DigitsWitness(text, unit, confidence, rows=rows)


def _numbers(texts: Sequence[PrintedText], crop_size: tuple[float, float]) -> list[_Shown]:
    result = []
    for text in texts:
        plain = plain_text(text.text)
        compact = re.sub(r"(?<=[0-9.,])\s+(?=[0-9.,])", "", plain).strip()
        compact = re.sub(r"^[A-Za-z]\s+", "", compact)  # a channel letter before the number
        match = _SHOWN.fullmatch(compact)
        if match is None or text.height_px < MIN_TEXT_SHARE * min(crop_size):
            continue
        shown = compact.replace(",", ".").rstrip(".")
        if re.fullmatch(DIGITS_PATTERN, shown) and len(shown) <= MAX_DIGITS:
            result.append(_Shown(shown, text.center, text.height_px, text.confidence))
    return result


def _by_place(numbers: Sequence[_Shown], crop_size: tuple[float, float]) -> list[list[_Shown]]:
    """Groups of one place, top to bottom; rows are told apart by height only, for looks cut words differently."""
    groups: list[list[_Shown]] = []
    for number in sorted(numbers, key=lambda n: n.center[1]):
        if groups and number.center[1] - np.mean([n.center[1] for n in groups[-1]]) < SAME_PLACE_SHARE * crop_size[1]:
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _agree(group: Sequence[_Shown], looks: int) -> tuple[str | None, float]:
    """The digits that most looks read, with their point; None where another reading is nearly as good."""
    weight: Counter[str] = Counter()
    for shown in group:
        weight[shown.text.replace(".", "")] += round(1000 * shown.confidence)
    ranked = weight.most_common(2)
    digits = ranked[0][0]
    voters = [shown for shown in group if shown.text.replace(".", "") == digits]
    best = max(shown.confidence for shown in voters)
    rival = ranked[1][1] / 1000 if len(ranked) > 1 else 0.0
    share = (ranked[0][1] / 1000) / (ranked[0][1] / 1000 + rival)
    with_point = Counter(shown.text for shown in voters if "." in shown.text)
    text = with_point.most_common(1)[0][0] if with_point else digits
    if len(with_point) > 1 and with_point.most_common(2)[1][1] == with_point.most_common(1)[0][1]:
        return None, 0.3
    if (len(voters) < 2 and best < SURE_ALONE) or share <= 0.55:
        return None, best * share * 0.5
    return text, best * share * (1.0 if len(voters) >= 2 else 0.75)


def _unit(texts: Sequence[PrintedText]) -> str | None:
    names = {mark.unit for mark in find_units(texts)}
    return names.pop() if len(names) == 1 else None


def _with_point(text: PrintedText, crop: Pixels) -> PrintedText:
    """The text with a point put in where the pixels show one at the foot between two digits."""
    plain = text.text
    if not re.fullmatch(r"[+-]?[0-9]{2,}", plain) or len(text.character_centers) != len(plain):
        return text
    places = _points_along(text, crop)
    if len(places) != 1:
        return text
    turn = math.radians(text.angle_deg)
    along = [(x - text.center[0]) * math.cos(turn) + (y - text.center[1]) * math.sin(turn) for x, y in text.character_centers]
    before = sum(1 for at in along if at < places[0])
    if not 0 < before < len(plain):
        return text
    x, y = text.center[0] + places[0] * math.cos(turn), text.center[1] + places[0] * math.sin(turn)
    centers = (*text.character_centers[:before], (x, y), *text.character_centers[before:])
    return text._replace(text=f"{plain[:before]}.{plain[before:]}", character_centers=centers)


def _points_along(text: PrintedText, crop: Pixels) -> list[float]:
    """Places of point-like blobs at the foot of the text, in pixels along it from its centre."""
    import cv2

    width, height = max(8, round(text.width_px)), max(8, round(text.height_px))
    turn = math.radians(text.angle_deg)
    cos, sin = math.cos(turn), math.sin(turn)
    matrix = np.array(
        [
            [cos, -sin, text.center[0] - cos * width / 2 + sin * height / 2],
            [sin, cos, text.center[1] - sin * width / 2 - cos * height / 2],
        ]
    )
    strip = cv2.warpAffine(
        crop, matrix, (width, height), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    )
    gray = np.asarray(cv2.cvtColor(strip, cv2.COLOR_RGB2GRAY), np.uint8)
    _, mask = cv2.threshold(gray, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    if 2 * int((mask > 0).sum()) > mask.size:
        mask = np.asarray(255 - mask, np.uint8)
    count, _, stats, middles = cv2.connectedComponentsWithStats(mask)
    ink = [row for row in range(1, count) if stats[row, cv2.CC_STAT_HEIGHT] > 0.3 * height]
    if not ink:
        return []
    foot = max(int(stats[row, cv2.CC_STAT_TOP] + stats[row, cv2.CC_STAT_HEIGHT]) for row in ink)
    low, high = POINT_SIDE_SHARE[0] * height, POINT_SIDE_SHARE[1] * height
    places = []
    for row in range(1, count):
        blob_width, blob_height = int(stats[row, cv2.CC_STAT_WIDTH]), int(stats[row, cv2.CC_STAT_HEIGHT])
        bottom = int(stats[row, cv2.CC_STAT_TOP]) + blob_height
        square = low <= blob_width <= high and low <= blob_height <= high and 0.5 <= blob_width / blob_height <= 2.0
        if square and abs(bottom - foot) <= 0.12 * height and stats[row, cv2.CC_STAT_AREA] >= 0.5 * blob_width * blob_height:
            places.append(float(middles[row][0]) - width / 2)
    return places
