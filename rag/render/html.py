"""The report as one HTML file that needs nothing else: style inside, picture inside, no script, nothing loaded.

All text is escaped; the content security policy allows this very style and inline pictures, and nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from rag.layout import label
from rag.render.page import line_html, page_head, report_style
from rag.render.passage import Block, Items, Paragraph, parse_passage
from rag.render.picture import Picture
from rag.render.view import footer_lines, marks_of, overview, picture_text
from rag.report import Document, Headline, Part, Section, Source, Statement, Tone
from rag.templates import sentence

SIGNS: dict[Tone, str] = {"danger": "▲", "attention": "◆", "good": "●", "unknown": "○", "neutral": "●"}
"""A shape for each tone, so that no state is told by its colour alone."""


def render_html(document: Document, picture: Picture | None = None) -> str:
    """The document as a self-contained HTML page; the same document and picture give the same bytes."""
    language = document.language
    title = sentence("heading_report", language)
    body = [
        f'<header><h1>{line_html(title)}</h1><p class="file">{line_html(document.about.photo)}</p></header>',
        "<main>",
        *_picture(document, picture),
        *_overview(document),
        *(line for section in document.sections for line in _section(section, document)),
        *_evidence(document),
        *_notes(document),
        "</main>",
        *_footer(document),
    ]
    head = page_head(f"{title}: {document.about.photo}", language, report_style())
    return "\n".join([*head, *body, "</body>", "</html>", ""])


def _picture(document: Document, picture: Picture | None) -> list[str]:
    if picture is None:
        return []
    size = f'width="{picture.width}" height="{picture.height}"'
    return [
        f'<figure><img src="{picture.data_uri}" {size} alt="{line_html(picture_text(document))}">',
        f"<figcaption>{line_html(label('picture_legend', document.language))}</figcaption></figure>",
    ]


def _overview(document: Document) -> list[str]:
    sections = overview(document)
    if not sections:
        return []
    language = document.language
    heads = "".join(f'<th scope="col">{line_html(label(name, language))}</th>' for name in ("instrument", "shows", "status"))
    lines = [
        f'<section aria-labelledby="overview"><h2 id="overview">{line_html(label("overview", language))}</h2>',
        f'<div class="wide"><table class="overview"><thead><tr>{heads}</tr></thead><tbody>',
    ]
    for section in sections:
        if section.headline is not None:
            link = f'<a href="#i{section.number}">{line_html(section.title or "")}</a>'
            value = f"<td>{_value(section.headline)}</td><td>{_pill(section.headline)}</td>"
            lines.append(f'<tr><th scope="row">{link}</th>{value}</tr>')
    return [*lines, "</tbody></table></div></section>"]


def _value(headline: Headline) -> str:
    if headline.value is None:
        return "–"
    interval = f' <span class="interval">{line_html(headline.interval)}</span>' if headline.interval is not None else ""
    return f"<strong>{line_html(headline.value)}</strong>{interval}"


def _pill(headline: Headline) -> str:
    sign = f'<span aria-hidden="true">{SIGNS[headline.tone]}</span>'
    return f'<span class="pill {headline.tone}">{sign} {line_html(headline.status)}</span>'


def _section(section: Section, document: Document) -> list[str]:
    if section.title is None:
        return [line for part in section.parts for line in _part(part, "photo", document, headed=False)]
    key = f"i{section.number}"
    lines = [f'<section class="instrument" aria-labelledby="{key}">', f'<h2 id="{key}">{line_html(section.title)}</h2>']
    if section.headline is not None:
        lines.append(_headline(section.headline, document))
    lines += [line for part in section.parts for line in _part(part, key, document, headed=True)]
    return [*lines, "</section>"]


def _headline(headline: Headline, document: Document) -> str:
    language = document.language
    parts = [f'<span class="value">{line_html(headline.value)}</span>'] if headline.value is not None else []
    if headline.interval is not None:
        parts.append(f'<span class="interval">{line_html(label("between", language, interval=headline.interval))}</span>')
    parts.append(_pill(headline))
    if headline.confidence is not None:
        sure = label("confidence", language, percent=f"{headline.confidence * 100:.0f}")
        parts.append(f'<span class="sure">{line_html(sure)}</span>')
    return f'<p class="headline {headline.tone}">{" ".join(parts)}</p>'


def _part(part: Part, key: str, document: Document, *, headed: bool) -> list[str]:
    head = [f"<h3>{line_html(label(part.name, document.language))}</h3>"] if headed else []
    items = [
        f'<li id="{key}-{part.name}-{number}">{_statement(statement, document)}</li>'
        for number, statement in enumerate(part.statements, 1)
    ]
    return [f'<div class="part {part.name}">', *head, "<ul>", *items, "</ul></div>"]


def _statement(statement: Statement, document: Document) -> str:
    marks = [
        f'<a href="#s{mark.source}">{line_html(mark.text)}</a>' if mark.source is not None else line_html(mark.text)
        for mark in marks_of(statement, document)
    ]
    cited = f' <span class="cited">[{", ".join(marks)}]</span>' if marks else ""
    doubt = sentence("unsupported_mark", document.language)
    return (
        line_html(statement.text)
        + cited
        + ("" if statement.supported else f' <strong class="doubt">({line_html(doubt)})</strong>')
    )


def _evidence(document: Document) -> list[str]:
    if not document.sources:
        return []
    head = line_html(sentence("heading_evidence", document.language))
    lines = ['<section class="evidence" aria-labelledby="evidence">', f'<h2 id="evidence">{head}</h2>', "<ol>"]
    for source in document.sources:
        lines += [f'<li id="s{source.number}" value="{source.number}">', *_source(source), "</li>"]
    return [*lines, "</ol></section>"]


def _source(source: Source) -> Iterable[str]:
    yield f'<p class="place"><cite>{line_html(source.place)}</cite> <code>{line_html(source.chunk)}</code></p>'
    yield "<blockquote>"
    for block in parse_passage(source.text):
        yield from _block(block)
    yield "</blockquote>"


def _block(block: Block) -> Iterable[str]:
    if isinstance(block, Paragraph):
        yield f"<p>{escape(block.text)}</p>"
        return
    if isinstance(block, Items):
        tag, start = ("ul", "") if block.start is None else ("ol", f' start="{block.start}"')
        yield f"<{tag}{start}>{''.join(f'<li>{escape(text)}</li>' for text in block.texts)}</{tag}>"
        return
    rows = list(block.rows)
    yield '<div class="wide"><table>'
    if block.headed:
        cells = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in rows.pop(0))
        yield f"<thead><tr>{cells}</tr></thead>"
    yield "<tbody>"
    for row in rows:
        yield f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
    yield "</tbody></table></div>"


def _notes(document: Document) -> list[str]:
    if not document.notes:
        return []
    items = "".join(f"<li>{line_html(note)}</li>" for note in document.notes)
    head = line_html(label("notes", document.language))
    return [f'<section class="notes" aria-labelledby="notes"><h2 id="notes">{head}</h2><ul>{items}</ul></section>']


def _footer(document: Document) -> list[str]:
    lines = "".join(f"<div><dt>{line_html(name)}</dt><dd>{line_html(value)}</dd></div>" for name, value in footer_lines(document))
    return [f"<footer><p>{line_html(label('estimate', document.language))}</p><dl>{lines}</dl></footer>"]
