"""Audit of a corpus: are the chunks whole, the references resolvable and the facts free of contradiction?

Every fault names the document, section and line, so that an author finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from knowledge.articles import Article, Chunk
from knowledge.chunks import build_chunks
from knowledge.facts import Fact, ModelFacts
from knowledge.formula_text import VARIABLE, find_formulas
from knowledge.intake_checks import formula_fault, table_fault
from knowledge.sentences import CONDITION, CONNECTOR, coupled_sentences, split_blocks, split_sentences
from knowledge.statements import statement_sentences
from knowledge.structured import build_facts, find_conflicts, find_facts
from knowledge.units import find_declarations
from vision.fields import Contract

FaultKind = Literal[
    "split conditional",
    "cut sentence",
    "torn table",
    "torn list",
    "dangling reference",
    "formula without unit",
    "formula without value",
    "angle not declared",
    "table against formula",
    "contradiction",
    "translations differ",
    "rival manuals",
]
Chunker = Callable[[Article], Sequence[Chunk]]


class Fault(Contract):
    """One fault; `line` is 1-based in the source file, `detail` says what is wrong in words."""

    kind: FaultKind
    document: str
    section: str
    line: int
    detail: str


class _Document(NamedTuple):
    article: Article
    chunks: Sequence[Chunk]


def audit(articles: Sequence[Article], chunker: Chunker = build_chunks) -> tuple[Fault, ...]:
    """All faults of a corpus. Wholeness is checked for every document, facts for the valid ones only."""
    documents = [_Document(article, chunker(article)) for article in articles]
    faults: list[Fault] = []
    for document in documents:
        faults += _split_conditionals(document)
        faults += _torn_blocks(document)
        faults += _dangling_references(document)
        faults += _formulas_without_unit(document)
        faults += _formulas_without_meaning(document)
    # An older version of an id beside the newer one (`id@version`) is its past and no rival.
    valid = [document for document in documents if document.article.status == "valid" and "@" not in document.article.id]
    for document in valid:
        faults += _contradictions(document)
    faults += _between_documents(valid)
    return tuple(faults)


def _fault(kind: FaultKind, document: _Document, chunk: Chunk, detail: str) -> Fault:
    return Fault(kind=kind, document=document.article.id, section=chunk.section, line=chunk.line, detail=detail)


def _split_conditionals(document: _Document) -> Iterator[Fault]:
    """A consequence at the start of a chunk, and conditions of the text that no chunk holds with all their parts."""
    by_id = {chunk.id: chunk for chunk in document.chunks}
    for chunk in document.chunks:
        if chunk.continues_from and CONNECTOR.match(chunk.text):
            before = by_id.get(chunk.continues_from[0])
            sentences = split_sentences(before.verbatim) if before else ()
            # A "however" behind a sentence that is no condition opens a new thought; everything else is a torn one.
            contrast = coupled_sentences(f"{sentences[-1]}\n{chunk.text}", contrasts=False) if sentences else ()
            if len(contrast) > 1 and contrast[0] == sentences[-1]:
                continue
            opening = chunk.text.split("\n", 1)[0][:60]
            yield _fault("split conditional", document, chunk, f"the consequence {opening!r} is cut off from its condition")
    for section in document.article.sections:
        own = [_squeezed(c.verbatim) for c in document.chunks if (c.section, c.section_title) == (section.number, section.title)]
        for block in split_blocks(section.text):
            if block.kind != "paragraph":
                continue
            for piece in coupled_sentences(block.text, contrasts=False):
                if CONDITION.match(piece) and not any(_squeezed(piece) in text for text in own):
                    detail = f"the condition {piece[:60]!r} and its consequences are in no chunk together"
                    line = section.text_line + block.line
                    yield Fault(
                        kind="split conditional", document=document.article.id, section=section.number, line=line, detail=detail
                    )


def _torn_blocks(document: _Document) -> Iterator[Fault]:
    """Every sentence, table and list of the article must stand whole in one chunk of its section."""
    for section in document.article.sections:
        own = [_squeezed(c.verbatim) for c in document.chunks if (c.section, c.section_title) == (section.number, section.title)]
        for block in split_blocks(section.text):
            kinds: dict[str, FaultKind] = {"table": "torn table", "list": "torn list"}
            kind: FaultKind = kinds.get(block.kind, "cut sentence")
            parts = (block.text,) if block.kind != "paragraph" else statement_sentences(block.text)
            for part in parts:
                if not any(_squeezed(part) in text for text in own) and not (kind == "torn table" and _has_all_rows(part, own)):
                    detail = f"{part[:60]!r} is in no chunk as a whole"
                    line = section.text_line + block.line
                    yield Fault(kind=kind, document=document.article.id, section=section.number, line=line, detail=detail)


def _has_all_rows(table: str, chunks: Sequence[str]) -> bool:
    """Whether every row of a long table stands in a chunk together with the header."""
    header, _, *rows = (_squeezed(line) for line in table.splitlines())
    headed = [text for text in chunks if header in text]
    return all(any(row in text for text in headed) for row in rows)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _dangling_references(document: _Document) -> Iterator[Fault]:
    numbers = {section.number for section in document.article.sections}
    for chunk in document.chunks:
        for target in chunk.refers_to:
            if target not in numbers:
                yield _fault("dangling reference", document, chunk, f"refers to section {target}, which is not there")


def _formulas_without_unit(document: _Document) -> Iterator[Fault]:
    for chunk in document.chunks:
        for formula in find_formulas(chunk.verbatim):
            if formula.unit is None and not find_declarations(chunk.text):
                yield _fault("formula without unit", document, chunk, f"`{formula.text}`: declare the unit of {formula.quantity}")


def _formulas_without_meaning(document: _Document) -> Iterator[Fault]:
    """Formulas of an angle whose origin is not declared, that have no value somewhere, or that their own table denies."""
    findings = find_facts(document.chunks)
    by_id = {chunk.id: chunk for chunk in document.chunks}
    for fact in findings.formulas:
        chunk = by_id[fact.chunk]
        if fact.variable == VARIABLE and not findings.frames:
            detail = f"`{fact.text[:80]}`: declare where the pointer angle starts and which way it runs"
            yield _fault("angle not declared", document, chunk, detail)
        reason = formula_fault(fact, findings)
        if reason:
            yield _fault("formula without value", document, chunk, reason)
    for chunk in document.chunks:
        for points in (formula for formula in find_formulas(chunk.verbatim) if formula.points):
            reason = table_fault(points, findings)
            if reason:
                yield _fault("table against formula", document, chunk, reason)


def _contradictions(document: _Document) -> Iterator[Fault]:
    by_id = {chunk.id: chunk for chunk in document.chunks}
    for conflict in find_conflicts(find_facts(document.chunks)):
        detail = f"{conflict.what}: {conflict.first.text[:80]!r} against {conflict.second.text[:80]!r}"
        yield _fault("contradiction", document, by_id[conflict.second.chunk], detail)


def _between_documents(valid: Sequence[_Document]) -> Iterator[Fault]:
    """Two manuals of one model must agree where they are translations, and must not both be in force otherwise."""
    facts = [(d, f) for d in valid if d.article.kind is not None for f in build_facts(d.article, d.chunks)]
    for (first, one), (second, other) in combinations(facts, 2):
        if one.model != other.model:
            continue
        if one.language == other.language:
            detail = f"{first.article.id} and {second.article.id} are both valid for {one.model}; archive one"
            yield _fault("rival manuals", second, second.chunks[0], detail)
            continue
        for name in differences(one, other):
            detail = f"{one.model}: {first.article.id} and {second.article.id} disagree about {name}"
            yield _fault("translations differ", second, second.chunks[0], detail)


def differences(one: ModelFacts, other: ModelFacts) -> tuple[str, ...]:
    """Names of the facts in which two language versions differ; words are not compared, numbers and places are."""
    pairs = {name: (_core(getattr(one, name)), _core(getattr(other, name))) for name in _COMPARED}
    found = [name for name, (first, second) in pairs.items() if first != second]
    return (*found, *(["version"] if one.version != other.version else []))


_COMPARED = tuple(name for name in ModelFacts.model_fields if name not in ("model", "language", "document", "version", "kind"))
_WORDS = {"chunk", "text", "quantity", "meaning", "action", "name", "title"}


def _core(value: Fact | tuple[Fact, ...] | None) -> object:
    if value is None:
        return None
    if isinstance(value, tuple):
        return sorted(fact.model_dump_json(exclude=_WORDS) for fact in value)
    return value.model_dump_json(exclude=_WORDS)
