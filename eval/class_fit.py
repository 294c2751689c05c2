"""Fit what is stated of lamps and selectors: the pixel model of a lamp's colour, the witnesses' weights, and limits.

All outcomes come from models that had not seen the picture (five folds over pictures). A limit is the least confidence
from which what is stated of a lamp's colour or a selector's position is right 98 times in 100; what is less sure is not
stated. With 99 for lamps, three push buttons and signs among 920 pictures would silence a fifth of all true lamps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eval.score import Share, share_of, share_true
from eval.support_fit import FOLDS, fold_of
from eval.support_rows import ClassRow
from vision.calibration import limit_for
from vision.class_value import LABELS, choose_class
from vision.fields import LAMP_COLORS, Contract
from vision.lamp_color import LampModel, pool
from vision.state_pool import LEAST_SHARE, StatePool, StatePools

LAMP, SELECTOR = "warning_light_color", "mode_dial_position"
ASKED_RIGHT: Mapping[str, float] = MappingProxyType({LAMP: 0.98, SELECTOR: 0.98})
LEAST_STATED = 0.6
"""However often even less sure ones were right: below this raw confidence nothing is stated."""
MIN_LAMPS, MIN_OF_EACH_COLOR = 40, 5
STRENGTHS = (0.3, 1.0, 3.0, 10.0)
"""Inverse ridges that are tried."""
DONUT_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 1.5)

Floats = NDArray[np.float64]


class ClassReport(Contract):
    """One class field on held-out folds: right of all that have a label, and from the limit on how many and how right."""

    name: str
    shown: int
    right: Share
    stated: Share
    stated_right: Share


class Outcome(NamedTuple):
    """One row's choice: its raw confidence, whether it is right, and whether there was a label to read."""

    confidence: float
    right: bool
    shown: bool


class _Lamps(NamedTuple):
    """The lamps among some rows: features (N, FEATURES), colours (N,), folds (N,), and how they are best fitted."""

    rows: tuple[ClassRow, ...]
    features: Floats
    colors: NDArray[np.int64]
    folds: NDArray[np.int64]
    strength: float
    donut_weight: float

    def model(self, chosen: NDArray[np.bool_] | None = None) -> LampModel:
        """The model of the chosen lamps, of all by default."""
        inside = np.ones(len(self.rows), bool) if chosen is None else chosen
        fitted = _fit(self.features[inside], self.colors[inside], self.strength)
        return fitted.model_copy(update={"donut_weight": self.donut_weight})


def _lamps(rows: Sequence[ClassRow]) -> _Lamps | None:
    """The lamps of the rows with the ridge and the Donut's weight that held-out folds favour; None with too few."""
    lamps = tuple(row for row in rows if row.name == LAMP and row.true is not None and row.features)
    colors = np.array([LAMP_COLORS.index(row.true) for row in lamps], int)
    if len(lamps) < MIN_LAMPS or np.bincount(colors, minlength=len(LAMP_COLORS)).min() < MIN_OF_EACH_COLOR:
        return None
    features = np.array([row.features for row in lamps], float)
    folds = np.array([fold_of(row.picture) for row in lamps])
    held_out = {strength: _held_out(features, colors, folds, strength) for strength in STRENGTHS}
    strength = min(STRENGTHS, key=lambda one: (_log_loss(held_out[one], colors), one))
    asked = [index for index, row in enumerate(lamps) if row.shares]

    def loss(weight: float) -> float:
        pooled = [list(pool(held_out[strength][index], lamps[index].shares, weight).values()) for index in asked]
        return _log_loss(np.array(pooled), colors[asked])

    weight = min(DONUT_WEIGHTS, key=lambda one: (loss(one), one)) if asked else 0.0
    return _Lamps(lamps, features, colors, folds, strength, weight)


def fit_lamp(rows: Sequence[ClassRow]) -> LampModel | None:
    """The pixel model of the lamps among the rows; None with fewer than MIN_LAMPS, or too few of a colour.

    Rows without shares (lamps of which the Donut was not asked) teach the pixels alone.
    """
    lamps = _lamps(rows)
    return None if lamps is None else lamps.model()


def fit_pools(rows: Sequence[ClassRow]) -> StatePools:
    """The weights of the witnesses of each class field, where the state reader looked at MIN_LAMPS of its rows or more."""
    return _pools(rows, _pixel_shares(rows))


def _pixel_shares(rows: Sequence[ClassRow]) -> dict[int, dict[str, float]]:
    """By the row's number: what the pixels say of a lamp, by a model of the other folds."""
    lamps = _lamps(rows)
    if lamps is None:
        return {}
    held_out = _held_out(lamps.features, lamps.colors, lamps.folds, lamps.strength)
    said = {
        id(row): dict(zip(LAMP_COLORS, shares.tolist(), strict=True)) for row, shares in zip(lamps.rows, held_out, strict=True)
    }
    return {number: said[id(row)] for number, row in enumerate(rows) if id(row) in said}


def _pools(rows: Sequence[ClassRow], pixels: Mapping[int, Mapping[str, float]], without: int | None = None) -> StatePools:
    """The pools of the rows that are not in the fold `without`."""
    found: dict[str, StatePool | None] = {}
    for name in ASKED_RIGHT:
        chosen = [
            number
            for number, row in enumerate(rows)
            if row.name == name and row.true is not None and row.shares and row.seen is not None
            if without is None or fold_of(row.picture) != without
        ]
        if len(chosen) < MIN_LAMPS:
            continue
        labels = LABELS[name]
        even = dict.fromkeys(labels, 1.0 / len(labels))
        witnesses: list[list[Mapping[str, float]]] = [[rows[n].shares for n in chosen], [rows[n].seen or even for n in chosen]]
        witnesses += [[pixels.get(n, even) for n in chosen]] if name == LAMP else []
        logs = np.array([[[_log(shares.get(label, 0.0)) for label in labels] for shares in said] for said in witnesses])
        weights = _best_weights(logs, np.array([labels.index(rows[n].true or "") for n in chosen]))
        pixel_weight = weights[2] if name == LAMP else 0.0
        found[name] = StatePool(donut=weights[0], states=weights[1], pixels=pixel_weight, examples=len(chosen))
    return StatePools(**found)


def _log(share: float) -> float:
    return math.log(max(share, LEAST_SHARE))


def _best_weights(logs: Floats, true: NDArray[np.int64]) -> list[float]:
    """Weights of witnesses (W, N, labels) whose pool has the least log loss; convex, so that any start finds it."""
    from scipy.optimize import minimize
    from scipy.special import log_softmax

    def loss(weights: Floats) -> float:
        pooled = log_softmax(np.tensordot(weights, logs, 1), axis=1)
        # A little ridge: two witnesses that say the same share the weight.
        return float(-pooled[np.arange(len(true)), true].mean() + 1e-3 * (weights**2).sum())

    found = minimize(loss, np.full(len(logs), 0.5), method="L-BFGS-B", bounds=[(0.0, 4.0)] * len(logs))
    return [round(float(min(max(weight, 0.0), 4.0)), 4) for weight in found.x]


def class_outcomes(rows: Sequence[ClassRow]) -> dict[str, list[Outcome]]:
    """What each row would say, by field, with a lamp model and weights of the other folds."""
    found: dict[str, list[Outcome]] = {}
    lamps, pixels = _lamps(rows), _pixel_shares(rows)
    models: list[LampModel | None] = [None] * FOLDS
    if lamps is not None:
        for fold in range(FOLDS):
            others = lamps.folds != fold
            whole = len(set(lamps.colors[others].tolist())) == len(LAMP_COLORS)
            models[fold] = lamps.model(others) if whole else None
    pools = [_pools(rows, pixels, fold) for fold in range(FOLDS)]
    for row in rows:
        if not row.shares:
            continue
        features, fold = np.array(row.features) if row.features else None, fold_of(row.picture)
        choice = choose_class(row.name, row.votes, features, models[fold], pools[fold])
        outcome = Outcome(choice.confidence, choice.label == row.true, row.true is not None)
        found.setdefault(row.name, []).append(outcome)
    return found


def class_limits(outcomes: Mapping[str, Sequence[Outcome]]) -> dict[str, float]:
    """The least raw confidence to state a field with, by field."""
    return {
        name: max(LEAST_STATED, limit_for([one.confidence for one in found], [one.right for one in found], ASKED_RIGHT[name]))
        for name, found in sorted(outcomes.items())
    }


def class_reports(outcomes: Mapping[str, Sequence[Outcome]], limits: Mapping[str, float]) -> tuple[ClassReport, ...]:
    """How well the fields are read, by field."""
    reports = []
    for name, found in sorted(outcomes.items()):
        shown = [one for one in found if one.shown]
        stated = [one for one in found if one.confidence >= limits[name]]
        reports.append(
            ClassReport(
                name=name,
                shown=len(shown),
                right=share_true(one.right for one in shown),
                stated=share_of(sum(one.shown for one in stated), len(shown)),
                stated_right=share_true(one.right for one in stated),
            )
        )
    return tuple(reports)


def _held_out(features: Floats, colors: NDArray[np.int64], folds: NDArray[np.int64], strength: float) -> Floats:
    """(N, 4) probabilities of every lamp from the model of the other folds."""
    found = np.full((len(colors), len(LAMP_COLORS)), 1.0 / len(LAMP_COLORS))
    for fold in range(FOLDS):
        inside = folds == fold
        if inside.any() and len(set(colors[~inside].tolist())) == len(LAMP_COLORS):
            found[inside] = _fit(features[~inside], colors[~inside], strength).by_pixels(features[inside])
    return found


def _fit(features: Floats, colors: NDArray[np.int64], strength: float) -> LampModel:
    from sklearn.linear_model import LogisticRegression

    means, sds = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-3)
    model = LogisticRegression(C=strength, max_iter=2000).fit((features - means) / sds, colors)
    return LampModel(
        means=tuple(round(float(value), 6) for value in means),
        sds=tuple(round(float(value), 6) for value in sds),
        weights=tuple(tuple(round(float(value), 5) for value in row) for row in model.coef_),
        intercepts=tuple(round(float(value), 5) for value in model.intercept_),
        donut_weight=0.0,
        examples=len(colors),
    )


def _log_loss(probabilities: Floats, colors: NDArray[np.int64]) -> float:
    return float(-np.log(np.maximum(probabilities[np.arange(len(colors)), colors], 1e-6)).mean())
