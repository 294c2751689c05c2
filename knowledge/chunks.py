"""Semantic-coherence chunking: pieces of a manual that still make sense when they stand alone.

Laws (checked by tests and by `knowledge.audit`): no sentence is cut or lost; a list stays whole with the
sentence that announces it; a table stays whole with its header; a condition stays with its consequence;
a formula carries the declaration of its unit.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

from knowledge.articles import Article, Chunk, Section, SemanticType
from knowledge.formula_text import find_formulas
from knowledge.sentences import CONNECTOR, LOGICAL_BREAK, Block, coupled_sentences, parse_table, split_blocks
from knowledge.units import UnitDeclaration, find_declarations

TARGET_CHARS = 700
"""Prose is gathered up to this length; about the 256 tokens that the packaged embedder sees of English."""
TARGET_CHARS_CHINESE = 240
LONG_BLOCK_CHARS = 2000
"""A paragraph longer than this is cut where a new thought begins, before its length alone decides."""
TABLE_FACTOR = 3
"""A table longer than this many targets is cut between rows, each part with the header; a calibration table never is."""

_REFERENCE = re.compile(
    r"(?:\bsections?|§|第|见|参见|按照?)\s*(?P<list>\d+(?:\.\d+)*(?:\s*(?:,|and|or|to|、|和|或|至)\s*\d+(?:\.\d+)+)*)(?P<end>\s*[节章])?",
    re.IGNORECASE,
)
_LAMP_HEADER = re.compile(r"lamp|light|colou?r|颜色|指示灯", re.IGNORECASE)
_MODE_HEADER = re.compile(r"position|档位|位置", re.IGNORECASE)
_PROCEDURE_TITLE = re.compile(r"procedure|shutdown|emergency|步骤|程序|停机|规程", re.IGNORECASE)


class _Piece(NamedTuple):
    """Blocks that stay together; `fixed` pieces are never merged with their neighbours."""

    kind: SemanticType
    text: str
    line: int
    paragraph: int
    fixed: bool


def build_chunks(article: Article) -> tuple[Chunk, ...]:
    """Chunks of an article in reading order, with ids that depend on content alone."""
    declarations = find_declarations(article.body)
    chunks: list[Chunk] = []
    for section in article.sections:
        previous: str | None = None
        for piece in _merge(_pieces(section, _target(article)), _target(article)):
            name = _chunk_id(article.id, section.number, piece.text, {c.id for c in chunks})
            chunk = _chunk(article, section, piece, name, _unit_line(piece, declarations), previous)
            chunks.append(chunk)
            previous = chunk.id
    return tuple(chunks)


def find_references(text: str) -> tuple[str, ...]:
    """Section numbers that a text refers to, in order, each once: "see section 5.2", "见第 5.2 节"."""
    found: dict[str, None] = {}
    for match in _REFERENCE.finditer(text):
        word = match.group(0)
        # "第 3 档" and "按 3 次" are no references: in Chinese the number must be followed by 节 or 章.
        if word[0] in "第见参按" and not match.group("end"):
            continue
        for number in re.findall(r"\d+(?:\.\d+)*", match.group("list")):
            found[number] = None
    return tuple(found)


def _target(article: Article) -> int:
    return TARGET_CHARS_CHINESE if article.language == "zh" else TARGET_CHARS


def _pieces(section: Section, target: int) -> list[_Piece]:
    pieces: list[_Piece] = []
    for paragraph, block in enumerate(split_blocks(section.text), 1):
        line = section.text_line + block.line
        fresh = [_Piece(kind, text, line + at, paragraph, fixed) for kind, text, fixed, at in _typed(block, section, target)]
        if pieces and fresh and _belongs_to(pieces[-1], block):
            joined = f"{pieces[-1].text}\n\n{fresh[0].text}"
            # The announcing sentence gives way to what it announces; an afterthought takes the type of what it follows.
            kind = fresh[0].kind if pieces[-1].kind == "prose" else pieces[-1].kind
            pieces[-1] = pieces[-1]._replace(kind=kind, text=joined, fixed=pieces[-1].fixed or fresh[0].fixed)
            fresh = fresh[1:]
        pieces.extend(fresh)
    return pieces


def _belongs_to(previous: _Piece, block: Block) -> bool:
    announced = previous.text.rstrip().endswith((":", "：")) and block.kind in ("list", "table", "code")
    return announced or (block.kind == "paragraph" and bool(CONNECTOR.match(block.text)))


def _typed(block: Block, section: Section, target: int) -> list[tuple[SemanticType, str, bool, int]]:
    """Type, text, whether it stands alone, and line within the block of each piece of a block."""
    if block.kind == "table":
        kind = _table_type(block.text)
        parts = [(block.text, 0)] if kind == "formula" else _table_parts(block.text, TABLE_FACTOR * target)
        return [(kind, text, True, line) for text, line in parts]
    if block.kind == "list":
        procedure = block.ordered or bool(_PROCEDURE_TITLE.search(section.title))
        return [("procedure" if procedure else "list", block.text, True, 0)]
    if find_formulas(block.text):
        return [("formula", block.text, True, 0)]
    if block.kind == "code":
        return [("prose", block.text, True, 0)]
    if find_declarations(block.text):
        return [("unit", block.text, True, 0)]
    return [("prose", text, False, 0) for text in _fit(block.text, target)]


def _table_parts(text: str, most: int) -> list[tuple[str, int]]:
    """A table whole, or cut between rows into parts of at most `most` characters with the header on each."""
    if len(text) <= most or parse_table(text) is None:
        return [(text, 0)]
    header, rule, *rows = text.splitlines()
    parts: list[tuple[list[str], int]] = []
    for number, row in enumerate(rows, 2):
        if parts and sum(len(line) + 1 for line in parts[-1][0]) + len(row) <= most:
            parts[-1][0].append(row)
        else:
            parts.append(([header, rule, row], number if parts else 0))
    return [("\n".join(lines), line) for lines, line in parts]


def _table_type(text: str) -> SemanticType:
    if find_formulas(text):
        return "formula"
    table = parse_table(text)
    head = table.header[0] if table else ""
    if _LAMP_HEADER.search(head):
        return "lamp"
    return "mode" if _MODE_HEADER.search(head) else "table"


def _fit(paragraph: str, target: int) -> list[str]:
    """A paragraph as pieces of at most `target` characters, cut between coupled sentences only."""
    if len(paragraph) <= target:
        return [paragraph]
    joint = " " if re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}", paragraph) else ""
    long = len(paragraph) > LONG_BLOCK_CHARS
    pieces: list[str] = []
    for sentence in coupled_sentences(paragraph, contrasts=not long):
        new_thought = long and LOGICAL_BREAK.match(sentence) and len(pieces[-1] if pieces else "") > target / 3
        if pieces and not new_thought and len(pieces[-1]) + len(sentence) <= target:
            pieces[-1] = f"{pieces[-1]}{joint}{sentence}"
        else:
            pieces.append(sentence)
    return pieces


def _merge(pieces: list[_Piece], target: int) -> list[_Piece]:
    merged: list[_Piece] = []
    for piece in pieces:
        last = merged[-1] if merged else None
        if last and not last.fixed and not piece.fixed and len(last.text) + len(piece.text) <= target:
            merged[-1] = last._replace(text=f"{last.text}\n\n{piece.text}")
        else:
            merged.append(piece)
    return merged


def _unit_line(piece: _Piece, declarations: tuple[UnitDeclaration, ...]) -> str:
    """The declaration that a formula needs beside it, or "" where the piece states its unit itself."""
    if piece.kind != "formula" or find_declarations(piece.text):
        return ""
    quantities = {formula.quantity for formula in find_formulas(piece.text)}
    fitting = [d for d in declarations if any(d.quantity in q or q in d.quantity for q in quantities)]
    return "\n".join(dict.fromkeys(d.sentence for d in fitting))


def _chunk(article: Article, section: Section, piece: _Piece, name: str, injected: str, previous: str | None) -> Chunk:
    return Chunk(
        id=name,
        document=article.id,
        title=article.title,
        section=section.number,
        section_title=section.title,
        text=f"{piece.text}\n\n{injected}" if injected else piece.text,
        injected=injected,
        language=article.language,
        models=article.models,
        semantic_type=piece.kind,
        authority=article.authority,
        version=article.version,
        effective_date=article.effective_date,
        status=article.status,
        source=article.source,
        line=piece.line,
        paragraph=piece.paragraph,
        page=article.page_at(piece.line),
        refers_to=find_references(piece.text),
        continues_from=(previous,) if previous else (),
    )


def _chunk_id(document: str, section: str, text: str, taken: set[str]) -> str:
    """`document:section:hash`; the same words twice in one section get a running number, in reading order."""
    digest = hashlib.sha256("\n".join((document, section, " ".join(text.split()))).encode()).hexdigest()[:10]
    base = f"{document}:{section or '0'}:{digest}"
    serial, candidate = 1, base
    while candidate in taken:
        serial += 1
        candidate = f"{base}.{serial}"
    return candidate
