"""The four panels of a walkthrough: input, what was found, what was sent, what was said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from eval.walkthrough.marks import Highlighter, Mark
from eval.walkthrough.view import Asked, Found, Said, Walkthrough
from rag.render.page import block_html, line_html
from rag.render.picture import Picture
from vision.fields import InstrumentReading, dump_fields

_SIGNS = {"supported": "●", "unsupported": "▲", "not_scorable": "○"}
_WORDS = {"supported": "supported", "unsupported": "not supported", "not_scorable": "not scorable"}


def photo_panel(walk: Walkthrough, picture: Picture | None) -> list[str]:
    """The photo with what was read on it, and each instrument's fields with their confidences."""
    lines = ['<section id="input" aria-labelledby="h-input"><h2 id="h-input">1. Photo and fields</h2>']
    if picture is not None:
        size = f'width="{picture.width}" height="{picture.height}"'
        lines.append(f'<figure><img src="{picture.data_uri}" {size} alt="the photo with what was read drawn on it"></figure>')
    else:
        lines.append('<p class="missing">The photo is not at hand, or is no longer the one that was read.</p>')
    if walk.photo.reason:
        lines.append(f"<p>{line_html(walk.photo.status)}: {line_html(walk.photo.reason)}</p>")
    for number, instrument in enumerate(walk.instruments or walk.photo.instruments, 1):
        lines += _instrument(number, instrument)
    return [*lines, "</section>"]


def _instrument(number: int, reading: InstrumentReading) -> list[str]:
    model = f", {reading.instrument_model} ({reading.model_source})" if reading.instrument_model else ", model unknown"
    lines = [f"<h3>{line_html(f'{number}. {reading.kind}{model}: {reading.status}')}</h3>"]
    if reading.reason:
        lines.append(f"<p>{line_html(reading.reason)}</p>")
    rows = [("value", _value(reading), reading.value_confidence if reading.value is not None else None)]
    for name, value in dump_fields(reading.fields).items():
        sure = reading.confidence.get(name)
        if sure is not None or value not in (None, []):
            rows.append((name, _field(value), sure))
    cells = "".join(f"<tr><td>{line_html(name)}</td><td>{line_html(text)}</td>{_meter(sure)}</tr>" for name, text, sure in rows)
    head = '<tr><th scope="col">field</th><th scope="col">read</th><th scope="col">confidence</th></tr>'
    return [*lines, f'<div class="wide"><table><thead>{head}</thead><tbody>{cells}</tbody></table></div>']


def _field(value: Any) -> str:
    """A field for people. Without a value the confidence beside it may be that there is none, or that of a doubted one."""
    if value is None or value == []:
        return "none given"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _value(reading: InstrumentReading) -> str:
    if reading.value is None:
        return "none"
    low, high = reading.value_low, reading.value_high
    interval = f" [{low:.6g}, {high:.6g}]" if low is not None and high is not None else ""
    return f"{reading.value:.6g}{interval} {reading.unit or 'without unit'}, from {reading.value_source or 'fields'}"


def _meter(sure: float | None) -> str:
    if sure is None:
        return "<td>–</td>"
    return f'<td><meter min="0" max="1" value="{sure:.4f}"></meter> {sure:.2f}</td>'


def question_panel(walk: Walkthrough) -> list[str]:
    """Every question with its best documents, and terms that can be followed between both."""
    lines = ['<section id="found" aria-labelledby="h-found"><h2 id="h-found">2. Questions and documents found</h2>']
    if not walk.asked:
        lines.append('<p class="missing">Nothing was asked: no model with a manual was known.</p>')
    for number, asked in enumerate(walk.asked, 1):
        lines += _asked(number, asked)
    return [*lines, "</section>"]


def _asked(number: int, asked: Asked) -> list[str]:
    highlighter = Highlighter(asked.query.text)
    key = f"q{number}"
    shown = [_found(key, rank, found, highlighter) for rank, found in enumerate(asked.found, 1)]
    notes = [f"<li>{term.number}: {line_html(f'“{term.text}” {term.note}')}</li>" for term in highlighter.terms if term.note]
    lines = [
        f'<article class="query" id="{key}"><h3>{line_html(f"{asked.query.name}, instrument {asked.query.instrument}")}</h3>',
        f'<p class="question">{_question(key, highlighter)}</p>',
    ]
    lines += ['<ul class="synonyms">', *notes, "</ul>"] if notes else []
    lines += ["<ol>", *shown, "</ol>"] if shown else ['<p class="missing">Nothing was found.</p>']
    lines += [f"<p>{asked.more} more found, not shown.</p>"] if asked.more else []
    return [*lines, "</article>"]


def _question(key: str, highlighter: Highlighter) -> str:
    """The question with a mark for each term; a mark leads to the first place where a document says it."""
    parts, last = [], 0
    for term in highlighter.terms:
        parts.append(block_html(highlighter.question[last : term.start]))
        text = f"{block_html(term.text)}<sup>{term.number}</sup>"
        link = f'<a href="#{key}t{term.number}">{text}</a>' if term.found else text
        kind = "term" if term.found else "term lost"
        parts.append(f'<mark class="{kind}" id="{key}a{term.number}" data-term="{key}t{term.number}">{link}</mark>')
        last = term.end
    return "".join([*parts, block_html(highlighter.question[last:])])


def _found(key: str, rank: int, found: Found, highlighter: Highlighter) -> str:
    routes = ", ".join(_route(route.name, route.score, route.rank) for route in found.routes) or "looked up by the fact table"
    linked = f", led here by {found.linked_from}" if found.linked_from else ""
    sent = f"sent as {found.role}" if found.role else "not sent"
    head = f"score {found.score:.3f}; {routes}{linked}; {sent}"
    if found.passage is None:
        body = '<p class="missing">This version of the manuals is gone; only the id of the passage was stored.</p>'
        return f"<li><p><code>{line_html(found.chunk)}</code> {line_html(head)}</p>{body}</li>"
    where = _marked(key, found.passage.place, highlighter.mark(found.passage.place), highlighter)
    place = f"<cite>{where}</cite> <code>{line_html(found.chunk)}</code>"
    text = _marked(key, found.passage.text, highlighter.mark(found.passage.text), highlighter)
    return f'<li><p class="place">{place}</p><p>{line_html(head)}</p><pre>{text}</pre></li>'


def _route(name: str, score: float | None, rank: int | None) -> str:
    shown = f" {score:.3f}" if score is not None else ""
    return f"{name}{shown}{f' (rank {rank})' if rank is not None else ''}"


def _marked(key: str, text: str, marks: Sequence[Mark], highlighter: Highlighter) -> str:
    """A text with its marks, each leading back to the question. The first of a term is where the question's mark leads."""
    parts, last = [], 0
    for mark in marks:
        parts.append(block_html(text[last : mark.start]))
        title = f' title="{line_html(mark.note)}"' if mark.note else ""
        anchor = highlighter.anchor(mark.term)
        place = f' id="{key}t{mark.term}"' if anchor else ""
        link = f'<a href="#{key}a{mark.term}">{block_html(text[mark.start : mark.end])}<sup>{mark.term}</sup></a>'
        kind = "term other" if mark.note else "term"
        parts.append(f'<mark class="{kind}"{place} data-term="{key}t{mark.term}"{title}>{link}</mark>')
        last = mark.end
    return "".join([*parts, block_html(text[last:])])


def context_panel(walk: Walkthrough) -> list[str]:
    """What went before the writer: the prompts as sent, or that there were none, and the pieces with their roles."""
    lines = ['<section id="sent" aria-labelledby="h-sent"><h2 id="h-sent">3. Context as sent</h2>']
    if not walk.prompts:
        lines.append(f'<p class="missing">The writer {line_html(walk.watermark["language model"])} was sent no prompt.</p>')
    for number, prompt in enumerate(walk.prompts, 1):
        lines.append(
            f"<details><summary>Prompt {number}, {len(prompt)} characters</summary><pre>{block_html(prompt)}</pre></details>"
        )
    if walk.sent:
        lines.append("<h3>Pieces of evidence, in their places</h3><ol>")
        for piece in walk.sent:
            head = (
                f"{piece.role}, score {piece.score:.3f}, {piece.tokens} tokens, for {piece.query}, instrument {piece.instrument}"
            )
            lines.append(
                f"<li><p><code>{line_html(piece.chunk)}</code> {line_html(head)}</p><pre>{block_html(piece.text)}</pre></li>"
            )
        lines.append("</ol>")
    return [*lines, "</section>"]


def output_panel(walk: Walkthrough) -> list[str]:
    """The report sentence by sentence with its verdicts, then what the writer wrote and the check refused."""
    lines = ['<section id="said" aria-labelledby="h-said"><h2 id="h-said">4. Report</h2>']
    if not walk.said:
        lines.append('<p class="missing">There is no report.</p>')
    else:
        counts = ", ".join(f"{_WORDS[state]} {sum(one.state == state for one in walk.said)}" for state in _WORDS)
        lines += [f"<p>{len(walk.said)} sentences: {counts}</p>", "<ol>", *(_said(one) for one in walk.said), "</ol>"]
    lines += _refused(walk)
    if walk.notes:
        lines += ["<h3>Notes</h3><ul>", *(f"<li>{line_html(note)}</li>" for note in walk.notes), "</ul>"]
    return [*lines, "</section>"]


def _said(one: Said) -> str:
    sign = f'<span aria-hidden="true">{_SIGNS[one.state]}</span> {_WORDS[one.state]}'
    cited = ", ".join(one.statement.citations) or "cites nothing"
    doubt = "" if one.statement.supported else "<li>the report's own check refused it</li>"
    reasons = "".join(_verdict(verdict.score.state, verdict.claim.text, verdict.score.reason) for verdict in one.verdicts)
    details = f"<ul>{doubt}{reasons}</ul>" if doubt or reasons else ""
    text = f'<mark class="said {one.state}">{line_html(one.statement.text)}</mark>'
    return f'<li>{text} <span class="pill {_tone(one.state)}">{sign}</span> <code>{line_html(cited)}</code>{details}</li>'


def _verdict(state: str, claim: str, reason: str) -> str:
    return f"<li>{_SIGNS[state]} {line_html(claim)}: {line_html(reason)}</li>"


def _tone(state: str) -> str:
    return {"supported": "good", "unsupported": "danger"}.get(state, "unknown")


def _refused(walk: Walkthrough) -> Iterable[str]:
    if not walk.replaced:
        return []
    items = [
        f"<li><del>{line_html(one.written or 'nothing')}</del> {line_html('; '.join(one.problems))}<br>"
        f"<ins>{line_html(one.kept)}</ins></li>"
        for one in walk.replaced
    ]
    return ["<h3>Written, refused and replaced</h3><ul>", *items, "</ul>"]
