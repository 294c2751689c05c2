"""Malformed and hostile pictures without end, from a seed: what a public upload form meets in years, in a second."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from PIL import Image

from tests.serve import bombs
from tests.serve.bad_photos import ODD_BUT_GOOD
from tests.serve.bombs import Rng, good, png_chunk, png_of

Maker = Callable[[Rng], bytes]


class Malformed(NamedTuple):
    """One upload: what is wrong with it, the name it claims, the type it claims, its bytes."""

    kind: str
    name: str
    media_type: str
    data: bytes


def malformed_uploads(seed: int, count: int) -> Iterator[Malformed]:
    """`count` uploads; every kind comes again and again, the same ones for the same seed."""
    kinds = list(MAKERS)
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        kind = kinds[number % len(kinds)]
        name, media_type = str(rng.choice(NAMES)), str(rng.choice(MEDIA_TYPES))
        yield Malformed(kind, name, media_type, MAKERS[kind](rng))


MEDIA_TYPES = ("image/jpeg", "image/png", "image/svg+xml", "application/zip", "text/html", "x/y; charset=utf-7")
NAMES = (
    "photo.jpg",
    "../../../../etc/passwd",
    "..\\..\\windows\\system32\\cmd.exe",
    "/dev/stdin",
    "a.php.jpg",
    "<img src=x onerror=alert(1)>.png",
    "'; DROP TABLE reports; --.jpg",
    "\u202egpj.exe",
    "压力表\u200d.jpg",
    "%00%2e%2e%2f.png",
    "n" * 5000 + ".jpg",
    "CON",
    "🧯" * 70,
)
MODES = {"JPEG": ["CMYK", "L"], "PNG": ["1", "L", "LA", "P", "RGBA", "I;16"], "TIFF": ["1", "CMYK", "F", "I;16", "YCbCr"]}
FORMATS = ("JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF")
STARTS = {
    "JPEG": b"\xff\xd8\xff\xe0\0\x10JFIF\0",
    "PNG": b"\x89PNG\r\n\x1a\n",
    "WEBP": b"RIFF\xff\xff\xff\x7fWEBPVP8X",
    "TIFF": b"II*\0\x08\0\0\0",
    "BMP": b"BM\xff\xff\0\0",
    "GIF": b"GIF89a",
}


def _any(rng: Rng) -> bytes:
    return good(str(rng.choice(FORMATS)))


def _truncated(rng: Rng) -> bytes:
    data = _any(rng)
    return data[: int(rng.integers(1, len(data)))]


def _flipped(rng: Rng) -> bytes:
    data = bytearray(_any(rng))
    for position in rng.integers(0, len(data) * 8, int(rng.choice([1, 4, 16, 128]))):
        data[position // 8] ^= 1 << (position % 8)
    return bytes(data)


def _flipped_head(rng: Rng) -> bytes:
    """Faults in the first bytes, where sizes, offsets and tables stand."""
    data = bytearray(_any(rng))
    for position in rng.integers(0, min(64, len(data)), 4):
        data[position] = int(rng.integers(0, 256))
    return bytes(data)


def _middle_gone(rng: Rng) -> bytes:
    data = _any(rng)
    start, end = sorted(int(one) for one in rng.integers(0, len(data), 2))
    return data[:start] + data[end:]


def _wrong_start(rng: Rng) -> bytes:
    one, other = rng.choice(FORMATS, 2, replace=False)
    return STARTS[str(one)] + good(str(other))[int(rng.integers(0, 12)) :]


def _random_bytes(rng: Rng) -> bytes:
    start = STARTS[str(rng.choice(FORMATS))] if rng.random() < 0.5 else b""
    return start + rng.bytes(int(rng.integers(0, 4000)))


def _polyglot(rng: Rng) -> bytes:
    """A picture that is also something else to whoever looks at it in another way."""
    page = b"<html><script>alert(document.cookie)</script></html>"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr(bombs.dated("../../evil.sh"), "rm -rf /")
    ways = (
        good("JPEG") + archive.getvalue(),
        b"GIF89a/*" + good("GIF")[6:] + b"*/=1;alert(1)",
        b"%PDF-1.7\n" + good("JPEG"),
        png_of(8, 8, 8, 2, (b"\0" + b"\x30" * 24) * 8, png_chunk(b"tEXt", b"Comment\0" + page)),
        good("PNG") + page,
        b"<?php system($_GET['c']); ?>" + good("JPEG"),
    )
    return ways[int(rng.integers(0, len(ways)))]


def _vector(rng: Rng) -> bytes:
    ways = (
        b'<svg xmlns="http://www.w3.org/2000/svg" width="9999999" height="9999999"><script>alert(1)</script></svg>',
        b'<!DOCTYPE s [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg><text>&x;</text></svg>',
        b'<!DOCTYPE s [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><svg>&b;</svg>',
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 99999 99999\n(%pipe%id) (r) file",
        b"push graphic-context\nviewbox 0 0 640 480\nfill 'url(https://127.0.0.1/x|ls)'\npop graphic-context",
    )
    return ways[int(rng.integers(0, len(ways)))]


def _animated(rng: Rng) -> bytes:
    frames = [Image.new("RGB", (40, 30), (10 * n % 256, 50, 90)) for n in range(int(rng.choice([2, 60])))]
    out = io.BytesIO()
    frames[0].save(out, str(rng.choice(["GIF", "WEBP", "PNG", "TIFF"])), save_all=True, append_images=frames[1:])
    data = out.getvalue()
    return data if rng.random() < 0.5 else data[: int(rng.integers(30, len(data)))]


def _odd_size(rng: Rng) -> bytes:
    size = [(1, 1), (65_535, 1), (1, 65_535), (2, 3), (1, 8_000)][int(rng.integers(0, 5))]
    return good(str(rng.choice(["PNG", "BMP", "TIFF"])) if max(size) > 60_000 else str(rng.choice(FORMATS)), "RGB", size)


def _odd_mode(rng: Rng) -> bytes:
    kind = str(rng.choice(list(MODES)))
    mode = str(rng.choice(MODES[kind]))
    if mode != "I;16":
        return good(kind, mode)
    out = io.BytesIO()
    Image.fromarray(rng.integers(0, 65_536, (20, 30)).astype(np.uint16)).save(out, kind)
    return out.getvalue()


def _multi_picture(rng: Rng) -> bytes:
    out = io.BytesIO()
    first, *rest = (Image.new("RGB", (64, 48), colour) for colour in ("white", "red", "green"))
    first.save(out, "MPO", save_all=True, append_images=rest)
    data = bytearray(out.getvalue())
    if rng.random() < 0.5:
        data[int(rng.integers(2, 200))] ^= 0xFF
    return bytes(data)


def _odd_but_good(rng: Rng) -> bytes:
    return ODD_BUT_GOOD[str(rng.choice(list(ODD_BUT_GOOD)))]()


MAKERS: dict[str, Maker] = {
    "truncated": _truncated,
    "bits flipped": _flipped,
    "header flipped": _flipped_head,
    "middle gone": _middle_gone,
    "wrong magic": _wrong_start,
    "random bytes": _random_bytes,
    "zip bomb": bombs.zip_bomb,
    "gzip bomb": bombs.gzip_bomb,
    "pixel bomb": bombs.pixel_bomb,
    "odd PNG": bombs.odd_png,
    "text bomb": bombs.text_bomb,
    "huge profile": bombs.huge_profile,
    "huge EXIF": bombs.huge_exif,
    "looping TIFF": bombs.looping_tiff,
    "polyglot": _polyglot,
    "vector": _vector,
    "animated": _animated,
    "odd size": _odd_size,
    "odd mode": _odd_mode,
    "giant header": bombs.giant_header,
    "MPO": _multi_picture,
    "odd but good": _odd_but_good,
    "scan bomb": bombs.scans,
    "nothing": lambda rng: b"",
}
