"""The accuracy that was measured here, by instrument model: what `gauge eval DATASET --by model --out HOME/accuracy` left."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from eval.by_model import AccuracyCard, ModelAccuracy

FOLDER, NAME = "accuracy", "accuracy.json"
MAX_BYTES = 16 * 2**20

logger = logging.getLogger("gauge.accuracy")


class Measured(NamedTuple):
    """A card of accuracy by model, and the day on which it was written."""

    card: AccuracyCard
    day: str

    def of(self, model: str) -> ModelAccuracy | None:
        """The accuracy of one model, None where none of its pictures was read."""
        return next((one for one in self.card.models if one.name == model), None)


def read_accuracy(home: Path) -> Measured | None:
    """What was measured last; None where nothing was, or where the file is damaged, which the log says."""
    path = home / FOLDER / NAME
    try:
        if path.stat().st_size > MAX_BYTES:
            logger.warning("%s is larger than an accuracy card ever is; it is left aside", path)
            return None
        card = AccuracyCard.model_validate_json(path.read_text(encoding="utf-8"))
        day = datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
    except FileNotFoundError:
        return None
    except (OSError, ValueError, ValidationError) as error:
        logger.warning("%s is no accuracy card: %s", path, str(error).splitlines()[0])
        return None
    return Measured(card, day) if card.group == "model" else None
