"""The pages as a browser without JavaScript gets them: forms, redirects, errors, hostile texts, signing in."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response
from PIL import Image

from eval.failures import FailureLibrary
from knowledge.search import KnowledgeBase
from serve.api.app import create_app
from serve.service import Service
from serve.settings import Settings
from serve.store.store import Store
from tests.serve.bad_photos import unopenable
from tests.serve.doubles import DoubleReader, abstained_dial, make_dial, picture_bytes
from vision.fields import PhotoReading

BAD = unopenable()
ORIGIN = {"Origin": "http://testserver"}
PICTURE = picture_bytes(size=(320, 240))


@pytest.fixture(scope="module")
def shared(knowledge: KnowledgeBase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """One server for the tests that do not mind what others left: a database a test would cost minutes together."""
    settings = Settings(home=tmp_path_factory.mktemp("shared"))
    service = Service(settings, reader=DoubleReader(), knowledge=knowledge)
    with TestClient(create_app(settings, service), follow_redirects=False) as client:
        yield client


@pytest.fixture
def client(shared: TestClient) -> TestClient:
    """The shared server, to a browser that was never here."""
    shared.cookies.clear()
    return shared


@pytest.fixture
def fresh(service: Service) -> Iterator[TestClient]:
    """A server of its own, with nothing in it."""
    with TestClient(create_app(service.settings, service), follow_redirects=False) as client:
        yield client


def store_of(client: TestClient) -> Store:
    store: Store = client.app.state.parts.store  # type: ignore[attr-defined]
    return store


def post(client: TestClient, *photos: tuple[str, bytes], headers: dict[str, str] | None = None, **form: str) -> Response:
    files = [("file", (name, data, "application/octet-stream")) for name, data in photos]
    return client.post("/", files=files, data=form, headers=headers or {})


def inspect(client: TestClient, name: str = "gauge.png", data: bytes = PICTURE, **form: str) -> str:
    """The address of a fresh report."""
    answer = post(client, (name, data), **form)
    assert answer.status_code == HTTPStatus.SEE_OTHER, answer.text
    return str(answer.headers["location"])


class Outline(HTMLParser):
    """Tags with their attributes, and the text; fails on a tag that is closed out of order."""

    EMPTY = frozenset({"meta", "link", "input", "img", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open[-1] in ("li", "p", "option") and self.open[-1] != tag:
            self.open.pop()
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def outline(answer: Response, status: int = HTTPStatus.OK) -> Outline:
    """The page, held to what every page must be."""
    assert answer.status_code == status, answer.text[:500]
    assert answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    page = Outline()
    page.feed(answer.text)
    assert page.open == [], page.open
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    labelled = {attributes.get("for") for attributes in page.all("label")}
    for tag in ("input", "select", "textarea"):
        for attributes in page.all(tag):
            assert attributes.get("type") == "hidden" or attributes["id"] in labelled, attributes
    assert all("alt" in attributes for attributes in page.all("img"))
    assert len(page.all("h1")) == 1
    assert len(page.all("main")) == 1
    for _, attributes in page.tags:
        assert not any(name == "style" or name.startswith("on") for name in attributes)
        for name in ("href", "src", "action"):
            assert (attributes.get(name) or "/").startswith(("/", "#")), attributes
    return page


# --- from the form to the report ----------------------------------------------------------------------------------------


def test_a_photo_goes_in_and_the_browser_is_sent_to_its_report(client: TestClient) -> None:
    page = outline(client.get("/"))
    (form,) = (one for one in page.all("form") if one.get("id") == "upload")
    assert (form["method"], form["enctype"], form["action"]) == ("post", "multipart/form-data", "/")
    inputs = {one["id"]: one for one in page.all("input") if one.get("type") == "file"}
    assert inputs["camera"]["capture"] == "environment"
    assert inputs["camera"]["accept"] == inputs["file"]["accept"] == "image/*"
    assert "multiple" in inputs["file"]
    assert "XYZ-2000" in {one["value"] for one in page.all("option")}
    shown = outline(client.get(inspect(client, model="XYZ-2000", place="P-7", language="en")))
    assert "60 MPa" in shown.words
    assert re.search(r"between 5\d\.\d+ and 6\d\.\d+ MPa", shown.words)
    assert "Confidence" in shown.words
    assert {f"#s{number}" for number in (1, 2)} <= {one.get("href") for one in shown.all("a")}
    assert {one["id"] for one in shown.all("li") if "id" in one} >= {"s1", "s2"}


def test_every_citation_leads_to_a_passage_of_the_page(client: TestClient) -> None:
    page = outline(client.get(inspect(client, model="XYZ-2000")))
    cited = [one["href"] for one in page.all("a") if one.get("class") == "cite"]
    ids = {f"#{one['id']}" for _, one in page.tags if "id" in one}
    assert len(cited) > 5
    assert set(cited) <= ids


def test_what_was_read_is_drawn_over_the_photo(client: TestClient) -> None:
    address = inspect(client, model="XYZ-2000")
    page = outline(client.get(address))
    (drawing,) = (one for one in page.all("svg") if one.get("class") == "overlay")
    assert drawing["viewbox"] == "0 0 320 240"
    (image,) = (one for one in page.all("img") if (one["src"] or "").endswith("/photo.jpg"))
    assert (image["width"], image["height"]) == ("320", "240")
    assert {one.get("class") for one in page.all("circle")} >= {"dot start", "dot end", "dot needle", "badge"}
    (link,) = (one for one in page.all("a") if (one.get("class") or "").startswith("shape"))
    assert link["href"] == "#i1"
    assert "60 MPa" in (link["aria-label"] or "")
    for size in ("large", "small"):
        photo = client.get(f"{address}/photo.jpg", params={"size": size})
        assert photo.headers["content-type"] == "image/jpeg"
        assert photo.content.startswith(b"\xff\xd8")
        assert "private" in photo.headers["cache-control"]


def test_several_photos_have_a_page_of_their_own(client: TestClient) -> None:
    answer = post(client, ("one.png", PICTURE), ("two.txt", b"no"), ("three.png", picture_bytes(color="black", mark=False)))
    assert answer.status_code == HTTPStatus.SEE_OTHER
    page = outline(client.get(answer.headers["location"]))
    assert "50 MPa" in page.words
    assert "Not read" in page.words
    assert "two.txt" in page.words
    assert len([one for one in page.all("a") if one.get("class") == "row"]) == 2
    assert client.get("/r?id=nothing").status_code == HTTPStatus.NOT_FOUND


def test_the_script_is_told_the_reports(client: TestClient) -> None:
    answer = post(client, ("a.png", PICTURE), headers={"Accept": "application/json"})
    assert answer.status_code == HTTPStatus.CREATED
    (report,) = answer.json()["reports"]
    assert report == {"id": report["id"], "href": f"/r/{report['id']}", "shown": "50 MPa"}
    problem = post(client, ("a.txt", b"no"), headers={"Accept": "application/json"})
    assert problem.headers["content-type"] == "application/problem+json"
    assert "not an image" in problem.json()["detail"]


def test_the_same_key_is_the_same_report(fresh: TestClient, reader: DoubleReader) -> None:
    headers = {"Accept": "application/json", "Idempotency-Key": "5f0c6d1e-9a"}
    first, second = (post(fresh, ("a.png", PICTURE), headers=headers).json() for _ in range(2))
    assert first == second
    assert len(reader.asked) == 1


def test_the_example_is_read(fresh: TestClient, reader: DoubleReader) -> None:
    answer = fresh.post("/example", data={"language": "zh"})
    assert answer.status_code == HTTPStatus.SEE_OTHER
    assert reader.asked[0] | {"known_models": ()} == {"names": ["xyz2000_panel.jpg"], "model": "XYZ-2000", "known_models": ()}


def test_an_empty_second_input_is_no_photo(fresh: TestClient, reader: DoubleReader) -> None:
    """A form has two file inputs; the browser sends a nameless empty part for the one that was not used."""
    body = (
        b'--x\r\nContent-Disposition: form-data; name="file"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n'
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
        + PICTURE + b"\r\n--x--\r\n"
    )  # fmt: skip
    answer = fresh.post("/", content=body, headers={"content-type": "multipart/form-data; boundary=x"})
    assert answer.status_code == HTTPStatus.SEE_OTHER
    assert [one["names"] for one in reader.asked] == [["a.png"]]


# --- what goes wrong ----------------------------------------------------------------------------------------------------


def test_nothing_chosen_is_said_on_the_form(client: TestClient) -> None:
    page = outline(client.post("/", data={"model": "<b>M", "place": "P-7"}), HTTPStatus.UNPROCESSABLE_ENTITY)
    assert "Choose a photo first." in page.words
    assert {one.get("value") for one in page.all("input")} >= {"<b>M", "P-7"}


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_opened_is_said_on_the_form(client: TestClient, what: str) -> None:
    page = outline(post(client, ("dial 3.jpg", BAD[what].data), model="XYZ-2000"), BAD[what].status)
    assert BAD[what].message in page.words
    assert "dial 3.jpg" in page.words
    assert {"alert"} == {one["role"] for one in page.all("p") if "role" in one and one["role"] == "alert"}


def test_too_much_is_a_page_too(service: Service) -> None:
    settings = service.settings.model_copy(update={"max_request_mib": 0.01, "max_photos": 2})
    with TestClient(create_app(settings, service), follow_redirects=False) as client:
        outline(post(client, ("a.png", b"x" * 30_000)), HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        small = picture_bytes(size=(8, 8))
        outline(post(client, *[("a.png", small)] * 3), HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        outline(post(client, *[("a.png", small)] * 9), HTTPStatus.BAD_REQUEST)


@pytest.mark.parametrize(
    "path", ["/r/none", "/r/none/thanks", "/instruments/of?place=nowhere", "/language/fr", "/r/none/photo.jpg"]
)
def test_what_is_not_there(client: TestClient, path: str) -> None:
    assert "no such page or report" in outline(client.get(path), HTTPStatus.NOT_FOUND).words


def test_odd_addresses_are_pages_and_no_faults(client: TestClient) -> None:
    for path in ("/r", "/r/%2e%2e%2fx", "/instruments/of", "/instruments/of?place=" + "x" * 300, f"/r/x/thanks?case={10**20}"):
        assert client.get(path).status_code in (404, 422), path
    junk = client.post("/", content=b"junk", headers={"content-type": "multipart/form-data; boundary=x"})
    outline(junk, HTTPStatus.BAD_REQUEST)


def test_a_photo_that_is_gone_leaves_its_report(fresh: TestClient) -> None:
    address = inspect(fresh)
    store_of(fresh).photos.sweep(-1.0)
    page = outline(fresh.get(address))
    assert "The photo is no longer kept" in page.words
    assert "50 MPa" in page.words
    assert fresh.get(f"{address}/photo.jpg").status_code == HTTPStatus.NOT_FOUND


class AbstainingReader(DoubleReader):
    """Sees two instruments and reads one of them."""

    def read_one(self, source: Path | bytes, name: str | None, model: str | None) -> PhotoReading:
        reading = super().read_one(source, name, model)
        return reading.model_copy(update={"instruments": (make_dial(320, 240, model), abstained_dial(320, 240))})


def test_not_read_is_as_large_as_a_value(service: Service) -> None:
    both = Service(service.settings, reader=AbstainingReader(), knowledge=service.knowledge)
    with TestClient(create_app(service.settings, both), follow_redirects=False) as client:
        text = client.get(inspect(client)).text
    figures = re.findall(r'<p class="figure[^"]*">(.*?)</p>', text)
    assert len(figures) == 2
    assert "50" in figures[0]
    assert figures[1] == "Not read"
    assert "because the needle is hidden" in text


def test_advice_names_what_was_measured(client: TestClient) -> None:
    data = io.BytesIO()
    Image.effect_noise((320, 240), 12).point(lambda level: level // 4).convert("RGB").save(data, "PNG")
    page = outline(client.get(inspect(client, data=data.getvalue())))
    assert "For a better photo" in page.words
    assert re.search(r"reach only \d+ % of full brightness", page.words)


# --- hostile texts --------------------------------------------------------------------------------------------------------

HOSTILE = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'; DROP TABLE reports; --", "{{ 7*7 }}{% raw %}",
    "\u202egnp.exe", "مقياس الضغط", "🛢️🔥👩‍🔧", "a" * 10_000, "压力表 7 号 <b>", "x\r\nSet-Cookie: a=b",
    "&lt;script&gt;", "..", "/../..", "%2e%2e", "?#&=+ %",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_places_and_models_stay_text(client: TestClient, text: str) -> None:
    answer = post(client, (f"{text.replace('/', '')[:200]}.png", PICTURE), model=text, place=text)
    assert answer.status_code == HTTPStatus.SEE_OTHER, answer.text[:300]
    place = store_of(client).reports.list("local", limit=1)[0].place
    assert place is not None
    pages = [client.get(answer.headers["location"]), client.get("/"), client.get("/instruments"), client.get("/accuracy")]
    pages.append(client.get("/instruments/of", params={"place": place}))
    for page in pages:
        shown = outline(page)
        assert not [one for one in shown.all("script") if not (one.get("src") or "").startswith("/static/")]
        assert "x" not in {one.get("src") for one in shown.all("img")}
        assert "set-cookie" not in page.headers
    assert "7*7" not in text or "{{ 7*7 }}" in outline(pages[0]).words
    links = [one["href"] for one in outline(pages[2]).all("a") if "/instruments/of" in (one["href"] or "")]
    assert client.get(links[0] or "").status_code == HTTPStatus.OK


@pytest.mark.parametrize("text", HOSTILE[:9], ids=range(9))
def test_hostile_corrections_stay_text(client: TestClient, text: str) -> None:
    address = inspect(client)
    answer = client.post(f"{address}/wrong", data={"value": text[:90], "unit": text[:30], "note": text[:1900]})
    page = outline(answer, HTTPStatus.UNPROCESSABLE_ENTITY)
    assert not [one for one in page.all("script") if not (one.get("src") or "").startswith("/static/")]
    assert {one.get("value") for one in page.all("input")} >= {text[:90].strip(), text[:30].strip()}


# --- corrections, history, accuracy ---------------------------------------------------------------------------------------


def test_a_correction_becomes_a_case_with_a_number(fresh: TestClient, service: Service) -> None:
    address = inspect(fresh)
    form = {"instrument": "1", "complaint": "misread", "value": "42,5", "unit": "bar", "note": "<b>bold</b>"}
    answer = fresh.post(f"{address}/wrong", data=form, headers=ORIGIN)
    assert answer.status_code == HTTPStatus.SEE_OTHER
    assert "Kept as case 1." in outline(fresh.get(answer.headers["location"])).words
    (case,) = FailureLibrary(service.settings.home).cases()
    assert case.report.note == "<b>bold</b>"
    (kept,) = store_of(fresh).feedback.of_report("local", address.removeprefix("/r/"))
    assert (kept.value, kept.unit, kept.instrument, kept.failure_case) == (42.5, "bar", 1, 1)


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"value": "about 42"}, "about 42"),
        ({"value": "1,250"}, "1,250"),
        ({"value": "1", "unit": "furlong"}, "furlong"),
        ({"complaint": "misread"}, "Give a value or a note"),
    ],
)
def test_a_correction_that_says_nothing_comes_back(client: TestClient, form: dict[str, str], told: str) -> None:
    address = inspect(client)
    page = outline(client.post(f"{address}/wrong", data=form), HTTPStatus.UNPROCESSABLE_ENTITY)
    assert told in page.words
    assert store_of(client).feedback.of_report("local", address.removeprefix("/r/")) == ()
    assert client.post(f"{address}/wrong", data={"complaint": "angry"}).status_code == HTTPStatus.UNPROCESSABLE_ENTITY


def test_another_sites_form_is_refused(client: TestClient) -> None:
    address = inspect(client)
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        assert client.post(f"{address}/wrong", data={"note": "x"}, headers=headers).status_code == HTTPStatus.FORBIDDEN
        assert post(client, ("a.png", PICTURE), headers=headers).status_code == HTTPStatus.FORBIDDEN


def test_a_places_history(fresh: TestClient) -> None:
    assert "No place has a reading yet" in outline(fresh.get("/instruments")).words
    for color in ("white", "gray"):
        inspect(fresh, data=picture_bytes(size=(320, 240), color=color), model="XYZ-2000", place="P-7 / north")
    inspect(fresh, data=picture_bytes(color="black", mark=False), place="P-7 / north")
    places = outline(fresh.get("/instruments"))
    (link,) = (one["href"] for one in places.all("a") if "/instruments/of" in (one["href"] or ""))
    page = outline(fresh.get(link or ""))
    assert page.words.count("60 MPa") >= 2
    assert "Not read" in page.words
    (chart,) = (one for one in page.all("svg") if one.get("class") == "chart")
    assert "2 values" in (chart["aria-label"] or "")
    assert len([one for one in page.all("circle") if one.get("class") == "dot"]) == 2
    assert len([one for one in page.all("line") if one.get("class") == "bar"]) == 2
    assert {"limit warning"} <= {one.get("class") for one in page.all("line")}


def test_long_histories_come_in_pages(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    from serve.web import history_pages

    monkeypatch.setattr(history_pages, "A_PAGE", 2)
    for _ in range(3):
        inspect(client, place="P of pages")
    first = outline(client.get("/instruments/of", params={"place": "P of pages"}))
    (older,) = (one["href"] for one in first.all("a") if one.get("rel") == "next")
    second = outline(client.get(older or ""))
    rows = [[one["href"] for one in page.all("a") if (one["href"] or "").startswith("/r/")] for page in (first, second)]
    assert not [one for one in second.all("a") if one.get("rel") == "next"]
    assert rows[0]
    assert rows[1]


def test_accuracy_is_what_was_measured_or_is_said_to_be_missing(fresh: TestClient, service: Service) -> None:
    page = outline(fresh.get("/accuracy"))
    assert "No accuracy has been measured" in page.words
    assert "XYZ-2000" in page.words
    assert "not measured" in page.words
    folder = service.settings.home / "accuracy"
    folder.mkdir(parents=True)
    (folder / "accuracy.json").write_text("{no card", encoding="utf-8")
    assert "No accuracy has been measured" in outline(fresh.get("/accuracy")).words
    (folder / "accuracy.json").write_text(json.dumps(measured_card()), encoding="utf-8")
    page = outline(fresh.get("/accuracy"))
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


# --- language and signing in ----------------------------------------------------------------------------------------------


def test_pages_speak_the_browsers_language_and_keep_the_chosen_one(client: TestClient) -> None:
    chinese = {"Accept-Language": "zh-CN,zh;q=0.9"}
    page = outline(client.get("/", headers=chinese))
    assert page.all("html")[0]["lang"] == "zh-Hans"
    assert "读取仪表" in page.words
    answer = client.get("/language/en", params={"back": "/instruments"})
    assert answer.headers["location"] == "/instruments"
    assert "httponly" in answer.headers["set-cookie"].lower()
    assert "Places" in outline(client.get("/instruments", headers=chinese)).words
    assert client.get("/language/zh", params={"back": "//evil.example"}).headers["location"] == "/"
    report = outline(client.get(inspect(client, model="XYZ-2000", language="zh")))
    assert "置信度" in report.words


def test_a_key_is_asked_for_on_a_page(fresh: TestClient) -> None:
    assert fresh.get("/sign-in").headers["location"] == "/"
    secret = store_of(fresh).keys.create("browser", ["read", "inspect"], "plant-2").secret
    for path in ("/", "/instruments", "/accuracy", "/r/x", "/r"):
        assert fresh.get(path).headers["location"].startswith("/sign-in?back="), path
    assert fresh.get("/static/gauge.css").status_code == HTTPStatus.OK
    page = outline(fresh.get("/sign-in", params={"back": "/instruments"}))
    assert [one["type"] for one in page.all("input") if one["name"] == "key"] == ["password"]
    wrong = fresh.post("/sign-in", data={"key": "gauge_" + "x" * 43, "back": "/instruments"}, headers=ORIGIN)
    assert "not known" in outline(wrong, HTTPStatus.UNAUTHORIZED).words
    assert "set-cookie" not in wrong.headers
    answer = fresh.post("/sign-in", data={"key": f" {secret} ", "back": "/instruments"}, headers=ORIGIN)
    assert answer.headers["location"] == "/instruments"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert outline(fresh.get("/instruments")).words
    assert post(fresh, ("a.png", PICTURE), headers=ORIGIN).status_code == HTTPStatus.SEE_OTHER
    assert store_of(fresh).reports.list("local") == ()
    assert len(store_of(fresh).reports.list("plant-2")) == 1
    assert fresh.post("/sign-out", headers=ORIGIN).headers["location"] == "/sign-in"
    assert fresh.get("/instruments").headers["location"].startswith("/sign-in")


def test_keys_cannot_be_guessed_in_a_row(fresh: TestClient) -> None:
    store_of(fresh).keys.create("browser", ["read"])
    answers = [fresh.post("/sign-in", data={"key": f"gauge_{number:043d}"}, headers=ORIGIN).status_code for number in range(25)]
    assert set(answers) == {HTTPStatus.UNAUTHORIZED, HTTPStatus.TOO_MANY_REQUESTS}


def test_a_key_that_may_only_read_is_told_so(fresh: TestClient) -> None:
    secret = store_of(fresh).keys.create("reader", ["read"]).secret
    fresh.cookies.set("gauge_key", secret)
    outline(fresh.get("/"))
    assert "does not allow" in outline(post(fresh, ("a.png", PICTURE), headers=ORIGIN), HTTPStatus.FORBIDDEN).words


def test_one_tenants_report_is_not_anothers(fresh: TestClient) -> None:
    keys = [store_of(fresh).keys.create(name, ["read", "inspect"], name).secret for name in ("a", "b")]
    fresh.cookies.set("gauge_key", keys[0])
    answer = post(fresh, ("a.png", PICTURE), headers=ORIGIN, place="P-7")
    address = answer.headers["location"]
    outline(fresh.get(address))
    fresh.cookies.clear()
    fresh.cookies.set("gauge_key", keys[1])
    for path in (
        address,
        f"{address}/photo.jpg",
        f"{address}/thanks?case=1",
        f"/r?id={address[3:]}",
        "/instruments/of?place=P-7",
    ):
        assert fresh.get(path).status_code == HTTPStatus.NOT_FOUND, path
    assert fresh.post(f"{address}/wrong", data={"note": "x"}, headers=ORIGIN).status_code == HTTPStatus.NOT_FOUND


def test_pages_are_not_kept_and_files_are(client: TestClient) -> None:
    page = client.get("/")
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "same-origin"  # Else forms would come with `Origin: null`.
    for address in re.findall(r'"(/static/[^"]+)"', page.text):
        answer = client.get(address)
        assert answer.status_code == HTTPStatus.OK
        assert "immutable" in answer.headers["cache-control"]
    assert client.get("/static/../words.toml").status_code == HTTPStatus.NOT_FOUND
