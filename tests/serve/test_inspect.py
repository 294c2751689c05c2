"""`gauge inspect`: the contract of its JSON lines, the report, and what `--out` leaves behind."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from PIL import Image

from rag.errors import RenderError
from rag.pipeline import Inspection
from tests.serve.bad_photos import ODD_NAMES, unopenable, write
from tests.serve.conftest import Gauge
from tests.serve.doubles import picture_bytes

KEYS = ["request_id", "reading", "queries", "evidence", "report", "scores", "timing_ms"]
BAD = unopenable()
EVERYTHING = ["inspection.json", "overlay.jpg", "report.html", "report.md", "report.pdf"]


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    return write(tmp_path, "gauge.png", picture_bytes())


def test_every_key_of_the_contract_is_there(gauge: Gauge, photo: Path) -> None:
    answer = gauge("inspect", photo, "--model", "XYZ-2000", "--json")
    (inspection,) = answer.objects()
    assert answer.code == 0
    assert list(inspection) == KEYS
    assert inspection["reading"]["instruments"][0]["value_source"] == "calibration_formula"
    assert {"gauge_calibration_formula", "unit_declaration"} <= {query["name"] for query in inspection["queries"]}
    assert all({"chunk", "document", "text", "score"} == set(item) for item in inspection["evidence"])
    assert all({"text", "citations", "supported"} == set(item) for item in inspection["report"]["statements"])
    assert set(inspection["report"]) == {"statements", "markdown"}
    Inspection.model_validate(inspection)


def test_statements_cite_evidence_that_is_there(gauge: Gauge, photo: Path) -> None:
    (inspection,) = gauge("inspect", photo, "--model", "XYZ-2000", "--json").objects()
    chunks = {item["chunk"] for item in inspection["evidence"]}
    cited = {one for statement in inspection["report"]["statements"] for one in statement["citations"]}
    assert {one for one in cited if not one.startswith("photo")} <= chunks
    assert any(one in chunks for one in cited)
    assert "60" in inspection["report"]["markdown"]


def test_scores(gauge: Gauge, photo: Path) -> None:
    (inspection,) = gauge("inspect", photo, "--model", "XYZ-2000", "--json").objects()
    scores = inspection["scores"]
    assert scores["fci"] == pytest.approx(scores["fci_supported"] / scores["fci_n"])
    statements = inspection["report"]["statements"]
    assert scores["supported_share"] == pytest.approx(sum(one["supported"] for one in statements) / len(statements))


def test_what_cannot_be_scored_is_null_and_not_zero(gauge: Gauge, tmp_path: Path) -> None:
    (inspection,) = gauge("inspect", tmp_path / "none.jpg", "--json").objects()
    assert inspection["scores"]["fci"] is None
    assert inspection["scores"]["supported_share"] is None
    assert inspection["scores"]["fci_reason"] == "there is no report"


def test_a_model_without_a_manual_gets_no_claims_of_one(gauge: Gauge, photo: Path) -> None:
    (inspection,) = gauge("inspect", photo, "--model", "Nobody 1", "--json").objects()
    assert inspection["queries"] == []
    assert inspection["evidence"] == []
    assert inspection["reading"]["instruments"][0]["value"] == 50.0
    assert inspection["report"]["statements"]


def test_chinese_report(gauge: Gauge, photo: Path) -> None:
    (inspection,) = gauge("inspect", photo, "--model", "XYZ-2000", "--lang", "zh", "--json").objects()
    assert any("一" <= char <= "鿿" for char in inspection["report"]["markdown"])
    assert inspection["queries"][0]["language"] == "zh"


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_opened_has_no_report(gauge: Gauge, tmp_path: Path, what: str) -> None:
    path = write(tmp_path, "bad.jpg", BAD[what].data)
    answer = gauge("inspect", path, "--out", tmp_path / "out", "--json")
    (inspection,) = answer.objects()
    assert answer.code == 1
    assert list(inspection) == KEYS
    assert inspection["report"] is None
    assert BAD[what].message in inspection["reading"]["reason"]
    (folder,) = (tmp_path / "out").iterdir()
    assert [file.name for file in folder.iterdir()] == ["inspection.json"]


def test_a_photo_without_instruments_gets_a_report_that_says_so(gauge: Gauge, tmp_path: Path) -> None:
    path = write(tmp_path, "black.png", picture_bytes(color="black", mark=False))
    answer = gauge("inspect", path, "--json")
    (inspection,) = answer.objects()
    assert answer.code == 0
    assert inspection["reading"]["status"] == "abstained"
    assert "no instrument was found" in inspection["report"]["markdown"]


def test_bad_files_do_not_stop_the_rest(gauge: Gauge, photo: Path, tmp_path: Path) -> None:
    answer = gauge("inspect", tmp_path, photo, tmp_path / "none.jpg", photo, "--json")
    inspections = answer.objects()
    assert [one["reading"]["status"] for one in inspections] == ["error", "read", "error", "read"]
    assert len({one["request_id"] for one in inspections}) == 4
    assert answer.code == 1
    assert "4/4" in answer.err


def test_out_gets_report_overlay_and_json(gauge: Gauge, photo: Path, tmp_path: Path) -> None:
    answer = gauge("inspect", photo, "--model", "XYZ-2000", "--out", tmp_path / "deep" / "out", "--json")
    (folder,) = (tmp_path / "deep" / "out").iterdir()
    assert sorted(file.name for file in folder.iterdir()) == EVERYTHING
    assert json.loads((folder / "inspection.json").read_text(encoding="utf-8")) == answer.objects()[0]
    assert (folder / "report.md").read_text(encoding="utf-8") == answer.objects()[0]["report"]["markdown"]
    with Image.open(folder / "overlay.jpg") as overlay:
        assert overlay.size == (120, 90)


@pytest.mark.parametrize(
    ("formats", "files"),
    [
        ("md", ["overlay.jpg", "report.md"]),
        ("html, PDF", ["overlay.jpg", "report.html", "report.pdf"]),
        ("json,json", ["inspection.json", "overlay.jpg"]),
    ],
)
def test_formats_can_be_chosen(gauge: Gauge, photo: Path, tmp_path: Path, formats: str, files: list[str]) -> None:
    assert gauge("inspect", photo, "--report", tmp_path / "out", "--format", formats).code == 0
    (folder,) = (tmp_path / "out").iterdir()
    assert sorted(file.name for file in folder.iterdir()) == files


@pytest.mark.parametrize("formats", ["docx", "html,docx", "", ","])
def test_an_unknown_format_is_wrong_usage(gauge: Gauge, photo: Path, tmp_path: Path, formats: str) -> None:
    answer = gauge("inspect", photo, "--out", tmp_path / "out", "--format", formats)
    assert answer.code == 2
    assert "there are md, html, json, pdf" in " ".join(answer.err.split())
    assert not (tmp_path / "out").exists()


def test_a_format_without_a_folder_is_wrong_usage(gauge: Gauge, photo: Path) -> None:
    answer = gauge("inspect", photo, "--format", "pdf")
    assert answer.code == 2
    assert "--out" in answer.err


def test_a_pdf_that_cannot_be_written_costs_itself_alone(
    gauge: Gauge, photo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bytes:
        raise RenderError("the font is missing: pip install font")

    monkeypatch.setattr("serve.commands.outputs.render_pdf", fail)
    answer = gauge("inspect", photo, photo, "--out", tmp_path / "out")
    assert answer.code == 1
    assert answer.err.count("report.pdf: the font is missing: pip install font") == 2
    for folder in (tmp_path / "out").iterdir():
        assert sorted(file.name for file in folder.iterdir()) == [name for name in EVERYTHING if name != "report.pdf"]


def test_photos_of_the_same_name_are_kept_apart(gauge: Gauge, tmp_path: Path) -> None:
    paths = []
    for number, color in enumerate(("white", "yellow", "green")):
        (tmp_path / str(number)).mkdir()
        paths.append(write(tmp_path / str(number), "gauge.png", picture_bytes(color=color)))
    gauge("inspect", *paths, paths[0], tmp_path / "a" / "gauge.png", tmp_path / "b" / "gauge.png", "--out", tmp_path / "out")
    folders = list((tmp_path / "out").iterdir())
    assert len(folders) == 6
    photos = sorted(json.loads((folder / "inspection.json").read_text())["reading"]["photo"] for folder in folders)
    assert photos == sorted(map(str, [*paths, paths[0], tmp_path / "a" / "gauge.png", tmp_path / "b" / "gauge.png"]))


def test_inspecting_again_replaces_the_photos_own_results_alone(gauge: Gauge, photo: Path, tmp_path: Path) -> None:
    other = write(tmp_path, "gauge.bmp", picture_bytes("BMP", color="yellow"))
    gauge("inspect", photo, other, "--out", tmp_path / "out")
    before = sorted((tmp_path / "out").iterdir())
    gauge("inspect", photo, "--out", tmp_path / "out")
    assert sorted((tmp_path / "out").iterdir()) == before


@pytest.mark.parametrize("name", ODD_NAMES)
def test_strange_names_become_safe_ones(gauge: Gauge, tmp_path: Path, name: str) -> None:
    path = write(tmp_path, name, picture_bytes())
    answer = gauge("inspect", "--out", tmp_path / "out", "--json", "--", path)
    assert answer.code == 0
    (folder,) = (tmp_path / "out").iterdir()
    assert (folder / "overlay.jpg").is_file()
    assert not set(folder.name) & set(" /\\.'\"$;()\u3000")
    assert folder.name[0] not in "-."


def test_out_that_is_a_file_fails_before_anything_is_read(gauge: Gauge, photo: Path, reader: object, tmp_path: Path) -> None:
    taken = write(tmp_path, "taken", b"x")
    answer = gauge("inspect", photo, "--out", taken)
    assert answer.code == 1
    assert answer.err == f"gauge: {taken}: File exists\n"
    assert answer.out == ""


def test_for_people(gauge: Gauge, photo: Path, tmp_path: Path) -> None:
    answer = gauge("inspect", photo, "--model", "XYZ-2000", "--out", tmp_path / "out")
    assert answer.code == 0
    assert f"{photo}: 1 instrument" in answer.out
    assert "# " in answer.out
    assert f"Written to {tmp_path / 'out'}" in answer.out
    assert re.search(r"^Request [0-9a-f]{32}$", answer.out, re.MULTILINE)


@pytest.mark.parametrize(("option", "value"), [("--writer", "poet"), ("--lang", "fr")])
def test_an_unknown_choice_is_wrong_usage(gauge: Gauge, photo: Path, option: str, value: str) -> None:
    answer = gauge("inspect", photo, option, value)
    assert answer.code == 2
    assert value in answer.err
