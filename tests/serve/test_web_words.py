"""Words of the pages: whole in both languages, chosen as the browser asks, and colours that can be read in both modes."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serve.web.rendering import FONTS, STATIC, UnknownFileError, file_version, local_path, static_file, templates
from serve.web.upload_pages import SCRIPT_WORDS
from serve.web.words import LANGUAGES, Words, WordsError, build_words, choose_language, read_words

WEB = Path(str(resources.files("serve") / "web"))
TEMPLATES = sorted((WEB / "templates").glob("*.html"))


def test_both_languages_say_the_same_things() -> None:
    for name, word in read_words().items():
        assert word.en != word.zh, name
        assert any("一" <= char <= "鿿" for char in word.zh) or name in ("other_language", "percent"), name


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[a]\nen = "x {one}"\nzh = "y"', "[a]"),
        ('[a]\nen = "x"', "zh"),
        ('[a]\nen = "x"\nzh = "y"\nfr = "z"', "fr"),
        ("[a", "words.toml"),
    ],
)
def test_faults_of_the_table_are_named(text: str, named: str) -> None:
    with pytest.raises(WordsError, match=re.escape(named)):
        build_words(text)


def test_slots_are_filled_once_and_none_is_left_out() -> None:
    words = Words("en")
    assert words("at_place", place="{count} <b>") == "History of {count} <b>"
    with pytest.raises(WordsError, match="place"):
        words("at_place")
    with pytest.raises(WordsError, match="nowhere"):
        words("nowhere")


def test_templates_ask_only_for_words_that_there_are() -> None:
    asked = {name for path in TEMPLATES for name in re.findall(r"\bt\('([a-z_0-9]+)'", path.read_text(encoding="utf-8"))}
    assert len(asked) > 60
    prefixes = {name for path in TEMPLATES for name in re.findall(r"\bt\('([a-z_]+_)' \+", path.read_text(encoding="utf-8"))}
    assert not {name for name in asked if name not in read_words() and name not in prefixes}
    assert all(any(name.startswith(prefix) for name in read_words()) for prefix in prefixes)
    assert set(SCRIPT_WORDS) <= set(read_words())


def test_nothing_in_a_template_is_let_through_unescaped() -> None:
    """No `safe`, no inline script or style, nothing from elsewhere: the policy would stop it, and so does this."""
    for path in TEMPLATES:
        text = path.read_text(encoding="utf-8")
        assert "|safe" not in text.replace(" ", ""), path.name
        assert not re.search(r"<style|<script(?![^>]*src=)|\sstyle=|\son[a-z]+=|https?://", text), path.name
        templates().get_template(path.name)
    for name in ("upload.js", "result.js"):
        text = (WEB / "static" / name).read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text), name


@pytest.mark.parametrize(
    ("cookie", "accepted", "chosen"),
    [
        ("zh", "en", "zh"),
        ("en", "zh-CN", "en"),
        ("fr", "zh-CN,zh;q=0.9", "zh"),
        (None, "fr-FR, zh-TW;q=0.5, en;q=0.4", "zh"),
        (None, "fr;q=1, en;q=0.2, zh;q=0.1", "en"),
        (None, "zh;q=0, en;q=0.1", "en"),
        (None, "fr", "zh"),
        (None, None, "zh"),
        ("", ";;,q=,=", "zh"),
    ],
)
def test_the_language_is_the_cookies_then_the_browsers_then_the_servers(
    cookie: str | None, accepted: str | None, chosen: str
) -> None:
    assert choose_language(cookie, accepted, "zh") == chosen


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_header_gives_a_language(cookie: str, accepted: str) -> None:
    assert choose_language(cookie, accepted, "en") in LANGUAGES


@pytest.mark.parametrize(
    "text",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "evil",
        "",
        "/a b",
        "/a\nb",
        "/x" * 2000,
        "\\\\evil",
        "/a\\..\\b",
    ],
)
def test_the_way_back_leads_nowhere_else(text: str) -> None:
    assert local_path(text) == "/"


def test_the_way_back_is_kept() -> None:
    assert local_path("/instruments/of?place=P-7%20pump") == "/instruments/of?place=P-7%20pump"


@pytest.mark.parametrize("name", [*STATIC, *FONTS])
def test_static_files_are_there_and_their_mark_changes_with_them(name: str) -> None:
    data, media_type = static_file(name)
    assert len(data) > 100
    assert media_type
    assert re.fullmatch(r"[0-9a-f]{12}", file_version(name))


@pytest.mark.parametrize("name", ["../words.toml", "words.toml", "/etc/passwd", "gauge.css/..", ""])
def test_other_files_are_not(name: str) -> None:
    with pytest.raises(UnknownFileError):
        static_file(name)


def luminance(color: str) -> float:
    """Relative luminance of WCAG 2.2."""
    levels = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4 for level in levels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


TEXT_ON_GROUND = [
    *((ink, ground) for ink in ("ink", "soft", "accent") for ground in ("page", "card", "sunk")),
    ("accent-ink", "accent"), ("accent", "accent-back"), ("ink", "accent-back"), ("soft", "accent-back"),
    ("bar-ink", "bar"), ("bar-soft", "bar"), ("bar-accent", "bar"), ("ink", "attention-back"),
    *((tone, f"{tone}-back") for tone in ("danger", "attention", "good", "unknown", "neutral")),
    *((tone, "card") for tone in ("danger", "attention", "unknown")),
]  # fmt: skip


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(mode: str) -> None:
    style = (WEB / "static" / "gauge.css").read_text(encoding="utf-8")
    light, dark = (
        dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block)) for block in re.findall(r":root \{(.*?)\}", style, re.S)[:2]
    )
    colors = light if mode == "light" else {**light, **dark}
    low = {pair: round(contrast(colors[pair[0]], colors[pair[1]]), 2) for pair in TEXT_ON_GROUND}
    assert not {pair: ratio for pair, ratio in low.items() if ratio < 4.5}
    assert contrast(colors["strong-line"], colors["card"]) >= 3.0  # Borders of fields (WCAG 1.4.11).
