"""ERR and FAR: one score a case, in three states."""

from __future__ import annotations

import numpy as np

from eval.bench_report_cases import draw_cases
from eval.lies import KINDS
from eval.query_set import shipped_query_set
from eval.rates import FAR_ALARM, exact_retrieval, rate, report_faithful
from eval.score import not_scorable, supported, unsupported
from knowledge.search import KnowledgeBase
from rag.pipeline import Inspection, Pipeline


def with_text(inspection: Inspection, index: int, text: str) -> Inspection:
    assert inspection.report is not None
    said = list(inspection.report.statements)
    said[index] = said[index].model_copy(update={"text": text})
    return inspection.model_copy(update={"report": inspection.report.model_copy(update={"statements": tuple(said)})})


def test_rates_leave_out_what_cannot_be_scored() -> None:
    share = rate([supported("a"), unsupported("b"), not_scorable("c"), supported("d")])
    assert (share.hits, share.n) == (2, 3)
    assert rate([not_scorable("c")]).n == 0
    assert np.isnan(rate([]).value)


def test_err_of_the_shipped_questions(kb: KnowledgeBase) -> None:
    scores = {case.id: exact_retrieval(kb, case) for case in shipped_query_set()[::40]}
    assert rate(scores.values()).value > 0.9
    unanswerable = [case for case in shipped_query_set() if case.slice == "unanswerable"][:3]
    assert {exact_retrieval(kb, case).state for case in unanswerable} == {"not_scorable"}


def test_template_reports_are_faithful(kb: KnowledgeBase) -> None:
    cases = draw_cases(np.random.default_rng(12), kb, 20)
    scores = []
    for case in cases:
        facts = kb.facts(case.model, case.language)
        scores.append(report_faithful(Pipeline(kb).inspect(case.reading, case.language), kb, facts))
    assert rate(scores).value >= FAR_ALARM
    assert rate(scores).n >= 15


def test_a_number_that_nothing_bears_out_is_found(kb: KnowledgeBase, inspection: Inspection) -> None:
    facts = kb.facts("XYZ-2000", "en")
    assert report_faithful(inspection, kb, facts).state == "supported"
    assert inspection.report is not None
    change = next(kind.change for kind in KINDS if kind.name == "number_changed")
    found = tried = 0
    for index, statement in enumerate(inspection.report.statements):
        lie = change(np.random.default_rng(index), statement.text, "en")
        if lie is None:
            continue
        tried += 1
        score = report_faithful(with_text(inspection, index, lie), kb, facts)
        found += score.state == "unsupported"
    assert tried >= 4
    assert found == tried


def test_a_sentence_that_the_check_refuses_is_found(kb: KnowledgeBase, inspection: Inspection) -> None:
    assert inspection.report is not None
    said = (inspection.report.statements[0].model_copy(update={"supported": False}), *inspection.report.statements[1:])
    marked = inspection.model_copy(update={"report": inspection.report.model_copy(update={"statements": said})})
    assert report_faithful(marked, kb, kb.facts("XYZ-2000", "en")).state == "unsupported"


def test_no_report_and_no_claim_are_not_scorable(kb: KnowledgeBase, inspection: Inspection) -> None:
    assert report_faithful(inspection.model_copy(update={"report": None}), kb, None).state == "not_scorable"
    assert inspection.report is not None
    only = inspection.report.statements[0].model_copy(update={"text": "The manual does not say."})
    silent = inspection.model_copy(update={"report": inspection.report.model_copy(update={"statements": (only,)})})
    assert report_faithful(silent, kb, None).state == "not_scorable"
    empty = inspection.model_copy(update={"report": inspection.report.model_copy(update={"statements": ()})})
    assert report_faithful(empty, kb, None).state == "not_scorable"
