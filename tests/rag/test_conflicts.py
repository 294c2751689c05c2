"""Documents that contradict each other: settled by the protocol, or said and not used."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from rag.conflicts import find_clashes, settled, without_clashes
from rag.pipeline import Pipeline
from tests.rag.builders import SmallKnowledge, make_chunk, make_facts, make_photo, make_reading

FIRST = "The formula gives the pressure: `pressure = (pointer angle - 30) / 2.5`."
OTHER = "The formula gives the pressure: `pressure = (pointer angle - 45) / 2.7`."


def chunk(id: str, text: str, document: str = "t-1-en", **changes: Any) -> Any:
    return make_chunk(id, text, document=document, semantic_type="formula", **changes)


def test_the_same_statement_twice_is_no_clash() -> None:
    assert find_clashes([chunk("f", FIRST), chunk("g", FIRST, "other-en")], make_facts()) == ()


def test_two_formulas_of_equal_documents_clash() -> None:
    (clash,) = find_clashes([chunk("f", FIRST), chunk("g", OTHER, "other-en", title="Other manual")], make_facts())
    assert clash.topic == "formula"
    assert clash.places == ("T-1 Manual §1 (v1)", "Other manual §1 (v1)")


def test_one_document_against_itself_clashes() -> None:
    assert [c.topic for c in find_clashes([chunk("f", FIRST), chunk("g", OTHER)], make_facts())] == ["formula"]


def test_other_models_and_languages_do_not_count() -> None:
    assert find_clashes([chunk("f", FIRST), chunk("g", OTHER, models=("T-2",))], make_facts()) == ()
    assert find_clashes([chunk("f", FIRST), chunk("g", OTHER, language="zh")], make_facts()) == ()


NEW, OLD = {"effective_date": date(2025, 1, 1)}, {"effective_date": date(2020, 1, 1)}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({}, {}, False),
        (NEW, OLD, True),
        (NEW | {"authority": "forum"}, OLD, False),
        (NEW, OLD | {"authority": "forum"}, True),
        ({}, {"authority": "forum"}, True),
        ({"authority": "notice"}, {"authority": "notice"}, False),
    ],
)
def test_newer_then_more_authoritative(first: Any, second: Any, expected: bool) -> None:
    a, b = make_chunk("a", document="a-en", **first), make_chunk("b", document="b-en", **second)
    assert settled(a, b) is expected
    assert settled(b, a) is expected


def test_what_is_in_dispute_is_taken_out_of_the_facts() -> None:
    clashes = find_clashes([chunk("f", FIRST), chunk("g", OTHER)], make_facts())
    assert without_clashes(make_facts(), clashes).formula is None
    assert without_clashes(make_facts(), ()) == make_facts()


def test_the_report_names_the_conflict_and_gives_no_value() -> None:
    chunks = [chunk("f", FIRST), chunk("g", OTHER, "other-en", title="Other manual")]
    chunks += [make_chunk(id, "The unit of pressure is MPa.") for id in ("u", "a", "r", "l", "c", "m", "e")]
    reading = make_reading(model="T-1", pointer_angle=137.2)
    for language, words in (("en", "Documents conflict on the calibration formula; consult"), ("zh", "资料冲突，建议查阅")):
        found = Pipeline(SmallKnowledge(make_facts(), chunks)).inspect(make_photo(reading), language)  # type: ignore[arg-type]
        assert found.reading.instruments[0].value is None
        assert found.report is not None
        (statement,) = [one for one in found.report.statements if words in one.text]
        assert set(statement.citations) == {"f", "g"}
        assert statement.supported
        assert "42.88" not in found.report.markdown
        assert {"f", "g"} <= {one.chunk for one in found.evidence}
