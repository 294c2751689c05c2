"""The pictures that confidences are fitted on: drawn with seeds that neither training nor evaluation draws."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from synth.factory import build_dataset


class DrawnSet(NamedTuple):
    """Pictures of one recipe and what is read of them.

    `values`: everything, with the witnesses; `classes`: lamps and selectors, by the Donut's looks; `pixels`: lamps in their
    true boxes, without the Donut.
    """

    recipe: str
    pictures: int
    seed: int
    use: Literal["values", "classes", "pixels"] = "values"


SETS = (
    DrawnSet("close", 300, 900_000_000),
    DrawnSet("scene", 120, 900_100_000),
    DrawnSet("close_rare", 180, 900_200_000),
    DrawnSet("close_class", 500, 900_300_000, "classes"),
    DrawnSet("close_class", 1200, 900_400_000, "pixels"),
)
"""What a fit takes: some 1,500 s of one core for the witnesses, 200 s for the classes, 40 s for the pixels."""


class Folders(NamedTuple):
    """Dataset folders by what is read of them."""

    values: tuple[Path, ...] = ()
    classes: tuple[Path, ...] = ()
    pixels: tuple[Path, ...] = ()


def draw_sets(home: Path, sets: Sequence[DrawnSet] = SETS, limit: int | None = None) -> Folders:
    """The sets' folders below `home`; what is there already is not drawn again. `limit` is the most pictures of each set."""
    found: dict[str, list[Path]] = {}
    for one in sets:
        count = one.pictures if limit is None else min(one.pictures, limit)
        folder = build_dataset(one.recipe, one.seed, count, home / f"{one.recipe}_{one.seed}_{count}")
        found.setdefault(one.use, []).append(folder)
    return Folders(**{use: tuple(folders) for use, folders in found.items()})
