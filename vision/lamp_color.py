"""The colour of a lamp from its pixels: a second witness beside the Donut's class.

A lit lens is saturated and bright in its middle and throws its colour on what is around it; one that is off is dark
and shows highlights only. How much colour and light lies in three rings about the middle of the box goes into a small
multinomial model, fitted on drawn lamps (`eval.class_fit`); its probabilities and the Donut's are multiplied, the
Donut's with a weight of its own (a logarithmic opinion pool: Genest and Zidek, 1986).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError, model_validator

from vision.crops import Pixels, View, cut
from vision.fields import LAMP_COLORS, Box, Contract, Finite
from vision.state_pool import Voice, pool_shares

LAMP_FILE = "lamp.json"
LOOK_PX = 64
LOOK_MARGIN = 0.12
"""Around the box on each side, of its longer side: the light around a lamp is seen too."""
RINGS = ((0.0, 0.35), (0.35, 0.7), (0.9, 1.24))
"""Radii as shares of half the box's longer side: middle, lens, surroundings."""
HUES = ((-12.0, 9.0), (12.0, 36.0), (40.0, 95.0))
"""OpenCV's hue, 0 to 180: red, yellow, green."""
FEATURES = len(RINGS) * (len(HUES) + 3)

Numbers = tuple[Finite, ...]


class LampError(ValueError):
    """A file of a lamp model that cannot be used."""


class LampModel(Contract):
    """The pixel model of a lamp's colour: standardised features, a row of weights and an intercept for each colour.

    `donut_weight` is the power of the Donut's shares in the pool.
    """

    means: Annotated[Numbers, Field(min_length=FEATURES, max_length=FEATURES)]
    sds: Annotated[
        tuple[Annotated[float, Field(gt=0, allow_inf_nan=False)], ...], Field(min_length=FEATURES, max_length=FEATURES)
    ]
    weights: tuple[Numbers, ...]
    intercepts: Numbers
    donut_weight: Annotated[float, Field(ge=0, le=4)]
    examples: Annotated[int, Field(ge=1)]

    @model_validator(mode="after")
    def _a_row_for_each_colour(self) -> LampModel:
        if len(self.weights) != len(LAMP_COLORS) or len(self.intercepts) != len(LAMP_COLORS):
            raise ValueError(f"{len(self.weights)} rows of weights for {len(LAMP_COLORS)} colours")
        if any(len(row) != FEATURES for row in self.weights):
            raise ValueError(f"a row of weights needs {FEATURES} numbers")
        return self

    @classmethod
    def load(cls, folder: Path) -> LampModel | None:
        """The model beside the weights, None where there is none. Raises LampError on a broken file."""
        path = folder / LAMP_FILE
        if not path.is_file():
            return None
        try:
            return cls.model_validate_json(path.read_text(encoding="utf-8"))
        except (ValidationError, UnicodeDecodeError) as error:
            raise LampError(f"{path} is not a lamp model: {error}; remove it or fit it anew") from error

    def save(self, folder: Path) -> None:
        """Write the model beside the weights."""
        (folder / LAMP_FILE).write_text(json.dumps(self.model_dump(mode="json"), indent=1) + "\n", encoding="utf-8")

    def by_pixels(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """(..., FEATURES) -> (..., 4) probabilities of LAMP_COLORS."""
        scaled = (features - np.asarray(self.means)) / np.asarray(self.sds)
        return _softmax(scaled @ np.asarray(self.weights).T + np.asarray(self.intercepts))

    def pooled(self, features: NDArray[np.float64], donut: Mapping[str, float]) -> dict[str, float]:
        """Probabilities of LAMP_COLORS by both witnesses; `donut` gives the Donut's own by colour."""
        return pool(self.by_pixels(features), donut, self.donut_weight)


def pool(pixels: NDArray[np.float64], donut: Mapping[str, float], weight: float) -> dict[str, float]:
    """Both witnesses' probabilities multiplied, the Donut's to the power of `weight`, summing to 1."""
    own = dict(zip(LAMP_COLORS, pixels.tolist(), strict=True))
    return pool_shares(LAMP_COLORS, (Voice(own, 1.0), Voice(donut, weight)))


def lamp_features(image: Pixels, box: Box) -> NDArray[np.float64]:
    """(FEATURES,) of an RGB image about `box`: in each ring red, yellow and green light, mean and 95 % brightness, saturation."""
    side = max(box[2] - box[0], box[3] - box[1], 1.0) * (1.0 + 2.0 * LOOK_MARGIN)
    crop = cut(image, View(((box[0] + box[2]) / 2.0, (box[1] + box[3]) / 2.0), side, LOOK_PX))
    hue, saturation, brightness = (part.astype(float) for part in cv2.split(cv2.cvtColor(crop, cv2.COLOR_RGB2HSV)))
    hue = (hue + 30.0) % 180.0 - 30.0  # Red lies around 0: the circle is cut in magenta.
    saturation, brightness = saturation / 255.0, brightness / 255.0
    y, x = np.mgrid[0:LOOK_PX, 0:LOOK_PX] - (LOOK_PX - 1) / 2.0
    radius = np.hypot(x, y) / (LOOK_PX / (1.0 + 2.0 * LOOK_MARGIN) / 2.0)
    features: list[float] = []
    for low, high in RINGS:
        ring = (radius >= low) & (radius < high)
        light, hues = (saturation * brightness)[ring], hue[ring]
        features += [float((light * ((hues >= least) & (hues <= most))).mean()) for least, most in HUES]
        features += [float(brightness[ring].mean()), float(np.percentile(brightness[ring], 95)), float(saturation[ring].mean())]
    return np.array(features)


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))
