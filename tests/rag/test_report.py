"""The report's Markdown shows text as text, whatever a photo, a manual or a model put into it; traces carry the id."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rag.report import Section, Statement, build_report, escape_markdown, photo_citation
from rag.trace import Stopwatch, Trace, new_request_id, request_logger
from tests.rag.builders import make_chunk


@pytest.mark.parametrize(
    ("hostile", "forbidden"),
    [
        ("[click](http://evil.example)", ("[click]", "](", "http://")),
        ("![x](data:image/png;base64,AA)", ("![", "data:")),
        ("<script>alert(1)</script>", ("<script", "</script")),
        ("**bold** _it_ `code`", ("**", " _it", "`c")),
        ("# heading\n\n- item", ("\n",)),
        ("| a | b |", ("| a",)),
        ("www.evil.example", ("www.evil",)),
        ("javascript:alert(1)", ("javascript:",)),
        ("&lt;b&gt;", ("&lt;", " &gt;")),
        ("$x$ ~~y~~", ("$x", "~~")),
        ("a\\[b", ("\\[b\\\\",)),
    ],
)
def test_markup_is_escaped(hostile: str, forbidden: tuple[str, ...]) -> None:
    shown = escape_markdown(hostile)
    plain = shown.replace("\\\\", "")
    for one in forbidden:
        assert one not in plain.replace("\\" + one[0], "")


@given(st.text(max_size=200))
def test_escaped_text_is_one_line_without_open_markup(text: str) -> None:
    shown = escape_markdown(text)
    assert "\n" not in shown
    assert "\r" not in shown
    without_escapes = ""
    index = 0
    while index < len(shown):
        if shown[index] == "\\" and index + 1 < len(shown):
            index += 2
            continue
        without_escapes += shown[index]
        index += 1
    assert not set("`*_[]<>#|{}&$~!") & set(without_escapes)


def test_plain_sentences_are_not_disfigured() -> None:
    text = "The reading is 42.88 MPa (42.08 to 43.68), at 137.2°: pressure = (pointer angle - 30) / 2.5."
    assert escape_markdown(text) == text


def statement(text: str, *citations: str, supported: bool = True) -> Statement:
    return Statement(text=text, citations=citations, supported=supported)


def test_sections_citations_and_evidence_list() -> None:
    first, second = make_chunk("t-1-en:1:aa"), make_chunk("t-1-en:2:bb", section="2")
    sections = [
        Section("Instrument 1: gauge", (statement("A.", "photo#1"), statement("B.", "t-1-en:2:bb", "photo#1", "t-1-en:1:aa"))),
        Section("Instrument 2: lamp", (statement("C.", "photo#2", supported=False),)),
    ]
    report = build_report(sections, [first, second], "en", ["Note: x"])
    lines = report.markdown.splitlines()
    assert lines[0] == "# Instrument report"
    assert "## Instrument 1: gauge" in lines
    assert "- A. [photo\\#1]" in lines
    assert "- B. [photo\\#1, 1, 2]" in lines
    assert "- C. [photo\\#2] (not supported by the cited evidence)" in lines
    assert "1. T-1 Manual §1 (v1) — t-1-en:1:aa" in lines
    assert "> Note: x" in lines
    assert [one.text for one in report.statements] == ["A.", "B.", "C."]


def test_chinese_headings() -> None:
    markdown = build_report([Section("仪表 1：警示灯", ())], [make_chunk()], "zh").markdown
    assert markdown.startswith("# 仪表报告")
    assert "## 依据" in markdown


def test_headings_of_hostile_models_stay_headings() -> None:
    markdown = build_report([Section("x\n# y <b>", ())], [], "en").markdown
    assert "\n# y" not in markdown
    assert "<b>" not in markdown.replace("\\<", "")


def test_statements_are_frozen_and_closed() -> None:
    made = statement("A.", "photo")
    with pytest.raises(ValidationError):
        made.text = "B."  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Statement.model_validate({"text": "A.", "citations": [], "supported": True, "extra": 1})


def test_photo_citations() -> None:
    assert photo_citation(None) == "photo"
    assert photo_citation(2) == "photo#2"


def test_every_log_line_carries_the_request(caplog: pytest.LogCaptureFixture) -> None:
    request_id = new_request_id()
    with caplog.at_level(logging.INFO, logger="gauge.rag"):
        request_logger(request_id).info("read %d", 3)
    assert caplog.records[0].getMessage() == f"[{request_id}] read 3"
    assert caplog.records[0].__dict__["request_id"] == request_id


def test_request_ids_differ() -> None:
    assert len({new_request_id() for _ in range(100)}) == 100


def test_stages_are_summed_and_timed_even_when_they_fail() -> None:
    watch = Stopwatch()
    with watch.stage("a"):
        pass
    first = watch.timing_ms["a"]
    with pytest.raises(RuntimeError), watch.stage("a"):
        raise RuntimeError
    assert watch.timing_ms["a"] >= first


def test_traces_are_plain_data() -> None:
    trace = Trace(request_id="r", language="en", writer="template", knowledge_version="v", notes=("n",))
    assert Trace.model_validate_json(trace.model_dump_json()) == trace
