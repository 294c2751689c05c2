"""Field by field: was it read, was it right, was it made up, and by how much it was off."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from eval.matching import Pair
from eval.score import Number, Share, median, percentile, share_of
from eval.values import angle_error_deg
from vision.fields import Contract

Rule = Literal["angle", "fraction", "number", "exact"]
ANGLE_TOLERANCE_DEG = 5.0
FRACTION_TOLERANCE = 0.02
"""Two hundredths of the sweep: about the spacing of minor ticks on a common dial of 50 divisions."""

FIELD_RULES: dict[str, Rule] = {
    "kind": "exact",
    "pointer_angle": "angle",
    "start_angle": "angle",
    "end_angle": "angle",
    "clockwise": "exact",
    "scale_fraction": "fraction",
    "scale_min": "number",
    "scale_max": "number",
    "scale_multiplier": "number",
    "unit": "exact",
    "warning_light_color": "exact",
    "mode_dial_position": "exact",
    "digital_readout": "exact",
}


class FieldScore(Contract):
    """One field over many instruments.

    `right` and `abstained` are shares of the instruments whose truth has the field, the ones that were
    not found included. `made_up`: of the fields given, those whose truth has none. Errors are over the
    answers alone, in degrees for angles and in sweeps for the fraction, NaN for exact fields.
    """

    field: str
    right: Share
    abstained: Share
    made_up: Share
    error_median: Number
    error_p95: Number


class Judged(NamedTuple):
    right: bool
    error: float


def judge_field(rule: Rule, truth: Any, given: Any) -> Judged:
    """Whether a given field is right by its rule, and its error (NaN where the rule has none)."""
    if rule == "angle":
        error = angle_error_deg(given, truth)
        return Judged(error < ANGLE_TOLERANCE_DEG, error)
    if rule == "fraction":
        error = abs(given - truth)
        return Judged(error < FRACTION_TOLERANCE, error)
    if rule == "number":
        return Judged(math.isclose(given, truth, rel_tol=1e-6, abs_tol=1e-9), math.nan)
    return Judged(bool(given == truth), math.nan)


def score_field(field: str, pairs: Sequence[Pair]) -> FieldScore:
    """One field over the pairs. A reading without a true instrument beside it makes up whatever it gives."""
    rule = FIELD_RULES[field]
    judged: list[Judged] = []
    known = abstained = made_up = given_count = 0
    for pair in pairs:
        truth = None if pair.truth is None else getattr(pair.truth.fields, field)
        given = None if pair.reading is None else getattr(pair.reading.fields, field)
        known += truth is not None
        given_count += given is not None
        abstained += truth is not None and given is None
        made_up += truth is None and given is not None
        if truth is not None and given is not None:
            judged.append(judge_field(rule, truth, given))
    errors = [one.error for one in judged if not math.isnan(one.error)]
    return FieldScore(
        field=field,
        right=share_of(sum(one.right for one in judged), known),
        abstained=share_of(abstained, known),
        made_up=share_of(made_up, given_count),
        error_median=median(errors),
        error_p95=percentile(errors, 95.0),
    )


def score_fields(pairs: Sequence[Pair]) -> tuple[FieldScore, ...]:
    """All fields that occur in the truths or in the readings."""
    scores = (score_field(field, pairs) for field in FIELD_RULES)
    return tuple(score for score in scores if score.right.n or score.made_up.n)
