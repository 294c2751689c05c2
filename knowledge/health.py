"""Health of the corpus in use: which documents are found, cited and praised, and what that proposes for their weights.

A small share of the documents gives most of the useful answers. What is often found and never cited stands in the
way; what is never found is dead weight. Proposals are for people: nothing here changes a weight by itself;
`proposed_decisions` is what a person who agrees decides (`knowledge.weights`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from knowledge.articles import AUTHORITY_WEIGHTS, AuthorityClass, Status
from knowledge.timeline import DocumentEntry, Freshness, in_force
from knowledge.usage import Usage, UsageLog
from knowledge.weights import in_history
from vision.fields import Contract

ENOUGH_SEARCHES = 20
"""Fewer questions than this say nothing about a document that was not found."""
LOW_WEIGHT = 0.1
"""Ranking weight that is proposed for what is found and never helps."""

Proposal = Literal["keep", "lower weight", "move to history", "review", "too few questions"]


class DocumentHealth(Contract):
    """One document: shares of all questions (`recall`) and of its findings (`use`), and what is proposed for it.

    `opinion` is the share of praise among the feedback; None where a share has nothing to be a share of.
    """

    document: str
    status: Status
    authority: AuthorityClass
    answers: bool
    weight: float
    found: int
    cited: int
    recall: float | None
    use: float | None
    opinion: float | None
    freshness: Freshness
    indexed_at: datetime
    proposal: Proposal
    proposed_weight: float
    reason: str


class HealthReport(Contract):
    """Health of every document at a moment, the number of questions it rests on, and how few give most of the use."""

    moment: datetime
    searches: int
    documents: tuple[DocumentHealth, ...]
    history: tuple[str, ...]
    documents_for_80_percent: int | None


def judge_health(
    documents: Sequence[DocumentEntry],
    log: UsageLog,
    moment: datetime | None = None,
    weights: Mapping[str, float] | None = None,
) -> HealthReport:
    """Health of the documents of a publication; `weights` are those decided on. Raises UsageError where the log is damaged."""
    moment = moment or datetime.now(UTC)
    usage, searches = log.by_document(), log.searches()
    live = in_force(documents, moment)
    decided = weights or {}
    live -= in_history(decided)
    judged = tuple(
        _judge(entry, usage.get(entry.id, Usage()), searches, entry.id in live, moment, decided.get(entry.id))
        for entry in documents
    )
    history = tuple(one.document for one in judged if one.proposal == "move to history" or _is_past(one, documents))
    return HealthReport(
        moment=moment,
        searches=searches,
        documents=tuple(sorted(judged, key=lambda one: (-one.cited, -one.found, one.document))),
        history=history,
        documents_for_80_percent=_for_share([one.cited for one in judged], 0.8),
    )


def _judge(
    entry: DocumentEntry, usage: Usage, searches: int, answers: bool, moment: datetime, decided: float | None
) -> DocumentHealth:
    weight = AUTHORITY_WEIGHTS[entry.authority] if decided is None else decided
    said = usage.praised + usage.blamed
    opinion = usage.praised / said if said else None
    proposal, proposed, reason = _propose(usage, searches, answers, weight, opinion)
    return DocumentHealth(
        document=entry.id,
        status=entry.status,
        authority=entry.authority,
        answers=answers,
        weight=weight,
        found=usage.found,
        cited=usage.cited,
        recall=usage.found / searches if searches else None,
        use=min(1.0, usage.cited / usage.found) if usage.found else None,
        opinion=opinion,
        freshness=entry.freshness(moment),
        indexed_at=entry.indexed_at,
        proposal=proposal,
        proposed_weight=proposed,
        reason=reason,
    )


def _propose(usage: Usage, searches: int, answers: bool, weight: float, opinion: float | None) -> tuple[Proposal, float, str]:
    if not answers:
        return "keep", weight, "does not answer today"
    if opinion is not None and usage.blamed >= 3 and opinion < 0.5:
        return "review", weight, f"blamed {usage.blamed} times against {usage.praised} praises"
    if searches < ENOUGH_SEARCHES:
        return "too few questions", weight, f"{searches} questions are kept, {ENOUGH_SEARCHES} are needed"
    if not usage.found and not usage.cited:
        return "move to history", 0.0, f"not found once in {searches} questions"
    if usage.found >= ENOUGH_SEARCHES / 2 and not usage.cited and weight > LOW_WEIGHT:
        return "lower weight", LOW_WEIGHT, f"found {usage.found} times and never cited"
    return "keep", weight, f"found {usage.found} times, cited {usage.cited} times"


def _is_past(one: DocumentHealth, documents: Sequence[DocumentEntry]) -> bool:
    """Whether a document only answers questions about the past."""
    if one.answers or one.status == "draft":
        return False
    return any(entry.id == one.document for entry in documents) and one.freshness != "not yet in effect"


def _for_share(cited: Sequence[int], share: float) -> int | None:
    """How many documents, the most cited first, give `share` of all citations."""
    total, reached = sum(cited), 0
    for count, amount in enumerate(sorted(cited, reverse=True), 1):
        reached += amount
        if total and reached >= share * total:
            return count
    return None


def proposed_decisions(report: HealthReport) -> tuple[tuple[str, float, str], ...]:
    """Document, weight and reason of each proposal that changes a weight."""
    return tuple(
        (one.document, one.proposed_weight, f"{one.proposal}: {one.reason}")
        for one in report.documents
        if one.proposed_weight != one.weight
    )


def write_health(report: HealthReport, folder: Path) -> tuple[Path, ...]:
    """Report as JSON, the list of the history index, and two plots. Returns the files written."""
    folder.mkdir(parents=True, exist_ok=True)
    record, history = folder / "health.json", folder / "history.json"
    record.write_text(report.model_dump_json(indent=1), encoding="utf-8")
    history.write_text(json.dumps({"moment": report.moment.isoformat(), "documents": report.history}, indent=1), encoding="utf-8")
    return (record, history, *_plot(report, folder))


def _plot(report: HealthReport, folder: Path) -> tuple[Path, Path]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    scatter, bars = folder / "recall_use_opinion.png", folder / "documents.png"
    figure = Figure(figsize=(8, 6))
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(projection="3d")
    known = [one for one in report.documents if one.answers]
    colors = {"keep": "tab:green", "too few questions": "tab:gray", "review": "tab:orange"}
    for one in known:
        place = (one.recall or 0.0, one.use or 0.0, 0.5 if one.opinion is None else one.opinion)
        axes.scatter(*place, color=colors.get(one.proposal, "tab:red"), marker="o" if one.opinion is not None else "^")
    axes.set(xlabel="recall (share of questions)", ylabel="use (cited / found)", zlabel="opinion (triangle: none)")
    axes.set_title(f"Document health, {report.searches} questions")
    figure.savefig(scatter, dpi=110)
    shown = [one for one in report.documents if one.found or one.cited][:30] or list(known[:30])
    figure = Figure(figsize=(9, 1.2 + 0.28 * len(shown)), layout="constrained")
    FigureCanvasAgg(figure)
    flat = figure.add_subplot()
    names = [one.document for one in reversed(shown)]
    flat.barh(names, [one.found for one in reversed(shown)], color="lightsteelblue", label="found")
    flat.barh(names, [one.cited for one in reversed(shown)], height=0.4, color="tab:blue", label="cited")
    flat.set_xlabel("times")
    flat.legend()
    figure.savefig(bars, dpi=110)
    return scatter, bars


def health_text(report: HealthReport) -> str:
    """The report for people: one line a document, then what it comes to."""
    lines = [f"{'document':<28} {'found':>5} {'cited':>5} {'praise':>6}  {'weight':<10} proposal"]
    for one in report.documents:
        praise = "-" if one.opinion is None else f"{one.opinion:.0%}"
        weight = f"{one.weight:g}" if one.weight == one.proposed_weight else f"{one.weight:g} → {one.proposed_weight:g}"
        stale = "; index older than its effective date" if one.freshness == "stale" else ""
        lines.append(
            f"{one.document:<28} {one.found:>5} {one.cited:>5} {praise:>6}  {weight:<10} {one.proposal}: {one.reason}{stale}"
        )
    if report.documents_for_80_percent is not None:
        lines.append(f"{report.documents_for_80_percent} of {len(report.documents)} documents give 80 % of the citations")
    lines.append(f"history index: {', '.join(report.history) or 'nothing'}")
    return "\n".join(lines)
