"""The pages as a browser without JavaScript gets them: from the form to the report, and what goes wrong on the way."""

from __future__ import annotations

import io
import re
from http import HTTPStatus
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from PIL import Image

from serve.api.app import create_app
from serve.service import Service
from tests.serve.bad_photos import unopenable
from tests.serve.doubles import DoubleReader, abstained_dial, make_dial, picture_bytes
from tests.serve.page_outline import PICTURE, inspect, outline, post, store_of
from vision.fields import PhotoReading

BAD = unopenable()


def test_a_photo_goes_in_and_the_browser_is_sent_to_its_report(site: TestClient) -> None:
    page = outline(site.get("/"))
    (form,) = (one for one in page.all("form") if one.get("id") == "upload")
    assert (form["method"], form["enctype"], form["action"]) == ("post", "multipart/form-data", "/")
    inputs = {one["id"]: one for one in page.all("input") if one.get("type") == "file"}
    assert inputs["camera"]["capture"] == "environment"
    assert inputs["camera"]["accept"] == inputs["file"]["accept"] == "image/*"
    assert "multiple" in inputs["file"]
    assert "XYZ-2000" in {one["value"] for one in page.all("option")}
    shown = outline(site.get(inspect(site, model="XYZ-2000", place="P-7", language="en")))
    assert "60 MPa" in shown.words
    assert re.search(r"between 5\d\.\d+ and 6\d\.\d+ MPa", shown.words)
    assert "Confidence" in shown.words
    assert {f"#s{number}" for number in (1, 2)} <= {one.get("href") for one in shown.all("a")}
    assert {one["id"] for one in shown.all("li") if "id" in one} >= {"s1", "s2"}


def test_every_citation_leads_to_a_passage_of_the_page(site: TestClient) -> None:
    page = outline(site.get(inspect(site, model="XYZ-2000")))
    cited = [one["href"] for one in page.all("a") if one.get("class") == "cite"]
    ids = {f"#{one['id']}" for _, one in page.tags if "id" in one}
    assert len(cited) > 5
    assert set(cited) <= ids


def test_what_was_read_is_drawn_over_the_photo(site: TestClient) -> None:
    address = inspect(site, model="XYZ-2000")
    page = outline(site.get(address))
    (drawing,) = (one for one in page.all("svg") if one.get("class") == "overlay")
    assert drawing["viewbox"] == "0 0 320 240"
    (image,) = (one for one in page.all("img") if (one["src"] or "").endswith("/photo.jpg"))
    assert (image["width"], image["height"]) == ("320", "240")
    assert {one.get("class") for one in page.all("circle")} >= {"dot start", "dot end", "dot needle", "badge"}
    (link,) = (one for one in page.all("a") if (one.get("class") or "").startswith("shape"))
    assert link["href"] == "#i1"
    assert "60 MPa" in (link["aria-label"] or "")
    for size in ("large", "small"):
        photo = site.get(f"{address}/photo.jpg", params={"size": size})
        assert photo.headers["content-type"] == "image/jpeg"
        assert photo.content.startswith(b"\xff\xd8")
        assert "private" in photo.headers["cache-control"]


def test_several_photos_have_a_page_of_their_own(site: TestClient) -> None:
    answer = post(site, ("one.png", PICTURE), ("two.txt", b"no"), ("three.png", picture_bytes(color="black", mark=False)))
    assert answer.status_code == HTTPStatus.SEE_OTHER
    page = outline(site.get(answer.headers["location"]))
    assert "50 MPa" in page.words
    assert "Not read" in page.words
    assert "two.txt" in page.words
    assert len([one for one in page.all("a") if one.get("class") == "row"]) == 2
    assert site.get("/r?id=nothing").status_code == HTTPStatus.NOT_FOUND


def test_the_script_is_told_the_reports(site: TestClient) -> None:
    answer = post(site, ("a.png", PICTURE), headers={"Accept": "application/json"})
    assert answer.status_code == HTTPStatus.CREATED
    (report,) = answer.json()["reports"]
    assert report == {"id": report["id"], "href": f"/r/{report['id']}", "shown": "50 MPa"}
    problem = post(site, ("a.txt", b"no"), headers={"Accept": "application/json"})
    assert problem.headers["content-type"] == "application/problem+json"
    assert "not an image" in problem.json()["detail"]


def test_the_same_key_is_the_same_report(fresh_site: TestClient, reader: DoubleReader) -> None:
    headers = {"Accept": "application/json", "Idempotency-Key": "5f0c6d1e-9a"}
    first, second = (post(fresh_site, ("a.png", PICTURE), headers=headers).json() for _ in range(2))
    assert first == second
    assert len(reader.asked) == 1


def test_the_example_is_read(fresh_site: TestClient, reader: DoubleReader) -> None:
    answer = fresh_site.post("/example", data={"language": "zh"})
    assert answer.status_code == HTTPStatus.SEE_OTHER
    assert reader.asked[0] | {"known_models": ()} == {"names": ["xyz2000_panel.jpg"], "model": "XYZ-2000", "known_models": ()}


def test_an_empty_second_input_is_no_photo(fresh_site: TestClient, reader: DoubleReader) -> None:
    """A form has two file inputs; the browser sends a nameless empty part for the one that was not used."""
    body = (
        b'--x\r\nContent-Disposition: form-data; name="file"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n'
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
        + PICTURE + b"\r\n--x--\r\n"
    )  # fmt: skip
    answer = fresh_site.post("/", content=body, headers={"content-type": "multipart/form-data; boundary=x"})
    assert answer.status_code == HTTPStatus.SEE_OTHER
    assert [one["names"] for one in reader.asked] == [["a.png"]]


# --- what goes wrong ----------------------------------------------------------------------------------------------------


def test_nothing_chosen_is_said_on_the_form(site: TestClient) -> None:
    page = outline(site.post("/", data={"model": "<b>M", "place": "P-7"}), HTTPStatus.UNPROCESSABLE_ENTITY)
    assert "Choose a photo first." in page.words
    assert {one.get("value") for one in page.all("input")} >= {"<b>M", "P-7"}


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_opened_is_said_on_the_form(site: TestClient, what: str) -> None:
    page = outline(post(site, ("dial 3.jpg", BAD[what].data), model="XYZ-2000"), BAD[what].status)
    assert BAD[what].message in page.words
    assert "dial 3.jpg" in page.words
    assert {"alert"} == {one["role"] for one in page.all("p") if "role" in one and one["role"] == "alert"}


def test_too_much_is_a_page_too(service: Service) -> None:
    settings = service.settings.model_copy(update={"max_request_mib": 0.01, "max_photos": 2})
    with TestClient(create_app(settings, service), follow_redirects=False) as site:
        outline(post(site, ("a.png", b"x" * 30_000)), HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        small = picture_bytes(size=(8, 8))
        outline(post(site, *[("a.png", small)] * 3), HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        outline(post(site, *[("a.png", small)] * 9), HTTPStatus.BAD_REQUEST)


@pytest.mark.parametrize(
    "path", ["/r/none", "/r/none/thanks", "/instruments/of?place=nowhere", "/language/fr", "/r/none/photo.jpg"]
)
def test_what_is_not_there(site: TestClient, path: str) -> None:
    assert "no such page or report" in outline(site.get(path), HTTPStatus.NOT_FOUND).words


def test_odd_addresses_are_pages_and_no_faults(site: TestClient) -> None:
    for path in ("/r", "/r/%2e%2e%2fx", "/instruments/of", "/instruments/of?place=" + "x" * 300, f"/r/x/thanks?case={10**20}"):
        assert site.get(path).status_code in (404, 422), path
    junk = site.post("/", content=b"junk", headers={"content-type": "multipart/form-data; boundary=x"})
    outline(junk, HTTPStatus.BAD_REQUEST)


def test_a_photo_that_is_gone_leaves_its_report(fresh_site: TestClient) -> None:
    address = inspect(fresh_site)
    store_of(fresh_site).photos.sweep(-1.0)
    page = outline(fresh_site.get(address))
    assert "The photo is no longer kept" in page.words
    assert "50 MPa" in page.words
    assert fresh_site.get(f"{address}/photo.jpg").status_code == HTTPStatus.NOT_FOUND


class AbstainingReader(DoubleReader):
    """Sees two instruments and reads one of them."""

    def read_one(self, source: Path | bytes, name: str | None, model: str | None) -> PhotoReading:
        reading = super().read_one(source, name, model)
        return reading.model_copy(update={"instruments": (make_dial(320, 240, model), abstained_dial(320, 240))})


def test_not_read_is_as_large_as_a_value(service: Service) -> None:
    both = Service(service.settings, reader=AbstainingReader(), knowledge=service.knowledge)
    with TestClient(create_app(service.settings, both), follow_redirects=False) as site:
        text = site.get(inspect(site)).text
    figures = re.findall(r'<p class="figure[^"]*">(.*?)</p>', text)
    assert len(figures) == 2
    assert "50" in figures[0]
    assert figures[1] == "Not read"
    assert "because the needle is hidden" in text


def test_advice_names_what_was_measured(site: TestClient) -> None:
    data = io.BytesIO()
    Image.effect_noise((320, 240), 12).point(lambda level: level // 4).convert("RGB").save(data, "PNG")
    page = outline(site.get(inspect(site, data=data.getvalue())))
    assert "For a better photo" in page.words
    assert re.search(r"reach only \d+ % of full brightness", page.words)
