"""Training data of the line reader: places, jitter, places without a line; and that a short run learns and is written."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.digit_reader import DIGITS, DigitReader
from vision.fields import GaugeFields
from vision.line_crop import DIGITS_SHAPE, LinePlace, line_crop
from vision.line_data import DIGITS_OF_DRUM, FRAME_SHARE, LineOptions, LinePictures, LineStream, lines_of
from vision.line_reader import CARD_FILE, MODEL_FILE, LineReader
from vision.line_training import READERS, LineRecipe, line_loss, load_line_recipe, measure_lines, train_lines
from vision.line_wear import LineJitter, jittered, worn
from vision.recipe import VALIDATION_SEED, RecipeError
from vision.samples import DigitRow, InstrumentTruth, Numeral, PhotoTruth, PrintedUnit, SampleError, SampleRecord, write_records

UNITS = ("bar", "psi", "MPa", "°C")


def truth(unit: str = "bar", **changes: object) -> InstrumentTruth:
    base: dict[str, object] = {
        "box": (20, 20, 220, 220),
        "fields": GaugeFields(kind="dial", unit=unit),
        "units": (PrintedUnit(text=unit, unit=unit, center=(120, 160), height_px=16),),
        "numerals": (Numeral(text="10", value=10, center=(180, 60)),),
    }
    return InstrumentTruth(**{**base, **changes})  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six pictures of 240 px with a unit and a numeral each."""
    records = []
    for number in range(6):
        unit = UNITS[number % 3]
        picture = np.full((240, 240), 230, np.uint8)
        (width, height), _ = cv2.getTextSize(unit, cv2.FONT_HERSHEY_SIMPLEX, 0.75, 2)
        cv2.putText(picture, unit, (120 - width // 2, 160 + height // 2), cv2.FONT_HERSHEY_SIMPLEX, 0.75, 20, 2, cv2.LINE_AA)
        cv2.circle(picture, (120, 120), 100, 60, 2)
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture)
        records.append(SampleRecord(file_name=f"{number}.png", truth=PhotoTruth(instruments=(truth(unit),))))
    write_records(tmp_path, records)
    return tmp_path


def test_lines_of_an_instrument() -> None:
    lines = {line.kind: line for line in lines_of(truth(), 3)}
    assert lines["unit"].text == "bar"
    assert lines["unit"].unit == "bar"
    assert lines["unit"].picture == 3
    assert lines["unit"].place.height_px == 16
    assert lines["numeral"].place.center == (180, 60)
    assert lines["numeral"].place.height_px == pytest.approx(16, rel=0.2)


def test_rows_of_a_display() -> None:
    corners = ((10.0, 10.0), (70.0, 10.0), (70.0, 30.0), (10.0, 30.0))
    shown = truth(fields=GaugeFields(kind="digital"), units=(), numerals=(), rows=(DigitRow(text="56.1", corners=corners),))
    (line,) = lines_of(shown, 0)
    assert (line.kind, line.text) == ("row", "56.1")
    assert line.place == LinePlace((40.0, 20.0), 20.0, 60.0, 0.0)


def test_what_nobody_can_read_teaches_nothing() -> None:
    assert lines_of(truth(readable=False), 0) == []


def test_numerals_of_unknown_height_are_kept_clear_but_not_taught(folder: Path) -> None:
    assert [line.kind for line in lines_of(truth(units=()), 0)] == ["unsure"]


def test_jitter_stays_near_and_is_seeded() -> None:
    place, jitter = LinePlace((100.0, 80.0), 20.0, 50.0, 5.0), LineJitter()
    one = [jittered(np.random.default_rng(3), place, jitter) for _ in range(2)]
    assert one[0] == one[1]
    rng = np.random.default_rng(0)
    for _ in range(300):
        other = jittered(rng, place, jitter)
        assert 0.69 * 20 <= other.height_px <= 1.61 * 20
        assert abs(other.angle_deg - 5.0) <= 12.0
        assert np.hypot(other.center[0] - 100.0, other.center[1] - 80.0) <= 20.0


def test_wear_keeps_the_shape_and_is_seeded() -> None:
    crop = np.random.default_rng(0).integers(0, 255, (32, 96)).astype(np.uint8)
    for seed in range(20):
        first, second = (worn(np.random.default_rng(seed), crop, LineJitter()) for _ in range(2))
        assert first.shape == crop.shape
        assert first.dtype == np.uint8
        assert np.array_equal(first, second)


def test_empty_places_keep_clear_of_lines(folder: Path) -> None:
    pictures = LinePictures([folder])
    rng = np.random.default_rng(0)
    for _ in range(100):
        number, place = pictures.empty_place(rng)
        assert 0 <= number < 6
        away = np.hypot(place.center[0] - 120, place.center[1] - 160)
        assert away > 1.6 * place.height_px


def test_batches_have_one_width_and_known_texts(folder: Path) -> None:
    stream = LineStream(LinePictures([folder]), LineOptions(batch_size=16), seed=1)
    seen = set()
    for _ in range(6):
        batch = stream.batch()
        assert len(batch) == 16
        assert len({example.crop.shape for example in batch}) == 1
        seen |= {example.text for example in batch}
    assert seen == {"", "bar", "psi", "MPa", "10"}


def test_the_same_seed_gives_the_same_batches(folder: Path) -> None:
    pictures = LinePictures([folder])
    first, second = (LineStream(pictures, LineOptions(batch_size=8), seed=5).batch() for _ in range(2))
    assert [example.text for example in first] == [example.text for example in second]
    assert all(np.array_equal(a.crop, b.crop) for a, b in zip(first, second, strict=True))


def test_a_folder_without_lines_is_named(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "0.png"), np.zeros((60, 60), np.uint8))
    write_records(tmp_path, [SampleRecord(file_name="0.png", truth=PhotoTruth())])
    with pytest.raises(SampleError, match="no lines"):
        LinePictures([tmp_path])


def test_a_picture_that_is_missing_is_named(folder: Path) -> None:
    (folder / "2.png").unlink()
    with pytest.raises(SampleError, match=r"2\.png"):
        LinePictures([folder])


def test_the_shipped_recipe_loads_and_keeps_evaluation_seeds_out() -> None:
    recipe = load_line_recipe("lines")
    assert sum(recipe.shares) == pytest.approx(1.0)
    assert all(part.seed + part.count <= VALIDATION_SEED for part in recipe.data)
    assert all(part.seed >= VALIDATION_SEED for part in recipe.validation)


def test_unknown_recipes_and_keys_are_named(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="no-such"):
        load_line_recipe("no-such")
    path = tmp_path / "mine.toml"
    path.write_text("stepps = 3\n", encoding="utf-8")
    with pytest.raises(RecipeError, match="stepps"):
        load_line_recipe(str(path))


def test_a_short_run_learns_and_is_written(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    recipe = LineRecipe(name="short", data=(), steps=50, batch_size=16, warmup_steps=5, min_height_px=4.0)
    pictures = LinePictures([folder])
    start = float(line_loss(_fresh(), LineStream(pictures, recipe, 9).batch()).detach())
    reader = train_lines(recipe, [folder], [folder], out)
    losses = [json.loads(line)["loss"] for line in (out / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert losses[-1] < 0.6 * start
    card = json.loads((out / CARD_FILE).read_text(encoding="utf-8"))
    assert card["steps"] == 50
    assert card["samples"] == 800
    assert set(card["exact_lines"]) == {"unit", "numeral", "nothing"}
    assert (out / MODEL_FILE).is_file()
    again = LineReader.load(out)
    line = pictures.lines[0]
    crop = line_crop(pictures.images[line.picture], line.place, 96)
    assert np.allclose(reader.log_probs([crop]), again.log_probs([crop]), atol=0.1)


def _fresh():  # type: ignore[no-untyped-def]
    import torch

    from vision.line_reader import LineNetwork

    torch.manual_seed(0)
    return LineNetwork().train()


def test_measuring_counts_by_kind(folder: Path) -> None:
    pictures = LinePictures([folder])
    result = measure_lines(LineReader(_fresh()), pictures, nothing=20)
    assert result["unit"]["count"] == 6
    assert result["nothing"]["count"] == 20
    assert 0.0 <= result["numeral"]["exact"] <= 1.0


@pytest.fixture
def displays(tmp_path: Path) -> Path:
    """Pictures of 240 x 160 px: a display with two rows, a counter, a dial."""
    shown = truth(
        box=(40, 30, 200, 130),
        fields=GaugeFields(kind="digital"),
        units=(),
        numerals=(),
        rows=(
            DigitRow(text="56.1", corners=((80.0, 50.0), (160.0, 50.0), (160.0, 80.0), (80.0, 80.0))),
            DigitRow(text="7", corners=((80.0, 95.0), (100.0, 95.0), (100.0, 120.0), (80.0, 120.0))),
        ),
    )
    drums = shown.model_copy(update={"fields": GaugeFields(kind="counter")})
    colors = np.full((160, 240, 3), (40, 60, 200), np.uint8)
    records = []
    for number, one in enumerate((shown, drums, truth(box=(20, 20, 150, 150)), truth(readable=False, rows=shown.rows))):
        cv2.imwrite(str(tmp_path / f"{number}.png"), colors)
        records.append(SampleRecord(file_name=f"{number}.png", truth=PhotoTruth(instruments=(one,))))
    write_records(tmp_path, records)
    return tmp_path


def test_rows_are_cut_out_in_colour(displays: Path) -> None:
    pictures = LinePictures([displays], 6.0, DIGITS_SHAPE, DIGITS)
    assert [(line.kind, line.text) for line in pictures.lines] == [("row", "56.1"), ("row", "7")] * 2
    assert len(pictures.images) == 2
    cut = pictures.images[0].level(0)
    assert cut.shape[0] < 160
    assert cut.shape[1] < 240
    assert tuple(cut[0, 0]) == pytest.approx((200, 60, 40), abs=3)
    left, top = 40 - FRAME_SHARE * 160, 30 - FRAME_SHARE * 160
    assert pictures.lines[0].place.center == pytest.approx((120 - int(left), 65 - int(top)), abs=1)
    # A counter's row goes round its drums, which are higher than their digits.
    assert pictures.lines[2].place.height_px == pytest.approx(DIGITS_OF_DRUM * pictures.lines[0].place.height_px)


def test_colour_batches(displays: Path) -> None:
    options = LineOptions(batch_size=12, shares=(0.0, 0.8, 0.0, 0.2), jitter=LineJitter(slant=0.1, stretch=0.1, tint_share=1.0))
    stream = LineStream(LinePictures([displays], 6.0, DIGITS_SHAPE, DIGITS), options, seed=1)
    batch = stream.batch()
    assert {example.crop.shape[0] for example in batch} == {32}
    assert {example.crop.shape[2] for example in batch} == {3}
    assert {example.text for example in batch} <= {"", "56.1", "7"}


def test_slant_moves_what_is_above_against_what_is_below() -> None:
    crop = np.zeros((32, 96), np.uint8)
    crop[:, 47:49] = 255
    upright = LineJitter(blur_share=0, coarse_share=0, noise_share=0, glare_share=0, invert_share=0)
    leaning = worn(np.random.default_rng(2), crop, upright.model_copy(update={"slant": 0.4}))
    top, foot = int(leaning[2].argmax()), int(leaning[-3].argmax())
    assert abs(top - foot) >= 2
    straight = worn(np.random.default_rng(2), crop, upright)
    assert int(straight[2].argmax()) == int(straight[-3].argmax())


def test_a_digit_reader_is_trained_from_a_line_reader(displays: Path, tmp_path: Path) -> None:
    LineReader(_fresh()).save(tmp_path / "lines", {"name": "lines"})
    recipe = LineRecipe(
        name="short", reader="digits", data=(), steps=3, batch_size=8, shares=(0.0, 0.9, 0.0, 0.1), init=str(tmp_path / "lines")
    )
    trained = train_lines(recipe, [displays], [displays], tmp_path / "run")
    assert isinstance(trained, DigitReader)
    assert trained.card["name"] == "digits"
    assert trained.card["exact_lines"]["row"]["count"] == 4
    assert DigitReader.load(tmp_path / "run").card["steps"] == 3
    further = train_lines(
        recipe.model_copy(update={"init": str(tmp_path / "run"), "steps": 1}), [displays], [], tmp_path / "more"
    )
    assert isinstance(further, DigitReader)


@pytest.mark.parametrize("name", ["lines", "lines_further", "lines_numerals", "lines_units", "digits", "digits_further"])
def test_recipes_spell_what_their_readers_can(name: str) -> None:
    recipe = load_line_recipe(name)
    assert recipe.reader in READERS
    assert sum(recipe.shares) == pytest.approx(1.0)
    assert all(part.seed + part.count <= VALIDATION_SEED for part in recipe.data)


@pytest.mark.parametrize("color", [False, True])
def test_print_under_a_reflection_is_faint_but_there(color: bool) -> None:
    plain = np.full((32, 96, 3) if color else (32, 96), 220, np.uint8)
    written = plain.copy()
    written[10:24, 30:60:6] = 20
    jitter = LineJitter(invert_share=0.0, blur_share=0.0, coarse_share=0.0, noise_share=0.0, glare_share=0.0, shade_share=1.0)
    off = LineJitter(**{**jitter.model_dump(), "shade_share": 0.0})
    fainter = edges = 0
    for seed in range(20):
        shaded, lit = (worn(np.random.default_rng(seed), written, one).astype(float) for one in (jitter, off))
        assert shaded.shape == written.shape
        ink, paper = shaded[12:22, 30].mean(), shaded[12:22, 33].mean()
        assert paper > ink - 2.0
        fainter += paper - ink < lit[12:22, 33].mean() - lit[12:22, 30].mean()
        edges += np.ptp(shaded[2:6].reshape(4, 96, -1).mean(axis=(0, 2))) > 3.0
    assert fainter >= 18
    assert edges >= 8


def test_without_shade_nothing_is_drawn_for_it() -> None:
    crop = np.random.default_rng(1).integers(0, 255, (32, 96)).astype(np.uint8)
    assert LineJitter().shade_share == 0.0
    assert np.array_equal(worn(np.random.default_rng(4), crop, LineJitter()), worn(np.random.default_rng(4), crop, LineJitter()))
