"""What `gauge inspect --out DIR` leaves behind: one folder a photo with report, overlay and JSON."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from rag.pipeline import Inspection
from serve.overlay import draw_overlay
from vision.photos import PhotoError, load_photo

MAX_STEM_BYTES = 100
"""File systems allow 255 bytes a name; the stem shares them with a hash and a number."""

REPORT_NAME, OVERLAY_NAME, JSON_NAME = "report.md", "overlay.jpg", "inspection.json"


class OutputFolder:
    """The folder of one run. Each photo gets a folder of its own: `<safe name>-<start of its sha256>`.

    The hash keeps photos of the same name apart, and a photo inspected again on a later day replaces its
    own results alone. Within one run no folder is used twice. Raises OSError where `root` cannot be made.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._used: set[str] = set()
        root.mkdir(parents=True, exist_ok=True)

    def claim(self, photo: str, sha256: str | None) -> Path:
        """A folder for one photo, made and not yet used in this run."""
        stem = safe_stem(photo) + (f"-{sha256[:10]}" if sha256 else "-unopened")
        name, number = stem, 1
        while name.casefold() in self._used:  # Folded: some file systems do not tell case apart.
            number += 1
            name = f"{stem}-{number}"
        self._used.add(name.casefold())
        folder = self.root / name
        folder.mkdir(exist_ok=True)
        return folder

    def write(self, path: Path, inspection: Inspection) -> Path:
        """Write what there is of one inspection of the photo at `path`; returns its folder.

        A photo that could not be opened leaves its JSON alone. The overlay is missing too where the photo
        has gone or changed since it was read. Raises OSError where the folder cannot be written.
        """
        reading = inspection.reading
        folder = self.claim(reading.photo, reading.sha256)
        (folder / JSON_NAME).write_text(inspection.model_dump_json(indent=2) + "\n", encoding="utf-8")
        if inspection.report is not None:
            (folder / REPORT_NAME).write_text(inspection.report.markdown, encoding="utf-8")
            try:
                photo = load_photo(path, name=reading.photo)
            except PhotoError:
                return folder
            if photo.sha256 == reading.sha256:
                draw_overlay(photo, reading).save(folder / OVERLAY_NAME, quality=90)
        return folder


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
