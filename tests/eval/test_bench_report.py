"""The bench of the reports: drawn readings, and a judge that sees what is missing, changed or made up."""

from __future__ import annotations

import numpy as np
import pytest

from eval.bench_report import judge, rates, write_report
from eval.bench_report_cases import UNKNOWN_MODEL, ReportCase, draw_cases
from eval.bench_report_facts import judge_facts, required_facts, units_right
from eval.bench_report_judge import ungrounded
from knowledge.search import KnowledgeBase
from rag.needle import manual_angle
from rag.pipeline import Inspection, Pipeline
from rag.report import Statement


@pytest.fixture(scope="module")
def cases(kb: KnowledgeBase) -> list[ReportCase]:
    return draw_cases(np.random.default_rng(3), kb, 2 * len(kb.models()))


def test_cases_go_round_all_models_in_both_languages(kb: KnowledgeBase, cases: list[ReportCase]) -> None:
    assert {(one.model, one.language) for one in cases} == {
        (model, language) for model in kb.models() for language in ("en", "zh")
    }
    again = draw_cases(np.random.default_rng(3), kb, len(cases))
    assert again == cases
    instruments = [one.reading.instruments[0] for one in cases]
    assert any(one.status == "abstained" for one in instruments)
    assert any(one.instrument_model == UNKNOWN_MODEL for one in instruments)


def test_needles_stand_on_their_scales_save_a_few(kb: KnowledgeBase, cases: list[ReportCase]) -> None:
    on_scale: list[bool] = []
    for case in cases:
        (one,) = case.reading.instruments
        facts = kb.facts(case.model, case.language)
        angle = one.fields.pointer_angle
        if angle is None or facts is None or facts.angle_frame is None or facts.angle_range is None:
            continue
        seen = manual_angle(angle, facts.angle_frame)
        on_scale.append(any(facts.angle_range.low <= seen + turn <= facts.angle_range.high for turn in (-360, 0, 360)))
    assert len(on_scale) > 20
    assert sum(on_scale) / len(on_scale) > 0.75


def test_a_report_of_the_product_passes_the_judge(kb: KnowledgeBase, cases: list[ReportCase]) -> None:
    judged = [judge(write_report(Pipeline(kb), case), kb) for case in cases[:3]]
    found = rates(judged)
    assert (found.refused, found.unsupported, found.missing) == (0, 0, {})
    assert found.quantities_kept.value == 1.0
    assert found.unit_right.value == 1.0
    assert found.statements == sum(one.statements for one in judged) > 3


def without(inspection: Inspection, words: str, instead: str | None = None) -> Inspection:
    """The inspection with `words` in its statements replaced; without those statements where nothing replaces them."""
    assert inspection.report is not None
    said = inspection.report.statements
    if instead is None:
        changed = tuple(one for one in said if words not in one.text)
    else:
        changed = tuple(one.model_copy(update={"text": one.text.replace(words, instead)}) for one in said)
    assert changed != said
    return inspection.model_copy(update={"report": inspection.report.model_copy(update={"statements": changed})})


def missing(kb: KnowledgeBase, inspection: Inspection) -> set[str]:
    assert inspection.report is not None
    required = required_facts(inspection, kb.facts("XYZ-2000", "en"), "en")
    said = judge_facts(required, [one.text for one in inspection.report.statements], "en")
    return {one.required.topic for one in said if not (one.found and one.quantities_kept)}


def test_the_judge_sees_what_is_missing(kb: KnowledgeBase, inspection: Inspection) -> None:
    assert missing(kb, inspection) == set()
    assert "value" in missing(kb, without(inspection, "The reading is"))
    assert {"colour", "lamp"} <= missing(kb, without(inspection, "red"))
    assert "limit" in missing(kb, without(inspection, "range of the manual"))


def test_the_judge_sees_a_wrong_unit(kb: KnowledgeBase, inspection: Inspection) -> None:
    facts = kb.facts("XYZ-2000", "en")
    assert units_right(inspection, facts) == [True]
    assert units_right(without(inspection, "MPa", "bar"), facts) == [False]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The unit of pressure is MPa.", []),
        ("The measuring range is 0 to 120 MPa.", []),
        ("The measuring range is 0 to 1200 bar.", []),
        ("The measuring range is 0 to 130 MPa.", ["0 to 130 MPa"]),
        ("Follow section 9.9.", ["section 9.9"]),
        ("It is an XYZ-2100.", ["XYZ-2100"]),
        ("It is an XYZ-2000.", []),
    ],
)
def test_the_judge_sees_what_nothing_bears_out(kb: KnowledgeBase, inspection: Inspection, text: str, found: list[str]) -> None:
    chunks = {"c": "2.1 Measuring range\nThe measuring range is 0 to 120 MPa. The unit of pressure is MPa."}
    statement = Statement(text=text, citations=("c",), supported=True)
    assert ungrounded(statement, chunks, inspection.reading.instruments, kb.facts("XYZ-2000", "en")) == found


def test_a_statement_may_use_what_it_cites_alone(kb: KnowledgeBase, inspection: Inspection) -> None:
    statement = Statement(text="The range is 7 to 9 MPa.", citations=("other",), supported=True)
    chunks = {"c": "The range is 7 to 9 MPa.", "other": "Nothing."}
    assert ungrounded(statement, chunks, inspection.reading.instruments, None) == ["7 to 9 MPa"]
