"""The walkthrough page: bound to one trace, terms that can be followed both ways, and nothing hostile that becomes markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html import unescape
from html.parser import HTMLParser
from string import Formatter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.failures import AXES, COMPLAINTS, FailureReport, parse_report
from eval.score import EvalError
from eval.walkthrough.form import check_address
from eval.walkthrough.labels import Labels, all_labels
from eval.walkthrough.marks import Highlighter, find_places
from eval.walkthrough.page import walkthrough_html
from eval.walkthrough.view import Passage, Walkthrough, view_trace
from rag.pipeline import Pipeline, PipelineOptions
from rag.render.picture import Picture
from rag.trace import Replacement, Stage, Trace
from tests.rag.builders import SmallKnowledge, make_chunk, make_facts, make_photo, make_reading

PICTURE = Picture(b"\xff\xd8jpeg", 40, 30)
HOSTILE = "</pre></style><script>alert(1)</script>\"'><img src=x onerror=alert(1)> ]]> \u202e\x00"
UNIT = "The unit of pressure is MPa."
SAY = Labels("en")


def trace_of(text: str = UNIT, model: str | None = "T-1", **reading: Any) -> Trace:
    """The trace of a dial at 42 MPa whose manual says `text`."""
    ids = ("f", "u", "a", "r", "l", "c", "m", "e")
    chunks = [make_chunk(id=id, text=f"{text} ({id})") for id in ids]
    given_reading = {"pointer_angle": 135.0, "value": 42.0, "value_low": 41.0, "value_high": 43.0, "unit": "MPa"}
    given_reading |= {"value_source": "printed_scale", "value_confidence": 0.9, "confidence": {"pointer_angle": 0.8}, **reading}
    photo = make_photo(make_reading(model=model, **given_reading))
    run = Pipeline(SmallKnowledge(make_facts(), chunks), options=PipelineOptions()).run(
        photo, "en", "r-1", "2026-01-02T03:04:05+00:00"
    )
    return run.trace.model_copy(update={"commit": "abc123", "embedder": "hash"})


def passages_of(text: str = UNIT) -> dict[str, Passage]:
    return {id: Passage(f"T-1 Manual, §1 {id}", f"{text} ({id})") for id in ("f", "u", "a", "r", "l", "c", "m", "e")}


def with_outputs(trace: Trace, name: str, **outputs: Any) -> Trace:
    stages = tuple(
        Stage(name=one.name, inputs=one.inputs, outputs={**one.outputs, **outputs}) if one.name == name else one
        for one in trace.stages
    )
    return trace.model_copy(update={"stages": stages})


def walk_of(text: str = UNIT) -> Walkthrough:
    return view_trace(trace_of(text), passages_of(text))


class Page(HTMLParser):
    """Tags with their attributes, ids, and the text of the page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data

    def named(self, tag: str) -> list[dict[str, str]]:
        return [attrs for name, attrs in self.tags if name == tag]

    @property
    def ids(self) -> list[str]:
        return [attrs["id"] for _, attrs in self.tags if "id" in attrs]


# --- marks ---


def marked(question: str, text: str) -> list[tuple[str, str, str | None]]:
    highlighter = Highlighter(question, SAY)
    marks = highlighter.mark(text)
    return [(highlighter.terms[mark.term - 1].text, text[mark.start : mark.end], mark.note) for mark in marks]


def test_a_word_is_found_as_it_stands() -> None:
    assert ("unit", "Unit", None) in marked("Which unit?", "Unit: MPa")


def test_another_word_of_the_same_concept_carries_a_note() -> None:
    ((term, said, note),) = marked("needle", "The pointer rests.")
    assert (term, said) == ("needle", "pointer")
    assert note == "asked as “needle”"


def test_a_chinese_question_meets_an_english_text_and_back() -> None:
    assert [said for _, said, _ in marked("指针", "The pointer rests.")] == ["pointer"]
    assert [said for _, said, _ in marked("pointer", "指针静止。")] == ["指针"]


def test_the_question_says_what_became_of_each_term() -> None:
    highlighter = Highlighter("unit of the needle zanzibar", SAY)
    highlighter.mark("The pointer has a unit.")
    notes = {term.text: term.note(SAY) for term in highlighter.terms}
    assert notes == {"unit": None, "needle": "there as “pointer”", "zanzibar": "in none of the documents shown"}


def test_a_chinese_word_outside_the_graph_is_found_inside_a_longer_run() -> None:
    assert [said for _, said, _ in marked("桑给巴尔", "从桑给巴尔来的表")] == ["桑给巴尔"]


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.text(max_size=120))
def test_marks_of_any_text_are_in_order_and_apart(question: str, text: str) -> None:
    highlighter = Highlighter(question, SAY)
    for places in (highlighter.mark(text), highlighter.terms):
        last = 0
        for place in places:
            assert last <= place.start < place.end
            last = place.end
    assert last <= len(question)
    for place in find_places(text):
        assert text[place.start : place.end].strip()
    assert {mark.term for mark in highlighter.mark(text)} <= {term.number for term in highlighter.terms}


def test_a_text_that_is_all_terms_is_bounded() -> None:
    assert len(Highlighter("unit", SAY).mark("unit " * 50_000)) == 2000


# --- the view ---


def test_the_panels_are_those_of_the_trace() -> None:
    trace = trace_of()
    walk = view_trace(trace, passages_of())
    stored = {stage.name: stage for stage in trace.stages}
    assert [asked.query.name for asked in walk.asked] == [one["name"] for one in stored["queries"].outputs["queries"]]
    assert [piece.text for piece in walk.sent] == [one["text"] for one in stored["evidence"].outputs["pieces"]]
    assert [one.statement.text for one in walk.said] == [
        one["text"] for s in stored["report"].outputs["document"]["sections"] for p in s["parts"] for one in p["statements"]
    ]
    assert walk.watermark["commit"] == "abc123"
    assert walk.watermark["weights"] == "test 1"
    assert walk.watermark["embedder"] == "hash"
    assert walk.watermark["language model"] == "template"
    assert walk.watermark["manuals"].startswith("test as of 20")


def test_what_was_not_stored_is_said_and_not_made_up() -> None:
    walk = view_trace(trace_of().model_copy(update={"commit": "", "embedder": ""}), {})
    assert walk.watermark["commit"] == walk.watermark["embedder"] == "not stored with this request"
    assert all(found.passage is None for asked in walk.asked for found in asked.found)
    assert view_trace(trace_of().model_copy(update={"embedder": ""}), {}, "manifest's").watermark["embedder"] == "manifest's"


def test_routes_scores_and_roles() -> None:
    hit = {"chunk": "u", "score": 0.7, "dense": 0.9, "dense_rank": 2, "structured": 1.0, "structured_rank": 1, "linked_from": "f"}
    trace = trace_of()
    name = view_trace(trace, {}).asked[0].query.name
    walk = view_trace(with_outputs(trace, "retrieval", hits={"1": {name: [hit] * 7}}), passages_of())
    asked = walk.asked[0]
    assert (len(asked.found), asked.more) == (5, 2)
    assert [(route.name, route.score, route.rank) for route in asked.found[0].routes] == [
        ("dense", 0.9, 2),
        ("structured", 1.0, 1),
    ]
    assert asked.found[0].linked_from == "f"
    assert {found.role for one in view_trace(trace, {}).asked for found in one.found} & {"PRIMARY", "SUPPORTING", "CRITICAL"}


def test_a_statement_that_its_check_refused_is_unsupported() -> None:
    trace = trace_of()
    document = {stage.name: stage for stage in trace.stages}["report"].outputs["document"]
    doubted = json.loads(json.dumps(document).replace('"supported": true', '"supported": false'))
    assert {one.state for one in view_trace(with_outputs(trace, "report", document=doubted), passages_of()).said} == {
        "unsupported"
    }


def test_a_lie_in_the_report_is_marked() -> None:
    trace = trace_of()
    document = {stage.name: stage for stage in trace.stages}["report"].outputs["document"]
    lying = json.loads(json.dumps(document))
    part = lying["sections"][0]["parts"][0]
    part["statements"] = [{"text": "The unit of pressure is bar.", "citations": ["u"], "supported": True}]
    (said,) = [
        one
        for one in view_trace(with_outputs(trace, "report", document=lying), passages_of()).said
        if "bar" in one.statement.text
    ]
    assert said.state == "unsupported"


@pytest.mark.parametrize("name", ["reading", "queries", "evidence", "value", "report", "retrieval", "writing"])
def test_a_trace_of_another_version_is_said_in_a_line(name: str) -> None:
    trace = trace_of()
    without = trace.model_copy(update={"stages": tuple(one for one in trace.stages if one.name != name)})
    with pytest.raises(EvalError, match="another version of this program") as caught:
        view_trace(without, {})
    assert "\n" not in str(caught.value)


# --- the page ---


def test_every_link_leads_somewhere_and_back() -> None:
    page = Page(walkthrough_html(walk_of(), PICTURE))
    ids = page.ids
    assert len(ids) == len(set(ids))
    links = [attrs["href"].removeprefix("#") for attrs in page.named("a")]
    assert set(links) <= set(ids)
    to_documents = {link for link in links if re.fullmatch(r"q\d+t\d+", link)}
    to_questions = {link for link in links if re.fullmatch(r"q\d+a\d+", link)}
    assert to_documents
    assert {link.replace("t", "a") for link in to_documents} == to_questions


def test_the_page_shows_every_panel() -> None:
    trace = trace_of().model_copy(
        update={"replaced": (Replacement(written="It is 9 bar.", kept="It is 42 MPa.", problems=("no",)),)}
    )
    walk = view_trace(trace, passages_of())
    page = Page(walkthrough_html(walk, PICTURE))
    for text in ("abc123", "pointer_angle", "0.80", "sent as", "Context as sent", "It is 9 bar.", "not scorable", "r-1"):
        assert text in page.text
    (image,) = page.named("img")
    assert image["src"] == PICTURE.data_uri
    assert {float(one["value"]) for one in page.named("meter")} == {0.8}


def places_of(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_say_everything_with_the_same_places() -> None:
    tables = all_labels()
    assert set(tables) == {"en", "zh"}
    assert set(tables["en"]) == set(tables["zh"])
    for name, text in tables["en"].items():
        assert places_of(text) == places_of(tables["zh"][name]), name
        assert text.strip()
        assert tables["zh"][name].strip()
    assert Labels("fr").language == "en"


def test_a_chinese_report_has_a_chinese_page() -> None:
    trace = trace_of().model_copy(
        update={"language": "zh", "replaced": (Replacement(written="", kept="读数为 42 MPa。", problems=("no",)),)}
    )
    html = walkthrough_html(view_trace(trace, passages_of()), PICTURE)
    page = Page(html)
    assert page.named("html") == [{"lang": "zh-Hans"}]
    for text in ("请求 r-1 的全程回放", "照片与字段", "提问与检索到的文档", "实际送出的上下文", "报告问题", "有依据", "权重"):
        assert text in page.text, text
    # What was stored stays as it is; of what the page says around it nothing is English but names and ids.
    names = ("pointer_angle", "gauge failures add FILE")
    assert all(name in page.text for name in names)
    shown = re.sub(r"<pre>.*?</pre>", "", html, flags=re.DOTALL)
    left = [text for text in all_labels()["en"].values() if len(text) > 12 and "{" not in text and text in Page(shown).text]
    assert left == []
    (form,) = page.named("form")
    assert parse_report(form["data-base"]).request_id == "r-1"
    assert {one["value"] for one in page.named("option")} == {"unknown", "yes", "no"}


def test_a_chinese_page_says_what_is_missing() -> None:
    page = Page(walkthrough_html(view_trace(trace_of().model_copy(update={"language": "zh"}), {})))
    assert "找不到照片" in page.text
    assert "该版本的手册已不存在" in page.text
    assert "没有向写作器 template 送出提示词。" in page.text


def test_a_prompt_is_shown_as_sent() -> None:
    prompt = '<|system|>\nYou are\n\n  indented & "quoted"\u200b'
    trace = trace_of()
    stages = tuple(
        Stage(name=one.name, inputs={**one.inputs, "prompts": [prompt]}, outputs=one.outputs) if one.name == "writing" else one
        for one in trace.stages
    )
    html = walkthrough_html(view_trace(trace.model_copy(update={"stages": stages}), {}))
    assert prompt.replace("\u200b", "\ufffd") in Page(html).text


def test_without_a_photo_or_manuals_the_page_says_so() -> None:
    page = Page(walkthrough_html(view_trace(trace_of(), {})))
    assert "not at hand" in page.text
    assert "This version of the manuals is gone" in page.text
    assert not page.named("img")


def test_a_photo_without_a_model_was_asked_nothing() -> None:
    page = Page(walkthrough_html(view_trace(trace_of(model=None), {})))
    assert "Nothing was asked" in page.text


def test_the_same_trace_gives_the_same_bytes() -> None:
    trace = trace_of()
    first, second = (walkthrough_html(view_trace(trace, passages_of()), PICTURE) for _ in range(2))
    assert first == second


def policy(html: str) -> str:
    (found,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    return unescape(found)


def test_the_policy_names_this_style_and_script() -> None:
    html = walkthrough_html(walk_of(), PICTURE)
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        (code,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy(html)
    assert policy(html).startswith("default-src 'none'")
    assert policy(html).endswith("form-action 'none'")


def test_hostile_text_stays_text() -> None:
    trace = trace_of(HOSTILE).model_copy(
        update={"notes": (HOSTILE,), "commit": HOSTILE, "writer": HOSTILE, "timing_ms": {HOSTILE: 1.0}}
    )
    trace = trace.model_copy(update={"replaced": (Replacement(written=HOSTILE, kept=HOSTILE, problems=(HOSTILE,)),)})
    reading = {stage.name: stage for stage in trace.stages}["reading"].outputs
    trace = with_outputs(trace, "reading", photo=HOSTILE, reason=HOSTILE, weights={**reading["weights"], "name": HOSTILE})
    places = {id: Passage(HOSTILE, HOSTILE) for id in passages_of()}
    html = walkthrough_html(view_trace(trace, places), PICTURE)
    clean = walkthrough_html(walk_of(), PICTURE)
    assert html.count("<script") == clean.count("<script") == 1
    page = Page(html)
    assert len(page.named("img")) == 1
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on") or name == "style"]
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in Page(clean).tags} | {"del", "ins", "br", "mark", "sup"}
    assert "\x00" not in html
    assert "\u202e" not in html


# --- the form ---


def base_of(page: Page) -> dict[str, Any]:
    (form,) = page.named("form")
    found: dict[str, Any] = json.loads(form["data-base"])
    return found


def test_the_form_fills_in_a_report_that_the_library_takes() -> None:
    page = Page(walkthrough_html(walk_of(), PICTURE))
    report = parse_report(json.dumps(base_of(page)))
    assert report.request_id == "r-1"
    assert report.watermark["commit"] == "abc123"
    assert [one["value"] for one in page.named("input") if one.get("name") == "complaint"] == list(COMPLAINTS)
    assert [one["data-axis"] for one in page.named("select")] == list(AXES)
    (by_hand,) = re.findall(r"<noscript>.*?<pre>(.*?)</pre>", walkthrough_html(walk_of()), re.DOTALL)
    assert FailureReport.model_validate_json(unescape(by_hand)) == report


def test_a_hostile_request_still_makes_a_report() -> None:
    trace = trace_of().model_copy(update={"commit": HOSTILE * 20})
    page = Page(walkthrough_html(view_trace(trace, {})))
    assert parse_report(json.dumps(base_of(page))).watermark["commit"] == (HOSTILE * 20)[:500]


def test_a_form_with_an_address_may_go_there_alone() -> None:
    html = walkthrough_html(walk_of(), PICTURE, "https://example.org/failures")
    (form,) = Page(html).named("form")
    assert (form["method"], form["action"]) == ("post", "https://example.org/failures")
    assert policy(html).endswith("form-action https://example.org/failures")


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://",
        "https://a/;script-src *",
        "https://a/ b",
        "https://a/'x",
        "https://a/?q",
        "",
    ],
)
def test_addresses_that_a_policy_cannot_name(url: str) -> None:
    with pytest.raises(EvalError, match=r"no plain http\(s\) URL"):
        check_address(url)
    with pytest.raises(EvalError):
        walkthrough_html(walk_of(), PICTURE, url)
