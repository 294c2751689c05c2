"""Scenes become pictures: the renderers behind one call, in this process or in several."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synth.errors import FactoryError, SynthError
from synth.manifest import FactoryOptions
from synth.recipe import Recipe
from synth.sampler import scene_of_seed
from synth.scene import Background, GaugeScene
from vision.samples import PhotoTruth

Picture = NDArray[np.uint8]
Draw = Callable[[GaugeScene], Picture]
Drawn = tuple[int, bytes, PhotoTruth]
"""A picture's seed, its JPEG bytes and its truth."""

PHOTO_SHARE = 0.5
"""Share of pictures that get one of the user's photos behind them, where there are any."""


def photo_names(folder: Path | None) -> tuple[str, ...]:
    """Names of the photos in a folder of backgrounds, sorted. Raises BackgroundError where one is no picture."""
    if folder is None:
        return ()
    from synth.flat.photo_background import PhotoBackgrounds

    return PhotoBackgrounds(folder).names


def check_renderer(options: FactoryOptions) -> None:
    """Raise what the renderer would raise where it is not installed, before anything is written."""
    if options.renderer != "blender":
        return
    from synth.blender import find_blender

    find_blender(_home(options))


def _home(options: FactoryOptions) -> Path:
    if options.home is None:
        raise FactoryError("the renderer 'blender' needs a home folder (GAUGE_HOME), where its environment lies")
    return options.home


def scene_for(seed: int, recipe: Recipe, photos: Sequence[str] = ()) -> GaugeScene:
    """The scene of a seed, some with one of the user's photos behind it. The truth is the same with and without."""
    scene = scene_of_seed(seed, recipe)
    if not photos:
        return scene
    rng = np.random.default_rng([scene.seed, 97])
    if rng.random() >= PHOTO_SHARE:
        return scene
    return replace(scene, background=Background("photo", int(rng.integers(2**31)), photo=photos[int(rng.integers(len(photos)))]))


@contextmanager
def open_renderer(options: FactoryOptions) -> Iterator[Draw]:
    """A function from scene to RGB picture; a Blender process lives as long as the block."""
    photos = None
    if options.backgrounds is not None:
        from synth.flat.photo_background import PhotoBackgrounds

        photos = PhotoBackgrounds(options.backgrounds)
    if options.renderer == "blender":
        from synth.blender import BlenderRenderer

        with BlenderRenderer(_home(options)) as blender:
            yield lambda scene: blender.render(scene, backgrounds=photos)
        return
    from synth.flat import render

    yield lambda scene: render(scene, backgrounds=photos)


def encode_jpeg(picture: Picture, quality: int) -> bytes:
    import cv2

    _, data = cv2.imencode(".jpg", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    return data.tobytes()


def draw_pictures(
    recipe: Recipe, seeds: Iterable[int], options: FactoryOptions, workers: int = 1
) -> Generator[Drawn, None, None]:
    """The pictures of the seeds, in their order, whatever the number of workers; seeds are taken as they are needed."""
    photos = photo_names(options.backgrounds)
    if workers <= 1:
        with open_renderer(options) as draw:
            for seed in seeds:
                yield _drawn(seed, recipe, photos, draw, options.quality)
    elif options.renderer == "blender":
        yield from _in_threads(recipe, iter(seeds), options, workers)
    else:
        yield from _in_processes(recipe, iter(seeds), photos, options, workers)


def _drawn(seed: int, recipe: Recipe, photos: Sequence[str], draw: Draw, quality: int) -> Drawn:
    try:
        scene = scene_for(seed, recipe, photos)
        return seed, encode_jpeg(draw(scene), quality), scene.truth()
    except (SynthError, MemoryError, OSError):
        raise
    except Exception as error:  # a fault of the room: say which of a hundred thousand pictures it was
        what = f"{type(error).__name__}: {error}"
        raise FactoryError(f"seed {seed} of recipe {recipe.name!r} cannot be drawn ({what}): please report it") from error


def _in_threads(recipe: Recipe, seeds: Iterator[int], options: FactoryOptions, workers: int) -> Generator[Drawn, None, None]:
    """One Blender process a thread: the work is done outside, so threads are enough, and they end cleanly."""
    photos = photo_names(options.backgrounds)
    here = threading.local()
    with ExitStack() as stack:
        renderers = [stack.enter_context(open_renderer(options)) for _ in range(workers)]
        free = list(renderers)
        pool = stack.enter_context(ThreadPoolExecutor(len(renderers), initializer=lambda: setattr(here, "draw", free.pop())))
        while batch := list(islice(seeds, 4 * len(renderers))):  # an unbounded queue would hold all pictures of a slow disk
            yield from pool.map(lambda seed: _drawn(seed, recipe, photos, here.draw, options.quality), batch)


class _Job:
    """What a worker process needs, set once when it starts."""

    recipe: Recipe
    photos: tuple[str, ...]
    draw: Draw
    quality: int
    stack: ExitStack


def _start(recipe_json: str, photos: tuple[str, ...], options: FactoryOptions) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal: the first one decides
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _Job.recipe, _Job.photos, _Job.quality = Recipe.model_validate_json(recipe_json), photos, options.quality
    _Job.stack = ExitStack()
    _Job.draw = _Job.stack.enter_context(open_renderer(options))


def _end_with_parent() -> None:
    """A worker whose run was killed waits for work for ever otherwise."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(seed: int) -> Drawn:
    return _drawn(seed, _Job.recipe, _Job.photos, _Job.draw, _Job.quality)


def _in_processes(
    recipe: Recipe, seeds: Iterator[int], photos: tuple[str, ...], options: FactoryOptions, workers: int
) -> Generator[Drawn, None, None]:
    # spawn: skia and OpenCV hold locks and caches that must not be forked half-way
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, _start, (recipe.model_dump_json(), photos, options))
    try:
        waiting = deque(pool.submit(_work, seed) for seed in islice(seeds, 8 * workers))
        while waiting:
            yield waiting.popleft().result()
            waiting.extend(pool.submit(_work, seed) for seed in islice(seeds, 1))
    except BrokenProcessPool as error:
        raise FactoryError(
            "a worker process was killed, for memory perhaps: what is written is valid; "
            "run the same command again for the rest, with fewer workers"
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
