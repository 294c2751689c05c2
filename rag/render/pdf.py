"""The report as PDF on A4: the same parts as the HTML, fonts inside, citations that lead to their passages.

The same document and picture give the same bytes.
"""

from __future__ import annotations

import io
from typing import Any

from rag.layout import label
from rag.render.passage import Block, Items, Paragraph, parse_passage
from rag.render.picture import Picture
from rag.render.typeset import Typesetter
from rag.render.view import Mark, footer_lines, marks_of, overview
from rag.report import Document, Headline, Part, Section, Source, Statement, Tone
from rag.templates import clean_text, read_templates, sentence, sentences

TONE_COLORS: dict[Tone, tuple[str, str]] = {
    "danger": ("#a4161a", "#fdeaea"),
    "attention": ("#7a4b00", "#fff3da"),
    "good": ("#14613a", "#e5f5ec"),
    "unknown": ("#48515f", "#eceef2"),
    "neutral": ("#22507d", "#e6f0fa"),
}
"""Ink and ground of each tone, as in the HTML's light scheme."""
HEADINGS = ("heading_report", "heading_evidence", "unsupported_mark")
MARGIN_PT, FRAME_PADDING_PT, PICTURE_HEIGHT_PT = 45.0, 6.0, 235.0


def render_pdf(document: Document, picture: Picture | None = None) -> bytes:
    """The document as PDF. Raises RenderError where a font is missing."""
    text = _all_text(document)
    with Typesetter(text) as setter:
        return _Pages(document, picture, setter).build()


def _all_text(document: Document) -> str:
    """Whatever may be set: the document's own text, and the labels and headings of its language."""
    frame = (*read_templates("labels.toml").values(), *(sentences()[name] for name in HEADINGS))
    fixed = "".join(template.fixed_words(document.language) for template in frame)
    return str(document.model_dump()) + fixed + "0123456789.:%–•·"


class _Pages:
    """One document on its way to pages."""

    def __init__(self, document: Document, picture: Picture | None, setter: Typesetter) -> None:
        self.document = document
        self.picture = picture
        self.setter = setter
        self.language = document.language

    def build(self) -> bytes:
        from reportlab.lib.pagesizes import A4
        from reportlab.platypus import SimpleDocTemplate

        out = io.BytesIO()
        title = sentence("heading_report", self.language)
        pages = SimpleDocTemplate(
            out,
            pagesize=A4,
            leftMargin=MARGIN_PT,
            rightMargin=MARGIN_PT,
            topMargin=MARGIN_PT,
            bottomMargin=MARGIN_PT,
            title=f"{title}: {clean_text(self.document.about.photo)}",
            subject=title,
            author="GaugeRAG",
            creator="GaugeRAG",
            lang="zh-Hans" if self.language == "zh" else "en",
            invariant=1,
        )
        self.width = pages.width - 2 * FRAME_PADDING_PT
        flow = [self.setter.text(title, "title"), self.setter.text(self.document.about.photo, "soft"), *self._picture()]
        flow += self._overview()
        for section in self.document.sections:
            flow += self._section(section)
        flow += [*self._evidence(), *self._notes(), *self._about()]
        pages.build(flow, onFirstPage=self._foot, onLaterPages=self._foot)
        return out.getvalue()

    def _foot(self, canvas: Any, pages: Any) -> None:
        canvas.saveState()
        line = f"{label('page', self.language, number=str(canvas.getPageNumber()))}   ·   {self.document.about.request_id}"
        paragraph = self.setter.text(line, "foot")
        paragraph.wrap(pages.width, 20)
        paragraph.drawOn(canvas, MARGIN_PT + FRAME_PADDING_PT, MARGIN_PT / 2)
        canvas.restoreState()

    def _picture(self) -> list[Any]:
        from reportlab.platypus import Image, Spacer

        if self.picture is None:
            return []
        scale = min(self.width / self.picture.width, PICTURE_HEIGHT_PT / self.picture.height)
        shown = Image(io.BytesIO(self.picture.jpeg), self.picture.width * scale, self.picture.height * scale)
        return [Spacer(0, 6), shown, self.setter.text(label("picture_legend", self.language), "caption")]

    def _overview(self) -> list[Any]:
        sections = overview(self.document)
        if not sections:
            return []
        set_text = self.setter.text
        rows = [[set_text(label(name, self.language), "cell_head") for name in ("instrument", "shows", "status")]]
        for section in sections:
            if section.headline is not None:
                interval = f" ({section.headline.interval})" if section.headline.interval else ""
                value = f"{section.headline.value}{interval}" if section.headline.value else "–"
                cells = (section.title or "", value, section.headline.status)
                rows.append([set_text(cell, "cell") for cell in cells])
        return [set_text(label("overview", self.language), "heading"), self.setter.table(rows, self.width)]

    def _section(self, section: Section) -> list[Any]:
        from reportlab.platypus import CondPageBreak

        if section.title is None:
            return [item for part in section.parts for item in self._part(part, headed=False)]
        flow: list[Any] = [CondPageBreak(110), self.setter.text(section.title, "heading", bookmark=True)]
        if section.headline is not None:
            flow.append(self._headline(section.headline))
        return flow + [item for part in section.parts for item in self._part(part, headed=True)]

    def _headline(self, headline: Headline) -> Any:
        ink, ground = TONE_COLORS[headline.tone]
        set_text = self.setter.text
        status = set_text(headline.status, "status", color=ink)
        if headline.value is None:
            return self.setter.band([[status]], (self.width,), ground, ink)
        below = [label("between", self.language, interval=headline.interval)] if headline.interval else []
        if headline.confidence is not None:
            below.append(label("confidence", self.language, percent=f"{headline.confidence * 100:.0f}"))
        value = [set_text(headline.value, "value")] + ([set_text("  ·  ".join(below), "soft")] if below else [])
        return self.setter.band([[value, status]], (self.width * 0.58, self.width * 0.42), ground, ink)

    def _part(self, part: Part, *, headed: bool) -> list[Any]:
        head = [self.setter.text(label(part.name, self.language), "part")] if headed else []
        return head + [self._statement(statement) for statement in part.statements]

    def _statement(self, statement: Statement) -> Any:
        markup = self.setter.markup(clean_text(statement.text, 2000))
        marks = [
            f'<a href="#s{mark.source}" color="#0b5cad">{mark.text}</a>'
            if mark.source is not None
            else self.setter.markup(mark.text)
            for mark in marks_of(statement, self.document)
        ]
        cited = f' <font size="8" color="#566072">[{", ".join(marks)}]</font>' if marks else ""
        doubt = self.setter.markup(f" ({sentence('unsupported_mark', self.language)})", bold=True)
        return self.setter.item(markup + cited + ("" if statement.supported else doubt))

    def _mark(self, mark: Mark) -> str:
        text = self.setter.markup(clean_text(mark.text))
        return text if mark.source is None else f'<a href="#s{mark.source}" color="#0b5cad">{text}</a>'

    def _evidence(self) -> list[Any]:
        if not self.document.sources:
            return []
        flow = [self.setter.text(sentence("heading_evidence", self.language), "heading", bookmark=True)]
        for source in self.document.sources:
            flow += self._source(source)
        return flow

    def _source(self, source: Source) -> list[Any]:
        place = self.setter.markup(f"{source.number}.  {clean_text(source.place)}", bold=True)
        chunk = f'  <font size="7" color="#566072">{self.setter.markup(clean_text(source.chunk))}</font>'
        head = self.setter.marked(f'<a name="s{source.number}"/>{place}{chunk}', "place")
        return [head, *(flowable for block in parse_passage(source.text) for flowable in self._block(block))]

    def _block(self, block: Block) -> list[Any]:
        if isinstance(block, Paragraph):
            return [self.setter.text(block.text, "quote")]
        if isinstance(block, Items):
            marks = ["•" if block.start is None else f"{block.start + n}." for n in range(len(block.texts))]
            return [self.setter.text(f"{mark}  {text}", "quote") for mark, text in zip(marks, block.texts, strict=True)]
        rows = [
            [self.setter.text(cell, "cell_head" if block.headed and not n else "cell") for cell in row]
            for n, row in enumerate(block.rows)
        ]
        return [self.setter.table(rows, self.width, indent=True)]

    def _notes(self) -> list[Any]:
        if not self.document.notes:
            return []
        notes = [self.setter.item(self.setter.markup(clean_text(note, 2000))) for note in self.document.notes]
        return [self.setter.text(label("notes", self.language), "heading"), *notes]

    def _about(self) -> list[Any]:
        from reportlab.platypus import Spacer

        lines = [self.setter.text(f"{name}: {clean_text(value)}", "soft") for name, value in footer_lines(self.document)]
        return [Spacer(0, 14), self.setter.text(label("estimate", self.language), "soft"), Spacer(0, 4), *lines]
