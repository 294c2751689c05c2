"""What the vision bench leaves to look at: an overlay of each photo, and a sheet of the ones to look at first."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from eval.bench_vision_cases import Case, worst
from serve.file_names import safe_stem
from serve.overlay import draw_overlay
from vision.fields import PhotoReading
from vision.photos import PhotoError, load_photo

TILE_PX = 360
BAND_PX = 54
COLUMNS = 6
WORST = 24


class OverlayFolder:
    """Overlays of photos by their file; a photo that cannot be opened has none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, Path] = {}

    def see(self, photo: Path, reading: PhotoReading) -> None:
        """Draw what was read of `photo` and remember where."""
        try:
            picture = draw_overlay(load_photo(photo), reading)
        except PhotoError:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        # Two datasets may hold photos of the same name.
        place = hashlib.sha256(str(photo.resolve().parent).encode()).hexdigest()[:6]
        path = self.folder / f"{safe_stem(photo.name)}-{place}.jpg"
        picture.save(path, quality=88)
        self.files[str(photo)] = path

    def of(self, folder: Path, photo: str) -> Path | None:
        """The overlay of a photo of a dataset folder."""
        return self.files.get(str(folder / photo))


def write_worst(path: Path, dataset: Path, cases: Sequence[Case], overlays: OverlayFolder, count: int = WORST) -> Path | None:
    """A sheet of the overlays of the `count` worst cases, what is true and what was read below each; None where none is bad."""
    shown = [(case, file) for case in worst(cases, count) if (file := overlays.of(dataset, case.photo)) is not None]
    if not shown:
        return None
    rows = -(-len(shown) // COLUMNS)
    sheet = Image.new("RGB", (min(len(shown), COLUMNS) * TILE_PX, rows * (TILE_PX + BAND_PX)), "#121214")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=15)
    for index, (case, file) in enumerate(shown):
        left, top = index % COLUMNS * TILE_PX, index // COLUMNS * (TILE_PX + BAND_PX)
        with Image.open(file) as picture:
            picture.thumbnail((TILE_PX, TILE_PX))
            sheet.paste(picture, (left, top))
        for line, text in enumerate(caption(case)):
            pen.text((left + 5, top + TILE_PX + 4 + 24 * line), text, fill="#f5f5f5", font=font)
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(path, quality=88)
    return path


def caption(case: Case) -> tuple[str, str]:
    """Two lines below a tile: what is true, and what was read of it."""
    true = f"{Path(case.photo).stem[:18]}: true {_number(case.true_value)} {case.true_unit or ''}".rstrip()
    if not case.answered:
        return true, f"abstained: {case.reason or 'no reason'}"[:46]
    return true, f"read {_number(case.value)} {case.unit or ''}".rstrip() + f" (confidence {case.confidence:.2f})"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.5g}"
