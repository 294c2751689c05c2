"""Adapters: two linear layers on each of the last two encoder stages, one adapter for each instrument model.

A residual bottleneck behind a frozen stage (Houlsby et al., 2019, "Parameter-efficient transfer learning"). Its
second layer starts at zero, so a fresh adapter changes nothing. Adapters are chosen row by row within a batch; what
is computed for the other rows is the base's own, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

from vision.encoder import HybridEncoder

STAGES = 2
MAX_PARAMETERS = 100_000
"""An adapter stays below this number of parameters whatever the base."""
MAX_RANK = 64


class AdapterError(RuntimeError):
    """An adapter that cannot be built, stored, loaded or used."""


class Bottleneck(nn.Module):
    """(..., C) -> (..., C): what is added to a stage's output; nothing at first."""

    def __init__(self, width: int, rank: int) -> None:
        super().__init__()
        self.down = nn.Linear(width, rank)
        self.up = nn.Linear(rank, width)
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.up.bias)

    def forward(self, h: Tensor) -> Tensor:
        # Stages differ in the size of what they put out; the bottleneck sees each at unit scale.
        added: Tensor = self.up(F.gelu(self.down(F.layer_norm(h, h.shape[-1:]))))
        return added


class Adapter(nn.Module):
    """One bottleneck for each adapted stage; `widths` are the stages' channels, first stage first."""

    def __init__(self, widths: Sequence[int], rank: int | None = None) -> None:
        super().__init__()
        self.widths = tuple(widths)
        self.rank = min(MAX_RANK, largest_rank(widths)) if rank is None else rank
        if not 1 <= self.rank <= largest_rank(widths):
            raise AdapterError(f"rank {self.rank} at widths {self.widths} does not lie in 1..{largest_rank(widths)}")
        self.stages = nn.ModuleList(Bottleneck(width, self.rank) for width in widths)

    @property
    def parameters_count(self) -> int:
        return sum(parameter.numel() for parameter in self.parameters())


AdapterChoice = Adapter | Sequence[Adapter | None] | None
"""One adapter for all rows of a batch, one or none for each row, or none at all."""


def largest_rank(widths: Sequence[int]) -> int:
    """The largest rank with which an adapter of stages of these widths stays below MAX_PARAMETERS."""
    return (MAX_PARAMETERS - 1 - sum(widths)) // sum(2 * width + 1 for width in widths)


def adapted_stages(encoder: nn.Module) -> list[nn.Module]:
    """The last two stages: transformer layers of the hybrid encoder, stages of a Swin. Raises AdapterError for others."""
    stages = encoder.layers.layers if isinstance(encoder, HybridEncoder) else getattr(_inner(encoder), "layers", None)
    if not stages:
        raise AdapterError(f"an encoder of the type {type(encoder).__name__} has no stages that can be adapted")
    return list(stages)[-STAGES:]


def _inner(encoder: nn.Module) -> object:
    return getattr(encoder, "encoder", encoder)


def new_adapter(encoder: nn.Module, rank: int | None = None) -> Adapter:
    """A fresh adapter that fits the encoder and changes nothing yet."""
    width = int(encoder.config.hidden_size)  # type: ignore[union-attr,arg-type]  # a Swin's last two stages put this out too
    return Adapter([width] * len(adapted_stages(encoder)), rank)


@contextmanager
def adapted(encoder: nn.Module, adapters: AdapterChoice) -> Iterator[None]:
    """Run the encoder with adapters: behind each of its last two stages rows get what their adapter adds.

    Stages run their own code as ever. Forward hooks would not do: PyTorch's transformer layer computes along another
    path where it has one, and the rows without an adapter would differ in the last bits. Not for several threads.
    """
    groups = _groups(adapters)
    if not groups:
        yield
        return
    stages = adapted_stages(encoder)
    for adapter, _ in groups:
        if len(adapter.stages) != len(stages):
            raise AdapterError(f"an adapter of {len(adapter.stages)} stages does not fit an encoder with {len(stages)}")
    before = [stage.__dict__.get("forward") for stage in stages]
    for index, stage in enumerate(stages):
        stage.forward = _with_additions(stage.forward, index, groups)
    try:
        yield
    finally:
        for stage, own in zip(stages, before, strict=True):
            if own is None:
                del stage.__dict__["forward"]
            else:
                stage.__dict__["forward"] = own


Groups = list[tuple[Adapter, list[int] | None]]


def _groups(adapters: AdapterChoice) -> Groups:
    """Each adapter with its rows; None for all rows."""
    if adapters is None:
        return []
    if isinstance(adapters, Adapter):
        return [(adapters, None)]
    rows: dict[Adapter, list[int]] = {}
    for row, adapter in enumerate(adapters):
        if adapter is not None:
            rows.setdefault(adapter, []).append(row)
    return list(rows.items())


def _with_additions(forward: Callable[..., Any], index: int, groups: Groups) -> Callable[..., Any]:
    def run(*args: Any, **kwargs: Any) -> Any:
        output = forward(*args, **kwargs)
        if isinstance(output, Tensor):
            return _add(output, index, groups)
        return (_add(output[0], index, groups), *output[1:])

    return run


def _add(h: Tensor, index: int, groups: Groups) -> Tensor:
    """h (B, N, C) with each group's rows changed by its adapter, in the precision of h."""
    if len(groups) == 1 and groups[0][1] is None:
        everywhere: Tensor = h + groups[0][0].stages[index](h).to(h.dtype)
        return everywhere
    changed = h.clone()
    for adapter, rows in groups:
        if rows and max(rows) >= len(h):
            raise AdapterError(f"adapters for {max(rows) + 1} rows do not fit a batch of {len(h)}")
        changed[rows] = h[rows] + adapter.stages[index](h[rows]).to(h.dtype)
    return changed
