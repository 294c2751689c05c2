"""What tests of the pages need: a photo's way through the form, and a page's outline held to what every page must be."""

from __future__ import annotations

from html.parser import HTMLParser
from http import HTTPStatus

from fastapi.testclient import TestClient
from httpx import Response

from serve.store.store import Store
from tests.serve.doubles import picture_bytes

ORIGIN = {"Origin": "http://testserver"}
PICTURE = picture_bytes(size=(320, 240))


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
