"""The report-issue form of a walkthrough: one choice, what was expected, a note, and the cause on five axes.

With a script it makes the JSON that `gauge failures add` takes, or sends it to one address; without one the page shows
that JSON to be filled in by hand.
"""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from eval.failures import AXES, COMPLAINTS, FORMAT, Axis, Complaint, FailureReport
from eval.score import EvalError
from eval.walkthrough.view import Walkthrough
from rag.render.page import block_html, line_html

MOST_QUESTION = 2000
_COMPLAINTS: dict[Complaint, str] = {
    "misread": "The photo was read wrongly",
    "off_focus": "The wrong passages were found",
    "cut_off": "What matters was cut off on the way to the writer",
    "unsupported": "A sentence is not true, or not backed by what it cites",
    "evasive": "The report evades what the manual says",
}
_AXES: dict[Axis, str] = {
    "retrieval_off_focus": "Retrieval off focus: passages at another level of intent",
    "bad_cut": "Bad cut: a chunk split where its meaning hangs together",
    "context_pollution": "Context pollution: too much beside the point was sent",
    "prompt_evasion": "Prompt: it lets the writer evade or invent",
    "wrong_metric": "Wrong metric: the answer is good, the measure is not",
}


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


def report_form(walk: Walkthrough, report_to: str | None) -> list[str]:
    """The form's lines. Raises EvalError where `report_to` is no address."""
    target = f' method="post" action="{line_html(check_address(report_to))}"' if report_to is not None else ""
    choices = "".join(
        f'<label><input type="radio" name="complaint" value="{name}" required> {line_html(_COMPLAINTS[name])}</label>'
        for name in COMPLAINTS
    )
    options = "".join(f"<option>{label}</option>" for label in ("unknown", "yes", "no"))
    axes = "".join(
        f'<label>{line_html(_AXES[axis])} <select name="cause" data-axis="{axis}">{options}</select></label>' for axis in AXES
    )
    base = empty_report(walk).model_dump(mode="json")
    shown = json.dumps(base, ensure_ascii=False, indent=1)
    return [
        '<section id="issue" aria-labelledby="h-issue"><h2 id="h-issue">Report an issue</h2>',
        f'<form id="issue-form" data-base="{block_html(json.dumps(base, ensure_ascii=True))}"{target}>',
        f"<fieldset><legend>What is wrong?</legend>{choices}</fieldset>",
        "<label>Points that the right answer holds, one a line",
        '<textarea name="expected" rows="3" maxlength="9000"></textarea></label>',
        '<label>Note<textarea name="note" rows="3" maxlength="20000"></textarea></label>',
        f"<details><summary>Root cause, if you know it</summary><fieldset><legend>Five axes</legend>{axes}</fieldset></details>",
        '<input type="hidden" name="report" value="">',
        '<button type="submit" id="issue-button" hidden>Make the report</button>',
        "</form>",
        '<div id="issue-made" hidden>',
        '<p><a id="issue-download" href="#issue">Save the report</a>, then run <code>gauge failures add FILE</code>.</p>',
        '<textarea id="issue-json" rows="8" readonly aria-label="the report as JSON"></textarea></div>',
        f"<noscript><p>Fill this in by hand (complaint: one of {line_html(', '.join(COMPLAINTS))}) and give it to ",
        f"<code>gauge failures add FILE</code>.</p><pre>{block_html(shown)}</pre></noscript>",
        "</section>",
    ]


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
