"""Documents that contradict each other: settled by the protocol, or said and not used."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from rag.conflicts import apply_clashes, find_clashes, rule_between
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
    ("first", "second", "winner", "rule"),
    [
        ({}, {}, None, None),
        (NEW, OLD, "a", "newer"),
        (OLD, NEW, "b", "newer"),
        # The newer document counts even where it is the less authoritative ...
        (NEW | {"authority": "notice"}, OLD, "a", "newer"),
        # ... but a forum post settles nothing against what somebody answers for.
        (NEW | {"authority": "forum"}, OLD, "b", "more_authoritative"),
        (NEW | {"authority": "forum"}, OLD | {"authority": "forum"}, "a", "newer"),
        ({}, {"authority": "forum"}, "a", "more_authoritative"),
        ({"authority": "notice"}, {}, "b", "more_authoritative"),
        ({"authority": "notice"}, {"authority": "notice"}, None, None),
        ({"models": ("T-1", "T-2")}, {}, "b", "more_specific"),
        ({"models": ("T-1", "T-2"), **NEW}, OLD, "a", "newer"),
        ({"models": ("T-1", "T-2"), "authority": "specification"}, {"authority": "procedure"}, "a", "more_authoritative"),
    ],
)
def test_newer_then_more_authoritative_then_more_specific(first: Any, second: Any, winner: str | None, rule: str | None) -> None:
    a, b = make_chunk("a", document="a-en", **first), make_chunk("b", document="b-en", **second)
    for ruling in (rule_between(a, b), rule_between(b, a)):
        assert (ruling.winner.id if ruling.winner else None, ruling.rule) == (winner, rule)


def test_one_document_is_never_settled_against_itself() -> None:
    assert rule_between(make_chunk("a", **NEW), make_chunk("b", **OLD)) == (None, None)


def test_what_is_in_dispute_is_taken_out_of_the_facts() -> None:
    chunks = [chunk("f", FIRST), chunk("g", OTHER)]
    clashes = find_clashes(chunks, make_facts())
    assert apply_clashes(make_facts(), clashes, chunks).formula is None
    assert apply_clashes(make_facts(), (), chunks) == make_facts()


LAMPS = "| Lamp colour | Meaning | Action |\n|---|---|---|\n| Red | {} | {} |"


def lamp(id: str, meaning: str, **changes: Any) -> Any:
    return make_chunk(id, LAMPS.format(meaning, "Stop."), semantic_type="lamp", **changes)


def test_a_newer_notice_gives_the_meaning_of_a_lamp() -> None:
    chunks = [lamp("c", "Over-pressure", **OLD), lamp("n", "Door open", document="notice-en", authority="notice", **NEW)]
    (clash,) = find_clashes(chunks, make_facts())
    assert (clash.topic, clash.rule, clash.first.chunk, clash.second.chunk) == ("lamp", "newer", "n", "c")
    settled = apply_clashes(make_facts(), [clash], chunks).lamp("red")
    assert settled is not None
    assert (settled.meaning, settled.chunk) == ("Door open", "n")


def test_an_older_or_unofficial_statement_changes_nothing() -> None:
    own = lamp("c", "Over-pressure", **NEW)
    for rival in (lamp("n", "Door open", document="old-en", **OLD), lamp("n", "Dirty plug", document="f-en", authority="forum")):
        clashes = find_clashes([own, rival], make_facts())
        assert [clash.first.chunk for clash in clashes] == ["c"]
        assert clashes[0].rule is not None
        assert apply_clashes(make_facts(), clashes, [own, rival]) == make_facts()


def test_a_formula_of_a_newer_document_is_not_mixed_with_the_frame_of_the_old_one() -> None:
    chunks = [chunk("f", FIRST, **OLD), chunk("g", OTHER, "new-en", **NEW)]
    (clash,) = find_clashes(chunks, make_facts())
    assert clash.rule is None
    assert apply_clashes(make_facts(), [clash], chunks).formula is None


LIMITS = "| State | Pressure | What to do |\n|---|---|---|\n| Normal | 0 to {0} {1} | None. |\n| Alarm | above {0} {1} | Stop. |"


def limits(id: str, end: str, unit: str = "MPa", **changes: Any) -> Any:
    return make_chunk(id, LIMITS.format(end, unit), semantic_type="table", **changes)


def test_limits_of_two_documents_are_compared_in_one_unit() -> None:
    same = [limits("l", "80", **OLD), limits("n", "800", "bar", document="n-en", **NEW)]
    assert find_clashes(same, make_facts()) == ()
    other_quantity = [limits("l", "80", **OLD), limits("n", "60", "°C", document="n-en", **NEW)]
    assert find_clashes(other_quantity, make_facts()) == ()
    chunks = [limits("l", "80", **OLD), limits("n", "70", document="n-en", **NEW)]
    (clash,) = find_clashes(chunks, make_facts())
    assert (clash.topic, clash.rule) == ("limits", "newer")
    assert [fact.high for fact in apply_clashes(make_facts(), [clash], chunks).limits] == [70.0, None]


def test_limits_that_nothing_settles_judge_no_value() -> None:
    chunks = [limits("l", "80"), limits("n", "70", document="n-en")]
    (clash,) = find_clashes(chunks, make_facts())
    assert clash.rule is None
    assert apply_clashes(make_facts(), [clash], chunks).limits == ()


@pytest.mark.parametrize(("language", "words"), [("en", "counts, because it is newer"), ("zh", "较新")])
def test_a_settled_conflict_is_shown_with_both_sources(language: Any, words: str) -> None:
    chunks = [lamp("c", "Over-pressure", **OLD), lamp("n", "Door open", document="notice-en", title="Notice", **NEW)]
    chunks += [make_chunk(id, "The unit of pressure is MPa.") for id in ("u", "a", "r", "l", "f", "m", "e")]
    photo = make_photo(make_reading("lamp", model="T-1", warning_light_color="red"))
    found = Pipeline(SmallKnowledge(make_facts(), chunks)).inspect(photo, language)  # type: ignore[arg-type]
    assert found.report is not None
    (statement,) = [one for one in found.report.statements if words in one.text]
    assert set(statement.citations) == {"n", "c"}
    assert "Notice §1" in statement.text
    assert statement.supported
    assert any("Door open" in one.text for one in found.report.statements)


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
