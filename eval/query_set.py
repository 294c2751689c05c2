"""The test queries of the knowledge base, and the golden values of its formulas: data in `eval/queries/`.

`knowledge.jsonl` holds queries in people's words. `readings.jsonl` holds instruments as seen; `rag.queries` turns their
fields into the template queries, so that these are asked in the very words of the product. `formulas.jsonl` holds values
worked by hand. `development.jsonl` holds further questions that ranking is tuned on and no reported number counts. What
answers a query is named by document, section and a pattern of the answering words, never by the id
of a chunk: the set survives another way of cutting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, ValidationError, field_validator, model_validator

from eval.score import EvalError
from knowledge.articles import Chunk, Language, SemanticType
from rag.queries import Query, build_queries
from vision.fields import Contract, Finite, GaugeFields, InstrumentReading, UnitName

QUERY_FOLDER = Path(__file__).parent / "queries"

QuerySlice = Literal[
    "template",
    "english",
    "typo",
    "ocr_error",
    "chinese",
    "negative",
    "conditional",
    "numeric",
    "multi_hop",
    "other_model_trap",
    "unit",
    "unanswerable",
]


class Answer(Contract):
    """A place that answers: `anchor` is a regular expression found in the manual's own words of one chunk of `document`.

    `section` is the printed number of the section; "" leaves it open.
    """

    document: str
    section: str = ""
    anchor: Annotated[str, Field(min_length=1)]

    @field_validator("anchor")
    @classmethod
    def _anchor_is_a_pattern(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"anchor {value!r} is no regular expression: {error}") from error
        return value

    def holds(self, chunk: Chunk) -> bool:
        """Whether `chunk` is the place."""
        here = chunk.document == self.document and self.section in ("", chunk.section)
        return here and self.stands_in(chunk.verbatim)

    def stands_in(self, text: str) -> bool:
        """Whether the answering words stand in a text, wherever it is from."""
        return re.search(self.anchor, text) is not None


class QueryCase(Contract):
    """One test query. Any of `answers` is right; `via` are the places that lead there (multi-hop); both empty: not stated.

    `model` is the instrument that the asker stands before, given to the search beside the text; None where the text alone
    must say it. `authority` is the document that has the last word. `query_name` is the template's name.
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")]
    slice: QuerySlice
    language: Language
    text: Annotated[str, Field(min_length=1)]
    model: str | None = None
    answers: tuple[Answer, ...] = ()
    via: tuple[Answer, ...] = ()
    authority: str | None = None
    query_name: str | None = None
    semantic_type: SemanticType | None = None
    note: str = ""

    @model_validator(mode="after")
    def _answers_fit_the_slice(self) -> QueryCase:
        if (self.slice == "unanswerable") != (not self.answers):
            raise ValueError(f"{self.id}: a query has no answers exactly where it is unanswerable")
        if (self.slice == "multi_hop") != bool(self.via):
            raise ValueError(f"{self.id}: places on the way (`via`) belong to multi-hop queries, and to all of them")
        if self.answers and self.authority not in {answer.document for answer in self.answers}:
            raise ValueError(f"{self.id}: the authority {self.authority!r} is not among the answering documents")
        if not self.answers and (self.authority is not None or not self.note):
            raise ValueError(f"{self.id}: an unanswerable query has no authority, and a note that says what is missing")
        return self

    def answered_by(self, chunk: Chunk) -> bool:
        """Whether a chunk is one of the answers."""
        return any(answer.holds(chunk) for answer in self.answers)

    def rank(self, chunks: Sequence[Chunk]) -> int | None:
        """Rank (from 1) of the first answering chunk in a list of hits, or None where there is none."""
        return next((place for place, chunk in enumerate(chunks, 1) if self.answered_by(chunk)), None)

    def rank_on_the_way(self, chunks: Sequence[Chunk]) -> int | None:
        """Rank (from 1) of the first chunk that answers or leads to the answer; differs from `rank` for multi-hop queries."""
        ways = (*self.answers, *self.via)
        return next((place for place, chunk in enumerate(chunks, 1) if any(way.holds(chunk) for way in ways)), None)

    def complete_at(self, chunks: Sequence[Chunk]) -> int | None:
        """How many of the first hits are needed until an answer and every place on the way are among them; None: never."""
        ranks = [self.rank(chunks)]
        ranks += [next((place for place, chunk in enumerate(chunks, 1) if way.holds(chunk)), None) for way in self.via]
        found = [rank for rank in ranks if rank is not None]
        return max(found) if len(found) == len(ranks) else None


class SeenInstrument(Contract):
    """An instrument as read from a photo, and the document of its manual: what template queries are made from.

    `not_stated` names template queries that the fields raise and that the manual has no answer to.
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")]
    model: str
    document: str
    language: Language
    fields: GaugeFields
    not_stated: tuple[str, ...] = ()


class FormulaCase(Contract):
    """A value worked by hand from the manual's text, tolerance `abs_tol` in `unit`.

    `fields` are in the contract's frame (degrees clockwise from 6 o'clock) whatever frame the manual counts in; `value`
    is None where the manual gives none there (the pointer is off the scale). `worked` shows the arithmetic.
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")]
    model: str
    language: Language = "en"
    fields: GaugeFields
    value: Finite | None
    unit: UnitName | None
    abs_tol: Annotated[float, Field(gt=0)] = 1e-6
    worked: Annotated[str, Field(min_length=1)]

    @model_validator(mode="after")
    def _value_has_a_unit(self) -> FormulaCase:
        if (self.value is None) != (self.unit is None):
            raise ValueError(f"{self.id}: value and unit go together")
        return self


Case = TypeVar("Case", QueryCase, SeenInstrument, FormulaCase)

ANSWER_ANCHORS: dict[Language, dict[str, str]] = {
    "en": {
        "gauge_calibration_formula": r"`[^`=]+=[^`]+`|\| Pointer angle",
        "unit_declaration": r"[Uu]nit of [a-z ]+ is ",
        "angle_origin_declaration": r"pointer angle is counted from",
        "angle_range_declaration": r"formula is valid for|\| Pointer angle",
        "measuring_range": r"(?:measuring|display) range is",
        "operating_limits": r"\| State \|",
        "warning_light_color_meaning_{value}": r"(?m)^\| {value} \|",
        "mode_dial_meaning_{value}": r"(?m)^\| {value} \|",
        "digital_readout_meaning": r"digits are the reading|`[^`]*digital readout[^`]*`",
        "emergency_shutdown_procedure": r"(?m)^1\. ",
    },
    "zh": {
        "gauge_calibration_formula": r"`[^`=]+=[^`]+`",
        "unit_declaration": r"的单位为",
        "angle_origin_declaration": r"指针角度从",
        "angle_range_declaration": r"公式适用于",
        "measuring_range": r"(?:测量|显示)范围为",
        "operating_limits": r"\| 状态 \|",
        "warning_light_color_meaning_{value}": r"(?m)^\| {value} \|",
        "mode_dial_meaning_{value}": r"(?m)^\| {value} \|",
        "digital_readout_meaning": r"数字即读数",
        "emergency_shutdown_procedure": r"(?m)^1\. ",
    },
}
"""What the answer to a template query looks like, by the name of the query, in any shipped manual."""

_COLOR_WORDS: dict[Language, dict[str, str]] = {
    "en": {"red": "Red", "yellow": "Yellow", "green": "Green", "off": "Off"},
    "zh": {"red": "红色", "yellow": "黄色", "green": "绿色", "off": "熄灭"},
}


def load_query_set(folder: Path = QUERY_FOLDER) -> tuple[QueryCase, ...]:
    """All test queries: template queries first, then people's. Raises EvalError on a bad line or a double id."""
    cases = (*build_template_cases(read_lines(folder / "readings.jsonl", SeenInstrument)), *read_people_queries(folder))
    return _unique(cases, folder)


def read_people_queries(folder: Path = QUERY_FOLDER) -> tuple[QueryCase, ...]:
    """Queries in people's words. Raises EvalError on a bad line."""
    return read_lines(folder / "knowledge.jsonl", QueryCase)


def read_development_queries(folder: Path = QUERY_FOLDER) -> tuple[QueryCase, ...]:
    """Questions to tune on; none of them is reported. Raises EvalError on a bad line or a double id."""
    return _unique(read_lines(folder / "development.jsonl", QueryCase), folder)


def load_formula_cases(folder: Path = QUERY_FOLDER) -> tuple[FormulaCase, ...]:
    """Golden values of the formulas. Raises EvalError on a bad line or a double id."""
    return _unique(read_lines(folder / "formulas.jsonl", FormulaCase), folder)


def read_lines(path: Path, kind: type[Case]) -> tuple[Case, ...]:
    """One model for each line of a JSON-lines file; empty lines are passed over. Raises EvalError naming the line."""
    found: list[Case] = []
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EvalError(f"{path}: cannot be read as UTF-8 text: {error}") from error
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            found.append(kind.model_validate_json(line))
        except ValidationError as error:
            faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
            raise EvalError(f"{path}:{number}: not a {kind.__name__}: {faults}") from error
    return tuple(found)


def build_template_cases(instruments: Iterable[SeenInstrument]) -> tuple[QueryCase, ...]:
    """The queries that `rag` itself asks about each instrument seen, with the place in its manual that answers.

    Two instruments of one model that raise the same query raise it once. Raises EvalError for a query without an anchor.
    """
    cases: dict[tuple[str, str], QueryCase] = {}
    for seen in instruments:
        reading = as_reading(seen.model, seen.fields)
        for query in build_queries(reading, seen.language):
            cases.setdefault((seen.document, query.name), _template_case(seen, query))
    return tuple(cases.values())


def as_reading(model: str, fields: GaugeFields) -> InstrumentReading:
    """A reading with these fields and no value of its own; the needle is exact to a thousandth of a degree."""
    data = {"kind": fields.kind, "instrument_model": model, "model_source": "given", "box": (0, 0, 100, 100)}
    return InstrumentReading.model_validate({**data, "fields": fields, "status": "read"})


def _template_case(seen: SeenInstrument, query: Query) -> QueryCase:
    stated = query.name not in seen.not_stated
    return QueryCase(
        id=f"t-{seen.document}-{query.name}",
        slice="template" if stated else "unanswerable",
        language=seen.language,
        text=query.text,
        model=seen.model,
        answers=(Answer(document=seen.document, anchor=answer_anchor(query.name, seen)),) if stated else (),
        authority=seen.document if stated else None,
        query_name=query.name,
        semantic_type=query.semantic_type,
        note="" if stated else f"the manual of {seen.model} does not say",
    )


def answer_anchor(query_name: str, seen: SeenInstrument) -> str:
    """The pattern of what answers a template query about an instrument. Raises EvalError for a name without one."""
    anchors = ANSWER_ANCHORS[seen.language]
    if query_name in anchors:
        return anchors[query_name]
    stem, _, value = query_name.rpartition("_")
    pattern = anchors.get(f"{stem}_{{value}}")
    if pattern is None:
        raise EvalError(f"no anchor for the query {query_name!r}; known: {', '.join(anchors)}")
    return pattern.replace("{value}", _COLOR_WORDS[seen.language].get(value, value))


def _unique(cases: Sequence[Case], folder: Path) -> tuple[Case, ...]:
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise EvalError(f"{folder}: the id {case.id!r} is used twice")
        seen.add(case.id)
    return tuple(cases)


@lru_cache(maxsize=1)
def shipped_query_set() -> tuple[QueryCase, ...]:
    """The shipped queries, read once."""
    return load_query_set()
