"""`gauge bench report`: runs the bench of the reports and writes it for people or as JSON."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from eval.bench_report import PhotoTimes, ReportBench, ReportRates, ReportSpeed, WriterRates, bench_reports, bench_writer
from eval.bench_report_lies import LieScores
from eval.bench_report_llm import llm_markdown, measure_llm
from eval.tables import number, percent, table
from rag.llm_writer import LocalLLMWriter
from rag.pipeline import Pipeline
from serve.commands.knowledge_bench import plain
from serve.library import open_knowledge
from serve.service import Service, open_service
from serve.settings import load_settings

TEMPLATE_MS = 100.0
PHOTO_MS = 1800.0
SOURCE_SPLIT_S = (0.9, 0.4, 0.5)
"""Vision, retrieval and language model in the source documents, on a GPU."""
CAUGHT, REJECTED = 0.99, 0.03
LLM_READINGS = 40


def run_report_bench(*, readings: int, llm: bool, photo: Path | None, as_json: bool) -> str:
    """Everything measured: tables for people, or a JSON object a line, of which the last is the summary."""
    settings = load_settings()
    kb = open_knowledge(settings)
    try:
        bench = bench_reports(kb, readings)
        if llm:
            bench = bench.model_copy(update={"written": bench_writer(kb, LocalLLMWriter(settings.home), LLM_READINGS)})
    finally:
        kb.close()
    if photo is not None:
        bench = bench.model_copy(update={"photo": time_photo(open_service(settings), photo)})
    if llm:
        bench = bench.model_copy(update={"llm": measure_llm(settings.home, LLM_READINGS)})
    if as_json:
        details: list[dict[str, Any]] = [{"report": bench.model_dump(mode="json")}, bench_record(bench)]
        return "\n".join(json.dumps(plain(detail), ensure_ascii=False) for detail in details)
    return bench_text(bench)


def time_photo(service: Service, photo: Path) -> PhotoTimes:
    """One photo to its template report; read and reported once before, so that everything is loaded and warm."""
    pipeline = Pipeline(service.knowledge)
    for reading in service.read_photos([photo]):
        pipeline.inspect(reading)
    started, process = time.perf_counter(), time.process_time()
    (reading,) = service.read_photos([photo])
    vision_s, process_vision_s = time.perf_counter() - started, time.process_time() - process
    started, process = time.perf_counter(), time.process_time()
    inspection = pipeline.inspect(reading)
    report_s, process_report_s = time.perf_counter() - started, time.process_time() - process
    retrieval_ms = inspection.timing_ms.get("retrieval", 0.0)
    return PhotoTimes(
        photo=photo.name,
        vision_ms=1000 * vision_s,
        retrieval_ms=retrieval_ms,
        writing_ms=1000 * report_s - retrieval_ms,
        process_vision_ms=1000 * process_vision_s,
        process_report_ms=1000 * process_report_s,
    )


def bench_record(bench: ReportBench) -> dict[str, Any]:
    """The one line that sums up. Lies count on the half that nothing was mended on."""
    held = bench.lies[-1]
    return {
        "unsupported": bench.rates.unsupported,
        "refused": bench.rates.refused,
        "facts_missing": sum(bench.rates.missing.values()),
        "quantities_kept": bench.rates.quantities_kept.value,
        "negations_kept": bench.rates.negations_kept.value,
        "unit_right": bench.rates.unit_right.value,
        "lies_caught": held.caught.value,
        "true_rejected": 1.0 - held.passed.value,
        "template_process_ms_p95": bench.speed.again_process_p95,
    }


def bench_text(bench: ReportBench) -> str:
    """Tables for people."""
    rows = [("all", bench.rates), *bench.by_language.items()]
    header = ("reports", "n", "statements", "unsupported", "refused", "facts said", "limits kept", "negations kept", "unit right")
    rates = bench.rates
    goals = (_goal("no unsupported statement", rates.unsupported == 0), _goal("no fact missing", not rates.missing))
    doubted = f"{rates.fci_unsupported} of {rates.fci_claims} claims"
    parts = [
        table(header, [_rates_row(name, one) for name, one in rows]),
        f"{'; '.join(goals)}; FCI, which knows no arithmetic and no translation, doubts {doubted}",
        *([f"missing or unsupported: {'; '.join(rates.examples)}"] if rates.examples else []),
        *(_lies_text(scores) for scores in bench.lies),
        _speed_text(bench.speed),
    ]
    if bench.photo is not None:
        parts.append(_photo_text(bench.photo))
    if bench.written is not None:
        parts.append(_written_text(bench.written))
    if bench.llm is not None:
        parts.append(llm_markdown(bench.llm))
    return "\n\n".join(parts)


def _rates_row(name: str, rates: ReportRates) -> tuple[str, ...]:
    counts = (str(rates.reports), str(rates.statements), str(rates.unsupported), str(rates.refused))
    shares = (rates.said, rates.quantities_kept, rates.negations_kept, rates.unit_right)
    return (name, *counts, *(percent(share) for share in shares))


def _lies_text(scores: LieScores) -> str:
    head = f"The half {scores.half}: lies caught {percent(scores.caught, interval=True)}, "
    head += f"true sentences passed {percent(scores.passed, interval=True)}"
    if scores.half == "held out":
        head += f"; {_goal('caught >= 99 %', scores.caught.value >= CAUGHT)}"
        head += f"; {_goal('rejected <= 3 %', 1 - scores.passed.value <= REJECTED)}"
    caught, passed = scores.caught_by_language, scores.passed_by_language
    languages = [(name, percent(caught[name]), percent(passed[name])) for name in caught]
    kinds = [(one.kind, percent(one.right), "") for one in scores.lies]
    kinds += [(one.kind, "", percent(one.right)) for one in scores.rewordings]
    return f"{head}\n\n{table(('kind', 'lies caught', 'true passed'), [*languages, *kinds])}"


def _speed_text(speed: ReportSpeed) -> str:
    first = (speed.first_wall_p50, speed.first_wall_p95, speed.first_process_p50, speed.first_process_p95)
    again = (speed.again_wall_p50, speed.again_wall_p95, speed.again_process_p50, speed.again_process_p95)
    rows = [("first", *(number(value) for value in first)), ("again", *(number(value) for value in again))]
    header = ("fields to report, ms", "clock p50", "clock p95", "processor p50", "processor p95")
    goal = _goal(f"template p95 <= {TEMPLATE_MS:.0f} ms of one free core, manuals in use", speed.again_process_p95 <= TEMPLATE_MS)
    return f"{table(header, rows)}\n\n{goal}"


def _photo_text(photo: PhotoTimes) -> str:
    parts = {"vision": photo.vision_ms, "retrieval": photo.retrieval_ms, "writing": photo.writing_ms}
    rows = [(name, number(ms), number(1000 * theirs)) for (name, ms), theirs in zip(parts.items(), SOURCE_SPLIT_S, strict=True)]
    rows.append(("all", number(sum(parts.values())), number(PHOTO_MS)))
    header = (f"{photo.photo} to template report, ms", "here, by the clock", "source documents, with a GPU")
    process = f"vision {number(photo.process_vision_ms)}, report {number(photo.process_report_ms)} ms"
    goal = _goal(f"<= {PHOTO_MS:.0f} ms", photo.process_vision_ms + photo.process_report_ms <= PHOTO_MS)
    return f"{table(header, rows)}\n\nof the processor: {process}; {goal}"


def _written_text(written: WriterRates) -> str:
    rates = written.rates
    head = f"{written.writer}, {rates.reports} English reports: {rates.unsupported} statements unsupported, "
    head += f"{rates.refused} refused, "
    head += f"facts said {percent(rates.said)}, limits kept {percent(rates.quantities_kept)}, "
    head += f"negations kept {percent(rates.negations_kept)}, unit right {percent(rates.unit_right)}"
    tail = f"replaced by the template {percent(written.replaced)}; {number(written.process_s_p50)} s of the processor a report"
    return f"{head}; {tail}"


def _goal(name: str, met: bool) -> str:
    return f"target {name}: {'met' if met else 'missed'}"
