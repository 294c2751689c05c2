"""What `gauge inspect --out DIR` leaves behind: one folder a photo with the report in its formats, and the overlay."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from rag.errors import RenderError
from rag.pipeline import Run
from rag.render.html import render_html
from rag.render.pdf import render_pdf
from serve.file_names import safe_stem
from serve.overlay import overlay_picture

OVERLAY_NAME, JSON_NAME = "overlay.jpg", "inspection.json"

Format = Literal["md", "html", "json", "pdf"]
FORMATS: tuple[Format, ...] = get_args(Format)


class FormatError(ValueError):
    """A format that no report is written in."""


class Written(NamedTuple):
    """Where the results of a photo are, and which of the formats could not be written, in a line each."""

    folder: Path
    problems: tuple[str, ...] = ()


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

    def write(self, path: Path, run: Run, formats: Sequence[Format] = FORMATS) -> Written:
        """Write what there is of one inspection of the photo at `path`.

        A photo that could not be opened leaves its JSON alone. The overlay is missing too where the photo has gone or
        changed since it was read. Raises OSError where the folder cannot be written.
        """
        inspection, document = run.inspection, run.document
        folder = self.claim(inspection.reading.photo, inspection.reading.sha256)
        if "json" in formats or inspection.report is None:
            (folder / JSON_NAME).write_text(inspection.model_dump_json(indent=2) + "\n", encoding="utf-8")
        if inspection.report is None or document is None:
            return Written(folder)
        picture = overlay_picture(path, inspection.reading, document)
        if picture is not None:
            (folder / OVERLAY_NAME).write_bytes(picture.jpeg)
        if "md" in formats:
            (folder / "report.md").write_text(inspection.report.markdown, encoding="utf-8")
        if "html" in formats:
            (folder / "report.html").write_text(render_html(document, picture), encoding="utf-8")
        if "pdf" in formats:
            try:
                (folder / "report.pdf").write_bytes(render_pdf(document, picture))
            except RenderError as error:
                return Written(folder, (f"{folder / 'report.pdf'}: {error}",))
        return Written(folder)


def parse_formats(text: str | None) -> tuple[Format, ...]:
    """The formats of a list such as `html,pdf`; all of them for None. Raises FormatError naming what is none."""
    if text is None:
        return FORMATS
    names = [name.strip().lower() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in FORMATS]
    if unknown or not names:
        raise FormatError(f"no format {', '.join(unknown) or repr(text)}; there are {', '.join(FORMATS)}")
    return tuple(name for name in FORMATS if name in names)
