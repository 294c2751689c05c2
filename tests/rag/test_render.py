"""HTML and PDF: complete, escaped, self-contained, the same bytes from the same document, in both languages."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pypdfium2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from knowledge.articles import Language
from rag.errors import RenderError
from rag.render.fonts import CHINESE, FontFile, covered, cut_font
from rag.render.html import render_html
from rag.render.pdf import render_pdf
from rag.render.picture import Picture
from rag.report import Document, Headline, Part, Section, Statement, number_sources
from tests.rag.builders import make_chunk, make_document

VOID = {"meta", "img", "br", "hr", "link", "input"}
TABLE = """Limits:
| State | Pressure |
|---|---|
| Normal | 0 to 80 MPa |
| Alarm | above 100 MPa |
1. Press the button.
2. Wait.
- Do **not** open."""
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><script>x</script>",
    "javascript:alert(1)",
    "&lt;b&gt; &amp; & < >",
    "<font size='99'>x</font><a href='http://evil.example'>y</a><para>",
    "]]><!--x-->",
    "{value} %s \\n \x00\x1b[31m \u202eLIVE",
    "压力\U0001f600 \u0627\u0644 \ud83d",
    "A" * 3000,
    "行" * 600,
    "",
)


def picture() -> Picture:
    data = io.BytesIO()
    Image.new("RGB", (120, 90), "navy").save(data, "JPEG")
    return Picture(data.getvalue(), 120, 90)


def report(language: Language = "en", text: str = "The value lies in the normal range.", count: int = 1) -> Document:
    zh = language == "zh"
    first, second = make_chunk("t-1-en:3:aa", TABLE, page=12), make_chunk("t-1-en:5:bb", text or "x", title=text or "x")
    chunks = {chunk.id: chunk for chunk in (first, second)}
    meaning = Statement(text=text, citations=("photo#1", "t-1-en:3:aa", "history#1"), supported=True)
    action = Statement(text="请按第 5.2 节执行。" if zh else "Follow section 5.2.", citations=("t-1-en:5:bb",), supported=True)
    doubted = Statement(text="It hums.", citations=(), supported=False)
    headline = Headline(
        value="42.88 MPa", interval="42.08 to 43.68 MPa", status="正常" if zh else "normal", tone="good", confidence=0.75
    )
    parts = (
        Part(name="meaning", statements=(meaning,)),
        Part(name="action", statements=(action,)),
        Part(name="missing", statements=(doubted,)),
    )
    title = "仪表 1：压力表" if zh else "Instrument 1: pressure gauge"
    sections = [Section(number=n, kind="dial", title=title, headline=headline, parts=parts) for n in range(1, count + 1)]
    blind = Section(number=count + 1, title=text, headline=Headline(status=text or "not read", tone="unknown"))
    return make_document(
        *sections, blind, sources=number_sources(chunks, tuple(chunks)), language=language, notes=(text,) if text else ()
    )


class Page(HTMLParser):
    """What a browser would see: tags balanced, ids, links, headings, text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data if self.open and self.open[-1] != "style" else ""

    def values(self, name: str) -> list[str]:
        return [attrs[name] or "" for _, attrs in self.tags if name in attrs]

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_is_whole_and_every_link_leads_somewhere(language: Language) -> None:
    page = Page(render_html(report(language, count=3), picture()))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in page.values("href")} <= set(ids)
    assert {"#s1", "#s2", "#i1"} <= set(page.values("href"))
    assert set(page.values("aria-labelledby")) <= set(ids)
    assert page.named("html")[0]["lang"] == ("zh-Hans" if language == "zh" else "en")
    headings = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert headings[0] == 1
    assert headings.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(headings))


def test_the_page_loads_nothing_and_runs_nothing() -> None:
    html = render_html(report(), picture())
    page = Page(html)
    policy = next(attrs["content"] or "" for attrs in page.named("meta") if attrs.get("http-equiv") == "Content-Security-Policy")
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style.group(1).encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert not page.named("script")
    assert not page.named("link")
    assert page.values("style") == []
    assert all(source.startswith("data:image/jpeg;base64,") for source in page.values("src"))
    assert not re.search(r"url\(|@import|https?:", html)


def test_the_picture_is_inside_and_described() -> None:
    (image,) = Page(render_html(report(), picture())).named("img")
    assert base64.b64decode((image["src"] or "").split(",")[1]) == picture().jpeg
    assert "42.88 MPa" in (image["alt"] or "")
    assert (image["width"], image["height"]) == ("120", "90")
    assert not Page(render_html(report())).named("img")


def test_everything_of_the_document_is_on_the_page() -> None:
    document = report()
    text = " ".join(Page(render_html(document)).text.split())
    for statement in document.statements:
        assert statement.text in text
    for source in document.sources:
        assert source.place in text
    for words in (
        "42.88 MPa",
        "from 42.08 to 43.68 MPa",
        "75 % sure",
        "What it means",
        "What to do",
        "Press the button.",
        "above 100 MPa",
    ):
        assert words in text
    assert "It hums. (not supported by the cited evidence)" in text
    assert "[photo 1, earlier readings 1, 1]" in text
    assert document.about.request_id in text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    html = render_html(report(text=text), picture())
    page = Page(html)
    assert not page.named("script")
    assert len(page.named("img")) == 1
    assert len(page.named("style")) == 1
    assert all(link.startswith("#") for link in page.values("href"))
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    assert not re.search(r"[\x00\x1b\u202e]", html)
    html.encode("utf-8")


@given(st.text(max_size=120))
@settings(max_examples=60, deadline=None)
def test_any_text_gives_a_whole_page(text: str) -> None:
    page = Page(render_html(report(text=text)))
    assert not page.named("script")
    assert {tag for tag, _ in page.tags} <= ALLOWED


ALLOWED = frozenset(tag for tag, _ in Page(render_html(report(count=3), picture())).tags) | {"code"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_same_document_gives_the_same_bytes(language: Language) -> None:
    assert render_html(report(language), picture()) == render_html(report(language), picture())
    assert render_pdf(report(language), picture()) == render_pdf(report(language), picture())


def pdf_text(data: bytes) -> str:
    pages = pypdfium2.PdfDocument(data)
    try:
        return " ".join("".join(pages[n].get_textpage().get_text_range() for n in range(len(pages))).split())
    finally:
        pages.close()


def test_everything_of_the_document_is_in_the_pdf() -> None:
    document = report()
    text = pdf_text(render_pdf(document, picture()))
    for words in (
        *(one.text for one in document.statements),
        "42.88 MPa",
        "from 42.08 to 43.68 MPa",
        "75 % sure",
        "What to do",
        "T-1 Manual, §1 Section, p. 12 (v1, 2024-01-01)",
        "above 100 MPa",
        "Press the button.",
        "not supported by the cited evidence",
        document.about.request_id,
    ):
        assert words in text, words


def test_chinese_is_in_the_pdf_as_text_and_its_font_inside() -> None:
    data = render_pdf(report("zh", "该数值处于正常范围。"), picture())
    text = pdf_text(data).replace(" ", "")
    assert "该数值处于正常范围。" in text
    assert "应采取的措施" in text
    assert data.count(b"/FontFile2") >= 3
    assert b"STSong" not in data


def test_a_pdf_has_its_own_characters_whatever_was_made_before_it() -> None:
    for text in ("阀门", "泵房", "该数值处于正常范围", "锅炉"):
        assert text in pdf_text(render_pdf(report("zh", text))).replace(" ", "")


def test_pdfs_made_at_once_do_not_mix() -> None:
    texts = ["阀门开启", "泵房停机", "锅炉压力", "冷却水位"]
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda text: render_pdf(report("zh", text)), texts))
    assert made == [render_pdf(report("zh", text)) for text in texts]


def test_the_pdf_names_itself_and_its_citations_are_links() -> None:
    document = pypdfium2.PdfDocument(render_pdf(report()))
    assert document.get_metadata_value("Title") == "Instrument report: a.jpg"
    outline = [item.get_title() for item in document.get_toc()]
    assert outline[0] == "Instrument 1: pressure gauge"
    assert outline[-1] == "Evidence"
    document.close()
    assert render_pdf(report()).count(b"/Subtype /Link") >= 2


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_only_printed(text: str) -> None:
    data = render_pdf(report(text=text), picture())
    assert data.startswith(b"%PDF-")
    assert b"/JavaScript" not in data
    assert b"/URI" not in data
    assert "42.88 MPa" in pdf_text(data)


@given(st.text(max_size=80))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_gives_a_pdf(text: str) -> None:
    assert "42.88 MPa" in pdf_text(render_pdf(report(text=text)))


def test_forty_instruments_fit_on_pages() -> None:
    pages = pypdfium2.PdfDocument(render_pdf(report(count=40), picture()))
    assert len(pages) > 5
    pages.close()


def test_a_font_that_is_missing_names_its_package() -> None:
    with pytest.raises(RenderError, match="pip install some-font==1"):
        FontFile("no_such_package", "x.ttf", "some-font==1").find()
    with pytest.raises(RenderError, match=r"nothing\.ttf"):
        FontFile("matplotlib", "nothing.ttf", "matplotlib").find()


def test_a_cut_font_holds_its_characters_and_no_others() -> None:
    from fontTools.ttLib import TTFont

    font = TTFont(cut_font(CHINESE, "压力表a\U0001f600", "Cut"))
    assert {chr(code) for code in font.getBestCmap()} == set("压力表a")
    assert font["name"].getDebugName(6) == "Cut"
    assert ord("压") in covered(CHINESE)


def test_simplified_forms_are_taken() -> None:
    from fontTools.ttLib import TTFont

    def shape(character: str) -> Any:
        font = TTFont(cut_font(CHINESE, character, "Cut"))
        return font["glyf"][font.getBestCmap()[ord(character)]].coordinates

    from rag.render import fonts

    simplified = shape("骨")
    fonts._simplified_forms.cache_clear()
    original = fonts._simplified_forms
    try:
        fonts._simplified_forms = lambda font: {}  # type: ignore[assignment]
        assert shape("骨") != simplified
    finally:
        fonts._simplified_forms = original
