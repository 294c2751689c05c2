"""A stage that opens photos and looks for nothing: what a batch itself costs and survives, without a model's minutes."""

from __future__ import annotations

import time
from pathlib import Path

from serve.batch.stage import Read, Stage, Task, one_by_one
from vision.fields import PhotoReading, Weights
from vision.photos import PhotoError, load_photo

LIGHT = "serve.commands.batch_bench_stage:open_light"
PAUSE_S = 0.05
WEIGHTS = Weights(name="light", version="1")


def open_light(stage: Stage) -> Read:
    """Opens each photo, takes `PAUSE_S` over it, and abstains: no value is ever stated."""

    def read_one(task: Task) -> PhotoReading:
        time.sleep(PAUSE_S)
        try:
            photo = load_photo(Path(task.path), name=task.name)
        except PhotoError as error:
            return PhotoReading(photo=task.name, sha256=error.sha256, status="error", reason=error.reason, weights=WEIGHTS)
        reason = f"opened, {photo.width} x {photo.height} px, and not looked at"
        return PhotoReading(photo=photo.name, sha256=photo.sha256, status="abstained", reason=reason, weights=WEIGHTS)

    return one_by_one(read_one)
