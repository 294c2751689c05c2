"""Manuals over HTTP: taken in, published, searched, and a tenant's own kept from the others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from httpx import Response

from serve import service as service_module
from serve import tenancy
from serve.api.app import create_app
from serve.library import open_knowledge
from serve.service import Service
from tests.serve.doubles import HashEmbedder

MANUAL = """# Operating manual of the QRT-9

## 1 Red lamp

The red lamp of the QRT-9 means that zyxwort pressure is lost. Stop the pump at once.
"""
FORM = {
    "models": "QRT-9", "id": "qrt-9-en", "title": "QRT-9 manual", "kind": "dial", "language": "en", "authority": "specification",
    "status": "valid", "version": "1", "effective_date": "2026-01-31",
}  # fmt: skip


@pytest.fixture
def client(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """An app whose manuals are embedded by the light double."""
    monkeypatch.setattr(tenancy, "load_embedder", lambda _: HashEmbedder())

    def reopen(settings: object, as_of: object = None) -> object:
        monkeypatch.setattr("knowledge.search.load_embedder", lambda _: HashEmbedder())
        return open_knowledge(settings, as_of)  # type: ignore[arg-type]

    monkeypatch.setattr(service_module, "open_knowledge", reopen)
    with TestClient(create_app(service.settings, service)) as client:
        yield client


def add(
    client: TestClient, name: str = "qrt.md", text: str = MANUAL, headers: dict[str, str] | None = None, **form: str
) -> Response:
    body = (
        "---\n"
        + "\n".join(f"{key}: {value}" for key, value in FORM.items() if key not in ("models",))
        + "\nmodels: [QRT-9]\n---\n"
        + text
    )
    return client.post("/kb/documents", files={"file": (name, body)}, data=form, headers=headers)


def key(client: TestClient, tenant: str) -> dict[str, str]:
    secret = client.app.state.parts.store.keys.create("k", ["read", "knowledge"], tenant).secret  # type: ignore[attr-defined]
    return {"Authorization": f"Bearer {secret}"}


def test_a_manual_is_taken_in_and_answers(client: TestClient) -> None:
    answer = add(client)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert [one["document"] for one in body["intake"]["added"]] == ["qrt-9-en"]
    assert body["intake"]["added"][0]["file"] == "qrt.md"
    found = client.get("/kb/search", params={"query": "zyxwort pressure", "model": "QRT-9"}).json()
    assert found["version"] == body["published"]
    assert "zyxwort" in found["hits"][0]["chunk"]["text"]
    again = add(client).json()
    assert (len(again["intake"]["unchanged"]), again["published"]) == (1, None)


def test_what_is_refused_says_why_and_changes_nothing(client: TestClient) -> None:
    before = client.get("/kb/documents").json()["version"]
    answer = client.post("/kb/documents", files={"file": ("../../etc/x.pdf", b"no pdf")}, data=FORM)
    assert answer.status_code == 200
    (refused,) = answer.json()["intake"]["refused"]
    assert refused["file"] == "x.pdf"
    assert "tmp" not in refused["reason"]
    assert answer.json()["published"] is None
    assert client.get("/kb/documents").json()["version"] == before
    assert client.post("/kb/documents", files={"file": ("a.md", MANUAL)}, data={"authority": "gossip"}).status_code == 422
    assert client.post("/kb/documents").status_code == 422


def test_a_tenants_manual_answers_that_tenant_alone(client: TestClient) -> None:
    mine, other = key(client, "a"), key(client, "b")
    assert len(add(client, headers=mine).json()["intake"]["added"]) == 1
    question = {"query": "zyxwort pressure", "model": "QRT-9"}
    assert "zyxwort" in client.get("/kb/search", params=question, headers=mine).text.split('"hits"')[1]
    assert "zyxwort" not in client.get("/kb/search", params=question, headers=other).text
    ids = {one["id"] for one in client.get("/kb/documents", headers=mine).json()["documents"]}
    assert {"qrt-9-en", "xyz-2000-en"} <= ids
    assert "qrt-9-en" not in client.get("/kb/documents", headers=other).text
    assert "QRT-9" in client.get("/models", headers=mine).text
    assert "QRT-9" not in client.get("/models", headers=other).text
