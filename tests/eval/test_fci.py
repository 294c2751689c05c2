"""FCI: what earlier code of this idea got wrong, each as a case, and the laws that hold for all."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.abstention import is_abstention
from eval.evidence import table_rows
from eval.fci import ReportScores, score_answer, score_report
from eval.reading_facts import reading_facts
from eval.score import EvalError
from tests.eval.builders import as_json, make_lamp, make_photo, make_truth, perfect_reading, valued
from vision.fields import Contract, GaugeFields, PhotoReading
from vision.samples import InstrumentTruth

PUMP = "The rated pressure of the pump is 4 MPa. The test pressure of the valve is 5 MPa."
PUMP_ZH = "泵的额定压力为4MPa。阀的试验压力为5MPa。"
LAMPS = """The colour has this meaning:

| Lamp colour | Meaning | Action |
|---|---|---|
| Red | Over-pressure or sensor fault | Carry out the emergency shutdown procedure. |
| Green | Pressure normal and sensor healthy | No action needed. |
"""
LAMPS_ZH = """
| 灯色 | 含义 | 措施 |
|---|---|---|
| 红色 | 超压或传感器故障 | 执行紧急停机程序。 |
| 绿色 | 压力正常 | 无需处理。 |
"""


def fci(answer: str, *sources: str) -> float:
    return score_answer(answer, sources).fci


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("泵的额定压力为4MPa。", PUMP_ZH),
        ("阀的试验压力为5000 kPa。", PUMP_ZH),
        ("利伐沙班用于肾功能不全患者时应减量。", "利伐沙班在肾功能不全患者中使用时应减量。严重肾功能不全患者禁用。"),
        ("严重肾功能不全患者禁用。", "利伐沙班在肾功能不全患者中使用时应减量。严重肾功能不全患者禁用。"),
        ("禁忌：孕妇禁用。", "禁忌：孕妇禁用。"),
        ("药量为四克。", "药量为4000mg。"),
        ("The rated pressure of the pump is 40 bar.", PUMP),
        ("The pump (type A) runs (at 5 bar.", "The pump (type A) runs (at 5 bar."),
        ("Never start the pump without oil.", "Never start the pump without oil."),
        ("The efficiency was 85 %, 86 % and 89.4 %.", "The efficiency was 80-90 %."),
        ("If the lamp is red, open valve V1.", "If the lamp is red, open valve V1."),
        ("Red means over-pressure or a sensor fault.", LAMPS),
        ("红色表示超压或传感器故障。", LAMPS_ZH),
    ],
)
def test_faithful_answers_score_one(answer: str, source: str) -> None:
    assert fci(answer, source) == 1


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("泵的额定压力为5MPa。", PUMP_ZH),
        ("泵的额定压力为5MPa。", "泵的额定压力为4MPa，阀的试验压力为5MPa。"),
        ("The rated pressure of the pump is 5 MPa.", PUMP),
        ("The rated pressure of the pump is 5 MPa.", PUMP.replace(". The", " and the")),
        ("The rated pressure of the pump is 4 bar.", PUMP),
        ("严重肾功能不全患者可以使用。", "利伐沙班在肾功能不全患者中使用时应减量。严重肾功能不全患者禁用。"),
        ("Do not open valve V1.", "Open valve V1."),
        ("Close valve V1.", "Open valve V1."),
        ("Open valve V1.", "If the lamp is red, open valve V1."),
        ("The green lamp means over-pressure or a sensor fault.", LAMPS),
        ("绿色表示超压或传感器故障。", LAMPS_ZH),
        ("The manual recommends a yearly exchange of the bellows.", PUMP),
        ("泵的寿命为二十年。", PUMP_ZH),
    ],
)
def test_unfaithful_answers_score_zero(answer: str, source: str) -> None:
    assert fci(answer, source) == 0


@pytest.mark.parametrize(
    "answer",
    [
        "资料未说明。",
        "该仪表未能读数，原因：反光。",
        "This dial was not read, because the needle was not found.",
        "I cannot answer this from the given passages.",
        "Unable to answer based on given passages.",
        "The passages do not mention the price.",
        "The meaning of the red light is not stated in the documents.",
        "根据现有资料无法确定。",
        "以 °C 表示的数值无法与以 bar 表示的说明书限值比较。",
        "The value in °C cannot be compared with the manual's limits in bar.",
        "",
        "# Heading",
        "According to the manual:",
        "Is it safe?",
    ],
)
@pytest.mark.parametrize("source", [PUMP, PUMP_ZH, ""])
def test_saying_that_one_does_not_know_is_never_scored(answer: str, source: str) -> None:
    scores = score_answer(answer, [source])
    assert math.isnan(scores.fci)
    assert math.isnan(scores.worst_support)
    assert (scores.fci_n, scores.supported, scores.unsupported) == (0, 0, 0)
    assert scores.reason
    assert as_json(scores)["fci"] is None
    assert scores.summary()["fci"] is None


@pytest.mark.parametrize(
    "text", ["Do not open the valve.", "The relief valve must not exceed 5 bar.", "孕妇禁用。", "不得启动油泵。"]
)
def test_prohibitions_are_claims(text: str) -> None:
    assert not is_abstention(text)
    assert score_answer(text, [text]).fci == 1


def test_an_abstention_does_not_water_down_the_rest() -> None:
    scores = score_answer("The rated pressure of the pump is 4 MPa. The price is not stated in the documents.", [PUMP])
    assert (scores.fci, scores.fci_n, scores.not_scorable) == (1, 1, 1)


def test_half_right_is_a_half_and_says_why() -> None:
    scores = score_answer("The rated pressure of the pump is 4 MPa. The test pressure of the valve is 9 MPa.", [PUMP])
    assert scores.fci == 0.5
    bad = scores.statements[1].verdicts[0]
    assert (bad.score.state, bad.evidence) == ("unsupported", "The test pressure of the valve is 5 MPa.")
    assert "9 MPa" in bad.score.reason
    good = scores.statements[0].verdicts[0]
    assert (good.source, good.evidence) == ("source 1", "The rated pressure of the pump is 4 MPa.")
    assert good.support > bad.support


def test_without_evidence_nothing_is_borne_out() -> None:
    assert fci("The pump runs at 4 MPa.") == 0


@pytest.mark.parametrize(
    ("answer", "source", "expected"),
    [
        ("泵的额定压力为4MPa。", PUMP, 1),
        ("泵的额定压力为40 bar。", PUMP, 1),
        ("泵的额定压力为5MPa。", PUMP, 0),
        ("泵的额定压力不为4MPa。", PUMP, 0),
        ("The rated pressure of the pump is 4 MPa.", PUMP_ZH, 1),
        ("The rated pressure of the pump is 5 MPa.", PUMP_ZH, 0),
        ("泵的额定压力为9MPa。", PUMP, 0),
    ],
)
def test_evidence_in_another_language_is_compared_by_concepts_numbers_and_negations(
    answer: str, source: str, expected: float
) -> None:
    assert fci(answer, source) == expected


def test_words_that_no_table_knows_in_the_other_language_decide_nothing() -> None:
    scores = score_answer("甲醛含量随季节变化。", [PUMP])
    assert math.isnan(scores.fci)
    assert "another language" in scores.statements[0].verdicts[0].score.reason


def test_table_rows_carry_their_header() -> None:
    assert table_rows(LAMPS)[0].startswith("Lamp colour: Red; Meaning: Over-pressure")
    assert len(table_rows(LAMPS)) == 2
    assert table_rows("no table | here") == []


# --- reports --------------------------------------------------------------------------------------------------


def make_inspection(*statements: tuple[str, list[str]], photo: PhotoReading | None = None) -> dict[str, Any]:
    truth = make_truth(model="XYZ-2000")
    lamp = make_lamp()
    photo = photo or make_photo("a.jpg", valued(perfect_reading(truth), 3.52), perfect_reading(lamp))
    texts = {"doc:pump": PUMP, "doc:lamp": LAMPS, "doc:range": "Valid for pointer angles from 30 to 330 degrees."}
    return {
        "request_id": "r",
        "reading": photo.model_dump(mode="json"),
        "queries": [],
        "evidence": [{"chunk": chunk, "document": "doc", "text": text, "score": 0.9} for chunk, text in texts.items()],
        "report": {"statements": [{"text": t, "citations": c, "supported": True} for t, c in statements], "markdown": ""},
        "scores": {},
        "timing_ms": {},
    }


def test_what_the_photo_shows_is_evidence() -> None:
    scores = score_report(
        make_inspection(
            ("The reading is 3.5 bar, between 3.4 and 3.6 bar.", ["photo#1"]),
            ("The reading is 352 kPa.", ["photo#1"]),
            ("The reading is 3.5 bar, between 3.4 and 3.6 bar, taken from the printed scale in the photo.", ["photo#1"]),
            ("读数为 3.5 bar，区间为 3.4 至 3.6 bar。", ["photo#1"]),
            ("The pointer stands at 140° clockwise from 6 o'clock.", ["photo#1"]),
            ("The unit printed on the face is bar.", ["photo#1"]),
            ("The warning light is red.", ["photo#2"]),
            ("According to the manual, the red warning light means: Over-pressure or sensor fault.", ["photo#2", "doc:lamp"]),
        )
    )
    assert scores.unsupported == 0, [v.score.reason for s in scores.statements for v in s.verdicts]
    assert (scores.fci, scores.fci_n) == (1, 9)


@pytest.mark.parametrize(
    ("text", "citations"),
    [
        ("The reading is 3.9 bar.", ["photo#1"]),
        ("The reading is 3.5 psi.", ["photo#1"]),
        ("The reading is 3.55 bar.", ["photo#1"]),
        ("The reading is 10 bar.", ["photo#1"]),
        ("The reading is 3.5 bar, between 3.0 and 4.0 bar.", ["photo#1"]),
        ("读数为 3.9 bar。", ["photo#1"]),
        ("读数不为 3.5 bar。", ["photo#1"]),
        ("The reading is not 3.5 bar.", ["photo#1"]),
        ("The unit printed on the face is psi.", ["photo#1"]),
        ("表盘上印刷的单位为 psi。", ["photo#1"]),
        ("The pointer stands at 179.4°.", ["photo#1", "doc:range"]),
        ("The reading is 4 MPa.", ["photo#1", "doc:pump"]),
        ("The rated pressure of the pump is 3.5 bar.", ["photo#1", "doc:pump"]),
        ("The warning light is green.", ["photo#2"]),
        ("The warning light is red.", ["photo#1"]),
        ("警示灯为绿色。", ["photo#2"]),
        ("The green warning light means: Over-pressure or sensor fault.", ["doc:lamp"]),
        ("The rated pressure of the pump is 4 MPa.", ["doc:lamp"]),
        ("The rated pressure of the pump is 4 MPa.", ["doc:gone"]),
    ],
)
def test_wrong_statements_and_wrong_citations_fail(text: str, citations: list[str]) -> None:
    assert score_report(make_inspection((text, citations))).fci == 0


def test_digits_of_a_display_are_evidence() -> None:
    fields = GaugeFields(kind="digital", digital_readout="23.5", unit="°C")
    truth = InstrumentTruth(box=(0, 0, 9, 9), fields=fields, value=23.5, value_low=23.5, value_high=23.5, unit="°C")
    photo = make_photo("a.jpg", perfect_reading(truth, value_source="digits"))
    right = ["The display shows 23.5.", "显示屏显示 23.5。", "读数为 23.5 °C，取自照片中的显示数字。"]
    wrong = ["The display shows 23.4.", "显示屏显示 235。", "读数为 23.5 °F。"]
    cited = [(text, ["photo#1"]) for text in right + wrong]
    states = [
        {verdict.score.state for verdict in statement.verdicts}
        for statement in score_report(make_inspection(*cited, photo=photo)).statements
    ]
    assert states == [{"supported"}] * 3 + [{"unsupported"}] * 3


def test_without_citations_all_evidence_counts() -> None:
    assert score_report(make_inspection(("The rated pressure of the pump is 4 MPa.", []))).fci == 1


def test_reports_that_abstain_or_do_not_exist_have_no_fci() -> None:
    silent = score_report(make_inspection(("This dial was not read, because of glare.", ["photo"])))
    assert math.isnan(silent.fci)
    assert "no statement" in str(silent.reason)
    missing = score_report(make_inspection() | {"report": None})
    assert math.isnan(missing.fci)
    assert missing.summary()["fci_reason"] == "there is no report"


def test_models_and_their_json_score_the_same() -> None:
    class Inspection(Contract):
        reading: dict[str, Any]
        evidence: list[dict[str, Any]]
        report: dict[str, Any] | None

    data = make_inspection(("The warning light is red.", ["photo#2"]))
    model = Inspection(reading=data["reading"], evidence=data["evidence"], report=data["report"])
    assert as_json(score_report(model)) == as_json(score_report(data))
    assert ReportScores.model_validate_json(score_report(data).model_dump_json()) == score_report(data)


def test_what_is_no_inspection_is_refused() -> None:
    with pytest.raises(EvalError, match=r"not an inspection.*report"):
        score_report({"reading": None})


def test_an_abstained_instrument_bears_out_no_value() -> None:
    facts = reading_facts([{"kind": "dial", "value": None, "fields": {"kind": "dial"}}])
    assert all(not fact.quantities for fact in facts)


SENTENCES = st.sampled_from(
    [
        "The rated pressure of the pump is 4 MPa.",
        "The rated pressure of the pump is 5 MPa.",
        "The lamp is red.",
        "The valve is not open.",
        "The price is not stated in the documents.",
        "泵的额定压力为4MPa。",
        "若压力高于5 MPa，应停机。",
        "资料未说明。",
        "(((",
        "# x",
    ]
)


@given(st.lists(SENTENCES, max_size=5), st.lists(SENTENCES, max_size=4))
@settings(max_examples=50, deadline=None)
def test_fci_is_a_share_or_nothing(answer: list[str], sources: list[str]) -> None:
    scores = score_answer("\n".join(answer), sources)
    assert scores == score_answer("\n".join(answer), sources) or math.isnan(scores.fci)
    assert scores.fci_n == scores.supported + scores.unsupported
    verdicts = [verdict for statement in scores.statements for verdict in statement.verdicts]
    assert len(verdicts) == scores.fci_n + scores.not_scorable
    if scores.fci_n:
        assert 0 <= scores.fci <= 1
        assert 0 <= scores.worst_support <= 1
        assert scores.reason is None
    else:
        assert math.isnan(scores.fci)
        assert scores.reason


@given(st.lists(SENTENCES.filter(lambda s: not is_abstention(s)), min_size=1, max_size=4, unique=True))
@settings(max_examples=40, deadline=None)
def test_a_text_bears_itself_out(sentences: list[str]) -> None:
    text = "\n".join(sentences)
    scores = score_answer(text, [text])
    assert scores.unsupported == 0
