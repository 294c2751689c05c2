"""The digit reader: begins as the line reader, in colour and at its own scale; its weights are its own."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
import torch

from vision.digit_reader import DIGITS, DigitNetwork, DigitReader, digits_of_lines
from vision.line_crop import DIGITS_SHAPE, PRINT_SHAPE, LineImage, LinePlace, crop_scale, crop_width, line_crop
from vision.line_reader import MODEL_FILE, LineReader, LineWeightsError, lines_shipped, standardised


def row_picture(text: str = "0427") -> tuple[np.ndarray, LinePlace]:
    """Grey digits 40 px high in the middle of 120 x 300 px, and their place."""
    picture = np.full((120, 300), 215, np.uint8)
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 1.8, 3)
    cv2.putText(picture, text, (150 - width // 2, 60 + height // 2), cv2.FONT_HERSHEY_SIMPLEX, 1.8, 30, 3, cv2.LINE_AA)
    return np.repeat(picture[..., None], 3, axis=2), LinePlace((150.0, 60.0), float(height), float(width))


def test_the_network_keeps_four_pixels_a_step() -> None:
    network = DigitNetwork().eval()
    assert sum(p.numel() for p in network.parameters()) < 1_500_000
    for width in DIGITS_SHAPE.widths_px:
        scores = network(torch.zeros(2, 3, DIGITS_SHAPE.height_px, width))
        assert scores.shape == (2, width // 4, 1 + len(DIGITS))
        assert torch.allclose(scores.exp().sum(-1), torch.ones(2, width // 4), atol=1e-4)


def test_digits_are_seen_larger_than_print_and_in_colour() -> None:
    picture, place = row_picture()
    assert crop_scale(place, 192, DIGITS_SHAPE) > crop_scale(place, 160, PRINT_SHAPE)
    crop = line_crop(LineImage(picture, color=True), place, crop_width(place, DIGITS_SHAPE), DIGITS_SHAPE)
    assert crop.shape in {(32, width, 3) for width in DIGITS_SHAPE.widths_px}
    assert standardised([crop]).shape == (1, 3, *crop.shape[:2])


def test_colour_survives_the_crop() -> None:
    picture, place = row_picture()
    picture[:, 150:] = (200, 30, 20)
    crop = line_crop(LineImage(picture, color=True), place, 112, DIGITS_SHAPE)
    assert abs(float(crop[2, 100, 0]) - float(crop[2, 100, 2])) > 100
    assert abs(float(crop[2, 8, 0]) - float(crop[2, 8, 2])) < 5


def test_a_grey_picture_is_taken_as_well() -> None:
    picture, place = row_picture()
    reader = DigitReader(DigitNetwork())
    (of_gray,) = reader.read_lines(np.ascontiguousarray(picture[..., 0]), [place])
    (of_rgb,) = reader.read_lines(picture, [place])
    assert np.allclose(of_gray.log_probs, of_rgb.log_probs, atol=1e-4)


def test_it_begins_as_the_line_reader() -> None:
    torch.manual_seed(0)
    lines = LineReader(LineReader.network_type())
    begun = digits_of_lines(lines)
    gray = np.random.default_rng(0).integers(0, 255, (32, 96)).astype(np.uint8)
    as_print = lines.network(standardised([gray]))[0]
    as_digits = begun.network(standardised([np.repeat(gray[..., None], 3, axis=2)]))[0]
    # The same scores but for what the digit reader cannot spell, which makes up the rest of the probability.
    kept = as_print[:, [0, *(1 + lines.characters.index(character) for character in DIGITS)]]
    assert torch.allclose(kept.log_softmax(1), as_digits, atol=1e-3)


@pytest.mark.skipif(not lines_shipped(), reason="no weights of a line reader are shipped")
def test_before_any_training_it_reads_print() -> None:
    picture, place = row_picture()
    (reading,) = digits_of_lines(LineReader.load()).read_lines(picture, [place])
    assert reading.text == "0427"


def test_its_weights_are_not_those_of_a_line_reader(tmp_path: Path) -> None:
    reader = DigitReader(DigitNetwork())
    reader.save(tmp_path, {"name": "mine"})
    assert (tmp_path / MODEL_FILE).stat().st_size < 4e6
    again = DigitReader.load(tmp_path)
    picture, place = row_picture()
    (first,), (second,) = reader.read_lines(picture, [place]), again.read_lines(picture, [place])
    assert np.allclose(first.log_probs, second.log_probs, atol=0.05)
    with pytest.raises(LineWeightsError, match="spells"):
        LineReader.load(tmp_path)
