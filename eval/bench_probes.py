"""The probes on public labelled texts, a threshold carried from one set to the other, and what the probes of a query cost."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from eval.anchors_relevance import score_anchors
from eval.attention import AttentionProbe, AttentionScores
from eval.bench_domain import DomainScores
from eval.bench_text import LabelledText, ProbedTexts, SetName, TextBench, probe_texts, score_texts
from eval.claims import sentence_spans
from eval.coverage import score_coverage
from eval.fci import score_answer
from eval.mvfu import FactLibrary
from eval.probe_scores import Measured, at_threshold, best_threshold, joined, measure, with_neutral
from eval.query_set import QueryCase
from eval.reproductions.claims import Claim
from eval.retrieval import Passage, passage_of
from eval.retrieval_probes import CONTEXT
from eval.score import NAN, EvalError, Number, mean_of, percentile
from knowledge.search import KnowledgeBase
from vision.fields import Contract

SETS: Mapping[str, SetName] = MappingProxyType({"ragtruth_qa_dev.jsonl": "ragtruth", "uhgeval_dev.jsonl": "uhgeval"})
ATTENTION = "attention"
SENTENCES = 3
"""Sentences of an answer that is timed."""


class CarriedScore(Contract):
    """A probe's threshold chosen on the tuned half of one set and applied to the held-out half of another."""

    probe: str
    chosen_on: str
    applied_to: str
    f1: Measured
    balanced_accuracy: Measured


class Times(Contract):
    """Milliseconds a query, of the processor and by the clock, and queries a second of processor time on two cores."""

    process_ms_p50: Number
    process_ms_p99: Number
    wall_ms_p50: Number
    wall_ms_p99: Number
    queries_per_s: Number


class ProbeTimes(Contract):
    """Anchor relevance, coverage and FCI of one query together. `cold`: nothing parsed before; `warm`: the passages parsed,
    the answer new; `again`: a query that was scored before. `identical`: all three passes gave the same scores bit for bit."""

    queries: int
    cold: Times
    warm: Times
    again: Times
    identical: bool


class ProbeBench(Contract):
    """What was measured; empty or None where it was not asked for. `claims`: the documents' claims, reproduced in small."""

    sets: tuple[TextBench, ...]
    carried: tuple[CarriedScore, ...]
    times: ProbeTimes | None
    claims: tuple[Claim, ...] = ()
    domain: DomainScores | None = None


class TimedQuery(NamedTuple):
    """A question with its passages and an answer put together from their sentences."""

    question: str
    model: str | None
    passages: tuple[Passage, ...]
    answer: str


def probe_sets(
    folder: Path, *, limit: int | None = None, attention: AttentionProbe | None = None, progress: bool = True
) -> list[ProbedTexts]:
    """The labelled files of a folder under all probes. Raises EvalError where it holds none of `SETS`."""
    found = [(folder / name, kind) for name, kind in SETS.items() if (folder / name).is_file()]
    if not found:
        raise EvalError(f"{folder} holds none of the labelled sets: {', '.join(SETS)}")
    further = {} if attention is None else {ATTENTION: aligned_by(attention)}
    return [probe_texts(path, kind, limit=limit, progress=progress, further=further) for path, kind in found]


def score_sets(probed: Sequence[ProbedTexts], rounds: int) -> tuple[tuple[TextBench, ...], tuple[CarriedScore, ...]]:
    """Scores of each set, and each probe's threshold carried from every set to every other."""
    carried = [
        _carry(name, one, other, rounds)
        for one in probed
        for other in probed
        if one is not other
        for name in one.raw
        if name in other.raw
    ]
    return tuple(score_texts(one, rounds) for one in probed), tuple(carried)


def _carry(name: str, one: ProbedTexts, other: ProbedTexts, rounds: int) -> CarriedScore:
    tuned = joined(one.labelled.even)
    threshold = best_threshold(with_neutral(one.raw[name])[tuned], one.labelled.faithful[tuned])
    values, truth = with_neutral(other.raw[name]), other.labelled.faithful

    def measured(which: int) -> Measured:
        return measure(other.labelled.odd, lambda rows: at_threshold(values[rows], truth[rows], threshold)[which], rounds)

    return CarriedScore(probe=name, chosen_on=one.data, applied_to=other.data, f1=measured(0), balanced_accuracy=measured(1))


def aligned_by(probe: AttentionProbe) -> Callable[[LabelledText], float]:
    """AC of a labelled text: the mean of its two weakest claims, or that of the best claim that holds the keyword."""

    @lru_cache(maxsize=1)  # The keywords of a text come one after another.
    def scored(text: str, sources: tuple[str, ...]) -> AttentionScores:
        return probe.score("", text.strip(), sources)

    def value(item: LabelledText) -> float:
        scores = scored(item.text, item.sources)
        judged = [claim for claim in scores.claims if claim.score.state != "not_scorable"]
        if item.keyword is None:
            return mean_of(sorted(claim.score.value for claim in judged)[:2]).value
        return max((claim.score.value for claim in judged if item.keyword in claim.text), default=NAN)

    return value


def timed_queries(kb: KnowledgeBase, cases: Sequence[QueryCase], count: int) -> list[TimedQuery]:
    """The first `count` answerable test queries with their passages and an answer from the best of these."""
    queries = []
    for case in [case for case in cases if case.answers][:count]:
        hits = kb.search(case.text, model=case.model, k=CONTEXT)
        passages = tuple(passage_of(hit.chunk) for hit in hits)
        sentences = [span.text for passage in passages for span in sentence_spans(passage.text)]
        queries.append(TimedQuery(case.text, case.model, passages, " ".join(sentences[:SENTENCES])))
    return queries


def time_probes(queries: Sequence[TimedQuery], library: FactLibrary) -> ProbeTimes:
    """Time three passes over the queries. Raises EvalError without any."""
    if not queries:
        raise EvalError("there is no query to time")
    cold = [_timed(query, library) for query in queries]
    # The same facts in words not parsed before: what a new answer to known passages costs.
    fresh = [query._replace(answer=_said_anew(query.answer)) for query in queries]
    warm = [_timed(query, library) for query in fresh]
    again = [_timed(query, library) for query in fresh]
    third = [_timed(query, library)[2] for query in queries]
    identical = [one[2] for one in cold] == third and [one[2] for one in warm] == [one[2] for one in again]
    return ProbeTimes(queries=len(queries), cold=_times(cold), warm=_times(warm), again=_times(again), identical=identical)


def _said_anew(answer: str) -> str:
    return answer.replace(". ", ", and so it is. ", 1) if ". " in answer else f"{answer} "


def _timed(query: TimedQuery, library: FactLibrary) -> tuple[float, float, str]:
    """Seconds of the processor and by the clock, and a digest of all scores."""
    process, wall = time.process_time(), time.perf_counter()
    relevance = score_anchors(query.question, query.passages)
    coverage = score_coverage(query.question, query.passages, library, query.model)
    consistency = score_answer(query.answer, [passage.text for passage in query.passages])
    spent = time.process_time() - process, time.perf_counter() - wall
    said = "\n".join(one.model_dump_json() for one in (relevance, coverage, consistency))
    return *spent, hashlib.sha256(said.encode()).hexdigest()


def _times(rows: Sequence[tuple[float, float, str]]) -> Times:
    process, wall = [1000 * row[0] for row in rows], [1000 * row[1] for row in rows]
    return Times(
        process_ms_p50=percentile(process, 50),
        process_ms_p99=percentile(process, 99),
        wall_ms_p50=percentile(wall, 50),
        wall_ms_p99=percentile(wall, 99),
        queries_per_s=2 * 1000 * len(process) / max(sum(process), 1e-9),
    )
