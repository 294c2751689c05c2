"""Recipe, seed, count -> a dataset folder in Donut's format: sharded, resumable, with a progress bar.

The pictures of one call have the seeds `seed`, `seed + 1`, ...; each depends on its own seed and the recipe alone,
so a data set is the same whatever the number of workers and however often the run was killed. A picture's file is
renamed into place before its metadata line is written; what a killed run left half done is drawn again.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

from synth.errors import FactoryError
from synth.fonts import check_fonts
from synth.manifest import (
    LOCK_NAME,
    FactoryOptions,
    Manifest,
    finish_manifest,
    open_manifest,
    write_atomically,
)
from synth.pictures import check_renderer, draw_pictures, photo_names
from synth.recipe import Recipe, load_recipe
from synth.sampler import EVALUATION_SEED
from vision.samples import METADATA_NAME, SampleRecord, decode_record, encode_record

__all__ = ["FactoryOptions", "build_dataset"]

SHARD = 1000
LAST_SEED = 10**10 - 1
"""File names carry ten digits, and their order is that of the seeds."""
MOST_WORKERS_A_CORE = 4
FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def build_dataset(
    recipe: str | Path | Recipe, seed: int, count: int, out: Path, workers: int = 1, options: FactoryOptions | None = None
) -> Path:
    """Write `count` pictures of `recipe` from `seed` on into the folder `out` and return it.

    A run that was interrupted goes on where it stopped; a larger `count` extends a data set. Seeds must stay below
    10**9 for training data and be at least 10**9 with `options.evaluation`. Raises FactoryError where the folder holds
    another data set, another run writes to it, the disk is full or the seeds cross that line, RecipeError for a bad
    recipe, FontError where a font is missing, and what the renderer raises where it is not there.
    """
    chosen = recipe if isinstance(recipe, Recipe) else load_recipe(recipe)
    opts = options or FactoryOptions()
    _check_seeds(seed, count, opts)
    check_fonts()
    check_renderer(opts)
    photos = photo_names(opts.backgrounds)
    with _clear_disk_errors(out, count):
        out.mkdir(parents=True, exist_ok=True)
        with _only_run(out):
            manifest = open_manifest(out, chosen, seed, count, opts, photos)
            wanted = range(seed, seed + manifest.count)
            done = {s for s in _finished(out) if s in wanted}
            if len(done) < manifest.count or not manifest.finished:
                _write(out, manifest, done, workers, opts)
                _sort_lines(out)
                finish_manifest(out, manifest)
    return out


def _check_seeds(seed: int, count: int, opts: FactoryOptions) -> None:
    if seed < 0 or count < 1:
        raise FactoryError(f"seed must be at least 0 and count at least 1, got seed {seed}, count {count}")
    if seed + count - 1 > LAST_SEED:
        raise FactoryError(f"seeds go up to {LAST_SEED}, seed {seed} with count {count} exceeds that: choose a smaller seed")
    if not 1 <= opts.quality <= 100:
        raise FactoryError(f"quality must lie in 1..100, got {opts.quality}")
    if opts.evaluation and seed < EVALUATION_SEED:
        raise FactoryError(f"evaluation data needs seeds from {EVALUATION_SEED} on, got {seed}")
    if not opts.evaluation and seed + count > EVALUATION_SEED:
        raise FactoryError(
            f"seeds from {EVALUATION_SEED} on are kept for evaluation; seed {seed} with count {count} reaches them"
        )


@contextmanager
def _clear_disk_errors(out: Path, count: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        place = str(error.filename or "")
        if error.errno in FULL_DISK:
            raise FactoryError(
                f"no room left for {out} ({error.strerror}): what is written is valid; "
                f"make room and run the same command again for the rest of the {count} pictures"
            ) from error
        if isinstance(error, (FileExistsError, NotADirectoryError)):
            raise FactoryError(f"{place or out} is not a folder: choose another name for the data set") from error
        if place and (place.startswith(str(out)) or str(out).startswith(place)):
            raise FactoryError(f"{place} cannot be written ({error.strerror}): choose another folder for the data set") from error
        raise


@contextmanager
def _only_run(out: Path) -> Iterator[None]:
    """Keep a second run out of the folder; the lock ends with the process, however it dies."""
    with (out / LOCK_NAME).open("w") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            pass  # Windows has no such lock: two runs at once are the user's own care there
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN):
                raise FactoryError(f"another run is writing to {out}: wait for it or choose another folder") from error
            # some network file systems cannot lock: go on without
        try:
            yield
        finally:
            (out / LOCK_NAME).unlink(missing_ok=True)


def _finished(out: Path) -> set[int]:
    """Seeds whose line is complete and whose picture exists, once; what a crash cut off is dropped from the file."""
    path = out / METADATA_NAME
    for part in (*out.glob("*.json*.part"), *out.glob("[0-9]*/*.jpg.part")):
        part.unlink()
    if not path.exists():
        return set()
    data = path.read_bytes()
    good: dict[int, str] = {}
    lines = data.decode("utf-8", "replace").splitlines()
    for line in lines:
        try:
            name = decode_record(line).file_name
            seed = int(Path(name).stem)
        except ValueError:
            continue
        if (out / name).is_file():
            good.setdefault(seed, line)
    if len(good) != len(lines) or not data.endswith(b"\n"):
        write_atomically(path, "".join(line + "\n" for line in good.values()).encode())
    return set(good)


def _sort_lines(out: Path) -> None:
    """Lines in the order of their seeds, also where lost pictures were drawn again."""
    path = out / METADATA_NAME
    lines = path.read_text(encoding="utf-8").splitlines()
    ordered = sorted(lines, key=lambda line: decode_record(line).file_name)
    if ordered != lines:
        write_atomically(path, "".join(line + "\n" for line in ordered).encode())


def _write(out: Path, manifest: Manifest, done: set[int], workers: int, opts: FactoryOptions) -> None:
    from tqdm import tqdm

    written = len(done)
    todo = (seed for seed in range(manifest.seed, manifest.seed + manifest.count) if seed not in done)
    crew = min(workers, manifest.count - written, MOST_WORKERS_A_CORE * (os.cpu_count() or 1))
    try:
        with (
            (out / METADATA_NAME).open("ab", buffering=0) as lines,
            tqdm(total=manifest.count, initial=written, unit="img", desc="drawing") as bar,
            closing(draw_pictures(manifest.recipe, todo, opts, crew)) as drawn,
        ):
            for seed, data, truth in drawn:
                name = _file_name(seed, manifest.seed)
                path = out / name
                path.parent.mkdir(exist_ok=True)
                write_atomically(path, data)
                _append(lines, encode_record(SampleRecord(file_name=name, truth=truth)))
                written += 1
                bar.update()
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted: {written} of {manifest.count} pictures are in {out}; the same command draws the rest"
        ) from None


def _append(lines: IO[bytes], line: str) -> None:
    """One whole line to an unbuffered file, or none where the disk is full."""
    end = os.fstat(lines.fileno()).st_size
    data = (line + "\n").encode()
    try:
        while data:
            data = data[lines.write(data) :]
    except OSError:
        os.ftruncate(lines.fileno(), end)
        raise


def _file_name(picture_seed: int, seed: int) -> str:
    return f"{(picture_seed - seed) // SHARD:04d}/{picture_seed:010d}.jpg"
