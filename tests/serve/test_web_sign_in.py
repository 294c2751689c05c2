"""The language of the pages, signing in with a key, and what another tenant or site does not get."""

from __future__ import annotations

import re
from http import HTTPStatus

from fastapi.testclient import TestClient

from tests.serve.page_outline import ORIGIN, PICTURE, inspect, outline, post, store_of


def test_pages_speak_the_browsers_language_and_keep_the_chosen_one(site: TestClient) -> None:
    chinese = {"Accept-Language": "zh-CN,zh;q=0.9"}
    page = outline(site.get("/", headers=chinese))
    assert page.all("html")[0]["lang"] == "zh-Hans"
    assert "读取仪表" in page.words
    answer = site.get("/language/en", params={"back": "/instruments"})
    assert answer.headers["location"] == "/instruments"
    assert "httponly" in answer.headers["set-cookie"].lower()
    assert "Places" in outline(site.get("/instruments", headers=chinese)).words
    assert site.get("/language/zh", params={"back": "//evil.example"}).headers["location"] == "/"
    report = outline(site.get(inspect(site, model="XYZ-2000", language="zh")))
    assert "置信度" in report.words


def test_a_key_is_asked_for_on_a_page(fresh_site: TestClient) -> None:
    assert fresh_site.get("/sign-in").headers["location"] == "/"
    secret = store_of(fresh_site).keys.create("browser", ["read", "inspect"], "plant-2").secret
    for path in ("/", "/instruments", "/accuracy", "/r/x", "/r"):
        assert fresh_site.get(path).headers["location"].startswith("/sign-in?back="), path
    assert fresh_site.get("/static/gauge.css").status_code == HTTPStatus.OK
    page = outline(fresh_site.get("/sign-in", params={"back": "/instruments"}))
    assert [one["type"] for one in page.all("input") if one["name"] == "key"] == ["password"]
    wrong = fresh_site.post("/sign-in", data={"key": "gauge_" + "x" * 43, "back": "/instruments"}, headers=ORIGIN)
    assert "not known" in outline(wrong, HTTPStatus.UNAUTHORIZED).words
    assert "set-cookie" not in wrong.headers
    answer = fresh_site.post("/sign-in", data={"key": f" {secret} ", "back": "/instruments"}, headers=ORIGIN)
    assert answer.headers["location"] == "/instruments"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert outline(fresh_site.get("/instruments")).words
    assert post(fresh_site, ("a.png", PICTURE), headers=ORIGIN).status_code == HTTPStatus.SEE_OTHER
    assert store_of(fresh_site).reports.list("local") == ()
    assert len(store_of(fresh_site).reports.list("plant-2")) == 1
    assert fresh_site.post("/sign-out", headers=ORIGIN).headers["location"] == "/sign-in"
    assert fresh_site.get("/instruments").headers["location"].startswith("/sign-in")


def test_keys_cannot_be_guessed_in_a_row(fresh_site: TestClient) -> None:
    store_of(fresh_site).keys.create("browser", ["read"])
    answers = [
        fresh_site.post("/sign-in", data={"key": f"gauge_{number:043d}"}, headers=ORIGIN).status_code for number in range(25)
    ]
    assert set(answers) == {HTTPStatus.UNAUTHORIZED, HTTPStatus.TOO_MANY_REQUESTS}


def test_a_key_that_may_only_read_is_told_so(fresh_site: TestClient) -> None:
    secret = store_of(fresh_site).keys.create("reader", ["read"]).secret
    fresh_site.cookies.set("gauge_key", secret)
    outline(fresh_site.get("/"))
    assert "does not allow" in outline(post(fresh_site, ("a.png", PICTURE), headers=ORIGIN), HTTPStatus.FORBIDDEN).words


def test_one_tenants_report_is_not_anothers(fresh_site: TestClient) -> None:
    keys = [store_of(fresh_site).keys.create(name, ["read", "inspect"], name).secret for name in ("a", "b")]
    fresh_site.cookies.set("gauge_key", keys[0])
    answer = post(fresh_site, ("a.png", PICTURE), headers=ORIGIN, place="P-7")
    address = answer.headers["location"]
    outline(fresh_site.get(address))
    fresh_site.cookies.clear()
    fresh_site.cookies.set("gauge_key", keys[1])
    for path in (
        address,
        f"{address}/photo.jpg",
        f"{address}/thanks?case=1",
        f"/r?id={address[3:]}",
        "/instruments/of?place=P-7",
    ):
        assert fresh_site.get(path).status_code == HTTPStatus.NOT_FOUND, path
    assert fresh_site.post(f"{address}/wrong", data={"note": "x"}, headers=ORIGIN).status_code == HTTPStatus.NOT_FOUND


def test_pages_are_not_kept_and_files_are(site: TestClient) -> None:
    page = site.get("/")
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "same-origin"  # Else forms would come with `Origin: null`.
    for address in re.findall(r'"(/static/[^"]+)"', page.text):
        answer = site.get(address)
        assert answer.status_code == HTTPStatus.OK
        assert "immutable" in answer.headers["cache-control"]
    assert site.get("/static/../words.toml").status_code == HTTPStatus.NOT_FOUND
