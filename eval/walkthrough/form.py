"""The report-issue form of a walkthrough: one choice, what was expected, a note, and the cause on five axes.

With a script it makes the JSON that `gauge failures add` takes, or sends it to one address; without one the page shows
that JSON to be filled in by hand.
"""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from eval.failures import AXES, COMPLAINTS, FORMAT, Complaint, FailureReport
from eval.score import EvalError
from eval.walkthrough.labels import Labels
from eval.walkthrough.view import Walkthrough
from rag.render.page import block_html, line_html

MOST_QUESTION = 2000
_LABELS: dict[Complaint, str] = {"unsupported": "unsupported_complaint"}
"""Complaints whose label has another name than they."""


def check_address(url: str) -> str:
    """The address itself. Raises EvalError unless it is an http(s) URL that a page's policy can name."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query and not parts.fragment
    except ValueError:
        valid = False
    # White space, quotes and separators would end the policy's directive.
    if not valid or not url.isascii() or not url.isprintable() or set(url) & set(" ;,'\"<>\\"):
        raise EvalError(f"{url[:200]!r} is no plain http(s) URL such as https://example.org/failures")
    return url


def report_form(walk: Walkthrough, report_to: str | None, say: Labels) -> list[str]:
    """The form's lines. Raises EvalError where `report_to` is no address."""
    target = f' method="post" action="{line_html(check_address(report_to))}"' if report_to is not None else ""
    choices = "".join(
        f'<label><input type="radio" name="complaint" value="{name}" required> {_text(say, _LABELS.get(name, name))}</label>'
        for name in COMPLAINTS
    )
    options = "".join(f'<option value="{label}">{_text(say, label)}</option>' for label in ("unknown", "yes", "no"))
    axes = "".join(
        f'<label>{_text(say, axis)} <select name="cause" data-axis="{axis}">{options}</select></label>' for axis in AXES
    )
    base = empty_report(walk).model_dump(mode="json")
    shown = json.dumps(base, ensure_ascii=False, indent=1)
    command = "<code>gauge failures add FILE</code>"
    by_hand = _text(say, "by_hand", complaints=", ".join(COMPLAINTS), command="{}").format(command)
    return [
        f'<section id="issue" aria-labelledby="h-issue"><h2 id="h-issue">{_text(say, "issue")}</h2>',
        f'<form id="issue-form" data-base="{block_html(json.dumps(base, ensure_ascii=True))}"{target}>',
        f"<fieldset><legend>{_text(say, 'what_is_wrong')}</legend>{choices}</fieldset>",
        f"<label>{_text(say, 'expected')}",
        '<textarea name="expected" rows="3" maxlength="9000"></textarea></label>',
        f'<label>{_text(say, "note")}<textarea name="note" rows="3" maxlength="20000"></textarea></label>',
        f"<details><summary>{_text(say, 'root_cause')}</summary>"
        f"<fieldset><legend>{_text(say, 'axes')}</legend>{axes}</fieldset></details>",
        '<input type="hidden" name="report" value="">',
        f'<button type="submit" id="issue-button" hidden>{_text(say, "make_report")}</button>',
        "</form>",
        '<div id="issue-made" hidden>',
        f'<p><a id="issue-download" href="#issue">{_text(say, "save_report")}</a>'
        f"{_text(say, 'then_run', command='{}').format(command)}</p>",
        f'<textarea id="issue-json" rows="8" readonly aria-label="{_text(say, "report_json")}"></textarea></div>',
        f"<noscript><p>{by_hand}</p><pre>{block_html(shown)}</pre></noscript>",
        "</section>",
    ]


def _text(say: Labels, name: str, **values: object) -> str:
    return line_html(say(name, **values))


def empty_report(walk: Walkthrough) -> FailureReport:
    """What the form fills in: the request, its questions and its versions."""
    question = "; ".join(asked.query.text for asked in walk.asked)[:MOST_QUESTION]
    return FailureReport(
        format=FORMAT,
        request_id=walk.request_id,
        complaint="unsupported",
        question=question,
        watermark={name: value[:500] for name, value in walk.watermark.items()},
    )
