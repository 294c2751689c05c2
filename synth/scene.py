"""A scene: instruments with pose, light, wear and background; its truth follows from it alone.

Pixels of the picture, x right and y down. `render` draws exactly what `truth` says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from synth.devices import Decor, Distractor, InstrumentSpec
from synth.spec import Color, Print, Vec
from vision.fields import GaugeFields
from vision.samples import PhotoTruth

Matrix = NDArray[np.float64]
FACE_UNIT = 100.0
BackgroundStyle = Literal[
    "white",
    "black",
    "plain",
    "clutter",
    "wall",
    "metal",
    "wood",
    "panel",
    "product",
    "machinery",
    "room",
    "shelf",
    "outdoor",
    "fabric",
    "gravel",
    "cabinet",
    "screen",
    "photo",
]


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a plane lies: `center` and `radius_px` of 100 face units at the centre, turns in degrees.

    `focal` is the camera's distance in radii. `offset` and `scale` place an instrument on a larger panel: a
    point p of the instrument is the panel's point offset + scale * p. `roll_deg` turns clockwise.
    """

    center: Vec
    radius_px: float
    roll_deg: float = 0.0
    tilt_x_deg: float = 0.0
    tilt_y_deg: float = 0.0
    focal: float = 6.0
    offset: Vec = (0.0, 0.0)
    scale: float = 1.0

    def _rotation(self) -> Matrix:
        roll, tilt_x, tilt_y = (math.radians(a) for a in (self.roll_deg, self.tilt_x_deg, self.tilt_y_deg))
        turn_z = np.array([[math.cos(roll), -math.sin(roll), 0], [math.sin(roll), math.cos(roll), 0], [0, 0, 1]])
        turn_x = np.array([[1, 0, 0], [0, math.cos(tilt_x), -math.sin(tilt_x)], [0, math.sin(tilt_x), math.cos(tilt_x)]])
        turn_y = np.array([[math.cos(tilt_y), 0, math.sin(tilt_y)], [0, 1, 0], [-math.sin(tilt_y), 0, math.cos(tilt_y)]])
        rotation: Matrix = np.asarray(turn_x @ turn_y @ turn_z, np.float64)
        return rotation

    def homography(self, height: float = 0.0) -> Matrix:
        """(3, 3) matrix from face units, on a plane `height` units above the face towards the viewer, to pixels.

        Read-only: a picture needs the same few planes again and again, and they are kept.
        """
        return _plane(self, float(height))

    def _homography(self, height: float) -> Matrix:
        # Written out, for a picture needs a dozen planes and small arrays would take ten times as long.
        roll, tilt_x, tilt_y = (math.radians(a) for a in (self.roll_deg, self.tilt_x_deg, self.tilt_y_deg))
        c, s, cx, sx, cy, sy = (f(a) for a in (roll, tilt_x, tilt_y) for f in (math.cos, math.sin))
        rotation = (
            (cy * c, -cy * s, sy),
            (cx * s + sx * sy * c, cx * c - sx * sy * s, -sx * cy),
            (sx * s - cx * sy * c, sx * c + cx * sy * s, cx * cy),
        )
        rise, pixel = -height * self.scale, self.focal * self.radius_px
        away = [rotation[2][0] / FACE_UNIT, rotation[2][1] / FACE_UNIT, self.focal + rotation[2][2] / FACE_UNIT * rise]
        rows = []
        for middle, (across, down, out) in zip((*self.center, 0.0), rotation, strict=True):
            flat = (pixel * across / FACE_UNIT, pixel * down / FACE_UNIT, pixel * out / FACE_UNIT * rise)
            rows.append([f + middle * d for f, d in zip(flat, away, strict=True)])
        rows[2] = away
        (x, y), k = self.offset, self.scale
        placed = [[first * k, second * k, first * x + second * y + third] for first, second, third in rows]
        last = placed[2][2]
        scaled: Matrix = np.array([[value / last for value in row] for row in placed], np.float64)
        scaled.setflags(write=False)
        return scaled

    def project(self, points: list[Vec], height: float = 0.0) -> list[Vec]:
        """Pixels of face points on the plane at `height`."""
        rows = np.c_[np.asarray(points, np.float64).reshape(-1, 2), np.ones(len(points))] @ self.homography(height).T
        return [(float(x / w), float(y / w)) for x, y, w in rows]

    def unproject(self, pixels: list[Vec], height: float = 0.0) -> list[Vec]:
        """Points of the plane at `height` that are seen at `pixels`: the inverse of `project`."""
        inverse = np.linalg.inv(self.homography(height))
        rows = np.c_[np.asarray(pixels, np.float64).reshape(-1, 2), np.ones(len(pixels))] @ inverse.T
        return [(float(x / w), float(y / w)) for x, y, w in rows]

    @property
    def tilt_deg(self) -> float:
        """Angle between the face's normal and the line of sight."""
        cosine = math.cos(math.radians(self.tilt_x_deg)) * math.cos(math.radians(self.tilt_y_deg))
        return math.degrees(math.acos(min(1.0, cosine)))


@lru_cache(maxsize=256)
def _plane(pose: Pose, height: float) -> Matrix:
    return pose._homography(height)


@dataclass(frozen=True, slots=True)
class Placed:
    """An instrument and its pose."""

    spec: InstrumentSpec
    pose: Pose


@dataclass(frozen=True, slots=True)
class PlacedThing:
    """A distractor and its pose."""

    thing: Distractor
    pose: Pose


@dataclass(frozen=True, slots=True)
class Panel:
    """A mounting panel that several instruments share: its pose, half sizes in its own face units, nameplate box."""

    pose: Pose
    half_width: float
    half_height: float
    color: Color
    nameplate: tuple[float, float, float, float]
    plate_color: Color
    prints: tuple[Print, ...] = ()
    decor: tuple[Decor, ...] = ()
    style: Literal["plate", "bare"] = "plate"


@dataclass(frozen=True, slots=True)
class Background:
    """What lies behind: a style, and a seed that fixes its look.

    For the style "photo", `photo` is the file's name in the folder that the renderer is given; the seed fixes the
    crop. `defocus_px` is how far out of focus it is (pixels, standard deviation).
    """

    style: BackgroundStyle
    seed: int
    photo: str = ""
    defocus_px: float = 0.0


@dataclass(frozen=True, slots=True)
class Light:
    """Light on the faces: direction of the shadows in degrees, strengths 0..1, reflections on the glass.

    `cast_shadow` is how dark the shadow of something outside the picture is, 0 for none. `veil` is a reflection with
    structure (a room, a person, a window) over the whole glass; `ring` the reflection of a ring of light-emitting
    diodes. `falloff` is how much darker the picture gets away from where the light falls, `falloff_at` as fractions
    of the picture; `tint` multiplies red, green and blue on the dark side of that.
    """

    shadow_deg: float = 315.0
    shadow: float = 0.35
    softness: float = 0.5
    shade: float = 0.2
    glare: float = 0.0
    glare_count: int = 0
    flash: bool = False
    cast_shadow: float = 0.0
    veil: float = 0.0
    ring: float = 0.0
    falloff: float = 0.0
    falloff_at: Vec = (0.5, 0.5)
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Wear:
    """Dirt, scratches and liquid, strengths 0..1; `rust` and `oil` also on cases, `paint` counts splashes."""

    dirt: float = 0.0
    scratches: int = 0
    fog: float = 0.0
    yellowing: float = 0.0
    liquid: bool = False
    dust: float = 0.0
    drops: float = 0.0
    rust: float = 0.0
    oil: float = 0.0
    paint: int = 0


@dataclass(frozen=True, slots=True)
class Camera:
    """Sensor and lens; neutral by default. `low_side` is the side in pixels the picture was taken at, 0 for full.

    `distortion` is the lens's radial term (`synth.lens`), above -0.14: beyond, corners fold back. `spin_deg` blurs by
    turning about the middle. `infrared` is the grey picture of a camera with its own lamp. `interlace_px` shifts every
    other line; `first_jpeg` compresses once more, before the picture is made small. Strengths 0..1: `rain` (drops on the
    lens, streaks), `moire` (a photo
    of a screen), `banding` (rolling bars), `hdr` (local contrast), `grid` (a stock photo's watermark), `haze`.
    """

    exposure: float = 1.0
    gamma: float = 1.0
    contrast: float = 1.0
    white_balance: tuple[float, float, float] = (1.0, 1.0, 1.0)
    gray: bool = False
    blur_px: float = 0.0
    motion_px: float = 0.0
    motion_deg: float = 0.0
    low_side: int = 0
    noise: float = 0.0
    noise_scale: float = 1.0
    vignette: float = 0.0
    sharpen: float = 0.0
    jpeg_quality: int = 0
    distortion: float = 0.0
    spin_deg: float = 0.0
    infrared: bool = False
    interlace_px: float = 0.0
    first_jpeg: int = 0
    rain: float = 0.0
    moire: float = 0.0
    banding: float = 0.0
    hdr: float = 0.0
    grid: float = 0.0
    haze: float = 0.0


@dataclass(frozen=True, slots=True)
class GaugeScene:
    """Everything a renderer needs for one picture; `instruments[0]` is the main one.

    `overlay` is print of the recording device (date, camera's name), in pixels of the picture.
    """

    width: int
    height: int
    seed: int
    background: Background
    instruments: tuple[Placed, ...] = ()
    things: tuple[PlacedThing, ...] = ()
    panel: Panel | None = None
    light: Light = Light()
    wear: Wear = Wear()
    camera: Camera = Camera()
    fingers: bool = False
    overlay: tuple[Print, ...] = ()

    def truth(self) -> PhotoTruth:
        """What is true of the picture, main instrument first."""
        from synth.truth import photo_truth

        return photo_truth(self)

    def fields(self) -> tuple[GaugeFields, ...]:
        """The fields alone, in the truth's order."""
        return tuple(instrument.fields for instrument in self.truth().instruments)
