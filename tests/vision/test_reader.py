"""The reader's path from bytes to readings: order, errors, abstention, photo pixels; whatever the weights say."""

from __future__ import annotations

import io
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from vision.calibration import Calibration, Curve, fit_curve
from vision.class_value import ClassVotes
from vision.donut import MODEL_FILE, SHIPPED, DonutConfig, DonutError, build_small, save
from vision.fields import GaugeFields, Kind, PhotoReading, Weights
from vision.locate import FoundBox, LocateOptions, merge_duplicates
from vision.photos import Photo, load_photo
from vision.reader import Reader, ReaderOptions
from vision.state_network import StateNetwork
from vision.state_reader import StateReader
from vision.weights_folder import weights_folder, weights_identity

TINY = DonutConfig(
    image_size=64, hidden_size=32, encoder_layers=1, decoder_layers=1, feed_forward=32, encoder_heads=2, decoder_heads=2
)


EAGER = ReaderOptions(locate=LocateOptions(propose_threshold=0.01, confirm_threshold=0.01))
STRICT = ReaderOptions(locate=LocateOptions(propose_threshold=0.9999))


@pytest.fixture(scope="module")
def reader() -> Reader:
    torch.manual_seed(0)
    return Reader(build_small(TINY), Weights(name="tiny", version="0"), Calibration(), EAGER)


@pytest.fixture(scope="module")
def shipped() -> Reader:
    torch.set_num_threads(1)
    return Reader.load()


def png(image: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(image).save(out, "PNG")
    return out.getvalue()


NOISE = np.random.default_rng(0).integers(0, 255, (120, 200, 3), dtype=np.uint8)


def test_readings_come_in_order_and_bad_photos_do_not_stop_the_rest(reader: Reader, tmp_path: Path) -> None:
    sources = [png(NOISE), b"not an image", tmp_path / "missing.jpg", b"", png(NOISE)]
    readings = list(reader.read_photos(sources, names=["a", "b", "c", "d", "e"]))
    assert [reading.photo for reading in readings] == ["a", "b", "c", "d", "e"]
    assert [reading.status == "error" for reading in readings] == [False, True, True, True, False]
    assert readings[1].sha256 is not None
    assert readings[2].sha256 is None
    assert all(reading.reason for reading in readings if reading.status != "read")
    assert readings[0].instruments == readings[4].instruments


def test_lamps_and_selectors_are_read_without_a_state_reader_too(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.reader.states_shipped", lambda: False)
    without = Reader(reader.model, reader.weights, Calibration(), EAGER)
    assert without.states is None
    photo = load_photo(png(NOISE), name="noise")
    looked = without.look(photo)
    assert all(crop.votes is None or crop.votes.seen is None for crop in looked.crops)
    assert without.state(photo, looked).status in ("read", "abstained")


def test_the_state_reader_is_asked_once_for_all_lamps_and_selectors_of_a_batch(reader: Reader) -> None:
    asked: list[int] = []

    class Counting(StateReader):
        def read_states(self, image, boxes):  # type: ignore[no-untyped-def]
            asked.append(len(boxes))
            return super().read_states(image, boxes)

    looking = Reader(reader.model, reader.weights, Calibration(), EAGER)
    looking.states = Counting(StateNetwork())
    looked = looking.look(load_photo(png(NOISE), name="noise"))
    voted = [crop for crop in looked.crops if crop.votes is not None]
    assert sum(asked) == len(voted)
    assert len(asked) <= 1 + len(looked.crops) // EAGER.batch_size
    for crop in voted:
        assert crop.votes is not None
        assert crop.votes.seen is not None
        assert sum(crop.votes.seen.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("kind", "side_px", "reads"), [("lamp", 20.0, True), ("lamp", 12.0, False), ("selector", 20.0, False), ("dial", 20.0, False)]
)
def test_a_lamp_may_be_smaller_than_what_has_marks(reader: Reader, kind: Kind, side_px: float, reads: bool) -> None:
    photo = load_photo(png(NOISE), name="noise")
    looked = reader.look(photo)
    fields = GaugeFields(kind=kind, warning_light_color="green" if kind == "lamp" else None)
    box = FoundBox((50.0, 50.0, 50.0 + side_px, 50.0 + 0.9 * side_px), 0.9)
    crop = replace(looked.crops[0], box=box, fields=fields, problem=None, votes=ClassVotes(1.0, {"green": 1.0}))
    (said,) = reader.state(photo, looked._replace(crops=(crop,))).instruments
    assert (said.status == "read") is reads
    assert reads or "too small" in str(said.reason)


def test_nothing_found_is_abstained_with_a_reason(reader: Reader) -> None:
    strict = Reader(reader.model, reader.weights, Calibration(), STRICT)
    (reading,) = strict.read_photos([png(np.zeros((64, 64, 3), np.uint8))])
    assert reading.status == "abstained"
    assert reading.instruments == ()
    assert "no instrument" in str(reading.reason)


def test_untrained_weights_make_up_no_value(reader: Reader) -> None:
    (reading,) = reader.read_photos([png(NOISE)])
    assert all(instrument.value is None for instrument in reading.instruments)
    for instrument in reading.instruments:
        x0, y0, x1, y1 = instrument.box
        assert 0 <= x0 < x1 <= 200
        assert 0 <= y0 < y1 <= 120
    assert PhotoReading.model_validate_json(reading.model_dump_json()) == reading


def test_a_given_model_is_reported_as_given(reader: Reader) -> None:
    (reading,) = reader.read_photos([png(NOISE)], model="XYZ-2000", known_models=["XYZ-2000"])
    assert all((i.instrument_model, i.model_source) == ("XYZ-2000", "given") for i in reading.instruments)


def test_weights_are_found_by_folder_or_named_in_the_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(build_small(TINY), tmp_path / "mine", {"name": "mine", "version": "7"})
    assert weights_folder(tmp_path / "mine") == tmp_path / "mine"
    assert weights_identity(tmp_path / "mine") == Weights(name="mine", version="7")
    with pytest.raises(DonutError, match="no weights 'other'"):
        weights_folder("other")


def test_duplicates_keep_the_best_box() -> None:
    boxes = [FoundBox((0, 0, 10, 10), 0.5), FoundBox((1, 0, 11, 10), 0.9), FoundBox((50, 50, 60, 60), 0.4)]
    assert merge_duplicates(boxes) == [boxes[1], boxes[2]]


def test_a_fitted_curve_is_monotone_and_never_certain(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    confidence = rng.random(2000)
    right = rng.random(2000) < 0.6 * confidence
    curve = fit_curve(confidence.tolist(), right.tolist())
    assert curve is not None
    values = [curve(x) for x in np.linspace(0, 1, 50)]
    assert values == sorted(values)
    assert 0.0 < values[0] < 0.15
    assert values[-1] == pytest.approx(0.6, abs=0.1)
    Calibration({"unit": curve}).save(tmp_path)
    assert Calibration.load(tmp_path)("unit", 0.7) == pytest.approx(curve(0.7), abs=1e-6)
    assert fit_curve([0.5] * 10, [True] * 10) is None
    assert isinstance(curve, Curve)


@pytest.mark.skipif(not (SHIPPED / "small" / MODEL_FILE).is_file(), reason="no shipped weights in this checkout")
class TestShippedWeights:
    """What the weights in the repository must do on the shipped example and on real photos where they are at hand."""

    def test_the_example_panel_is_located(self, shipped: Reader) -> None:
        example = Path(__file__).parents[2] / "synth" / "examples" / "xyz2000_panel.jpg"
        (reading,) = shipped.read_photos([example], known_models=["XYZ-2000"])
        assert "dial" in {instrument.kind for instrument in reading.instruments}

    @pytest.mark.parametrize("level", [0, 127, 255])
    def test_blank_photos_give_no_instrument(self, shipped: Reader, level: int) -> None:
        (reading,) = shipped.read_photos([png(np.full((300, 400, 3), level, np.uint8))])
        assert reading.status == "abstained"

    def test_noise_gives_no_value(self, shipped: Reader) -> None:
        (reading,) = shipped.read_photos([png(NOISE)])
        assert all(instrument.value is None for instrument in reading.instruments)

    def test_dashboards_at_rest_give_no_made_up_value(self, shipped: Reader) -> None:
        folder = Path(os.environ.get("GAUGE_REALSET", Path(__file__).parents[3] / "shared" / "realset")) / "images"
        photos = sorted(folder.glob("moto_00*.jpg"))
        if not photos:
            pytest.skip("the labelled real photos are not at hand")
        for reading in shipped.read_photos(photos):
            assert reading.status in ("read", "abstained")


def test_a_fault_of_the_reader_on_one_photo_leaves_the_rest(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    read = reader.read_photo

    def faulty(photo: Photo, **options: object) -> PhotoReading:
        if photo.name == "b":
            raise ValueError("a row needs two ends")
        return read(photo)

    monkeypatch.setattr(reader, "read_photo", faulty)
    readings = list(reader.read_photos([png(NOISE)] * 3, names=["a", "b", "c"]))
    assert [reading.status == "error" for reading in readings] == [False, True, False]
    assert "a row needs two ends" in (readings[1].reason or "")
    assert readings[1].sha256 == readings[0].sha256
