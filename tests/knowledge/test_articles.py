"""Articles: front matter, sections, and errors that name the file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from pydantic import ValidationError

from knowledge.articles import (
    AUTHORITY_WEIGHTS,
    Article,
    ArticleError,
    Chunk,
    Hit,
    parse_article,
    read_article,
    read_corpus,
    split_sections,
)

from .conftest import article_text

MakeArticle = Callable[..., Article]


def test_front_matter_becomes_fields(make_article: MakeArticle) -> None:
    article = make_article("# T\n\nText.\n", version="2.0", date="2024-05-06")
    assert (article.id, article.models, article.kind, article.language) == ("t-1-en", ("T-1",), "dial", "en")
    assert (article.version, article.effective_date, article.authority_weight) == ("2.0", date(2024, 5, 6), 1.0)


def test_unquoted_version_is_text() -> None:
    text = article_text("Text.\n").replace('version: "1"', "version: 2.5")
    assert parse_article(text, "t.md").version == "2.5"


def test_authority_weights_are_those_of_the_specification() -> None:
    assert AUTHORITY_WEIGHTS == {"specification": 1.0, "procedure": 0.8, "notice": 0.6, "forum": 0.2}


def test_sections_carry_number_title_and_line_in_the_file(make_article: MakeArticle) -> None:
    body = "# Title\n\n## 1 First\n\nA.\n\n### 1.1 Second\n\nB.\n"
    article = make_article(body)
    lines = article_text(body).splitlines()
    assert [(s.number, s.title, s.level, s.text) for s in article.sections] == [
        ("", "Title", 1, ""),
        ("1", "First", 2, "A."),
        ("1.1", "Second", 3, "B."),
    ]
    for section in article.sections:
        assert section.title in lines[section.line - 1]


def test_text_before_the_first_heading_is_a_section() -> None:
    assert [(s.title, s.text) for s in split_sections("Words.\n\n# One\n\nMore.")] == [("", "Words."), ("One", "More.")]


def test_windows_line_ends_and_byte_order_mark_are_accepted() -> None:
    text = "\ufeff" + article_text("# T\n\nText.\n").replace("\n", "\r\n")
    assert parse_article(text, "t.md").sections[0].text == "Text."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# No head\n", "no front matter"),
        ("---\na: [\n---\nText\n", "not YAML"),
        ("---\n- a\n---\nText\n", "keys and values, got list"),
        (article_text("\n"), "no text"),
        (article_text("Text.").replace("language: en", "language: fr"), "language"),
        (article_text("Text.").replace("status: valid", "status: final"), "status"),
        (article_text("Text.").replace("kind: dial", "kind: dial\nauthor: me"), "author"),
        (article_text("Text.").replace("2024-01-01", "soon"), "effective_date"),
        (article_text("Text.", id="Not An Id"), "id"),
    ],
)
def test_faults_name_the_file_and_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(ArticleError, match=r"^bad\.md: ") as caught:
        parse_article(text, "bad.md")
    assert message in str(caught.value)


def test_yaml_cannot_run_code() -> None:
    with pytest.raises(ArticleError, match="not YAML"):
        parse_article('---\nid: !!python/object/apply:os.system ["true"]\n---\nText\n', "evil.md")


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ArticleError, match=r"x\.md"):
        read_article(path)
    with pytest.raises(ArticleError, match=r"missing\.md"):
        read_article(tmp_path / "missing.md")


def test_a_corpus_without_articles_or_with_a_double_id_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArticleError, match="holds no articles"):
        read_corpus(tmp_path)
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(article_text("Text."), encoding="utf-8")
    with pytest.raises(ArticleError, match=r"'t-1-en' version '1' is already taken by .*a\.md"):
        read_corpus(tmp_path)


def test_the_shipped_corpus_has_its_first_manuals_in_both_languages(corpus: tuple[Article, ...]) -> None:
    manuals = {(model, a.language) for a in corpus if a.status == "valid" and a.kind for model in a.models}
    models = {"XYZ-2000", "BT-160", "VM-48", "DG-30", "SP-3", "RS-5"}
    assert manuals >= {(model, language) for model in models for language in ("en", "zh")}
    assert {a.status for a in corpus} == {"valid", "draft", "archived"}
    assert {a.authority for a in corpus} >= {"specification", "procedure", "notice"}


def test_types_are_frozen_and_closed() -> None:
    with pytest.raises(ValidationError):
        Hit.model_validate({"chunk": None, "score": 0.5})
    with pytest.raises(ValidationError, match="score"):
        Hit.model_validate({"chunk": _chunk(), "score": 1.5})
    with pytest.raises(ValidationError, match="frozen"):
        _chunk().text = "other"  # type: ignore[misc]


def test_verbatim_takes_the_injected_line_away() -> None:
    chunk = _chunk(text="`p = angle / 2`\n\nThe unit of p is bar.", injected="The unit of p is bar.")
    assert chunk.verbatim == "`p = angle / 2`"
    assert _chunk(text="As it is.").verbatim == "As it is."
    assert chunk.citation == "T-1 Manual §3.1 (v1)"


def test_light_modules_load_nothing_heavy() -> None:
    code = (
        "import sys, knowledge.articles, knowledge.facts, knowledge.search, knowledge.audit;"
        "heavy = {'torch', 'transformers', 'faiss', 'sentence_transformers', 'spacy', 'cv2'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def _chunk(text: str = "Text.", injected: str = "") -> Chunk:
    return Chunk(
        id="t:3.1:0",
        document="t",
        title="T-1 Manual",
        section="3.1",
        section_title="Unit",
        text=text,
        injected=injected,
        language="en",
        models=("T-1",),
        semantic_type="formula",
        authority="specification",
        version="1",
        effective_date=date(2024, 1, 1),
        status="valid",
        source="t.md",
        line=1,
        paragraph=1,
    )
