"""Networks made ready to read compute what they were trained to, in single precision and, for a GPU, with bfloat16."""

from __future__ import annotations

import cv2
import pytest
import torch
from torch import nn

from tests.vision.test_locate import EXAMPLE
from vision.crops import cut, whole_view
from vision.digit_reader import DigitNetwork
from vision.donut import DonutConfig, build_small, load
from vision.generate import generate
from vision.inference import for_inference
from vision.line_reader import LineNetwork
from vision.state_network import StateNetwork
from vision.targets import to_pixel_values
from vision.tokens import decode
from vision.weights_folder import weights_folder

TINY = DonutConfig(
    image_size=64, hidden_size=32, encoder_layers=1, decoder_layers=1, feed_forward=32, encoder_heads=2, decoder_heads=2
)
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d)


def lived_in(network: nn.Module) -> nn.Module:
    """The network with statistics and scales as after some training: fresh ones would hide a norm that is left out."""
    for module in network.modules():
        if isinstance(module, NORMS):
            nn.init.normal_(module.running_mean, std=0.3)
            nn.init.uniform_(module.running_var, 0.5, 2.0)
            nn.init.uniform_(module.weight, 0.5, 2.0)
            nn.init.normal_(module.bias, std=0.3)
    return network.eval()


@torch.inference_mode()
@pytest.mark.parametrize(
    ("build", "shape"), [(LineNetwork, (2, 1, 32, 96)), (DigitNetwork, (2, 3, 32, 112)), (StateNetwork, (2, 3, 128, 128))]
)
def test_small_readers_compute_the_same_without_their_norms(build: type[nn.Module], shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    network = lived_in(build())
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    ready = for_inference(network)
    assert not any(isinstance(module, NORMS) for module in ready.modules())
    crops = torch.randn(shape)
    expected, found = network(crops), ready(crops.contiguous(memory_format=torch.channels_last))
    for first, second in zip(*([one] if isinstance(one, torch.Tensor) else one for one in (expected, found)), strict=True):
        torch.testing.assert_close(second, first, atol=2e-4, rtol=1e-3)
    after = network.state_dict()
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)


@torch.inference_mode()
def test_a_donut_computes_the_same_without_its_norms() -> None:
    torch.manual_seed(0)
    model = lived_in(build_small(TINY))
    ready = for_inference(model)
    assert not any(isinstance(module, NORMS) for module in ready.modules())
    pixels = torch.randn(3, 3, 64, 64)
    first, second = model.encode(pixels), ready.encode(pixels)
    for name in first:
        torch.testing.assert_close(second[name], first[name], atol=1e-3, rtol=1e-3)
    for maps, others in zip(model.dense_maps(first), ready.dense_maps(second), strict=True):
        torch.testing.assert_close(others, maps, atol=2e-3, rtol=1e-3)


@torch.inference_mode()
def test_instruments_are_located_on_the_same_maps_as_with_all_heads() -> None:
    torch.manual_seed(0)
    model = build_small(TINY).eval()
    encoded = model.encode(torch.randn(2, 3, 64, 96))
    dense, located = model.dense_maps(encoded), model.located_maps(encoded)
    assert torch.equal(located.centers, dense.centers)
    assert torch.equal(located.sides, dense.sides)


@torch.inference_mode()
def test_half_the_bits_read_the_same_dial() -> None:
    torch.set_num_threads(1)
    model = for_inference(load(weights_folder(None)))
    photo = cv2.cvtColor(cv2.imread(str(EXAMPLE)), cv2.COLOR_BGR2RGB)
    pixels = to_pixel_values(cut(photo, whole_view(photo.shape[1], photo.shape[0], 384))[None])
    readings, points = [], []
    for half_bits in (False, True):
        model.reads_in_half = half_bits
        encoded = model.encode(pixels)
        assert all(part.dtype == torch.float32 for part in encoded.values())
        readings.append(decode(generate(model, encoded, "read")[0].ids))
        points.append(model.dense_maps(encoded).centers.sigmoid())
    single, half = readings
    assert single is not None
    assert half is not None
    assert half.kind == single.kind
    assert (half.scale_min, half.scale_max) == (single.scale_min, single.scale_max)
    assert half.pointer_angle == pytest.approx(single.pointer_angle, abs=3.0)
    torch.testing.assert_close(points[1], points[0], atol=0.1, rtol=0.0)
