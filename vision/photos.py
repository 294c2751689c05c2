"""Photo intake: bytes or a path -> an upright RGB picture, or a PhotoError that names file and reason.

Nothing here trusts its input: the size on disk is checked before reading and the size in pixels before
decoding, only the formats of `FORMATS` are tried, and whatever a decoder raises becomes a PhotoError.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import threading
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

import numpy as np
import numpy.typing as npt
from PIL import Image, UnidentifiedImageError

FORMATS = ("JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF")
"""Formats that are opened (JPEG with MPO); of animated and multi-page files the first frame is the photo."""

RgbArray = npt.NDArray[np.uint8]
PhotoProblem = Literal["missing", "folder", "unreadable", "empty", "too_large", "not_an_image", "damaged"]

ORIENTATION_TAG = 0x0112
UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""EXIF orientation (TIFF 6.0, tag 274) -> what turns the picture upright."""

INTEGER_RANGES = (255, 1023, 4095, 16383, 65535)
"""Full scales of cameras that store 8 to 16 bits in 16-bit files."""

MAX_SCANS = 300
"""Scans of a progressive JPEG: cameras and optimisers write about ten. Each costs a walk over all blocks for 14 bytes of
file, so that without a limit a few megabytes would keep a processor busy for hours."""

_HASH_LIMIT_BYTES = 2**30  # A larger file is refused without a hash: reading it would take many seconds.
_LATER_FORMATS = {b"ftypheic": "HEIC", b"ftypheix": "HEIC", b"ftypmif1": "HEIF", b"ftypavif": "AVIF"}
_TIFF_SIGNATURES = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_SIGNATURES = (b"\xff\xd8\xff", b"\x89PNG", b"RIFF", b"BM", b"GIF8", *_TIFF_SIGNATURES)
_UNFIT_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")  # Control, format, surrogate, line and paragraph separators.
_decoding = threading.Lock()


@dataclass(frozen=True, slots=True)
class PhotoLimits:
    """What is accepted: bytes of the file, pixels of the picture, and the side above which it is scaled down."""

    max_bytes: int = 64 * 2**20
    max_pixels: int = 100_000_000
    max_side_px: int = 4096

    def __post_init__(self) -> None:
        for name in ("max_bytes", "max_pixels", "max_side_px"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")


class PhotoError(ValueError):
    """A photo that could not be opened; `sha256` is None where there were no bytes."""

    def __init__(self, reason: str, *, name: str = "photo", problem: PhotoProblem = "damaged", sha256: str | None = None) -> None:
        super().__init__(f"{name}: {reason}")
        self.reason = reason
        self.name = name
        self.problem = problem
        self.sha256 = sha256


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """An upright photo. `image` may be smaller than `width` x `height`, the photo's own upright size."""

    name: str
    sha256: str
    image: RgbArray  # (H, W, 3), RGB
    width: int
    height: int

    @property
    def scale(self) -> float:
        """Pixels of `image` per pixel of the upright photo, along the longer side; 1.0 where nothing was scaled."""
        return float(max(self.image.shape[:2])) / max(self.width, self.height)

    def to_photo(self, x: float, y: float) -> tuple[float, float]:
        """A position in `image` as pixels of the upright photo, in which boxes and points are reported."""
        rows, columns = self.image.shape[:2]
        return x * self.width / columns, y * self.height / rows

    def to_image(self, x: float, y: float) -> tuple[float, float]:
        """A position in pixels of the upright photo as a position in `image`."""
        rows, columns = self.image.shape[:2]
        return x * columns / self.width, y * rows / self.height


def load_photo(source: Path | bytes, *, name: str | None = None, limits: PhotoLimits = PhotoLimits()) -> Photo:
    """The photo in `source`, upright (EXIF orientation applied) and RGB.

    Transparent pixels are laid over white, 16-bit and float pictures are scaled by their range, of animated
    files the first frame is taken, and a picture with a side above `limits.max_side_px` is scaled down.
    Raises PhotoError, and nothing else, where it cannot be opened.
    """
    label = display_name(name if name is not None else "photo" if isinstance(source, bytes) else str(source))
    data = source if isinstance(source, bytes) else _read_file(source, label, limits)
    if not data:
        raise PhotoError("the file is empty (0 bytes)", name=label, problem="empty")
    digest = hashlib.sha256(data).hexdigest()
    if len(data) > limits.max_bytes:
        raise _too_many_bytes(len(data), label, digest, limits)
    try:
        with _quiet_pillow(), _quiet_libtiff(data), Image.open(io.BytesIO(data), formats=FORMATS) as picture:
            _check_pixels(picture, label, digest, limits)
            _check_scans(picture, data, label, digest)
            return _decode(picture, label, digest, limits)
    except PhotoError:
        raise
    except UnidentifiedImageError:
        raise _unidentified(data, label, digest) from None
    except MemoryError:
        raise PhotoError("decoding it needs more memory than there is", name=label, problem="too_large", sha256=digest) from None
    except Exception as error:  # Pillow's decoders raise almost any type on a crafted or damaged file.
        detail = " ".join(str(error).split()) or type(error).__name__
        raise PhotoError(f"the picture is truncated or damaged ({detail})", name=label, sha256=digest) from error


def display_name(name: str) -> str:
    """`name` fit for messages and JSON: bytes that are not UTF-8 and control characters are replaced by `�`."""
    return "".join("�" if unicodedata.category(char) in _UNFIT_CATEGORIES else char for char in name)


def _read_file(path: Path, label: str, limits: PhotoLimits) -> bytes:
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise PhotoError("is a folder, not a photo", name=label, problem="folder")
        if not stat.S_ISREG(status.st_mode):
            raise PhotoError("is not a regular file", name=label, problem="unreadable")
        with path.open("rb") as file:
            if status.st_size > limits.max_bytes:
                raise _too_many_bytes(status.st_size, label, _stream_hash(file, status.st_size), limits)
            return file.read(limits.max_bytes + 1)
    except FileNotFoundError:
        raise PhotoError("no such file", name=label, problem="missing") from None
    except (OSError, ValueError) as error:  # ValueError: PhotoError itself, or a null character in the path.
        if isinstance(error, PhotoError):
            raise
        detail = getattr(error, "strerror", None) or str(error)
        raise PhotoError(f"cannot be read ({detail})", name=label, problem="unreadable") from None


def _stream_hash(file: IO[bytes], size: int) -> str | None:
    if size > _HASH_LIMIT_BYTES:
        return None
    digest = hashlib.sha256()
    while block := file.read(2**20):
        digest.update(block)
    return digest.hexdigest()


def _too_many_bytes(size: int, label: str, digest: str | None, limits: PhotoLimits) -> PhotoError:
    reason = f"the file has {size / 2**20:.1f} MiB, more than the limit of {limits.max_bytes / 2**20:.4g} MiB"
    return PhotoError(reason, name=label, problem="too_large", sha256=digest)


def _unidentified(data: bytes, label: str, digest: str) -> PhotoError:
    known = "JPEG, PNG, WebP, TIFF, BMP or GIF"
    if data.startswith(_SIGNATURES):
        return PhotoError("the picture is truncated or damaged (its header cannot be read)", name=label, sha256=digest)
    later = _LATER_FORMATS.get(data[4:12])
    reason = f"{later} pictures are not supported, save it as {known}" if later else f"is not an image ({known} expected)"
    return PhotoError(reason, name=label, problem="not_an_image", sha256=digest)


@contextmanager
def _quiet_pillow() -> Iterator[None]:
    """Pillow without its warnings and its own pixel limit (ours is checked on the header, before decoding).

    Both are process-wide, hence the lock; decoding is short against reading an instrument.
    """
    with _decoding, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
        try:
            yield
        finally:
            Image.MAX_IMAGE_PIXELS = before


@contextmanager
def _quiet_libtiff(data: bytes) -> Iterator[None]:
    """For TIFF alone: libtiff writes what it thinks of a damaged file straight to the process's stderr."""
    if not data.startswith(_TIFF_SIGNATURES):
        yield
        return
    try:
        kept = os.dup(2)
    except OSError:  # A process without stderr has nothing to keep quiet.
        yield
        return
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _check_pixels(picture: Image.Image, label: str, digest: str, limits: PhotoLimits) -> None:
    width, height = picture.size
    if width * height > limits.max_pixels:
        size = f"{width} x {height} px are {width * height / 1e6:.1f} megapixels"
        reason = f"{size}, more than the limit of {limits.max_pixels / 1e6:.4g} megapixels"
        raise PhotoError(reason, name=label, problem="too_large", sha256=digest)


def _check_scans(picture: Image.Image, data: bytes, label: str, digest: str) -> None:
    """Counts the markers that begin a scan; inside of a scan these two bytes cannot stand."""
    if picture.format in ("JPEG", "MPO") and (scans := data.count(b"\xff\xda")) > MAX_SCANS:
        reason = f"the JPEG has about {scans} scans, more than the limit of {MAX_SCANS}"
        raise PhotoError(reason, name=label, problem="too_large", sha256=digest)


def _decode(picture: Image.Image, label: str, digest: str, limits: PhotoLimits) -> Photo:
    size = picture.size
    shrink = min(1.0, limits.max_side_px / max(size))
    if shrink < 1.0:
        picture.draft("", (round(size[0] * shrink), round(size[1] * shrink)))  # JPEG decodes at 1/2, 1/4 or 1/8.
    picture.load()
    if picture.format not in ("JPEG", "MPO"):
        size = picture.size  # TIFF turns itself upright while loading.
    rgb = to_rgb(picture)
    target = (max(1, round(size[0] * shrink)), max(1, round(size[1] * shrink)))
    if rgb.size != target:
        rgb = rgb.resize(target, Image.Resampling.BOX)
    orientation = _orientation(picture)
    if orientation in UPRIGHT:
        rgb = rgb.transpose(UPRIGHT[orientation])
    width, height = size if orientation < 5 else (size[1], size[0])
    return Photo(label, digest, np.array(rgb, dtype=np.uint8), width, height)


def _orientation(picture: Image.Image) -> int:
    """EXIF orientation, 1 (upright) where there is none or where the EXIF block is damaged."""
    try:
        orientation = picture.getexif().get(ORIENTATION_TAG, 1)
    except Exception:  # A damaged EXIF block raises almost anything, and the picture itself is still good.
        return 1
    return orientation if orientation in UPRIGHT else 1


def to_rgb(picture: Image.Image) -> Image.Image:
    """Any Pillow picture as 8-bit RGB: transparency over white, deeper than 8 bits scaled by range, never clipped."""
    if picture.mode.startswith("I") or picture.mode == "F":
        return _eight_bits(np.asarray(picture)).convert("RGB")
    if picture.has_transparency_data:
        over = picture.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", over.size, "white"), over).convert("RGB")
    return picture if picture.mode == "RGB" else picture.convert("RGB")


def _eight_bits(samples: npt.NDArray[np.generic]) -> Image.Image:
    """Grey samples of any depth as 8 bits.

    Integers are scaled by the smallest full scale in `INTEGER_RANGES` that holds them, floats in [0, 1] by
    that range; anything else (signed, 32-bit, other floats) by its own minimum and maximum.
    """
    values = np.nan_to_num(samples.astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    low, high = float(values.min()), float(values.max())
    ceilings = (1.0,) if samples.dtype.kind == "f" else INTEGER_RANGES
    ceiling = next((limit for limit in ceilings if low >= 0 and high <= limit), None)
    if ceiling is None:
        values, ceiling = values - low, (high - low) or 1.0
    return Image.fromarray(np.rint(values * (255.0 / ceiling)).astype(np.uint8))
