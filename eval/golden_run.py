"""The nightly evaluator: golden anchors put to the whole chain, each with status, latency and the link that failed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

from eval.fci import StatementScores, score_report
from eval.golden import GoldenAnchor
from eval.query_set import as_reading
from eval.retrieval import Passage, passage_of, score_retrieval
from eval.score import (
    EvalError,
    Mean,
    Number,
    Score,
    Share,
    mean_of,
    mean_score,
    not_scorable,
    percentile,
    share_of,
    supported,
    unsupported,
)
from knowledge.search import KnowledgeBase
from rag.pipeline import Inspection, Pipeline, PipelineOptions
from rag.writer import TemplateWriter, Writer
from vision.fields import Contract, PhotoReading, Weights

PASSAGES = 3
"""Passages that stand for the answer to a question in people's words."""

Link = Literal["retrieval", "answer", "citation"]


class Sentence(Contract):
    """A sentence of the answer and the documents that it cites; `check` holds its claims' verdicts where it was checked."""

    text: str
    documents: tuple[str, ...]
    check: StatementScores | None = None


class ChainAnswer(Contract):
    """What a chain gave for one anchor. `queries` are the questions as really asked."""

    sentences: tuple[Sentence, ...]
    passages: tuple[Passage, ...]
    queries: tuple[str, ...]


class AnchorRow(Contract):
    """One anchor: `score` is supported where every link held; `failed` names the first that did not.

    `support` is apart from that: whether the evidence bears out the answering sentence, claim by claim (FCI's view). An
    anchor can be right and yet worded so that rules cannot verify it. `page` is the file of its debug page, if one was written.
    """

    id: str
    module: str
    score: Score
    failed: Link | None
    support: Score
    latency_ms: float
    page: str | None = None

    @property
    def status(self) -> str:
        """`pass`, `fail` or `not scorable`."""
        return {"supported": "pass", "unsupported": "fail", "not_scorable": "not scorable"}[self.score.state]


class AnchorReport(Contract):
    """All anchors of a run. `passed` is over the scorable ones; `as_of` is the day that was asked about."""

    rows: tuple[AnchorRow, ...]
    passed: Share
    modules: dict[str, Share]
    not_scorable: int
    support: Mean
    latency_ms: Mean
    latency_ms_p95: Number
    knowledge_version: str
    as_of: str

    @property
    def failed(self) -> bool:
        """Whether an anchor failed, or none could be scored: nothing is a pass by default."""
        return self.passed.hits < self.passed.n or self.passed.n == 0


class Chain(Protocol):
    """Anything that answers anchors, as of a moment."""

    @property
    def version(self) -> str: ...

    @property
    def as_of(self) -> date: ...

    def knows(self, document: str) -> bool:
        """Whether a document is in force at the moment that is asked about."""
        ...

    def answer(self, anchor: GoldenAnchor) -> ChainAnswer:
        """The chain's answer to an anchor."""
        ...


@dataclass(frozen=True)
class ProductChain:
    """The product's own chain: the report for an instrument seen, the passages found for a question."""

    knowledge: KnowledgeBase
    as_of: date
    writer: Writer = field(default_factory=TemplateWriter)

    @property
    def version(self) -> str:
        return self.knowledge.version

    @cached_property
    def _documents(self) -> frozenset[str]:
        return frozenset(chunk.document for chunk in self.knowledge.chunks())

    def knows(self, document: str) -> bool:
        return document in self._documents

    def answer(self, anchor: GoldenAnchor) -> ChainAnswer:
        return self._passages(anchor) if anchor.fields is None else self._report(anchor)

    def _passages(self, anchor: GoldenAnchor) -> ChainAnswer:
        hits = self.knowledge.search(anchor.question, model=anchor.model, language=anchor.language, k=PASSAGES)
        passages = tuple(passage_of(hit.chunk) for hit in hits)
        plan = self.knowledge.plan(anchor.question)
        sentences = tuple(Sentence(text=hit.chunk.verbatim, documents=(hit.chunk.document,)) for hit in hits)
        return ChainAnswer(sentences=sentences, passages=passages, queries=tuple(dict.fromkeys((plan.text, plan.bare))))

    def _report(self, anchor: GoldenAnchor) -> ChainAnswer:
        inspection = self.inspect(anchor)
        documents = {piece.chunk: piece.document for piece in inspection.evidence}
        checks = score_report(inspection).statements
        sentences = tuple(
            Sentence(text=check.text, documents=tuple(documents[id] for id in check.citations if id in documents), check=check)
            for check in checks
        )
        passages = tuple(passage_of(self.knowledge.chunk(piece.chunk)) for piece in inspection.evidence)
        return ChainAnswer(sentences=sentences, passages=passages, queries=tuple(query.text for query in inspection.queries))

    def inspect(self, anchor: GoldenAnchor) -> Inspection:
        """The inspection of an instrument with the anchor's fields."""
        if anchor.fields is None or anchor.model is None:
            raise EvalError(f"{anchor.id} names no instrument to report on")
        reading = as_reading(anchor.model, anchor.fields)
        weights = Weights(name="anchor", version=anchor.since.isoformat())
        photo = PhotoReading(photo=anchor.id, sha256=None, status="read", reason=None, instruments=(reading,), weights=weights)
        return Pipeline(self.knowledge, self.writer, PipelineOptions(language=anchor.language)).inspect(photo)


class Checked(Contract):
    """An anchor with its row and the answer that it was judged by; the answer is None where the chain broke."""

    anchor: GoldenAnchor
    row: AnchorRow
    answer: ChainAnswer | None


def check_anchors(anchors: Sequence[GoldenAnchor], chain: Chain) -> Iterator[Checked]:
    """Each anchor put to the chain and judged, in order. An anchor that breaks the chain fails with the error as its reason."""
    for anchor in anchors:
        start = time.perf_counter()
        answer: ChainAnswer | None = None
        unanswered = not_scorable("there is no answer")
        try:
            if chain.knows(anchor.document):
                answer = chain.answer(anchor)
                judged = judge_anchor(anchor, answer)
            else:
                reason = f"{anchor.document} was not in force on {chain.as_of.isoformat()}"
                judged = Judged(not_scorable(reason), None, unanswered)
        except Exception as error:  # one anchor must not cost the others their run
            judged = Judged(unsupported(f"the chain broke: {type(error).__name__}: {error}"), None, unanswered)
        latency_ms = 1000 * (time.perf_counter() - start)
        row = AnchorRow(id=anchor.id, module=anchor.module, latency_ms=latency_ms, **judged._asdict())
        yield Checked(anchor=anchor, row=row, answer=answer)


class Judged(NamedTuple):
    """What a row says of an answer."""

    score: Score
    failed: Link | None
    support: Score


def judge_anchor(anchor: GoldenAnchor, answer: ChainAnswer) -> Judged:
    """Whether retrieval brought the fragment, and a sentence says what is expected and cites the authority."""
    nothing = not_scorable("no sentence answers")
    found = score_retrieval(anchor.question, answer.passages, anchor.wanted, depth=max(len(answer.passages), 1))
    if found.authoritative_hit.state != "supported":
        return Judged(unsupported(f"retrieval: {found.authoritative_hit.reason}"), "retrieval", nothing)
    saying = [sentence for sentence in answer.sentences if anchor.answered_by(sentence.text)]
    if not saying:
        reason = f"answer: none of {len(answer.sentences)} sentences says {anchor.expect!r}"
        return Judged(unsupported(reason), "answer", nothing)
    citing = [sentence for sentence in saying if anchor.document in sentence.documents]
    if not citing:
        cited = ", ".join(saying[0].documents) or "no document"
        reason = f"citation: the answering sentence cites {cited}, not {anchor.document}"
        return Judged(unsupported(reason), "citation", sentence_support(saying[0]))
    return Judged(supported(f"{anchor.document} §{anchor.section} answers, and is cited"), None, sentence_support(citing[0]))


def sentence_support(sentence: Sentence) -> Score:
    """Whether the evidence bears out every claim of a sentence that can be judged."""
    if sentence.check is None:
        return not_scorable("it is a passage of the manual itself")
    scores = [verdict.score for verdict in sentence.check.verdicts if verdict.score.state != "not_scorable"]
    failed = next((score for score in scores if score.state == "unsupported"), None)
    if failed is not None:
        return failed
    return supported(f"{len(scores)} claims borne out") if scores else not_scorable("it makes no claim that could be judged")


def anchor_report(rows: Sequence[AnchorRow], chain: Chain) -> AnchorReport:
    """The report of a run, by module as well."""
    modules = sorted({row.module for row in rows})
    return AnchorReport(
        rows=tuple(rows),
        passed=_passed(rows),
        modules={module: _passed([row for row in rows if row.module == module]) for module in modules},
        not_scorable=sum(row.score.state == "not_scorable" for row in rows),
        support=mean_score(row.support for row in rows),
        latency_ms=mean_of(row.latency_ms for row in rows),
        latency_ms_p95=percentile([row.latency_ms for row in rows], 95),
        knowledge_version=chain.version,
        as_of=chain.as_of.isoformat(),
    )


def _passed(rows: Sequence[AnchorRow]) -> Share:
    judged = [row for row in rows if row.score.state != "not_scorable"]
    return share_of(sum(row.score.state == "supported" for row in judged), len(judged))
