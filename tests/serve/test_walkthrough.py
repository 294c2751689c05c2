"""`gauge walkthrough`: the page of a request that was made, from what was stored of it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from knowledge.search import KnowledgeBase
from rag.trace_store import TraceStore
from serve import code_version as code_version_module
from serve import walking
from serve.code_version import ROOT, code_version
from tests.serve.bad_photos import write
from tests.serve.conftest import Gauge
from tests.serve.doubles import picture_bytes


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, knowledge: KnowledgeBase) -> Path:
    """The home of the service's double, with the shipped manuals behind a light embedder as its only version."""
    monkeypatch.setenv("GAUGE_HOME", str(tmp_path / "home"))
    found = {knowledge.version: knowledge}
    monkeypatch.setattr(walking, "open_version", lambda settings, version, as_of: found.get(version))
    return tmp_path / "home"


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    return write(tmp_path, "gauge.png", picture_bytes())


@pytest.fixture
def request_id(gauge: Gauge, home: Path, photo: Path) -> str:
    """Id of a request that was made."""
    (made,) = gauge("inspect", photo, "--model", "XYZ-2000", "--json").objects()
    found: str = made["request_id"]
    return found


def test_the_page_of_a_request(gauge: Gauge, request_id: str, tmp_path: Path) -> None:
    answer = gauge("walkthrough", request_id, "--out", tmp_path / "page.html")
    assert (answer.code, answer.err) == (0, "")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert request_id in html
    assert "data:image/jpeg;base64," in html
    assert "gauge_calibration_formula" in html
    assert re.search(r'<mark class="term[^>]*id="q1t\d+"', html)
    assert "double 1" in html
    assert "double-hash" in html
    assert code_version() in html


def test_two_pages_of_one_request_are_the_same(gauge: Gauge, request_id: str, tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        assert gauge("walkthrough", request_id, "--out", tmp_path / name).code == 0
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_a_folder_gets_a_file_named_by_request_and_moment(gauge: Gauge, home: Path, request_id: str, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    assert gauge("walkthrough", request_id, "--out", folder).code == 0
    (path,) = folder.iterdir()
    assert re.fullmatch(rf"walkthrough-{request_id}-\d{{8}}T\d{{9}}Z\.html", path.name)
    assert path.name == walking.file_name(request_id, TraceStore(home).kept(request_id).at)


def test_the_moment_in_a_name_has_milliseconds() -> None:
    assert walking.file_name("r-1", 1_700_000_000.0426) == "walkthrough-r-1-20231114T221320042Z.html"


def test_a_photo_that_has_moved(gauge: Gauge, request_id: str, photo: Path, tmp_path: Path) -> None:
    moved = photo.rename(tmp_path / "moved.png")
    lacking = gauge("walkthrough", request_id, "--out", tmp_path / "a.html")
    assert lacking.code == 0
    assert "the page has no picture" in lacking.err
    found = gauge("walkthrough", request_id, "--out", tmp_path / "b.html", "--photo", moved)
    assert found.err == ""
    assert "data:image/jpeg" in (tmp_path / "b.html").read_text(encoding="utf-8")


def test_another_photo_is_not_shown(gauge: Gauge, request_id: str, photo: Path, tmp_path: Path) -> None:
    photo.write_bytes(picture_bytes(color="black"))
    answer = gauge("walkthrough", request_id, "--out", tmp_path / "a.html")
    assert "not the photo that was read" in answer.err
    assert "data:image" not in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_manuals_that_are_gone(gauge: Gauge, request_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "open_version", lambda *_: None)
    answer = gauge("walkthrough", request_id, "--out", tmp_path / "a.html")
    assert answer.code == 0
    assert "of the manuals is gone" in answer.err
    html = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "only the id of the passage was stored" in html
    assert "double-hash" in html


def test_the_form_feeds_the_library(gauge: Gauge, request_id: str, tmp_path: Path) -> None:
    gauge("walkthrough", request_id, "--out", tmp_path / "a.html")
    html = (tmp_path / "a.html").read_text(encoding="utf-8")
    (by_hand,) = re.findall(r"<noscript>.*?<pre>(.*?)</pre>", html, re.DOTALL)
    filled = json.loads(by_hand.replace("&quot;", '"').replace("&#x27;", "'")) | {
        "complaint": "cut_off",
        "note": "the limit is missing",
    }
    (tmp_path / "failure.json").write_text(json.dumps(filled), encoding="utf-8")
    added = gauge("failures", "add", tmp_path / "failure.json")
    assert added.out == f"Case 1, cut_off, about request {request_id}\n"
    assert code_version() in gauge("failures", "show", "1").out


def test_wrong_use_is_one_line(gauge: Gauge, request_id: str, tmp_path: Path) -> None:
    out = tmp_path / "a.html"
    for args, said in (
        (("unknown", "--out", out), "no request unknown"),
        (("../../etc/passwd", "--out", out), "is no request id"),
        ((request_id, "--out", tmp_path / "none" / "a.html"), "No such file or directory"),
        ((request_id, "--out", out, "--report-to", "javascript:alert(1)"), "no plain http(s) URL"),
    ):
        answer = gauge("walkthrough", *args)
        assert answer.code == 1
        assert said in answer.err
        assert len(answer.err.splitlines()) == 1
    assert not out.exists()
    assert gauge("walkthrough", request_id).code == 2


def test_a_photo_that_could_not_be_opened_has_a_page(gauge: Gauge, home: Path, tmp_path: Path) -> None:
    (made,) = gauge("inspect", write(tmp_path, "bad.png", b"no picture"), "--json").objects()
    answer = gauge("walkthrough", made["request_id"], "--out", tmp_path / "a.html")
    assert answer.code == 0
    assert "There is no report." in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_the_code_version_is_the_commit_of_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code_version.cache_clear()
    found = code_version()
    if (ROOT / ".git").exists():
        head = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout
        assert head.startswith(found.removesuffix("-dirty"))
        assert len(found) >= 12
    assert re.fullmatch(r"gaugerag, version unknown|gaugerag \d+\.\S+", code_version(tmp_path))
    (tmp_path / ".git").write_text("gitdir: nowhere")
    code_version.cache_clear()
    assert code_version(tmp_path).startswith("gaugerag")
    monkeypatch.setattr(code_version_module.shutil, "which", lambda _: None)
    code_version.cache_clear()
    assert code_version().startswith("gaugerag")
    code_version.cache_clear()
