"""The probability that a value is what it says, from what was seen of it: `value_confidence`.

What it says is: the true value lies in the stated interval, and the stated unit is the right one. A value without a unit
says nothing of its unit; it stands for the number as printed.

The witnesses of a value leave named numbers (`vision.signals`): how many numerals, how evenly, how far apart two looks
are, how sharp the picture is. A logistic model per source of the value, fitted on drawn pictures that training never
drew (`eval.support_fit`), turns them into one probability; a factor per source makes intervals as wide as errors are
(split conformal prediction: Papadopoulos et al., Inductive Confidence Machines, 2002). Both are plain JSON beside the
weights.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

SUPPORT_FILE = "support.json"
CLIP_SDS = 2.5
"""A signal further from its mean says no more than one that is this many standard deviations away."""

Signals = Mapping[str, float]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class SupportError(ValueError):
    """A support file that cannot be used."""


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceModel(_Plain):
    """Logistic model of one source of values: one weight a signal, one for its absence, and the intervals' factor.

    `probabilities` are its floor and ceiling: with n examples nothing is known beyond 1 in n + 2.
    """

    names: tuple[str, ...]
    means: tuple[Finite, ...]
    sds: tuple[Annotated[float, Field(gt=0, allow_inf_nan=False)], ...]
    weights: tuple[Finite, ...]
    absent: tuple[Finite, ...]
    intercept: Finite
    probabilities: tuple[Annotated[float, Field(ge=0, le=1)], Annotated[float, Field(ge=0, le=1)]]
    widening: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    examples: Annotated[int, Field(ge=1)]

    @model_validator(mode="after")
    def _lengths_agree(self) -> SourceModel:
        lengths = {len(part) for part in (self.names, self.means, self.sds, self.weights, self.absent)}
        if len(lengths) != 1:
            raise ValueError(f"names, means, sds, weights and absent must be equally long, got {sorted(lengths)}")
        return self

    def contributions(self, signals: Signals) -> dict[str, float]:
        """What each signal adds to the log odds, against a signal at its mean. Unknown names in `signals` are ignored."""
        values = np.array([signals.get(name, math.nan) for name in self.names], float)
        rows = design(values[None, :], np.asarray(self.means), np.asarray(self.sds))[0]
        added = rows * np.array([*self.weights, *self.absent])
        count = len(self.names)
        return {name: float(added[index] + added[count + index]) for index, name in enumerate(self.names)}

    def probability(self, signals: Signals) -> float:
        """Of the value lying in its interval, in [0, 1]."""
        odds = self.intercept + sum(self.contributions(signals).values())
        low, high = self.probabilities
        return min(max(1.0 / (1.0 + math.exp(-min(max(odds, -30.0), 30.0))), low), high)


class Support(_Plain):
    """The models by source of the value; without one for a source, nothing is known beyond the witness's own word."""

    sources: dict[str, SourceModel] = {}

    @classmethod
    def load(cls, folder: Path) -> Support:
        """The support beside the weights; an empty one where there is none. Raises SupportError on a broken file."""
        path = folder / SUPPORT_FILE
        if not path.is_file():
            return cls()
        try:
            return cls.model_validate_json(path.read_text(encoding="utf-8"))
        except (ValidationError, UnicodeDecodeError) as error:
            raise SupportError(f"{path} is not a support model: {error}; remove it or fit it anew") from error

    def save(self, folder: Path) -> None:
        """Write the support beside the weights."""
        text = json.dumps(self.model_dump(mode="json"), indent=1, sort_keys=True)
        (folder / SUPPORT_FILE).write_text(text + "\n", encoding="utf-8")

    def probability(self, source: str, signals: Signals) -> float | None:
        """Of a value of this source lying in its interval; None where no model was fitted for the source."""
        model = self.sources.get(source)
        return None if model is None else model.probability(signals)

    def contributions(self, source: str, signals: Signals) -> dict[str, float]:
        """What each signal adds to the log odds of a value of this source; nothing without a model."""
        model = self.sources.get(source)
        return {} if model is None else model.contributions(signals)

    def widened(self, source: str, low: float, value: float, high: float, least_half: float = 0.0) -> tuple[float, float]:
        """The interval about `value` with its halves times the source's factor, each at least `least_half`.

        Without a model for the source the interval stays the witness's own.
        """
        if source not in self.sources:
            return low, high
        factor = self.sources[source].widening
        return value - max(factor * (value - low), least_half), value + max(factor * (high - value), least_half)


NO_SUPPORT = Support()
"""Nothing fitted: values keep the witness's own word."""


def design(values: NDArray[np.float64], means: NDArray[np.float64], sds: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, F) signals -> (N, 2 F): standardised and clipped, absent ones 0, then 1 where a signal is absent."""
    absent = ~np.isfinite(values)
    scaled = np.clip((np.where(absent, means, values) - means) / sds, -CLIP_SDS, CLIP_SDS)
    return np.concatenate([scaled, absent.astype(float)], axis=1)
