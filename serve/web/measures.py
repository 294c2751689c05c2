"""What a photo itself tells of how an instrument was taken: light, sharpness, glare, size, slant, what is cut off.

Pure arithmetic on pixels and a reading. Every measure is in a unit that can be said to a person; one that cannot be
taken is None, never a default.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.fields import Box, InstrumentReading, Point
from vision.photos import Photo

Pixels = NDArray[np.uint8]

VIEW_PX = 512
"""Longer side in which an instrument is looked at: what is smaller there is lost to a reader as well."""
CLIPPED = 250
"""A channel from this level on is taken as blown out."""
FACE_TOO_WHITE = 235
MOST_PATCHES = 12
"""Patches that are looked at, the largest first: a picture made of specks shall not cost more than any other."""
BORDER_PX = 2.0
CALMED_PX = 0.5
"""A little blur against the sensor's noise; it is taken off the result again."""
REBLUR_PX = 1.0
LEAST_EDGES = 12
EDGE_SHARE = 0.03
"""Share of the pixels with the steepest brightness that count as edges."""
LEAST_EDGE = 6.0
"""Levels a pixel: a picture without such a slope has no edge to be judged by."""
LEAST_SPREAD_DEG = 25.0
"""Two directions that are nearer to one line than this do not tell a slant."""


class Pose(NamedTuple):
    """How a dial stands in the photo: seen from the side by `tilt_deg`, turned clockwise by `roll_deg`."""

    tilt_deg: float
    roll_deg: float


class Measures(NamedTuple):
    """One instrument. Levels are 0..255 of the brightest channel, shares 0..1 of its box, lengths in the photo's pixels.

    `blur` is the width of the sharpest edges (standard deviation) in parts of the instrument's longer side, and
    `blur_px` the same in pixels. `sides_cut` are sides of the photo behind which the instrument goes on.
    """

    size_px: float
    share_of_photo: float
    bright: float
    dark: float
    clipped: float
    glare: float | None
    blur: float | None
    blur_px: float | None
    pose: Pose | None
    sides_cut: tuple[str, ...]


def measure_instrument(photo: Photo, reading: InstrumentReading) -> Measures | None:
    """The measures of an instrument, None where its box holds no pixels."""
    x0, y0, x1, y1 = _inside(reading.box, photo)
    left, top = photo.to_image(x0, y0)
    right, bottom = photo.to_image(x1, y1)
    crop = photo.image[math.floor(top) : math.ceil(bottom), math.floor(left) : math.ceil(right)]
    if min(crop.shape[:2], default=0) < 4:
        return None
    size = max(x1 - x0, y1 - y0)
    view = _view(crop)
    levels = view.max(axis=2)
    width = edge_width(cv2.cvtColor(view, cv2.COLOR_RGB2GRAY))
    side = max(view.shape[:2])
    return Measures(
        size_px=size,
        share_of_photo=size / max(photo.width, photo.height),
        bright=float(np.percentile(levels, 99)),
        dark=float(np.percentile(view.min(axis=2), 2)),
        clipped=float((view.min(axis=2) >= CLIPPED).mean()),
        glare=glare_share(view),
        blur=None if width is None else width / side,
        blur_px=None if width is None else width / side * size,
        pose=dial_pose(reading),
        sides_cut=sides_cut(reading, photo.width, photo.height),
    )


class LightMeasure(NamedTuple):
    """Of a photo as a whole: the level that only one pixel in a hundred passes, and the share that is blown out."""

    bright: float
    clipped: float


def measure_light(photo: Photo) -> LightMeasure:
    """The light of a photo."""
    view = _view(photo.image)
    return LightMeasure(float(np.percentile(view.max(axis=2), 99)), float((view.min(axis=2) >= CLIPPED).mean()))


def edge_width(gray: NDArray[np.uint8]) -> float | None:
    """Standard deviation, in pixels, of the blur of the sharpest edges of a picture; None where it has no edges.

    A picture is blurred once more by a known width, and how much an edge's slope falls tells how wide it was before
    (Zhuo and Sim, Defocus map estimation from a single image, Pattern Recognition 44, 2011).
    """
    levels = cv2.GaussianBlur(gray.astype(np.float32), (0, 0), CALMED_PX)
    slope = _slope(levels)
    # The middle of an edge, where its slope is steepest: beside it a wider blur makes slopes rise.
    ridge = slope >= cv2.dilate(slope, np.ones((3, 3), np.uint8)) - 1e-3
    inner, ridge = slope[3:-3, 3:-3], ridge[3:-3, 3:-3]
    if not inner.size:
        return None
    edges = ridge & (inner >= max(LEAST_EDGE, float(np.quantile(inner, 1.0 - EDGE_SHARE))))
    if edges.sum() < LEAST_EDGES:
        return None
    softer = _slope(cv2.GaussianBlur(levels, (0, 0), REBLUR_PX))[3:-3, 3:-3]
    ratio = float(np.median(inner[edges] / np.maximum(softer[edges], 1e-3)))
    width = REBLUR_PX / math.sqrt(max(ratio * ratio - 1.0, 1e-2))
    return math.sqrt(max(width * width - CALMED_PX * CALMED_PX, 0.0))


def glare_share(view: Pixels) -> float | None:
    """Share of a picture that is blown out in patches with soft outlines: a lamp's mirror image fades, white print ends.

    None where the face itself is nearly white: what is glare there and what is paper cannot be told apart.
    """
    lowest = view.min(axis=2)
    face = float(np.median(lowest))
    if face >= FACE_TOO_WHITE:
        return None
    side = max(view.shape[:2])
    patch = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (max(3, round(side / 50)),) * 2)
    blown = cv2.morphologyEx((lowest >= CLIPPED).astype(np.uint8), cv2.MORPH_OPEN, patch)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(blown)
    reach = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * max(2, round(side / 40)) + 1,) * 2)
    soft = 0
    for number in sorted(range(1, count), key=lambda one: -int(stats[one, cv2.CC_STAT_AREA]))[:MOST_PATCHES]:
        x, y, wide, tall, area = (int(part) for part in stats[number])
        if x == 0 or y == 0 or x + wide == blown.shape[1] or y + tall == blown.shape[0]:
            continue  # A white wall behind the corners of a round case.
        spot = (labels == number).astype(np.uint8)
        ring = (cv2.dilate(spot, reach) - spot).astype(bool)
        # Just outside a soft patch the picture is still lit; outside of a white plate it is as dark as anywhere.
        if ring.any() and float(np.median(lowest[ring])) >= (face + CLIPPED) / 2:
            soft += area
    return soft / float(blown.size)


def dial_pose(reading: InstrumentReading) -> Pose | None:
    """How far a dial is tilted and turned: where its scale's ends are seen against where they stand on its face.

    Both ends lie at one radius about the pivot, so that two of them give the map from face to photo. None where one of
    the points was not read, or where both ends and the pivot lie nearly on one line.
    """
    points, fields = reading.points, reading.fields
    if points.pivot is None or points.scale_start is None or points.scale_end is None:
        return None
    if fields.start_angle is None or fields.end_angle is None:
        return None
    apart = abs(math.sin(math.radians(fields.end_angle - fields.start_angle)))
    if apart < math.sin(math.radians(LEAST_SPREAD_DEG)):
        return None
    face = np.array([_direction(fields.start_angle), _direction(fields.end_angle)]).T
    seen = np.array([_from(points.pivot, points.scale_start), _from(points.pivot, points.scale_end)]).T
    matrix = seen @ np.linalg.inv(face)
    left, sizes, right = np.linalg.svd(matrix)
    if np.linalg.det(matrix) <= 0 or sizes[0] <= 0:
        return None  # A mirrored dial: the points contradict the angles.
    turn = left @ right
    return Pose(
        tilt_deg=math.degrees(math.acos(min(1.0, float(sizes[1] / sizes[0])))),
        roll_deg=math.degrees(math.atan2(turn[1, 0], turn[0, 0])),
    )


def sides_cut(reading: InstrumentReading, width: int, height: int) -> tuple[str, ...]:
    """The photo's sides behind which an instrument goes on: its box ends there, and nearer to the middle than elsewhere.

    A dial's middle is its pivot; without one the box alone tells, and only where it fills no whole side of the photo.
    """
    x0, y0, x1, y1 = _ordered(reading.box)
    pivot = reading.points.pivot
    touched = {
        "left": x0 <= BORDER_PX,
        "top": y0 <= BORDER_PX,
        "right": x1 >= width - BORDER_PX,
        "bottom": y1 >= height - BORDER_PX,
    }
    if pivot is None:
        return ()
    reach = {"left": pivot[0] - x0, "top": pivot[1] - y0, "right": x1 - pivot[0], "bottom": y1 - pivot[1]}
    longest = max(reach.values())
    return tuple(side for side, ends in touched.items() if ends and reach[side] < 0.72 * longest)


def _slope(levels: NDArray[np.float32]) -> NDArray[np.float32]:
    across, down = cv2.Sobel(levels, cv2.CV_32F, 1, 0, scale=0.125), cv2.Sobel(levels, cv2.CV_32F, 0, 1, scale=0.125)
    return np.asarray(cv2.magnitude(across, down), np.float32)


def _direction(angle_deg: float) -> tuple[float, float]:
    """A direction clockwise from 6 o'clock in pixels: x to the right, y down."""
    turn = math.radians(angle_deg)
    return -math.sin(turn), math.cos(turn)


def _from(first: Point, second: Point) -> Point:
    return second[0] - first[0], second[1] - first[1]


def _ordered(box: Box) -> Box:
    return min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])


def _inside(box: Box, photo: Photo) -> Box:
    x0, y0, x1, y1 = _ordered(box)
    return max(x0, 0.0), max(y0, 0.0), min(x1, float(photo.width)), min(y1, float(photo.height))


def _view(crop: Pixels) -> Pixels:
    scale = VIEW_PX / max(crop.shape[:2])
    if scale >= 1.0:
        return crop
    size = (max(4, round(crop.shape[1] * scale)), max(4, round(crop.shape[0] * scale)))
    return np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_AREA), np.uint8)
