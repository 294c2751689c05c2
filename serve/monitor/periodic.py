"""Level 2: what is measured once a day and once an hour, with its limits and its colour against the time before."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations, zip_longest
from typing import NamedTuple

from eval.context_relevance import ContextJudge, score_context
from eval.golden import GoldenAnchor, load_anchors, quick_anchors
from eval.golden_run import AnchorRow, ProductChain, check_anchors
from eval.query_set import QueryCase, shipped_query_set
from eval.retrieval import ask, mean_retrieval, passage_of
from eval.score import NAN, Number, mean_of, share_of
from knowledge.search import KnowledgeBase
from rag.pipeline import asked_day
from serve.monitor.colours import Colour
from vision.fields import Contract

DAILY, HOURLY = "daily", "hourly"
ANCHORS = 30
SAMPLED = 100
SEED = 20
TOP = 3
ALIKE = 0.8
"""From this cosine on two passages say the same."""
YELLOW = 0.05


class Limit(NamedTuple):
    """What a value must be: at least or at most `bound`."""

    bound: float
    at_most: bool = False

    def holds(self, value: float) -> bool:
        """Whether a value is within; what was not measured is not."""
        return value <= self.bound if self.at_most else value >= self.bound


LIMITS: Mapping[str, Limit] = {
    "anchors": Limit(1.0),
    "relevance": Limit(0.70),
    "redundancy": Limit(0.10, at_most=True),
    "recall_at_5": Limit(0.85),
    "mrr": Limit(0.70),
    "coverage": Limit(0.995),
}


class Measure(Contract):
    """One value in [0, 1], NaN where nothing could be measured, of `n` cases; `holds`: it is within its limit."""

    name: str
    value: Number
    n: int
    holds: bool


class Measures(Contract):
    """One run. `failed`: ids of golden anchors that failed."""

    at: float
    knowledge_version: str
    measures: tuple[Measure, ...]
    failed: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[Measure, ...]:
        """What is out of its limit."""
        return tuple(one for one in self.measures if not one.holds)


class Change(Contract):
    """A measure against the run before. `before` is NaN at the first run."""

    name: str
    before: Number
    now: Number
    colour: Colour
    note: str


def measure_daily(
    kb: KnowledgeBase, judge: ContextJudge, at: float, anchors: Sequence[GoldenAnchor] | None = None, count: int = SAMPLED
) -> Measures:
    """Golden anchors through the whole chain; relevance and redundancy of the first passages of sampled questions."""
    chosen = daily_anchors(load_anchors()) if anchors is None else anchors
    rows = [one.row for one in check_anchors(chosen, ProductChain(kb, asked_day(kb)))]
    relevant: list[float] = []
    alike: list[float] = []
    for case in sampled_cases(count):
        hits = kb.search(case.text, model=case.model, language=case.language, k=TOP)
        passages = [passage_of(hit.chunk) for hit in hits]
        score = score_context(case.text, passages, judge).score
        relevant.append(NAN if score.state == "not_scorable" else float(score.state == "supported"))
        alike += [float(judge.score(a.text, [b.text])[0] > ALIKE) for a, b in combinations(passages, 2)]
    measures = (_anchors(rows), _mean("relevance", relevant), _mean("redundancy", alike))
    failed = tuple(row.id for row in rows if row.status == "fail")
    return Measures(at=at, knowledge_version=kb.version, measures=measures, failed=failed)


def measure_hourly(kb: KnowledgeBase, at: float, count: int = SAMPLED) -> Measures:
    """Recall@5 and MRR of sampled questions, and coverage: the share of documents in force of which a question in their own
    first words brings a passage.

    Posts of a forum are left out of coverage: the search ranks them behind their instrument's manual on purpose.
    """
    means = mean_retrieval(ask(kb, case) for case in sampled_cases(count))
    first = {chunk.document: chunk for chunk in reversed(kb.chunks()) if chunk.authority != "forum"}
    found = [
        float(any(hit.chunk.document == name for hit in kb.search(chunk.verbatim[:200], language=chunk.language, k=5)))
        for name, chunk in first.items()
    ]
    measures = (
        _measure("recall_at_5", means.hit_at_5.value, means.hit_at_5.n),
        _measure("mrr", means.mrr.value, means.mrr.n),
        _mean("coverage", found),
    )
    return Measures(at=at, knowledge_version=kb.version, measures=measures)


def daily_anchors(anchors: Sequence[GoldenAnchor], count: int = ANCHORS) -> tuple[GoldenAnchor, ...]:
    """The same anchors every day: those of the quick scan, then of each module in turn."""
    modules: dict[str, list[GoldenAnchor]] = {}
    for anchor in anchors:
        modules.setdefault(anchor.module, []).append(anchor)
    turns = [anchor for row in zip_longest(*modules.values()) for anchor in row if anchor is not None]
    return tuple(dict.fromkeys([*quick_anchors(anchors), *turns]))[:count]


def sampled_cases(count: int) -> list[QueryCase]:
    """The same answerable questions every time: a change is then the chain's and not the draw's."""
    cases = [case for case in shipped_query_set() if case.answers]
    return random.Random(SEED).sample(cases, min(count, len(cases)))  # noqa: S311


def compare_runs(before: Measures | None, now: Measures) -> tuple[Change, ...]:
    """Each measure's colour: green the same or better, yellow worse by less than 5 points, red by 5 or more, out of a limit
    that held, an anchor that fails anew, and what could not be measured."""
    old = {one.name: one for one in before.measures} if before is not None else {}
    new_fails = set(now.failed) - set(before.failed) if before is not None else set(now.failed)
    return tuple(_change(old.get(one.name), one, new_fails if one.name == "anchors" else set()) for one in now.measures)


def _change(before: Measure | None, now: Measure, new_fails: set[str]) -> Change:
    was = before.value if before is not None else NAN
    sign = -1 if LIMITS[now.name].at_most else 1
    drop = sign * (was - now.value) if was == was else 0.0
    notes: list[str] = []
    colour: Colour = "green"
    if now.value != now.value:
        colour = "red"
        notes.append("could not be measured")
    elif new_fails:
        colour = "red"
        notes.append(f"fail anew: {', '.join(sorted(new_fails))}")
    elif drop >= YELLOW - 1e-9 or (not now.holds and (before is None or before.holds)):
        colour = "red"
    elif drop > 1e-9:
        colour = "yellow"
    if not now.holds and now.value == now.value:
        limit = LIMITS[now.name]
        notes.append(f"limit {'at most' if limit.at_most else 'at least'} {limit.bound:.1%}")
    return Change(name=now.name, before=was, now=now.value, colour=colour, note="; ".join(notes))


def _anchors(rows: Sequence[AnchorRow]) -> Measure:
    judged = [row for row in rows if row.status != "not scorable"]
    share = share_of(sum(row.status == "pass" for row in judged), len(judged))
    return _measure("anchors", share.value, share.n)


def _mean(name: str, values: Sequence[float]) -> Measure:
    mean = mean_of(values)
    return _measure(name, mean.value, mean.n)


def _measure(name: str, value: float, n: int) -> Measure:
    return Measure(name=name, value=value, n=n, holds=LIMITS[name].holds(value))
