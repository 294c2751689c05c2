"""The report's Markdown shows text as text, whatever a photo, a manual or a model put into it; traces carry the id."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rag.render.markdown import escape_markdown, render_markdown
from rag.report import Headline, Part, Section, Statement, number_sources, photo_citation
from rag.trace import Stopwatch, Trace, new_request_id
from tests.rag.builders import make_chunk, make_document


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
    first, second = make_chunk("t-1-en:1:aa"), make_chunk("t-1-en:2:bb", section="2", page=7)
    said = (statement("A.", "photo#1"), statement("B.", "t-1-en:2:bb", "photo#1", "t-1-en:1:aa"))
    headline = Headline(value="43 MPa", interval="41 to 45 MPa", status="in the normal range", tone="good")
    doubted = Part(name="missing", statements=(statement("C.", "photo#2", supported=False),))
    sections = (
        Section(number=1, title="Instrument 1: gauge", headline=headline, parts=(Part(name="meaning", statements=said),)),
        Section(number=2, title="Instrument 2: lamp", parts=(doubted,)),
    )
    chunks = {chunk.id: chunk for chunk in (first, second)}
    sources = number_sources(chunks, ("photo#1", "t-1-en:1:aa", "t-1-en:2:bb", "t-1-en:1:aa"))
    made = make_document(*sections, sources=sources, notes=("Note: x",))
    lines = render_markdown(made).splitlines()
    assert lines[0] == "# Instrument report"
    assert "## Instrument 1: gauge" in lines
    assert "**43 MPa** (41 to 45 MPa) — in the normal range" in lines
    assert lines.index("### What it means") < lines.index("- A. [photo\\#1]")
    assert "- B. [photo\\#1, 1, 2]" in lines
    assert "- C. [photo\\#2] (not supported by the cited evidence)" in lines
    assert "1. T-1 Manual, §1 Section (v1, 2024-01-01) — t-1-en:1:aa" in lines
    assert "2. T-1 Manual, §2 Section, p. 7 (v1, 2024-01-01) — t-1-en:2:bb" in lines
    assert "> Note: x" in lines
    assert [one.text for one in made.statements] == ["A.", "B.", "C."]


def test_a_passage_is_numbered_once_in_the_order_of_its_first_citation() -> None:
    chunks = {id: make_chunk(id) for id in ("a", "b", "c")}
    sources = number_sources(chunks, ("c", "photo", "a", "c", "gone"))
    assert [(source.number, source.chunk) for source in sources] == [(1, "c"), (2, "a")]


def test_many_instruments_get_an_overview_first() -> None:
    headlines = [Headline(value=f"{n} bar", interval=None, status="read", tone="neutral") for n in range(2)]
    sections = [Section(number=n, title=f"Instrument {n} | x", headline=one) for n, one in enumerate(headlines, 1)]
    blind = Section(number=3, title="Instrument 3", headline=Headline(status="not read", tone="unknown"))
    markdown = render_markdown(make_document(*sections, blind))
    assert "| Instrument 1 \\| x | 0 bar | read |" in markdown
    assert "| Instrument 3 | – | not read |" in markdown
    assert "At a glance" not in render_markdown(make_document(*sections))


def test_chinese_headings() -> None:
    section = Section(number=1, title="仪表 1：警示灯", headline=Headline(value="红色", status="已读数", tone="neutral"))
    sources = number_sources({"c1": make_chunk()}, ("c1",))
    markdown = render_markdown(make_document(section, sources=sources, language="zh"))
    assert markdown.startswith("# 仪表报告")
    assert "## 依据" in markdown


def test_headings_of_hostile_models_stay_headings() -> None:
    markdown = render_markdown(make_document(Section(number=1, title="x\n# y <b>")))
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
