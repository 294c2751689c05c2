"""One live report put before the probes: nobody knows the right answer, so its scores alone say which link is weak."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from eval.anchors_relevance import score_anchors
from eval.attribution import Signals, attribute
from eval.coverage import score_coverage
from eval.mvfu import FactLibrary
from eval.planted_faults import mean_signals
from eval.rates import report_faithful
from eval.retrieval import Passage, passage_of
from eval.score import NAN, EvalError, Mean, Score, mean_of, not_scorable
from knowledge.articles import KnowledgeError
from knowledge.search import KnowledgeBase
from rag.pipeline import Inspection
from serve.settings import Language
from serve.store.reports import StoredReport
from vision.fields import Contract

MOST_QUERIES = 12


class Diagnosis(Contract):
    """A report's signals and verdict. `report` is its id; `faithful`: whether every sentence is borne out."""

    report: str
    tenant: str
    at: float
    writer: str
    signals: Signals
    faithful: Score
    layer: str
    cause: str
    reason: str
    remedy: str
    symptom: str | None


class RootCauses(Contract):
    """Many diagnoses together: which layers and causes, how often, the signals' means; `cases` the worst first."""

    made_at: float
    why: str
    n: int
    layers: dict[str, int]
    causes: dict[str, int]
    remedies: dict[str, str]
    signals: dict[str, Mean]
    cases: tuple[Diagnosis, ...]


def judge_faithful(inspection: Inspection, kb: KnowledgeBase, language: Language) -> Score:
    """Whether all sentences of a live report are borne out; not scorable where that cannot be told here."""
    models = {one.instrument_model for one in inspection.reading.instruments if one.instrument_model is not None}
    if len(models) > 1:
        return not_scorable("instruments of several models: their manuals' numbers cannot be told apart")
    try:
        facts = kb.facts(models.pop(), language) if models else None
        return report_faithful(inspection, kb, facts)
    except (KeyError, KnowledgeError):
        return not_scorable("it rests on a passage that is not among the manuals now")


def diagnose(report: StoredReport, kb: KnowledgeBase, library: FactLibrary) -> Diagnosis:
    """The signals of a kept report and what they say."""
    inspection = report.inspection
    passages = _passages(inspection, kb)
    questions = [query.text for query in inspection.queries[:MOST_QUERIES]]
    scores = inspection.scores
    signals = Signals(
        crs=mean_of(score_anchors(one, passages).score.value for one in questions).value if passages else NAN,
        fcr=_coverage(questions, passages, library, report),
        fci=_number(scores.get("fci")),
        borne_out=_number(scores.get("supported_share")),
    )
    found = attribute(signals)
    return Diagnosis(
        report=report.id,
        tenant=report.tenant,
        at=report.created,
        writer=report.writer,
        signals=signals,
        faithful=judge_faithful(inspection, kb, "zh" if report.language == "zh" else "en"),
        layer=found.layer,
        cause=found.cause,
        reason=found.reason,
        remedy=found.remedy,
        symptom=found.symptom,
    )


def root_causes(made_at: float, why: str, cases: Sequence[Diagnosis]) -> RootCauses:
    """The report on cases: causes by how often they are named, unfaithful cases first."""
    order = {"unsupported": 0, "supported": 1, "not_scorable": 2}
    return RootCauses(
        made_at=made_at,
        why=why,
        n=len(cases),
        layers=dict(Counter(one.layer for one in cases).most_common()),
        causes=dict(Counter(one.cause for one in cases).most_common()),
        remedies={one.cause: one.remedy for one in cases if one.remedy},
        signals=mean_signals([one.signals for one in cases]),
        cases=tuple(sorted(cases, key=lambda one: (order[one.faithful.state], -one.at))),
    )


def _passages(inspection: Inspection, kb: KnowledgeBase) -> list[Passage]:
    found = []
    for piece in inspection.evidence:
        try:
            found.append(passage_of(kb.chunk(piece.chunk)))
        except (KeyError, KnowledgeError):  # Published anew since then.
            continue
    return found


def _coverage(questions: Sequence[str], passages: Sequence[Passage], library: FactLibrary, report: StoredReport) -> float:
    if not passages:
        return NAN
    try:
        return mean_of(score_coverage(one, passages, library, report.model).score.value for one in questions).value
    except EvalError:
        return NAN


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else NAN
