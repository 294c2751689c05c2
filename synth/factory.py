"""Recipe, seed, count -> a dataset folder in Donut's format: sharded, resumable, with a progress bar.

The pictures of one call have the seeds `seed`, `seed + 1`, ...; each depends on its own seed and the recipe alone,
so a data set is the same whatever the number of workers and however often the run was interrupted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from synth.errors import FactoryError
from synth.fonts import check_fonts
from synth.recipe import Recipe, load_recipe
from synth.sampler import EVALUATION_SEED, scene_of_seed
from vision.samples import METADATA_NAME, SampleRecord, decode_record, encode_record

OPTIONS_NAME = "synth.json"
SHARD = 1000


@dataclass(frozen=True, slots=True)
class FactoryOptions:
    """How pictures are written. `quality` is JPEG's, 1..100."""

    quality: int = 92
    evaluation: bool = False


def build_dataset(
    recipe: str | Path | Recipe, seed: int, count: int, out: Path, workers: int = 1, options: FactoryOptions | None = None
) -> Path:
    """Write `count` pictures of `recipe` from `seed` on into the folder `out` and return it.

    A run that was interrupted goes on where it stopped. Seeds must stay below 10**9 for training data and be at
    least 10**9 with `options.evaluation`. Raises FactoryError where the folder holds another data set or the seeds
    cross that line, RecipeError for a bad recipe, FontError where a font is missing.
    """
    chosen = recipe if isinstance(recipe, Recipe) else load_recipe(recipe)
    opts = options or FactoryOptions()
    _check_seeds(seed, count, opts)
    check_fonts()
    out.mkdir(parents=True, exist_ok=True)
    _check_folder(out, chosen, seed, opts)
    done = _finished(out)
    todo = [s for s in range(seed, seed + count) if s not in done]
    _write(out, chosen, seed, todo, count, workers, opts)
    return out


def _check_seeds(seed: int, count: int, opts: FactoryOptions) -> None:
    if seed < 0 or count < 1:
        raise FactoryError(f"seed must be at least 0 and count at least 1, got seed {seed}, count {count}")
    if opts.evaluation and seed < EVALUATION_SEED:
        raise FactoryError(f"evaluation data needs seeds from {EVALUATION_SEED} on, got {seed}")
    if not opts.evaluation and seed + count > EVALUATION_SEED:
        raise FactoryError(
            f"seeds from {EVALUATION_SEED} on are kept for evaluation; seed {seed} with count {count} reaches them"
        )


def _check_folder(out: Path, recipe: Recipe, seed: int, opts: FactoryOptions) -> None:
    """Write the resolved options, or compare them with those of the run that is resumed."""
    resolved = {"recipe": recipe.model_dump(mode="json"), "seed": seed, "options": asdict(opts)}
    path = out / OPTIONS_NAME
    if path.exists():
        if json.loads(path.read_text(encoding="utf-8")) != resolved:
            raise FactoryError(f"{out} holds a data set of another recipe, seed or option: choose another folder")
    elif (out / METADATA_NAME).exists():
        raise FactoryError(f"{out} holds a data set that this factory did not write: choose another folder")
    else:
        path.write_text(json.dumps(resolved, indent=1), encoding="utf-8")


def _finished(out: Path) -> set[int]:
    """Seeds whose line is complete and whose picture exists; a line cut off by a crash is dropped from the file."""
    path = out / METADATA_NAME
    if not path.exists():
        return set()
    lines = path.read_text(encoding="utf-8").splitlines()
    good: list[str] = []
    for line in lines:
        try:
            record = decode_record(line)
        except ValueError:
            continue
        if (out / record.file_name).is_file():
            good.append(line)
    if len(good) != len(lines):
        path.write_text("".join(line + "\n" for line in good), encoding="utf-8")
    return {int(Path(decode_record(line).file_name).stem) for line in good}


def _write(out: Path, recipe: Recipe, seed: int, todo: list[int], count: int, workers: int, opts: FactoryOptions) -> None:
    from tqdm import tqdm

    with (
        (out / METADATA_NAME).open("a", encoding="utf-8") as lines,
        tqdm(total=count, initial=count - len(todo), unit="img") as bar,
    ):
        for picture_seed, data, line in _produce(recipe, seed, todo, workers, opts):
            path = out / _file_name(picture_seed, seed)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
            lines.write(line + "\n")
            lines.flush()
            bar.update()


def _file_name(picture_seed: int, seed: int) -> str:
    return f"{(picture_seed - seed) // SHARD:04d}/{picture_seed:010d}.jpg"


def _produce(recipe: Recipe, seed: int, todo: list[int], workers: int, opts: FactoryOptions) -> Iterator[tuple[int, bytes, str]]:
    jobs = [(recipe.model_dump_json(), s, seed, opts.quality) for s in todo]
    if workers <= 1:
        yield from map(_make, jobs)
        return
    import multiprocessing

    # spawn: skia and OpenCV hold locks and caches that must not be forked half-way
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        yield from pool.imap(_make, jobs, chunksize=16)


@lru_cache(maxsize=4)
def _recipe_of(text: str) -> Recipe:
    return Recipe.model_validate_json(text)


def _make(job: tuple[str, int, int, int]) -> tuple[int, bytes, str]:
    """One picture as JPEG bytes with its metadata line."""
    import cv2

    from synth.flat import render

    recipe_json, picture_seed, seed, quality = job
    scene = scene_of_seed(picture_seed, _recipe_of(recipe_json))
    picture = cv2.cvtColor(render(scene), cv2.COLOR_RGB2BGR)
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    record = SampleRecord(file_name=_file_name(picture_seed, seed), truth=scene.truth())
    return picture_seed, data.tobytes(), encode_record(record)
