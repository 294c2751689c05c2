"""Bombs: files of some kilobytes that ask whoever opens them for gigabytes or hours."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from functools import cache

import numpy as np
from PIL import Image

from tests.serve.bad_photos import giant_png

Rng = np.random.Generator
TIFF_TAGS = (256, 257, 258, 259, 262, 273, 277, 279, 322, 330, 34665, 65000)


@cache
def good(kind: str, mode: str = "RGB", size: tuple[int, int] = (96, 64)) -> bytes:
    """A small picture in a format and mode."""
    noise = np.random.default_rng(5).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(noise).convert(mode).save(out, kind)
    return out.getvalue()


def dated(name: str) -> zipfile.ZipInfo:
    """A name in an archive with the same date always: the same seed makes the same bytes."""
    return zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))


def zip_bomb(rng: Rng) -> bytes:
    """A zip in a zip: some kilobytes on the wire, gigabytes unpacked by whoever unpacks."""
    data = b"\0" * 2_000_000
    for name in ("a.jpg", "b.zip", "../c.zip"):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for copy in range(int(rng.integers(1, 4))):
                archive.writestr(dated(f"{copy}{name}"), data, zipfile.ZIP_DEFLATED)
        data = out.getvalue()
    return data


def gzip_bomb(rng: Rng) -> bytes:
    """Zeros behind the first bytes of a JPEG, packed."""
    return gzip.compress(b"\xff\xd8\xff" + b"\0" * int(rng.integers(1, 2_000_000)), mtime=0)


def png_of(width: int, height: int, depth: int, colour: int, rows: bytes, extra: bytes = b"") -> bytes:
    """A PNG with any header over any (inflated) rows; `extra` are finished chunks before the pixels."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    end = png_chunk(b"IDAT", zlib.compress(rows, 9)) + png_chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + extra + end


def png_chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk with its length and checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def pixel_bomb(rng: Rng) -> bytes:
    """Some kilobytes that decode to as many pixels as are allowed, or to more than that."""
    side = int(rng.choice([2_000, 6_000, 12_000, 2**31 - 1]))
    if side > 10_000:
        return giant_png(side, side)
    return png_of(side, side, 1, 0, (b"\0" + b"\xaa" * ((side + 7) // 8)) * side)


def odd_png(rng: Rng) -> bytes:
    """Rows that do not fit the header: too many, too few, unknown filters, impossible depths."""
    width, height = (int(one) for one in rng.integers(0, 200, 2))
    depth, colour = int(rng.choice([0, 1, 2, 4, 8, 16, 77])), int(rng.choice([0, 2, 3, 4, 6, 9]))
    return png_of(width, height, depth, colour, rng.bytes(int(rng.integers(0, 300_000))))


def text_bomb(rng: Rng) -> bytes:
    """Compressed text and colour profile beside the pixels, each of which inflates to megabytes."""
    packed = zlib.compress(b"A" * int(rng.choice([1_000, 10_000_000, 60_000_000])), 9)
    chunk = png_chunk(b"zTXt", b"Comment\0\0" + packed) if rng.random() < 0.5 else png_chunk(b"iCCP", b"icc\0\0" + packed)
    return png_of(8, 8, 8, 2, (b"\0" + b"\x30" * 24) * 8, chunk)


def huge_profile(rng: Rng) -> bytes:
    """A JPEG with a colour profile of up to 10 MB in its segments."""
    size = int(rng.choice([70_000, 700_000, 10_000_000]))
    out = io.BytesIO()
    Image.open(io.BytesIO(good("JPEG"))).save(out, "JPEG", icc_profile=bytes(size))
    return out.getvalue()


def huge_exif(rng: Rng) -> bytes:
    """EXIF to the last byte of its segment, many segments of it, or a broken one."""
    data = good("JPEG")
    body = b"Exif\0\0" + (b"MM\0*\0\0\0\x08" if rng.random() < 0.5 else b"II*\0\x08\0\0\0") + rng.bytes(65_519)
    segment = b"\xff\xe1\xff\xff" + body
    return data[:2] + segment * int(rng.choice([1, 3, 40])) + data[2:]


def looping_tiff(rng: Rng) -> bytes:
    """Directories that point at themselves, entries whose data lie nowhere, counts beyond all memory."""
    entries = int(rng.integers(1, 40))
    body = struct.pack("<H", entries)
    for _ in range(entries):
        tag, kind = int(rng.choice(TIFF_TAGS)), int(rng.integers(0, 20))
        count, offset = int(rng.choice([1, 2, 65_536, 2**31, 2**32 - 1])), int(rng.choice([1, 8, 64, 2**32 - 1]))
        body += struct.pack("<HHII", tag, kind, count, offset)
    return b"II*\0" + struct.pack("<I", 8) + body + struct.pack("<I", 8)


def giant_header(rng: Rng) -> bytes:
    """The largest sizes that a format's header can claim, over next to no data."""
    ways = (
        b"\xff\xd8\xff\xc0\0\x11\x08\xff\xdc\xff\xdc\x03\x01\x11\0\x02\x11\x01\x03\x11\x01" + good("JPEG")[2:],
        b"GIF89a\xff\xff\xff\xff\xf7\0\0" + good("GIF")[13:],
        b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0\xff\xff\xff\xff\xff\0" + b"ALPH\0\0\0\0",
        b"BM" + struct.pack("<IHHIIiiHHIIiiII", 60, 0, 0, 54, 40, 2**31 - 1, -(2**31), 1, 24, 0, 0, 0, 0, 0, 0),
        giant_png(2**31 - 1, 1),
        giant_png(0, 0),
    )
    return ways[int(rng.integers(0, len(ways)))]


def scan_bomb(side: int, scans: int) -> bytes:
    """A progressive JPEG whose few kilobytes ask the decoder to walk all its blocks once for each of many scans."""
    head = b"\xff\xd8\xff\xdb\0\x43\0" + b"\x01" * 64
    head += b"\xff\xc2" + struct.pack(">HBHHB", 11, 8, side, side, 1) + b"\x01\x11\0"
    head += b"\xff\xc4\0\x14\x00" + b"\x01" + b"\0" * 15 + b"\0"  # DC: one code, category 0.
    head += b"\xff\xc4\0\x14\x10" + b"\x01" + b"\0" * 15 + b"\xe0"  # AC: one code, an end-of-band run of 2**14.
    first = b"\xff\xda\0\x08\x01\x01\0\0\0\x01" + b"\0" * 64
    again = b"\xff\xda\0\x08\x01\x01\0\x01\x3f\x01" + b"\0" * 4
    return head + first + again * scans + b"\xff\xd9"


def scans(rng: Rng) -> bytes:
    """A scan bomb, or a harmless little one."""
    return scan_bomb(int(rng.choice([64, 2_000])), int(rng.choice([5, 200, 3_000])))
