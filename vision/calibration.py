"""Confidence that means something: raw probabilities mapped to how often the field was right on held-out pictures.

The product of token probabilities is near 1 whatever the picture. An isotonic map per field (Zadrozny and Elkan,
2002), fitted on rendered pictures that training never drew, turns it into a share of right readings.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

CALIBRATION_FILE = "calibration.json"
LIMITS = "limits"
MIN_SAMPLES = 40
MIN_FEW = 12


class CalibrationError(ValueError):
    """A calibration file that cannot be used."""


class Curve(NamedTuple):
    """Knots of a monotone map from raw to calibrated confidence, both in [0, 1]."""

    raw: tuple[float, ...]
    calibrated: tuple[float, ...]

    def __call__(self, confidence: float) -> float:
        return float(np.interp(confidence, self.raw, self.calibrated))

    def from_nothing(self) -> Curve:
        """The curve that starts at 0: what is less sure than all that was seen is not as sure as the least of it."""
        if self.raw[0] <= 0.0:
            return self
        return Curve((0.0, *self.raw), (0.0, *self.calibrated))


class Calibration:
    """One curve per field; a field without a curve keeps its raw confidence.

    `limits`: by field, the raw confidence below which it is not stated, chosen so that what is stated is right as often
    as is asked (`limit_for`); infinite where no confidence is enough.
    """

    def __init__(self, curves: Mapping[str, Curve] | None = None, limits: Mapping[str, float] | None = None) -> None:
        self.curves = dict(curves or {})
        self.limits = dict(limits or {})

    def __call__(self, field: str, confidence: float) -> float:
        curve = self.curves.get(field)
        value = confidence if curve is None else curve(confidence)
        return float(min(max(value, 0.0), 1.0))

    @classmethod
    def load(cls, folder: Path) -> Calibration:
        """The calibration beside the weights; without one, raw confidences. Raises CalibrationError on a broken file."""
        path = folder / CALIBRATION_FILE
        if not path.is_file():
            return cls()
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            limits = {name: math.inf if limit is None else float(limit) for name, limit in raw.pop(LIMITS, {}).items()}
            curves = {name: Curve(tuple(map(float, c["raw"])), tuple(map(float, c["calibrated"]))) for name, c in raw.items()}
            return cls(curves, limits)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CalibrationError(f"{path} is not a calibration: {error}; remove it or fit it anew") from error

    def save(self, folder: Path) -> None:
        """Write the calibration beside the weights."""
        data: dict[str, object] = {
            name: {"raw": list(curve.raw), "calibrated": list(curve.calibrated)} for name, curve in self.curves.items()
        }
        if self.limits:
            data[LIMITS] = {name: limit if math.isfinite(limit) else None for name, limit in self.limits.items()}
        (folder / CALIBRATION_FILE).write_text(json.dumps(data, indent=1), encoding="utf-8")


def fit_curve(confidences: Sequence[float], right: Sequence[bool]) -> Curve | None:
    """The isotonic map of raw confidences to the share that was right; None with fewer than MIN_SAMPLES pairs.

    Shares follow Laplace's rule of succession, so that no field is ever stated with certainty.
    """
    from sklearn.isotonic import IsotonicRegression

    if len(confidences) != len(right):
        raise CalibrationError(f"{len(confidences)} confidences against {len(right)} outcomes")
    if len(confidences) < MIN_SAMPLES:
        return None
    order = np.argsort(np.asarray(confidences, float), kind="stable")
    raw, hits = np.asarray(confidences, float)[order], np.asarray(right, float)[order]
    # Equal bins first: the isotonic map alone follows its last few points to 0 or 1.
    bins = np.array_split(np.arange(len(raw)), min(20, len(raw) // (MIN_SAMPLES // 2)))
    centers = np.array([raw[rows].mean() for rows in bins])
    shares = np.array([(hits[rows].sum() + 1.0) / (len(rows) + 2.0) for rows in bins])
    model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    smooth = model.fit_transform(centers, shares, sample_weight=[len(rows) for rows in bins])
    return Curve(tuple(round(float(x), 6) for x in centers), tuple(round(float(y), 4) for y in smooth))


def flat_curve(right: Sequence[bool]) -> Curve | None:
    """What little can be said with too few outcomes for a curve: one share for all, by Laplace's rule. None below MIN_FEW."""
    if len(right) < MIN_FEW:
        return None
    share = round((sum(right) + 1.0) / (len(right) + 2.0), 4)
    return Curve((0.0, 1.0), (share, share))


def limit_for(confidences: Sequence[float], right: Sequence[bool], share: float) -> float:
    """The least raw confidence from which on a share of at least `share` was right; infinite where there is none.

    Half an outcome of either kind is added (Jeffreys' prior), so that a handful of right ones do not pass for 99 %.
    """
    if len(confidences) != len(right):
        raise CalibrationError(f"{len(confidences)} confidences against {len(right)} outcomes")
    found, hits = math.inf, 0
    ranked = sorted(zip(confidences, right, strict=True), key=lambda pair: -pair[0])
    for count, (confidence, hit) in enumerate(ranked, 1):
        hits += hit
        ends = count == len(ranked) or ranked[count][0] < confidence
        if ends and (hits + 0.5) / (count + 1.0) >= share:
            found = confidence
    return found
