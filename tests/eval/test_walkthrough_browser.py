"""The walkthrough page in a real browser: its script runs under its own policy, follows terms and makes the report."""

from __future__ import annotations

import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest

from eval.failures import parse_report
from eval.walkthrough.page import walkthrough_html
from tests.eval.test_walkthrough import PICTURE, walk_of

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no chromium")]

DRIVER = """
const out = {};
const marks = () => document.querySelectorAll("mark.followed").length;
const term = document.querySelector(".question mark.term a");
term.click(); out.followed = marks(); out.button = !document.getElementById("all-terms").hidden;
term.click(); out.unfollowed = marks();
const form = document.getElementById("issue-form");
form.elements.complaint.value = "cut_off";
form.elements.note.value = "<b>\\u538b\\u529b</b> \\"quoted\\"";
form.elements.expected.value = "first\\n\\n  second  \\n" + "x".repeat(900);
form.querySelector("select[data-axis=bad_cut]").value = "yes";
form.requestSubmit();
out.download = document.getElementById("issue-download").download;
document.title = JSON.stringify(out);
const shown = document.createElement("pre");
shown.id = "result"; shown.textContent = document.getElementById("issue-json").value; document.body.append(shown);
"""


def dom_of(path: Path) -> str:
    assert CHROMIUM is not None
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", path.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=90, check=True).stdout


def test_the_script_runs_under_the_pages_own_policy(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(walkthrough_html(walk_of(), PICTURE), encoding="utf-8")
    assert '<button type="submit" id="issue-button">' in dom_of(path)
    path.write_text(path.read_text(encoding="utf-8").replace('"use strict";', '"use strict"; /* tampered */'), encoding="utf-8")
    assert '<button type="submit" id="issue-button" hidden="">' in dom_of(path)


def test_terms_are_followed_and_the_form_makes_a_report(tmp_path: Path) -> None:
    html = walkthrough_html(walk_of(), PICTURE)
    # The driver is a second script, which the page's policy would not let run.
    html = re.sub(r"<meta http-equiv[^>]*>", "", html).replace("</body>", f"<script>{DRIVER}</script></body>")
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8")
    dom = dom_of(path)
    assert re.search(
        r'<title>\{"followed":[1-9]\d*,"button":true,"unfollowed":0,"download":"failure-r-1.json"\}</title>', unescape(dom)
    )
    (made,) = re.findall(r'<pre id="result">(.*?)</pre>', dom, re.DOTALL)
    report = parse_report(unescape(made))
    assert report.complaint == "cut_off"
    assert report.expected == ("first", "second", "x" * 400)
    assert report.note == '<b>压力</b> "quoted"'
    assert report.causes.found == ("bad_cut",)
    assert report.watermark["commit"] == "abc123"
