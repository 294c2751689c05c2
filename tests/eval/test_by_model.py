"""Accuracy by model: conditions part the instruments, mix-ups count each once, and the files say what the card says."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from eval.by_model import AccuracyCard, count_mixups, evaluate_by, scale_text, score_by, score_model
from eval.by_model_page import accuracy_html, write_accuracy
from eval.by_model_text import accuracy_csv, accuracy_markdown, mixups_csv
from eval.matching import Pair
from eval.score import EvalError
from tests.eval.builders import (
    ScriptedReader,
    abstained_reading,
    failed_photo,
    make_lamp,
    make_photo,
    make_record,
    make_truth,
    perfect_reading,
    valued,
)
from vision.fields import GaugeFields, InstrumentReading
from vision.samples import InstrumentTruth, SampleError, write_records


def truth(model: str | None = "A-1", size: float = 100.0, **own: Any) -> InstrumentTruth:
    """A dial of a model with a size; legibility and homography where given."""
    return make_truth((10, 10, 10 + size, 60), model).model_copy(update=own)


def misread(one: InstrumentTruth, **fields: Any) -> InstrumentReading:
    changed = GaugeFields.model_validate(one.fields.model_dump() | fields)
    return perfect_reading(one, fields=changed)


def card_of(*rows: tuple[InstrumentTruth, InstrumentReading | None], group: Any = "model") -> AccuracyCard:
    records = [make_record(f"{n}.png", one) for n, (one, _) in enumerate(rows)]
    readings = [make_photo(f"{n}.png", *([reading] if reading else [])) for n, (_, reading) in enumerate(rows)]
    return score_by("set", records, readings, group)


def sample() -> AccuracyCard:
    first, second, third = truth(legibility=0.95), truth(size=50, legibility=0.2), truth("B|<b>2")
    return card_of(
        (first, perfect_reading(first)),
        (second, valued(misread(second, scale_max=16.0, unit="MPa"), 9.0)),
        (third, abstained_reading(third)),
    )


def test_models_are_apart_and_sorted() -> None:
    card = sample()
    assert [model.name for model in card.models] == ["A-1", "B|<b>2"]
    first, second = (model.overall for model in card.models)
    assert (first.value.right.hits, first.value.right.n) == (1, 2)
    assert (second.value.abstained.hits, second.value.abstained.n) == (1, 1)
    assert first.value.span_error.value == pytest.approx((0 + 0.55) / 2)
    assert first.value.span_error.stderr == pytest.approx(0.275)


def test_a_condition_parts_the_instruments() -> None:
    (model, _) = sample().models
    parts = {(one.condition, one.low): one.slice for one in model.conditions}
    assert parts["legibility", 0.9].value.right.value == 1.0
    assert parts["legibility", 0.15].value.right.value == 0.0
    assert parts["size (px)", 80.0].instruments == parts["size (px)", 40.0].instruments == 1
    for condition in ("legibility", "size (px)"):
        assert sum(one.slice.instruments for one in model.conditions if one.condition == condition) == 2
    # Nothing is known of the tilt: nothing is said of it.
    assert not any(one.condition == "tilt (degrees)" for one in model.conditions)


def test_tilt_comes_from_the_homography() -> None:
    squeezed = truth(homography=(0.5, 0, 0, 0, 1, 0, 0, 0, 1))
    (found,) = [one for one in score_model("A", [Pair(squeezed, None, 0, True)]).conditions if one.condition.startswith("tilt")]
    assert found.low <= 60 < found.high


def test_an_instrument_that_was_not_found_counts_as_abstained() -> None:
    lost = truth()
    (model,) = card_of((lost, None)).models
    assert model.overall.value.abstained.hits == 1
    assert [(one.field, one.given, one.right) for one in model.mixups] == [
        ("scale", "not read", False),
        ("unit", "not read", False),
    ]


def test_a_made_up_instrument_counts_with_the_model_that_it_claims() -> None:
    ghost = perfect_reading(truth("GHOST"))
    card = score_by("set", [make_record("0.png")], [make_photo("0.png", ghost)], "model")
    (model,) = card.models
    assert model.name == "GHOST"
    assert model.overall.value.made_up.hits == 1
    assert model.conditions == ()
    assert model.mixups == ()
    assert math.isnan(model.read_right("unit").value)


def test_by_kind() -> None:
    lamp = make_lamp()
    card = card_of((truth(None), None), (lamp, perfect_reading(lamp)), group="kind")
    assert [model.name for model in card.models] == ["dial", "lamp"]
    assert [score.field for score in card.models[1].overall.fields] == ["kind", "warning_light_color"]


def test_mixups_count_every_known_scale_once() -> None:
    one = truth()
    readings = [perfect_reading(one), misread(one, unit="MPa"), misread(one, unit="MPa"), misread(one, unit=None), None]
    found = count_mixups([Pair(one, reading, 1.0, True) for reading in readings])
    units = {row.given: row.count for row in found if row.field == "unit"}
    assert units == {"MPa": 2, "not read": 2, "bar": 1}
    assert sum(row.count for row in found if row.field == "scale") == len(readings)
    assert [row.right for row in found if row.field == "unit"] == [False, False, True]


def test_a_unit_where_none_is_printed_is_a_mixup() -> None:
    bare = make_truth(unit=None).model_copy(update={"fields": GaugeFields(kind="dial", scale_min=0, scale_max=10)})
    (row,) = [row for row in count_mixups([Pair(bare, misread(bare, unit="psi"), 1, True)]) if row.field == "unit"]
    assert (row.truth, row.given, row.right) == ("none", "psi", False)


def test_shares_of_what_was_read_right() -> None:
    (model, _) = sample().models
    assert (model.read_right("scale").hits, model.read_right("scale").n) == (1, 2)
    assert [(one.field, one.truth, one.given) for one in model.confused(5)] == [
        ("scale", "0 to 10", "0 to 16"),
        ("unit", "bar", "MPa"),
    ]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, None),
        ({"scale_max": 10.0}, "? to 10"),
        ({"scale_min": -0.1, "scale_max": 0.5}, "-0.1 to 0.5"),
        ({"scale_min": 0.0, "scale_max": 8.0, "scale_multiplier": 1000.0}, "0 to 8 x1000"),
    ],
)
def test_scales_as_text(fields: dict[str, Any], text: str | None) -> None:
    assert scale_text(GaugeFields(kind="dial", **fields)) == text


def test_a_card_comes_back_from_json() -> None:
    card = sample()
    again = AccuracyCard.model_validate_json(card.model_dump_json())
    assert again.model_dump_json() == card.model_dump_json()
    assert "NaN" not in card.model_dump_json()
    assert "Infinity" not in card.model_dump_json()


def test_the_csv_says_what_the_card_says() -> None:
    card = sample()
    rows = list(csv.DictReader(io.StringIO(accuracy_csv(card))))
    (right,) = [row for row in rows if tuple(row.values())[:6] == ("A-1", "all", "", "", "value", "right")]
    assert (float(right["value"]), right["n"]) == (0.5, "2")
    assert float(right["interval_low"]) == pytest.approx(card.models[0].overall.value.right.low, rel=1e-5)
    (silent,) = [row for row in rows if (row["group"], row["condition"], row["measure"]) == ("B|<b>2", "all", "span_error_mean")]
    assert (silent["value"], silent["n"]) == ("", "0")
    assert {"legibility", "size (px)"} <= {row["condition"] for row in rows}
    mixed = list(csv.DictReader(io.StringIO(mixups_csv(card))))
    assert sum(int(row["count"]) for row in mixed if row["field"] == "unit") == 3


@pytest.mark.parametrize("name", ["=1+1", "+A", "@SUM(A1)", "-x"])
def test_no_name_becomes_a_formula(name: str) -> None:
    one = truth(name)
    text = accuracy_csv(card_of((one, perfect_reading(one))))
    assert {row["group"] for row in csv.DictReader(io.StringIO(text))} == {f"'{name}"}


class Tags(HTMLParser):
    """The tags of a page with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_page_is_whole_and_loads_nothing() -> None:
    html = accuracy_html(sample())
    tags = Tags(html).tags
    images = [attrs["src"] or "" for tag, attrs in tags if tag == "img"]
    assert len(images) == 2
    assert all(src.startswith("data:image/png;base64,iVBOR") for src in images)
    assert not [tag for tag, _ in tags if tag in ("script", "link", "iframe", "b")]
    assert "default-src 'none'" in html
    assert "B|&lt;b&gt;2" in html
    links = {attrs["href"] for tag, attrs in tags if tag == "a"}
    assert links == {f"#{attrs['id']}" for tag, attrs in tags if tag == "h2"}
    assert re.search(r"0 to 10</td><td>0 to 16</td><td>1</td>", html)


def test_the_table_for_people() -> None:
    text = accuracy_markdown(sample())
    (row,) = [line for line in text.splitlines() if line.startswith("| A-1")]
    assert "50.0 % [9, 91] (1/2)" in row
    assert "0.275 ± 0.27 (n=2)" in row
    widths = {line.count("|") for line in text.splitlines() if line.startswith("|")}
    assert len(widths) == 1
    assert "- A-1: unit bar read as MPa, 1 x" in text


def test_a_folder_is_read_and_written(tmp_path: Path) -> None:
    one = truth()
    write_records(tmp_path / "set", [make_record("0.png", one), make_record("1.png", one)])
    reader = ScriptedReader(make_photo("0.png", perfect_reading(one)), failed_photo("1.png"))
    card = evaluate_by(tmp_path / "set", reader, "model", progress=False)
    assert (card.pictures, card.failed) == (2, 1)
    files = write_accuracy(tmp_path / "deep" / "out", card)
    assert [path.name for path in files] == ["accuracy.html", "accuracy.json", "accuracy.csv", "confusion.csv"]
    assert json.loads(files[1].read_text(encoding="utf-8"))["models"][0]["name"] == "A-1"


def test_what_is_no_dataset(tmp_path: Path) -> None:
    with pytest.raises(SampleError, match=r"metadata\.jsonl"):
        evaluate_by(tmp_path, ScriptedReader(), "model", progress=False)
    write_records(tmp_path, [])
    with pytest.raises(EvalError, match="no pictures"):
        evaluate_by(tmp_path, ScriptedReader(), "model", progress=False)
    with pytest.raises(EvalError, match="one to one"):
        score_by("set", [make_record("0.png")], [], "model")
