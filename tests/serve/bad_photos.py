"""Every kind of bad input that the product promises to survive, made on the spot and cheaply."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image

from tests.serve.doubles import picture_bytes


class BadPhoto(NamedTuple):
    """A file that cannot be opened: its bytes, a part of the message, and the status over HTTP."""

    data: bytes
    message: str
    status: int


def giant_png(width: int, height: int) -> bytes:
    """A PNG of any size on its header, with next to no data."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


def unopenable() -> dict[str, BadPhoto]:
    """Files that cannot be opened, by what is wrong with them."""
    noise = Image.fromarray(np.random.default_rng(3).integers(0, 256, (60, 80, 3), dtype=np.uint8))
    out = io.BytesIO()
    noise.save(out, "JPEG")
    return {
        "not an image": BadPhoto(b"just some text, nothing to see", "is not an image", 415),
        "a PDF": BadPhoto(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "is not an image", 415),
        "HEIC": BadPhoto(b"\0\0\0\x18ftypheic" + b"\0" * 64, "HEIC pictures are not supported", 415),
        "truncated": BadPhoto(out.getvalue()[: len(out.getvalue()) // 2], "truncated or damaged", 422),
        "truncated header": BadPhoto(picture_bytes("PNG")[:20], "truncated or damaged", 422),
        "0 bytes": BadPhoto(b"", "empty (0 bytes)", 422),
        "30,000 x 30,000 px": BadPhoto(giant_png(30_000, 30_000), "more than the limit of 100 megapixels", 413),
    }


def _animated() -> bytes:
    out = io.BytesIO()
    frames = [Image.open(io.BytesIO(picture_bytes(color=color))).convert("P") for color in ("white", "yellow", "green")]
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    return out.getvalue()


def _saved(picture: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def _sixteen_bit() -> bytes:
    ramp = np.linspace(0, 65535, 64 * 48).reshape(48, 64).astype(np.uint16)
    return _saved(Image.fromarray(ramp), "PNG")


def _exif_rotated() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return _saved(Image.open(io.BytesIO(picture_bytes(size=(120, 90)))), "JPEG", exif=exif)


ODD_BUT_GOOD: dict[str, Callable[[], bytes]] = {
    "animated": _animated,
    "CMYK": lambda: _saved(Image.open(io.BytesIO(picture_bytes())).convert("CMYK"), "JPEG"),
    "16-bit": _sixteen_bit,
    "EXIF-rotated": _exif_rotated,
    "transparent": lambda: _saved(Image.open(io.BytesIO(picture_bytes())).convert("RGBA"), "WEBP"),
}
"""Pictures out of the ordinary that are opened all the same."""

ODD_NAMES = (
    "gauge no. 3 (left).png",
    "压力表 №7.png",
    "манометр.png",
    "-rf.png",
    "a'b\"c;$(x).png",
    ".hidden.png",
    "ゲージ\u3000計.png",
)


def write(folder: Path, name: str, data: bytes) -> Path:
    """A file with these bytes."""
    path = folder / name
    path.write_bytes(data)
    return path
