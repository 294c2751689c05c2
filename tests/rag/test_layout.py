"""Where sentences stand in a report, and what its headlines say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import rag.plan
from rag.errors import TemplateError
from rag.layout import build_headline, build_layout, build_parts, label, layout, part_of, shown_value
from rag.queries import tables
from rag.report import PARTS, Statement
from rag.status import STATUSES, Assessment
from rag.templates import read_table, read_templates, sentences
from tests.rag.builders import make_reading

INTERVAL: dict[str, Any] = {"value": 42.88, "value_low": 42.08, "value_high": 43.68, "unit": "MPa"}
VALUE: dict[str, Any] = {**INTERVAL, "value_source": "printed_scale", "value_confidence": 0.8}


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("limit_within", "meaning"),
        ("lamp_meaning", "meaning"),
        ("lamp_contradicts_high", "meaning"),
        ("value_doubted", "meaning"),
        ("trend_rising", "meaning"),
        ("accuracy_class", "meaning"),
        ("accuracy_wider", "meaning"),
        ("a sentence of tomorrow", "meaning"),
        ("lamp_action", "action"),
        ("limit_action_if", "action"),
        ("emergency", "action"),
        ("leads_on", "action"),
        ("value_formula", "reading"),
        ("pointer_angle", "reading"),
        ("abstained", "missing"),
        ("formula_not_stated", "missing"),
        ("model_unknown", "missing"),
    ],
)
def test_every_sentence_has_its_part(name: str, part: str) -> None:
    assert part_of(name) == part


def test_what_is_not_stated_or_not_read_is_never_said_to_mean_something() -> None:
    for name in sentences():
        if name.endswith("_not_stated") or name in ("abstained", "no_value", "no_instruments"):
            assert part_of(name) == "missing", name


def test_fields_as_seen_belong_to_the_reading() -> None:
    assert {part_of(name) for name in tables().fields} == {"reading"}


def test_every_pattern_fits_a_sentence_that_there_is() -> None:
    said = set(re.findall(r'say\(\s*f?"([a-z_]+)', Path(rag.plan.__file__).read_text(encoding="utf-8")))
    assert said, "the plan names its sentences"
    assert {name for name in said if part_of(name) == "missing"} >= {
        "abstained",
        "no_value",
        "lamp_not_stated",
        "mode_not_stated",
    }


def test_parts_come_in_the_order_of_an_answer_and_keep_their_own() -> None:
    said = [
        (name, Statement(text=f"{name}.", citations=(), supported=True))
        for name in ("unit", "lamp_action", "abstained", "limit_within", "pointer_angle")
    ]
    parts = build_parts(said)
    assert [part.name for part in parts] == list(PARTS)
    assert [one.text for one in parts[2].statements] == ["unit.", "pointer_angle."]
    assert build_parts([]) == ()


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_state_has_words_and_a_tone(status: Any, language: Any) -> None:
    headline = build_headline(make_reading(**VALUE), (), Assessment(status=status), language)
    assert headline.status
    assert headline.tone == layout().tones[status]


def test_a_headline_has_value_interval_unit_and_confidence() -> None:
    reading = make_reading(**VALUE)
    headline = build_headline(reading, ("limit_within",), Assessment(status="normal"), "en")
    assert (headline.value, headline.interval) == ("42.88 MPa", "42.08 to 43.68 MPa")
    assert (headline.status, headline.tone, headline.confidence) == ("normal", "good", 0.8)


def test_a_value_without_unit_says_so() -> None:
    headline = build_headline(make_reading(**{**VALUE, "unit": None}), (), Assessment(status="not_judged"), "en")
    assert headline.value == "42.88"
    assert headline.interval == "42.08 to 43.68, no unit read"


@pytest.mark.parametrize(
    ("name", "words"),
    [("lamp_contradicts_high", "contradict"), ("limit_straddles_low", "crosses a limit"), ("conflict", "documents conflict")],
)
def test_what_speaks_against_a_state_is_in_the_headline(name: str, words: str) -> None:
    headline = build_headline(make_reading(**VALUE), ("limit_within", name), Assessment(status="normal"), "en")
    assert words in headline.status
    assert headline.tone == "attention"


def test_the_gravest_tone_wins() -> None:
    headline = build_headline(make_reading(**VALUE), ("conflict",), Assessment(status="alarm"), "en")
    assert headline.tone == "danger"


def test_an_abstained_reading_shows_nothing_of_its_fields() -> None:
    dark = make_reading(status="abstained", reason="the glass is dirty", mode_dial_position=3, warning_light_color="red")
    headline = build_headline(dark, ("abstained",), Assessment(status="not_read"), "en")
    assert (headline.value, headline.interval, headline.confidence) == (None, None, None)
    assert headline.tone == "unknown"


@pytest.mark.parametrize(
    ("kind", "fields", "en", "zh"),
    [
        ("lamp", {"warning_light_color": "red"}, "red", "红色"),
        ("selector", {"mode_dial_position": 3}, "position 3", "位置 3"),
        ("digital", {"digital_readout": "12.50"}, "12.50", "12.50"),
        ("dial", {"pointer_angle": 12.0}, None, None),
    ],
)
def test_what_instruments_without_a_value_show(kind: str, fields: dict[str, Any], en: str | None, zh: str | None) -> None:
    reading = make_reading(kind, **fields)
    assert shown_value(reading, "en") == en
    assert shown_value(reading, "zh") == zh


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"colour": {}}, "unknown tables colour"),
        ({"part": [{"name": "advice", "sentences": []}]}, "layout.toml"),
        ({"status": [{"sentence": "x", "tone": "loud", "en": "a", "zh": "b"}]}, "layout.toml"),
        ({"status": [{"sentence": "x", "tone": "good", "en": "a {slot}", "zh": "b"}]}, "different slots"),
        ({"tone": {"normal": "good"}}, "has no attention"),
    ],
)
def test_a_layout_that_does_not_hold_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(TemplateError, match=words):
        build_layout({**read_table("layout.toml"), **change})


def test_labels_are_in_both_languages_and_checked() -> None:
    assert label("meaning", "en") == "What it means"
    for name, template in read_templates("labels.toml").items():
        assert re.search(r"[\u4e00-\u9fff]", template.zh) or name == "sha256", name
    with pytest.raises(TemplateError, match="no label 'nothing'"):
        label("nothing", "en")
    with pytest.raises(TemplateError, match="interval"):
        label("between", "en")


@pytest.mark.parametrize(("confidence", "tone"), [(0.0, "attention"), (0.49, "attention"), (0.5, "good"), (1.0, "good")])
def test_an_unsure_value_is_never_plainly_good(confidence: float, tone: str) -> None:
    reading = make_reading(**{**VALUE, "value_confidence": confidence})
    headline = build_headline(reading, ("limit_within",), Assessment(status="normal"), "en")
    assert headline.tone == tone
    assert ("unsure" in headline.status) == (tone == "attention")
