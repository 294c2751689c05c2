"""Two instrument models that look alike, B with finer lettering under LED light: the case in which a base reader falls.

The source documents tell of a reader that was right on a model A and fell on a model B of the same looks, with finer
print, a thinner needle and light from LEDs. Both are drawn here: one pressure gauge, two letterings, and for B what
LEDs do to a picture (a ring of reflections, flicker in bands, coloured sensor noise).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from synth.flat.render import render
from synth.recipe import load_recipe
from synth.sampler import sample_scene
from synth.scene import GaugeScene, Placed
from synth.spec import Case, Color, DialSpec, Needle, Print, Scale, ScaleArt
from vision.samples import METADATA_NAME, PhotoTruth, SampleRecord, write_records

Rng = np.random.Generator
Pixels = NDArray[np.uint8]
TwinName = Literal["MODEL-A", "MODEL-B"]
JPEG_QUALITY = 88


@dataclass(frozen=True)
class Lettering:
    """Print and needle of one of the two models, in face units (100 is the half width of the case)."""

    numeral_size: float
    major_length: float
    major_width: float
    minor_width: float
    needle_width: float
    font: str
    face: Color
    ink: Color
    needle: Color
    led: bool


MAX_TRIES = 50

LETTERINGS: dict[TwinName, Lettering] = {
    "MODEL-A": Lettering(15.0, 11.0, 2.4, 1.0, 5.0, "Roboto-Medium.ttf", (243, 243, 240), (15, 15, 18), (20, 20, 22), False),
    "MODEL-B": Lettering(7.5, 6.0, 0.8, 0.4, 1.8, "HankenGrotesk-Regular.otf", (216, 218, 220), (70, 72, 78), (78, 80, 88), True),
}


def twin_dial(name: TwinName, fraction: float) -> DialSpec:
    """The dial of one of the two models with its needle at `fraction` of the sweep: 0 to 16 bar over 270 degrees."""
    look = LETTERINGS[name]
    art = ScaleArt(
        radius=82.0,
        major_length=look.major_length,
        minor_length=0.6 * look.major_length,
        major_width=look.major_width,
        minor_width=look.minor_width,
        numeral_radius=82.0 - look.major_length - 0.9 * look.numeral_size - 1.0,
        numeral_size=look.numeral_size,
        color=look.ink,
        font=look.font,
    )
    needle = Needle(
        length=76.0,
        width=look.needle_width,
        tip_width=0.35 * look.needle_width,
        tail=18.0,
        tail_width=look.needle_width,
        shape="taper",
        tail_shape="bar",
        color=look.needle,
        hub=5.0,
        hub_color=look.needle,
    )
    prints = (
        Print("bar", 0.0, 34.0, 0.9 * look.numeral_size, look.font, look.ink),
        Print(name, 0.0, -32.0, 0.6 * look.numeral_size, look.font, look.ink),
    )
    case = Case("round", 9.0, (150, 152, 156), "metal", 30.0, (80, 80, 84))
    scale = Scale(0.0, 16.0, 2.0, 10, 45.0, 270.0, unit="bar", unit_text="bar")
    return DialSpec(case, look.face, (0.0, 0.0), scale, art, needle, fraction, prints=prints, model=name)


def twin_scene(rng: Rng, name: TwinName) -> GaugeScene:
    """The instrument close up, in the surroundings, light and camera that the recipe of close pictures draws."""
    recipe = load_recipe("close").model_copy(update={"empty_share": 0.0, "group_share": 0.0, "model_share": 0.0})
    scene = sample_scene(rng, recipe)
    spec = twin_dial(name, float(rng.uniform(0.02, 0.98)))
    scene = replace(scene, instruments=(Placed(spec, scene.instruments[0].pose),))
    if LETTERINGS[name].led:
        # The case is about lettering and LEDs: what the camera did wrong on top of them is left out.
        camera = replace(scene.camera, exposure=1.0, gamma=1.0, contrast=1.0, low_side=0)
        scene = replace(scene, light=replace(scene.light, glare=0.0, glare_count=0), camera=camera, fingers=False)
    return scene


def twin_picture(rng: Rng, name: TwinName) -> tuple[Pixels, PhotoTruth]:
    """A picture of one of the two models, (384, 384, 3), and its truth; only such as a person could read."""
    scene = twin_scene(rng, name)
    for _ in range(MAX_TRIES):
        if scene.truth().instruments[0].readable:
            break
        scene = twin_scene(rng, name)
    image = render(scene)
    if LETTERINGS[name].led:
        pose = scene.instruments[0].pose
        image = led_light(rng, image, pose.center, pose.radius_px)
    return image, scene.truth()


def led_light(rng: Rng, image: Pixels, center: tuple[float, float], radius_px: float) -> Pixels:
    """What LEDs do to a picture: a ring of reflections on the glass, flicker in bands, coloured sensor noise."""
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    light = image.astype(np.float32)
    count, turn = int(rng.integers(8, 17)), float(rng.uniform(0, 2 * np.pi))
    off_x, off_y = (float(rng.uniform(-0.25, 0.25)) * radius_px for _ in range(2))
    ring, spot = float(rng.uniform(0.25, 0.6)) * radius_px, float(rng.uniform(0.025, 0.06)) * radius_px
    glow = np.zeros((height, width), np.float32)
    for angle in turn + np.arange(count) * 2 * np.pi / count:
        far = (x - center[0] - off_x - ring * np.cos(angle)) ** 2 + (y - center[1] - off_y - ring * np.sin(angle)) ** 2
        glow += 0.8 * np.exp(-far / (2 * spot**2)) + 0.1 * np.exp(-far / (2 * (2.5 * spot) ** 2))
    light += glow[..., None] * np.array([235.0, 243.0, 255.0], np.float32)
    period, phase = float(rng.uniform(18, 60)), float(rng.uniform(0, 2 * np.pi))
    light *= 1.0 + float(rng.uniform(0.05, 0.15)) * np.sin(2 * np.pi * y / period + phase)[..., None]
    light += rng.normal(0.0, float(rng.uniform(6, 14)), light.shape).astype(np.float32)
    light += rng.normal(0.0, 5.0, (height, 1, 3)).astype(np.float32)
    return np.ascontiguousarray(light.clip(0, 255).round(), dtype=np.uint8)


def draw_twin(out: Path, name: TwinName, *, seed: int, count: int) -> Path:
    """A dataset folder of `count` pictures of one of the two models; one that is there already is kept.

    A folder of these pictures has them all: it gets its metadata last.
    """
    import cv2

    if (out / METADATA_NAME).is_file():
        return out
    out.mkdir(parents=True, exist_ok=True)
    records = []
    for index in range(count):
        image, truth = twin_picture(np.random.default_rng([seed, index]), name)
        file_name = f"{index:06d}.jpg"
        cv2.imwrite(str(out / file_name), image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        records.append(SampleRecord(file_name=file_name, truth=truth))
    write_records(out, records)
    return out
