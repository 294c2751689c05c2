"""Template engine: what was seen on an instrument becomes sentences and meta-knowledge queries.

The rows are those of `rag.tables`. Nothing heavy is imported here.
"""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Iterable, Mapping

from knowledge.articles import Chunk, Language, SemanticType
from rag.errors import TemplateError
from rag.tables import tables
from rag.templates import Template, clean_text
from vision.fields import Channel, Contract, InstrumentReading

MAX_MODEL = 60
MAX_LABEL = 60


class Query(Contract):
    """One question to the manuals. `instrument` counts from 1; `field` is the field that asked for it.

    `purpose` is the name under which people know the question (`unit_declaration_for_pressure`); None: `name` itself.
    """

    name: str
    purpose: str | None = None
    text: str
    language: Language
    instrument: int
    field: str
    semantic_type: SemanticType | None = None


def format_number(value: float, half_width: float | None = None) -> str:
    """A number for people, at most 12 decimals: as many as make its interval's half width 50 units of the last place."""
    if half_width is None or half_width <= 0:
        if 0 < abs(value) < 1e-5:
            return f"{value:.{2 - math.floor(math.log10(abs(value)))}f}" if abs(value) > 1e-12 else f"{value:.3g}"
        text = f"{value:.6f}" if abs(value) < 1e6 else f"{value:.0f}"
    else:
        decimals = 0
        while decimals < 12 and half_width * 10**decimals < 50:
            decimals += 1
        text = f"{value:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def reading_slots(reading: InstrumentReading, language: Language) -> dict[str, str]:
    """Slots that this reading can fill; what was not read has no slot, so a template that needs it raises."""
    fields, known = reading.fields, tables()
    slots: dict[str, str] = {"kind_name": known.kind_of(reading).fill(language, {})}
    for name, decimals in (("pointer_angle", 2), ("start_angle", 2), ("end_angle", 2), ("scale_fraction", 3)):
        seen: float | None = getattr(fields, name)
        if seen is not None:
            slots[name] = format_number(round(seen, decimals))
    for name in ("scale_min", "scale_max", "scale_multiplier"):
        # What is printed on the face is said as it is: rounded, a multiplier of 0.001 would become 0.
        printed: float | None = getattr(fields, name)
        if printed is not None:
            slots[name] = format_number(printed)
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
    rows = [_channel_text(channel, language) for channel in fields.channels]
    if any(rows):
        slots["channels"] = "; ".join(f"#{number} {row}" for number, row in enumerate(rows, 1) if row)
    if reading.instrument_model is not None and clean_text(reading.instrument_model):
        slots["instrument_model"] = clean_text(reading.instrument_model, MAX_MODEL)
    return slots


def _channel_text(channel: Channel, language: Language) -> str:
    """What was read of one channel, part by part; empty where nothing was."""
    parts: list[str] = []
    for name, value in channel.model_dump(exclude_none=True).items():
        text = clean_text(format_number(value) if isinstance(value, float) else str(value), MAX_LABEL)
        if text:
            parts.append(tables().channels[name].fill(language, {name: text}))
    return (", " if language == "en" else "，").join(parts)


def direction_name(clockwise: bool, language: Language) -> str:
    """`clockwise` or `counter-clockwise` in words."""
    if language == "zh":
        return "顺时针" if clockwise else "逆时针"
    return "clockwise" if clockwise else "counter-clockwise"


def seen_fields(reading: InstrumentReading) -> tuple[str, ...]:
    """Names of the fields that were read, in the contract's order; a channel of which nothing was read is none."""
    names = [name for name in type(reading.fields).model_fields if getattr(reading.fields, name) not in (None, ())]
    if not any(_channel_text(channel, "en") for channel in reading.fields.channels):
        names = [name for name in names if name != "channels"]
    return tuple(names)


def field_sentence(name: str, reading: InstrumentReading, language: Language) -> str:
    """The sentence that states one field as seen. Raises TemplateError where the field was not read."""
    row = tables().fields.get(name)
    if row is None:
        raise TemplateError(f"there is no field {name!r}; known: {', '.join(tables().fields)}")
    return row.fill(language, reading_slots(reading, language))


def write_query(
    template_name: str,
    reading: InstrumentReading,
    language: Language,
    *,
    field: str,
    instrument: int,
    found: Mapping[str, str] | None = None,
) -> Query:
    """One query of the table, filled from the reading and from what was `found` in the manual (a section's title).

    Raises TemplateError on a missing slot or an unknown name.
    """
    row = tables().queries.get(template_name)
    if row is None:
        raise TemplateError(f"there is no query {template_name!r}; known: {', '.join(tables().queries)}")
    slots = {**reading_slots(reading, language), "quantity": tables().kind_of(reading).quantity, **(found or {})}

    def named(name: str) -> str:
        return Template(en=name, zh=name).fill(language, slots)

    return Query(
        name=named(row.name),
        purpose=named(row.purpose) if row.purpose is not None else None,
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
    known = tables()
    for field in seen_fields(reading):
        own = known.kind_of(reading).queries if field == "kind" else ()
        for template_name in (*known.fields[field].queries, *own):
            query = write_query(template_name, reading, language, field=field, instrument=instrument)
            found.setdefault(query.name, query)
    for row in known.followed:
        if row.field is not None and getattr(reading.fields, row.field) == row.equals:
            query = write_query(row.query, reading, language, field=row.field, instrument=instrument)
            found.setdefault(query.name, query)
    return tuple(found.values())


def follow_findings(
    reading: InstrumentReading, language: Language, findings: Iterable[str], instrument: int = 1
) -> tuple[Query, ...]:
    """Queries that the diagnosis raises by the names of its findings, each once, in the table's order."""
    if reading.instrument_model is None:
        return ()
    met = tuple(findings)
    rows = (row for row in tables().followed if row.finding is not None and fnmatch.filter(met, row.finding))
    names = dict.fromkeys(row.query for row in rows)
    return tuple(write_query(name, reading, language, field="kind", instrument=instrument) for name in names)


def follow_evidence(
    reading: InstrumentReading, language: Language, chunks: Iterable[Chunk], procedure_section: str | None, instrument: int = 1
) -> tuple[Query, ...]:
    """Queries that evidence raises: the procedure whose section one of the chunks refers to."""
    if reading.instrument_model is None or procedure_section is None:
        return ()
    if not any(procedure_section in chunk.refers_to for chunk in chunks):
        return ()
    rows = [row for row in tables().followed if row.field is not None]
    return tuple(write_query(row.query, reading, language, field=row.field or "kind", instrument=instrument) for row in rows)
