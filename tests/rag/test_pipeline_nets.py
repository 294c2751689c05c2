"""Nothing raises out of the pipeline: not any reading, nor a manual or a part of the chain that breaks."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rag.pipeline
from knowledge.articles import Language
from rag.errors import TemplateError
from rag.pipeline import Pipeline, Run
from rag.readability import judge_report
from rag.trace import RequestFilter
from tests.rag.builders import SmallKnowledge, make_chunk, make_facts, make_photo, make_reading
from vision.fields import KINDS, LAMP_COLORS, InstrumentReading

KNOWLEDGE = SmallKnowledge(make_facts(), [make_chunk(id, "The unit of pressure is MPa.") for id in "fualcmer"])
LANGUAGES = ("en", "zh")


def check(run: Run, count: int) -> None:
    """A report about every instrument, in every part of the answer the same number of sections."""
    assert run.inspection.report is not None
    assert run.document is not None
    assert len(run.document.sections) == max(count, 1)
    assert run.inspection.report.statements == run.document.statements
    assert run.inspection.report.statements
    assert len(run.inspection.reading.instruments) == count


@st.composite
def readings(draw: st.DrawFn) -> InstrumentReading:
    kind = draw(st.sampled_from(KINDS))
    fields: dict[str, Any] = {
        "pointer_angle": draw(st.none() | st.floats(0, 359.9)),
        "scale_min": draw(st.none() | st.floats(-1e12, 1e12)),
        "scale_max": draw(st.none() | st.floats(-1e12, 1e12)),
        "unit": draw(st.none() | st.sampled_from(["MPa", "°C", "V", "%"])),
        "warning_light_color": draw(st.none() | st.sampled_from(LAMP_COLORS)),
        "mode_dial_position": draw(st.none() | st.integers(1, 5)),
        "digital_readout": draw(st.none() | st.sampled_from(["0", "-1.50", "000", "99999.9"])),
    }
    model = draw(st.sampled_from([None, "T-1", "ZZ-9", "\u202e<b>", "A" * 300]))
    if draw(st.booleans()):
        return make_reading(kind, model, status="abstained", reason=draw(st.text(min_size=1, max_size=60)), **fields)
    if draw(st.booleans()):
        value = draw(st.floats(-1e9, 1e9))
        half = draw(st.floats(0, 1e6))
        given = {"value": value, "value_low": value - half, "value_high": value + half, "value_source": "numerals"}
        fields |= {**given, "value_confidence": draw(st.floats(0, 1))}
    return make_reading(kind, model, **fields)


@given(st.lists(readings(), max_size=4), st.sampled_from(LANGUAGES))
@settings(max_examples=40, deadline=None)
def test_any_reading_gives_a_report(instruments: list[InstrumentReading], language: Language) -> None:
    check(Pipeline(KNOWLEDGE).run(make_photo(*instruments), language), len(instruments))


@pytest.mark.parametrize("language", LANGUAGES)
def test_forty_instruments(language: Language) -> None:
    read = [make_reading(model="T-1", pointer_angle=100.0 + n, warning_light_color="green") for n in range(30)]
    dark = [make_reading("lamp", None, status="abstained", reason="too dark") for _ in range(10)]
    run = Pipeline(KNOWLEDGE).run(make_photo(*read, *dark), language)
    check(run, 40)
    assert run.inspection.report is not None
    assert run.inspection.report.markdown.count("\n## ") >= 41


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_abstained_in_every_field(kind: str, language: Language) -> None:
    run = Pipeline(KNOWLEDGE).run(
        make_photo(make_reading(kind, "T-1", status="abstained", reason="the glass is dirty")), language
    )
    check(run, 1)
    assert run.document is not None
    headline = run.document.sections[0].headline
    assert headline is not None
    assert (headline.value, headline.tone) == (None, "unknown")
    assert judge_report(run.document).passed


def broken(*_: Any, **__: Any) -> Any:
    raise TemplateError("a template lacks a slot")


def test_a_chain_that_breaks_leaves_the_photos_own_report(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(rag.pipeline.Consultant, "consult", broken)
    caplog.handler.addFilter(RequestFilter())
    given = {"value": 5.0, "value_low": 4.9, "value_high": 5.1, "unit": "bar", "value_source": "numerals"}
    with caplog.at_level(logging.ERROR):
        run = Pipeline(KNOWLEDGE).run(make_photo(make_reading(model="T-1", **given)), request_id="r-5")
    check(run, 1)
    assert any("5 bar" in one.text for one in run.inspection.report.statements)  # type: ignore[union-attr]
    assert "a template lacks a slot" in run.trace.notes[0]
    assert run.inspection.reading.instruments[0].value == 5.0
    assert caplog.records[0].__dict__["request_id"] == "r-5"


def test_even_templates_that_break_leave_reading_and_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rag.pipeline.Consultant, "consult", broken)
    monkeypatch.setattr(rag.pipeline, "plan_instrument", broken)
    photo = make_photo(make_reading(model="T-1", pointer_angle=100.0))
    run = Pipeline(KNOWLEDGE).run(photo)
    assert run.inspection.reading == photo
    assert run.inspection.report is not None
    assert run.inspection.report.statements == ()
    assert "a template lacks a slot" in run.inspection.report.markdown
    assert run.document is not None
    assert not judge_report(run.document).passed
