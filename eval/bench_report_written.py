"""Whole reports in the words of the local model: English readings of all models of the manuals, judged like the templates'."""

from __future__ import annotations

import time

import numpy as np

from eval.bench_report_cases import draw_cases
from eval.score import Number, Share, median, share_of
from eval.tables import number, percent
from knowledge.search import KnowledgeBase
from rag.pipeline import Pipeline
from rag.writer import Writer
from vision.fields import Contract

SEED = 1_000_000_600
"""A seed of the evaluation's own range."""


class WrittenReports(Contract):
    """`rewritten`: sentences that the model was given; `replaced`: of these, refused by the check and said as the template.
    `unsupported` and `missing` count statements and facts of the final reports, `report_s` is the median of the processor's
    seconds from fields to report, `facts` the median of sentences that were given to the model in one.
    """

    reports: int
    statements: int
    rewritten: int
    replaced: int
    unsupported: int
    missing: int
    quantities_kept: Share
    negations_kept: Share
    unit_right: Share
    facts: Number
    report_s: Number
    examples: tuple[str, ...] = ()


def write_reports(kb: KnowledgeBase, writer: Writer, count: int, *, progress: bool = True) -> WrittenReports:
    """Write and judge `count` reports in English."""
    from tqdm import tqdm

    # Imported here: that module's own result holds this one's.
    from eval.bench_report import Reported, judge, rates

    pipeline = Pipeline(kb, writer)
    cases = draw_cases(np.random.default_rng(SEED), kb, count, languages=("en",))
    judged, seconds, given, replaced = [], [], [], 0
    for case in tqdm(cases, desc="reports by the model", unit="report", disable=not progress):
        started = time.process_time()
        run = pipeline.run(case.reading, case.language)
        seconds.append(time.process_time() - started)
        given.append(run.trace.rewritten)
        replaced += len(run.trace.replaced)
        judged.append(judge(Reported(case, run.inspection, 0.0, seconds[-1]), kb))
    found = rates(judged)
    return WrittenReports(
        reports=found.reports,
        statements=found.statements,
        rewritten=sum(given),
        replaced=replaced,
        unsupported=found.unsupported,
        missing=sum(found.missing.values()),
        quantities_kept=found.quantities_kept,
        negations_kept=found.negations_kept,
        unit_right=found.unit_right,
        facts=median([float(facts) for facts in given if facts]),
        report_s=median([spent for spent, facts in zip(seconds, given, strict=True) if facts]),
        examples=found.examples,
    )


def written_text(written: WrittenReports) -> str:
    """A few lines for people."""
    kept = share_of(written.rewritten - written.replaced, written.rewritten)
    return (
        f"{written.reports} English reports by the model: {written.statements} statements, unsupported {written.unsupported}, "
        f"facts missing {written.missing}, limits kept {percent(written.quantities_kept)}, negations kept "
        f"{percent(written.negations_kept)}, unit right {percent(written.unit_right)}; its sentences kept by the check "
        f"{percent(kept)}; median {number(written.report_s)} s of the processor for {number(written.facts)} facts in one call."
    )
