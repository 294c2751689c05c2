"""Names of files and folders made of names that users chose."""

from __future__ import annotations

import unicodedata

MAX_STEM_BYTES = 100
"""File systems allow 255 bytes a name; the stem shares them with a hash and a number."""


def safe_stem(photo: str) -> str:
    """The photo's name without folder and ending, fit for any file system.

    Letters, digits and marks of every script stay; all else becomes `_`.
    """
    stem = photo.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    stem = stem.rsplit(".", 1)[0] if "." in stem.lstrip(".") else stem
    stem = unicodedata.normalize("NFC", stem)
    stem = "".join(char if unicodedata.category(char)[0] in "LNM" or char == "-" else "_" for char in stem)
    stem = stem.encode("utf-8", "ignore")[:MAX_STEM_BYTES].decode("utf-8", "ignore").strip("_-")
    return stem or "photo"
