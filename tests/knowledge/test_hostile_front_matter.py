"""Front matter that is no front matter is refused in a short line, whatever it is made of."""

from __future__ import annotations

import pytest

from knowledge.articles import ArticleError, parse_article

GOOD = """id: a-en
title: T
models: [A-1]
kind: dial
language: en
authority: specification
status: valid
version: "1"
effective_date: 2026-01-31
"""
BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)) + "id: *a11"


@pytest.mark.parametrize(
    ("head", "named"),
    [
        (BOMB, "alias"),
        ("id: &a a\ntitle: *a", "alias"),
        ("id: " + "[" * 50_000, "YAML"),
        ("effective_date: 2026-02-31", "YAML"),
        ('id: !!python/object/apply:os.system ["true"]', "YAML"),
        (GOOD.replace("a-en", "[" + "x, " * 5000 + "x]"), "id"),
        (GOOD.replace("title: T", "title: {" + ", ".join(f"k{n}: 1" for n in range(5000)) + "}"), "title"),
    ],
)
def test_hostile_front_matter_is_refused_in_short(head: str, named: str) -> None:
    with pytest.raises(ArticleError) as caught:
        parse_article(f"---\n{head}\n---\n# A\n\nText.\n", "a.md")
    assert named in str(caught.value)
    assert len(str(caught.value)) < 2000


def test_the_good_one_is_taken() -> None:
    assert parse_article(f"---\n{GOOD}---\n# A\n\nText.\n", "a.md").title == "T"
