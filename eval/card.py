"""Finish trained weights: fit their confidences, score them on held-out pictures, and write both beside them.

The card is what a user reads before trusting the weights: how they were made, from what, and what they score with
the abstention rate beside every accuracy.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eval.calibrate import fit_calibration
from eval.readings import Scorecard, evaluate_dataset
from vision.donut import CARD_FILE, DonutError, load_card
from vision.reader import Reader


def finish_weights(
    folder: Path,
    calibration_data: Sequence[Path],
    test_data: Sequence[Path],
    *,
    name: str | None = None,
    limit: int | None = None,
    progress: bool = True,
) -> dict[str, Any]:
    """Calibrate the weights in `folder`, score them, and complete their card, which is returned.

    `calibration_data` and `test_data` are dataset folders of rendered pictures; where they are the same, the card says
    so. Raises DonutError where the folder holds no trained weights.
    """
    card = load_card(folder)
    if not card:
        raise DonutError(f"{folder} holds no weights of a training run: {CARD_FILE} is missing")
    fitted = fit_calibration(Reader.load(folder), calibration_data, limit=limit, progress=progress)
    fitted.save(folder)
    scores = {}
    for data in test_data:
        scorecard = evaluate_dataset(data, Reader.load(folder), limit=limit, progress=progress)
        scores[data.name] = _summary(scorecard)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    finished = {
        "name": name or folder.name,
        "version": f"{today}.{card.get('step', 0)}",
        "what": "Donut (hybrid encoder, MBart decoder, dense heads) that reads instruments into gauge fields and points",
        "licence": "Apache-2.0; the stem started from ImageNet weights of EfficientNet-Lite0 (Apache-2.0)",
        "trained_on": "pictures drawn by synth/ alone; no real photo was used for weights, thresholds or confidences",
        "calibrated_on": [data.name for data in calibration_data],
        "scores_on_the_calibration_pictures": sorted({d.name for d in test_data} & {d.name for d in calibration_data}),
        "scores": scores,
        "confidence": json.loads(fitted.report.model_dump_json()),
        **{key: value for key, value in card.items() if key in ("recipe", "step", "samples", "seconds")},
    }
    (folder / CARD_FILE).write_text(json.dumps(finished, indent=1, ensure_ascii=False), encoding="utf-8")
    return finished


def _summary(card: Scorecard) -> dict[str, Any]:
    """The figures of a scorecard that belong on a model card."""
    dumped: dict[str, Any] = json.loads(card.model_dump_json())
    return {key: dumped[key] for key in ("main", "made_up_on_empty") if key in dumped}
