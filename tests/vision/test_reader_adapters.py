"""The reader with adapters: by the given model, by the nameplate in a second pass, and else the base alone."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.vision.test_adapter import make_card, worked
from tests.vision.test_reader import NOISE, TINY, png
from vision import reader as reader_module
from vision.adapter_files import save_adapter, weights_sha256
from vision.donut import build_small, save
from vision.fields import PhotoReading
from vision.locate import LocateOptions
from vision.reader import Reader, ReaderOptions

EAGER = ReaderOptions(locate=LocateOptions(propose_threshold=0.01, confirm_threshold=0.01, max_instruments=2))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    model = build_small(TINY)
    base = tmp_path_factory.mktemp("weights")
    save(model, base / "base", {"name": "tiny", "version": "1"})
    adapter = worked(model)
    card = make_card("MODEL-B", weights_sha256(base / "base"), adapter.widths, adapter.rank)
    save_adapter(adapter, card, base / "adapters")
    return base


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[list[bool]]:
    """For each call that reads crops: which rows had an adapter."""
    seen: list[list[bool]] = []
    own = Reader._read_crops

    def counted(self: Reader, images, boxes, adapters):  # type: ignore[no-untyped-def]
        seen.append([adapter is not None for adapter in adapters])
        return own(self, images, boxes, adapters)

    monkeypatch.setattr(Reader, "_read_crops", counted)
    return seen


def read(reader: Reader, **options: object) -> PhotoReading:
    (reading,) = reader.read_photos([png(NOISE)], names=["a"], **options)  # type: ignore[arg-type]
    assert reading.instruments
    return reading.model_copy(update={"timing_ms": {}})


def plain(home: Path) -> PhotoReading:
    return read(Reader.load(home / "base", options=EAGER))


def test_without_a_model_the_base_reads(home: Path, passes: list[list[bool]]) -> None:
    reader = Reader.load(home / "base", options=EAGER, adapters=home / "adapters")
    assert read(reader) == plain(home)
    assert not any(any(rows) for rows in passes)
    assert not any(one.adapted for one in read(reader).instruments)


def test_a_given_model_takes_its_adapter(home: Path, passes: list[list[bool]]) -> None:
    reader = Reader.load(home / "base", options=EAGER, adapters=home / "adapters")
    reading = read(reader, model="model-b")
    assert len(passes) == 1
    assert all(passes[0])
    assert all(one.adapted and one.model_source == "given" for one in reading.instruments)
    base = plain(home)
    assert [one.confidence for one in reading.instruments] != [one.confidence for one in base.instruments]
    other = read(reader, model="OTHER")
    assert not any(one.adapted for one in other.instruments)
    assert [one.confidence for one in other.instruments] == [one.confidence for one in base.instruments]


def test_a_nameplate_brings_a_second_pass_for_its_crop_alone(
    home: Path, passes: list[list[bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []

    def found(texts: object, known: object) -> str | None:
        asked.append(tuple(known))  # type: ignore[arg-type]
        return "MODEL-B" if len(asked) == 1 else None

    monkeypatch.setattr(reader_module, "find_model", found)
    reader = Reader.load(home / "base", options=EAGER, adapters=home / "adapters")
    reading = read(reader, known_models=["XYZ-2000"])
    assert asked[0] == ("XYZ-2000", "MODEL-B")  # a model with an adapter is known, with a manual or without
    assert passes[1:] == [[True]]
    assert not any(passes[0])
    assert [one.adapted for one in reading.instruments].count(True) == 1
    (adapted,) = (one for one in reading.instruments if one.adapted)
    assert (adapted.instrument_model, adapted.model_source) == ("MODEL-B", "nameplate")


def test_a_nameplate_without_an_adapter_needs_no_second_pass(
    home: Path, passes: list[list[bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader_module, "find_model", lambda *_: "XYZ-2000")
    reading = read(Reader.load(home / "base", options=EAGER, adapters=home / "adapters"), known_models=["XYZ-2000"])
    assert len(passes) == 1
    assert all(one.instrument_model == "XYZ-2000" and not one.adapted for one in reading.instruments)


def test_a_missing_folder_of_adapters_is_no_fault(home: Path) -> None:
    assert read(Reader.load(home / "base", options=EAGER, adapters=home / "nothing"), model="MODEL-B").instruments
