"""How the witnesses of a lamp's colour or a selector's position are weighed: a logarithmic opinion pool (Genest, Zidek 1986).

Each witness gives probabilities of the labels; they are multiplied, each to the power of its weight, which is fitted on
drawn pictures (`eval.class_fit`). A sum of weights below 1 makes the pool less sure than its witnesses, one above surer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, ValidationError

from vision.fields import Contract

POOLS_FILE = "states.json"
LEAST_SHARE = 1e-4
"""Floor of a share before its logarithm: no witness alone can rule a label out."""
Weight = Annotated[float, Field(ge=0, le=4, allow_inf_nan=False)]


class PoolError(ValueError):
    """A file of pools that cannot be used."""


class StatePool(Contract):
    """Weights of the Donut's looks, of the state reader and of a lamp's pixels; `examples` says on how many they are fitted."""

    donut: Weight
    states: Weight
    pixels: Weight = 0.0
    examples: Annotated[int, Field(ge=1)]


class StatePools(Contract):
    """The pool of each class field, None where it was not fitted: then the state reader has no say in it."""

    warning_light_color: StatePool | None = None
    mode_dial_position: StatePool | None = None

    def of(self, name: str) -> StatePool | None:
        """The pool of a class field by its name."""
        found: StatePool | None = getattr(self, name)
        return found

    @classmethod
    def load(cls, folder: Path) -> StatePools:
        """The pools beside the weights; none where there is no file. Raises PoolError on a broken one."""
        path = folder / POOLS_FILE
        if not path.is_file():
            return cls()
        try:
            return cls.model_validate_json(path.read_text(encoding="utf-8"))
        except (ValidationError, UnicodeDecodeError) as error:
            raise PoolError(f"{path} holds no pools of witnesses: {error}; remove it or fit it anew") from error

    def save(self, folder: Path) -> None:
        """Write the pools beside the weights."""
        (folder / POOLS_FILE).write_text(json.dumps(self.model_dump(mode="json"), indent=1) + "\n", encoding="utf-8")


class Voice(NamedTuple):
    """What a witness says of each label, and its weight."""

    shares: Mapping[str, float]
    weight: float


def pool_shares(labels: Sequence[str], voices: Sequence[Voice]) -> dict[str, float]:
    """Probabilities of the labels by all voices together, summing to 1; a label that a voice leaves out has its least share."""
    logs = np.zeros(len(labels))
    for voice in voices:
        shares = np.array([voice.shares.get(label, 0.0) for label in labels])
        logs += voice.weight * np.log(np.maximum(shares, LEAST_SHARE))
    raised = np.exp(logs - logs.max())
    return dict(zip(labels, (raised / raised.sum()).tolist(), strict=True))


def pool_kind(donut: float, states: float) -> float:
    """The probability that the kind is right by two witnesses of equal weight: the mean of their log odds."""
    odds = [np.log(max(share, LEAST_SHARE) / max(1.0 - share, LEAST_SHARE)) for share in (donut, states)]
    return float(1.0 / (1.0 + np.exp(-0.5 * sum(odds))))
