"""`gauge eval anchors`: the golden anchors put to the product's chain, with a page for each that fails."""

from __future__ import annotations

from pathlib import Path

from tqdm import tqdm

from eval.golden import GoldenAnchor, core_anchors, load_anchors, quick_anchors
from eval.golden_days import Change, compare_runs, read_report
from eval.golden_page import debug_page, write_page
from eval.golden_run import AnchorReport, AnchorRow, Checked, ProductChain, anchor_report, check_anchors
from eval.score import EvalError
from eval.tables import number, percent, table
from knowledge.search import KnowledgeBase
from knowledge.timeline import parse_moment
from rag.pipeline import asked_day
from serve.library import open_knowledge
from serve.settings import load_settings


def run_anchors(
    *,
    quick: bool,
    ids: tuple[str, ...],
    out: Path | None,
    moment: str | None,
    against: Path | None,
    as_json: bool,
    core: bool = False,
) -> tuple[str, bool]:
    """The report for people or as one JSON object, and whether an anchor failed.

    Pages of failed anchors, of all in `ids`, of all with `core`, and `report.json` are written to `out` (`GAUGE_HOME/anchors` by
    default). Raises EvalError for an unknown id, MomentError for a bad moment.
    """
    before = read_report(against) if against is not None else None
    settings = load_settings()
    folder = out if out is not None else settings.home / "anchors"
    anchors = load_anchors()
    known = {anchor.id: anchor for anchor in anchors}
    unknown = [id for id in ids if id not in known]
    if unknown:
        raise EvalError(f"no anchor {unknown[0]!r}; known: {', '.join(known)}")
    chosen = tuple(known[id] for id in ids) or _named(anchors, quick, core)
    knowledge = open_knowledge(settings, parse_moment(moment) if moment else None)
    try:
        # The first question loads the embedder, and the first sentence the parser: that is no anchor's latency.
        chain = ProductChain(knowledge, asked_day(knowledge))
        list(check_anchors(chosen[:1], chain))
        checked = tqdm(check_anchors(chosen, chain), total=len(chosen), desc="anchors", unit="anchor")
        rows = [_with_page(one, knowledge, folder, wanted=core or bool(ids)) for one in checked]
        report = anchor_report(rows, chain)
    finally:
        knowledge.close()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "report.json").write_text(report.model_dump_json(indent=1), encoding="utf-8")
    except OSError as error:
        raise EvalError(f"{folder}: the report cannot be written: {error}") from error
    change = compare_runs(before, report) if before is not None else None
    if as_json:
        text = (
            report.model_dump_json()
            if change is None
            else f'{{"report":{report.model_dump_json()},"change":{change.model_dump_json()}}}'
        )
        return text, report.failed
    return anchors_text(report, folder, change), report.failed


def _named(anchors: tuple[GoldenAnchor, ...], quick: bool, core: bool) -> tuple[GoldenAnchor, ...]:
    if core:
        return core_anchors(anchors)
    return quick_anchors(anchors) if quick else anchors


def _with_page(checked: Checked, knowledge: KnowledgeBase, folder: Path, *, wanted: bool) -> AnchorRow:
    if not wanted and checked.row.score.state != "unsupported":
        return checked.row
    source = knowledge.sections(checked.anchor.document, [checked.anchor.section])
    page = debug_page(checked, source, knowledge.version)
    return checked.row.model_copy(update={"page": write_page(page, folder)})


def anchors_text(report: AnchorReport, folder: Path, change: Change | None = None) -> str:
    """A table of the anchors and the sums below it."""
    rows = [
        (row.id, row.status, f"{row.latency_ms:.0f}", row.score.reason, str(folder / row.page) if row.page else "")
        for row in report.rows
    ]
    modules = [(name, percent(share)) for name, share in report.modules.items()]
    parts = [
        table(("anchor", "status", "ms", "reason", "page"), rows),
        table(("module", "passed"), modules),
        f"passed {percent(report.passed, interval=True)}; not scorable {report.not_scorable}; answering sentences borne out "
        f"claim by claim: {number(report.support.value)} ± {number(report.support.stderr)} (n={report.support.n}); "
        f"{number(report.latency_ms.value)} ms an anchor, P95 {number(report.latency_ms_p95)} ms; "
        f"as of {report.as_of}, knowledge {report.knowledge_version}",
    ]
    if change is not None:
        named = (("new failures", change.new_failures), ("repaired", change.repaired), ("no longer scored", change.gone))
        said = "; ".join(f"{what}: {', '.join(ids)}" for what, ids in named if ids)
        parts.append(f"against the run before: {change.colour}{f'; {said}' if said else ''}")
    return "\n\n".join(parts)
