"""What training does to a view before the model sees it: jitter of the crop, then light and sensor.

The renderer already draws pose, wear and camera; this adds what makes every pass over the same picture different.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vision.crops import READ_MARGIN, Pixels, View, read_view, whole_view
from vision.fields import Box, Contract


class AugmentOptions(Contract):
    """Ranges of the jitter; lengths as shares of the view's side."""

    scale_low: float = 0.86
    scale_high: float = 1.25
    shift: float = 0.08
    roll_deg: float = 12.0
    wide_roll_share: float = 0.06
    photometric_share: float = 0.6


def jittered_read_view(rng: np.random.Generator, box: Box, size: int, options: AugmentOptions) -> View:
    """The read view with the errors that a located box has: a little off, too wide or too tight, rolled."""
    view = read_view(box, size, READ_MARGIN)
    side = view.side * float(np.exp(rng.uniform(np.log(options.scale_low), np.log(options.scale_high))))
    dx, dy = rng.uniform(-options.shift, options.shift, 2) * view.side
    wide = rng.random() < options.wide_roll_share
    roll = rng.uniform(-90.0, 90.0) if wide else float(np.clip(rng.normal(0.0, options.roll_deg / 2.5), -30, 30))
    return View((view.center[0] + dx, view.center[1] + dy), side, size, float(roll))


def jittered_whole_view(rng: np.random.Generator, width: int, height: int, size: int) -> View:
    """The locate view zoomed in or out a little, as photos frame their instrument loosely or tightly."""
    view = whole_view(width, height, size)
    side = view.side * float(np.exp(rng.uniform(np.log(0.75), np.log(1.6))))
    room = abs(side - view.side) / 2.0
    dx, dy = rng.uniform(-room, room, 2)
    return View((view.center[0] + dx, view.center[1] + dy), side, size)


class Photometric:
    """Light, colour, sharpness, compression and small occlusions, by albumentations (loaded on first use)."""

    def __init__(self, share: float) -> None:
        import albumentations as A

        self._pipeline: Any = A.Compose(
            [
                A.RandomBrightnessContrast(brightness_limit=0.25, contrast_limit=0.3, p=0.6),
                A.RandomGamma(gamma_limit=(70, 140), p=0.3),
                A.HueSaturationValue(10, 40, 10, p=0.3),
                A.ToGray(p=0.08),
                A.OneOf([A.GaussianBlur(blur_limit=(3, 5)), A.MotionBlur(blur_limit=(3, 7))], p=0.25),
                A.GaussNoise(std_range=(0.01, 0.06), p=0.25),
                A.ImageCompression(quality_range=(35, 90), p=0.25),
                A.CoarseDropout(
                    num_holes_range=(1, 3),
                    hole_height_range=(0.03, 0.12),
                    hole_width_range=(0.03, 0.12),
                    fill="random_uniform",
                    p=0.12,
                ),
            ],
            p=share,
        )

    def __call__(self, rng: np.random.Generator, image: Pixels) -> Pixels:
        self._pipeline.set_random_seed(int(rng.integers(2**31)))
        changed: Pixels = self._pipeline(image=image)["image"]
        return changed
