"""The shell of HTML pages: nothing in it but what was put there."""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from rag.render.page import block_html, line_html, page_head, report_style


def policy(lines: list[str]) -> str:
    (found,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', "\n".join(lines))
    return unescape(found)


def sha(code: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"


def test_the_policy_allows_this_style_and_nothing_else() -> None:
    found = policy(page_head("t", "en", "p{}"))
    assert found == f"default-src 'none'; img-src data:; style-src {sha('p{}')}; base-uri 'none'; form-action 'none'"


def test_a_script_and_a_form_are_allowed_by_name_alone() -> None:
    found = policy(page_head("t", "en", "p{}", script="a=1", form_action="https://example.org/report"))
    assert f"script-src {sha('a=1')};" in found
    assert found.endswith("form-action https://example.org/report")
    assert "unsafe" not in found


def test_the_title_cannot_leave_its_element() -> None:
    lines = page_head("</title><script>x</script>", "zh", report_style())
    assert "<script>" not in "\n".join(lines)
    assert '<html lang="zh-Hans">' in lines


def test_a_form_address_cannot_leave_its_attribute() -> None:
    text = "\n".join(page_head("t", "en", "", form_action='https://a/"><script>'))
    assert "<script>" not in text


@given(st.text(max_size=200))
def test_no_text_becomes_a_tag(text: str) -> None:
    for shown in (line_html(text), block_html(text)):
        assert not set("<>\"'") & set(shown)
    assert "\n" not in line_html(text)
    assert block_html(text).count("\n") == text.count("\n")


def test_a_block_keeps_its_lines_and_shows_what_is_no_text() -> None:
    assert block_html("a\n\tb\x00c\u202ed<") == "a\n\tb\ufffdc\ufffdd&lt;"
