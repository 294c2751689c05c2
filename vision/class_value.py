"""A lamp's colour or a selector's position: by several looks of the Donut, the state reader, and a lamp's own pixels.

The Donut's looks are the read view and its turned and zoomed copies; their probabilities are averaged, so that a class
which one view makes up by chance does not pass for sure. The state reader (`vision.state_reader`) looks closer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from vision.donut import GaugeDonut
from vision.encoder import HybridEncoderOutput
from vision.fields import KINDS, LAMP_COLORS, GaugeFields, LampColor
from vision.generate import choice_probabilities
from vision.lamp_color import LampModel
from vision.state_network import POSITIONS, STATE_KINDS
from vision.state_pool import StatePools, Voice, pool_kind, pool_shares
from vision.state_reader import StateSeen
from vision.vocabulary import ID, NONE, NOTHING, READ, field_token

CLASS_FIELD: Mapping[str, str] = {"lamp": "warning_light_color", "selector": "mode_dial_position"}
"""By kind: the field that is all that an instrument of this kind shows."""
LABELS: Mapping[str, tuple[str, ...]] = {"warning_light_color": LAMP_COLORS, "mode_dial_position": POSITIONS}
_TOKEN = {"warning_light_color": "lamp:", "mode_dial_position": "mode:"}
_KINDS = (*(ID[f"kind:{kind}"] for kind in KINDS), ID[NOTHING])


class ClassVotes(NamedTuple):
    """Mean probabilities over the looks: of the kind, and of each label of its field; what is missing to 1 says none.

    `seen` and `seen_kind` are the state reader's, where it looked: of each label, and of the kind.
    """

    kind: float
    shares: Mapping[str, float]
    seen: Mapping[str, float] | None = None
    seen_kind: float = 1.0

    def with_seen(self, kind: str, seen: StateSeen) -> ClassVotes:
        """With what the state reader sees."""
        labels = LABELS[CLASS_FIELD[kind]]
        shares = seen.colors if kind == "lamp" else seen.positions
        return self._replace(
            seen=dict(zip(labels, shares.tolist(), strict=True)), seen_kind=float(seen.kinds[STATE_KINDS.index(kind)])
        )


class ClassChoice(NamedTuple):
    """The likeliest label of a field with its raw confidence; `rival` is the pixels' own where they say another one."""

    label: str
    confidence: float
    rival: str | None = None


@torch.inference_mode()
def class_votes(model: GaugeDonut, looks: Sequence[HybridEncoderOutput], row: int, kind: str) -> ClassVotes:
    """What the looks say of one crop (its row in each look's batch) that was read as a lamp or a selector."""
    name = CLASS_FIELD[kind]
    hidden = [look.last_hidden_state for look in looks]
    rows = torch.cat([one[row : row + 1] for one in hidden if one is not None])
    labels = (*(ID[_TOKEN[name] + label] for label in LABELS[name]), ID[NONE])
    prefix = (ID[READ], ID[f"kind:{kind}"], ID[field_token(name)])
    kinds, classes = choice_probabilities(model, rows, prefix, {0: _KINDS, 2: labels})
    shares = classes.mean(0).tolist()
    return ClassVotes(float(kinds.mean(0)[_KINDS.index(ID[f"kind:{kind}"])]), dict(zip(LABELS[name], shares, strict=False)))


def choose_class(
    name: str,
    votes: ClassVotes,
    features: NDArray[np.float64] | None = None,
    lamp: LampModel | None = None,
    pools: StatePools | None = None,
) -> ClassChoice:
    """The label of a class field by all witnesses that there are: a lamp's pixels with their model, the state reader with
    its weights."""
    pixels = dict(zip(LAMP_COLORS, lamp.by_pixels(features).tolist(), strict=True)) if features is not None and lamp else None
    pool = None if pools is None else pools.of(name)
    shares = dict(votes.shares)
    if pool is not None and votes.seen is not None:
        voices = [Voice(shares, pool.donut), Voice(votes.seen, pool.states)]
        voices += [] if pixels is None else [Voice(pixels, pool.pixels)]
        pooled, kind = pool_shares(LABELS[name], voices), pool_kind(votes.kind, votes.seen_kind)
    elif features is not None and lamp is not None:
        # What the Donut gives to no colour at all stays doubt.
        given = sum(shares.values())
        pooled, kind = {color: given * share for color, share in lamp.pooled(features, shares).items()}, votes.kind
    else:
        pooled, kind = shares, votes.kind
    label = _likeliest(pooled)
    rival = None if pixels is None or _likeliest(pixels) == _likeliest(shares) else _likeliest(pixels)
    return ClassChoice(label, min(pooled[label], 1.0) * kind, rival)


def _likeliest(shares: Mapping[str, float]) -> str:
    return max(shares, key=lambda one: shares[one])


def with_class(fields: GaugeFields, name: str, label: str | None) -> GaugeFields:
    """The fields with a label in their class field, or without one."""
    value: LampColor | int | str | None = int(label) if label is not None and name == "mode_dial_position" else label
    return fields.model_copy(update={name: value})
