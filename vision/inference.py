"""Networks made ready to read: batch norms folded into the convolutions before them, maps with channels last.

Both only reorder the arithmetic: what comes out differs by single-precision rounding. Training, saving and loading keep
the network as it is; what reads is a copy.
"""

from __future__ import annotations

import itertools
from copy import deepcopy
from typing import TypeVar

import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

Network = TypeVar("Network", bound=nn.Module)


def for_inference(network: Network) -> Network:
    """A copy of the network in evaluation mode that computes the same, faster. It cannot be trained or saved as weights.

    A batch norm must be registered right behind the convolution whose output, and nothing else, it takes.
    """
    ready = deepcopy(network).eval()
    for parent in list(ready.modules()):
        _fold(parent)
    ready.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # of four-dimensional weights
    return ready.requires_grad_(False)


def _fold(parent: nn.Module) -> None:
    """Fold the batch norms among the children of a module into the convolutions before them."""
    children = list(parent.named_children())
    for (name, convolution), (norm_name, norm) in itertools.pairwise(children):
        if isinstance(convolution, nn.Conv1d | nn.Conv2d) and isinstance(norm, nn.BatchNorm1d | nn.BatchNorm2d):
            setattr(parent, name, fuse_conv_bn_eval(convolution, norm))
            setattr(parent, norm_name, nn.Identity())
