"""What every HTML page of the product shares: escaped text, its own style, and a policy that allows nothing else.

A page needs no other file and loads none. Its content security policy names style and script by their hashes, so that
text from a photo, a manual or a model can never become either.
"""

from __future__ import annotations

import base64
import hashlib
import unicodedata
from functools import lru_cache
from html import escape
from importlib import resources

from rag.templates import clean_text

MAX_LINE = 4000
NOWHERE = "'none'"


def line_html(text: str, limit: int = MAX_LINE) -> str:
    """A text as one escaped line, at most `limit` characters long."""
    return escape(clean_text(text, limit), quote=True)


def block_html(text: str) -> str:
    """A text escaped with its lines kept, for an element that shows them; other control characters become a sign."""
    lines = text.replace("\r\n", "\n")
    kept = "".join("\ufffd" if char not in "\n\t" and unicodedata.category(char)[0] == "C" else char for char in lines)
    return escape(kept, quote=True)


@lru_cache(maxsize=1)
def report_style() -> str:
    """The style of reports."""
    return (resources.files("rag") / "render" / "report.css").read_text(encoding="utf-8").strip()


def page_head(title: str, language: str, style: str, script: str | None = None, form_action: str = NOWHERE) -> list[str]:
    """The lines up to the opened body. `form_action`: the one address that forms of the page may be sent to."""
    scripts = f" script-src {_hash(script)};" if script is not None else ""
    policy = f"default-src 'none'; img-src data:; style-src {_hash(style)};{scripts} base-uri 'none'; "
    policy += f"form-action {form_action}"
    return [
        "<!doctype html>",
        f'<html lang="{"zh-Hans" if language == "zh" else "en"}">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy, quote=False)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{line_html(title)}</title>",
        f"<style>{style}</style>",
        "</head>",
        "<body>",
    ]


def _hash(code: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode('utf-8')).digest()).decode('ascii')}'"
