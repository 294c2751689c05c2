"""The hybrid encoder of the `small` Donut: pretrained convolutions, 2-D positions, transformer layers.

A drop-in encoder for transformers' VisionEncoderDecoderModel. Convolutions find edges and strokes at strides 4
to 16; transformer layers at stride 16 relate needle, scale and numerals; Fourier features of the normalised
coordinates give every cell its absolute place at any input size (Tancik et al., 2020).
"""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from transformers import AutoConfig, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput

from vision.half import training_precision
from vision.stem import (
    BLOCKS,
    STRIDE_8_CHANNELS,
    STRIDE_16_CHANNELS,
    EfficientNetStem,
    StemFeatures,
    load_pretrained,
)


class HybridEncoderConfig(PretrainedConfig):  # type: ignore[misc]  # transformers' classes are untyped here
    """Shape of the hybrid encoder; `image_size` is (height, width) of its usual input, a multiple of 16."""

    model_type = "gauge_hybrid"

    def __init__(
        self,
        hidden_size: int = 256,
        num_hidden_layers: int = 3,
        num_attention_heads: int = 8,
        intermediate_size: int = 768,
        position_frequencies: int = 8,
        image_size: tuple[int, int] = (384, 384),
        frozen_blocks: int = 0,
        **kwargs: Any,
    ) -> None:
        self.hidden_size = hidden_size
        self.num_hidden_layers = num_hidden_layers
        self.num_attention_heads = num_attention_heads
        self.intermediate_size = intermediate_size
        self.position_frequencies = position_frequencies
        self.image_size = tuple(image_size)
        self.frozen_blocks = frozen_blocks
        super().__init__(**kwargs)


@dataclass
class HybridEncoderOutput(BaseModelOutput):  # type: ignore[misc]
    """`last_hidden_state` for the decoder, and the feature maps that dense heads need."""

    last_hidden_state: Tensor | None = None  # (B, H/16 * W/16, C)
    grid: Tensor | None = None  # (B, C, H/16, W/16): the same, as a map
    stride_8: Tensor | None = None  # (B, 40, H/8, W/8)
    stride_4: Tensor | None = None  # (B, 24, H/4, W/4)

    def single(self) -> HybridEncoderOutput:
        """The same in single precision."""
        return HybridEncoderOutput(**{name: part.float() for name, part in self.items()})


class PositionFeatures(nn.Module):
    """(h, w) grid -> (1, h * w, C): projected Fourier features of cell centres in [0, 1]."""

    def __init__(self, frequencies: int, hidden_size: int) -> None:
        super().__init__()
        self.frequencies = frequencies
        self.project = nn.Linear(4 * frequencies, hidden_size)

    def forward(self, height: int, width: int) -> Tensor:
        weight = self.project.weight
        y = (torch.arange(height, device=weight.device, dtype=torch.float32) + 0.5) / height
        x = (torch.arange(width, device=weight.device, dtype=torch.float32) + 0.5) / width
        # Half-octave steps from half a turn over the picture: coarse ones place, fine ones separate neighbours.
        scales = math.pi * 2.0 ** (torch.arange(self.frequencies, device=weight.device, dtype=torch.float32) / 2.0)
        rows = torch.cat([(y[:, None] * scales).sin(), (y[:, None] * scales).cos()], -1)
        columns = torch.cat([(x[:, None] * scales).sin(), (x[:, None] * scales).cos()], -1)
        both = torch.cat([rows[:, None].expand(-1, width, -1), columns[None].expand(height, -1, -1)], -1)
        features: Tensor = self.project(both.reshape(1, height * width, -1).to(weight.dtype))
        return features


class HybridEncoder(PreTrainedModel):  # type: ignore[misc]
    """(B, 3, H, W) in [-1, 1] -> `HybridEncoderOutput`."""

    config_class = HybridEncoderConfig
    main_input_name = "pixel_values"
    _no_split_modules: ClassVar[list[str]] = []

    def __init__(self, config: HybridEncoderConfig) -> None:
        super().__init__(config)
        size = config.hidden_size
        self.stem = EfficientNetStem()
        self.project_16 = nn.Conv2d(STRIDE_16_CHANNELS, size, 1)
        # Two by two patches of the finer map: strokes that stride 16 has blurred still reach the decoder.
        self.project_8 = nn.Conv2d(STRIDE_8_CHANNELS, size, 2, 2)
        self.positions = PositionFeatures(config.position_frequencies, size)
        self.norm_in = nn.LayerNorm(size)
        layer = nn.TransformerEncoderLayer(
            size,
            config.num_attention_heads,
            config.intermediate_size,
            0.0,
            "gelu",
            batch_first=True,
            norm_first=True,
        )
        self.layers = nn.TransformerEncoder(layer, config.num_hidden_layers, enable_nested_tensor=False)
        self.norm_out = nn.LayerNorm(size)
        self.post_init()

    def _init_weights(self, module: nn.Module) -> None:
        """Keep torch's own initialisation: the stem is loaded, the rest trains from it."""

    def load_pretrained_stem(self) -> None:
        """Fill the stem with ImageNet weights from the package."""
        load_pretrained(self.stem)

    def _features(self, pixel_values: Tensor) -> StemFeatures:
        """The stem; its first `frozen_blocks` blocks run without gradients, which saves most of the backward pass."""
        frozen = self.config.frozen_blocks if self.training else 0
        if not frozen:
            return self.stem(pixel_values)  # type: ignore[no-any-return]
        on_cpu = pixel_values.device.type == "cpu"
        with torch.no_grad(), training_precision(pixel_values.device) if on_cpu else nullcontext():
            early = self.stem.run(self.stem.enter(pixel_values), 0, frozen)
        late = self.stem.run(early.last.to(pixel_values.dtype), frozen, len(BLOCKS))
        return StemFeatures(*(kept.to(pixel_values.dtype) for kept in (*early.kept, *late.kept)))

    def forward(self, pixel_values: Tensor, **kwargs: Any) -> HybridEncoderOutput:
        features = self._features(pixel_values)
        # An autocast of the caller stays as it is where this one is not needed.
        trains_here = self.training and pixel_values.device.type == "cpu"
        with training_precision(pixel_values.device) if trains_here else nullcontext():
            fused = self.project_16(features.stride_16) + self.project_8(features.stride_8)
            height, width = fused.shape[-2:]
            h = self.norm_in(fused.flatten(2).transpose(1, 2)) + self.positions(height, width)  # (B, N, C)
            h = self.norm_out(self.layers(h))
        h = h.to(pixel_values.dtype)
        grid = h.transpose(1, 2).reshape(h.shape[0], -1, height, width)
        return HybridEncoderOutput(last_hidden_state=h, grid=grid, stride_8=features.stride_8, stride_4=features.stride_4)


# VisionEncoderDecoderModel builds its sub-configurations by model type, so the type must be known by name.
AutoConfig.register(HybridEncoderConfig.model_type, HybridEncoderConfig, exist_ok=True)
