"""Pictures drawn while a training runs: nothing on disk, every picture new, the same for the same seed.

`DrawnPictures` answers like a dataset folder in memory (`len`, `image(index)`, `truth(index)`), so that a training can
take either; `scene_stream` is the endless form, which several workers share by taking every n-th seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from synth.errors import FactoryError
from synth.manifest import FactoryOptions, RendererName
from synth.pictures import Draw, Picture, check_renderer, open_renderer, photo_names, scene_for
from synth.recipe import Recipe, load_recipe
from synth.sampler import EVALUATION_SEED
from synth.scene import GaugeScene
from vision.samples import PhotoTruth


@dataclass(frozen=True, slots=True)
class StreamedPicture:
    """A picture, (height, width, 3) uint8 RGB, with its truth and the seed it comes from."""

    seed: int
    picture: Picture
    truth: PhotoTruth


def scene_stream(
    recipe: str | Path | Recipe,
    seed: int,
    renderer: RendererName = "flat",
    *,
    worker: int = 0,
    workers: int = 1,
    backgrounds: Path | None = None,
    home: Path | None = None,
) -> Iterator[StreamedPicture]:
    """Pictures of the seeds `seed + worker`, `seed + worker + workers`, ... without end.

    Merged by seed the streams of all workers are the stream of one. It ends before a training seed would reach the
    evaluation range (10**9). Raises FactoryError for a worker that is not one of `workers`, RecipeError for a bad recipe.
    """
    if seed < 0 or not 0 <= worker < workers:
        raise FactoryError(f"seed must be at least 0 and worker one of 0..{workers - 1}, got seed {seed}, worker {worker}")
    chosen = recipe if isinstance(recipe, Recipe) else load_recipe(recipe)
    options = FactoryOptions(renderer=renderer, backgrounds=backgrounds, home=home)
    check_renderer(options)
    return _stream(chosen, seed + worker, workers, options, photo_names(backgrounds))


def _stream(recipe: Recipe, first: int, step: int, options: FactoryOptions, photos: tuple[str, ...]) -> Iterator[StreamedPicture]:
    training = first < EVALUATION_SEED
    with open_renderer(options) as draw:
        at = first
        while not training or at < EVALUATION_SEED:
            scene = scene_for(at, recipe, photos)
            yield StreamedPicture(at, draw(scene), scene.truth())
            at += step


class DrawnPictures:
    """`count` pictures of a recipe from `seed` on, drawn with the flat renderer whenever they are asked for."""

    def __init__(self, recipe: str | Path | Recipe, seed: int, count: int, backgrounds: Path | None = None) -> None:
        if count < 1 or seed < 0 or (seed < EVALUATION_SEED < seed + count):
            raise FactoryError(f"count must be at least 1 and seeds must not cross {EVALUATION_SEED}, got {seed} and {count}")
        self.recipe = recipe if isinstance(recipe, Recipe) else load_recipe(recipe)
        self.seed, self.count = seed, count
        self._options = FactoryOptions(backgrounds=backgrounds)
        self._photos = photo_names(backgrounds)
        self._last: tuple[int, GaugeScene] | None = None
        self._draw: Draw | None = None

    def __len__(self) -> int:
        return self.count

    def truth(self, index: int) -> PhotoTruth:
        return self._scene(index).truth()

    def image(self, index: int) -> Picture:
        """(height, width, 3) uint8 RGB."""
        if self._draw is None:  # opened here, not when made: the object travels to worker processes first
            self._draw = ExitStack().enter_context(open_renderer(self._options))
        return self._draw(self._scene(index))

    def _scene(self, index: int) -> GaugeScene:
        if not 0 <= index < self.count:
            raise IndexError(f"picture {index} of {self.count}")
        if self._last is None or self._last[0] != index:  # picture and truth of one index are asked for together
            self._last = (index, scene_for(self.seed + index, self.recipe, self._photos))
        return self._last[1]
