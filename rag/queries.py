"""Template engine: what was seen on an instrument becomes sentences and meta-knowledge queries.

The tables are `queries.toml`: one row a field, a query, an instrument kind. Nothing heavy is imported here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import ValidationError

from knowledge.articles import Chunk, Language, SemanticType
from rag.errors import TemplateError
from rag.templates import Template, check_template, clean_text, read_table
from vision.fields import KINDS, LAMP_COLORS, Contract, GaugeFields, InstrumentReading

MAX_MODEL = 60


class Query(Contract):
    """One question to the manuals. `instrument` counts from 1; `field` is the field that asked for it."""

    name: str
    text: str
    language: Language
    instrument: int
    field: str
    semantic_type: SemanticType | None = None


class FieldRow(Template):
    """A field's sentence and the queries it raises; `report` says whether the report states it."""

    name: str
    report: bool
    queries: tuple[str, ...]


class QueryRow(Template):
    """A meta-knowledge query; its name may hold slots too."""

    name: str
    semantic_type: SemanticType | None = None


class NameRow(Template):
    """The name of a kind or a colour in both languages."""

    name: str


class FollowedRow(Contract):
    """A query that is followed when `field` reads `equals`, or when evidence refers to its procedure."""

    query: str
    field: str
    equals: str


class Tables(NamedTuple):
    """`queries.toml`, checked."""

    fields: Mapping[str, FieldRow]
    queries: Mapping[str, QueryRow]
    kinds: Mapping[str, NameRow]
    colors: Mapping[str, NameRow]
    followed: tuple[FollowedRow, ...]


@lru_cache(maxsize=1)
def tables() -> Tables:
    """The shipped tables. Raises TemplateError naming the bad row."""
    return build_tables(read_table("queries.toml"))


def build_tables(raw: Mapping[str, Any]) -> Tables:
    """Tables from parsed TOML. Raises TemplateError on unknown keys, missing rows or slots that differ."""
    unknown = sorted(set(raw) - {"field", "query", "kind", "color", "followed"})
    if unknown:
        raise TemplateError(f"queries.toml: unknown tables {', '.join(unknown)}")
    try:
        built = Tables(
            fields={row["name"]: FieldRow.model_validate(row) for row in raw.get("field", ())},
            queries={row["name"]: QueryRow.model_validate(row) for row in raw.get("query", ())},
            kinds={row["name"]: NameRow.model_validate(row) for row in raw.get("kind", ())},
            colors={row["name"]: NameRow.model_validate(row) for row in raw.get("color", ())},
            followed=tuple(FollowedRow.model_validate(row) for row in raw.get("followed", ())),
        )
    except (ValidationError, KeyError) as error:
        raise TemplateError(f"queries.toml: {error}") from error
    for name, row in (*built.fields.items(), *built.kinds.items(), *built.colors.items()):
        check_template(name, row)
    asked = {query for field in built.fields.values() for query in field.queries} | {row.query for row in built.followed}
    needs: dict[str, list[str]] = {
        "field": sorted(set(GaugeFields.model_fields) - set(built.fields)),
        "kind": sorted(set(KINDS) - set(built.kinds)),
        "color": sorted(set(LAMP_COLORS) - set(built.colors)),
        "query": sorted(asked - set(built.queries)),
    }
    for table, missing in needs.items():
        if missing:
            raise TemplateError(f"queries.toml: [[{table}]] has no row for {', '.join(missing)}")
    return built


def format_number(value: float, half_width: float | None = None) -> str:
    """A number for people, at most 6 decimals: as many as make its interval's half width 50 units of the last place."""
    if half_width is None or half_width <= 0:
        if 0 < abs(value) < 1e-5:
            return f"{value:.3g}"
        text = f"{value:.6f}" if abs(value) < 1e6 else f"{value:.0f}"
    else:
        decimals = 0
        while decimals < 6 and half_width * 10**decimals < 50:
            decimals += 1
        text = f"{value:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def reading_slots(reading: InstrumentReading, language: Language) -> dict[str, str]:
    """Slots that this reading can fill; what was not read has no slot, so a template that needs it raises."""
    fields, known = reading.fields, tables()
    slots: dict[str, str] = {"kind_name": known.kinds[fields.kind].fill(language, {})}
    numbers = ("pointer_angle", "start_angle", "end_angle", "scale_fraction", "scale_min", "scale_max", "scale_multiplier")
    for name in numbers:
        value: float | None = getattr(fields, name)
        if value is not None:
            slots[name] = format_number(round(value, 3 if name == "scale_fraction" else 2))
    if fields.warning_light_color is not None:
        slots["warning_light_color"] = fields.warning_light_color
        slots["color_name"] = known.colors[fields.warning_light_color].fill(language, {})
    if fields.mode_dial_position is not None:
        slots["mode_dial_position"] = str(fields.mode_dial_position)
    for name, text in (("digital_readout", fields.digital_readout), ("unit", fields.unit)):
        if text is not None:
            slots[name] = text
    if fields.clockwise is not None:
        slots["direction"] = direction_name(fields.clockwise, language)
    if fields.scale_points:
        slots["scale_points"] = ", ".join(
            f"{format_number(p.value)} ({format_number(round(p.angle, 1))}°)" for p in fields.scale_points
        )
    rows = [_channel_text(index, channel.model_dump(exclude_none=True)) for index, channel in enumerate(fields.channels, 1)]
    if rows:
        slots["channels"] = "; ".join(rows)
    if reading.instrument_model is not None and clean_text(reading.instrument_model):
        slots["instrument_model"] = clean_text(reading.instrument_model, MAX_MODEL)
    return slots


def _channel_text(index: int, seen: Mapping[str, Any]) -> str:
    parts = [
        clean_text(f"{key.replace('_', ' ')} {format_number(value) if isinstance(value, float) else value}", 60)
        for key, value in seen.items()
    ]
    return f"#{index} {', '.join(parts)}".strip()


def direction_name(clockwise: bool, language: Language) -> str:
    """`clockwise` or `counter-clockwise` in words."""
    if language == "zh":
        return "顺时针" if clockwise else "逆时针"
    return "clockwise" if clockwise else "counter-clockwise"


def seen_fields(reading: InstrumentReading) -> tuple[str, ...]:
    """Names of the fields that were read, in the contract's order."""
    return tuple(name for name in type(reading.fields).model_fields if getattr(reading.fields, name) not in (None, ()))


def field_sentence(name: str, reading: InstrumentReading, language: Language) -> str:
    """The sentence that states one field as seen. Raises TemplateError where the field was not read."""
    row = tables().fields.get(name)
    if row is None:
        raise TemplateError(f"there is no field {name!r}; known: {', '.join(tables().fields)}")
    return row.fill(language, reading_slots(reading, language))


def write_query(template_name: str, reading: InstrumentReading, language: Language, *, field: str, instrument: int) -> Query:
    """One query of the table, filled from the reading. Raises TemplateError on a missing slot or an unknown name."""
    row = tables().queries.get(template_name)
    if row is None:
        raise TemplateError(f"there is no query {template_name!r}; known: {', '.join(tables().queries)}")
    slots = reading_slots(reading, language)
    name = Template(en=row.name, zh=row.name).fill(language, slots)
    return Query(
        name=name,
        text=row.fill(language, slots),
        language=language,
        instrument=instrument,
        field=field,
        semantic_type=row.semantic_type,
    )


def build_queries(reading: InstrumentReading, language: Language, instrument: int = 1) -> tuple[Query, ...]:
    """All queries that the fields of one reading raise, each once, in the fields' order.

    Empty where the instrument's model is not known (no manual may be claimed) or nothing was read.
    """
    if reading.instrument_model is None or reading.status == "abstained":
        return ()
    found: dict[str, Query] = {}
    for field in seen_fields(reading):
        for template_name in tables().fields[field].queries:
            query = write_query(template_name, reading, language, field=field, instrument=instrument)
            found.setdefault(query.name, query)
    for row in tables().followed:
        if getattr(reading.fields, row.field) == row.equals:
            query = write_query(row.query, reading, language, field=row.field, instrument=instrument)
            found.setdefault(query.name, query)
    return tuple(found.values())


def follow_evidence(
    reading: InstrumentReading, language: Language, chunks: Iterable[Chunk], procedure_section: str | None, instrument: int = 1
) -> tuple[Query, ...]:
    """Queries that evidence raises: the procedure whose section one of the chunks refers to."""
    if reading.instrument_model is None or procedure_section is None:
        return ()
    if not any(procedure_section in chunk.refers_to for chunk in chunks):
        return ()
    return tuple(write_query(row.query, reading, language, field=row.field, instrument=instrument) for row in tables().followed)
