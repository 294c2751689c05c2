"""Batched decoding under the grammar: every step chooses among the tokens that may come next, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor
from transformers import DynamicCache, EncoderDecoderCache

from vision.donut import GaugeDonut
from vision.encoder import HybridEncoderOutput
from vision.grammar import Grammar, Task
from vision.vocabulary import (
    ANGLE_0,
    ANGLE_BINS,
    FRACTION_0,
    FRACTION_BIN,
    FRACTION_BINS,
    FRACTION_LOW,
    PAD_ID,
    VOCABULARY,
)

ANGLE_WINDOW = 8
FRACTION_WINDOW = 8


class Chosen(NamedTuple):
    """One token that was a choice: its id, its probability among the allowed, and its exact place on a bin axis.

    For bins the probability is the mass around the peak and the place the expectation there, in the field's own
    unit (degrees, fraction); it is None for other tokens.
    """

    token_id: int
    probability: float
    place: float | None


class Sequence(NamedTuple):
    """A decoded sequence, prompt included; `chosen` has an entry for each id behind the prompt, None where it was forced."""

    ids: list[int]
    chosen: list[Chosen | None]


def _around_peak(probability: Tensor, window: int, circular: bool) -> tuple[int, float, float]:
    """Peak bin, mass within `window` bins of it, and the expectation there (in bins)."""
    bins = len(probability)
    peak = int(probability.argmax())
    offsets = torch.arange(-window, window + 1)
    index = peak + offsets
    weights = probability[index % bins] if circular else probability[index.clamp(0, bins - 1)] * ((index >= 0) & (index < bins))
    mass = float(weights.sum())
    shift = float((weights * offsets).sum()) / max(mass, 1e-9)
    return peak, min(mass, 1.0), peak + shift


def choose(logits: Tensor, allowed: frozenset[int]) -> Chosen:
    """The best allowed token. logits (V,) of one sequence."""
    ids = torch.tensor(sorted(allowed))
    probability = logits[ids].float().softmax(-1)
    best = int(ids[int(probability.argmax())])
    name = VOCABULARY[best]
    if name.startswith("angle:"):
        axis = _scatter(ids, probability, ANGLE_0, ANGLE_BINS)
        peak, mass, place = _around_peak(axis, ANGLE_WINDOW, circular=True)
        return Chosen(ANGLE_0 + peak, mass, place % 360.0)
    if name.startswith("fraction:"):
        axis = _scatter(ids, probability, FRACTION_0, FRACTION_BINS)
        peak, mass, place = _around_peak(axis, FRACTION_WINDOW, circular=False)
        return Chosen(FRACTION_0 + peak, mass, FRACTION_LOW + place * FRACTION_BIN)
    return Chosen(best, float(probability.max()), None)


def _scatter(ids: Tensor, probability: Tensor, first: int, bins: int) -> Tensor:
    axis = torch.zeros(bins)
    on_axis = (ids >= first) & (ids < first + bins)
    axis[ids[on_axis] - first] = probability[on_axis]
    return axis


@torch.inference_mode()
def generate(model: GaugeDonut, encoded: HybridEncoderOutput, task: Task, max_tokens: int = 96) -> list[Sequence]:
    """Decode every view of `encoded` greedily under the grammar of `task`, core slots only.

    A sequence that has not ended after `max_tokens` is returned as it stands; decoding it raises TokenError.
    """
    hidden = encoded.last_hidden_state
    assert hidden is not None
    if hasattr(model.donut, "enc_to_dec_proj"):
        hidden = model.donut.enc_to_dec_proj(hidden)
    count = hidden.shape[0]
    grammars = [Grammar(task, extras=False) for _ in range(count)]
    sequences = [Sequence([grammar.prompt_id], []) for grammar in grammars]
    cache = EncoderDecoderCache(DynamicCache(), DynamicCache())
    step_ids = torch.tensor([[grammar.prompt_id] for grammar in grammars], device=hidden.device)
    for _ in range(max_tokens):
        with model.precision(hidden.device):
            output = model.donut.decoder(input_ids=step_ids, encoder_hidden_states=hidden, cache=cache, use_cache=True)
        logits = output.logits[:, -1].float().cpu()
        following: list[int] = []
        for row, (grammar, sequence) in enumerate(zip(grammars, sequences, strict=True)):
            if grammar.ended:
                following.append(PAD_ID)
                continue
            allowed = grammar.allowed
            chosen = choose(logits[row], allowed) if len(allowed) > 1 else None
            token = next(iter(allowed)) if chosen is None else chosen.token_id
            grammar.advance(token)
            sequence.ids.append(token)
            sequence.chosen.append(chosen)
            following.append(token)
        if all(grammar.ended for grammar in grammars):
            break
        step_ids = torch.tensor(following, device=hidden.device)[:, None]
    return sequences


@torch.inference_mode()
def choice_probabilities(
    model: GaugeDonut, hidden: Tensor, prefix: tuple[int, ...], choices: Mapping[int, tuple[int, ...]]
) -> list[Tensor]:
    """Probabilities of some tokens behind a given prefix, for several views at once; nothing is decoded.

    hidden (B, N, C). `choices`: by place in the prefix, the tokens of which one comes next. A (B, number of tokens) for each.
    """
    ids = torch.tensor([prefix], device=hidden.device).expand(len(hidden), -1)
    logits = model.decode(HybridEncoderOutput(last_hidden_state=hidden), ids).float().cpu()
    return [logits[:, place, list(tokens)].softmax(-1) for place, tokens in choices.items()]


def field_choices(sequence: Sequence) -> dict[str, list[Chosen]]:
    """The choices that spell each field of a read sequence; `kind` is the first one."""
    fields: dict[str, list[Chosen]] = {}
    name = "kind"
    for token_id, chosen in zip(sequence.ids[1:], sequence.chosen, strict=True):
        token = VOCABULARY[token_id]
        if token.startswith("<s_"):
            # What ended a number was a choice too: it belongs to the number before it.
            if chosen is not None:
                fields.setdefault(name, []).append(chosen)
            name = token[3:-1]
        elif chosen is not None:
            fields.setdefault(name, []).append(chosen)
    return fields
