"""The structured route: facts of each model, parsed from the manuals' chunks and kept as JSON (here in SQLite).

Every fact names the chunk that states it. Where a manual states two different things about one matter,
there is no fact: which of them is right is for people to settle (the audit lists it).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from knowledge.articles import AUTHORITY_WEIGHTS, Article, Chunk, Language
from knowledge.facts import (
    AccuracyFact,
    AngleFrameFact,
    CodeFact,
    Fact,
    FormulaFact,
    LampFact,
    LimitFact,
    ModeFact,
    ModelFacts,
    ProcedureFact,
    RangeFact,
    ReadoutFact,
    UnitFact,
)
from knowledge.formula_text import find_formulas
from knowledge.sentences import parse_table
from knowledge.statements import (
    EMERGENCY_TITLE,
    parse_accuracy,
    parse_angle_frame,
    parse_bands,
    parse_codes,
    parse_lamps,
    parse_modes,
    parse_range,
    parse_readout,
    parse_validity,
    row_text,
    statement_sentences,
)
from knowledge.units import find_declarations

F = TypeVar("F", bound=Fact)


class Conflict(NamedTuple):
    """Two statements of one document that cannot both hold."""

    what: str
    first: Fact
    second: Fact


class Findings(NamedTuple):
    """All facts that one document states, repetitions kept, in reading order."""

    formulas: tuple[FormulaFact, ...]
    units: tuple[UnitFact, ...]
    frames: tuple[AngleFrameFact, ...]
    angle_ranges: tuple[RangeFact, ...]
    value_ranges: tuple[RangeFact, ...]
    accuracies: tuple[AccuracyFact, ...]
    limits: tuple[LimitFact, ...]
    lamps: tuple[LampFact, ...]
    modes: tuple[ModeFact, ...]
    codes: tuple[CodeFact, ...]
    readouts: tuple[ReadoutFact, ...]
    emergencies: tuple[ProcedureFact, ...]


def find_facts(chunks: Sequence[Chunk]) -> Findings:
    """Everything that the chunks of one document state in the convention of `knowledge.statements`."""
    limits, lamps, modes, codes = _table_facts(chunks)
    return Findings(
        formulas=_written_first([fact for chunk in chunks for fact in _formulas(chunk)]),
        units=tuple(
            UnitFact(chunk=chunk.id, text=d.sentence, quantity=d.quantity, unit=d.unit)
            for chunk in chunks
            for d in find_declarations(chunk.verbatim)
        ),
        frames=_each(
            chunks, parse_angle_frame, lambda c, s, v: AngleFrameFact(chunk=c, text=s, origin_hour=v[0], clockwise=v[1])
        ),
        angle_ranges=_each(chunks, parse_validity, lambda c, s, v: RangeFact(chunk=c, text=s, low=v.low, high=v.high)),
        value_ranges=_each(chunks, parse_range, lambda c, s, v: RangeFact(chunk=c, text=s, low=v.low, high=v.high, unit=v.unit)),
        accuracies=_each(chunks, parse_accuracy, lambda c, s, v: AccuracyFact(chunk=c, text=s, percent_of_span=v)),
        limits=limits,
        lamps=lamps,
        modes=modes,
        codes=codes,
        readouts=_each(chunks, parse_readout, lambda c, s, _: ReadoutFact(chunk=c, text=s)),
        emergencies=_emergencies(chunks),
    )


T = TypeVar("T")


def _each(chunks: Sequence[Chunk], parse: Callable[[str], T | None], make: Callable[[str, str, T], F]) -> tuple[F, ...]:
    found: list[F] = []
    for chunk in chunks:
        for sentence in statement_sentences(chunk.verbatim):
            value = parse(sentence)
            if value is not None:
                found.append(make(chunk.id, sentence, value))
    return tuple(found)


def _formulas(chunk: Chunk) -> list[FormulaFact]:
    declared = {d.unit for d in find_declarations(chunk.text)}
    unit = declared.pop() if len(declared) == 1 else None
    return [
        FormulaFact(
            chunk=chunk.id,
            text=f.text,
            quantity=f.quantity,
            expression=f.expression,
            variable=f.variable,
            unit=f.unit or unit,
            points=f.points,
        )
        for f in find_formulas(chunk.verbatim)
    ]


def _written_first(formulas: Sequence[FormulaFact]) -> tuple[FormulaFact, ...]:
    """Written formulas where there are any: a table of points beside one is its check, not its rival (the audit compares)."""
    written = tuple(fact for fact in formulas if not fact.points)
    return written or tuple(formulas)


def _table_facts(
    chunks: Sequence[Chunk],
) -> tuple[tuple[LimitFact, ...], tuple[LampFact, ...], tuple[ModeFact, ...], tuple[CodeFact, ...]]:
    limits: list[LimitFact] = []
    lamps: list[LampFact] = []
    modes: list[ModeFact] = []
    codes: list[CodeFact] = []
    for chunk in chunks:
        table = parse_table(chunk.text)
        if table is None:
            continue
        limits += [LimitFact(chunk=chunk.id, text=text, **band._asdict()) for band, text in parse_bands(table)]
        for color, row, section in parse_lamps(table):
            action = row[2] if len(row) > 2 else ""
            text = row_text(table, row)
            lamps.append(LampFact(chunk=chunk.id, text=text, color=color, meaning=row[1], action=action, section=section))
        for position, row in parse_modes(table):
            modes.append(ModeFact(chunk=chunk.id, text=row_text(table, row), position=position, name=row[1], meaning=row[2]))
        codes += [CodeFact(chunk=chunk.id, text=row_text(table, row), code=row[0], meaning=row[1]) for row in parse_codes(table)]
    return tuple(limits), tuple(lamps), tuple(modes), tuple(codes)


def _emergencies(chunks: Sequence[Chunk]) -> tuple[ProcedureFact, ...]:
    by_section: dict[str, Chunk] = {}
    for chunk in chunks:
        if EMERGENCY_TITLE.search(chunk.section_title) and chunk.semantic_type == "procedure":
            by_section.setdefault(chunk.section, chunk)
    return tuple(
        ProcedureFact(chunk=c.id, text=c.verbatim, section=c.section, title=c.section_title) for c in by_section.values()
    )


def find_conflicts(findings: Findings) -> tuple[Conflict, ...]:
    """Pairs of statements of one document that contradict each other."""
    single: tuple[tuple[str, Sequence[Fact]], ...] = (
        ("formula", findings.formulas),
        ("angle frame", findings.frames),
        ("angle range", findings.angle_ranges),
        ("value range", findings.value_ranges),
        ("accuracy", findings.accuracies),
        ("emergency section", findings.emergencies),
    )
    keyed: tuple[tuple[str, Sequence[Fact], str], ...] = (
        ("unit", findings.units, "quantity"),
        ("lamp colour", findings.lamps, "color"),
        ("mode position", findings.modes, "position"),
        ("display code", findings.codes, "code"),
    )
    found = [Conflict(what, facts[0], other) for what, facts in single for other in facts[1:] if _says(other) != _says(facts[0])]
    for what, facts, key in keyed:
        first: dict[object, Fact] = {}
        for fact in facts:
            kept = first.setdefault(getattr(fact, key), fact)
            if _says(kept) != _says(fact):
                found.append(Conflict(what, kept, fact))
    return tuple(found)


def _says(fact: Fact) -> str:
    return fact.model_dump_json(exclude={"chunk", "text"})


def _agreed(facts: Sequence[F]) -> F | None:
    """The one thing that all statements say; None where there is none or they differ."""
    return facts[0] if facts and all(_says(fact) == _says(facts[0]) for fact in facts) else None


def _keyed(facts: Iterable[F], key: str) -> tuple[F, ...]:
    groups: dict[object, list[F]] = {}
    for fact in facts:
        groups.setdefault(getattr(fact, key), []).append(fact)
    return tuple(agreed for group in groups.values() if (agreed := _agreed(group)))


def _unit_of(findings: Findings) -> UnitFact | None:
    units = _keyed(findings.units, "quantity")
    formula = _agreed(findings.formulas)
    if formula is not None:
        return next((unit for unit in units if unit.quantity in formula.quantity or formula.quantity in unit.quantity), None)
    return units[0] if len(units) == 1 else None


def build_facts(article: Article, chunks: Sequence[Chunk]) -> tuple[ModelFacts, ...]:
    """Facts of each model that one article is about."""
    findings = find_facts(chunks)
    return tuple(
        ModelFacts(
            model=model,
            language=article.language,
            document=article.id,
            version=article.version,
            kind=article.kind,
            formula=_agreed(findings.formulas),
            unit=_unit_of(findings),
            angle_frame=_agreed(findings.frames),
            angle_range=_agreed(findings.angle_ranges),
            value_range=_agreed(findings.value_ranges),
            accuracy=_agreed(findings.accuracies),
            limits=findings.limits,
            lamps=_keyed(findings.lamps, "color"),
            modes=_keyed(findings.modes, "position"),
            codes=_keyed(findings.codes, "code"),
            readout=_agreed(findings.readouts),
            emergency=_agreed(findings.emergencies),
        )
        for model in article.models
    )


def create_table(db: sqlite3.Connection) -> None:
    """The table of facts: one JSON document for each model and article."""
    db.execute(
        "CREATE TABLE facts (model TEXT, language TEXT, document TEXT, status TEXT, authority REAL,"
        " effective_date TEXT, content TEXT, PRIMARY KEY (model, document))"
    )


def add_facts(db: sqlite3.Connection, article: Article, chunks: Sequence[Chunk]) -> None:
    """Keep the facts of one article."""
    place = (article.status, AUTHORITY_WEIGHTS[article.authority], str(article.effective_date))
    rows = [(f.model, f.language, f.document, *place, f.model_dump_json()) for f in build_facts(article, chunks)]
    db.executemany("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


class FactBook(Protocol):
    """Facts of the models of one publication."""

    def load(self, model: str, language: Language, within: Collection[str]) -> ModelFacts | None:
        """Facts of a model from its manual among some documents: the given language first, then authority, then the newest.

        Of two manuals of one rank that of the lesser id counts.
        """
        ...


class SqliteFacts:
    """The facts in a publication's own file."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def load(self, model: str, language: Language, within: Collection[str]) -> ModelFacts | None:
        """Facts of a model from its manual among some documents, as `FactBook` says."""
        rows = self._db.execute(
            "SELECT document, content FROM facts WHERE model = ? AND json_extract(content, '$.kind') IS NOT NULL"
            " ORDER BY (language = ?) DESC, authority DESC, effective_date DESC, document",
            (model, language),
        )
        content = next((content for document, content in rows if document in within), None)
        return ModelFacts.model_validate_json(content) if content else None
