"""The audit: silent on the shipped corpus, and it finds each fault that is planted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from knowledge.articles import Article, Chunk, parse_article
from knowledge.audit import audit, differences
from knowledge.chunks import build_chunks
from knowledge.corpora import SHIPPED_CORPUS
from knowledge.structured import build_facts

MakeArticle = Callable[..., Article]


def test_the_shipped_corpus_is_without_fault(corpus: tuple[Article, ...]) -> None:
    assert audit(corpus) == ()


def kinds(*articles: Article, chunker: Callable[[Article], Sequence[Chunk]] = build_chunks) -> list[str]:
    return [fault.kind for fault in audit(articles, chunker)]


def fixed_length(article: Article) -> list[Chunk]:
    """A chunker as bad as they are common: it cuts each chunk every eighty characters."""
    pieces: list[Chunk] = []
    for chunk in build_chunks(article):
        text = chunk.text
        parts = [text[n : n + 80] for n in range(0, len(text), 80)]
        for n, part in enumerate(parts):
            before = (pieces[-1].id,) if n else chunk.continues_from
            pieces.append(
                chunk.model_copy(update={"id": f"{chunk.id}.{n}", "text": part, "injected": "", "continues_from": before})
            )
    return pieces


def sentence_wise(article: Article) -> list[Chunk]:
    """One sentence a chunk: nothing is torn, but conditions lose their consequences."""
    pieces: list[Chunk] = []
    for chunk in build_chunks(article):
        for n, part in enumerate(chunk.text.split(". ") if chunk.semantic_type == "prose" else [chunk.text]):
            before = (pieces[-1].id,) if n else chunk.continues_from
            pieces.append(chunk.model_copy(update={"id": f"{chunk.id}.{n}", "text": part, "continues_from": before}))
    return pieces


def test_a_bad_chunker_is_found_out_on_the_shipped_corpus(corpus: tuple[Article, ...]) -> None:
    found = set(kinds(*corpus, chunker=fixed_length))
    assert {"torn table", "torn list", "cut sentence"} <= found
    assert "split conditional" in kinds(*corpus, chunker=sentence_wise)


def test_dangling_reference(make_article: MakeArticle) -> None:
    body = "# T\n\n## 1 A\n\nSee section 1 and section 7.3.\n"
    (fault,) = audit([make_article(body)])
    assert (fault.kind, fault.document, fault.section) == ("dangling reference", "t-1-en", "1")
    assert "7.3" in fault.detail
    chinese = make_article("# T\n\n## 1 甲\n\n见第 9 节。\n", language="zh")
    assert kinds(chinese) == ["dangling reference"]


ANGLE = "\nThe pointer angle is counted from 6 o'clock, clockwise.\n"


def test_formula_without_unit(make_article: MakeArticle) -> None:
    body = "# T\n\n## 1 A\n" + ANGLE + "\nUse `flow = (pointer angle - 3) / 2`.\n"
    assert kinds(make_article(body)) == ["formula without unit"]
    assert kinds(make_article(body + "\n## 2 B\n\nThe unit of flow is L/min.\n")) == []
    assert kinds(make_article(body.replace("/ 2`", "/ 2 L/min`"))) == []


def test_contradiction(make_article: MakeArticle) -> None:
    body = "# T\n\n## 1 A\n\nThe measuring range is 0 to 5 bar.\n\n## 2 B\n\nThe measuring range is 0 to 6 bar.\n"
    (fault,) = audit([make_article(body)])
    assert (fault.kind, fault.section) == ("contradiction", "2")
    assert kinds(make_article(body, status="draft")) == []


def test_rival_manuals(make_article: MakeArticle) -> None:
    one, two = (make_article("# T\n\n## 1 A\n\nText.\n", id=name) for name in ("a-en", "b-en"))
    assert kinds(one, two) == ["rival manuals"]
    assert kinds(one, two.model_copy(update={"status": "archived"})) == []


def test_a_planted_error_in_a_translation_is_found(corpus: tuple[Article, ...]) -> None:
    plants = {
        "(指针角度 - 30) / 2.5": "(指针角度 - 30) / 2.6",
        "6 点钟方向起，按顺时针": "12 点钟方向起，按顺时针",
        "测量范围为 0 至 120 MPa": "测量范围为 0 至 12 MPa",
        "准确度等级为 1.6 级": "准确度等级为 1.0 级",
        "| 报警 | 超过 100 MPa |": "| 报警 | 超过 110 MPa |",
        "| 红色 | 超压": "| 绿色 | 超压",
        "| 3 | 手动": "| 2 | 手动",
        "30 至 330 度": "30 至 300 度",
    }
    source = SHIPPED_CORPUS / "xyz-2000.zh.md"
    others = [article for article in corpus if article.id != "xyz-2000-zh"]
    text = source.read_text(encoding="utf-8")
    for right, wrong in plants.items():
        assert text.count(right) == 1, right
        planted = parse_article(text.replace(right, wrong), source.name)
        assert "translations differ" in kinds(*others, planted), right


@pytest.mark.parametrize("field", ["formula", "lamps", "modes", "limits"])
def test_differences_name_the_fact(corpus: tuple[Article, ...], field: str) -> None:
    article = next(a for a in corpus if a.id == "xyz-2000-en")
    (facts,) = build_facts(article, build_chunks(article))
    assert differences(facts, facts) == ()
    changed = facts.model_copy(update={field: None if field == "formula" else ()})
    assert differences(facts, changed) == (field,)
    assert differences(facts, facts.model_copy(update={"version": "9"})) == ("version",)


def test_lines_lead_to_the_place(make_article: MakeArticle) -> None:
    body = "# T\n\n## 1 A\n\nFine.\n\n## 2 B\n\nSee section 8.\n"
    (fault,) = audit([make_article(body)])
    # Front matter of eleven lines, then the body.
    assert fault.line == 11 + 9


def test_an_angle_that_is_not_declared(make_article: MakeArticle) -> None:
    body = "# T\n\n## 1 A\n\nThe unit of flow is bar. Use `flow = (pointer angle - 3) / 2`.\n"
    assert kinds(make_article(body)) == ["angle not declared"]
    assert kinds(make_article(body + ANGLE)) == []
    digits = body.replace("(pointer angle - 3) / 2", "digital readout * 10")
    assert kinds(make_article(digits)) == []


@pytest.mark.parametrize(
    ("formula", "faults"),
    [
        ("10 / (pointer angle - 200)", ["formula without value"]),
        ("sqrt((pointer angle - 60) / 3)", ["formula without value"]),
        ("sqrt((pointer angle - 30) / 3)", []),
        ("pointer angle^2 / 1000 - 0.9", []),
    ],
)
def test_a_formula_has_a_value_over_its_whole_range(make_article: MakeArticle, formula: str, faults: list[str]) -> None:
    body = (
        f"# T\n\n## 1 A\n{ANGLE}\nThe unit of flow is bar. Use `flow = {formula}`.\n\n"
        "The formula is valid for pointer angles from 30 to 330 degrees.\n"
    )
    assert kinds(make_article(body)) == faults


def test_a_table_of_points_must_fit_the_formula_beside_it(make_article: MakeArticle) -> None:
    body = (
        f"# T\n\n## 1 A\n{ANGLE}\nThe unit of flow is bar. Use `flow = (pointer angle - 30) / 3`.\n\n## 2 B\n\n"
        "| Pointer angle | Flow (bar) |\n|---|---|\n| 30 | 0 |\n| 180 | 50 |\n| 330 | 100 |\n"
    )
    assert kinds(make_article(body)) == []
    (fault,) = audit([make_article(body.replace("| 50 |", "| 52 |"))])
    assert (fault.kind, fault.section) == ("table against formula", "2")
    assert "180 degrees" in fault.detail


def test_conditions_cut_from_their_alternatives_are_found_in_both_languages(make_article: MakeArticle) -> None:
    chinese = "若压力超过 100 MPa，则停机；若压力超过 80 MPa，则降低负荷；否则继续运行。"
    article = make_article(f"# 手册\n\n## 1 甲\n\n{chinese}\n", language="zh")
    (chunk,) = build_chunks(article)
    assert kinds(article) == []
    first, rest = chinese.split("；", 1)
    pieces = [
        chunk.model_copy(update={"id": "a", "text": first + "；"}),
        chunk.model_copy(update={"id": "b", "text": rest, "continues_from": ("a",)}),
    ]
    assert "split conditional" in kinds(article, chunker=lambda _: pieces)


def test_a_long_table_cut_between_rows_is_whole_and_one_without_its_header_torn(make_article: MakeArticle) -> None:
    rows = "\n".join(f"| P{n} | The valve number {n} stands at the pump of line {n} |" for n in range(80))
    article = make_article(f"# T\n\n## 1 A\n\n| Item | Place |\n|---|---|\n{rows}\n")
    chunks = build_chunks(article)
    assert len(chunks) > 1
    assert all(chunk.text.startswith("| Item | Place |\n|---|---|\n") for chunk in chunks)
    assert kinds(article) == []
    bare = [c.model_copy(update={"text": "\n".join(c.text.splitlines()[2:])}) if n else c for n, c in enumerate(chunks)]
    assert kinds(article, chunker=lambda _: bare) == ["torn table"]


def test_an_older_version_of_an_id_is_no_rival(make_article: MakeArticle) -> None:
    older = make_article("# T\n\n## 1 A\n\nThe measuring range is 0 to 5 bar.\n", id="m", version="1")
    newer = make_article("# T\n\n## 1 A\n\nThe measuring range is 0 to 6 bar.\n", id="m", version="2")
    assert kinds(newer, older.model_copy(update={"id": "m@1"})) == []
