"""Probe scores: against scikit-learn, under resampling by group, with classes missing, and with nothing judged."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eval.probe_scores import FLOOR, Labelled, at_threshold, best_threshold, measure, score_probes, with_neutral
from eval.score import EvalError, area_under_roc

RNG = np.random.default_rng(5)
FAITHFUL = (RNG.random(120) < 0.6).tolist()
GROUPS = [f"g{n // 3:02d}" for n in range(120)]
GOOD = [float(np.clip(0.3 + 0.4 * one + 0.2 * RNG.normal(), 0, 1)) for one in FAITHFUL]
NOISE = RNG.random(120).tolist()


def test_figures_agree_with_scikit_learn() -> None:
    from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score

    labelled = Labelled(FAITHFUL, GROUPS)
    good = score_probes({FLOOR: NOISE, "good": GOOD}, labelled, 40)[1]
    held = np.concatenate(labelled.odd)
    truth, values = np.array(FAITHFUL)[held], np.array(GOOD)[held]
    assert good.auroc.value == pytest.approx(roc_auc_score(FAITHFUL, GOOD))
    assert good.held_out.value == pytest.approx(roc_auc_score(truth, values))
    called = values < good.threshold
    assert good.f1.value == pytest.approx(f1_score(~truth, called))
    assert good.balanced_accuracy.value == pytest.approx(balanced_accuracy_score(~truth, called))
    assert good.gain.value == pytest.approx(good.held_out.value - roc_auc_score(truth, np.array(NOISE)[held]))


def test_intervals_hold_their_value_and_repeat() -> None:
    labelled = Labelled(FAITHFUL, GROUPS)
    first = score_probes({FLOOR: NOISE, "good": GOOD}, labelled, 60)
    assert first == score_probes({FLOOR: NOISE, "good": GOOD}, labelled, 60)
    for probe in first:
        for figure in (probe.auroc, probe.tuned, probe.held_out, probe.gain, probe.f1, probe.balanced_accuracy):
            assert figure.low <= figure.value <= figure.high
    floor, good = first
    assert (floor.gain.low, floor.gain.value, floor.gain.high) == (0, 0, 0)
    assert good.gain.low > 0


def test_halves_share_no_group_and_leave_nothing_out() -> None:
    labelled = Labelled(FAITHFUL, GROUPS)
    even = {GROUPS[row] for rows in labelled.even for row in rows}
    odd = {GROUPS[row] for rows in labelled.odd for row in rows}
    assert not even & odd
    assert even | odd == set(GROUPS)
    assert sorted(np.concatenate(labelled.all)) == list(range(120))


def test_texts_of_a_group_are_drawn_together() -> None:
    # Ten copies of each text in its group add no evidence: the interval stays as wide.
    once = Labelled(FAITHFUL[::3], GROUPS[::3])
    often = Labelled([one for one in FAITHFUL[::3] for _ in range(10)], [one for one in GROUPS[::3] for _ in range(10)])
    values = np.array(GOOD[::3])
    many = np.repeat(values, 10)
    few = measure(once.all, lambda rows: area_under_roc(list(values[rows]), list(once.faithful[rows])), 50)
    same = measure(often.all, lambda rows: area_under_roc(list(many[rows]), list(often.faithful[rows])), 50)
    assert (few.value, few.low, few.high) == pytest.approx((same.value, same.low, same.high))


def test_one_class_alone_has_no_figure() -> None:
    (floor,) = score_probes({FLOOR: [0.1, 0.2]}, Labelled([True, True], ["a", "b"]), 5)
    assert all(math.isnan(one) for one in (floor.auroc.value, floor.auroc.low, floor.f1.value, floor.held_out.value))


def test_nothing_judged_is_neither_for_nor_against() -> None:
    assert with_neutral([math.nan, 0.2]).tolist() == [0.5, 0.2]
    (floor,) = score_probes({FLOOR: [math.nan] * 6}, Labelled([True, False] * 3, list("abcdef")), 5)
    assert (floor.not_scorable, floor.auroc.value) == (6, 0.5)
    with pytest.raises(EvalError, match="2 labels for 1 groups"):
        Labelled([True, False], ["a"])


def test_threshold_separates_what_can_be_separated() -> None:
    values, faithful = np.array([0.1, 0.2, 0.8, 0.9]), np.array([False, False, True, True])
    threshold = best_threshold(values, faithful)
    assert 0.2 < threshold <= 0.8
    assert at_threshold(values, faithful, threshold) == (1, 1)
