"""A claim put to the test: what was measured at each setting, the effect with its interval, and whether the claim holds.

An effect is a difference on the same cases, signed so that the claim says it is above 0. Its interval is a bootstrap over
groups of cases that depend on each other (seeds of `eval.probe_scores`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from eval.probe_scores import Measured, Rows, measure
from eval.score import EvalError, Share, share_true
from eval.tables import number, percent, table
from vision.fields import Contract

ROUNDS = 1000
FEW = 20
Verdict = Literal["holds", "does not hold", "not shown"]


class Point(Contract):
    """A share measured at one setting."""

    setting: str
    what: str
    share: Share


class Claim(Contract):
    """One claim of the documents (`row` in their inventory) as measured here.

    `source`: the documents' own numbers. `effect`: what the claim says is above 0, with a 95 % interval. `said`: in words
    what was found, and what of the claim cannot be found this way. `cases` tells some of the cases themselves.
    """

    row: str
    claim: str
    source: str
    subject: str
    points: tuple[Point, ...]
    effect_of: str
    effect: Measured
    verdict: Verdict
    said: str
    cases: tuple[str, ...] = ()


class Paired(NamedTuple):
    """Flags of the same cases before and after; cases of one group are no independent draws."""

    before: Sequence[bool]
    after: Sequence[bool]
    groups: Sequence[Hashable] | None = None


def paired_effect(pairs: Paired, rounds: int = ROUNDS) -> Measured:
    """Share after less share before. Raises EvalError where the cases are not the same number."""
    if len(pairs.before) != len(pairs.after):
        raise EvalError(f"{len(pairs.before)} cases before and {len(pairs.after)} after are no pairs")
    return mean_effect([float(b) - float(a) for a, b in zip(pairs.before, pairs.after, strict=True)], pairs.groups, rounds)


def mean_effect(values: Sequence[float], groups: Sequence[Hashable] | None = None, rounds: int = ROUNDS) -> Measured:
    """Mean of differences with its interval. Raises EvalError where there is not one group a value."""
    keys = list(range(len(values))) if groups is None else list(groups)
    if len(keys) != len(values):
        raise EvalError(f"{len(values)} values in {len(keys)} groups")
    given = np.array(values, dtype=float)
    rows: dict[Hashable, list[int]] = {}
    for place, key in enumerate(keys):
        rows.setdefault(key, []).append(place)

    def mean(picked: Rows) -> float:
        return float(given[picked].mean()) if len(picked) else float("nan")

    return measure([np.array(one, dtype=np.int64) for one in rows.values()], mean, rounds)


def judge_effect(effect: Measured, cases: int) -> Verdict:
    """The claim holds where the whole interval lies above 0, and does not where none of it does; else nothing is shown.

    Nor is it by fewer than `FEW` cases: a bootstrap over a handful of them gives intervals that are too narrow.
    """
    if cases < FEW:
        return "not shown"
    if effect.low > 0:
        return "holds"
    return "does not hold" if effect.high <= 0 else "not shown"


def point(setting: str, what: str, flags: Sequence[bool]) -> Point:
    """The share of flags that hold at a setting."""
    return Point(setting=setting, what=what, share=share_true(flags))


def claims_text(claims: Sequence[Claim]) -> str:
    """All claims for people: a table of verdicts, then each with what was measured."""
    rows = [(one.row, one.claim, one.source, f"{one.effect_of}: {_shown(one.effect)}", one.verdict) for one in claims]
    parts = [table(("row", "claim", "claimed", "measured effect", "verdict"), rows)]
    for one in claims:
        cells = [(point.setting, point.what, percent(point.share, interval=True)) for point in one.points]
        cases = "".join(f"\n- {case}" for case in one.cases)
        parts.append(f"{one.row}, {one.subject}\n\n{table(('setting', 'share', 'measured'), cells)}\n\n{one.said}{cases}")
    return "\n\n".join(parts)


def _shown(effect: Measured) -> str:
    return f"{number(effect.value)} [{number(effect.low)}, {number(effect.high)}]"
