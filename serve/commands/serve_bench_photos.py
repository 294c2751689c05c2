"""The bench's photos: drawn dials as people send them, and between them what people send by mistake."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Literal

import numpy as np
from PIL import Image

from eval.sweep_scenes import dial_scene
from serve.commands.serve_bench_load import LoadPhoto

FIRST_DIAL = 700
SIDE_PX = 512
GOOD, BAD = (200,), (413, 415, 422)
Kind = Literal["dial", "tilted", "blurred", "blank", "truncated", "text", "giant"]


def dial_photos(folder: Path, count: int) -> tuple[LoadPhoto, ...]:
    """`count` drawn dials as JPEG files in `folder`."""
    return tuple(_keep(folder, "dial", number, _dial(number), GOOD) for number in range(count))


def mixed_photos(folder: Path, rounds: int) -> tuple[LoadPhoto, ...]:
    """`rounds` times ten photos: four plain dials, a tilted and a blurred one, a blank wall, three that are none."""
    photos: list[LoadPhoto] = []
    for one in range(rounds):
        dials = [_keep(folder, "dial", 4 * one + number, _dial(4 * one + number), GOOD) for number in range(4)]
        whole = _dial(one)
        photos += [
            *dials[:2],
            _keep(folder, "truncated", one, whole[: len(whole) // 2], BAD),
            _keep(folder, "tilted", one, _dial(one, tilt_deg=35.0), GOOD),
            _keep(folder, "text", one, b"this is a note, not a photo\n" * (one + 1), BAD),
            dials[2],
            _keep(folder, "blurred", one, _dial(one, blur_px=4.0), GOOD),
            _keep(folder, "blank", one, _blank(one), GOOD),
            _keep(folder, "giant", one, _giant(), BAD),
            dials[3],
        ]
    return tuple(photos)


def _dial(number: int, **changes: float) -> bytes:
    from synth.flat import render

    return _jpeg(render(dial_scene(FIRST_DIAL + number, **changes)))


def _blank(number: int) -> bytes:
    noise = np.random.default_rng(number).integers(150, 170, (SIDE_PX, SIDE_PX, 3))
    return _jpeg(noise.astype(np.uint8))


def _giant() -> bytes:
    """A picture of 144 megapixels in some kilobytes."""
    out = io.BytesIO()
    Image.new("1", (12_000, 12_000)).save(out, "PNG")
    return out.getvalue()


def _jpeg(pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "JPEG", quality=90)
    return out.getvalue()


def _keep(folder: Path, kind: Kind, number: int, data: bytes, expected: tuple[int, ...]) -> LoadPhoto:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{kind}-{number}.{'txt' if kind == 'text' else 'png' if kind == 'giant' else 'jpg'}"
    path.write_bytes(data)
    return LoadPhoto(path=str(path), kind=kind, expected=expected)
