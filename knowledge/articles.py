"""Articles, chunks and hits: what the knowledge room keeps and hands out.

An article is one Markdown file with YAML front matter, in one language. Nothing heavy is imported here.
"""

from __future__ import annotations

import re
import reprlib
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, ValidationError, field_validator

from vision.fields import Contract, Kind

Language = Literal["en", "zh"]
AuthorityClass = Literal["specification", "procedure", "notice", "forum"]
Status = Literal["valid", "draft", "archived"]
SemanticType = Literal["prose", "list", "table", "formula", "unit", "lamp", "mode", "procedure"]

AUTHORITY_WEIGHTS: dict[AuthorityClass, float] = {"specification": 1.0, "procedure": 0.8, "notice": 0.6, "forum": 0.2}
"""How much a class of document counts in ranking: the maker's specification before a forum post."""

_FRONT_MATTER = re.compile(r"\A---\r?\n(.*?)\r?\n---\r?\n", re.DOTALL)
_PAGE = re.compile(r"^<!-- page (\d+) -->$")
_HEADING = re.compile(r"^(#{1,6})\s+(?:(\d+(?:\.\d+)*)\.?\s+)?(.+?)\s*#*$")


class KnowledgeError(Exception):
    """Base of everything the knowledge room raises."""


class ArticleError(KnowledgeError):
    """A file that is not an article; the message names the file and what is wrong with it."""


class Section(Contract):
    """One numbered section: its own text up to the next heading, without its sub-sections.

    `line` is the 1-based line of the heading in the source file, `text_line` that of the first line of the
    text; `number` is "" where none is printed.
    """

    number: str
    title: str
    level: int
    line: int
    text_line: int
    text: str


class Article(Contract):
    """One document in one language. `models` is empty for an article that holds for every instrument.

    `page_lines` are the lines of the body at which a page of the original begins, with its number: a line
    `<!-- page 3 -->` marks it.
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
    title: Annotated[str, Field(min_length=1)]
    models: tuple[str, ...] = ()
    kind: Kind | None = None
    language: Language
    authority: AuthorityClass
    status: Status
    version: Annotated[str, Field(min_length=1)]
    effective_date: date
    source: str
    body: str
    body_line: int = 1
    sections: tuple[Section, ...] = ()
    page_lines: tuple[tuple[int, int], ...] = ()

    @field_validator("version", mode="before")
    @classmethod
    def _version_is_text(cls, value: Any) -> Any:
        # YAML reads an unquoted 2.0 as a float; a version is a name, not a number.
        return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value

    def page_at(self, line: int) -> int | None:
        """Page of the original on which a line of the file stands, None where the original has no pages."""
        return max(((start, page) for start, page in self.page_lines if start <= line), default=(0, None))[1]

    @property
    def authority_weight(self) -> float:
        """Weight of the article's class in ranking, in (0, 1]."""
        return AUTHORITY_WEIGHTS[self.authority]


class Chunk(Contract):
    """A piece of one section that makes sense on its own; the unit of retrieval and citation.

    `text` is what a reader gets: the manual's own words, followed by `injected` where a formula needed its
    unit declaration beside it. `refers_to` names sections of the same document ("5.2"); `continues_from`
    names the ids of chunks of the same section that this one goes on from. `line` is 1-based in the source
    file, `paragraph` counts from 1 within the section, `page` is that of a printed original.
    """

    id: str
    document: str
    title: str
    section: str
    section_title: str
    text: str
    injected: str = ""
    language: Language
    models: tuple[str, ...] = ()
    semantic_type: SemanticType
    authority: AuthorityClass
    version: str
    effective_date: date
    status: Status
    source: str
    line: int
    paragraph: int
    page: int | None = None
    refers_to: tuple[str, ...] = ()
    continues_from: tuple[str, ...] = ()

    @property
    def verbatim(self) -> str:
        """The manual's own words, without anything injected."""
        return self.text.removesuffix(self.injected).rstrip("\n") if self.injected else self.text

    @property
    def citation(self) -> str:
        """Human-readable place: title, section number, version."""
        place = f" §{self.section}" if self.section else ""
        place += f" p. {self.page}" if self.page is not None else ""
        return f"{self.title}{place} (v{self.version})"


class Hit(Contract):
    """A chunk found, with the fused score and each route's own score and rank (from 1); None where a route did not find it.

    `linked_from` is the id of the chunk whose reference led here; `reranked` is the reranker's own score, where one was asked.
    """

    chunk: Chunk
    score: Annotated[float, Field(ge=0, le=1)]
    dense: Annotated[float, Field(ge=0, le=1)] | None = None
    lexical: Annotated[float, Field(ge=0, le=1)] | None = None
    structured: Annotated[float, Field(ge=0, le=1)] | None = None
    dense_rank: Annotated[int, Field(ge=1)] | None = None
    lexical_rank: Annotated[int, Field(ge=1)] | None = None
    structured_rank: Annotated[int, Field(ge=1)] | None = None
    linked_from: str | None = None
    reranked: Annotated[float, Field(ge=0, le=1)] | None = None

    @property
    def routes(self) -> tuple[str, ...]:
        """Names of the routes that found the chunk."""
        ranks = (("dense", self.dense_rank), ("lexical", self.lexical_rank), ("structured", self.structured_rank))
        found = tuple(name for name, rank in ranks if rank is not None)
        return (*found, "link") if self.linked_from is not None else found


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases: a few hundred bytes of aliases to aliases stand for gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("it has an alias (*name); write the value out")
        return super().compose_node(parent, index)


def read_yaml(text: str) -> object:
    """What a YAML text holds. Raises yaml.YAMLError, for aliases too; ValueError or RecursionError for hostile ones."""
    return yaml.load(text, _PlainLoader)  # noqa: S506 - a SafeLoader that permits less


def parse_article(text: str, source: str) -> Article:
    """The article in a Markdown text with front matter. Raises ArticleError naming `source` and the fault."""
    match = _FRONT_MATTER.match(text.removeprefix("\ufeff"))
    if match is None:
        raise ArticleError(f"{source}: no front matter; an article begins with '---', keys, '---'")
    try:
        head = read_yaml(match.group(1))
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: a day that no calendar has.
        raise ArticleError(f"{source}: front matter is not YAML: {str(error)[:300]}") from error
    if not isinstance(head, dict):
        raise ArticleError(f"{source}: front matter must be keys and values, got {type(head).__name__}")
    body = text.removeprefix("\ufeff")[match.end() :]
    body_line = match.group(0).count("\n") + 1
    if not body.strip():
        raise ArticleError(f"{source}: the article has no text after its front matter")
    try:
        article = Article.model_validate(
            {
                **head,
                "source": source,
                "body": body,
                "body_line": body_line,
                "sections": split_sections(body, body_line),
                "page_lines": page_lines(body, body_line),
            }
        )
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']} (got {reprlib.repr(e['input'])})" for e in error.errors())
        raise ArticleError(f"{source}: front matter does not hold: {faults}") from error
    if "\0" in body:
        line = body_line + body[: body.index("\0")].count("\n")
        raise ArticleError(f"{source}: line {line} holds a NUL character, which is no text: remove it")
    if any("\0" in value for value in (article.title, article.version, *article.models)):
        raise ArticleError(f"{source}: the front matter holds a NUL character, which is no text: remove it")
    return article


def read_article(path: Path) -> Article:
    """The article in a file. Raises ArticleError where it cannot be read or is not one."""
    try:
        return parse_article(path.read_text(encoding="utf-8"), path.name)
    except (OSError, UnicodeDecodeError) as error:
        raise ArticleError(f"{path}: cannot be read as UTF-8 text: {error}") from error


def read_corpus(folder: Path) -> tuple[Article, ...]:
    """All articles under a folder, sorted by path.

    Raises ArticleError on a bad file, on two that claim the same id and version, and on an empty folder.
    """
    paths = sorted(folder.rglob("*.md"))
    if not paths:
        raise ArticleError(f"{folder} holds no articles: put Markdown files with front matter there")
    articles: list[Article] = []
    seen: dict[tuple[str, str], str] = {}
    for path in paths:
        article = read_article(path)
        key = article.id, article.version
        if key in seen:
            raise ArticleError(f"{path}: id {article.id!r} version {article.version!r} is already taken by {seen[key]}")
        seen[key] = str(path)
        articles.append(article)
    return tuple(articles)


def page_lines(body: str, first_line: int = 1) -> tuple[tuple[int, int], ...]:
    """Lines of a body that mark a page of the original, each with the page's number."""
    marks = ((first_line + n, _PAGE.match(line)) for n, line in enumerate(body.splitlines()))
    return tuple((line, int(match.group(1))) for line, match in marks if match)


def split_sections(body: str, first_line: int = 1) -> tuple[Section, ...]:
    """Sections of a Markdown body in order; text before the first heading becomes an untitled section."""
    sections: list[Section] = []
    head: tuple[str, str, int, int] = ("", "", 1, first_line)
    lines: list[str] = []

    def close() -> None:
        blank = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
        text = "\n".join(lines[blank:]).rstrip()
        if text or head[1]:
            first = head[3] + bool(head[1]) + blank
            sections.append(Section(number=head[0], title=head[1], level=head[2], line=head[3], text_line=first, text=text))

    for offset, line in enumerate(body.splitlines()):
        match = _HEADING.match(line)
        if match is None:
            # A page mark is no text of the manual; its line is kept, so that the lines behind it stay where they are.
            lines.append("" if _PAGE.match(line) else line)
            continue
        close()
        head = (match.group(2) or "", match.group(3), len(match.group(1)), first_line + offset)
        lines = []
    close()
    return tuple(sections)
