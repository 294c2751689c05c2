"""Backgrounds: every style draws, the same seed gives the same picture, and photos come out of a checked folder."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import cv2
import numpy as np
import pytest

from synth.errors import BackgroundError, SynthError
from synth.flat import render
from synth.flat.background import PhotoBackgrounds, draw_background
from synth.flat.pen import Pen
from synth.flat.rooms import MAKERS
from synth.flat.textures import BANK_SIDE, cloud, light_from, muted, surface, warm
from synth.recipe import load_recipe
from synth.sample_look import sample_background
from synth.scene import Background, BackgroundStyle, GaugeScene

ROOT = Path(__file__).resolve().parents[2]
STYLES = tuple(style for style in get_args(BackgroundStyle) if style != "photo")
DIGEST = """
import hashlib, sys
from synth.flat.background import draw_background
from synth.flat.pen import Pen
from synth.scene import Background
for style in sys.argv[1:]:
    pen = Pen(96, 96)
    draw_background(pen, Background(style, 5))
    print(hashlib.sha256(pen.pixels.tobytes()).hexdigest())
"""


def drawn(style: str, seed: int, width: int = 96, height: int = 96) -> np.ndarray:
    pen = Pen(width, height)
    draw_background(pen, Background(style, seed))  # type: ignore[arg-type]
    return pen.pixels.copy()


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    rng = np.random.default_rng(1)
    for name, size in (("b.png", (90, 160)), ("a.jpg", (300, 200)), ("c.bmp", (64, 64))):
        picture = cv2.resize(rng.integers(0, 255, (6, 8, 3)).astype(np.uint8), size)
        cv2.imwrite(str(folder / name), picture)
    return folder


@pytest.mark.parametrize("style", STYLES)
def test_every_style_fills_the_picture(style: str) -> None:
    picture = drawn(style, 3)
    assert (picture[..., 3] == 255).all()
    assert np.array_equal(picture, drawn(style, 3))


@pytest.mark.parametrize("style", sorted(MAKERS))
def test_banks_give_variety(style: str) -> None:
    pictures = {drawn(style, seed).tobytes() for seed in range(6)}
    assert len(pictures) == 6
    assert drawn(style, 0)[..., :3].std() > 1


def test_backgrounds_are_the_same_in_every_process() -> None:
    script = [sys.executable, "-c", DIGEST, *STYLES]
    other = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert [hashlib.sha256(drawn(style, 5).tobytes()).hexdigest() for style in STYLES] == other


def test_the_order_of_drawing_does_not_matter() -> None:
    first = drawn("machinery", 8)
    for style in STYLES:
        drawn(style, 1)
    assert np.array_equal(drawn("machinery", 8), first)


@pytest.mark.parametrize(("width", "height"), [(64, 192), (192, 64), (700, 500)])
def test_other_shapes_are_filled(width: int, height: int) -> None:
    for style in ("room", "product", "machinery"):
        assert drawn(style, 2, width, height).shape == (height, width, 4)


def test_white_is_white_and_black_is_black() -> None:
    assert min(drawn("white", seed)[:20, :, :3].min() for seed in range(8)) >= 235
    assert max(drawn("black", seed)[:20, :, :3].max() for seed in range(8)) <= 16


def test_plants_are_darker_than_walls_of_a_product_photo() -> None:
    machinery = np.mean([drawn("machinery", seed)[..., :3].mean() for seed in range(20)])
    product = np.mean([drawn("product", seed)[..., :3].mean() for seed in range(20)])
    assert 20 < machinery < 110 < product


def test_noise_is_coarse_rather_than_fine() -> None:
    """A surface's noise has most of its strength in large shapes: no even blotches."""
    field = cloud(np.random.default_rng(2), 5.0)[..., 0]
    assert field.shape == (BANK_SIDE, BANK_SIDE)
    coarse = cv2.resize(cv2.resize(field, (12, 12), interpolation=cv2.INTER_AREA), (BANK_SIDE, BANK_SIDE))
    assert coarse.std() > (field - coarse).std()


def test_paints_are_muted_and_light_is_warm() -> None:
    rng = np.random.default_rng(4)
    colors = np.array([muted(rng) for _ in range(300)])
    assert colors.min() >= 0
    assert colors.max() <= 255
    saturated = (colors.max(1) - colors.min(1)) > 120
    assert saturated.mean() < 0.1
    lights = np.array([warm(rng) for _ in range(100)])
    assert (lights[:, 0] >= lights[:, 1]).all()
    assert (lights[:, 1] >= lights[:, 2]).all()


def test_light_from_one_side_only_darkens() -> None:
    picture = surface(np.random.default_rng(1), (200, 200, 200), 1.0)
    lit = light_from(np.random.default_rng(2), picture, 0.6)
    assert (lit <= picture).all()
    assert np.ptp(cv2.resize(lit, (4, 4), interpolation=cv2.INTER_AREA)[..., 0].astype(int)) > 40


def test_defocus_softens_what_lies_behind() -> None:
    scene = GaugeScene(128, 128, 1, Background("gravel", 4))
    sharp, soft = (render(replace(scene, background=replace(scene.background, defocus_px=px))) for px in (0.0, 5.0))
    assert np.abs(np.diff(soft.astype(int), axis=1)).mean() < 0.3 * np.abs(np.diff(sharp.astype(int), axis=1)).mean()
    assert soft.mean() == pytest.approx(sharp.mean(), abs=4)


@pytest.mark.parametrize("name", ["close", "scene"])
def test_recipes_use_every_procedural_style(name: str) -> None:
    recipe = load_recipe(name)
    assert set(recipe.backgrounds) == set(STYLES)
    rng = np.random.default_rng(0)
    found = [sample_background(rng, recipe) for _ in range(400)]
    assert any(one.defocus_px > 4 for one in found)
    assert all(one.defocus_px == 0 for one in found if one.style in ("white", "black", "plain"))


def test_photos_are_listed_by_name_and_cropped_by_seed(photos: Path) -> None:
    (photos / ".hidden").write_text("no photo, and nobody's business")
    (photos / "more").mkdir()
    found = PhotoBackgrounds(photos)
    assert found.names == ("a.jpg", "b.png", "c.bmp")
    assert {found.pick(np.random.default_rng(seed)) for seed in range(30)} == set(found.names)
    crops = [found.crop("a.jpg", 60, 40, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert crops[0].shape == (40, 60, 3)
    assert np.array_equal(crops[0], crops[1])
    assert not np.array_equal(crops[0], crops[2])


def test_a_photo_keeps_its_colours(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "red.png"), np.full((80, 80, 3), (0, 0, 255), np.uint8))
    crop = PhotoBackgrounds(tmp_path).crop("red.png", 50, 50, np.random.default_rng(0))
    assert (crop == (255, 0, 0)).all(), "the file is blue-green-red on disk's reader, the picture red-green-blue"


def test_a_scene_with_a_photo_is_drawn_from_the_folder(photos: Path) -> None:
    scene = GaugeScene(96, 96, 1, Background("photo", 4, photo="b.png"))
    found = PhotoBackgrounds(photos)
    assert np.array_equal(render(scene, found), render(scene, PhotoBackgrounds(photos)))
    other = replace(scene, background=replace(scene.background, photo="a.jpg"))
    assert not np.array_equal(render(other, found), render(scene, found))
    assert scene.truth().instruments == ()  # the truth needs no file


def test_a_scene_with_a_photo_needs_its_folder(photos: Path) -> None:
    scene = GaugeScene(96, 96, 1, Background("photo", 4, photo="gone.png"))
    with pytest.raises(BackgroundError, match=r"gone\.png"):
        render(scene)
    with pytest.raises(BackgroundError, match=r"gone\.png.*site"):
        render(scene, PhotoBackgrounds(photos))


@pytest.mark.parametrize(("name", "content"), [("z.png", b"not a picture"), ("notes.txt", b"hello"), ("empty.jpg", b"")])
def test_what_is_no_image_is_named(photos: Path, name: str, content: bytes) -> None:
    (photos / name).write_bytes(content)
    with pytest.raises(BackgroundError, match=rf"{name}.*not an image"):
        PhotoBackgrounds(photos)


def test_a_cut_off_photo_is_named(photos: Path) -> None:
    whole = (photos / "b.png").read_bytes()
    (photos / "b.png").write_bytes(whole[: len(whole) // 3])
    try:
        PhotoBackgrounds(photos)
    except BackgroundError as error:
        assert "b.png" in str(error)  # noqa: PT017 - decoders may also fill the rest with grey


def test_photos_that_are_too_small_are_named(photos: Path) -> None:
    cv2.imwrite(str(photos / "dot.png"), np.zeros((8, 300, 3), np.uint8))
    with pytest.raises(BackgroundError, match=r"dot\.png is 300 x 8"):
        PhotoBackgrounds(photos)


def test_folders_that_cannot_serve_are_named(tmp_path: Path) -> None:
    with pytest.raises(BackgroundError, match="nowhere is not a folder"):
        PhotoBackgrounds(tmp_path / "nowhere")
    (tmp_path / "bare").mkdir()
    with pytest.raises(BackgroundError, match="bare has no photos"):
        PhotoBackgrounds(str(tmp_path / "bare"))
    assert issubclass(BackgroundError, SynthError)
