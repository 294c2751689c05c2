"""How fast: seconds a photo on one thread, and how long commands take to start."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from eval.labels import IMAGE_SUFFIXES
from eval.readings import ReaderProtocol
from eval.score import EvalError, Number, median, percentile
from vision.fields import Contract, PhotoReading

LIGHT_MODULES = ("vision.fields", "vision.samples", "knowledge.articles", "rag.queries", "eval.readings", "eval.fci")


class ReadBench(Contract):
    """Reading times over a folder. The first photo, which pays for loading, stands apart from the others.

    Times in seconds, each photo asked for alone; `stage_ms`: medians of the stages that the reader reports.
    """

    photos: int
    failed: int
    first_s: Number
    median_s: Number
    p95_s: Number
    stage_ms: dict[str, float]


class StartBench(Contract):
    """Seconds from start to exit of one command: the median of several runs."""

    command: tuple[str, ...]
    median_s: Number
    runs: int


def bench_read(folder: Path, reader: ReaderProtocol, *, limit: int | None = None, progress: bool = True) -> ReadBench:
    """Seconds a photo over the pictures of a folder (and its subfolders), on one thread, `limit` photos after the first.

    Raises EvalError where the folder holds no pictures or `limit` is not positive.
    """
    if limit is not None and limit < 1:
        raise EvalError(f"limit must be at least 1, got {limit}")
    photos = find_photos(folder)
    from tqdm import tqdm

    with one_thread():
        first_s, _ = _timed(reader, photos[0])
    # The reader may have loaded its libraries only now.
    with one_thread():
        rest = photos[1:][:limit] or photos[:1]
        timed = [_timed(reader, photo) for photo in tqdm(rest, desc="timing", unit="photo", disable=not progress)]
    seconds = [spent for spent, _ in timed]
    stages: dict[str, list[float]] = {}
    for _, reading in timed:
        for stage, spent_ms in reading.timing_ms.items():
            stages.setdefault(stage, []).append(spent_ms)
    return ReadBench(
        photos=len(timed),
        failed=sum(reading.status == "error" for _, reading in timed),
        first_s=first_s,
        median_s=median(seconds),
        p95_s=percentile(seconds, 95.0),
        stage_ms={stage: median(spent) for stage, spent in sorted(stages.items())},
    )


def find_photos(folder: Path) -> list[Path]:
    """Pictures of a folder and its subfolders by their suffix, in name order. Raises EvalError where there are none."""
    photos = sorted(path for path in folder.rglob("*") if path.suffix in IMAGE_SUFFIXES and path.is_file())
    if not photos:
        raise EvalError(f"{folder} holds no pictures ({', '.join(IMAGE_SUFFIXES)})")
    return photos


def _timed(reader: ReaderProtocol, photo: Path) -> tuple[float, PhotoReading]:
    began = time.perf_counter()
    readings = list(reader.read_photos([photo]))
    spent = time.perf_counter() - began
    if len(readings) != 1:
        raise EvalError(f"the reader gave {len(readings)} readings for one photo, {photo}")
    return spent, readings[0]


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for the numeric libraries that are loaded; what they had before comes back."""
    undo = []
    torch, cv2 = sys.modules.get("torch"), sys.modules.get("cv2")
    if torch is not None:
        undo.append((torch.set_num_threads, torch.get_num_threads()))
        torch.set_num_threads(1)
    if cv2 is not None:
        undo.append((cv2.setNumThreads, cv2.getNumThreads()))
        cv2.setNumThreads(1)
    try:
        yield
    finally:
        for restore, threads in undo:
            restore(threads)


def import_commands(modules: Sequence[str] = LIGHT_MODULES) -> dict[str, list[str]]:
    """Commands that only import a module, for `bench_start`; "python" is the interpreter alone."""
    return {"python": [sys.executable, "-c", ""]} | {name: [sys.executable, "-c", f"import {name}"] for name in modules}


def bench_start(commands: Mapping[str, Sequence[str]], *, runs: int = 3) -> dict[str, StartBench]:
    """Start-up times of commands by name. Raises EvalError where one fails or `runs` is not positive."""
    if runs < 1:
        raise EvalError(f"runs must be at least 1, got {runs}")
    return {
        name: StartBench(command=tuple(command), median_s=median([_run(name, command) for _ in range(runs)]), runs=runs)
        for name, command in commands.items()
    }


def _run(name: str, command: Sequence[str]) -> float:
    began = time.perf_counter()
    # The commands are the caller's own; nothing from a photo or a file reaches them.
    done = subprocess.run(list(command), capture_output=True, check=False)  # noqa: S603
    spent = time.perf_counter() - began
    if done.returncode:
        raise EvalError(f"{name} ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()[-300:]}")
    return spent
