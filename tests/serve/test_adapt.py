"""`gauge adapt`: what it stores, what it refuses, and that the service reads with what is stored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from serve.cli import app
from serve.commands import adapting
from serve.service import Service
from serve.settings import Settings
from tests.vision.test_training import draw
from vision.adapter_files import list_adapters, weights_sha256
from vision.donut import DonutConfig, build_small, save
from vision.samples import read_records

TINY = DonutConfig(
    image_size=64, hidden_size=32, encoder_layers=2, decoder_layers=1, feed_forward=32, encoder_heads=2, decoder_heads=2
)


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    torch.manual_seed(0)
    save(build_small(TINY), tmp_path / "base", {"name": "tiny", "version": "7"})
    monkeypatch.setenv("GAUGE_HOME", str(tmp_path / "home"))
    return tmp_path / "base"


def run(*args: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["adapt", *map(str, args)])
    return result.exit_code, result.stdout, result.stderr


def test_photos_become_an_adapter_below_home(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.adapter_training.Adaptation.helps", property(lambda _: True))
    photos = draw(tmp_path / "photos", 12)
    code, out, err = run("MODEL/B", "--photos", photos, "--weights", base, "--steps", "2")
    assert code == 0, err
    assert "2 steps on 9 photos" in out
    assert "Of 3 photos held out" in out
    (card,) = list_adapters(tmp_path / "home" / "adapters")
    assert (card.instrument_model, card.base.version, card.base_sha256) == ("MODEL/B", "7", weights_sha256(base))
    assert card.held_out == 3
    service = Service(Settings(home=tmp_path / "home", weights=str(base)))
    reader = service.reader
    assert reader.adapters.models() == ["MODEL/B"]  # type: ignore[attr-defined]
    assert reader.adapters.find("model/b") is not None  # type: ignore[attr-defined]


def test_photos_with_a_table_of_values_become_an_adapter_that_is_listed(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vision.adapter_training.Adaptation.helps", property(lambda _: True))
    drawn = draw(tmp_path / "photos", 12)
    records = list(read_records(drawn))
    (drawn / "metadata.jsonl").unlink()
    rows = [f"{record.file_name},{index},0,12,bar" for index, record in enumerate(records)]
    (drawn / "labels.csv").write_text("\n".join(["file_name,value,scale_min,scale_max,unit", *rows]), encoding="utf-8")
    code, out, err = run("MODEL-C", "--photos", drawn, "--weights", base, "--steps", "2")
    assert code == 0, err
    assert "Of 3 photos held out" in out
    listed = CliRunner().invoke(app, ["models", "--weights", str(base)])
    assert listed.exit_code == 0
    assert listed.stdout.startswith("MODEL-C: for tiny 7, ")
    assert "of 3 photos held out" in listed.stdout
    (card,) = json.loads(CliRunner().invoke(app, ["models", "--weights", str(base), "--json"]).stdout)
    assert (card["instrument_model"], card["fits"]) == ("MODEL-C", True)
    assert card["size_bytes"] == (tmp_path / "home" / "adapters" / "model-c" / "adapter.safetensors").stat().st_size
    torch.manual_seed(1)
    save(build_small(TINY), tmp_path / "other", {"name": "tiny", "version": "8"})
    other = CliRunner().invoke(app, ["models", "--weights", str(tmp_path / "other")]).stdout
    assert "not the present weights" in other


def test_without_adapters_the_list_says_how_to_make_one(base: Path) -> None:
    result = CliRunner().invoke(app, ["models", "--weights", str(base)])
    assert result.exit_code == 0
    assert "gauge adapt MODEL_ID --photos DIR" in result.stdout
    assert CliRunner().invoke(app, ["models", "--weights", str(base), "--json"]).stdout.strip() == "[]"


def test_a_wrong_row_is_one_line(base: Path, tmp_path: Path) -> None:
    drawn = draw(tmp_path / "photos", 1)
    (drawn / "metadata.jsonl").unlink()
    (drawn / "labels.csv").write_text("file_name,value\nx.png,3\n", encoding="utf-8")
    code, out, err = run("B", "--photos", drawn, "--weights", base)
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "labels.csv:2" in err


def test_what_does_not_help_is_not_stored(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.adapter_training.Adaptation.helps", property(lambda _: False))
    code, out, _ = run("MODEL-B", "--photos", draw(tmp_path / "photos", 12), "--weights", base, "--steps", "1")
    assert code == 1
    assert "Not stored: the held-out photos are read no better" in out
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("model_id", ["", "x" * 130])
def test_ids_that_cannot_be_stored_are_an_error_at_once(base: Path, tmp_path: Path, model_id: str) -> None:
    code, out, err = run(model_id, "--photos", tmp_path, "--weights", base)
    assert (code, out) == (1, "")
    assert "is no instrument model id" in err


def test_a_folder_without_labels_is_an_error(base: Path, tmp_path: Path) -> None:
    code, _, err = run("B", "--photos", tmp_path, "--weights", base)
    assert code == 1
    assert "is not a dataset folder: it has no metadata.jsonl and no labels.csv" in err
    assert "Traceback" not in err


def test_too_few_photos_and_unknown_weights_are_errors(base: Path, tmp_path: Path) -> None:
    photos = draw(tmp_path / "photos", 4)
    code, _, err = run("B", "--photos", photos, "--weights", base)
    assert code == 1
    assert "at least 12 are needed" in err
    code, _, err = run("B", "--photos", photos, "--weights", tmp_path / "none")
    assert code == 1
    assert "no weights" in err


def test_wrong_usage() -> None:
    assert run("B")[0] == 2
    assert run("B", "--photos", "x", "--steps", "0")[0] == 2
    assert adapting.ADAPTERS == "adapters"
