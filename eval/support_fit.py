"""Fit the probability and the width of stated values on rows of drawn pictures (`eval.support_rows`).

Logistic regression with a ridge and with signs: a signal may only speak in the direction that it means, so that a few
hundred examples do not teach nonsense. The ridge is chosen by cross-validation over pictures, and every figure in the
report comes from models that had not seen the picture.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eval.risk import RISK_LEVELS, RiskPoint, at_threshold, auroc, coverage_at
from eval.score import NAN, Number, calibration_error
from eval.support_rows import Row, UnreadRow, ValueRow
from eval.support_signals import CHOSEN, SIGNS
from vision.fields import Contract
from vision.support import SourceModel, Support, design

Floats = NDArray[np.float64]
FOLDS = 5
ITERATIONS = 600
RIDGES = (1.0, 3.0, 10.0, 30.0, 100.0)
MIN_EXAMPLES = 60
MIN_OF_EACH = 8
"""Right and wrong examples that a model needs of each."""
INTERVAL_SHARE = 0.9
MIN_FOR_WIDENING = 20
LEAST_WIDENING = 1.0
"""Drawn pictures are kinder than photos: what they show may widen the witness's own interval, never narrow it."""
MEASURED = ("numerals", "printed_scale")
"""Sources whose intervals come from measuring; digits are right or wrong."""


class SourceReport(Contract):
    """How well one source's probability tells right from wrong; all figures cross-validated over pictures.

    `interval_holds` counts every stated value, `interval_holds_on_scale` those whose error is one of measuring.
    """

    source: str
    examples: int
    right: Number
    auroc: Number
    brier: Number
    calibration_error: Number
    widening: Number
    interval_holds: Number
    interval_holds_on_scale: Number
    ridge: Number


class SupportReport(Contract):
    """What a fit of the support came to."""

    values: int
    unread: int
    sources: tuple[SourceReport, ...]
    auroc: Number
    calibration_error: Number
    risk: tuple[RiskPoint, ...]
    at_threshold: tuple[RiskPoint, ...]


class _Examples(NamedTuple):
    """Signals (N, F) by name, outcomes (N,), folds (N,)."""

    names: tuple[str, ...]
    values: Floats
    right: NDArray[np.bool_]
    folds: NDArray[np.int64]


def fold_of(picture: str) -> int:
    """The fold of a picture, the same on every machine."""
    return zlib.crc32(picture.encode()) % FOLDS


def fit_support(
    rows: Sequence[Row], thresholds: Sequence[float] = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
) -> tuple[Support, SupportReport]:
    """The support of all sources with enough examples, and its report; `thresholds` are tried on the held-out folds."""
    values = [row for row in rows if isinstance(row, ValueRow)]
    unread = sum(isinstance(row, UnreadRow) for row in rows)
    models: dict[str, SourceModel] = {}
    reports: list[SourceReport] = []
    held_out: list[tuple[float, bool]] = []
    for source in sorted({row.source for row in values}):
        own = [row for row in values if row.source == source]
        fitted = fit_source(own)
        if fitted is None:
            # Without a model its values are stated whatever their doubt: they count at the witness's own word.
            held_out += [(row.stated, row.right or row.holds(Support())) for row in own]
            continue
        model, report, probabilities, right = fitted
        models[source] = model
        reports.append(report)
        held_out += list(zip(probabilities.tolist(), right.tolist(), strict=True))
    stated = np.array([p for p, _ in held_out]), np.array([r for _, r in held_out], bool)
    total = len(values) + unread
    return Support(sources=models), SupportReport(
        values=len(values),
        unread=unread,
        sources=tuple(reports),
        auroc=auroc(*stated),
        calibration_error=calibration_error([p for p, _ in held_out], [r for _, r in held_out]),
        risk=tuple(coverage_at(*stated, total, level) for level in RISK_LEVELS),
        at_threshold=tuple(at_threshold(*stated, total, threshold) for threshold in thresholds),
    )


def fit_source(rows: Sequence[ValueRow]) -> tuple[SourceModel, SourceReport, Floats, NDArray[np.bool_]] | None:
    """Model and report of one source's values, with their held-out probabilities and outcomes; None with too few."""
    folds = np.array([fold_of(row.picture) for row in rows])
    factor = widening(rows)
    right = np.array([_claim_holds(row, factor) for row in rows], bool)
    if len(rows) < MIN_EXAMPLES or min(right.sum(), (~right).sum()) < MIN_OF_EACH:
        return None
    names = tuple(sorted({name for row in rows for name in row.signals if name in CHOSEN.get(row.source, ())}))
    table = np.array([[row.signals.get(name, math.nan) for name in names] for row in rows], float)
    varied = [index for index in range(len(names)) if _varies(table[:, index])]
    if not varied:
        return None
    examples = _Examples(tuple(names[index] for index in varied), table[:, varied], right, folds)
    trials = {ridge: _held_out(examples, ridge) for ridge in RIDGES}
    ridge = min(RIDGES, key=lambda one: (_log_loss(trials[one], right), -one))
    probabilities = trials[ridge]
    model = _fit(examples, np.ones(len(rows), bool), ridge).model_copy(update={"widening": factor})
    others = [widening([row for row, own in zip(rows, folds, strict=True) if own != fold]) for fold in range(FOLDS)]
    holds = np.array([_interval_holds(row, others[fold]) for row, fold in zip(rows, folds, strict=True)])
    on_scale = np.array([row.on_scale is True for row in rows])
    report = SourceReport(
        source=rows[0].source,
        examples=len(rows),
        right=float(right.mean()),
        auroc=auroc(probabilities, right),
        brier=float(np.mean((probabilities - right) ** 2)),
        calibration_error=calibration_error(probabilities.tolist(), right.tolist()),
        widening=factor,
        interval_holds=float(holds.mean()),
        interval_holds_on_scale=float(holds[on_scale].mean()) if on_scale.any() else NAN,
        ridge=ridge,
    )
    return model, report, probabilities, right


def widening(rows: Sequence[ValueRow]) -> float:
    """The factor on the witness's halves with which 90 % of the values that were read on the right scale hold the truth.

    Split conformal: the ceil(0.9 (n + 1))-th smallest of the factors needed. 1 for digits and for too few values.
    """
    if not rows or rows[0].source not in MEASURED:
        return 1.0
    needed = sorted(_needed(row) for row in rows if row.on_scale)
    if len(needed) < MIN_FOR_WIDENING:
        return 1.0
    index = min(math.ceil(INTERVAL_SHARE * (len(needed) + 1)), len(needed)) - 1
    return max(math.ceil(1e4 * needed[index]) / 1e4, LEAST_WIDENING)


def _needed(row: ValueRow) -> float:
    """The factor from which the interval holds the truth; 0 where the least half alone does."""
    assert row.truth is not None
    error = abs(row.value - row.truth)
    half = row.value - row.low if row.truth < row.value else row.high - row.value
    return 0.0 if error <= row.least_half else error / max(half, 1e-12)


def _interval_holds(row: ValueRow, factor: float) -> bool:
    if row.truth is None:
        return False
    return _needed(row) <= factor


def _claim_holds(row: ValueRow, factor: float) -> bool:
    return row.right or _interval_holds(row, factor)


def _varies(column: Floats) -> bool:
    known = column[np.isfinite(column)]
    return len(known) >= MIN_OF_EACH and (float(known.std()) > 1e-6 or len(known) < len(column))


def _held_out(examples: _Examples, ridge: float) -> Floats:
    """Probabilities of every example from the model of the other folds."""
    result = np.zeros(len(examples.right))
    for fold in range(FOLDS):
        inside = examples.folds == fold
        if not inside.any():
            continue
        model = _fit(examples, ~inside, ridge)
        for row in np.flatnonzero(inside):
            result[row] = model.probability(dict(zip(examples.names, examples.values[row].tolist(), strict=True)))
    return result


def _fit(examples: _Examples, chosen: NDArray[np.bool_], ridge: float) -> SourceModel:
    """Ridge logistic regression under the signs, by accelerated projected gradients (Beck and Teboulle, 2009)."""
    values, right = examples.values[chosen], examples.right[chosen].astype(float)
    known = np.isfinite(values)
    counts = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, values, 0.0).sum(axis=0) / counts
    sds = np.sqrt(np.where(known, (values - means) ** 2, 0.0).sum(axis=0) / counts)
    sds = np.maximum(sds, 1e-3)
    rows = design(values, means, sds)  # (N, 2 F)
    count = rows.shape[1]

    rows = np.concatenate([rows, np.ones((len(rows), 1))], axis=1)  # (N, 2 F + 1), the intercept last
    penalty = np.full(count + 1, ridge)
    penalty[count] = 0.0
    sign = np.zeros(count + 1)
    sign[: len(examples.names)] = [SIGNS.get(name, 0) for name in examples.names]
    share = (right.sum() + 1.0) / (len(right) + 2.0)
    found = np.zeros(count + 1)
    found[count] = math.log(share / (1.0 - share))
    step = 1.0 / (0.25 * float(np.linalg.eigvalsh(rows.T @ rows)[-1]) + ridge)
    ahead, momentum = found, 1.0
    for _ in range(ITERATIONS):
        error = 1.0 / (1.0 + np.exp(-np.clip(rows @ ahead, -30.0, 30.0))) - right
        new = ahead - step * (rows.T @ error + penalty * ahead)
        new = np.where(sign * new < 0.0, 0.0, new)
        next_momentum = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * momentum**2))
        ahead = new + (momentum - 1.0) / next_momentum * (new - found)
        found, momentum = new, next_momentum
    weights = [round(float(weight), 5) for weight in found]
    edge = 1.0 / (len(right) + 2.0)
    return SourceModel(
        names=examples.names,
        means=tuple(round(float(mean), 5) for mean in means),
        sds=tuple(round(float(sd), 5) for sd in sds),
        weights=tuple(weights[: count // 2]),
        absent=tuple(weights[count // 2 : count]),
        intercept=weights[count],
        probabilities=(edge, 1.0 - edge),
        examples=len(right),
    )


def _log_loss(probabilities: Floats, right: NDArray[np.bool_]) -> float:
    clipped = np.clip(probabilities, 1e-6, 1.0 - 1e-6)
    return float(-np.mean(np.where(right, np.log(clipped), np.log(1.0 - clipped))))
