"""The line reader: probabilities of texts by the law of CTC, and what the shipped weights read."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vision.test_digits import seven_segments
from vision.line_crop import LineImage, LinePlace
from vision.line_reader import (
    CARD_FILE,
    CHARACTERS,
    MODEL_FILE,
    UNLIKELY,
    LineNetwork,
    LineReader,
    LineReading,
    LineWeightsError,
    character_places,
    encode_line,
    lines_shipped,
    path_log_probs,
    plain_line,
    read_scores,
    standardised,
    text_log_probs,
)

PLACE = LinePlace((0.0, 0.0), 10.0, 30.0)
shipped = pytest.mark.skipif(not lines_shipped(), reason="no weights of a line reader are shipped")


def scores_of(symbols: str, sure: float = 0.98) -> np.ndarray:
    """Log-probabilities whose best path is `symbols`, with `_` for the blank."""
    classes = 1 + len(CHARACTERS)
    scores = np.full((len(symbols), classes), (1.0 - sure) / (classes - 1))
    for step, symbol in enumerate(symbols):
        scores[step, 0 if symbol == "_" else encode_line(symbol)[0]] = sure
    return np.log(scores).astype(np.float32)


def reading_of(scores: np.ndarray, place: LinePlace = PLACE) -> LineReading:
    return read_scores(scores[None], [place])[0]


def collapsed(path: tuple[int, ...]) -> str:
    return "".join(CHARACTERS[c - 1] for c, _ in itertools.groupby(path) if c)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000), st.sampled_from(["", "0", "00", "01", "010"]))
def test_a_texts_probability_is_the_sum_over_all_paths(seed: int, text: str) -> None:
    rng = np.random.default_rng(seed)
    scores = np.full((4, 1 + len(CHARACTERS)), -40.0)
    scores[:, :3] = np.log(rng.dirichlet(np.ones(3), 4))
    expected = sum(
        np.exp(sum(scores[t, c] for t, c in enumerate(path)))
        for path in itertools.product(range(3), repeat=4)
        if collapsed(path) == text
    )
    found = np.exp(text_log_probs(scores[None].astype(np.float32), [text, "9"])[0, 0])
    assert found == pytest.approx(expected, rel=1e-3, abs=1e-9)


def test_all_texts_together_have_probability_one() -> None:
    scores = np.full((3, 1 + len(CHARACTERS)), -60.0)
    scores[:, :3] = np.log(np.random.default_rng(0).dirichlet(np.ones(3), 3))
    texts = sorted({collapsed(path) for path in itertools.product(range(3), repeat=3)})
    assert np.exp(text_log_probs(scores[None].astype(np.float32), texts)).sum() == pytest.approx(1.0, abs=1e-5)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000))
def test_texts_that_are_not_asked_for_their_paths_are_unlikely(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = np.log(rng.dirichlet(np.full(1 + len(CHARACTERS), 0.02), (2, 12)) + 1e-12).astype(np.float32)
    texts = ["", "bar", "mbar", "MPa", "kPa", "0", "11", "psi", "°C", "x1000r/min"]
    asked = text_log_probs(scores, texts)
    paths = [path_log_probs(np.exp(scores.astype(float)), np.full(len(texts), row), texts, CHARACTERS) for row in range(2)]
    np.testing.assert_allclose(np.exp(asked), np.exp(np.array(paths)), rtol=1e-9, atol=UNLIKELY)


def test_readings_of_a_batch_are_those_of_each_alone() -> None:
    scores = [scores_of("_10_0_"), scores_of("_MPa__", 0.6), scores_of("______")]
    together = read_scores(np.stack(scores), [PLACE] * 3)
    for one, alone in zip(together, (reading_of(row) for row in scores), strict=True):
        assert (one.text, one.characters) == (alone.text, alone.characters)
        assert one.confidence == pytest.approx(alone.confidence, rel=1e-12)


def test_the_best_path_is_spelled() -> None:
    reading = reading_of(scores_of("_MM_PPa__"))
    assert reading.text == "MPa"
    assert len(reading.characters) == 3
    assert all(character == pytest.approx(0.98, abs=1e-3) for character in reading.characters)
    assert 0.7 < reading.confidence <= 1.0


def test_a_repeated_character_needs_a_blank_between() -> None:
    assert reading_of(scores_of("_1_00_")).text == "10"
    assert reading_of(scores_of("_10_0_")).text == "100"


def test_nothing_is_spelled_where_nothing_is_seen() -> None:
    reading = reading_of(scores_of("______"))
    assert reading.text == ""
    assert reading.characters == ()
    assert reading.confidence > 0.8


def test_characters_have_places_along_the_line() -> None:
    symbols = "_" * 8 + "1" + "_" * 7 + "2" + "_" * 7
    places = character_places(reading_of(scores_of(symbols), LinePlace((0.0, 0.0), 32.0, 60.0)))
    assert len(places) == 2
    assert places[1] - places[0] == pytest.approx(8 * 4 * 2)
    assert places[0] < 0 < places[1]


@pytest.mark.parametrize(
    ("printed", "plain"),
    [("kgf/cm²", "kgf/cm2"), ("℃", "°C"), ("m³/h", "m3/h"), ("° C", "°C"), ("× 100", "x100"), ("mmH₂O", "mmH2O"), ("1,5", "1.5")],
)
def test_print_is_spelled_plainly(printed: str, plain: str) -> None:
    assert plain_line(printed) == plain


def test_what_cannot_be_spelled_is_none() -> None:
    assert plain_line("兆帕") is None
    assert len(set(CHARACTERS)) == len(CHARACTERS)


def test_exposure_and_contrast_do_not_count() -> None:
    rng = np.random.default_rng(0)
    crop = rng.integers(0, 120, (32, 96)).astype(np.uint8)
    first, second = standardised([crop, np.asarray(2 * crop + 10, np.uint8)])
    assert torch.allclose(first, second, atol=0.1)


def test_the_network_keeps_four_pixels_a_step() -> None:
    network = LineNetwork().eval()
    assert sum(p.numel() for p in network.parameters()) < 1_000_000
    for width in (96, 160):
        scores = network(torch.zeros(2, 1, 32, width))
        assert scores.shape == (2, width // 4, 1 + len(CHARACTERS))
        assert torch.allclose(scores.exp().sum(-1), torch.ones(2, width // 4), atol=1e-4)


def test_saved_weights_read_the_same(tmp_path: Path) -> None:
    torch.manual_seed(0)
    reader = LineReader(LineNetwork())
    reader.save(tmp_path, {"name": "mine"})
    again = LineReader.load(tmp_path)
    crop = np.random.default_rng(1).integers(0, 255, (32, 96)).astype(np.uint8)
    assert np.allclose(reader.log_probs([crop]), again.log_probs([crop]), atol=0.05)
    assert again.card["name"] == "mine"
    assert (tmp_path / MODEL_FILE).stat().st_size < 3e6


def test_wrong_weights_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LineWeightsError, match="holds no line reader"):
        LineReader.load(tmp_path)
    LineReader(LineNetwork()).save(tmp_path, {})
    card = tmp_path / CARD_FILE
    card.write_text(json.dumps({"characters": "abc"}), encoding="utf-8")
    with pytest.raises(LineWeightsError, match="abc"):
        LineReader.load(tmp_path)


def test_no_places_no_readings() -> None:
    assert LineReader(LineNetwork()).read_lines(np.zeros((50, 50, 3), np.uint8), []) == ()


def printed_line(text: str, scale: float = 1.0) -> tuple[np.ndarray, LinePlace]:
    """Text in a plain stroke font, dark on light, and where it stands."""
    picture = np.full((160, 320), 225, np.uint8)
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 2)
    origin = (160 - width // 2, 80 + height // 2)
    cv2.putText(picture, text, origin, cv2.FONT_HERSHEY_SIMPLEX, scale, 30, 2, cv2.LINE_AA)
    return picture, LinePlace((160.0, 80.0), float(height), float(width))


@shipped
@pytest.mark.parametrize("text", ["bar", "MPa", "psi", "kPa", "250"])
def test_shipped_weights_read_print(text: str) -> None:
    picture, place = printed_line(text)
    reading = LineReader.load().read_lines(picture, [place])[0]
    assert reading.text == text
    inverted = LineReader.load().read_lines(np.asarray(255 - picture, np.uint8), [place])[0]
    assert inverted.text == text


@shipped
@pytest.mark.parametrize(("digits", "point", "shown"), [("2095", 2, "209.5"), ("130", None, "130"), ("59", 0, "5.9")])
def test_shipped_weights_read_segments(digits: str, point: int | None, shown: str) -> None:
    strip = seven_segments(digits, point)
    picture = np.full((160, 320, 3), 190, np.uint8)
    height, width = strip.shape[:2]
    top, left = 80 - height // 2, 160 - width // 2
    picture[top : top + height, left : left + width] = strip
    place = LinePlace((left + width / 2.0, 80.0), 56.0, float(width))
    readings = LineReader.load().read_lines(picture, [place, place._replace(height_px=64.0)])
    assert shown in [reading.text for reading in readings]


@shipped
def test_shipped_weights_spell_nothing_on_a_bare_face() -> None:
    picture = np.full((300, 300), 230, np.uint8)
    cv2.line(picture, (150, 150), (260, 40), 0, 5, cv2.LINE_AA)
    for angle in range(0, 360, 10):
        turn = np.radians(angle)
        inner, outer = (150 + r * np.array([np.cos(turn), np.sin(turn)]) for r in (125, 140))
        cv2.line(picture, tuple(map(int, inner)), tuple(map(int, outer)), 0, 2, cv2.LINE_AA)
    places = [LinePlace((150.0, float(y)), 14.0, 40.0) for y in range(160, 270, 12)]
    readings = LineReader.load().read_lines(LineImage(picture), places)
    assert sum(reading.text == "" for reading in readings) >= len(readings) - 1


@shipped
def test_a_batch_reads_what_single_calls_read() -> None:
    picture, place = printed_line("psi")
    places = [place, place._replace(center=(40.0, 30.0)), place._replace(width_px=200.0), place]
    reader = LineReader.load()
    together = reader.read_lines(picture, places)
    assert [reading.text for reading in together] == [reader.read_lines(picture, [one])[0].text for one in places]
    assert [reading.place for reading in together] == places


@shipped
@pytest.mark.parametrize("text", ["0", "0.4", "1.6", "10", "12.5", "25", "40", "60", "100", "300"])
def test_shipped_weights_are_unsure_of_a_number_that_they_misread(text: str) -> None:
    picture, place = printed_line(text)
    reading = LineReader.load().read_lines(picture, [place])[0]
    assert reading.text in (text, "") or reading.confidence < 0.7
