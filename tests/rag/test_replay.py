"""A stored request gives the same report again, from its reading; where it does not, the first stage that differs is named."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from knowledge.articles import Language
from knowledge.search import KnowledgeBase
from rag.errors import TraceError, WriterError
from rag.history import Past, PastReading
from rag.pipeline import Pipeline, asked_day
from rag.prompt import Task
from rag.record import STAGES
from rag.replay import find_difference, replay
from rag.trace import Stage, Trace
from rag.trace_store import TraceStore
from rag.writer import Draft
from tests.rag.builders import SmallKnowledge, make_chunk, make_facts, make_photo, make_reading
from vision.fields import PhotoReading

TEXTS = {
    "f": "The formula: `pressure = (pointer angle - 30) / 2.5`.",
    "u": "The unit of pressure is MPa.",
    "a": "The pointer angle is counted from 6 o'clock, clockwise. Valid from 30 to 330 degrees.",
    "l": "| State | Pressure |\n|---|---|\n| Warning | above 80 to 100 MPa |",
    "c": "| Lamp | Meaning |\n|---|---|\n| Green | Pressure normal |",
    "m": "3: By hand.",
    "e": "1. Press the button.",
    "r": "The measuring range is 0 to 120 MPa.",
}
PHOTO = make_photo(make_reading(model="T-1", pointer_angle=255.0, warning_light_color="green"))
DARK = make_photo(*(make_reading("dial", None, status="abstained", reason="too dark") for _ in range(3)))
EMPTY = make_photo(reason="no instrument was found")


def knowledge(**changes: Any) -> SmallKnowledge:
    return SmallKnowledge(make_facts(**changes), [make_chunk(id, text) for id, text in TEXTS.items()])


@dataclass
class Talker:
    """A writer that says its sentences in a way of its own, or fails; asked again it gives up."""

    change: Any
    name: str = "llm:talker"
    languages: tuple[Language, ...] = ("en",)

    def write(self, task: Task) -> Draft:
        return Draft(tuple(self.change(text) for text in task.sentences), sent=("<|im_start|>system",))


def fail(text: str) -> str:
    raise WriterError("the server is down")


def lie(text: str) -> str:
    return text.replace("MPa", "bar")


def stored(tmp_path: Path, trace: Trace) -> Trace:
    """The trace after it lay on disk."""
    store = TraceStore(tmp_path)
    assert store.record(trace)
    return store.load(trace.request_id)


@pytest.mark.parametrize("photo", [PHOTO, DARK, EMPTY])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_same_report_byte_for_byte(tmp_path: Path, photo: PhotoReading, language: Language) -> None:
    run = Pipeline(knowledge()).run(photo, language)
    again = replay(stored(tmp_path, run.trace), knowledge())
    assert again.difference is None
    assert again.run.inspection.report == run.inspection.report
    assert again.run.document == run.document
    assert again.run.inspection.request_id == run.inspection.request_id


@pytest.mark.parametrize("change", [str, lie, fail, lambda text: "", lambda text: None, lambda text: text.replace("The", "This")])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_language_model_is_not_asked_again(tmp_path: Path, change: Any, language: Language) -> None:
    run = Pipeline(knowledge(), Talker(change)).run(PHOTO, language)
    again = replay(stored(tmp_path, run.trace), knowledge())
    assert again.difference is None
    assert again.run.inspection.report == run.inspection.report
    assert again.run.trace.notes == run.trace.notes
    assert again.run.trace.replaced == run.trace.replaced


def test_earlier_readings_are_part_of_what_is_replayed(tmp_path: Path) -> None:
    earlier = PastReading(datetime(2026, 1, 1, tzinfo=UTC), 10.0, 9.0, 11.0, "MPa")
    past = Past(datetime(2026, 1, 2, tzinfo=UTC), (earlier,))
    run = Pipeline(knowledge()).run(PHOTO, past=[past])
    assert run.inspection.report is not None
    assert any("history#1" in one.citations for one in run.inspection.report.statements)
    assert replay(stored(tmp_path, run.trace), knowledge()).difference is None
    without = Pipeline(knowledge()).run(PHOTO)
    assert without.inspection.report != run.inspection.report


def test_a_manual_that_says_otherwise_is_found_at_its_stage(tmp_path: Path) -> None:
    trace = stored(tmp_path, Pipeline(knowledge()).run(PHOTO).trace)
    other = make_facts().formula
    assert other is not None
    changed = knowledge(formula=other.model_copy(update={"expression": "(angle - 30) / 2"}))
    difference = replay(trace, changed).difference
    assert difference is not None
    assert difference.stage == "value"
    assert "value" in difference.place
    assert difference.then != difference.now


def test_other_hits_are_found_at_retrieval(tmp_path: Path) -> None:
    trace = stored(tmp_path, Pipeline(knowledge()).run(PHOTO).trace)
    turned = SmallKnowledge(make_facts(), [make_chunk(id, TEXTS[id]) for id in reversed(TEXTS)])
    difference = replay(trace, turned).difference
    assert difference is not None
    assert difference.stage == "retrieval"
    assert difference.place.endswith(".chunk")


def test_a_passage_that_was_changed_is_found_where_it_is_used(tmp_path: Path) -> None:
    trace = stored(tmp_path, Pipeline(knowledge()).run(PHOTO).trace)
    changed = SmallKnowledge(make_facts(), [make_chunk(id, text.replace("MPa", "bar")) for id, text in TEXTS.items()])
    difference = replay(trace, changed).difference
    assert difference is not None
    assert difference.stage == "evidence"


def test_a_reading_that_was_tampered_with_is_found(tmp_path: Path) -> None:
    trace = stored(tmp_path, Pipeline(knowledge()).run(PHOTO).trace)
    stages = [stage.model_dump() for stage in trace.stages]
    stages[0]["outputs"]["instruments"][0]["fields"]["pointer_angle"] = 100.0
    difference = replay(Trace.model_validate({**trace.model_dump(), "stages": stages}), knowledge()).difference
    assert difference is not None
    assert difference.stage in STAGES[1:4]


def test_a_report_that_was_tampered_with_is_found(tmp_path: Path) -> None:
    trace = stored(tmp_path, Pipeline(knowledge()).run(PHOTO).trace)
    stages = [stage.model_dump() for stage in trace.stages]
    stages[-1]["outputs"]["markdown"] += "All is well.\n"
    difference = replay(Trace.model_validate({**trace.model_dump(), "stages": stages}), knowledge()).difference
    assert difference is not None
    assert (difference.stage, difference.place) == ("report", "markdown")
    assert str(difference).startswith("report, markdown: then ")


def test_a_trace_that_cannot_be_replayed_says_why() -> None:
    trace = Pipeline(knowledge()).run(PHOTO).trace
    with pytest.raises(TraceError, match="lacks the stages report"):
        replay(trace.model_copy(update={"stages": trace.stages[:-1]}), knowledge())
    older = trace.stages[0].model_copy(update={"outputs": {"photo": "a.jpg", "colour": 1}})
    with pytest.raises(TraceError, match="another version"):
        replay(trace.model_copy(update={"stages": (older, *trace.stages[1:])}), knowledge())


def test_what_a_trace_holds(tmp_path: Path) -> None:
    run = Pipeline(knowledge(), Talker(lie)).run(PHOTO, request_id="r-9")
    trace = stored(tmp_path, run.trace)
    by_name = {stage.name: stage for stage in trace.stages}
    assert tuple(by_name) == STAGES
    assert by_name["reading"].inputs["sha256"] == PHOTO.sha256
    assert by_name["reading"].outputs["instruments"][0]["fields"]["pointer_angle"] == 255.0
    assert {query["name"] for query in by_name["queries"].outputs["queries"]} >= {"gauge_calibration_formula", "unit_declaration"}
    hit = next(iter(by_name["retrieval"].outputs["hits"]["1"].values()))[0]
    assert {"chunk", "score", "dense_rank", "lexical_rank", "structured_rank", "linked_from"} <= set(hit)
    assert by_name["value"].outputs["instruments"][0]["value"] == 90.0
    assert any(finding["name"].startswith("limit") for finding in by_name["diagnosis"].outputs["findings"][0])
    assert {"chunk", "role", "text", "tokens"} <= set(by_name["evidence"].outputs["pieces"][0])
    assert by_name["writing"].inputs["prompts"] == ["<|im_start|>system"] * 2
    assert by_name["writing"].outputs["calls"][1]["complaints"]
    assert by_name["checking"].outputs["replaced"]
    assert by_name["report"].outputs["markdown"] == (run.inspection.report.markdown if run.inspection.report else None)
    json.dumps([stage.model_dump() for stage in trace.stages])


def test_a_photo_that_could_not_be_opened_leaves_a_trace() -> None:
    broken = PhotoReading(photo="x.jpg", sha256=None, status="error", reason="x.jpg is empty", weights=PHOTO.weights)
    run = Pipeline(knowledge()).run(broken)
    assert run.document is None
    assert run.trace.stages[0].outputs["reason"] == "x.jpg is empty"
    assert run.trace.stages[-1].outputs == {"document": None, "markdown": None}


@pytest.mark.parametrize(
    ("then", "now", "place"),
    [
        ({"a": [1, 2]}, {"a": [1, 3]}, "a[1]"),
        ({"a": [1, 2]}, {"a": [1]}, "a (length)"),
        ({"a": 1}, {}, "a"),
        ({}, {"b": {"c": 1}}, "b"),
        ({"a": True}, {"a": 1}, "a"),
        ({"a": {"b": [{"c": "x"}]}}, {"a": {"b": [{"c": "y"}]}}, "a.b[0].c"),
        ({"a": 0.1 + 0.2}, {"a": 0.3}, None),
        ({"a": None}, {"a": None}, None),
    ],
)
def test_the_first_difference_is_named_by_its_path(then: dict[str, Any], now: dict[str, Any], place: str | None) -> None:
    found = find_difference([Stage(name="x", outputs=then)], [Stage(name="x", outputs=now)])
    assert (found.place if found else None) == place


def test_the_day_asked_is_the_knowledge_bases_own(corpus_kb: KnowledgeBase) -> None:
    assert asked_day(SmallKnowledge(None, [])) == datetime.now(UTC).date()

    class Then(SmallKnowledge):
        as_of = date(2024, 5, 1)

    assert asked_day(Then(None, [])) == date(2024, 5, 1)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_shipped_manuals_give_the_same_report_again(pipeline: Pipeline, tmp_path: Path, language: Language) -> None:
    photo = make_photo(
        make_reading(pointer_angle=300.0, warning_light_color="red", mode_dial_position=3),
        make_reading("lamp", "SP-3", warning_light_color="yellow"),
    )
    run = pipeline.run(photo, language)
    again = replay(stored(tmp_path, run.trace), pipeline.knowledge)
    assert again.difference is None
    assert again.run.inspection.report == run.inspection.report
