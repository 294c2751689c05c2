"""The tables of the template engine: what a row can do without code, and what a bad row is told."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from rag import tables as tables_module
from rag.errors import TemplateError
from rag.pipeline import Pipeline
from rag.queries import build_queries, reading_slots
from rag.tables import Tables, build_tables, tables
from rag.templates import read_table
from tests.rag.builders import make_photo, make_reading
from vision.fields import KINDS
from vision.units import UNIT_NAMES

NEW_KIND = """
[[kind]]
name = "hygrometer"
of = "dial"
units = ["%", "% RH"]
queries = ["drying_agent"]
en = "hygrometer"
zh = "湿度计"

[[query]]
name = "drying_agent"
en = "drying agent of {instrument_model}: when to renew it"
zh = "{instrument_model} 的干燥剂：何时更换"
"""
HUMID = {"value": 41.0, "value_low": 40.0, "value_high": 42.0, "value_source": "numerals", "unit": "% RH"}


@pytest.fixture
def with_new_kind(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tables]:
    """The shipped table with one kind and one query more, from TOML text alone."""
    raw, more = read_table("queries.toml"), tomllib.loads(NEW_KIND)
    joined = {**raw, **{name: [*rows, *more.get(name, ())] for name, rows in raw.items()}}
    monkeypatch.setattr(tables_module, "read_table", lambda name: joined)
    tables.cache_clear()
    yield tables()
    tables.cache_clear()


def test_a_new_instrument_kind_is_rows_and_no_code(with_new_kind: Tables, pipeline: Pipeline) -> None:
    reading = make_reading(model="HB-80", pointer_angle=100.0, **HUMID)
    assert reading_slots(reading, "en")["kind_name"] == "hygrometer"
    assert "drying_agent" in {query.name for query in build_queries(reading, "zh")}
    for language, name in (("en", "hygrometer"), ("zh", "湿度计")):
        found = pipeline.inspect(make_photo(reading), language)  # type: ignore[arg-type]
        assert found.report is not None
        assert name in found.report.markdown
        assert "drying_agent" in {query.name for query in found.queries}
        assert all(statement.supported for statement in found.report.statements)


def test_the_new_kind_holds_for_its_units_alone(with_new_kind: Tables) -> None:
    volts = {**HUMID, "unit": "V"}
    assert with_new_kind.kind_of(make_reading(pointer_angle=1.0, **volts)).name == "voltmeter"
    assert with_new_kind.kind_of(make_reading(pointer_angle=1.0)).name == "dial"
    assert with_new_kind.kind_of(make_reading("digital", **HUMID)).name == "digital"


def test_without_the_rows_there_is_no_such_kind() -> None:
    assert reading_slots(make_reading(**HUMID), "en")["kind_name"] == "pointer gauge"


@pytest.mark.parametrize("unit", [None, *UNIT_NAMES])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_and_unit_has_a_name(kind: str, unit: str | None) -> None:
    reading = make_reading(kind, **{**HUMID, "unit": unit})
    row = tables().kind_of(reading)
    assert row.name == kind or row.of == kind
    assert row.en
    assert row.zh


def test_a_multiplied_unit_is_the_same_kind() -> None:
    assert tables().kind_of(make_reading(**{**HUMID, "unit": "x1000 r/min"})).name == "tachometer"


def test_what_the_face_prints_comes_before_what_the_value_carries() -> None:
    reading = make_reading(**{**HUMID, "unit": "bar"})
    printed = reading.model_copy(update={"fields": reading.fields.model_copy(update={"unit": "°C"})})
    assert tables().kind_of(printed).name == "thermometer"


ROW = {"name": "x", "en": "x", "zh": "x"}


@pytest.mark.parametrize(
    ("table", "rows", "message"),
    [
        ("kind", [{**ROW, "of": "dial"}], "go together"),
        ("kind", [{**ROW, "units": ["bar"]}], "go together"),
        ("kind", [{**ROW, "of": "clock", "units": ["bar"]}], "clock|kind"),
        ("kind", [{**ROW, "of": "dial", "units": ["furlong"]}], "furlong"),
        ("kind", [{**ROW, "queries": ["no_such_query"]}], "no_such_query"),
        ("kind", [ROW, ROW], "two rows for x"),
        ("query", [{**ROW, "semantic_type": "poem"}], "semantic_type"),
        ("query", [{**ROW, "colour": "red"}], "colour"),
        ("query", [{"name": "x", "en": "{a}", "zh": "{b}"}], "different slots"),
        ("query", [{**ROW, "name": "Not A Name"}], "name"),
        ("query", [{"en": "x", "zh": "x"}], "name"),
        ("field", [{**ROW, "report": True, "queries": []}], "names no field of the contract: x"),
        ("followed", [{"query": "maintenance"}], "give a `finding`"),
        ("followed", [{"query": "maintenance", "field": "unit"}], "what it `equals`"),
        ("followed", [{"query": "maintenance", "finding": "a", "field": "unit", "equals": "b"}], "give a `finding`"),
        ("followed", [{"query": "maintenance", "field": "no_field", "equals": "b"}], "no field no_field"),
        ("followed", [{"query": "no_such_query", "finding": "a"}], "no_such_query"),
        ("channel", [{**ROW, "hidden": 1}], "hidden"),
    ],
)
def test_a_bad_row_is_named(table: str, rows: list[dict[str, Any]], message: str) -> None:
    raw = read_table("queries.toml")
    with pytest.raises(TemplateError, match=message):
        build_tables({**raw, table: [*raw[table], *rows]})


def test_a_part_of_a_channel_without_a_row_is_named() -> None:
    raw = read_table("queries.toml")
    with pytest.raises(TemplateError, match=r"\[\[channel\]\] has no row for label"):
        build_tables({**raw, "channel": raw["channel"][1:]})
