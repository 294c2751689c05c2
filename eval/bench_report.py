"""Reports of synthetic readings with the template writer: what is unsupported, missing, changed; and the seconds of it."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eval.bench_report_cases import ReportCase, draw_cases
from eval.bench_report_facts import Said, judge_facts, required_facts, units_right
from eval.bench_report_judge import ungrounded
from eval.bench_report_lies import HALVES, LieScores, manual_sentences, report_sentences, score_lies
from eval.bench_report_llm import LLMReport
from eval.fci import score_report
from eval.score import Number, Share, percentile, share_true
from knowledge.articles import Chunk
from knowledge.search import KnowledgeBase
from rag.pipeline import Inspection, Pipeline
from rag.writer import Writer
from vision.fields import Contract

READINGS = 300
CASE_SEED = 10**9
"""Evaluation seeds begin here; nothing is mended on what they draw."""


class ReportRates(Contract):
    """What an independent judge finds in the reports.

    `refused`: statements that the product's own check marks in the report; `unsupported`: those with a number, section or
    model that neither what they cite, the reading nor arithmetic bears out. `fci_unsupported`: claims of whose words
    `eval.fci` finds too few in one place of the evidence; it knows no arithmetic and does not translate, so this is an
    upper bound. `missing` counts required facts by topic.
    """

    reports: int
    statements: int
    refused: int
    unsupported: int
    fci_unsupported: int
    fci_claims: int
    said: Share
    missing: dict[str, int]
    quantities_kept: Share
    negations_kept: Share
    unit_right: Share
    examples: tuple[str, ...]


class ReportSpeed(Contract):
    """Milliseconds from fields to report: by the clock, and of the processor (what free cores take). `first`: a model's
    manual asked for the first time, its questions embedded; `again`: later reports."""

    first_wall_p50: Number
    first_wall_p95: Number
    first_process_p50: Number
    first_process_p95: Number
    again_wall_p50: Number
    again_wall_p95: Number
    again_process_p50: Number
    again_process_p95: Number


class PhotoTimes(Contract):
    """One photo to its template report, warm, in milliseconds by the clock and of the processor. `writing_ms` is all that
    is no retrieval: diagnosis, planning, checking, the document."""

    photo: str
    vision_ms: Number
    retrieval_ms: Number
    writing_ms: Number
    process_vision_ms: Number
    process_report_ms: Number


class WriterRates(Contract):
    """English reports whose sentences a language model put into words: what the judge finds in them, the share of its
    sentences for which the template stands after all, and seconds of the processor a report."""

    writer: str
    rates: ReportRates
    replaced: Share
    process_s_p50: Number


class ReportBench(Contract):
    """All that `gauge bench report` measures; what was not asked for is None."""

    rates: ReportRates
    by_language: dict[str, ReportRates]
    speed: ReportSpeed
    lies: tuple[LieScores, ...]
    written: WriterRates | None = None
    llm: LLMReport | None = None
    photo: PhotoTimes | None = None


class Reported(NamedTuple):
    """A case with its report and the seconds that it took."""

    case: ReportCase
    inspection: Inspection
    wall_s: float
    process_s: float


def bench_reports(kb: KnowledgeBase, count: int = READINGS, *, per_kind: int | None = None, progress: bool = True) -> ReportBench:
    """Write `count` reports twice, judge them, and hold the check against lies."""
    from tqdm import tqdm

    pipeline = Pipeline(kb)
    cases = draw_cases(np.random.default_rng(CASE_SEED), kb, count)
    kb.search("pressure", k=1)  # The first question loads the embedder.
    first = [write_report(pipeline, case) for case in tqdm(cases, desc="reports", unit="report", disable=not progress)]
    again = [write_report(pipeline, case) for case in cases]
    judged = [judge(one, kb) for one in tqdm(first, desc="judging", unit="report", disable=not progress)]
    # Two rounds of all models in both languages give sentences enough.
    sentences = [*report_sentences(pipeline, cases[: 4 * len(kb.models())]), *manual_sentences(kb.chunks())]
    sizes = {} if per_kind is None else {"per_kind": per_kind}
    return ReportBench(
        rates=rates(judged),
        by_language={name: rates([one for one in judged if one.language == name]) for name in ("en", "zh")},
        speed=speed(first, again),
        lies=tuple(score_lies(sentences, half, **sizes) for half in HALVES),
    )


def bench_writer(kb: KnowledgeBase, writer: Writer, count: int, *, progress: bool = True) -> WriterRates:
    """`count` English reports in the words of a writer, judged like the template's."""
    from tqdm import tqdm

    pipeline = Pipeline(kb, writer)
    cases = draw_cases(np.random.default_rng(CASE_SEED), kb, count, languages=("en",))
    written: list[Reported] = []
    replaced: list[bool] = []
    for case in tqdm(cases, desc=writer.name, unit="report", disable=not progress):
        process = time.process_time()
        run = pipeline.run(case.reading, case.language)
        written.append(Reported(case, run.inspection, math.nan, time.process_time() - process))
        replaced += [True] * len(run.trace.replaced) + [False] * (run.trace.rewritten - len(run.trace.replaced))
    return WriterRates(
        writer=writer.name,
        rates=rates([judge(one, kb) for one in written]),
        replaced=share_true(replaced),
        process_s_p50=percentile([one.process_s for one in written], 50),
    )


def write_report(pipeline: Pipeline, case: ReportCase) -> Reported:
    """The report of one case, timed."""
    wall, process = time.perf_counter(), time.process_time()
    inspection = pipeline.inspect(case.reading, case.language)
    return Reported(case, inspection, time.perf_counter() - wall, time.process_time() - process)


class Judged(NamedTuple):
    """One report's verdicts."""

    language: str
    statements: int
    refused: tuple[str, ...]
    unsupported: tuple[str, ...]
    said: tuple[Said, ...]
    units: tuple[bool, ...]
    fci: tuple[int, int]


def judge(one: Reported, kb: KnowledgeBase) -> Judged:
    """One report against its reading, its evidence and the manual's facts."""
    report, instruments = one.inspection.report, one.inspection.reading.instruments
    statements = report.statements if report is not None else ()
    model = next((instrument.instrument_model for instrument in instruments), None)
    facts = kb.facts(model, one.case.language) if model is not None else None
    chunks = {found.chunk: chunk_text(kb.chunk(found.chunk)) for found in one.inspection.evidence}
    problems = [(statement.text, ungrounded(statement, chunks, instruments, facts)) for statement in statements]
    required = required_facts(one.inspection, facts, one.case.language)
    scored = score_report(one.inspection)
    return Judged(
        language=one.case.language,
        statements=len(statements),
        refused=tuple(statement.text for statement in statements if not statement.supported),
        unsupported=tuple(f"{text} [{', '.join(found)}]" for text, found in problems if found),
        said=tuple(judge_facts(required, [statement.text for statement in statements], one.case.language)),
        units=tuple(units_right(one.inspection, facts)),
        fci=(scored.unsupported, scored.supported + scored.unsupported),
    )


def chunk_text(chunk: Chunk) -> str:
    """A chunk with its headings: a section's number stands in its heading."""
    return f"{chunk.title}\n{chunk.section} {chunk.section_title}\n{chunk.text}"


def rates(judged: Sequence[Judged]) -> ReportRates:
    """Rates over reports."""
    said = [fact for one in judged for fact in one.said]
    lost = [fact for fact in said if not fact.found]
    examples = [f"{fact.required.topic}: {fact.required.text or fact.required.quantities[0].text}" for fact in lost]
    return ReportRates(
        reports=len(judged),
        statements=sum(one.statements for one in judged),
        refused=sum(len(one.refused) for one in judged),
        unsupported=sum(len(one.unsupported) for one in judged),
        fci_unsupported=sum(one.fci[0] for one in judged),
        fci_claims=sum(one.fci[1] for one in judged),
        said=share_true([fact.found for fact in said]),
        missing=dict(Counter(fact.required.topic for fact in lost)),
        quantities_kept=share_true([fact.quantities_kept for fact in said if fact.required.quantities]),
        negations_kept=share_true([fact.negations_kept for fact in said if fact.required.topic in ("lamp", "mode")]),
        unit_right=share_true([right for one in judged for right in one.units]),
        examples=tuple(dict.fromkeys([*examples, *(text for one in judged for text in (*one.refused, *one.unsupported))]))[:20],
    )


def speed(first: Sequence[Reported], again: Sequence[Reported]) -> ReportSpeed:
    """Milliseconds of both rounds."""
    return ReportSpeed(
        first_wall_p50=1000 * percentile([one.wall_s for one in first], 50),
        first_wall_p95=1000 * percentile([one.wall_s for one in first], 95),
        first_process_p50=1000 * percentile([one.process_s for one in first], 50),
        first_process_p95=1000 * percentile([one.process_s for one in first], 95),
        again_wall_p50=1000 * percentile([one.wall_s for one in again], 50),
        again_wall_p95=1000 * percentile([one.wall_s for one in again], 95),
        again_process_p50=1000 * percentile([one.process_s for one in again], 50),
        again_process_p95=1000 * percentile([one.process_s for one in again], 95),
    )
