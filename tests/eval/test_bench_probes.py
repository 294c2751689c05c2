"""The bench of the probes: thresholds carried between sets, alignment as a further probe, and what a query costs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eval.bench_probes import (
    ATTENTION,
    TimedQuery,
    _carry,
    aligned_by,
    probe_sets,
    score_sets,
    time_probes,
)
from eval.bench_text import LabelledText, ProbedTexts
from eval.mvfu import FactLibrary
from eval.probe_scores import FLOOR, Labelled, Measured
from eval.retrieval import Passage
from eval.score import EvalError, graded, mean_of, not_scorable

QUESTIONS = [
    TimedQuery(
        f"Up to which pressure is the PN-{n} normal?",
        f"PN-{n}",
        (
            Passage(text=f"The normal range of the PN-{n} is 6 to {n} bar. Above {n} bar it is an alarm."),
            Passage(text="The case is black."),
        ),
        f"The normal range of the PN-{n} is 6 to {n} bar. The case is black.",
    )
    for n in range(11, 16)
]


def write_sets(folder: Path) -> Path:
    good = {"response": "The pump runs at 4 MPa.", "labels": []}
    bad = {"response": "Bellows from Norway cost nine dollars.", "labels": [{"text": "Norway"}]}
    passages = "passage 1:The pump runs at 4 MPa. passage 2:The valve is made of brass."
    rows: list[dict[str, Any]] = [{"source_id": n, "source": {"passages": passages}, "responses": [good, bad]} for n in range(6)]
    (folder / "ragtruth_qa_dev.jsonl").write_text("\n".join(map(json.dumps, rows)))
    rows = [
        {
            "id": f"doc_{n}",
            "newsBeginning": "泵站昨日启动。",
            "newsRemainder": "泵站站长说，油泵压力为4兆帕。",
            "hallucinatedContinuation": "站长表示，油泵压力为9兆帕，挪威专家到场。",
            "annotations": ["油泵压力<sep>合理", "挪威专家<sep>不合理，原文没有"],
        }
        for n in range(6)
    ]
    (folder / "uhgeval_dev.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    return folder


def test_both_sets_are_scored_and_thresholds_carried_both_ways(tmp_path: Path) -> None:
    probed = probe_sets(write_sets(tmp_path), progress=False)
    sets, carried = score_sets(probed, 10)
    assert [one.data for one in sets] == ["ragtruth_qa_dev.jsonl", "uhgeval_dev.jsonl"]
    assert {(one.chosen_on, one.applied_to) for one in carried} == {
        ("ragtruth_qa_dev.jsonl", "uhgeval_dev.jsonl"),
        ("uhgeval_dev.jsonl", "ragtruth_qa_dev.jsonl"),
    }
    assert {one.probe for one in carried} == {FLOOR, "fci", "worst support"}
    assert all(probe.auroc.value == 1 for one in sets for probe in one.probes if probe.probe != "fci")
    assert (sets, carried) == score_sets(probe_sets(tmp_path, progress=False), 10)
    (tmp_path / "uhgeval_dev.jsonl").unlink()
    assert score_sets(probe_sets(tmp_path, limit=2, progress=False), 5)[1] == ()


def test_a_folder_without_sets_says_which_it_wants(tmp_path: Path) -> None:
    with pytest.raises(EvalError, match=r"none of the labelled sets: ragtruth_qa_dev\.jsonl, uhgeval_dev\.jsonl"):
        probe_sets(tmp_path, progress=False)


def test_a_carried_threshold_is_the_other_sets_own() -> None:
    groups, faithful = list("abcd"), [False, False, True, True]
    one = ProbedTexts("one", {FLOOR: [0.2, 0.2, 0.6, 0.6]}, Labelled(faithful, groups))
    other = ProbedTexts("other", {FLOOR: [0.1, 0.7, 0.3, 0.9]}, Labelled(faithful, groups))
    # On a and c of `one` the threshold is .6. On b (.7, unfaithful) and d (.9, faithful) of `other` it calls nothing.
    carried = _carry(FLOOR, one, other, 5)
    assert (carried.f1.value, carried.balanced_accuracy.value) == (0, 0.5)


def test_alignment_is_of_the_weakest_claims_or_of_the_keywords() -> None:
    class Probe:
        def score(self, question: str, answer: str, sources: tuple[str, ...]) -> Any:
            from eval.attention import AlignedClaim, AttentionScores

            def claim(text: str, value: float) -> AlignedClaim:
                score = graded(value, 0.35, "AC")
                return AlignedClaim(text=text, start=0, end=1, score=score, ac=value, weakest_key=math.nan, tokens=1, spans=())

            claims = (claim("油泵压力为9兆帕", 0.8), claim("挪威专家到场", 0.1), claim("阀门关闭", 0.3))
            return AttentionScores(score=claims[1].score, mean=mean_of([0.8, 0.1, 0.3]), claims=claims, cut=False)

    value = aligned_by(Probe())  # type: ignore[arg-type]
    text = "油泵压力为9兆帕，挪威专家到场，阀门关闭。"
    assert value(LabelledText(text, None, ("x",), True, "g")) == pytest.approx((0.1 + 0.3) / 2)
    assert value(LabelledText(text, "油泵", ("x",), True, "g")) == 0.8
    assert math.isnan(value(LabelledText(text, "铜管", ("x",), True, "g")))


def test_alignment_joins_the_others_where_it_is_asked_for(tmp_path: Path) -> None:
    class Silent:
        def score(self, *_: Any) -> Any:
            from eval.attention import AttentionScores

            return AttentionScores(score=not_scorable("silent"), mean=mean_of(()), claims=(), cut=False)

    probed = probe_sets(write_sets(tmp_path), attention=Silent(), progress=False)  # type: ignore[arg-type]
    assert all(np.isnan(one.raw[ATTENTION]).all() for one in probed)
    sets, _ = score_sets(probed, 5)
    (scored,) = [probe for probe in sets[0].probes if probe.probe == ATTENTION]
    assert (scored.not_scorable, scored.auroc) == (12, Measured(value=0.5, low=0.5, high=0.5))


def test_a_query_is_timed_and_scores_are_the_same_on_rerun() -> None:
    times = time_probes(QUESTIONS, FactLibrary())
    assert times.queries == len(QUESTIONS)
    assert times.identical
    for one in (times.cold, times.warm, times.again):
        assert 0 < one.process_ms_p50 <= one.process_ms_p99
        assert one.queries_per_s > 0
    assert times.again.process_ms_p50 <= times.cold.process_ms_p99
    with pytest.raises(EvalError, match="no query to time"):
        time_probes([], FactLibrary())
