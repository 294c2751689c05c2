"""Fit the probability and the width of stated values on rows of drawn pictures (`eval.support_rows`).

Logistic regression with a ridge and with signs: a signal may only speak in the direction that it means, so that a few
hundred examples do not teach nonsense. The ridge is chosen by cross-validation over pictures, and every figure in the
report comes from models that had not seen the picture.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eval.score import NAN, Number, calibration_error
from eval.support_rows import Row, UnreadRow, ValueRow
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
RISK_LEVELS = (0.99, 0.95, 0.9, 0.8)
CHOSEN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "numerals": (
            *("witness", "numerals", "noise", "ring", "placement", "texts_left", "own_differs"),
            *("needle_sd", "needle_contrast", "spread_needle_tip", "spread_pivot", "point_needle_tip"),
            *("kind", "size", "sharpness", "rivals"),
        ),
        "printed_scale": ("own_confidence", "point_needle_tip", "spread_needle_tip", "needle_sd", "kind", "size", "sharpness"),
        "digits": ("looks_sure", "own_sure", "looks_agree", "same_digits", "digits", "row_px", "kind", "size", "sharpness"),
    }
)
"""By source: the few signals that a model is fitted on. With a dozen wrong values among a hundred, all 55 signals rank
values no better than chance (cross-validated AUROC .50), these do (.73)."""
SIGNS: Mapping[str, int] = MappingProxyType(
    dict.fromkeys(
        (
            *("size", "squareness", "contrast", "sharpness", "located", "kind", "needle_px", "needle_found"),
            *("needle_contrast", "numerals", "witness", "unit_printed", "weight", "weakest", "complete", "row_px"),
            *("point_needle_tip", "point_pivot", "point_scale_start", "point_scale_end", "own_confidence"),
            *("token_scale_min", "token_scale_max", "token_scale_fraction", "token_pointer_angle", "token_clockwise"),
            *("own_sure", "token_digits", "looks_sure", "looks_agree", "same_digits"),
        ),
        1,
    )
    | dict.fromkeys(
        (
            *("glare", "needle_glare", "needle_sd", "needle_moved", "needle_token", "rivals", "red_rival", "long_rival"),
            *("red_taken", "own_differs", "own_span", "ring", "noise", "bend", "beyond", "from_numeral", "end_interval"),
            *("spread_needle_tip", "spread_pivot", "spread_scale_start", "spread_scale_end", "other_scales", "tilted"),
            "texts_left",
        ),
        -1,
    )
)
"""Which way a signal may speak: 1 for the value, -1 against it. Signals not named here may speak either way."""


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


class RiskPoint(Contract):
    """At the probability threshold that keeps stated values right with a share of `level`: how many values are stated.

    `coverage` is the share of all instruments with a true value; NaN threshold where no threshold reaches the level.
    """

    level: float
    threshold: Number
    coverage: Number
    right: Number


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


def auroc(scores: Floats, right: NDArray[np.bool_]) -> float:
    """Probability that a right value scores above a wrong one, ties half; NaN where one of the two is missing."""
    good, bad = scores[right], scores[~right]
    if not len(good) or not len(bad):
        return NAN
    above = (good[:, None] > bad[None, :]).mean() + 0.5 * (good[:, None] == bad[None, :]).mean()
    return float(above)


def coverage_at(scores: Floats, right: NDArray[np.bool_], total: int, level: float) -> RiskPoint:
    """The most values that can be stated, best first, with a share of `level` of them right; equal scores go together."""
    order = np.argsort(-scores, kind="stable")
    ranked, hits = scores[order], np.cumsum(right[order])
    best = 0
    for count in range(1, len(order) + 1):
        last_of_ties = count == len(order) or ranked[count] < ranked[count - 1]
        if last_of_ties and hits[count - 1] >= level * count:
            best = count
    if not best or not total:
        return RiskPoint(level=level, threshold=NAN, coverage=0.0, right=NAN)
    share = float(hits[best - 1]) / best
    return RiskPoint(level=level, threshold=float(ranked[best - 1]), coverage=best / total, right=share)


def at_threshold(scores: Floats, right: NDArray[np.bool_], total: int, threshold: float) -> RiskPoint:
    """Coverage and share right of the values from a threshold on; `level` repeats the share right, 0 where none is left."""
    kept = scores >= threshold
    share = float(right[kept].mean()) if kept.any() else NAN
    coverage = float(kept.sum()) / total if total else NAN
    return RiskPoint(level=0.0 if math.isnan(share) else share, threshold=threshold, coverage=coverage, right=share)
