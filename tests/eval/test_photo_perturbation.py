"""Noise in photos before a reader: every picture is judged, at the place where it went."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from PIL import Image

from eval.photo_noise import PHOTO_NOISE
from eval.photo_perturbation import _row, moved_box, perturb_photos, photo_noise_markdown
from tests.serve.doubles import WEIGHTS, DoubleReader
from vision.fields import PhotoReading


class KeepingReader:
    """Finds nothing, and keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, bytes]] = []

    def read_photos(self, sources: Sequence[bytes], *, names: Sequence[str]) -> Iterator[PhotoReading]:
        for source, name in zip(sources, names, strict=True):
            self.shown.append((name, source))
            yield PhotoReading(photo=name, sha256=None, status="abstained", reason="nothing was found", weights=WEIGHTS)


def test_every_kind_and_level_is_shown_and_nothing_found_is_left_open() -> None:
    reader = KeepingReader()
    rows = perturb_photos(1, reader, 2, levels=(0.3, 1.0))
    assert [(one.kind, one.level) for one in rows] == [
        ("none", 0.0), *((kind, level) for kind in PHOTO_NOISE for level in (0.3, 1.0)),
    ]  # fmt: skip
    assert all((one.right.hits, one.open.hits, one.wrong.hits, one.open.n) == (0, 2, 0, 2) for one in rows)
    assert len(reader.shown) == 2 * len(rows)
    pictures = [np.asarray(Image.open(io.BytesIO(data))) for _, data in reader.shown]
    for index in range(2, len(pictures)):
        assert not np.array_equal(pictures[index], pictures[index % 2])
        assert pictures[index].shape == pictures[index % 2].shape


def test_shares_of_an_answering_reader_add_up_and_repeat() -> None:
    rows = perturb_photos(4, DoubleReader(), 2, levels=(0.7,))
    for one in rows:
        assert one.right.hits + one.open.hits + one.wrong.hits == one.right.n == 2
    assert rows == perturb_photos(4, DoubleReader(), 2, levels=(0.7,))
    text = photo_noise_markdown(rows)
    assert "| none | 0 |" in text
    assert "| tilt | 0.7 |" in text


def test_a_box_goes_where_its_corners_go() -> None:
    assert moved_box((1, 2, 5, 8), np.eye(3)) == (1, 2, 5, 8)
    shift = np.array([[1.0, 0, 10], [0, 1.0, -1], [0, 0, 1.0]])
    assert moved_box((1, 2, 5, 8), shift) == (11, 1, 15, 7)
    turned = np.array([[0.0, -1.0, 0], [1.0, 0.0, 0], [0, 0, 1.0]])
    assert moved_box((1, 2, 5, 8), turned) == pytest.approx((-8, 1, -2, 5))


def test_what_was_lost_and_what_was_given_wrongly_are_told_apart() -> None:
    clean: list[bool | None] = [True, True, True, False, None]
    noisy: list[bool | None] = [True, False, None, True, False]
    row = _row("blur", 0.7, noisy, clean)
    assert [(one.hits, one.n) for one in (row.right, row.open, row.wrong)] == [(2, 5), (1, 5), (2, 5)]
    assert (row.wrong_of_given.hits, row.wrong_of_given.n) == (2, 4)
    assert (row.lost.hits, row.lost.n) == (2, 3)
    nothing = _row("blur", 0.7, [None, None], [None, None])
    assert (nothing.wrong_of_given.n, nothing.lost.n) == (0, 0)
    text = photo_noise_markdown([row])
    assert "50.0 % [15, 85] (2/4)" in text
    assert "(2/3)" in text
