"""A data set's manifest: from what, with what and how far it has been drawn."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from synth.errors import FactoryError
from synth.recipe import Recipe
from vision.samples import METADATA_NAME

MANIFEST_NAME = "manifest.json"
LOCK_NAME = ".lock"
PACKAGES = {"gaugerag": "gaugerag", "skia": "skia-python", "numpy": "numpy", "opencv": "opencv-python-headless", "bpy": "bpy"}

RendererName = Literal["flat", "blender"]


@dataclass(frozen=True, slots=True)
class FactoryOptions:
    """How pictures are drawn and written.

    `quality` is JPEG's, 1..100. `backgrounds` is a folder of photos that stand behind the instruments of every second
    picture. `home` is where the Blender environment lies (`GAUGE_HOME`), needed for the renderer "blender" alone.
    """

    quality: int = 92
    evaluation: bool = False
    renderer: RendererName = "flat"
    backgrounds: Path | None = None
    home: Path | None = None


class Manifest(BaseModel):
    """`manifest.json` of a dataset folder.

    `versions` has one entry for each set of package versions that had a part in it, more than one where a run was
    resumed after an upgrade. `metadata_sha256` is that of the finished `metadata.jsonl`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    recipe: Recipe
    seed: int
    count: int
    renderer: RendererName
    quality: int
    evaluation: bool
    backgrounds: tuple[str, ...]
    versions: tuple[dict[str, str | None], ...]
    finished: bool = False
    metadata_sha256: str | None = None


def package_versions() -> dict[str, str | None]:
    """Versions of what decides a picture's bytes; None where a package is not installed here."""
    found: dict[str, str | None] = {}
    for name, package in PACKAGES.items():
        try:
            found[name] = version(package)
        except PackageNotFoundError:
            found[name] = None
    return found


def open_manifest(out: Path, recipe: Recipe, seed: int, count: int, options: FactoryOptions, photos: tuple[str, ...]) -> Manifest:
    """The manifest of a new data set, or of the one in `out` that is continued.

    Raises FactoryError where `out` holds anything else.
    """
    wanted = Manifest(
        recipe=recipe,
        seed=seed,
        count=count,
        renderer=options.renderer,
        quality=options.quality,
        evaluation=options.evaluation,
        backgrounds=photos,
        versions=(package_versions(),),
    )
    path = out / MANIFEST_NAME
    if path.exists():
        found = read_manifest(out)
        changed = [
            name
            for name in ("recipe", "seed", "renderer", "quality", "evaluation", "backgrounds")
            if getattr(found, name) != getattr(wanted, name)
        ]
        if changed:
            was = [f"{name} {getattr(found, name)} there" for name in changed if name in ("seed", "renderer", "quality")]
            detail = f" ({', '.join(was)})" if was else ""
            raise FactoryError(f"{out} holds a data set with another {' and '.join(changed)}{detail}: choose another folder")
        versions = found.versions if wanted.versions[0] in found.versions else (*found.versions, wanted.versions[0])
        if found.finished and found.count >= count:
            return found
        wanted = wanted.model_copy(update={"versions": versions, "count": max(count, found.count)})
    elif (out / METADATA_NAME).exists():
        raise FactoryError(f"{out} holds a data set that this factory did not write: choose another folder")
    elif other := sorted(p.name for p in out.iterdir() if not p.name.startswith(".") and p.name != f"{MANIFEST_NAME}.part"):
        raise FactoryError(f"{out} is not empty ({other[0]}): choose a new folder for the data set")
    write_manifest(out, wanted)
    return wanted


def read_manifest(out: Path) -> Manifest:
    """The manifest of a dataset folder. Raises FactoryError where it is missing or damaged."""
    path = out / MANIFEST_NAME
    try:
        return Manifest.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FactoryError(f"{out} has no {MANIFEST_NAME}: it is no data set of this factory") from None
    except (ValidationError, UnicodeDecodeError) as error:
        raise FactoryError(f"{path} is damaged or of another version: choose another folder") from error


def write_manifest(out: Path, manifest: Manifest) -> None:
    write_atomically(out / MANIFEST_NAME, (manifest.model_dump_json(indent=1) + "\n").encode())


def finish_manifest(out: Path, manifest: Manifest) -> None:
    """Note that all pictures are there, with the hash of their metadata."""
    digest = hashlib.sha256((out / METADATA_NAME).read_bytes()).hexdigest()
    write_manifest(out, manifest.model_copy(update={"finished": True, "metadata_sha256": digest}))


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that it is either whole or not there, whenever the process dies."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(data)
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
