"""A batch's stage with the known reader, and `python -m tests.serve.batch_doubles ORDER` that runs a batch with it.

Environment: DOUBLE_SLEEP_S is what a reading takes, DOUBLE_LOG a file that every reading is noted in. A photo whose name
holds `killer` ends its process.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from serve.batch.stage import Read, Stage, Task, one_by_one
from tests.serve.doubles import DoubleReader, picture_bytes
from vision.fields import PhotoReading

OPENER = "tests.serve.batch_doubles:open_double"
REPOSITORY = Path(__file__).resolve().parents[2]


def open_double(stage: Stage) -> Read:
    """The double of a worker."""
    reader = DoubleReader()

    def read_one(task: Task) -> PhotoReading:
        note(task.path)
        time.sleep(float(os.environ.get("DOUBLE_SLEEP_S", "0")))
        if "killer" in task.name:
            os.kill(os.getpid(), signal.SIGKILL)
        (reading,) = reader.read_photos([Path(task.path)], names=[task.name], model=stage.model)
        return reading

    return one_by_one(read_one)


def double_reading(task: Task) -> PhotoReading:
    """What the double reads in one photo."""
    (reading,) = open_double(Stage(opener=OPENER))([task])
    return reading


def open_broken(stage: Stage) -> Read:
    """A reader that cannot be loaded."""
    raise RuntimeError(f"no weights {stage.weights!r}")


def open_dying(stage: Stage) -> Read:
    """A reader whose loading ends the process, as when there is no memory for it."""
    os._exit(9)


def note(path: str) -> None:
    """Note a reading that begins."""
    if log := os.environ.get("DOUBLE_LOG"):
        with Path(log).open("a") as file:
            file.write(f"{os.getpid()}\t{path}\n")


def environment(log: Path, sleep_s: float) -> dict[str, str]:
    """The environment of a batch in a process of its own."""
    return {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY),
        "DOUBLE_LOG": str(log),
        "DOUBLE_SLEEP_S": str(sleep_s),
    }


def reads(log: Path) -> list[str]:
    """The photos in a log, in order."""
    return [line.split("\t")[1] for line in log.read_text().splitlines()] if log.exists() else []


def write_photos(folder: Path, count: int) -> list[Path]:
    """`count` different small photos; every fifth is of one colour, in which the double finds nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{n:04d}.png" for n in range(count)]
    for n, path in enumerate(paths):
        path.write_bytes(picture_bytes(size=(60 + n % 50, 60 + n // 50), mark=n % 5 != 4))
    return paths


def main(order: dict[str, Any]) -> int:
    """Run the order, `photos` and `out` with BatchOrder's names, and print its text."""
    from serve.commands.batching import BatchOrder, run_batch

    sources, out = tuple(order.pop("sources")), Path(order.pop("out"))
    finished = run_batch(BatchOrder(sources, out, opener=OPENER, **order))
    print(finished.text)
    return int(finished.failed)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
