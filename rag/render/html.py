"""The report as one HTML file that needs nothing else: style inside, picture inside, no script, nothing loaded.

All text is escaped; the content security policy allows this very style and inline pictures, and nothing more.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import lru_cache
from html import escape
from importlib import resources

from rag.layout import label
from rag.render.passage import Block, Items, Paragraph, parse_passage
from rag.render.picture import Picture
from rag.render.view import footer_lines, marks_of, overview, picture_text
from rag.report import Document, Headline, Part, Section, Source, Statement, Tone
from rag.templates import clean_text, sentence

SIGNS: dict[Tone, str] = {"danger": "▲", "attention": "◆", "good": "●", "unknown": "○", "neutral": "●"}
"""A shape for each tone, so that no state is told by its colour alone."""


def render_html(document: Document, picture: Picture | None = None) -> str:
    """The document as a self-contained HTML page; the same document and picture give the same bytes."""
    language = document.language
    title = sentence("heading_report", language)
    body = [
        f'<header><h1>{_text(title)}</h1><p class="file">{_text(document.about.photo)}</p></header>',
        "<main>",
        *_picture(document, picture),
        *_overview(document),
        *(line for section in document.sections for line in _section(section, document)),
        *_evidence(document),
        *_notes(document),
        "</main>",
        *_footer(document),
    ]
    return "\n".join([*_head(document, title), *body, "</body>", "</html>", ""])


def _text(text: str) -> str:
    return escape(clean_text(text, 4000), quote=True)


@lru_cache(maxsize=1)
def _style() -> str:
    return (resources.files("rag") / "render" / "report.css").read_text(encoding="utf-8").strip()


def _head(document: Document, title: str) -> list[str]:
    digest = base64.b64encode(hashlib.sha256(_style().encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return [
        "<!doctype html>",
        f'<html lang="{"zh-Hans" if document.language == "zh" else "en"}">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{_text(title)}: {_text(document.about.photo)}</title>",
        f"<style>{_style()}</style>",
        "</head>",
        "<body>",
    ]


def _picture(document: Document, picture: Picture | None) -> list[str]:
    if picture is None:
        return []
    size = f'width="{picture.width}" height="{picture.height}"'
    return [
        f'<figure><img src="{picture.data_uri}" {size} alt="{_text(picture_text(document))}">',
        f"<figcaption>{_text(label('picture_legend', document.language))}</figcaption></figure>",
    ]


def _overview(document: Document) -> list[str]:
    sections = overview(document)
    if not sections:
        return []
    language = document.language
    heads = "".join(f'<th scope="col">{_text(label(name, language))}</th>' for name in ("instrument", "shows", "status"))
    lines = [
        f'<section aria-labelledby="overview"><h2 id="overview">{_text(label("overview", language))}</h2>',
        f'<div class="wide"><table class="overview"><thead><tr>{heads}</tr></thead><tbody>',
    ]
    for section in sections:
        if section.headline is not None:
            link = f'<a href="#i{section.number}">{_text(section.title or "")}</a>'
            value = f"<td>{_value(section.headline)}</td><td>{_pill(section.headline)}</td>"
            lines.append(f'<tr><th scope="row">{link}</th>{value}</tr>')
    return [*lines, "</tbody></table></div></section>"]


def _value(headline: Headline) -> str:
    if headline.value is None:
        return "–"
    interval = f' <span class="interval">{_text(headline.interval)}</span>' if headline.interval is not None else ""
    return f"<strong>{_text(headline.value)}</strong>{interval}"


def _pill(headline: Headline) -> str:
    sign = f'<span aria-hidden="true">{SIGNS[headline.tone]}</span>'
    return f'<span class="pill {headline.tone}">{sign} {_text(headline.status)}</span>'


def _section(section: Section, document: Document) -> list[str]:
    if section.title is None:
        return [line for part in section.parts for line in _part(part, "photo", document, headed=False)]
    key = f"i{section.number}"
    lines = [f'<section class="instrument" aria-labelledby="{key}">', f'<h2 id="{key}">{_text(section.title)}</h2>']
    if section.headline is not None:
        lines.append(_headline(section.headline, document))
    lines += [line for part in section.parts for line in _part(part, key, document, headed=True)]
    return [*lines, "</section>"]


def _headline(headline: Headline, document: Document) -> str:
    language = document.language
    parts = [f'<span class="value">{_text(headline.value)}</span>'] if headline.value is not None else []
    if headline.interval is not None:
        parts.append(f'<span class="interval">{_text(label("between", language, interval=headline.interval))}</span>')
    parts.append(_pill(headline))
    if headline.confidence is not None:
        sure = label("confidence", language, percent=f"{headline.confidence * 100:.0f}")
        parts.append(f'<span class="sure">{_text(sure)}</span>')
    return f'<p class="headline {headline.tone}">{" ".join(parts)}</p>'


def _part(part: Part, key: str, document: Document, *, headed: bool) -> list[str]:
    head = [f"<h3>{_text(label(part.name, document.language))}</h3>"] if headed else []
    items = [
        f'<li id="{key}-{part.name}-{number}">{_statement(statement, document)}</li>'
        for number, statement in enumerate(part.statements, 1)
    ]
    return [f'<div class="part {part.name}">', *head, "<ul>", *items, "</ul></div>"]


def _statement(statement: Statement, document: Document) -> str:
    marks = [
        f'<a href="#s{mark.source}">{_text(mark.text)}</a>' if mark.source is not None else _text(mark.text)
        for mark in marks_of(statement, document)
    ]
    cited = f' <span class="cited">[{", ".join(marks)}]</span>' if marks else ""
    doubt = sentence("unsupported_mark", document.language)
    return _text(statement.text) + cited + ("" if statement.supported else f' <strong class="doubt">({_text(doubt)})</strong>')


def _evidence(document: Document) -> list[str]:
    if not document.sources:
        return []
    head = _text(sentence("heading_evidence", document.language))
    lines = ['<section class="evidence" aria-labelledby="evidence">', f'<h2 id="evidence">{head}</h2>', "<ol>"]
    for source in document.sources:
        lines += [f'<li id="s{source.number}" value="{source.number}">', *_source(source), "</li>"]
    return [*lines, "</ol></section>"]


def _source(source: Source) -> Iterable[str]:
    yield f'<p class="place"><cite>{_text(source.place)}</cite> <code>{_text(source.chunk)}</code></p>'
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
    items = "".join(f"<li>{_text(note)}</li>" for note in document.notes)
    head = _text(label("notes", document.language))
    return [f'<section class="notes" aria-labelledby="notes"><h2 id="notes">{head}</h2><ul>{items}</ul></section>']


def _footer(document: Document) -> list[str]:
    lines = "".join(f"<div><dt>{_text(name)}</dt><dd>{_text(value)}</dd></div>" for name, value in footer_lines(document))
    return [f"<footer><p>{_text(label('estimate', document.language))}</p><dl>{lines}</dl></footer>"]
