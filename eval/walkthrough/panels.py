"""The four panels of a walkthrough: input, what was found, what was sent, what was said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from eval.walkthrough.labels import Labels
from eval.walkthrough.marks import Highlighter, Mark
from eval.walkthrough.view import Asked, Found, Said, Walkthrough
from rag.render.page import block_html, line_html
from rag.render.picture import Picture
from vision.fields import InstrumentReading, dump_fields

_SIGNS = {"supported": "●", "unsupported": "▲", "not_scorable": "○"}
_STATES = ("supported", "unsupported", "not_scorable")


def photo_panel(walk: Walkthrough, picture: Picture | None, say: Labels) -> list[str]:
    """The photo with what was read on it, and each instrument's fields with their confidences."""
    lines = [f'<section id="input" aria-labelledby="h-input"><h2 id="h-input">{line_html(say("photo"))}</h2>']
    if picture is not None:
        size = f'width="{picture.width}" height="{picture.height}"'
        lines.append(f'<figure><img src="{picture.data_uri}" {size} alt="{line_html(say("photo_alt"))}"></figure>')
    else:
        lines.append(_missing(say("no_photo")))
    if walk.photo.reason:
        lines.append(f"<p>{line_html(walk.photo.status + say('colon') + walk.photo.reason)}</p>")
    for number, instrument in enumerate(walk.instruments or walk.photo.instruments, 1):
        lines += _instrument(number, instrument, say)
    return [*lines, "</section>"]


def _instrument(number: int, reading: InstrumentReading, say: Labels) -> list[str]:
    known = say("model_known", model=reading.instrument_model, source=reading.model_source)
    model = known if reading.instrument_model else say("model_unknown")
    title = f"{number}. {reading.kind}{model}{say('colon')}{reading.status}"
    lines = [f"<h3>{line_html(title)}</h3>"]
    if reading.reason:
        lines.append(f"<p>{line_html(reading.reason)}</p>")
    rows = [(say("value"), _value(reading, say), reading.value_confidence if reading.value is not None else None)]
    for name, value in dump_fields(reading.fields).items():
        sure = reading.confidence.get(name)
        if sure is not None or value not in (None, []):
            rows.append((name, _field(value, say), sure))
    cells = "".join(f"<tr><td>{line_html(name)}</td><td>{line_html(text)}</td>{_meter(sure)}</tr>" for name, text, sure in rows)
    heads = "".join(f'<th scope="col">{line_html(say(name))}</th>' for name in ("field", "read", "confidence"))
    head = f"<tr>{heads}</tr>"
    return [*lines, f'<div class="wide"><table><thead>{head}</thead><tbody>{cells}</tbody></table></div>']


def _field(value: Any, say: Labels) -> str:
    """A field for people. Without a value the confidence beside it may be that there is none, or that of a doubted one."""
    if value is None or value == []:
        return say("none_given")
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _value(reading: InstrumentReading, say: Labels) -> str:
    if reading.value is None:
        return say("none")
    low, high = reading.value_low, reading.value_high
    interval = f" [{low:.6g}, {high:.6g}]" if low is not None and high is not None else ""
    given = f"{reading.value:.6g}{interval} {reading.unit or say('without_unit')}"
    return say.listed((given, say("from_source", source=reading.value_source or say("fields"))))


def _meter(sure: float | None) -> str:
    if sure is None:
        return "<td>–</td>"
    return f'<td><meter min="0" max="1" value="{sure:.4f}"></meter> {sure:.2f}</td>'


def question_panel(walk: Walkthrough, say: Labels) -> list[str]:
    """Every question with its best documents, and terms that can be followed between both."""
    lines = [f'<section id="found" aria-labelledby="h-found"><h2 id="h-found">{line_html(say("found"))}</h2>']
    if not walk.asked:
        lines.append(_missing(say("nothing_asked")))
    for number, asked in enumerate(walk.asked, 1):
        lines += _asked(number, asked, say)
    return [*lines, "</section>"]


def _asked(number: int, asked: Asked, say: Labels) -> list[str]:
    highlighter = Highlighter(asked.query.text, say)
    key = f"q{number}"
    shown = [_found(key, found, highlighter, say) for found in asked.found]
    told = [(term, term.note(say)) for term in highlighter.terms]
    notes = [say("term_note", number=term.number, term=term.text, note=note) for term, note in told if note]
    title = say("asked", query=asked.query.name, number=asked.query.instrument)
    lines = [
        f'<article class="query" id="{key}"><h3>{line_html(title)}</h3>',
        f'<p class="question">{_question(key, highlighter)}</p>',
    ]
    lines += ['<ul class="synonyms">', *(f"<li>{line_html(note)}</li>" for note in notes), "</ul>"] if notes else []
    lines += ["<ol>", *shown, "</ol>"] if shown else [_missing(say("nothing_found"))]
    lines += [f"<p>{line_html(say('more_found', count=asked.more))}</p>"] if asked.more else []
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


def _found(key: str, found: Found, highlighter: Highlighter, say: Labels) -> str:
    routes = [_route(route.name, route.score, route.rank, say) for route in found.routes] or [say("looked_up")]
    routes += [say("led_here", chunk=found.linked_from)] if found.linked_from else []
    sent = say("sent_as", role=found.role) if found.role else say("not_sent")
    head = say("semicolon").join((say("score", score=f"{found.score:.3f}"), say.listed(routes), sent))
    if found.passage is None:
        body = _missing(say("version_gone"))
        return f"<li><p><code>{line_html(found.chunk)}</code> {line_html(head)}</p>{body}</li>"
    where = _marked(key, found.passage.place, highlighter.mark(found.passage.place), highlighter)
    place = f"<cite>{where}</cite> <code>{line_html(found.chunk)}</code>"
    text = _marked(key, found.passage.text, highlighter.mark(found.passage.text), highlighter)
    return f'<li><p class="place">{place}</p><p>{line_html(head)}</p><pre>{text}</pre></li>'


def _route(name: str, score: float | None, rank: int | None, say: Labels) -> str:
    shown = f" {score:.3f}" if score is not None else ""
    place = f" ({say('rank', rank=rank)})" if rank is not None else ""
    return f"{name}{shown}{place}"


def _missing(text: str) -> str:
    return f'<p class="missing">{line_html(text)}</p>'


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


def context_panel(walk: Walkthrough, say: Labels) -> list[str]:
    """What went before the writer: the prompts as sent, or that there were none, and the pieces with their roles."""
    lines = [f'<section id="sent" aria-labelledby="h-sent"><h2 id="h-sent">{line_html(say("sent"))}</h2>']
    if not walk.prompts:
        lines.append(_missing(say("no_prompt", writer=walk.watermark["language model"])))
    for number, prompt in enumerate(walk.prompts, 1):
        head = say("prompt", number=number, count=len(prompt))
        lines.append(f"<details><summary>{line_html(head)}</summary><pre>{block_html(prompt)}</pre></details>")
    if walk.sent:
        lines.append(f"<h3>{line_html(say('pieces'))}</h3><ol>")
        for piece in walk.sent:
            score, number = f"{piece.score:.3f}", piece.instrument
            head = say("piece", role=piece.role, score=score, tokens=piece.tokens, query=piece.query, number=number)
            lines.append(
                f"<li><p><code>{line_html(piece.chunk)}</code> {line_html(head)}</p><pre>{block_html(piece.text)}</pre></li>"
            )
        lines.append("</ol>")
    return [*lines, "</section>"]


def output_panel(walk: Walkthrough, say: Labels) -> list[str]:
    """The report sentence by sentence with its verdicts, then what the writer wrote and the check refused."""
    lines = [f'<section id="said" aria-labelledby="h-said"><h2 id="h-said">{line_html(say("said"))}</h2>']
    if not walk.said:
        lines.append(_missing(say("no_report")))
    else:
        counts = say.listed(f"{say(state)} {sum(one.state == state for one in walk.said)}" for state in _STATES)
        told = say("sentences", count=len(walk.said), states=counts)
        lines += [f"<p>{line_html(told)}</p>", "<ol>", *(_said(one, say) for one in walk.said), "</ol>"]
    lines += _refused(walk, say)
    if walk.notes:
        lines += [f"<h3>{line_html(say('notes'))}</h3><ul>", *(f"<li>{line_html(note)}</li>" for note in walk.notes), "</ul>"]
    return [*lines, "</section>"]


def _said(one: Said, say: Labels) -> str:
    sign = f'<span aria-hidden="true">{_SIGNS[one.state]}</span> {line_html(say(one.state))}'
    cited = ", ".join(one.statement.citations) or say("cites_nothing")
    doubt = "" if one.statement.supported else f"<li>{line_html(say('own_check'))}</li>"
    reasons = "".join(_verdict(verdict.score.state, verdict.claim.text, verdict.score.reason, say) for verdict in one.verdicts)
    details = f"<ul>{doubt}{reasons}</ul>" if doubt or reasons else ""
    text = f'<mark class="said {one.state}">{line_html(one.statement.text)}</mark>'
    return f'<li>{text} <span class="pill {_tone(one.state)}">{sign}</span> <code>{line_html(cited)}</code>{details}</li>'


def _verdict(state: str, claim: str, reason: str, say: Labels) -> str:
    return f"<li>{_SIGNS[state]} {line_html(claim)}{line_html(say('colon'))}{line_html(reason)}</li>"


def _tone(state: str) -> str:
    return {"supported": "good", "unsupported": "danger"}.get(state, "unknown")


def _refused(walk: Walkthrough, say: Labels) -> Iterable[str]:
    if not walk.replaced:
        return []
    items = [
        f"<li><del>{line_html(one.written or say('wrote_nothing'))}</del> {line_html('; '.join(one.problems))}<br>"
        f"<ins>{line_html(one.kept)}</ins></li>"
        for one in walk.replaced
    ]
    return [f"<h3>{line_html(say('refused'))}</h3><ul>", *items, "</ul>"]
