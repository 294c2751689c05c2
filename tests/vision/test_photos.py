"""Photo intake: what is opened becomes upright RGB, and what is not gets a message that names file and reason."""

from __future__ import annotations

import hashlib
import io
import os
import struct
import sys
import warnings
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from vision.photos import ORIENTATION_TAG, UPRIGHT, PhotoError, PhotoLimits, display_name, load_photo

LEFT, RIGHT = (220, 30, 30), (30, 30, 220)


def two_halves(width: int = 80, height: int = 40) -> Image.Image:
    """Red on the left, blue on the right."""
    picture = Image.new("RGB", (width, height), LEFT)
    picture.paste(RIGHT, (width // 2, 0, width, height))
    return picture


def encode(picture: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def giant_png(width: int, height: int) -> bytes:
    """A valid header of a giant picture and almost no data: what a decompression bomb looks like at first."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


def near(pixel: Any, colour: tuple[int, int, int], tolerance: int = 12) -> bool:
    return all(abs(int(a) - b) <= tolerance for a, b in zip(pixel, colour, strict=True))


def failure(source: Path | bytes, **options: Any) -> PhotoError:
    with pytest.raises(PhotoError) as caught:
        load_photo(source, **options)
    return caught.value


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF"])
def test_every_format_becomes_rgb(kind: str) -> None:
    data = encode(two_halves(), kind)
    photo = load_photo(data, name="meter")
    assert (photo.width, photo.height, photo.scale) == (80, 40, 1.0)
    assert photo.image.shape == (40, 80, 3)
    assert photo.image.dtype == np.uint8
    assert photo.image.flags.writeable
    assert near(photo.image[20, 10], LEFT)
    assert near(photo.image[20, 70], RIGHT)
    assert photo.sha256 == hashlib.sha256(data).hexdigest()
    assert photo.name == "meter"


def test_a_path_is_named_as_given(tmp_path: Path) -> None:
    path = tmp_path / "压力表 No. 3.png"
    path.write_bytes(encode(two_halves()))
    assert load_photo(path).name == str(path)
    assert load_photo(path, name="gauge.png").name == "gauge.png"


def test_multi_picture_object_gives_its_first_picture() -> None:
    data = encode(two_halves(), "MPO", save_all=True, append_images=[Image.new("RGB", (80, 40), "green")])
    assert near(load_photo(data).image[20, 10], LEFT)


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "TIFF"])
def test_animated_gives_the_first_frame(kind: str) -> None:
    data = encode(two_halves(), kind, save_all=True, append_images=[Image.new("RGB", (80, 40), "green")] * 3)
    assert near(load_photo(data).image[20, 10], LEFT)


@pytest.mark.parametrize("kind", ["JPEG", "TIFF", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation_turns_the_photo_upright(kind: str, orientation: int) -> None:
    """Stored turned by the inverse of what the tag says, every photo comes out as the same upright picture."""
    upright = two_halves()
    inverse = {Image.Transpose.ROTATE_90: Image.Transpose.ROTATE_270, Image.Transpose.ROTATE_270: Image.Transpose.ROTATE_90}
    turn = UPRIGHT.get(orientation)
    stored = upright if turn is None else upright.transpose(inverse.get(turn, turn))
    exif = Image.Exif()
    exif[ORIENTATION_TAG] = orientation
    photo = load_photo(encode(stored, kind, exif=exif))
    assert (photo.width, photo.height) == (80, 40)
    assert near(photo.image[20, 10], LEFT, 40)
    assert near(photo.image[20, 70], RIGHT, 40)


def test_orientation_and_downscaling_agree_on_the_upright_size() -> None:
    exif = Image.Exif()
    exif[ORIENTATION_TAG] = 6
    photo = load_photo(encode(two_halves(1000, 600), "JPEG", exif=exif), limits=PhotoLimits(max_side_px=250))
    assert (photo.width, photo.height) == (600, 1000)
    assert photo.image.shape == (250, 150, 3)
    assert near(photo.image[10, 75], LEFT, 40)


def test_damaged_exif_does_not_lose_the_picture() -> None:
    data = encode(two_halves(), "JPEG", exif=b"Exif\0\0II*\0\xff\xff\xff\xff garbage")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_photo(data).image.shape == (40, 80, 3)


def test_cmyk_jpeg() -> None:
    photo = load_photo(encode(two_halves().convert("CMYK"), "JPEG", quality=95))
    assert near(photo.image[20, 10], LEFT, 16)
    assert near(photo.image[20, 70], RIGHT, 16)


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_sixteen_bit_grey_keeps_its_gradations(kind: str) -> None:
    ramp = np.linspace(0, 65535, 256, dtype=np.uint16)[None, :].repeat(8, axis=0)
    image = load_photo(encode(Image.fromarray(ramp), kind)).image
    assert image[0, :, 0].tolist() == list(range(256))


def test_twelve_bit_samples_in_a_sixteen_bit_file_use_their_own_range() -> None:
    ramp = np.linspace(0, 4095, 256, dtype=np.uint16)[None, :].repeat(8, axis=0)
    image = load_photo(encode(Image.fromarray(ramp))).image
    assert (int(image.min()), int(image.max())) == (0, 255)
    assert abs(int(image[0, 128, 0]) - 128) <= 1


def test_sixteen_bit_black_stays_black() -> None:
    assert load_photo(encode(Image.fromarray(np.zeros((8, 8), dtype=np.uint16)))).image.max() == 0


@pytest.mark.parametrize("factor", [1.0, 1000.0, -3.0])
def test_float_tiff_is_scaled_by_range(factor: float) -> None:
    ramp = np.linspace(0, 1, 256, dtype=np.float32)[None, :].repeat(8, axis=0) * np.float32(factor)
    column = load_photo(encode(Image.fromarray(ramp), "TIFF")).image[0, :, 0].tolist()
    assert column == (list(range(256)) if factor > 0 else list(range(255, -1, -1)))


def test_float_tiff_with_nan_and_constant_samples() -> None:
    samples = np.full((8, 8), np.nan, dtype=np.float32)
    samples[0, 0] = -7.0
    samples[1, :] = np.inf
    assert load_photo(encode(Image.fromarray(samples), "TIFF")).image.shape == (8, 8, 3)
    flat = np.full((8, 8), -7.0, dtype=np.float32)
    assert load_photo(encode(Image.fromarray(flat), "TIFF")).image.max() == 0


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_transparent_pixels_are_white(mode: str) -> None:
    clear = Image.new("RGBA", (10, 10), (0, 0, 0, 0))
    clear.paste((200, 0, 0, 255), (0, 0, 5, 10))
    image = load_photo(encode(clear.quantize(4) if mode == "P" else clear.convert(mode))).image
    assert near(image[5, 8], (255, 255, 255))
    assert image[5, 2].min() < 100


def test_a_transparent_colour_of_an_rgb_png_is_white() -> None:
    image = load_photo(encode(two_halves(), "PNG", transparency=LEFT)).image
    assert near(image[20, 10], (255, 255, 255))
    assert near(image[20, 70], RIGHT)


@pytest.mark.parametrize("mode", ["1", "L", "P"])
def test_fewer_channels_become_three(mode: str) -> None:
    image = load_photo(encode(two_halves().convert(mode))).image
    assert image.shape == (40, 80, 3)
    assert (image[..., 0] == image[..., 1]).all() or mode == "P"


def test_a_large_photo_is_scaled_down_and_knows_it() -> None:
    photo = load_photo(encode(two_halves(900, 300)), limits=PhotoLimits(max_side_px=300))
    assert photo.image.shape == (100, 300, 3)
    assert (photo.width, photo.height) == (900, 300)
    assert photo.scale == pytest.approx(1 / 3)
    assert photo.to_photo(150, 50) == pytest.approx((450, 150))
    assert photo.to_image(450, 150) == pytest.approx((150, 50))
    assert near(photo.image[50, 75], LEFT)
    assert near(photo.image[50, 225], RIGHT)


@pytest.mark.parametrize("size", [(4000, 1), (1, 4000)])
def test_a_sliver_keeps_at_least_one_pixel(size: tuple[int, int]) -> None:
    photo = load_photo(encode(Image.new("RGB", size)), limits=PhotoLimits(max_side_px=100))
    assert min(photo.image.shape[:2]) == 1
    assert (photo.width, photo.height) == size


def test_missing_file(tmp_path: Path) -> None:
    error = failure(tmp_path / "nowhere.jpg")
    assert (error.problem, error.sha256) == ("missing", None)
    assert str(error) == f"{tmp_path / 'nowhere.jpg'}: no such file"


def test_folder(tmp_path: Path) -> None:
    error = failure(tmp_path)
    assert (error.problem, error.sha256) == ("folder", None)
    assert "is a folder" in str(error)


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    assert failure(tmp_path / "pipe.jpg").problem == "unreadable"


@pytest.mark.parametrize("name", ["a" * 300 + ".jpg", "nul\0name.jpg"])
def test_an_impossible_name(name: str) -> None:
    assert failure(Path(name)).problem == "unreadable"


def test_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.jpg"
    path.touch()
    for source in (path, b""):
        error = failure(source)
        assert (error.problem, error.sha256) == ("empty", None)
        assert "0 bytes" in str(error)


def test_not_an_image() -> None:
    data = b"%PDF-1.7 not a picture"
    error = failure(data, name="manual.pdf")
    assert (error.problem, error.sha256) == ("not_an_image", hashlib.sha256(data).hexdigest())
    assert str(error) == "manual.pdf: is not an image (JPEG, PNG, WebP, TIFF, BMP or GIF expected)"


def test_a_phone_format_that_is_not_read_is_named() -> None:
    assert "HEIC pictures are not supported" in str(failure(b"\0\0\0\x18ftypheic" + b"\0" * 40))


def test_an_image_format_outside_the_list_is_refused() -> None:
    assert failure(encode(two_halves(), "PPM")).problem == "not_an_image"


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_truncated_files_are_refused(kind: str, share: float) -> None:
    rng = np.random.default_rng(1)
    data = encode(Image.fromarray(rng.integers(0, 256, (90, 120, 3), dtype=np.uint8)), kind)
    error = failure(data[: int(len(data) * share)], name="cut.bin")
    assert error.problem == "damaged"
    assert str(error).startswith("cut.bin: ")
    assert error.sha256 is not None


@pytest.mark.parametrize("compression", ["tiff_lzw", "tiff_adobe_deflate", "jpeg"])
def test_damaged_compressed_tiff_says_nothing_on_stderr(compression: str, capfd: pytest.CaptureFixture[str]) -> None:
    data = bytearray(encode(two_halves(300, 300), "TIFF", compression=compression))
    data[8 : len(data) // 2] = b"\xff" * (len(data) // 2 - 8)
    assert "truncated or damaged" in str(failure(bytes(data)))
    print("stderr is back", file=sys.stderr)
    assert capfd.readouterr() == ("", "stderr is back\n")


def test_too_many_bytes_on_disk_and_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "big.png"
    path.write_bytes(b"x" * 3000)
    for source in (path, b"x" * 3000):
        error = failure(source, limits=PhotoLimits(max_bytes=2048))
        assert (error.problem, error.sha256) == ("too_large", hashlib.sha256(b"x" * 3000).hexdigest())
        assert "more than the limit of" in str(error)


def test_two_hundred_megabytes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "huge.jpg"
    with path.open("wb") as file:
        file.truncate(200 * 2**20)
    assert str(failure(path)).endswith("the file has 200.0 MiB, more than the limit of 64 MiB")


def test_a_giant_picture_is_refused_on_its_header() -> None:
    error = failure(giant_png(30_000, 30_000), name="bomb.png")
    assert error.problem == "too_large"
    assert str(error) == "bomb.png: 30000 x 30000 px are 900.0 megapixels, more than the limit of 100 megapixels"


def progressive(scans: int) -> bytes:
    """A progressive JPEG with its last scan repeated, each repetition a walk over all blocks."""
    data = encode(two_halves(640, 480), "JPEG", progressive=True)
    last = data[data.rindex(b"\xff\xda") : -2]
    return data[:-2] + last * (scans - data.count(b"\xff\xda")) + data[-2:]


def test_a_jpeg_of_endless_scans_is_refused_before_it_is_decoded() -> None:
    assert load_photo(progressive(300)).width == 640
    with pytest.raises(PhotoError, match="about 301 scans, more than the limit of 300") as caught:
        load_photo(progressive(301), name="scans.jpg")
    assert caught.value.problem == "too_large"


def test_pillow_keeps_its_own_limit_and_gives_no_warning() -> None:
    before = Image.MAX_IMAGE_PIXELS
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        failure(giant_png(10_000, 9_500))  # Above Pillow's warning limit, below ours: the missing data is found.
    assert before == Image.MAX_IMAGE_PIXELS


def test_the_limit_counts_pixels_not_sides() -> None:
    limits = PhotoLimits(max_pixels=5000)
    assert load_photo(encode(Image.new("L", (5000, 1))), limits=limits).width == 5000
    assert failure(encode(Image.new("L", (5001, 1))), limits=limits).problem == "too_large"


@pytest.mark.parametrize("field", ["max_bytes", "max_pixels", "max_side_px"])
def test_limits_must_be_positive(field: str) -> None:
    with pytest.raises(ValueError, match=field):
        PhotoLimits(**{field: 0})


def test_names_are_made_printable() -> None:
    assert display_name("表 №1.jpg") == "表 №1.jpg"
    assert display_name("a\nb\x1b[31m.jpg") == "a�b�[31m.jpg"
    undecodable = os.fsdecode(b"caf\xe9.jpg")
    assert display_name(undecodable) == "caf�.jpg"
    display_name(undecodable).encode("utf-8")
    assert display_name("\ud800.jpg") == "�.jpg"
    assert display_name("gauge\u202egpj.exe") == "gauge�gpj.exe"


def test_all_black_is_a_photo() -> None:
    assert load_photo(encode(Image.new("RGB", (50, 50)))).image.max() == 0


def test_decoding_in_threads() -> None:
    data = encode(two_halves(), "JPEG")
    with ThreadPoolExecutor(4) as pool:
        photos = list(pool.map(load_photo, [data] * 16))
    assert all((photo.image == photos[0].image).all() for photo in photos)


SEEDS = [encode(two_halves(), kind) for kind in ("JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF")]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SEEDS), st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), max_size=8), st.floats(0.2, 1))
def test_damaged_bytes_give_a_photo_or_a_photo_error(data: bytes, changes: list[tuple[float, int]], keep: float) -> None:
    damaged = bytearray(data)
    for where, byte in changes:
        damaged[int(where * len(damaged))] = byte
    try:
        photo = load_photo(
            bytes(damaged[: int(keep * len(damaged))]), limits=PhotoLimits(max_pixels=1_000_000, max_side_px=1_000_000)
        )
    except PhotoError:
        return
    assert photo.image.shape == (photo.height, photo.width, 3)
