"""The state reader: shapes, rings about the middle, looks, and weights that cannot be used."""

from __future__ import annotations

import json
import math
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from vision.fields import LAMP_COLORS
from vision.state_network import (
    ANGLES,
    POSITIONS,
    RADII,
    STATE_KINDS,
    STATE_MARGIN,
    STATE_PX,
    StateNetwork,
    ring_weights,
    to_network,
)
from vision.state_reader import (
    CARD_FILE,
    MODEL_FILE,
    STATE_LOOKS,
    StateReader,
    StateWeightsError,
    state_view,
    states_shipped,
)

BOX = (40.0, 40.0, 160.0, 160.0)


def lamp(rgb: tuple[int, int, int]) -> np.ndarray:
    """A lit lens in a dark ring on a grey wall."""
    image = np.full((200, 200, 3), 120, np.uint8)
    cv2.circle(image, (100, 100), 60, (40, 40, 44), -1, cv2.LINE_AA)
    cv2.circle(image, (100, 100), 48, rgb, -1, cv2.LINE_AA)
    cv2.circle(image, (100, 100), 20, tuple(int(255 - 0.3 * (255 - level)) for level in rgb), -1, cv2.LINE_AA)
    return image


def selector(position: int, count: int = 3, step_deg: float = 60.0) -> np.ndarray:
    """A bright plate with marks round a dark knob whose white line points at one of them."""
    image = np.full((400, 400, 3), 110, np.uint8)
    cv2.rectangle(image, (80, 80), (320, 320), (215, 215, 210), -1)
    first = 180.0 - step_deg * (count - 1) / 2.0
    for index in range(count):
        turn = math.radians(first + step_deg * index)
        ends = [(round(200 - r * math.sin(turn)), round(200 + r * math.cos(turn))) for r in (64, 72)]
        cv2.line(image, *ends, (20, 20, 20), 3, cv2.LINE_AA)
        at = (round(200 - 90 * math.sin(turn)) - 8, round(200 + 90 * math.cos(turn)) + 8)
        cv2.putText(image, str(index + 1), at, cv2.FONT_HERSHEY_SIMPLEX, 0.7, (20, 20, 20), 2, cv2.LINE_AA)
    cv2.circle(image, (200, 200), 60, (45, 45, 48), -1, cv2.LINE_AA)
    turn = math.radians(first + step_deg * (position - 1))
    ends = [(round(200 - r * math.sin(turn)), round(200 + r * math.cos(turn))) for r in (18, 56)]
    cv2.line(image, *ends, (245, 245, 245), 6, cv2.LINE_AA)
    return image


@pytest.fixture(scope="module")
def untrained() -> StateReader:
    torch.manual_seed(0)
    return StateReader(StateNetwork(), {"name": "none"})


@pytest.fixture(scope="module")
def shipped() -> StateReader:
    if not states_shipped():
        pytest.skip("no weights of a state reader come with this package")
    torch.set_num_threads(1)
    return StateReader.load()


def test_the_network_is_small_and_says_one_thing_a_crop() -> None:
    network = StateNetwork().eval()
    assert sum(p.numel() for p in network.parameters()) < 1_000_000
    crops = to_network(torch.randint(0, 256, (3, STATE_PX, STATE_PX, 3), dtype=torch.uint8))
    assert float(crops.min()) >= -1.0
    assert float(crops.max()) <= 1.0
    output = network(crops)
    sizes = [tuple(head.shape) for head in output]
    count = len(POSITIONS)
    assert sizes == [(3, len(STATE_KINDS)), (3, len(LAMP_COLORS)), (3, count), (3, count), (3, ANGLES), (3, ANGLES)]


@pytest.mark.parametrize("cells", [16, 32])
def test_rings_read_a_map_where_they_lie(cells: int) -> None:
    """A map of the places themselves must come back as the rings' own places."""
    weights = ring_weights(cells)
    assert torch.allclose(weights.sum(0), torch.ones(len(RADII) * ANGLES), atol=1e-5)
    rows, columns = torch.meshgrid(torch.arange(cells) + 0.5, torch.arange(cells) + 0.5, indexing="ij")
    x = (columns.flatten() @ weights).unflatten(0, (len(RADII), ANGLES)) - cells / 2
    y = (rows.flatten() @ weights).unflatten(0, (len(RADII), ANGLES)) - cells / 2
    half = cells / 2 / (1.0 + 2.0 * STATE_MARGIN)
    for index, radius in enumerate(RADII):
        assert torch.allclose(torch.hypot(x[index], y[index]), torch.full((ANGLES,), radius * half), atol=0.02)
    angles = torch.rad2deg(torch.atan2(-x[2], y[2])) % 360.0
    assert torch.allclose(angles, torch.arange(ANGLES) * 360.0 / ANGLES, atol=0.5)


def test_every_box_has_distributions_and_boxes_do_not_mix(untrained: StateReader) -> None:
    image = lamp((240, 40, 30))
    boxes = [BOX, (0.0, 0.0, 50.0, 90.0), (-40.0, 150.0, 30.0, 260.0), (5.0, 5.0, 5.0, 5.0)]
    together = untrained.read_states(image, boxes)
    assert len(together) == len(boxes)
    for box, seen in zip(boxes, together, strict=True):
        for shares in seen:
            assert shares.sum() == pytest.approx(1.0)
        (alone,) = untrained.read_states(image, [box])
        for first, second in zip(seen, alone, strict=True):
            assert first == pytest.approx(second, abs=1e-4)
    assert untrained.read_states(image, []) == ()


def test_what_is_seen_is_the_mean_of_the_looks(untrained: StateReader) -> None:
    image = selector(2)
    (seen,) = untrained.read_states(image, [BOX])
    each = [StateReader(untrained.network, looks=[look]).read_states(image, [BOX])[0] for look in STATE_LOOKS]
    assert seen.positions == pytest.approx(np.mean([one.positions for one in each], axis=0), abs=1e-5)
    views = [state_view(BOX, look) for look in STATE_LOOKS]
    assert len({(view.center, view.side, view.roll_deg) for view in views}) == len(STATE_LOOKS)


def test_many_boxes_go_through_in_parts(untrained: StateReader) -> None:
    seen = untrained.read_states(lamp((30, 200, 60)), [BOX] * 25)
    assert len(seen) == 25
    assert seen[24].colors == pytest.approx(seen[0].colors, abs=1e-4)


def test_weights_come_back_in_half_precision(untrained: StateReader, tmp_path: Path) -> None:
    untrained.save(tmp_path, untrained.card)
    again = StateReader.load(tmp_path)
    assert again.card == untrained.card
    assert all(t.dtype in (torch.float16, torch.int64) for t in load_file(tmp_path / MODEL_FILE).values())
    image = selector(1)
    for first, second in zip(untrained.read_states(image, [BOX])[0], again.read_states(image, [BOX])[0], strict=True):
        assert first == pytest.approx(second, abs=0.02)


def test_weights_that_cannot_be_used_are_named(untrained: StateReader, tmp_path: Path) -> None:
    untrained.save(tmp_path, {})
    whole = load_file(tmp_path / MODEL_FILE)

    def refused() -> None:
        with pytest.raises(StateWeightsError, match="holds no state reader that can be used") as caught:
            StateReader.load(tmp_path)
        assert str(tmp_path) in str(caught.value)

    save_file({name: t for name, t in whole.items() if name != "position.bias"}, tmp_path / MODEL_FILE)
    refused()
    save_file(whole | {"position.bias": torch.zeros(7)}, tmp_path / MODEL_FILE)
    refused()
    (tmp_path / MODEL_FILE).write_bytes(b"not weights")
    refused()
    save_file(whole, tmp_path / MODEL_FILE)
    StateReader.load(tmp_path)
    (tmp_path / CARD_FILE).write_text("{")
    refused()
    (tmp_path / CARD_FILE).unlink()
    refused()
    with pytest.raises(StateWeightsError):
        StateReader.load(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("rgb", "color"), [((240, 35, 25), "red"), ((250, 190, 30), "yellow"), ((50, 215, 75), "green"), ((38, 12, 10), "off")]
)
def test_the_shipped_reader_names_the_colour_of_a_plain_lamp(shipped: StateReader, rgb: tuple[int, int, int], color: str) -> None:
    image = lamp(rgb) if color != "off" else cv2.circle(lamp(rgb), (100, 100), 20, (45, 14, 12), -1)
    (seen,) = shipped.read_states(np.asarray(image, np.uint8), [BOX])
    assert STATE_KINDS[int(seen.kinds.argmax())] == "lamp"
    assert LAMP_COLORS[int(seen.colors.argmax())] == color


@pytest.mark.parametrize(("position", "count"), [(1, 2), (2, 2), (1, 3), (2, 3), (3, 3), (4, 4)])
def test_the_shipped_reader_counts_to_the_mark_that_the_knob_points_at(shipped: StateReader, position: int, count: int) -> None:
    (seen,) = shipped.read_states(selector(position, count), [(80.0, 80.0, 320.0, 320.0)])
    assert STATE_KINDS[int(seen.kinds.argmax())] == "selector"
    assert POSITIONS[int(seen.positions.argmax())] == str(position)


def test_the_shipped_reader_is_less_sure_of_what_nobody_can_see(shipped: StateReader) -> None:
    box = (80.0, 80.0, 320.0, 320.0)
    (clear,) = shipped.read_states(selector(2, 4), [box])
    hidden = selector(2, 4)
    cv2.circle(hidden, (200, 200), 110, (150, 150, 150), -1)
    blurred = np.asarray(cv2.GaussianBlur(selector(2, 4), (0, 0), 30.0), np.uint8)
    for picture in (hidden, blurred):
        (seen,) = shipped.read_states(picture, [box])
        assert seen.positions.max() * seen.kinds[1] < clear.positions.max() * clear.kinds[1]
        assert seen.positions.max() * seen.kinds[1] < 0.85


def test_the_shipped_card_says_what_it_is(shipped: StateReader) -> None:
    assert shipped.card["name"] == "states"
    assert shipped.card["parameters"] == sum(p.numel() for p in shipped.network.parameters())
    assert {"color", "position", "kind"} <= set(shipped.card["right"])
    assert json.dumps(shipped.card)
