"""Attention alignment (AC) from one pass's weights: of what a written token attends to, the share on a place of the sources.

Raw weights say little: most of them lie on sinks (the first token, marks of the chat format) that are attended whatever is
written, and some places are attended by position alone. Both are taken off, head by head, before anything is summed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eval.score import EvalError

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class AlignmentOptions:
    """`sink`: a key with at least this weight for three quarters of the written tokens is a sink of that head.

    `least_left`: a head speaks for a token only where it leaves this much beside its sinks. A span begins at keys with at
    least `peak_share` of the token's strongest excess and `least_excess` itself, and bridges `gap` keys. `best_heads`: the
    share of heads, those that align best with the token, that are averaged: only some heads look things up.
    """

    sink: float = 0.1
    least_left: float = 0.05
    peak_share: float = 0.5
    least_excess: float = 0.02
    gap: int = 5
    best_heads: float = 0.34


class TokenAlignment(NamedTuple):
    """AC of one written token in [0, 1], NaN where every head looks at sinks only; its spans are [start, end) of keys."""

    ac: float
    heads: tuple[float, ...]
    spans: tuple[tuple[int, int], ...]


def align_tokens(weights: Floats, source: Flags, special: Flags, options: AlignmentOptions) -> tuple[TokenAlignment, ...]:
    """AC of every written token.

    `weights`: (H, A, T), the attention of A written tokens over T keys, of which the last A are the written tokens; rows sum
    to 1. `source`: (T,), the keys of the sources. `special`: (T,), keys that are never content. Raises EvalError where the
    shapes disagree, weights are not finite, or fewer than two tokens are written: a baseline needs others.
    """
    heads, written, keys = weights.shape if weights.ndim == 3 else (0, 0, 0)
    if not heads or source.shape != (keys,) or special.shape != (keys,) or keys < written:
        raise EvalError(f"attention of shape {weights.shape} does not go with {source.shape[0]} keys")
    if written < 2:
        raise EvalError("one written token alone has no baseline to be held against")
    if not np.isfinite(weights).all():
        raise EvalError("the model's attention is not finite")
    excess, left = excess_attention(weights, source, special, options)
    return tuple(_align(excess[:, row], left[:, row], options) for row in range(written))


def excess_attention(weights: Floats, source: Flags, special: Flags, options: AlignmentOptions) -> tuple[Floats, Floats]:
    """Attention on source keys (H, A, T) without sinks, beyond what the other written tokens give to the same key; and the
    share (H, A) of each row that is left beside the sinks."""
    sinks = (weights >= options.sink).mean(axis=1) >= 0.75  # (H, T)
    sinks[:, -weights.shape[1] :] = False  # The first written tokens are seen by all others: that is no sink.
    sinks |= special
    kept = np.where(sinks[:, None, :], 0.0, weights)
    left = kept.sum(axis=2)  # (H, A)
    shares = kept / np.maximum(left, 1e-12)[:, :, None]
    others = weights.shape[1] - 1
    baseline = (shares.sum(axis=1, keepdims=True) - shares) / others
    return np.where(source, np.maximum(shares - baseline, 0.0), 0.0), left


def _align(excess: Floats, left: Floats, options: AlignmentOptions) -> TokenAlignment:
    """`excess` (H, T) and `left` (H,) of one token."""
    speaking = left >= options.least_left
    if not speaking.any():
        return TokenAlignment(float("nan"), tuple(float("nan") for _ in left), ())
    spans = find_spans(excess[speaking].mean(axis=0), options)
    inside = np.zeros(excess.shape[1], bool)
    for start, end in spans:
        inside[start:end] = True
    by_head = np.where(speaking, excess[:, inside].sum(axis=1), np.nan)
    count = max(1, round(options.best_heads * int(speaking.sum())))
    best = np.sort(by_head[speaking])[-count:]
    return TokenAlignment(min(1.0, float(best.mean())), tuple(float(one) for one in by_head), spans)


def find_spans(excess: Floats, options: AlignmentOptions) -> tuple[tuple[int, int], ...]:
    """Runs of keys [start, end) around the strongest excess (T,), neighbours bridged; none where nothing stands out."""
    peak = float(excess.max(initial=0.0))
    seeds = np.flatnonzero(excess >= max(options.peak_share * peak, options.least_excess))
    spans: list[tuple[int, int]] = []
    for key in seeds.tolist():
        if spans and key - spans[-1][1] <= options.gap:
            spans[-1] = (spans[-1][0], key + 1)
        else:
            spans.append((key, key + 1))
    return tuple(spans)
