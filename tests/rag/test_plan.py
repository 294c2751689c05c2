"""Which sentences a report holds: order, citations, and nothing without a ground."""

from __future__ import annotations

from typing import Any

import pytest

from knowledge.facts import FormulaFact, LampFact, ModelFacts
from rag.calls import calling_facts
from rag.diagnosis import judge_value
from rag.formula import calibrate
from rag.judge import diagnose
from rag.linked import Link
from rag.material import photo_material, value_slots
from rag.plan import Planned, plan_instrument
from rag.templates import sentences
from tests.rag.builders import make_chunk, make_facts, make_reading
from vision.fields import InstrumentReading

CHUNKS = {id: make_chunk(id, "text") for id in "fuarlcme"}
VALUE = {"value": 5.0, "value_low": 4.9, "value_high": 5.1, "value_source": "numerals"}


def plan(reading: InstrumentReading, facts: ModelFacts | None, language: Any = "en", **more: Any) -> tuple[Planned, ...]:
    calibration = calibrate(reading, facts) if facts is not None else calibrate(reading, make_facts(formula=None))
    findings = diagnose(calibration.reading, 2, facts, language) if facts is not None else ()
    chunks = CHUNKS if facts is not None else {}
    return plan_instrument(calibration, 2, language, facts=facts, chunks=chunks, findings=findings, **more)


def said(planned: tuple[Planned, ...]) -> list[str]:
    return [one.text for one in planned]


def test_every_sentence_has_a_ground() -> None:
    for one in plan(
        make_reading(model="T-1", pointer_angle=137.2, warning_light_color="red", mode_dial_position=3), make_facts()
    ):
        assert one.citations
        assert one.sources
        assert all(citation == "photo#2" or citation in CHUNKS for citation in one.citations)


def test_seen_first_then_value_then_manual_then_procedure() -> None:
    texts = said(
        plan(make_reading(model="T-1", pointer_angle=137.2, warning_light_color="red", mode_dial_position=3), make_facts())
    )
    order = [
        "The pointer stands",
        "The warning light is red.",
        "The mode selector",
        "The reading is",
        "The value lies",
        "According to the manual",
        "Position 3",
        "Follow the",
    ]
    places = [next(place for place, text in enumerate(texts) if text.startswith(start)) for start in order]
    assert places == sorted(places)


def test_only_what_was_seen_cites_the_photo() -> None:
    planned = plan(make_reading(model="T-1", warning_light_color="red"), make_facts())
    by_start = {one.text.split()[0]: one.citations for one in planned}
    assert by_start["The"] == ("photo#2",)
    assert by_start["According"] == ("photo#2", "c")
    assert by_start["Follow"] == ("e", "c")


def test_chunks_that_are_no_evidence_are_not_cited() -> None:
    reading = make_reading(model="T-1", warning_light_color="red")
    planned = plan_instrument(calibrate(reading, make_facts()), 1, "en", facts=make_facts(), chunks={})
    assert all(citation == "photo#1" for one in planned for citation in one.citations)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"unit": "bar", **VALUE}, "The reading is 5 bar, between 4.9 and 5.1 bar, taken from the printed numbers in the photo."),
        (VALUE, "The reading is 5, between 4.9 and 5.1, taken from the printed numbers in the photo; no unit was read."),
        (
            {"unit": "bar", **VALUE, "value_source": "printed_scale"},
            "The reading is 5 bar, between 4.9 and 5.1 bar, taken from the printed scale in the photo.",
        ),
        ({"reason": "the needle is hidden"}, "No value was determined, because the needle is hidden."),
    ],
)
def test_values_of_the_photo(given: Any, expected: str) -> None:
    assert expected in said(plan(make_reading(model=None, **given), None))


def test_a_remark_of_the_reader_is_passed_on() -> None:
    texts = said(plan(make_reading(model=None, unit="bar", reason="the glass is scratched.", **VALUE), None))
    assert "Note on the value: the glass is scratched." in texts


def test_a_lamp_without_a_number_gives_no_reason_for_none() -> None:
    assert said(plan(make_reading("lamp", None, warning_light_color="green"), None)) == [
        "The warning light is green.",
        "The model of this warning light is unknown, so no manual was consulted.",
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("model", "unavailable", "name"),
    [
        (None, False, "model_unknown"),
        ("ZZ", False, "model_without_manual"),
        (" ", False, "model_unknown"),
        ("ZZ", True, "manuals_unavailable"),
    ],
)
def test_what_is_said_without_a_manual(model: str | None, unavailable: bool, name: str, language: Any) -> None:
    texts = said(plan(make_reading(model=model, pointer_angle=3.0), None, language, unavailable=unavailable))
    words = sentences()[name].fixed_words(language).split()
    assert all(word in texts[-1] for word in words)


def test_what_no_document_states() -> None:
    facts = make_facts(lamps=(), modes=(), formula=None, limits=())
    texts = said(plan(make_reading(model="T-1", pointer_angle=3.0, warning_light_color="red", mode_dial_position=5), facts))
    assert "A calibration formula is not stated in the documents." in texts
    assert "The meaning of the red warning light is not stated in the documents." in texts
    assert "The meaning of position 5 of the mode selector is not stated in the documents." in texts
    chinese = said(plan(make_reading(model="T-1", warning_light_color="red"), facts, "zh"))
    assert "警示灯为红色的含义：资料未说明。" in chinese


def test_not_stated_is_no_task_for_a_writer() -> None:
    planned = plan(make_reading(model="T-1", warning_light_color="yellow"), make_facts())
    assert {one.text: one.rewrite for one in planned} == {
        "The warning light is yellow.": True,
        "The meaning of the yellow warning light is not stated in the documents.": False,
    }


def test_the_action_of_a_band_is_quoted() -> None:
    texts = said(plan(make_reading(model="T-1", pointer_angle=255.0), make_facts()))
    assert "The value lies in the warning range of the manual, above 80 to 100 MPa." in texts
    assert "For this range the manual says: Reduce the load." in texts


def test_a_normal_band_asks_for_nothing() -> None:
    assert not any("For this range" in text for text in said(plan(make_reading(model="T-1", pointer_angle=100.0), make_facts())))


def test_facts_that_call_the_procedure() -> None:
    facts = make_facts()
    red = make_reading(model="T-1", warning_light_color="red")
    assert [fact.chunk for fact in calling_facts(red, facts, ())] == ["c"]
    assert calling_facts(make_reading(model="T-1", warning_light_color="green"), facts, ()) == ()
    high = calibrate(make_reading(model="T-1", pointer_angle=300.0), facts).reading
    assert [fact.chunk for fact in calling_facts(high, facts, judge_value(high, facts, "en"))] == ["l"]
    assert calling_facts(red, make_facts(emergency=None), ()) == ()


def test_a_red_lamp_without_a_procedure_names_none() -> None:
    texts = said(plan(make_reading(model="T-1", warning_light_color="red"), make_facts(emergency=None)))
    assert not any("Follow" in text for text in texts)


@pytest.mark.parametrize(("action", "shown"), [("Stop.", "Stop."), ("Stop", "Stop."), ("Stop;", "Stop."), ("停机。", "停机。")])
def test_actions_end_as_sentences(action: str, shown: str) -> None:
    lamp = LampFact(chunk="c", text=f"Red; {action}", color="red", meaning="Fault", action=action)
    texts = said(plan(make_reading(model="T-1", warning_light_color="red"), make_facts(lamps=(lamp,))))
    assert f"For this light the manual says: {shown}" in texts


def test_value_slots_have_the_decimals_of_the_interval() -> None:
    assert value_slots(make_reading(unit="bar", **VALUE)) == {
        "value": "5",
        "value_low": "4.9",
        "value_high": "5.1",
        "unit": "bar",
    }
    assert value_slots(make_reading()) == {}


def test_an_abstained_reading_is_one_statement() -> None:
    reading = make_reading(status="abstained", reason="too dark.", pointer_angle=3.0, warning_light_color="red")
    assert said(plan(reading, make_facts())) == ["This pointer gauge was not read. The reason: too dark."]
    assert photo_material(calibrate(reading, make_facts()), "en")[0] == "pointer gauge"


def test_what_to_do_if_a_straddled_limit_is_passed_is_said_under_its_condition() -> None:
    texts = said(plan(make_reading(model="T-1", pointer_angle=230.0), make_facts()))
    assert any(text.startswith("The value may be above the limit of 80 MPa") for text in texts)
    assert "If it is in the warning range, the manual says: Reduce the load." in texts
    assert not any(text.startswith("For this range") for text in texts)
    chinese = said(plan(make_reading(model="T-1", pointer_angle=230.0), make_facts(), "zh"))
    assert any(text.startswith("如果数值处于预警范围，说明书要求：") for text in chinese)


def linked(origin: Any, **changes: Any) -> list[str]:
    target = make_chunk("t", "The checks.", section="5.3", section_title="Return to service", **changes)
    link = Link("5.3", (target,), origin, 1)
    chunks = {**CHUNKS, "t": target, "o": origin} if not isinstance(origin, LampFact) else {**CHUNKS, "t": target}
    calibration = calibrate(make_reading(model="T-1", warning_light_color="green"), make_facts())
    return said(plan_instrument(calibration, 1, "en", facts=make_facts(), chunks=chunks, links=(link,)))


def test_a_passage_that_leads_on_is_quoted_with_its_condition() -> None:
    origin = make_chunk("o", "1. Stop.\n\nDo not start again before section 5.3 is done.", section="5.2", refers_to=("5.3",))
    assert "Section 5.2 of the manual adds: Do not start again before section 5.3 is done." in linked(origin)


@pytest.mark.parametrize("text", ["| Row | see section 5.3 |", f"{'Unless ' * 70}section 5.3 is done."])
def test_what_cannot_be_quoted_whole_is_not_quoted(text: str) -> None:
    assert not any("adds" in one for one in linked(make_chunk("o", text, section="5.2", refers_to=("5.3",))))


def test_a_row_that_leads_on_names_the_section() -> None:
    row = LampFact(chunk="c", text="Off; See section 5.3.", color="off", meaning="")
    assert "For this the manual refers to section 5.3, Return to service." in linked(row)


def test_an_abstained_reading_with_an_invisible_reason_still_says_so() -> None:
    for language, words in (("en", "The reason: no reason was given"), ("zh", "未给出原因")):
        (one,) = plan(make_reading(status="abstained", reason="\u200b"), make_facts(), language)
        assert words in one.text


def test_one_action_for_range_and_light_is_said_once_and_cites_both() -> None:
    lamp = LampFact(chunk="c", text="Red; Shut down.", color="red", meaning="Fault", action="Shut down as in section 5.2.")
    reading = make_reading(model="T-1", pointer_angle=300.0, warning_light_color="red", confidence={"pointer_angle": 0.99})
    planned = plan(reading, make_facts(lamps=(lamp,)))
    (both,) = (one for one in planned if "the manual says" in one.text)
    assert both.text == "For this range and for this light the manual says: Shut down as in section 5.2."
    assert both.citations == ("l", "c")


def test_a_calibration_table_is_named_and_not_recited() -> None:
    points = tuple((30.0 + 30.0 * k, 10.0 * k) for k in range(11))
    table = FormulaFact(
        chunk="f",
        text="Pointer angle (degrees): " + "; ".join(f"{angle} → {value}" for angle, value in points),
        quantity="pressure",
        expression="",
        variable="angle",
        points=points,
    )
    for facts, unit in ((make_facts(formula=table), " MPa"), (make_facts(formula=table, unit=None), "")):
        for language, name in (("en", "calibration table"), ("zh", "校准表")):
            texts = said(plan(make_reading(model="T-1", pointer_angle=137.2), facts, language))
            (stated,) = (text for text in texts if name in text and "→" not in text)
            assert f"35.73{unit}" in stated
            assert not any("→" in text for text in texts)


def test_a_value_by_the_place_on_the_scale_is_not_called_one_of_the_display() -> None:
    root = FormulaFact(
        chunk="f", text="flow = 160 * sqrt(scale fraction)", quantity="flow", expression="160 * sqrt(scale fraction)",
        variable="scale fraction", unit="MPa",
    )  # fmt: skip
    facts = make_facts(formula=root, value_range=None)
    (text,) = (one for one in said(plan(make_reading(model="T-1", scale_fraction=0.25), facts)) if one.startswith("The reading"))
    assert text.endswith(
        "computed from the pointer's place on the scale with the manual's formula flow = 160 * sqrt(scale fraction)."
    )


@pytest.mark.parametrize(
    ("language", "words"), [("en", "If the value holds, it lies in the normal range"), ("zh", "如果该数值成立")]
)
def test_a_doubtful_value_is_not_flatly_said_to_lie_in_a_range(language: Any, words: str) -> None:
    photo = {"value": 0.0, "value_low": -0.1, "value_high": 0.1, "unit": "MPa", "value_source": "numerals"}
    sure = {"pointer_angle": 137.2, "confidence": {"pointer_angle": 0.95}}
    doubted = said(plan(make_reading(model="T-1", **sure, **photo), make_facts(), language))
    plain = said(plan(make_reading(model="T-1", **sure), make_facts(), language))
    assert sum(words in text for text in doubted) == 1
    assert not any(words in text for text in plain)
    assert any(text.startswith(("The value lies in", "该数值处于")) for text in plain)
