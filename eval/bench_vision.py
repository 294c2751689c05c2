"""The vision bench: every measure of the reader from dataset folders, in one record.

A folder is a dataset of drawn pictures (`metadata.jsonl`) or of hand-labelled photos (`labels.csv`). Reading comes once
a photo; scores, curves and plots are made from the same readings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from eval.bench_vision_scores import DrawnScores, PhotoScores, score_drawn, score_labelled
from eval.bench_vision_speed import ReadingSpeed, measure_reading
from eval.labels import LABELS_NAME, read_labels
from eval.readings import with_progress
from eval.score import EvalError
from eval.sweeps import SourceReader, Sweeps, flat_draw, run_sweeps
from synth.blender import BlenderRenderer, find_blender
from vision.fields import Contract, PhotoReading, Weights
from vision.samples import METADATA_NAME, read_records

See = Callable[[Path, PhotoReading], None]
"""What is called with each photo's file and its reading, as they come."""


class VisionBench(Contract):
    """One run of the bench. What was not asked for is None or empty."""

    weights: Weights | None
    drawn: tuple[DrawnScores, ...] = ()
    photos: tuple[PhotoScores, ...] = ()
    speed: ReadingSpeed | None = None
    sweeps: Sweeps | None = None


@dataclass(frozen=True)
class BenchOptions:
    """What a run does: the first `limit` pictures of each folder (all where None), times unless `speed_photos` is 0.

    With `blender_home`, the folder that holds Blender's environment, view angles and pairs are also drawn by Blender.
    """

    limit: int | None = None
    speed_photos: int = 12
    sweeps: bool = False
    sweep_dials: int = 10
    sweep_pairs: int = 20
    sweep_budget_s: float = 900.0
    blender_home: Path | None = None


def check_folders(folders: Sequence[Path]) -> None:
    """Raise EvalError where a folder is neither of the two, before anything is read."""
    for folder in folders:
        if not (folder / METADATA_NAME).is_file() and not (folder / LABELS_NAME).is_file():
            raise EvalError(f"{folder} is no dataset: it has neither {METADATA_NAME} nor {LABELS_NAME}")


def bench_vision(
    folders: Sequence[Path],
    reader: SourceReader,
    options: BenchOptions = BenchOptions(),
    *,
    see: See | None = None,
    progress: bool = True,
) -> VisionBench:
    """Read the folders, score them, and time and sweep as the options say.

    Raises EvalError where a folder is no dataset, or nothing was asked for, BlenderError where Blender is asked for and not
    there; `see` is called with every reading.
    """
    if options.limit is not None and options.limit < 1:
        raise EvalError(f"limit must be at least 1, got {options.limit}")
    if not folders and not options.speed_photos and not options.sweeps:
        raise EvalError("nothing to do: give a dataset folder, or ask for times or sweeps")
    check_folders(folders)
    if options.sweeps and options.blender_home is not None:
        find_blender(options.blender_home)  # What is missing is said now, not after an hour of reading.
    weights: Weights | None = None
    drawn: list[DrawnScores] = []
    photos: list[PhotoScores] = []
    for folder in folders:
        name = folder.resolve().name
        if (folder / METADATA_NAME).is_file():
            records = list(islice(read_records(folder), options.limit))
            readings = _read(folder, [record.file_name for record in records], reader, see, progress)
            drawn.append(score_drawn(name, records, readings))
        else:
            labels = read_labels(folder)[: options.limit]
            readings = _read(folder, [label.image for label in labels], reader, see, progress)
            photos.append(score_labelled(name, labels, readings))
        weights = weights or next((reading.weights for reading in readings), None)
    return VisionBench(
        weights=weights,
        drawn=tuple(drawn),
        photos=tuple(photos),
        speed=measure_reading(reader, photos=options.speed_photos) if options.speed_photos else None,
        sweeps=_sweeps(reader, options, progress) if options.sweeps else None,
    )


def _read(folder: Path, names: Sequence[str], reader: SourceReader, see: See | None, progress: bool) -> list[PhotoReading]:
    """The readings of a folder's photos, in order. Raises EvalError where there is nothing to read."""
    if not names:
        raise EvalError(f"{folder} holds no pictures to read")
    paths: list[Path | bytes] = [folder / name for name in names]
    readings: list[PhotoReading] = []
    for name, reading in zip(names, with_progress(reader.read_photos(paths), len(paths), progress), strict=True):
        readings.append(reading)
        if see is not None:
            see(folder / name, reading)
    return readings


def _sweeps(reader: SourceReader, options: BenchOptions, progress: bool) -> Sweeps:
    with ExitStack() as stack:
        renderers = {"flat": flat_draw()}
        if options.blender_home is not None:
            renderers["blender"] = stack.enter_context(BlenderRenderer(options.blender_home)).render
        return run_sweeps(
            reader,
            dials=options.sweep_dials,
            pairs=options.sweep_pairs,
            renderers=renderers,
            budget_s=options.sweep_budget_s,
            progress=progress,
        )
