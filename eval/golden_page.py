"""The debug page of an anchor: what was asked, all passages with the fragment marked, each sentence checked, the source.

One static HTML file, or the same as JSON. Nothing in it is trusted: every text is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Literal

from eval.golden_run import Checked, Sentence, sentence_support
from eval.retrieval import Passage
from eval.score import EvalError, Score
from knowledge.articles import Chunk
from rag.render.page import page_head
from vision.fields import Contract

Marked = tuple[int, int, Literal["fragment", "expected"]]


class PassageView(Contract):
    """A passage with the places of the wanted fragment and of the expected words, without overlap, in order."""

    passage: Passage
    marks: tuple[Marked, ...]


class SentenceView(Contract):
    """A sentence of the answer: whether it says what is expected, whom it cites, and whether its claims are borne out."""

    text: str
    says_it: bool
    documents: tuple[str, ...]
    support: Score


class DebugPage(Contract):
    """All that is needed to see in seconds which link of an anchor failed."""

    id: str
    module: str
    question: str
    model: str | None
    fields: dict[str, object]
    queries: tuple[str, ...]
    status: str
    score: Score
    fragment: str
    expect: str
    document: str
    section: str
    passages: tuple[PassageView, ...]
    sentences: tuple[SentenceView, ...]
    source: tuple[PassageView, ...]
    knowledge_version: str


def debug_page(checked: Checked, source: Sequence[Chunk], knowledge_version: str) -> DebugPage:
    """The page of an anchor. `source` are the chunks of the authority's section, whether they were found or not."""
    anchor, answer = checked.anchor, checked.answer

    def view(passage: Passage) -> PassageView:
        return PassageView(passage=passage, marks=find_marks(passage.text, anchor.fragment, anchor.expect))

    def sentence(one: Sentence) -> SentenceView:
        said = anchor.answered_by(one.text)
        return SentenceView(text=one.text, says_it=said, documents=one.documents, support=sentence_support(one))

    return DebugPage(
        id=anchor.id,
        module=anchor.module,
        question=anchor.question,
        model=anchor.model,
        fields=anchor.fields.model_dump(mode="json", exclude_defaults=True) if anchor.fields else {},
        queries=answer.queries if answer else (),
        status=checked.row.status,
        score=checked.row.score,
        fragment=anchor.fragment,
        expect=anchor.expect,
        document=anchor.document,
        section=anchor.section,
        passages=tuple(view(passage) for passage in answer.passages) if answer else (),
        sentences=tuple(sentence(one) for one in answer.sentences) if answer else (),
        source=tuple(view(Passage(text=chunk.verbatim, document=chunk.document, section=chunk.section)) for chunk in source),
        knowledge_version=knowledge_version,
    )


def find_marks(text: str, fragment: str, expect: str) -> tuple[Marked, ...]:
    """Places of both patterns in a text; of two that overlap the one that begins first is kept."""
    places: list[Marked] = [(*match.span(), "fragment") for match in re.finditer(fragment, text)]
    places += [(*match.span(), "expected") for match in re.finditer(expect, text)]
    kept: list[Marked] = []
    for place in sorted(places, key=lambda one: (one[0], -one[1])):
        if place[1] > place[0] and (not kept or place[0] >= kept[-1][1]):
            kept.append(place)
    return tuple(kept)


def write_page(page: DebugPage, folder: Path) -> str:
    """Write `debug_ID.html` and `debug_ID.json` into a folder; the name of the HTML file. Raises EvalError where it cannot."""
    name = f"debug_{page.id}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(page.model_dump_json(indent=1), encoding="utf-8")
        (folder / f"{name}.html").write_text(page_html(page), encoding="utf-8")
    except OSError as error:
        raise EvalError(f"{folder}: the debug page of {page.id} cannot be written: {error}") from error
    return f"{name}.html"


_STYLE = """
body{background:#fff;font:15px/1.5 sans-serif;max-width:62em;margin:2em auto;padding:0 1em;color:#222}
section{border-top:1px solid #ccc;margin-top:1.5em}
pre{white-space:pre-wrap;background:#f6f6f6;padding:.7em;border-radius:4px}
mark.fragment{background:#bfe8c5}mark.expected{background:#ffe59a}
.pass{color:#157a2a}.fail{color:#b3261e}.other{color:#666}small{color:#666}
"""


def page_html(page: DebugPage) -> str:
    """The page as one HTML file that needs nothing beside it."""
    tone = page.status if page.status in ("pass", "fail") else "other"
    seen = "; ".join(f"{name} = {value}" for name, value in page.fields.items())
    asked = "".join(f"<li>{escape(query)}</li>" for query in page.queries) or "<li>nothing was asked</li>"
    body = [
        f"<h1>{escape(page.id)} <span class='{tone}'>{escape(page.status)}</span></h1>",
        f"<p>{escape(page.question)}</p><p>{escape(page.score.reason)}</p>",
        f"<p><small>module {escape(page.module)}; model {escape(page.model or 'none')}; {escape(seen or 'no instrument')}; "
        f"knowledge {escape(page.knowledge_version)}</small></p>",
        f"<section><h2>Wanted</h2><p><mark class='fragment'>{escape(page.fragment)}</mark> in {escape(page.document)} "
        f"§{escape(page.section)}; the answer says <mark class='expected'>{escape(page.expect)}</mark></p></section>",
        f"<section><h2>Queries as asked</h2><ol>{asked}</ol></section>",
        _passages("Passages", page.passages),
        f"<section><h2>Answer, sentence by sentence</h2>{''.join(map(_sentence, page.sentences)) or '<p>none</p>'}</section>",
        _passages("Source document", page.source),
    ]
    return "\n".join((*page_head(page.id, "en", _STYLE), *body, "</body>", "</html>", ""))


def _passages(title: str, views: Sequence[PassageView]) -> str:
    shown = "".join(
        f"<p>{number}. {escape(view.passage.document or 'unknown document')} §{escape(view.passage.section or '-')}</p>"
        f"<pre>{_marked(view)}</pre>"
        for number, view in enumerate(views, 1)
    )
    return f"<section><h2>{title}</h2>{shown or '<p>none</p>'}</section>"


def _marked(view: PassageView) -> str:
    text, parts, last = view.passage.text, [], 0
    for start, end, kind in view.marks:
        parts += [escape(text[last:start]), f"<mark class='{kind}'>{escape(text[start:end])}</mark>"]
        last = end
    return "".join((*parts, escape(text[last:])))


def _sentence(view: SentenceView) -> str:
    tone = {"supported": "pass", "unsupported": "fail", "not_scorable": "other"}[view.support.state]
    state = view.support.state.replace("_", " ")
    said = "<mark class='expected'>answers</mark> " if view.says_it else ""
    cited = ", ".join(dict.fromkeys(view.documents)) or "cites no document"
    return (
        f"<p>{said}{escape(view.text)}<br><small><span class='{tone}'>{state}</span>: {escape(view.support.reason)}; "
        f"{escape(cited)}</small></p>"
    )
