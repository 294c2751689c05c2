"""A walkthrough as one HTML file that needs nothing else. It works without a script; with one, a term can be followed alone.

All text is escaped, style and script are allowed by their hashes, and nothing is loaded.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from eval.walkthrough.form import report_form
from eval.walkthrough.labels import Labels
from eval.walkthrough.panels import context_panel, output_panel, photo_panel, question_panel
from eval.walkthrough.view import Walkthrough
from rag.render.page import NOWHERE, line_html, page_head, report_style
from rag.render.picture import Picture


@lru_cache(maxsize=2)
def _part(name: str) -> str:
    return (resources.files("eval") / "walkthrough" / name).read_text(encoding="utf-8").strip()


def walkthrough_html(walk: Walkthrough, picture: Picture | None = None, report_to: str | None = None) -> str:
    """The page, in the report's language; the same walkthrough and picture give the same bytes.

    `report_to`: address that the form is sent to.
    """
    say = Labels(walk.language)
    title = say("title", request=walk.request_id)
    style, script = f"{report_style()}\n{_part('walkthrough.css')}", _part("walkthrough.js")
    lines = [
        *page_head(title, say.language, style, script, report_to or NOWHERE),
        f'<header><h1>{line_html(title)}</h1><p class="file">{line_html(walk.photo.photo)}</p></header>',
        *_watermark(walk, say),
        f'<input type="checkbox" id="highlights" checked><label for="highlights">{line_html(say("highlights"))}</label>',
        f'<button type="button" id="all-terms" hidden>{line_html(say("all_terms"))}</button>',
        "<main>",
        *photo_panel(walk, picture, say),
        *question_panel(walk, say),
        *context_panel(walk, say),
        *output_panel(walk, say),
        *report_form(walk, report_to, say),
        "</main>",
        *_timing(walk, say),
        f"<script>{script}</script>",
        "</body>",
        "</html>",
        "",
    ]
    return "\n".join(lines)


def _watermark(walk: Walkthrough, say: Labels) -> list[str]:
    named = ((say(f"watermark_{name.replace(' ', '_')}"), value) for name, value in walk.watermark.items())
    parts = "".join(f"<div><dt>{line_html(name)}</dt><dd>{line_html(value)}</dd></div>" for name, value in named)
    return [f'<dl class="watermark">{parts}</dl>']


def _timing(walk: Walkthrough, say: Labels) -> list[str]:
    spent = say.listed(f"{name} {ms:.0f} ms" for name, ms in walk.timing_ms.items())
    return [f"<footer><p>{line_html(spent or say('no_times'))}</p></footer>"]
