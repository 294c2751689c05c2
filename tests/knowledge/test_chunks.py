"""The laws of chunking, on the shipped corpus and on generated articles."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.articles import Article, parse_article
from knowledge.chunks import TARGET_CHARS, build_chunks, find_references
from knowledge.corpora import SHIPPED_CORPUS
from knowledge.sentences import split_blocks, split_sentences

from .conftest import article_text

MakeArticle = Callable[..., Article]

ENGLISH = ["The pump runs.", "If it stops, call the fitter.", "Otherwise go on.", "The unit of flow is bar.", "See section 1."]
CHINESE = ["水泵正在运行。", "如果停机，通知检修人员。", "否则继续运行。", "压力的单位为兆帕。", "见第 1 节。"]
LIST = "- first thing\n- second thing\n\n- third thing"
STEPS = "1. Do this.\n2. Do that."
TABLE = "| Lamp colour | Meaning |\n|---|---|\n| Red | Stop |"
FORMULA = "Use `flow = (pointer angle - 3) / 2` here."


def squeeze(text: str) -> str:
    return "".join(text.split())


def check_laws(article: Article) -> None:
    chunks = build_chunks(article)
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    for section in article.sections:
        own = [c for c in chunks if (c.section, c.section_title) == (section.number, section.title)]
        # Nothing is lost, doubled or reordered.
        assert squeeze("".join(c.verbatim for c in own)) == squeeze(section.text)
        for block in split_blocks(section.text):
            whole = [squeeze(c.verbatim) for c in own]
            parts = split_sentences(block.text) if block.kind == "paragraph" else (block.text,)
            for part in parts:
                assert any(squeeze(part) in text for text in whole), part


def prose(sentences: list[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(sentences), min_size=1, max_size=40)


@pytest.mark.parametrize("name", sorted(path.name for path in SHIPPED_CORPUS.glob("*.md")))
def test_laws_hold_on_the_shipped_corpus(name: str, corpus: tuple[Article, ...]) -> None:
    article = next(a for a in corpus if a.source == name)
    check_laws(article)
    lines = (SHIPPED_CORPUS / name).read_text(encoding="utf-8").splitlines()
    for chunk in build_chunks(article):
        first = chunk.verbatim.splitlines()[0]
        assert lines[chunk.line - 1].startswith(first) or first in lines[chunk.line - 1], (chunk.id, chunk.line)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.one_of(prose(ENGLISH), st.sampled_from([LIST, STEPS, TABLE, FORMULA])), max_size=6))
def test_laws_hold_on_generated_english(parts: list[list[str] | str]) -> None:
    blocks = [part if isinstance(part, str) else " ".join(part) for part in parts]
    body = "# T\n\n## 1 One\n\n" + "\n\n".join(blocks) + "\n\n## 2 Two\n\nEnd of it.\n"
    check_laws(parse_article(article_text(body), "t.md"))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.one_of(prose(CHINESE), st.sampled_from([LIST, STEPS, TABLE])), max_size=6))
def test_laws_hold_on_generated_chinese(parts: list[list[str] | str]) -> None:
    blocks = [part if isinstance(part, str) else "".join(part) for part in parts]
    body = "# 手册\n\n## 1 一\n\n" + "\n\n".join(blocks) + "\n\n## 2 二\n\n结束。\n"
    check_laws(parse_article(article_text(body, language="zh"), "t.md"))


def test_long_prose_is_cut_at_sentences_and_never_before_otherwise(make_article: MakeArticle) -> None:
    filler = "The quick brown fox jumps over the lazy dog near the pump station of plant A. "
    text = filler * 12 + "If the lamp is red, stop the pump. Otherwise continue as before. " + filler * 12
    chunks = build_chunks(make_article(f"# T\n\n## 1 A\n\n{text}\n"))
    assert len(chunks) == 3
    for chunk in chunks:
        assert len(chunk.text) <= TARGET_CHARS + 100
        assert chunk.text.endswith((".", ":"))
        assert not chunk.text.startswith("Otherwise")
    assert any("stop the pump. Otherwise continue" in chunk.text for chunk in chunks)


def test_otherwise_in_a_paragraph_of_its_own_stays_with_its_condition(make_article: MakeArticle) -> None:
    body = "# T\n\n## 1 A\n\nIf the table says so, stop:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nOtherwise continue.\n"
    (chunk,) = build_chunks(make_article(body))
    assert chunk.text.startswith("If the table")
    assert chunk.text.endswith("Otherwise continue.")
    assert chunk.semantic_type == "table"


def test_semantic_types(make_article: MakeArticle) -> None:
    body = (
        f"# T\n\n## 1 A\n\nProse.\n\n{LIST}\n\n## 2 B\n\n{STEPS}\n\n## 3 C\n\n{TABLE}\n\n"
        f"## 4 D\n\n{TABLE.replace('Lamp colour', 'Position')}\n\n## 5 E\n\n{TABLE.replace('Lamp colour', 'Item')}\n\n"
        f"## 6 F\n\n{FORMULA}\n\nThe unit of flow is L/min.\n"
    )
    found = [(c.section, c.semantic_type) for c in build_chunks(make_article(body))]
    assert found == [
        ("1", "prose"),
        ("1", "list"),
        ("2", "procedure"),
        ("3", "lamp"),
        ("4", "mode"),
        ("5", "table"),
        ("6", "formula"),
        ("6", "unit"),
    ]


def test_the_announcing_sentence_goes_with_its_list(make_article: MakeArticle) -> None:
    body = f"# T\n\n## 1 A\n\nDo this at once:\n\n{STEPS}\n\nAfterwards rest.\n"
    first, second = build_chunks(make_article(body))
    assert first.text.startswith("Do this at once:")
    assert first.text.endswith("2. Do that.")
    assert second.text == "Afterwards rest."
    assert second.continues_from == (first.id,)


def test_a_formula_gets_its_unit_declaration_injected(make_article: MakeArticle) -> None:
    body = f"# T\n\n## 1 Units\n\nThe unit of flow is L/min. The unit of mass is kWh.\n\n## 2 Formula\n\n{FORMULA}\n"
    chunk = next(c for c in build_chunks(make_article(body)) if c.semantic_type == "formula")
    assert chunk.injected == "The unit of flow is L/min."
    assert chunk.text == f"{FORMULA}\n\nThe unit of flow is L/min."
    assert chunk.verbatim == FORMULA


def test_a_formula_is_not_given_the_unit_of_something_else(make_article: MakeArticle) -> None:
    body = f"# T\n\n## 1 Units\n\nThe unit of temperature is K.\n\n## 2 Formula\n\n{FORMULA}\n"
    chunk = next(c for c in build_chunks(make_article(body)) if c.semantic_type == "formula")
    assert chunk.injected == ""


def test_ids_depend_on_content_alone(make_article: MakeArticle) -> None:
    body = "# T\n\n## 1 A\n\nFirst words.\n\n## 2 B\n\nOther words.\n"
    before = build_chunks(make_article(body))
    moved = build_chunks(make_article(body.replace("# T\n", "# T\n\n\n## 0 New\n\nA new section.\n"), version="9"))
    assert [c.id for c in before] == [c.id for c in moved if c.section != "0"]
    changed = build_chunks(make_article(body.replace("Other", "Another")))
    assert changed[0].id == before[0].id
    assert changed[1].id != before[1].id
    assert before[0].id.startswith("t-1-en:1:")


def test_the_same_words_twice_get_two_ids(make_article: MakeArticle) -> None:
    chunks = build_chunks(make_article(f"# T\n\n## 1 A\n\n{TABLE}\n\n{TABLE.replace('|---', '|----')}\n\n{TABLE}\n"))
    assert len({c.id for c in chunks}) == 3


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("see section 5.2.", ("5.2",)),
        ("Sections 5.2, 5.3 and 6.1 apply.", ("5.2", "5.3", "6.1")),
        ("see §4.1", ("4.1",)),
        ("In section 5.2, 30 bar are named.", ("5.2",)),
        ("见第 5.2 节。", ("5.2",)),
        ("按第5.2、5.3节处理", ("5.2", "5.3")),
        ("切换到第 5 档，按 3 次。", ()),
        ("position 3 and mode 4", ()),
        ("intersection 7 is closed, subsection is a word", ()),
    ],
)
def test_references(text: str, targets: tuple[str, ...]) -> None:
    assert find_references(text) == targets


def test_a_long_block_is_cut_where_a_new_thought_begins(make_article: MakeArticle) -> None:
    filler = "The pump of plant A runs with a steady flow and needs no attention. " * 7
    text = f"{filler}Therefore it is not watched. " + filler * 2 + "However the motor is watched. " + filler * 2
    chunks = build_chunks(make_article(f"# T\n\n## 1 A\n\n{text}\n"))
    openings = [chunk.text.split()[0] for chunk in chunks]
    assert "Therefore" in openings
    assert "However" in openings
    short = build_chunks(make_article(f"# T\n\n## 1 A\n\n{text[:1500]}\n"))
    assert "Therefore" not in [chunk.text.split()[0] for chunk in short]


def test_a_long_chinese_block_keeps_conditions_and_breaks_at_conclusions(make_article: MakeArticle) -> None:
    filler = "水泵以稳定的流量运行，一般情况下无须专人值守。" * 8
    text = f"{filler}若压力过高，则停机。然而泄压后可以重启。{filler}因此每班巡检一次。{filler * 10}"
    assert len(text) > 2000
    chunks = build_chunks(make_article(f"# 手册\n\n## 1 甲\n\n{text}\n", language="zh"))
    assert any(chunk.text.startswith("因此") for chunk in chunks)
    assert sum("若压力过高，则停机。然而泄压后可以重启。" in chunk.text for chunk in chunks) == 1


def test_a_calibration_table_is_never_cut(make_article: MakeArticle) -> None:
    rows = "\n".join(f"| {n} | {n / 3:.3f} |" for n in range(330))
    article = make_article(f"# T\n\n## 1 A\n\n| Pointer angle | Pressure (bar) |\n|---|---|\n{rows}\n")
    (chunk,) = build_chunks(article)
    assert chunk.semantic_type == "formula"


def test_pages_of_the_original_are_kept(make_article: MakeArticle) -> None:
    body = "<!-- page 4 -->\n# T\n\n## 1 A\n\nFirst words.\n\n<!-- page 5 -->\n\n## 2 B\n\nOther words.\n"
    first, second = build_chunks(make_article(body))
    assert (first.page, second.page) == (4, 5)
    assert "page" not in first.text + second.text
    assert second.citation == "T-1 Manual §2 p. 5 (v1)"
