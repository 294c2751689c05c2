"""Laying out a report: which sentence stands in which part, and an instrument's headline. The rows are in `layout.toml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from knowledge.articles import Language
from rag.errors import TemplateError
from rag.material import value_slots
from rag.queries import reading_slots
from rag.report import PARTS, TONES, Headline, Part, PartName, Statement, Tone
from rag.status import STATUSES, Assessment, Status
from rag.templates import Template, check_template, read_table, read_templates, sentence
from vision.fields import Contract, InstrumentReading

LEAST_CONFIDENCE = 0.5
"""A value that is as likely outside its interval as inside it is called unsure, whatever range it lies in."""


class PartRow(Contract):
    """Sentences that stand in a part; `*` in a name stands for anything."""

    name: PartName
    sentences: tuple[str, ...]


class StatusRow(Template):
    """What a headline says where a section holds a sentence of this name."""

    sentence: str
    tone: Tone


class Layout(NamedTuple):
    """`layout.toml`, checked."""

    parts: tuple[PartRow, ...]
    tones: Mapping[Status, Tone]
    statuses: tuple[StatusRow, ...]


@lru_cache(maxsize=1)
def layout() -> Layout:
    """The shipped layout. Raises TemplateError naming what is wrong."""
    return build_layout(read_table("layout.toml"))


def build_layout(raw: Mapping[str, Any]) -> Layout:
    """A layout from parsed TOML. Raises TemplateError on unknown tables, keys, parts or tones."""
    unknown = sorted(set(raw) - {"part", "tone", "status"})
    if unknown:
        raise TemplateError(f"layout.toml: unknown tables {', '.join(unknown)}")
    try:
        parts = tuple(PartRow.model_validate(row) for row in raw.get("part", ()))
        tones = TypeAdapter(dict[Status, Tone]).validate_python(raw.get("tone", {}))
        statuses = tuple(StatusRow.model_validate(row) for row in raw.get("status", ()))
    except ValidationError as error:
        raise TemplateError(f"layout.toml: {error}") from error
    missing = [status for status in STATUSES if status not in tones]
    if missing:
        raise TemplateError(f"layout.toml: [tone] has no {', '.join(missing)}")
    for row in statuses:
        check_template(row.sentence, row)
    return Layout(parts, tones, statuses)


def label(name: str, language: Language, /, **slots: str) -> str:
    """A heading or name of `labels.toml`. Raises TemplateError where there is none or a slot is missing."""
    template = read_templates("labels.toml").get(name)
    if template is None:
        raise TemplateError(f"there is no label {name!r} in labels.toml")
    return template.fill(language, slots)


def part_of(sentence_name: str) -> PartName:
    """The part in which a sentence stands."""
    rows = (row.name for row in layout().parts if any(fnmatchcase(sentence_name, one) for one in row.sentences))
    return next(rows, "meaning")


def build_parts(said: Iterable[tuple[str, Statement]]) -> tuple[Part, ...]:
    """Statements, each with the name of its sentence, sorted into parts; within a part their order stays."""
    placed: dict[PartName, list[Statement]] = {name: [] for name in PARTS}
    for name, statement in said:
        placed[part_of(name)].append(statement)
    return tuple(Part(name=name, statements=tuple(found)) for name, found in placed.items() if found)


def build_headline(reading: InstrumentReading, names: Sequence[str], assessment: Assessment, language: Language) -> Headline:
    """The headline of an instrument in the state of `assessment` whose section holds the sentences `names`."""
    rows = [row for row in layout().statuses if any(fnmatchcase(name, row.sentence) for name in names)]
    words = [sentence(f"status_{assessment.status}", language), *(row.fill(language, {}) for row in rows)]
    tones = [layout().tones[assessment.status], *(row.tone for row in rows)]
    if reading.value is not None and reading.value_confidence < LEAST_CONFIDENCE:
        words.append(label("unsure", language))
        tones.append("attention")
    return Headline(
        value=shown_value(reading, language),
        interval=_interval(reading, language),
        status=("；" if language == "zh" else "; ").join(dict.fromkeys(words)),
        tone=min(tones, key=TONES.index),
        confidence=reading.value_confidence if reading.value is not None else None,
    )


def shown_value(reading: InstrumentReading, language: Language) -> str | None:
    """What a read instrument shows, with its unit: a value, a colour, a position or digits; None where nothing."""
    if reading.status != "read":
        return None
    numbers = value_slots(reading)
    if numbers:
        return " ".join(numbers[name] for name in ("value", "unit") if name in numbers)
    slots = reading_slots(reading, language)
    if "mode_dial_position" in slots:
        return label("position", language, number=slots["mode_dial_position"])
    return slots.get("color_name") or slots.get("digital_readout")


def _interval(reading: InstrumentReading, language: Language) -> str | None:
    numbers = value_slots(reading)
    if not numbers:
        return None
    unit = {"unit": numbers["unit"]} if "unit" in numbers else {}
    name = "interval" if unit else "interval_no_unit"
    return label(name, language, low=numbers["value_low"], high=numbers["value_high"], **unit)
