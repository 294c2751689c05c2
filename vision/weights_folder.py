"""Where weights lie: shipped ones by name, others by path; and what they are called."""

from __future__ import annotations

from pathlib import Path

from vision.donut import MODEL_FILE, SHIPPED, DonutError, load_card
from vision.fields import Weights

DEFAULT_WEIGHTS = "small"


def weights_folder(weights: str | Path | None) -> Path:
    """The folder of shipped weights by name, or of a path. Raises DonutError naming what is shipped."""
    name = DEFAULT_WEIGHTS if weights is None else weights
    for folder in (Path(name), SHIPPED / str(name)):
        if (folder / MODEL_FILE).is_file():
            return folder
    shipped = sorted(file.parent.name for file in SHIPPED.glob(f"*/{MODEL_FILE}"))
    raise DonutError(f"no weights {str(name)!r}: not a folder with {MODEL_FILE}, and shipped are {', '.join(shipped) or 'none'}")


def weights_identity(folder: Path) -> Weights:
    """Name and version of a weights folder from its card; a folder without one is its own name, version unknown."""
    card = load_card(folder)
    return Weights(name=str(card.get("name", folder.name)), version=str(card.get("version", "unversioned")))
