"""A plan: everything that the worker needs for one picture, as plain arrays and names; no renderer is imported here.

On disk it is one NumPy archive: the arrays, and `head`, a JSON text with the rest. World units are those of
`synth.blender.geometry`: the camera is the origin and looks along -z, x right, y up.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Rgb = tuple[float, float, float]
MaterialKind = Literal["matte", "metal", "glass", "decal"]


@dataclass(frozen=True, slots=True)
class Material:
    """A surface. `color` is linear and multiplies the texture, `texture` is an index of the plan's textures or -1.

    `gloss` is the strength of the mirrored room, `sharp` says from which of its two pictures it is taken. `glow` is
    light of its own: times `glow_texture` where there is one, else times the colour, stronger where seen head on.
    """

    kind: MaterialKind
    color: Rgb = (1.0, 1.0, 1.0)
    texture: int = -1
    gloss: float = 0.04
    sharp: bool = False
    glow: float = 0.0
    glow_texture: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """A mesh in world units: `loops` are the corners of all faces in a row, `sizes` the corners of each face."""

    points: NDArray[np.float32]
    loops: NDArray[np.int32]
    sizes: NDArray[np.int32]
    uv: NDArray[np.float32] | None
    material: int
    smooth: bool = True
    shadow: bool = True


@dataclass(frozen=True, slots=True)
class Lamp:
    """A round area light that shines from `place` along `aim`; `power` in watts."""

    place: Rgb
    aim: Rgb
    size: float
    power: float
    color: Rgb


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """One picture. `room` and `room_soft` are what mirrors show, (height, width, 3) linear, seen all around."""

    width: int
    height: int
    seed: int
    focal_px: float
    samples: int
    ambient: Rgb
    lamps: tuple[Lamp, ...]
    materials: tuple[Material, ...]
    meshes: tuple[Mesh, ...]
    textures: tuple[NDArray[np.uint8], ...]
    room: NDArray[np.float32]
    room_soft: NDArray[np.float32]


def write_plan(plan: Plan, path: Path) -> None:
    """Write a plan as one archive."""
    arrays: dict[str, NDArray[Any]] = {"room": plan.room, "room_soft": plan.room_soft}
    heads = []
    for index, mesh in enumerate(plan.meshes):
        arrays |= {f"points{index}": mesh.points, f"loops{index}": mesh.loops, f"sizes{index}": mesh.sizes}
        if mesh.uv is not None:
            arrays[f"uv{index}"] = mesh.uv
        heads.append({"material": mesh.material, "smooth": mesh.smooth, "shadow": mesh.shadow, "uv": mesh.uv is not None})
    for index, texture in enumerate(plan.textures):
        arrays[f"texture{index}"] = texture
    names = ("width", "height", "seed", "focal_px", "samples", "ambient")
    head = {name: getattr(plan, name) for name in names} | {
        "lamps": [asdict(lamp) for lamp in plan.lamps],
        "materials": [asdict(material) for material in plan.materials],
        "meshes": heads,
        "textures": len(plan.textures),
    }
    with path.open("wb") as file:
        np.savez(file, head=np.frombuffer(json.dumps(head).encode(), np.uint8), **arrays)  # type: ignore[arg-type]


def read_plan(path: Path) -> Plan:
    """Read back what `write_plan` wrote."""
    with np.load(path, allow_pickle=False) as data:
        head = json.loads(bytes(data["head"]).decode())
        meshes = tuple(
            Mesh(
                data[f"points{k}"],
                data[f"loops{k}"],
                data[f"sizes{k}"],
                data[f"uv{k}"] if mesh["uv"] else None,
                mesh["material"],
                mesh["smooth"],
                mesh["shadow"],
            )
            for k, mesh in enumerate(head["meshes"])
        )
        return Plan(
            width=head["width"],
            height=head["height"],
            seed=head["seed"],
            focal_px=head["focal_px"],
            samples=head["samples"],
            ambient=_rgb(head["ambient"]),
            lamps=tuple(Lamp(_rgb(x["place"]), _rgb(x["aim"]), x["size"], x["power"], _rgb(x["color"])) for x in head["lamps"]),
            materials=tuple(Material(**{**x, "color": _rgb(x["color"])}) for x in head["materials"]),
            meshes=meshes,
            textures=tuple(data[f"texture{k}"] for k in range(head["textures"])),
            room=data["room"],
            room_soft=data["room_soft"],
        )


def _rgb(values: list[float]) -> Rgb:
    red, green, blue = values
    return red, green, blue
