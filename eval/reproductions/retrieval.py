"""Claims about what retrieval does: more exact hits and faithful answers, relevance without facts, the relevance gate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from eval.anchors_relevance import PASSES as RELEVANT
from eval.anchors_relevance import score_anchors
from eval.context_relevance import ContextJudge, score_context
from eval.coverage import PASSES as COVERED
from eval.coverage import score_coverage
from eval.fci import score_answer
from eval.mvfu import FactLibrary
from eval.query_set import QueryCase
from eval.reproductions.claims import Claim, Paired, judge_effect, mean_effect, paired_effect, point
from eval.reproductions.quoting import Found, is_right, quote
from eval.retrieval import Passage, passage_of
from knowledge.search import KnowledgeBase

SENT = 3
LEVELS = (0.70, 0.85, 0.92, 1.0)
"""ERR at which answers are looked at; .85 to .92 is the step that the documents report."""
Answerer = Callable[[Sequence[QueryCase], Sequence[Sequence[Passage]]], Sequence[str]]


class _Answered(NamedTuple):
    """An answer from some passages: whether every claim of it is borne out by one of them, and whether it is right."""

    faithful: bool
    right: bool


def quoting(cases: Sequence[QueryCase], contexts: Sequence[Sequence[Passage]]) -> list[str]:
    """Answers of the writer that can only quote."""
    return [quote(case.text, context) for case, context in zip(cases, contexts, strict=True)]


def err_lifts_far(found: Sequence[Found], answerer: Answerer, subject: str, seed: int) -> Claim:
    """B10: each question is answered with its exact passage and without, and mixed at several ERR.

    A case counts where both answers can be scored.
    """
    cases = [one.base.case for one in found]
    hit = [one.base.sent for one in found]
    miss = [one.blind[:SENT] for one in found]
    answered = list(zip(_answered(cases, hit, answerer), _answered(cases, miss, answerer), strict=True))
    kept = [(h, m) for h, m in answered if h is not None and m is not None]
    draws = np.random.default_rng(seed).permutation(len(kept)) / max(len(kept), 1)
    points = []
    for level in LEVELS:
        mixed = [h if draw < level else m for (h, m), draw in zip(kept, draws, strict=True)]
        points.append(point(f"ERR {level:.0%}", "FAR", [one.faithful for one in mixed]))
        points.append(point(f"ERR {level:.0%}", "answer right", [one.right for one in mixed]))
    effect = paired_effect(Paired([m.faithful for _, m in kept], [h.faithful for h, _ in kept]))
    right = paired_effect(Paired([m.right for _, m in kept], [h.right for h, _ in kept]))
    return Claim(
        row="B10",
        claim="ERR up lifts FAR",
        source="ERR 85 -> 92 lifts FAR 78 -> 94",
        subject=f"{subject}, {len(kept)} questions",
        points=tuple(points),
        effect_of="FAR with the exact passage less FAR without",
        effect=effect,
        verdict=judge_effect(effect, len(kept)),
        said=(
            f"With the exact passage instead of others FAR moves by {100 * effect.value:.1f} points and the share of right "
            f"answers by {100 * right.value:.1f}. 7 points of ERR change 7 % of the questions, so they move FAR by "
            f"{7 * effect.value:.1f} points here and by 7 at most anywhere; the 16 that are claimed need another cause beside."
        ),
    )


def _answered(cases: Sequence[QueryCase], contexts: Sequence[Sequence[Passage]], answerer: Answerer) -> list[_Answered | None]:
    rows: list[_Answered | None] = []
    for case, context, text in zip(cases, contexts, answerer(cases, contexts), strict=True):
        fci = score_answer(text, [passage.text for passage in context]).fci if text and context else float("nan")
        rows.append(None if fci != fci else _Answered(fci == 1, is_right(case, text)))
    return rows


def relevant_without_facts(
    kb: KnowledgeBase, cases: Sequence[QueryCase], library: FactLibrary, depth: int, shown: int = 3
) -> Claim:
    """A2/A23: among questions whose needed facts the library knows, those whose passages are about them and state less than
    half of the facts, as the search brings them, and where passages that state a needed fact are held back."""
    natural, held_back = _Card("as found"), _Card("facts held back")
    for case in cases:
        plan = kb.plan(case.text)
        model = case.model or (plan.models[0] if len(plan.models) == 1 else None)
        if model is None:
            continue
        asked = plan.text if model in plan.models else f"{model}: {plan.text}"
        passages = [passage_of(hit.chunk) for hit in kb.search(case.text, model=case.model, k=depth)]
        if not natural.add(asked, case, passages[:SENT], library, model):
            continue
        silent = [passage for passage in passages if _states_none(case, passage, library, model)]
        held_back.add(asked, case, silent[:SENT], library, model)
    effect = mean_effect([float(one) for one in held_back.empty])
    return Claim(
        row="A2, A23",
        claim="CRS can be high where FCR is low",
        source="CRS 0.85 with FCR 0.41; bank case v1 0.82 with 0.35",
        subject=f"search of the product, {len(natural.empty)} questions with known facts",
        points=(
            point("as found", f"CRS >= {RELEVANT} and FCR < {COVERED}", natural.empty),
            point("passages with the facts held back", f"CRS >= {RELEVANT} and FCR < {COVERED}", held_back.empty),
        ),
        effect_of="contexts without the facts that pass CRS",
        effect=effect,
        verdict=judge_effect(effect, len(held_back.empty)),
        said=(
            f"As found, mean CRS {_mean(natural.crs)} and FCR {_mean(natural.fcr)}: {sum(natural.empty)} of the product's own "
            f"searches are such a case. With the facts held back, {_mean(held_back.crs)} and {_mean(held_back.fcr)}: "
            f"{sum(held_back.empty)} of {len(held_back.empty)} contexts pass CRS all the same, so CRS alone does not say that a "
            "question can be answered."
        ),
        cases=(*natural.examples, *held_back.examples)[:shown],
    )


class _Card:
    """CRS and FCR of several contexts; only those with both count. `examples` are those with the one high, the other low."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.crs: list[float] = []
        self.fcr: list[float] = []
        self.examples: list[str] = []

    def add(self, asked: str, case: QueryCase, passages: Sequence[Passage], library: FactLibrary, model: str) -> bool:
        """Whether a context counts."""
        coverage = score_coverage(case.text, passages, library, model, case.language) if passages else None
        crs = score_anchors(asked, passages).score if passages else None
        if coverage is None or crs is None or "not_scorable" in (coverage.score.state, crs.state):
            return False
        self.crs.append(crs.value)
        self.fcr.append(coverage.score.value)
        if self.empty[-1]:
            said = f"CRS {crs.value:.2f}, FCR {coverage.score.value:.2f}; not stated: {', '.join(coverage.missing)}"
            self.examples.append(f"{self.name}, {case.id}, {case.text!r}: {said}")
        return True

    @property
    def empty(self) -> list[bool]:
        return [crs >= RELEVANT and fcr < COVERED for crs, fcr in zip(self.crs, self.fcr, strict=True)]


def _states_none(case: QueryCase, passage: Passage, library: FactLibrary, model: str) -> bool:
    facts = score_coverage(case.text, [passage], library, model, case.language).facts
    return not any(fact.score.state == "supported" for fact in facts)


def _mean(values: Sequence[float]) -> str:
    return f"{fmean(values):.2f}" if values else "not measured"


def relevance_gate(kb: KnowledgeBase, found: Sequence[Found], judge: ContextJudge, seed: int) -> Claim:
    """C5: contexts that answer, contexts of the same question without the answer, and contexts about something else; then
    three passages drawn at random, as the documents do it, twice."""
    rng = np.random.default_rng(seed)
    everything = [passage_of(chunk) for chunk in kb.chunks()]
    whole, blind, foreign, flips = [], [], [], []
    for one in found:
        question = one.base.case.text

        def stopped(passages: Sequence[Passage], question: str = question) -> bool:
            return score_context(question, passages, judge).retrieval_failed

        if len(one.blind) < SENT:
            continue
        whole.append(stopped(one.passages[:SENT]))
        blind.append(stopped(one.blind[:SENT]))
        foreign.append(stopped([everything[int(place)] for place in rng.integers(0, len(everything), SENT)]))
        drawn = [[one.passages[int(place)] for place in rng.permutation(len(one.passages))[:SENT]] for _ in range(2)]
        flips.append(stopped(drawn[0]) != stopped(drawn[1]))
    effect = paired_effect(Paired(whole, blind))
    far = paired_effect(Paired(whole, foreign))
    return Claim(
        row="C5",
        claim="a mean relevance below the bound means that retrieval failed",
        source="removed 17 % of queries",
        subject=f"{judge.name}, bound {judge.passes:g}, {len(whole)} questions",
        points=(
            point("the answer among the first three", "stopped", whole),
            point("the answer held back", "stopped", blind),
            point("three passages of anything", "stopped", foreign),
            point("three of the first ten at random, drawn twice", "verdict changed", flips),
        ),
        effect_of="stopped without the answer less stopped with it",
        effect=effect,
        verdict=judge_effect(effect, len(whole)),
        said=(
            f"Against contexts about something else: {100 * far.value:+.0f} points [{100 * far.low:.0f}, {100 * far.high:.0f}]. "
            f"Of the contexts without the answer the gate lets {len(blind) - sum(blind)} of {len(blind)} through. Drawn at "
            f"random as the documents do it, {sum(flips)} of {len(flips)} verdicts differ between two runs."
        ),
    )
