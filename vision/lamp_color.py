"""The colour of a lit lamp from its pixels: a second witness beside the Donut's class.

A lit lamp is saturated and bright in its middle under almost every exposure; where it is not, this witness says
nothing. Whether a lamp is lit at all it cannot tell: a red cap in sunlight looks like a red lamp.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.crops import Pixels
from vision.fields import Box, LampColor

CENTRAL_SHARE = 0.4
MIN_SATURATION = 110
MIN_BRIGHTNESS = 110
MIN_SHARE = 0.35
MAX_HUE_SPREAD = 14.0
HUES: tuple[tuple[float, float, LampColor], ...] = ((-12.0, 9.0, "red"), (16.0, 36.0, "yellow"), (42.0, 92.0, "green"))
"""OpenCV's hue, 0 to 180, as low, high, colour; between them lies what could be either."""


def seen_lamp_color(image: Pixels, box: Box) -> LampColor | None:
    """The colour of the middle of `box` in an RGB image, or None where it is pale, dark, mixed or between colours."""
    cx, cy = (box[0] + box[2]) / 2.0, (box[1] + box[3]) / 2.0
    half = max(2.0, CENTRAL_SHARE * min(box[2] - box[0], box[3] - box[1]) / 2.0)
    middle = image[int(max(0, cy - half)) : int(cy + half) + 1, int(max(0, cx - half)) : int(cx + half) + 1]
    if middle.size == 0:
        return None
    hue, saturation, brightness = cv2.split(cv2.cvtColor(middle, cv2.COLOR_RGB2HSV))
    vivid = (saturation >= MIN_SATURATION) & (brightness >= MIN_BRIGHTNESS)
    if float(vivid.mean()) < MIN_SHARE:
        return None
    turned = (hue[vivid].astype(float) + 30.0) % 180.0 - 30.0  # red lies around 0: cut the circle in magenta instead
    if float(np.std(turned)) > MAX_HUE_SPREAD:
        return None
    middle_hue = float(np.median(turned))
    return next((color for low, high, color in HUES if low <= middle_hue <= high), None)
