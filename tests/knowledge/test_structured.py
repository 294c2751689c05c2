"""Facts of the six models as parsed from their manuals, against what was specified for them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest

from knowledge.articles import Article
from knowledge.chunks import build_chunks
from knowledge.facts import ModelFacts
from knowledge.search import KnowledgeBase
from knowledge.structured import SqliteFacts, add_facts, build_facts, create_table, find_conflicts, find_facts

MakeArticle = Callable[..., Article]
LANGUAGES = ("en", "zh")

DIALS = [
    ("XYZ-2000", "(angle - 30) / 2.5", "MPa", (30, 330), (0, 120), 1.6),
    ("BT-160", "(angle - 45) * 160 / 270", "°C", (45, 315), (0, 160), 2.0),
    ("VM-48", "(angle - 135) / 0.3", "V", (135, 225), (0, 300), 2.5),
]


def facts_of(kb: KnowledgeBase, model: str, language: str) -> ModelFacts:
    facts = kb.facts(model, language)
    assert facts is not None
    assert facts.language == language
    return facts


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("model", "expression", "unit", "angles", "values", "accuracy"), DIALS)
def test_calibration_of_the_dials(
    kb: KnowledgeBase,
    model: str,
    expression: str,
    unit: str,
    angles: tuple[float, float],
    values: tuple[float, float],
    accuracy: float,
    language: str,
) -> None:
    facts = facts_of(kb, model, language)
    assert facts.kind == "dial"
    assert facts.formula
    assert (facts.formula.expression, facts.formula.variable, facts.formula.unit) == (expression, "angle", unit)
    assert facts.unit
    assert facts.unit.unit == unit
    assert facts.angle_frame
    assert (facts.angle_frame.origin_hour, facts.angle_frame.clockwise) == (6, True)
    assert facts.angle_range
    assert (facts.angle_range.low, facts.angle_range.high) == angles
    assert facts.value_range
    assert (facts.value_range.low, facts.value_range.high, facts.value_range.unit) == (*values, unit)
    assert facts.accuracy
    assert facts.accuracy.percent_of_span == accuracy
    # The formula maps the ends of the scale to the ends of the range: the manual does not contradict itself.
    for angle, value in zip(angles, values, strict=True):
        assert eval(facts.formula.expression, {"__builtins__": {}}, {"angle": angle}) == pytest.approx(value)


@pytest.mark.parametrize("language", LANGUAGES)
def test_lamps_modes_and_procedure_of_the_gauge(kb: KnowledgeBase, language: str) -> None:
    facts = facts_of(kb, "XYZ-2000", language)
    assert [lamp.color for lamp in facts.lamps] == ["red", "yellow", "green", "off"]
    red = facts.lamp("red")
    assert red
    assert red.section == "5.2"
    assert red.meaning == {"en": "Over-pressure or sensor fault", "zh": "超压或传感器故障"}[language]
    assert [mode.position for mode in facts.modes] == [1, 2, 3, 4, 5]
    mode = facts.mode(3)
    assert mode
    assert mode.name == {"en": "Manual", "zh": "手动"}[language]
    assert facts.emergency
    assert facts.emergency.section == "5.2"
    levels = [facts.limit_at(value) for value in (0, 42.88, 80, 80.1, 100, 100.1)]
    assert [f and f.level for f in levels] == ["normal", "normal", "normal", "warning", "warning", "alarm"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_other_kinds(kb: KnowledgeBase, language: str) -> None:
    display, lamp, selector = (facts_of(kb, model, language) for model in ("DG-30", "SP-3", "RS-5"))
    assert (display.kind, display.formula, display.unit and display.unit.unit) == ("digital", None, "bar")
    assert display.readout
    assert [code.code for code in display.codes] == ["Er1", "Er2", "Er3", "Lo"]
    assert (lamp.kind, [fact.color for fact in lamp.lamps], lamp.modes) == ("lamp", ["red", "yellow", "green", "off"], ())
    assert (selector.kind, [fact.position for fact in selector.modes], selector.lamps) == ("selector", [1, 2, 3, 4, 5], ())
    for facts in (display, lamp, selector):
        assert facts.angle_frame is None
        assert facts.angle_range is None
        assert facts.emergency is not None


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fact_is_stated_by_its_chunk(kb: KnowledgeBase, language: str) -> None:
    for model in kb.models():
        facts = kb.facts(model, language)
        assert facts is not None
        values = [getattr(facts, name) for name in ModelFacts.model_fields]
        flat = [fact for value in values for fact in (value if isinstance(value, tuple) else (value,)) if hasattr(fact, "chunk")]
        assert flat
        for fact in flat:
            chunk = kb.chunk(fact.chunk)
            assert chunk.status == "valid"
            assert chunk.language == facts.language
            assert model in chunk.models
            if getattr(fact, "points", ()):
                assert all(f"| {angle:g} | {value:g} |" in chunk.text for angle, value in fact.points), fact
                continue
            # A row is cited as "header: cell"; its cells stand in the chunk.
            words = [part.split(": ", 1)[-1] for part in fact.text.split("; ")] if "| " in chunk.text else [fact.text]
            assert all(" ".join(word.split()) in " ".join(chunk.text.split()) for word in words), fact


def test_language_falls_back_and_unknown_models_have_no_facts(kb: KnowledgeBase) -> None:
    assert kb.facts("ABC-9") is None
    lower = kb.facts("xyz 2000")
    assert lower is not None
    assert lower.model == "XYZ-2000"


BODY = """# T

## 1 Formula

The unit of pressure is MPa.

`pressure = (pointer angle - 30) / 2.5`

## 2 Again

`pressure = (pointer angle - 45) / 2.5`

| Lamp colour | Meaning |
|---|---|
| Red | Stop |
| Red | Go |
| Green | Go |
"""


def test_a_contradiction_gives_no_fact(make_article: MakeArticle) -> None:
    article = make_article(BODY)
    chunks = build_chunks(article)
    (facts,) = build_facts(article, chunks)
    assert facts.formula is None
    assert [lamp.color for lamp in facts.lamps] == ["green"]
    assert facts.unit
    assert facts.unit.unit == "MPa"
    assert [conflict.what for conflict in find_conflicts(find_facts(chunks))] == ["formula", "lamp colour"]


def test_saying_the_same_twice_is_no_contradiction(make_article: MakeArticle) -> None:
    article = make_article(BODY.replace("angle - 45", "angle - 30").replace("| Red | Go |\n", ""))
    chunks = build_chunks(article)
    assert find_conflicts(find_facts(chunks)) == ()
    (facts,) = build_facts(article, chunks)
    assert facts.formula
    assert facts.formula.chunk == chunks[1].id


def store(*articles: Article) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    create_table(db)
    for article in articles:
        add_facts(db, article, build_chunks(article))
    return db


def test_of_the_manuals_in_force_the_newest_is_asked(make_article: MakeArticle) -> None:
    body = "# T\n\n## 1 R\n\nThe measuring range is 0 to {} bar.\n"
    db = store(
        make_article(body.format(1), id="old-en", date="2020-01-01"),
        make_article(body.format(2), id="new-en", date="2024-01-01"),
        make_article(body.format(3), id="future-en", date="2030-01-01"),
    )
    for within in (("old-en",), ("old-en", "new-en"), ("old-en", "new-en", "future-en")):
        facts = SqliteFacts(db).load("T-1", "en", within)
        assert facts is not None
        assert facts.document == within[-1]
    assert SqliteFacts(db).load("T-1", "en", ()) is None
    assert SqliteFacts(db).load("T-2", "en", ("new-en",)) is None
    db.close()
