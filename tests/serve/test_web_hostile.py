"""Hostile names, places, models and corrections stay text on every page."""

from __future__ import annotations

from http import HTTPStatus

import pytest
from fastapi.testclient import TestClient

from tests.serve.page_outline import PICTURE, inspect, outline, post, store_of

HOSTILE = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'; DROP TABLE reports; --", "{{ 7*7 }}{% raw %}",
    "\u202egnp.exe", "مقياس الضغط", "🛢️🔥👩‍🔧", "a" * 10_000, "压力表 7 号 <b>", "x\r\nSet-Cookie: a=b",
    "&lt;script&gt;", "..", "/../..", "%2e%2e", "?#&=+ %",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_places_and_models_stay_text(site: TestClient, text: str) -> None:
    answer = post(site, (f"{text.replace('/', '')[:200]}.png", PICTURE), model=text, place=text)
    assert answer.status_code == HTTPStatus.SEE_OTHER, answer.text[:300]
    place = store_of(site).reports.list("local", limit=1)[0].place
    assert place is not None
    pages = [site.get(answer.headers["location"]), site.get("/"), site.get("/instruments"), site.get("/accuracy")]
    pages.append(site.get("/instruments/of", params={"place": place}))
    for page in pages:
        shown = outline(page)
        assert not [one for one in shown.all("script") if not (one.get("src") or "").startswith("/static/")]
        assert "x" not in {one.get("src") for one in shown.all("img")}
        assert "set-cookie" not in page.headers
    assert "7*7" not in text or "{{ 7*7 }}" in outline(pages[0]).words
    links = [one["href"] for one in outline(pages[2]).all("a") if "/instruments/of" in (one["href"] or "")]
    assert site.get(links[0] or "").status_code == HTTPStatus.OK


@pytest.mark.parametrize("text", HOSTILE[:9], ids=range(9))
def test_hostile_corrections_stay_text(site: TestClient, text: str) -> None:
    address = inspect(site)
    answer = site.post(f"{address}/wrong", data={"value": text[:90], "unit": text[:30], "note": text[:1900]})
    page = outline(answer, HTTPStatus.UNPROCESSABLE_ENTITY)
    assert not [one for one in page.all("script") if not (one.get("src") or "").startswith("/static/")]
    assert {one.get("value") for one in page.all("input")} >= {text[:90].strip(), text[:30].strip()}
