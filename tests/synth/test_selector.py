"""Selectors: the knob points at the legend that the truth names."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from synth.devices import SelectorSpec
from synth.flat.selector import label_spot, label_width
from synth.sample_other import CHINESE_MODES, MODES, SELECTOR_STYLES, sample_selector
from tests.synth.device_scenes import SIZE, frontal, picture

MAGENTA = (255, 0, 255)


def marked(spec: SelectorSpec) -> SelectorSpec:
    """The same selector in greys with a mark of one colour."""
    return replace(
        spec,
        knob_color=(70, 70, 70),
        mark_color=MAGENTA,
        plate_color=(200, 200, 200),
        ink=(20, 20, 20),
        prints=(),
        ring_color=None,
    )


def seen_angle(spec: SelectorSpec) -> float:
    """Direction of the mark's outer end in the picture, degrees clockwise from 6 o'clock."""
    image = picture(spec)
    rows, columns = np.nonzero((image[..., 0] > 170) & (image[..., 1] < 90) & (image[..., 2] > 170))
    x, y = columns - SIZE / 2, rows - SIZE / 2
    far = np.hypot(x, y) > 0.8 * np.hypot(x, y).max()
    return math.degrees(math.atan2(-x[far].mean(), y[far].mean())) % 360


@pytest.mark.parametrize("style", sorted(set(SELECTOR_STYLES)))
@pytest.mark.parametrize("position", [1, 2, 3, 4])
def test_the_mark_points_at_the_position(style: str, position: int) -> None:
    base = sample_selector(np.random.default_rng(4))
    angles = (100.0, 150.0, 200.0, 255.0)
    spec = replace(base, style=style, angles_deg=angles, labels=("1", "2", "3", "4"), position=position, offset_deg=1.0)  # type: ignore[arg-type]
    angle = seen_angle(marked(spec))
    assert abs((angle - angles[position - 1] - 1.0 + 180) % 360 - 180) < 1.5
    truth = frontal(spec).truth().instruments[0]
    assert truth.fields.mode_dial_position == position


def test_the_marks_of_the_truth_stand_round_the_knob_where_the_positions_are() -> None:
    for seed in range(20):
        spec = sample_selector(np.random.default_rng(seed))
        truth = frontal(spec).truth().instruments[0]
        assert len(truth.marks) == len(spec.angles_deg)
        x0, y0, x1, y1 = truth.box
        middle, half = ((x0 + x1) / 2, (y0 + y1) / 2), (x1 - x0) / 2
        for (x, y), angle in zip(truth.marks, spec.angles_deg, strict=True):
            seen = math.degrees(math.atan2(middle[0] - x, y - middle[1])) % 360
            assert abs((seen - angle + 180) % 360 - 180) < 0.5
            assert math.hypot(x - middle[0], y - middle[1]) == pytest.approx((spec.knob + 6) / 100 * half, rel=0.01)


def test_legends_keep_off_the_knob_and_off_each_other() -> None:
    for seed in range(300):
        spec = sample_selector(np.random.default_rng(seed))
        boxes = []
        for index, label in enumerate(spec.labels):
            x, y = label_spot(spec, index)
            wide, tall = label_width(label) * spec.label_size / 2, spec.label_size * 0.36
            assert abs(x) + wide < 101, (seed, label)
            near_x, near_y = max(0.0, abs(x) - wide), max(0.0, abs(y) - tall)
            assert math.hypot(near_x, near_y) > spec.knob * 0.9, (seed, label)
            boxes.append((x - wide * 0.9, y - tall, x + wide * 0.9, y + tall))
        for first in range(len(boxes)):
            for second in range(first + 1, len(boxes)):
                a, b = boxes[first], boxes[second]
                assert min(a[2], b[2]) <= max(a[0], b[0]) or min(a[3], b[3]) <= max(a[1], b[1]), (seed, spec.labels)


def test_selectors_vary() -> None:
    found = [sample_selector(np.random.default_rng(seed)) for seed in range(400)]
    assert {len(s.labels) for s in found} == {2, 3, 4, 5}
    assert {s.style for s in found} == set(SELECTOR_STYLES)
    assert {s.square for s in found} == {True, False}
    assert sum(s.labels in CHINESE_MODES for s in found) > 30
    assert sum(s.labels in MODES for s in found) > 60
    for s in found:
        assert 1 <= s.position <= len(s.labels) == len(s.angles_deg)


def test_the_model_selector_has_five_positions() -> None:
    spec = sample_selector(np.random.default_rng(0), "RS-5")
    assert spec.labels == ("1", "2", "3", "4", "5")
    assert spec.prints[0].text == "RS-5"
