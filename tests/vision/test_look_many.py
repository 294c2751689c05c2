"""Several photos looked at in common batches: what is seen of each is what is seen of it alone, and no fault spreads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.vision.test_reader import EAGER, NOISE, TINY, png
from vision.calibration import Calibration
from vision.crop_reading import CropReading
from vision.donut import MODEL_FILE, SHIPPED, build_small
from vision.fields import Weights
from vision.looked import Looked
from vision.photos import Photo, load_photo
from vision.reader import Reader

EXAMPLE = Path(__file__).parents[2] / "synth" / "examples" / "xyz2000_panel.jpg"
CONTINUOUS = frozenset(("pointer_angle", "start_angle", "end_angle", "scale_fraction"))


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    """An untrained reader that looks at three photos together, as on a GPU."""
    monkeypatch.setattr(Reader, "together", 3)
    torch.manual_seed(0)
    return Reader(build_small(TINY), Weights(name="tiny", version="0"), Calibration(), EAGER)


def noise(number: int) -> bytes:
    return png(np.random.default_rng(number).integers(0, 255, (90 + 10 * number, 160, 3), dtype=np.uint8))


def test_groups_keep_the_order_and_bad_photos_stop_nothing(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    groups: list[int] = []
    look_many = reader.look_many

    def counted(photos: list[Photo], models: list[str | None]) -> list[Looked]:
        groups.append(len(photos))
        return look_many(photos, models)

    monkeypatch.setattr(reader, "look_many", counted)
    sources = [noise(0), b"not an image", noise(1), noise(2), noise(3)]
    readings = list(reader.read_photos(sources, names=["a", "b", "c", "d", "e"]))
    assert [reading.photo for reading in readings] == ["a", "b", "c", "d", "e"]
    assert [reading.status == "error" for reading in readings] == [False, True, False, False, False]
    assert groups == [2, 2]
    alone = [next(reader.read_photos([source])) for source in sources]
    assert [len(one.instruments) for one in readings] == [len(one.instruments) for one in alone]
    assert [one.sha256 for one in readings] == [one.sha256 for one in alone]


def test_photos_that_cannot_be_looked_at_together_are_looked_at_alone(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    look_many = reader.look_many

    def too_much(photos: list[Photo], models: list[str | None]) -> list[Looked]:
        if len(photos) > 1:
            raise torch.OutOfMemoryError("no memory for two")
        return look_many(photos, models)

    monkeypatch.setattr(reader, "look_many", too_much)
    readings = list(reader.read_photos([noise(n) for n in range(4)]))
    assert [one.status == "error" for one in readings] == [False] * 4
    assert len({one.sha256 for one in readings}) == 4


def test_a_fault_in_one_photo_of_a_group_is_its_own(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    state = reader.state

    def faulty(photo: Photo, looked: Looked, **options: object) -> object:
        if photo.name == "b":
            raise IndexError("no such row")
        return state(photo, looked)

    monkeypatch.setattr(reader, "state", faulty)
    readings = list(reader.read_photos([noise(n) for n in range(3)], names=["a", "b", "c"]))
    assert [one.status == "error" for one in readings] == [False, True, False]
    assert "no such row" in str(readings[1].reason)


def test_a_reader_on_a_cpu_looks_at_one_photo_at_a_time() -> None:
    torch.manual_seed(0)
    reader = Reader(build_small(TINY), Weights(name="tiny", version="0"), Calibration(), EAGER)
    assert reader.together == 1
    photos = [load_photo(png(NOISE), name="x")] * 2
    first, second = reader.look_many(photos, [None, None])
    assert len(first.crops) == len(second.crops) > 0
    assert set(first.timing_ms) == {"locate", "donut"}


@pytest.mark.skipif(not (SHIPPED / "small" / MODEL_FILE).is_file(), reason="no shipped weights in this checkout")
def test_what_is_seen_together_is_what_is_seen_alone() -> None:
    torch.set_num_threads(1)
    reader = Reader.load()
    panel = load_photo(EXAMPLE, name="panel")
    half = load_photo(png(np.ascontiguousarray(panel.image[:, : panel.image.shape[1] // 2])), name="half")
    photos = [panel, load_photo(png(np.full((200, 300, 3), 127, np.uint8)), name="wall"), half]
    together = reader.look_many(photos, [None] * 3)
    assert [len(one.crops) > 0 for one in together] == [True, False, True]
    for photo, many in zip(photos, together, strict=True):
        alone = reader.look(photo)
        assert len(many.crops) == len(alone.crops)
        for one, other in zip(many.crops, alone.crops, strict=True):
            assert spelled(one) == spelled(other)
            # A box that differs in the last bits of its floats is cut with other pixels here and there.
            assert one.box.box == pytest.approx(other.box.box, abs=0.1)
            assert one.point_confidence == pytest.approx(other.point_confidence, abs=0.02)
            assert (one.votes is None) == (other.votes is None)


def spelled(crop: CropReading) -> object:
    """What was chosen among classes and digits: nothing of it may depend on the neighbours."""
    return crop.problem if crop.fields is None else crop.fields.model_dump(exclude=set(CONTINUOUS))
