"""Corrections that become cases, the history of a place, and the accuracy that was measured."""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from typing import Any

import pytest
from fastapi.testclient import TestClient

from eval.failures import FailureLibrary
from serve.service import Service
from tests.serve.doubles import picture_bytes
from tests.serve.page_outline import ORIGIN, PICTURE, inspect, outline, post, store_of


def test_a_correction_becomes_a_case_with_a_number(fresh_site: TestClient, service: Service) -> None:
    address = inspect(fresh_site)
    form = {"instrument": "1", "complaint": "misread", "value": "42,5", "unit": "bar", "note": "<b>bold</b>"}
    answer = fresh_site.post(f"{address}/wrong", data=form, headers=ORIGIN)
    assert answer.status_code == HTTPStatus.SEE_OTHER
    assert "Kept as case 1." in outline(fresh_site.get(answer.headers["location"])).words
    (case,) = FailureLibrary(service.settings.home).cases()
    assert case.report.note == "<b>bold</b>"
    (kept,) = store_of(fresh_site).feedback.of_report("local", address.removeprefix("/r/"))
    assert (kept.value, kept.unit, kept.instrument, kept.failure_case) == (42.5, "bar", 1, 1)
    assert "Corrected by a person: 42.5 bar" in outline(fresh_site.get(address)).words
    fresh_site.post(f"{address}/wrong", data={"instrument": "1", "complaint": "cut_off", "note": "no limits"}, headers=ORIGIN)
    assert "Reported by a person: Something that the manual says is missing" in outline(fresh_site.get(address)).words


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"value": "about 42"}, "about 42"),
        ({"value": "1,250"}, "1,250"),
        ({"value": "1", "unit": "furlong"}, "furlong"),
        ({"complaint": "misread"}, "Give a value or a note"),
    ],
)
def test_a_correction_that_says_nothing_comes_back(site: TestClient, form: dict[str, str], told: str) -> None:
    address = inspect(site)
    page = outline(site.post(f"{address}/wrong", data=form), HTTPStatus.UNPROCESSABLE_ENTITY)
    assert told in page.words
    assert store_of(site).feedback.of_report("local", address.removeprefix("/r/")) == ()
    assert site.post(f"{address}/wrong", data={"complaint": "angry"}).status_code == HTTPStatus.UNPROCESSABLE_ENTITY


def test_another_sites_form_is_refused(site: TestClient) -> None:
    address = inspect(site)
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        assert site.post(f"{address}/wrong", data={"note": "x"}, headers=headers).status_code == HTTPStatus.FORBIDDEN
        assert post(site, ("a.png", PICTURE), headers=headers).status_code == HTTPStatus.FORBIDDEN


def test_a_places_history(fresh_site: TestClient) -> None:
    assert "No place has a reading yet" in outline(fresh_site.get("/instruments")).words
    for color in ("white", "gray"):
        inspect(fresh_site, data=picture_bytes(size=(320, 240), color=color), model="XYZ-2000", place="P-7 / north")
    inspect(fresh_site, data=picture_bytes(color="black", mark=False), place="P-7 / north")
    places = outline(fresh_site.get("/instruments"))
    (link,) = (one["href"] for one in places.all("a") if "/instruments/of" in (one["href"] or ""))
    page = outline(fresh_site.get(link or ""))
    assert page.words.count("60 MPa") >= 2
    assert "Not read" in page.words
    (chart,) = (one for one in page.all("svg") if one.get("class") == "chart")
    assert "2 values" in (chart["aria-label"] or "")
    assert len([one for one in page.all("circle") if one.get("class") == "dot"]) == 2
    assert len([one for one in page.all("line") if one.get("class") == "bar"]) == 2
    assert {"limit warning"} <= {one.get("class") for one in page.all("line")}


def test_long_histories_come_in_pages(site: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    from serve.web import history_pages

    monkeypatch.setattr(history_pages, "A_PAGE", 2)
    for _ in range(3):
        inspect(site, place="P of pages")
    first = outline(site.get("/instruments/of", params={"place": "P of pages"}))
    (older,) = (one["href"] for one in first.all("a") if one.get("rel") == "next")
    second = outline(site.get(older or ""))
    rows = [[one["href"] for one in page.all("a") if (one["href"] or "").startswith("/r/")] for page in (first, second)]
    assert not [one for one in second.all("a") if one.get("rel") == "next"]
    assert rows[0]
    assert rows[1]


def test_accuracy_is_what_was_measured_or_is_said_to_be_missing(fresh_site: TestClient, service: Service) -> None:
    page = outline(fresh_site.get("/accuracy"))
    assert "No accuracy has been measured" in page.words
    assert "XYZ-2000" in page.words
    assert "not measured" in page.words
    folder = service.settings.home / "accuracy"
    folder.mkdir(parents=True)
    (folder / "accuracy.json").write_text("{no card", encoding="utf-8")
    assert "No accuracy has been measured" in outline(fresh_site.get("/accuracy")).words
    (folder / "accuracy.json").write_text(json.dumps(measured_card()), encoding="utf-8")
    page = outline(fresh_site.get("/accuracy"))
    assert re.search(r"75\.0 % \[\d+, \d+\] \(15/20\)", page.words)
    assert "10.0 % (2/20)" in page.words
    assert "Measured on held_out" in page.words


def measured_card() -> dict[str, Any]:
    """A card as `gauge eval --by model` writes it, of a double that reads 15 of 20 pictures right and 2 not at all."""
    from eval.by_model import AccuracyCard, ModelAccuracy
    from eval.readings import score_slice
    from eval.score import share_of

    empty = score_slice("XYZ-2000", [])
    value = empty.value.model_copy(update={"right": share_of(15, 20), "abstained": share_of(2, 20)})
    overall = empty.model_copy(update={"instruments": 20, "value": value})
    model = ModelAccuracy(name="XYZ-2000", overall=overall, conditions=(), mixups=())
    card = AccuracyCard(dataset="held_out", group="model", pictures=20, failed=0, models=(model,))
    shown: dict[str, Any] = json.loads(card.model_dump_json())
    return shown
