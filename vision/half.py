"""Where training in half the bits pays: bfloat16 where the processor computes in it, single precision where it would emulate it.

Emulated, a step of training takes some fifteen times as long (measured on a processor with AVX2 alone).
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache

import torch


@lru_cache
def computes_in_half(kind: str) -> bool:
    """Whether a device type (`cpu`, `cuda`) multiplies bfloat16 in hardware."""
    if kind == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    return kind == "cpu" and bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())


def training_precision(device: torch.device) -> AbstractContextManager[object]:
    """Mixed precision with bfloat16 on a device that has it; as the caller computes elsewhere."""
    return torch.autocast(device.type, torch.bfloat16) if computes_in_half(device.type) else nullcontext()
