"""The example photo that ships with the room: a panel of the XYZ-2000 with known readings.

Rebuild with `python -m synth.example [FOLDER]`: it writes `xyz2000_panel.jpg` and its truth `xyz2000_panel.json`.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from synth import models
from synth.devices import LampSpec
from synth.printed import pose_angle
from synth.sample_other import sample_selector
from synth.sample_panel import build_panel
from synth.scene import Background, Camera, GaugeScene, Light, Placed, Pose, Wear
from synth.spec import DialSpec

EXAMPLE_NAME = "xyz2000_panel"
EXAMPLE_ANGLE_DEG = 137.2
EXAMPLE_SEED = 2026
SIDE_PX = 800


def example_scene() -> GaugeScene:
    """Needle seen at 137.2 degrees, so (137.2 - 30) / 2.5 = 42.88 MPa; lamp red, mode 3, from a little to the side."""
    rng = np.random.default_rng(EXAMPLE_SEED)
    scale = models.SCALES[models.XYZ_2000]
    dial = models.model_dial(rng, models.XYZ_2000, (EXAMPLE_ANGLE_DEG - scale.start_deg) / scale.sweep_deg, dark=False)
    dial = replace(
        dial, needle=replace(dial.needle, color=(20, 20, 22), hub_color=(20, 20, 22), hub=6.0, width=4.5, tip_width=1.2)
    )
    lamp = LampSpec("red", (235, 35, 25), 14.0, (165, 165, 168), faceted=True, glow=0.6, model=models.XYZ_2000)
    selector = replace(sample_selector(rng, models.XYZ_2000), position=3, style="pointer", offset_deg=0.0)
    pose = Pose((SIDE_PX / 2, SIDE_PX / 2 - 10), 0.44 * SIDE_PX, roll_deg=-1.5, tilt_x_deg=-4.0, tilt_y_deg=9.0, focal=5.0)
    (gauge, *others), panel = build_panel(rng, dial, lamp, selector, pose)
    return GaugeScene(
        width=SIDE_PX,
        height=SIDE_PX,
        seed=EXAMPLE_SEED,
        instruments=(_turned_until_seen(gauge, dial), *others),
        panel=panel,
        background=Background("wall", 11),
        light=Light(shadow_deg=330.0, shadow=0.4, softness=0.5, shade=0.35, glare=0.25, glare_count=1),
        wear=Wear(dirt=0.1),
        camera=Camera(noise=1.5, noise_scale=1.5, blur_px=0.5, vignette=0.15),
    )


def _turned_until_seen(gauge: Placed, dial: DialSpec) -> Placed:
    """The gauge with its raised needle turned until it is seen, from the side, at the example's angle."""
    own_deg = EXAMPLE_ANGLE_DEG
    for _ in range(6):
        seen_deg = pose_angle(gauge.pose, dial.pivot, dial.needle.length, dial.needle.height, own_deg)
        own_deg += EXAMPLE_ANGLE_DEG - seen_deg
    return replace(gauge, spec=replace(dial, fraction=(own_deg - dial.scale.start_deg) / dial.scale.sweep_deg))


def write_example(folder: Path, quality: int = 88) -> tuple[Path, Path]:
    """Write the example's picture and truth into `folder` and return both paths."""
    import cv2

    from synth.flat import render

    scene = example_scene()
    folder.mkdir(parents=True, exist_ok=True)
    picture, truth = folder / f"{EXAMPLE_NAME}.jpg", folder / f"{EXAMPLE_NAME}.json"
    _, data = cv2.imencode(".jpg", cv2.cvtColor(render(scene), cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    picture.write_bytes(data.tobytes())
    truth.write_text(scene.truth().model_dump_json(indent=1) + "\n", encoding="utf-8")
    return picture, truth


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "examples"
    for written in write_example(target):
        print(written)
