"""Numerals read together: faint ones, each too unsure by itself, that only one even scale explains.

The places of numerals are known (a heat map's); what stands at each is a list of texts with their probabilities. Scales
whose numerals rise by an even, round step are set against each other by the product of these probabilities (a constrained
decoding over all places at once). Only where one scale leaves all others far behind are its numerals taken as read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.fields import Point
from vision.line_reader import LineReading, text_log_probs
from vision.plane import clock_angle

MANTISSAS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0)
EXPONENTS = range(-2, 4)
BELOW_ZERO, ABOVE_ZERO = 12, 3
"""Steps from zero at which the first numeral of a scale may lie."""
RING_TOLERANCE = 0.25
FOOT_SHARE = 0.5
PITCH_TOLERANCE = 0.3
"""Of the pitch: how far a numeral may lie off its even place. Perspective shifts the far ones by more; they are left out."""
MIN_PLACES = 3
FLOOR = 0.003
"""Probability of any text that the reader does not see at all: it may be covered."""
MAX_SCALES = 80
CORRELATED = 0.7
"""Exponent on the evidence: errors of places under one light are not independent."""
MIN_SEEN, MIN_SURE = 3, 0.25
MIN_MEAN, MIN_POSTERIOR = 0.2, 0.9
MIN_STATED = 0.08


class PlacedReadings(NamedTuple):
    """A place of a numeral, what looks read there, and numbers that were surely read there already (text, probability)."""

    center: Point
    readings: tuple[LineReading, ...]
    known: tuple[tuple[str, float], ...] = ()


class JointNumeral(NamedTuple):
    """A numeral that the scale puts at a place (its index), with the confidence in it."""

    place: int
    text: str
    confidence: float


class _Scale(NamedTuple):
    """A hypothesis: for each place the ways in which its value may be printed."""

    values: tuple[float, ...]
    texts: tuple[tuple[str, ...], ...]


def read_together(places: Sequence[PlacedReadings], pivot: Point) -> tuple[JointNumeral, ...]:
    """The numerals at the places, nothing where no one scale explains them. Places in pixels, in any order."""
    order, steps = _even_places(places, pivot)
    if len(order) < MIN_PLACES:
        return ()
    seen = [places[index] for index in order]
    scales = _likely_scales(seen, steps)
    if not scales:
        return ()
    columns = {text: column for column, text in enumerate(sorted({t for one in scales for texts in one.texts for t in texts}))}
    seen_as = np.stack([_probabilities(place, list(columns)) for place in seen])  # (places, texts)
    at = [[min(1.0, sum(seen_as[k, columns[text]] for text in one.texts[k])) for k in range(len(seen))] for one in scales]
    probabilities = np.asarray(at)  # (scales, places)
    evidence = CORRELATED * np.log(probabilities + FLOOR).sum(axis=1)
    posterior = np.exp(evidence - evidence.max())
    posterior /= posterior.sum()
    best = int(posterior.argmax())
    sure = probabilities[best]
    if posterior[best] < MIN_POSTERIOR or int((sure >= MIN_SURE).sum()) < MIN_SEEN or float(sure.mean()) < MIN_MEAN:
        return ()
    found = []
    for k, index in enumerate(order):
        if sure[k] >= MIN_STATED:
            text = max(scales[best].texts[k], key=lambda one: seen_as[k, columns[one]])
            found.append(JointNumeral(index, text, round(float(posterior[best]) * math.sqrt(float(sure[k])), 4)))
    return tuple(found)


def _even_places(places: Sequence[PlacedReadings], pivot: Point) -> tuple[list[int], list[int]]:
    """The places on the ring at even angles, clockwise from the scale's gap: their indices, and their steps from the first."""
    if len(places) < MIN_PLACES:
        return [], []
    ring = float(np.median([math.dist(place.center, pivot) for place in places]))
    kept = [i for i, place in enumerate(places) if abs(math.dist(place.center, pivot) - ring) <= RING_TOLERANCE * ring]
    angles = {i: clock_angle(pivot, places[i].center) for i in kept}
    order = sorted(kept, key=lambda i: angles[i])
    if len(order) < MIN_PLACES:
        return [], []
    gaps = [(angles[order[(k + 1) % len(order)]] - angles[order[k]]) % 360.0 for k in range(len(order))]
    # Few numerals stand further apart than the ends of their scale do: then its gap is the one at the foot of the dial.
    start = 0 if gaps[-1] >= FOOT_SHARE * max(gaps) else int(np.argmax(gaps)) + 1
    order = order[start:] + order[:start]
    along = [(angles[i] - angles[order[0]]) % 360.0 for i in order]
    return _on_pitch(order, along)


def _on_pitch(order: list[int], along: list[float]) -> tuple[list[int], list[int]]:
    """Those of the places that lie on the pitch which most of them share."""
    between = np.diff(along)
    best: tuple[list[int], list[int]] = ([], [])
    for pitch in {round(float(gap), 1) for gap in between if gap >= 8.0}:
        for origin in along[:2]:
            taken: dict[int, tuple[float, int]] = {}
            for index, angle in zip(order, along, strict=True):
                step = round((angle - origin) / pitch)
                off = abs((angle - origin) / pitch - step)
                if step >= 0 and off <= PITCH_TOLERANCE and (step not in taken or off < taken[step][0]):
                    taken[step] = (off, index)
            steps = sorted(taken)
            if len(steps) > len(best[0]) and len(steps) >= 0.6 * (steps[-1] + 1):
                best = [taken[step][1] for step in steps], steps
    return best


def _likely_scales(seen: Sequence[PlacedReadings], steps: Sequence[int]) -> list[_Scale]:
    """Even scales of which two numerals at least are what some look freely reads, the best supported ones."""
    free: list[dict[str, float]] = []
    for place in seen:
        seen_as: dict[str, float] = {}
        for text, sure in [(reading.text, reading.confidence) for reading in place.readings] + list(place.known):
            seen_as[text] = max(seen_as.get(text, 0.0), sure)
        free.append(seen_as)
    ranked: list[tuple[float, _Scale]] = []
    for step in (mantissa * 10.0**exponent for mantissa in MANTISSAS for exponent in EXPONENTS):
        decimals = max(0, -math.floor(math.log10(step) + 1e-9) + (step / 10 ** math.floor(math.log10(step) + 1e-9) % 1 > 1e-6))
        for first in range(-BELOW_ZERO, ABOVE_ZERO + 1):
            for direction in (1, -1):
                counts = [first + (number if direction > 0 else steps[-1] - number) for number in steps]
                values = tuple(round(count * step, 6) for count in counts)
                texts = tuple(_printed(value, decimals) for value in values)
                hits = [max((one.get(text, 0.0) for text in ways), default=0.0) for one, ways in zip(free, texts, strict=True)]
                if sum(hit > 0.0 for hit in hits) >= 2 and max(abs(value) for value in values) < 1e5:
                    ranked.append((sum(math.sqrt(hit) for hit in hits), _Scale(values, texts)))
    ranked.sort(key=lambda one: -one[0])
    return list({one.texts: one for _, one in ranked[:MAX_SCALES]}.values())


def _printed(value: float, decimals: int) -> tuple[str, ...]:
    """The ways in which faces print a value of a scale whose step has so many decimals."""
    return tuple(dict.fromkeys((f"{value:.{decimals}f}" if value else "0", f"{value:g}")))


def _probabilities(place: PlacedReadings, texts: list[str]) -> NDArray[np.float64]:
    """Of each text at the place: the mean of the two looks that see it best, or what was surely read there."""
    result = np.zeros(len(texts))
    by_length: dict[int, list[LineReading]] = {}
    for reading in place.readings:
        by_length.setdefault(len(reading.log_probs), []).append(reading)
    if by_length:
        looks = [np.exp(text_log_probs(np.stack([r.log_probs for r in group]), texts)) for group in by_length.values()]
        result = np.sort(np.concatenate(looks), axis=0)[-2:].mean(axis=0)
    for text, sure in place.known:
        if text in texts:
            result[texts.index(text)] = max(result[texts.index(text)], sure)
    return result
