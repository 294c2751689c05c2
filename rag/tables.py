"""The tables behind the template engine, `queries.toml`: one row a field, a channel's part, a query, a kind, a colour.

A new instrument kind, a new query or a new follow-up is a row here; an unknown key or a row that is missing is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

from pydantic import Field, ValidationError

from knowledge.articles import SemanticType
from rag.errors import TemplateError
from rag.templates import Template, check_template, read_table
from vision.fields import KINDS, LAMP_COLORS, Channel, Contract, GaugeFields, InstrumentReading, Kind, UnitName
from vision.units import split_multiplier

RowName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_{}]*$", max_length=60)]


class FieldRow(Template):
    """A field's sentence and the queries it raises; `report` says whether the report states it."""

    name: RowName
    report: bool
    queries: tuple[str, ...]


class ChannelRow(Template):
    """How one part of a further needle, scale or display row is put."""

    name: RowName


class QueryRow(Template):
    """A meta-knowledge query; its name may hold slots too. `purpose` says what it is after, where the name does not."""

    name: RowName
    purpose: RowName | None = None
    semantic_type: SemanticType | None = None


class KindRow(Template):
    """The name of a kind, what it measures, and the queries that every reading of it raises beside its fields' own.

    A row with `of` refines a kind of the contract: it holds for readings of that kind in one of `units`.
    """

    name: RowName
    of: Kind | None = None
    units: tuple[UnitName, ...] = ()
    quantity: RowName = "reading"
    queries: tuple[str, ...] = ()


class ColorRow(Template):
    """The name of a lamp's colour."""

    name: RowName


class FollowedRow(Contract):
    """A query that is followed where `field` reads `equals`, or where the diagnosis comes to a `finding` (`lamp_*`: any of
    these)."""

    query: str
    field: str | None = None
    equals: str | None = None
    finding: str | None = None


class Tables(NamedTuple):
    """`queries.toml`, checked."""

    fields: Mapping[str, FieldRow]
    channels: Mapping[str, ChannelRow]
    queries: Mapping[str, QueryRow]
    kinds: Mapping[str, KindRow]
    colors: Mapping[str, ColorRow]
    followed: tuple[FollowedRow, ...]

    def kind_of(self, reading: InstrumentReading) -> KindRow:
        """The row of a reading's kind: one that refines it for the reading's unit, else the kind's own."""
        unit = reading.fields.unit or (split_multiplier(reading.unit)[1] if reading.unit else None)
        finer = (row for row in self.kinds.values() if row.of == reading.fields.kind and unit in row.units)
        return next(finer, self.kinds[reading.fields.kind])


@lru_cache(maxsize=1)
def tables() -> Tables:
    """The shipped tables. Raises TemplateError naming the bad row."""
    return build_tables(read_table("queries.toml"))


def build_tables(raw: Mapping[str, Any]) -> Tables:
    """Tables from parsed TOML. Raises TemplateError on unknown keys, double or missing rows, or slots that differ."""
    unknown = sorted(set(raw) - {"field", "channel", "query", "kind", "color", "followed"})
    if unknown:
        raise TemplateError(f"queries.toml: unknown tables {', '.join(unknown)}")
    try:
        built = Tables(
            fields={row.name: row for row in map(FieldRow.model_validate, _rows(raw, "field"))},
            channels={row.name: row for row in map(ChannelRow.model_validate, _rows(raw, "channel"))},
            queries={row.name: row for row in map(QueryRow.model_validate, _rows(raw, "query"))},
            kinds={row.name: row for row in map(KindRow.model_validate, _rows(raw, "kind"))},
            colors={row.name: row for row in map(ColorRow.model_validate, _rows(raw, "color"))},
            followed=tuple(FollowedRow.model_validate(row) for row in raw.get("followed", ())),
        )
    except ValidationError as error:
        raise TemplateError(f"queries.toml: {error}") from error
    named: tuple[Mapping[str, Template], ...] = (built.fields, built.channels, built.queries, built.kinds, built.colors)
    for rows in named:
        for name, row in rows.items():
            check_template(name, row)
    _check_rows(built)
    return built


def _rows(raw: Mapping[str, Any], table: str) -> list[Any]:
    """The rows of one table, each name once."""
    rows = list(raw.get(table, ()))
    names = [row.get("name") for row in rows]
    double = sorted({str(name) for name in names if names.count(name) > 1})
    if double:
        raise TemplateError(f"queries.toml: [[{table}]] has two rows for {', '.join(double)}")
    return rows


def _check_rows(built: Tables) -> None:
    raised = [*(row.queries for row in built.fields.values()), *(row.queries for row in built.kinds.values())]
    asked = {query for queries in raised for query in queries} | {row.query for row in built.followed}
    needs: dict[str, list[str]] = {
        "field": sorted(set(GaugeFields.model_fields) - set(built.fields)),
        "channel": sorted(set(Channel.model_fields) - set(built.channels)),
        "kind": sorted(set(KINDS) - set(built.kinds)),
        "color": sorted(set(LAMP_COLORS) - set(built.colors)),
        "query": sorted(asked - set(built.queries)),
    }
    for table, missing in needs.items():
        if missing:
            raise TemplateError(f"queries.toml: [[{table}]] has no row for {', '.join(missing)}")
    strangers = sorted(set(built.fields) - set(GaugeFields.model_fields))
    if strangers:
        raise TemplateError(f"queries.toml: [[field]] names no field of the contract: {', '.join(strangers)}")
    for row in built.followed:
        if (row.finding is None) == (row.field is None) or (row.field is None) != (row.equals is None):
            raise TemplateError(f"queries.toml: [[followed]] {row.query}: give a `finding`, or a `field` and what it `equals`")
        if row.field is not None and row.field not in built.fields:
            raise TemplateError(f"queries.toml: [[followed]] {row.query}: no field {row.field}")
    for kind in built.kinds.values():
        if bool(kind.of) != bool(kind.units):
            raise TemplateError(f"queries.toml: [[kind]] {kind.name}: `of` and `units` go together")
