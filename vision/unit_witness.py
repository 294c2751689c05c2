"""Units by lexicon: which unit stands at a place, told by the probability of each of its spellings.

The line reader gives a probability to any text. Those of all spellings of a unit are added up and set against the
other units, against what the reader would spell freely, and against nothing; what is left is calibrated on held-out
drawn faces. Below the threshold there is no unit: none is better than a wrong one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from vision.fields import Point
from vision.line_crop import LineImage, LinePlace, Pixels, can_be_cut
from vision.line_reader import LineReader, LineReading, plain_line, text_log_probs
from vision.units import UNITS, find_unit

SINGLE_CHARACTERS = frozenset("VA%")
"""Units of one character that faces print; a lone K, L or l is hardly ever one."""
PRINTED_MULTIPLIERS = (10.0, 100.0, 1000.0)
MULTIPLIED = (
    *("r/min", "rpm", "RPM", "1/min", "min-1", "psi", "PSI", "lb/in2", "kPa", "MPa", "Pa", "bar"),
    *("kgf/cm2", "A", "V", "km/h", "mph", "mmH2O", "Hz"),
)
FRAGMENTS = frozenset(("Pa", "PA", "pa"))
WEAK_TRUST = {1: 0.75, 2: 0.7}
"""Of spellings of one letter, and of those that are a part of other units (`Pa` of MPa): both are easily seen in words."""
FLOOR = 0.02
"""Of the probability that the place holds another text than any that is scored."""
MIN_SOMETHING = 0.3
"""Probability that a place must give to holding anything before its spellings are scored."""
WHOLE_SHARE = 0.6
SAME_PLACE_HEIGHTS = 2.2
DEFAULT_THRESHOLD = 0.9


class Spelling(NamedTuple):
    """One way to print a unit, as the line reader spells it."""

    text: str
    unit: str
    multiplier: float = 1.0


class UnitScore(NamedTuple):
    """The unit that a place holds most probably: raw confidence 0 to 1 and the spelling that was seen."""

    spelling: Spelling
    confidence: float


class SeenUnit(NamedTuple):
    """A unit printed on an instrument, with a calibrated confidence, in pixels of the image."""

    unit: str
    multiplier: float
    text: str
    place: LinePlace
    confidence: float


@lru_cache(maxsize=1)
def spellings() -> tuple[Spelling, ...]:
    """Every spelling of every unit that can be read, each text once: as the table has it, in capitals, in small letters."""
    found: dict[str, Spelling] = {}
    for unit in UNITS:
        for alias in (unit.name, *unit.aliases):
            for form in (alias, alias.upper(), alias.lower(), alias.capitalize()):
                text = plain_line(form)
                # Another unit's own spelling, such as `mbar` of MBAR, is left to that unit.
                if text and find_unit(form) == unit.name and (len(text) > 1 or text in SINGLE_CHARACTERS):
                    found.setdefault(text, Spelling(text, unit.name))
    for text in MULTIPLIED:
        unit_name = find_unit(text)
        assert unit_name is not None
        for factor in PRINTED_MULTIPLIERS:
            for spelled in (f"x{factor:g}{text}", f"{text}x{factor:g}"):
                found.setdefault(spelled, Spelling(spelled, unit_name, factor))
    return tuple(found.values())


def score_units(readings: Sequence[LineReading]) -> list[UnitScore | None]:
    """For each reading the most probable unit, None where the place is empty. Confidences are not calibrated."""
    known = spellings()
    result: list[UnitScore | None] = [None] * len(readings)
    names = sorted({(spelling.unit, spelling.multiplier) for spelling in known})
    row_of = {name: row for row, name in enumerate(names)}
    rows = np.array([row_of[spelling.unit, spelling.multiplier] for spelling in known])
    texts = {spelling.text for spelling in known}
    by_length: dict[int, list[int]] = {}
    for index, reading in enumerate(readings):
        nothing = float(np.exp(reading.log_probs[:, 0].astype(float).sum()))
        if 1.0 - nothing >= MIN_SOMETHING and any(character not in "0123456789.-" for character in reading.text):
            by_length.setdefault(len(reading.log_probs), []).append(index)
    for indices in by_length.values():
        scores = np.exp(text_log_probs(np.stack([readings[i].log_probs for i in indices]), [s.text for s in known]))
        for index, probabilities in zip(indices, scores, strict=True):
            reading = readings[index]
            units = np.bincount(rows, probabilities, len(names))
            nothing = float(np.exp(reading.log_probs[:, 0].astype(float).sum()))
            other = nothing + (0.0 if reading.text in texts else reading.confidence) + FLOOR
            best = int(units.argmax())
            spelled = int(np.where(rows == best, probabilities, -1.0).argmax())
            result[index] = UnitScore(known[spelled], float(units[best] / (units.sum() + other)))
    return result


class UnitCalibration(NamedTuple):
    """From raw confidence to the share that is right: a logistic curve, and the least that is stated at all."""

    slope: float = 1.0
    offset: float = 0.0
    threshold: float = DEFAULT_THRESHOLD

    def __call__(self, raw: float) -> float:
        clipped = min(max(raw, 1e-6), 1.0 - 1e-6)
        return 1.0 / (1.0 + math.exp(-(self.slope * math.log(clipped / (1.0 - clipped)) + self.offset)))

    @classmethod
    def of_card(cls, card: dict[str, object]) -> UnitCalibration:
        """The calibration that a line reader's card carries, or one that states only what is sure."""
        raw = card.get("unit_calibration")
        return cls(**{name: float(raw[name]) for name in cls._fields}) if isinstance(raw, dict) else cls()


def find_unit_lines(
    reader: LineReader, image: Pixels | LineImage, places: Sequence[LinePlace], *, threshold: float | None = None
) -> tuple[SeenUnit, ...]:
    """The units that stand at some of the places, best first; places beside each other count as one.

    A unit is stated where its calibrated confidence reaches the threshold of the card (or `threshold`).
    """
    calibration = UnitCalibration.of_card(reader.card)
    least = calibration.threshold if threshold is None else threshold
    readings = reader.read_lines(image, [place for place in places if can_be_cut(place)])
    scored = [
        (score, reading.place)
        for score, reading in zip(score_units(readings), readings, strict=True)
        if score is not None and score.confidence > 0.05
    ]
    groups: list[list[tuple[UnitScore, LinePlace]]] = []
    for item in sorted(scored, key=lambda item: -item[0].confidence):
        for group in groups:
            if _same_place(group[0][1].center, item[1].center, group[0][1].height_px):
                group.append(item)
                break
        else:
            groups.append([item])
    seen = [_together(group, calibration) for group in groups]
    return tuple(unit for unit in seen if unit.confidence >= least)


def _same_place(first: Point, second: Point, height_px: float) -> bool:
    return math.dist(first, second) <= SAME_PLACE_HEIGHTS * height_px


def _together(group: Sequence[tuple[UnitScore, LinePlace]], calibration: UnitCalibration) -> SeenUnit:
    whole = _whole([score for score, _ in group])
    score, place = group[whole]
    raw = _group_confidence(score, [other for index, (other, _) in enumerate(group) if index != whole])
    spelling = score.spelling
    return SeenUnit(spelling.unit, spelling.multiplier, spelling.text, place, round(calibration(raw), 4))


def _whole(scores: Sequence[UnitScore]) -> int:
    """The best look, or one that is nearly as sure and sees all of what the best one cuts off (`MPa` of `Pa`)."""
    best = scores[0]
    longer = [
        index
        for index, score in enumerate(scores)
        if best.spelling.text != score.spelling.text
        and best.spelling.text in score.spelling.text
        and score.confidence >= WHOLE_SHARE * best.confidence
    ]
    return longer[0] if longer else 0


def _group_confidence(best: UnitScore, others: Sequence[UnitScore]) -> float:
    """Of a place's unit: its best look and the next, times the share of what the looks see that is not another unit."""
    text = best.spelling.text
    second = max((s.confidence for s in others if s.spelling.unit == best.spelling.unit), default=0.0)
    own = best.confidence**2 + sum(s.confidence**2 for s in others if s.spelling.unit == best.spelling.unit)
    against = sum(s.confidence**2 for s in others if s.spelling.unit != best.spelling.unit and s.spelling.text not in text)
    trust = WEAK_TRUST[len(text)] if len(text) == 1 or text in FRAGMENTS else 1.0
    return trust * (0.6 * best.confidence + 0.4 * second) * own / (own + against)
