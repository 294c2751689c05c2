"""A walkthrough as one HTML file that needs nothing else. It works without a script; with one, a term can be followed alone.

All text is escaped, style and script are allowed by their hashes, and nothing is loaded.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from eval.walkthrough.form import report_form
from eval.walkthrough.panels import context_panel, output_panel, photo_panel, question_panel
from eval.walkthrough.view import Walkthrough
from rag.render.page import NOWHERE, line_html, page_head, report_style
from rag.render.picture import Picture


@lru_cache(maxsize=2)
def _part(name: str) -> str:
    return (resources.files("eval") / "walkthrough" / name).read_text(encoding="utf-8").strip()


def walkthrough_html(walk: Walkthrough, picture: Picture | None = None, report_to: str | None = None) -> str:
    """The page; the same walkthrough and picture give the same bytes. `report_to`: address that the form is sent to."""
    title = f"Walkthrough of request {walk.request_id}"
    style, script = f"{report_style()}\n{_part('walkthrough.css')}", _part("walkthrough.js")
    lines = [
        *page_head(title, "en", style, script, report_to or NOWHERE),
        f'<header><h1>{line_html(title)}</h1><p class="file">{line_html(walk.photo.photo)}</p></header>',
        *_watermark(walk),
        '<input type="checkbox" id="highlights" checked><label for="highlights">Highlights</label>',
        '<button type="button" id="all-terms" hidden>All terms</button>',
        "<main>",
        *photo_panel(walk, picture),
        *question_panel(walk),
        *context_panel(walk),
        *output_panel(walk),
        *report_form(walk, report_to),
        "</main>",
        *_timing(walk),
        f"<script>{script}</script>",
        "</body>",
        "</html>",
        "",
    ]
    return "\n".join(lines)


def _watermark(walk: Walkthrough) -> list[str]:
    parts = "".join(f"<div><dt>{line_html(name)}</dt><dd>{line_html(value)}</dd></div>" for name, value in walk.watermark.items())
    return [f'<dl class="watermark">{parts}</dl>']


def _timing(walk: Walkthrough) -> list[str]:
    spent = ", ".join(f"{name} {ms:.0f} ms" for name, ms in walk.timing_ms.items())
    return [f"<footer><p>{line_html(spent or 'no times were stored')}</p></footer>"]
