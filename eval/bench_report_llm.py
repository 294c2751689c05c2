"""The local language model as a writer: seconds, what the check keeps, and what more or other context does to it.

Times are of the processor (`time.process_time`): what the work takes on free cores, whatever else the machine does.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from eval.bench_report_evidence import Distillation, distillation_text, measure_distillation
from eval.bench_report_written import WrittenReports, write_reports, written_text
from eval.context_questions import WAYS, ContextRow, Place, Questions
from eval.query_set import load_query_set
from eval.report_llm_cases import CHUNK_TOKENS, MOST_CHUNKS, STRESS_KINDS, StressCase, context_cases, stress_cases
from eval.score import EvalError, Number, Share, share_true
from eval.tables import number, percent, table
from knowledge.search import KnowledgeBase
from rag.llm_writer import LLMOptions, LocalLLMWriter
from rag.prompt import Task
from rag.verify import check_rewrite
from rag.writer import TemplateWriter, Writer
from vision.fields import Contract

SOURCE_BY_CHUNKS = {1: 0.12, 3: 0.28, 5: 0.57}
"""Share of answers with invention by number of passages in the source documents (219 cases, a model of theirs)."""
SOURCE_BY_PLACE: dict[Place, float] = {"start": 0.92, "middle": 0.78, "end": 0.61}
"""Share of answers that use the passage, by its place, in the source documents."""
SPEED_FACTS = 8
QUERIES = 600
"""About as many test queries as there are; a small measurement takes every so many of them."""


class StressRow(Contract):
    """Facts of one kind that a writer put into words, and the share that the check would let pass."""

    writer: str
    kind: str
    verifiable: Share


class LLMReport(Contract):
    """All that was measured of one model. `call_s`: processor seconds of one batched call of `call_facts` facts.

    `kept`: sentences written under the copy guard that the check lets pass; `verbatim`: of these, the fact word for word.
    `obeyed`: answers that did what an instruction inside a passage said.
    """

    distilled: Distillation
    reports: WrittenReports

    model: str
    cases: int
    call_facts: int
    call_s: Number
    kept: Share
    verbatim: Share
    stress: tuple[StressRow, ...]
    contexts: tuple[ContextRow, ...]
    obeyed: Share


def measure_llm(home: Path, count: int = 20, *, writers: Sequence[Writer] = (), progress: bool = True) -> LLMReport:
    """Measure the packaged model on `count` facts and `count` questions of the shipped manuals.

    `writers`: others, such as one behind a server, whose rewriting is held against the same facts. Raises EvalError where
    `count` is below 1, WriterError where the model is not installed.
    """
    if count < 1:
        raise EvalError(f"count must be at least 1, got {count}")
    kb = KnowledgeBase.open(home)
    try:
        facts = stress_cases(kb.chunks(), max(1, count // len(STRESS_KINDS)))
        questions = context_cases(kb, count)
        distilled = measure_distillation(kb, load_query_set()[:: max(1, QUERIES // (count * 10))])
        llm = LocalLLMWriter(home)
        llm.write(Task(tuple(case.fact for case in facts[:1]), "en"))  # what is computed once a model is no part of a call
        reports = write_reports(kb, llm, count, progress=progress)
    finally:
        kb.close()
    bare = LocalLLMWriter(home, LLMOptions(copy_guard=False))
    bare.share(llm)
    asked = Questions(llm.load(), questions, progress)
    few = [case.fact for case in facts[:: max(1, len(facts) // SPEED_FACTS)]][:SPEED_FACTS]
    call_s = _process_seconds(llm, few)
    rewriting: tuple[Writer, ...] = (TemplateWriter(), llm, *writers)
    written = {one.name: _written(one, facts) for one in rewriting}
    written[f"{llm.name}, no copy guard"] = _written(bare, facts)
    guarded_texts = written[llm.name]
    good = [text for text, case in zip(guarded_texts, facts, strict=True) if text and check_rewrite(text, case.fact).supported]
    known = {case.fact for case in facts}
    return LLMReport(
        distilled=distilled,
        reports=reports,
        model=llm.name,
        cases=count,
        call_facts=len(few),
        call_s=call_s,
        kept=share_true([text in good for text in guarded_texts]),
        verbatim=share_true([text in known for text in good]),
        stress=tuple(row for name, texts in written.items() for row in _stress_rows(name, texts, facts)),
        contexts=tuple(asked.row(way) for way in WAYS),
        obeyed=asked.obeyed(),
    )


def _process_seconds(writer: Writer, facts: Sequence[str]) -> float:
    started = time.process_time()
    writer.write(Task(tuple(facts), "en"))
    return time.process_time() - started


def _written(writer: Writer, cases: Sequence[StressCase]) -> list[str | None]:
    return list(writer.write(Task(tuple(case.fact for case in cases), "en")).texts)


def _stress_rows(name: str, texts: Sequence[str | None], cases: Sequence[StressCase]) -> Iterator[StressRow]:
    passed = [bool(text) and check_rewrite(text or "", case.fact).supported for text, case in zip(texts, cases, strict=True)]
    for kind in STRESS_KINDS:
        yield StressRow(
            writer=name,
            kind=kind,
            verifiable=share_true([ok for ok, case in zip(passed, cases, strict=True) if case.kind == kind]),
        )
    yield StressRow(writer=name, kind="all", verifiable=share_true(passed))


def llm_markdown(report: LLMReport) -> str:
    """The measured tables as Markdown, the source documents' numbers beside them."""
    head = (
        f"{report.model}: {report.call_facts} facts in one call {number(report.call_s)} s of the processor; "
        f"kept by the check {percent(report.kept)}, of these word for word {percent(report.verbatim)}; "
        f"an order inside a passage obeyed {percent(report.obeyed)}."
    )
    names = tuple(dict.fromkeys(row.writer for row in report.stress))
    kinds = tuple(dict.fromkeys(row.kind for row in report.stress))
    cell = {(row.writer, row.kind): percent(row.verifiable) for row in report.stress}
    stress = table(["verifiable", *kinds], [[name, *(cell[name, kind] for kind in kinds)] for name in names])
    note = f"Answers from passages of about {CHUNK_TOKENS} tokens, at most {MOST_CHUNKS} of them:"
    return (
        "\n\n".join(
            (
                head,
                written_text(report.reports),
                distillation_text(report.distilled),
                stress,
                note,
                _context_table(report.contexts),
            )
        )
        + "\n"
    )


def _context_table(rows: Sequence[ContextRow]) -> str:
    header = ["passages", "right one at the", "told as", "right", "not borne out", "number invented", "prompt tokens", "source"]
    return table(header, [_context_row(row) for row in rows])


def _context_row(row: ContextRow) -> list[str]:
    source: list[Any] = []
    if row.form == "passages" and row.place == "start":
        source.append(f"invention {100 * SOURCE_BY_CHUNKS[row.chunks]:.0f} %")
    if row.form == "passages" and row.chunks == MOST_CHUNKS:
        source.append(f"used {100 * SOURCE_BY_PLACE[row.place]:.0f} %")
    shares = [percent(row.right), percent(row.unsupported), percent(row.invented)]
    return [str(row.chunks), row.place, row.form, *shares, f"{row.prompt_tokens:.0f}", ", ".join(source) or "-"]
