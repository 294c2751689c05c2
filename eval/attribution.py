"""Which link of the chain failed, why, and what to do about it.

Where it is known what answers a question, links are looked at in the order of the chain: what a later link did with a wrong
input is not its fault. Where only scores are known, the documents' fault order holds: generation, alignment, retrieval.
A score that was not measured (NaN) decides nothing, and an answer that is right has no fault of retrieval.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from eval.score import NAN, Number
from vision.fields import Contract

Layer = Literal["vision", "retrieval", "context", "alignment", "generation", "none", "unknown"]


class Signals(Contract):
    """What the probes found in one case, each in [0, 1], NaN where it was not measured.

    Vision, against the truth: `located`, `fields` (share right), `value`. Retrieval: `hit` (a wanted fragment was found),
    `crs` (anchor relevance), `fcr` (fact coverage). Context: `kept` (the fragment stands in what was sent). Alignment: `ac`
    and its extremes over the answer. Generation: `fci`, `borne_out` (share of sentences that the product's check supports),
    both against all that was sent; `own_fci`, `own_borne_out` against what of it may answer; `right` (the answer holds the
    wanted fragment); `of_wanted` (the answer is made of the sentence that holds the fragment, and not of another one).
    """

    located: Number = NAN
    fields: Number = NAN
    value: Number = NAN
    hit: Number = NAN
    crs: Number = NAN
    fcr: Number = NAN
    kept: Number = NAN
    ac: Number = NAN
    ac_low: Number = NAN
    ac_high: Number = NAN
    fci: Number = NAN
    borne_out: Number = NAN
    own_fci: Number = NAN
    own_borne_out: Number = NAN
    right: Number = NAN
    of_wanted: Number = NAN


class Attribution(Contract):
    """The verdict on one case. `symptom`: the row of the symptom table that its scores look like, None where none fits."""

    layer: Layer
    cause: str
    reason: str
    remedy: str
    symptom: str | None = None


@dataclass(frozen=True)
class Thresholds:
    """Below these a score is a fault; the documents' numbers. `strict` holds where the wanted fragment is known: one
    sentence that nothing bears out is a fault."""

    fci: float = 0.6
    ac: float = 0.35
    fcr: float = 0.5
    crs: float = 0.6
    strict: float = 1.0


class _Rule(NamedTuple):
    """A fault of a layer: when it holds, and how it is said. `reason` may name signals."""

    layer: Layer
    cause: str
    holds: Callable[[Signals, Thresholds], bool]
    reason: str
    remedy: str


def _unsupported(s: Signals, t: Thresholds) -> bool:
    return s.fci < t.strict or s.borne_out < t.strict


def _unsupported_by_own(s: Signals, t: Thresholds) -> bool:
    return s.own_fci < t.strict or s.own_borne_out < t.strict


_CHAIN: tuple[_Rule, ...] = (
    _Rule(
        "vision", "not_located", lambda s, t: s.located < 0.5, "the instrument was not found in the photo",
        "train the locator on such photos, or give the box",
    ),
    _Rule(
        "vision", "field_misread", lambda s, t: s.fields < 1, "only {fields:.0%} of the fields were read right",
        "adapt the reader to this instrument (`gauge adapt`), or photograph it again from the front",
    ),
    _Rule(
        "vision", "value_wrong", lambda s, t: s.value < 1, "the fields are right and the value is not",
        "check scale, unit and formula of this model in its manual",
    ),
    _Rule(
        "retrieval", "answer_not_retrieved", lambda s, t: s.hit < 1, "no passage found holds what answers the question",
        "see which route lost it (`gauge kb search`); rewrite the query, add synonyms, or tune the embedder",
    ),
    _Rule(
        "context", "chunk_cut", lambda s, t: s.kept < 1, "the passage was found, but its answering words were not sent",
        "cut at the ends of sentences and rows, or give the context more tokens",
    ),
    _Rule(
        "generation", "prompt_loosened", lambda s, t: s.right == 1 and _unsupported(s, t),
        "the answer is there, and something beside it that nothing sent bears out (FCI {fci:.2f})",
        "say \"only from these passages\" in the prompt, and refuse sentences that the check does not support",
    ),
    _Rule(
        "generation", "writer_invented", _unsupported, "what was sent does not bear the answer out (FCI {fci:.2f})",
        "keep the template's sentence; use FCI as the reward where the writer is trained",
    ),
    _Rule(
        "context", "context_polluted", lambda s, t: s.right == 0 and _unsupported_by_own(s, t),
        "the answer rests on a passage that may not answer: of another instrument, or not in force",
        "limit the search to the instrument's documents in force, and send fewer passages",
    ),
    _Rule(
        "generation", "answer_altered", lambda s, t: s.right == 0 and s.of_wanted == 1,
        "the answer is the manual's answering sentence with something of it changed or left out",
        "keep the template's sentence; have the writer copy numbers, units and conditions as they stand",
    ),
    _Rule(
        "generation", "answer_evaded", lambda s, t: s.right == 0 and s.kept == 1 and math.isnan(s.fci) and s.borne_out != 1,
        "the answer says nothing, though the answering words were sent",
        "ask for the answer first in the prompt; look for limits that are too strict",
    ),
    _Rule(
        "alignment", "attention_elsewhere", lambda s, t: s.right == 0 and s.ac < t.ac,
        "the answering words were sent and not looked at (AC {ac:.2f})",
        "put the best passage first, send fewer, and ask with the passages before the question",
    ),
    _Rule(
        "alignment", "other_passage_used", lambda s, t: s.right == 0,
        "the answer is borne out, but by another passage than the one that answers",
        "put the best passage first, send fewer, and ask with the passages before the question",
    ),
)  # fmt: skip

_BY_SCORES: tuple[_Rule, ...] = (
    _Rule(
        "generation", "low_fci", lambda s, t: s.fci < t.fci, "FCI {fci:.2f}: the answer is not borne out by what was sent",
        "say \"only from these passages\" in the prompt; refuse sentences that the check does not support",
    ),
    _Rule(
        "alignment", "low_ac", lambda s, t: s.ac < t.ac, "AC {ac:.2f}: the answer's words do not look at the relevant spans",
        "change how passages and question are joined, and how much is sent",
    ),
    _Rule(
        "retrieval", "low_fcr", lambda s, t: s.right != 1 and s.fcr < t.fcr,
        "FCR {fcr:.2f}: facts that the question needs were not retrieved",
        "make implicit limits of the question explicit; add vectors or summaries to the documents",
    ),
    _Rule(
        "retrieval", "low_crs", lambda s, t: s.right != 1 and s.crs < t.crs,
        "CRS {crs:.2f}: the passages are not about the question",
        "tune the embedder on the domain's words, or rerank",
    ),
)  # fmt: skip


def attribute(signals: Signals, thresholds: Thresholds | None = None) -> Attribution:
    """The first broken link of one case, or `none` where no measured link is broken, or `unknown` where nothing was measured."""
    limits = thresholds or Thresholds()
    known = not (math.isnan(signals.hit) and math.isnan(signals.right))
    vision = _CHAIN[:3]
    rules = _CHAIN + _BY_SCORES[2:] if known else vision + _BY_SCORES
    symptom = symptom_of(signals)
    for rule in rules:
        if rule.holds(signals, limits):
            reason = rule.reason.format(**{name: getattr(signals, name) for name in Signals.model_fields})
            return Attribution(
                layer=rule.layer, cause=rule.cause, reason=reason.replace("FCI nan", "FCI not scorable"), remedy=rule.remedy,
                symptom=symptom,
            )  # fmt: skip
    if all(math.isnan(getattr(signals, name)) for name in Signals.model_fields):
        return Attribution(layer="unknown", cause="not_measured", reason="nothing was measured", remedy="run the probes first")
    return Attribution(layer="none", cause="none", reason="no measured link is broken", remedy="", symptom=symptom)


class Symptom(NamedTuple):
    """A row of the symptom table: the range of each score that makes it, and the layer and remedy that it stands for."""

    name: str
    layer: Layer
    ranges: dict[str, tuple[float, float]]
    remedy: str


SYMPTOMS: tuple[Symptom, ...] = (
    Symptom(
        "says what the passages lack", "alignment",
        {"crs": (0.7, 1), "fcr": (0.7, 1), "ac": (0.8, 1), "fci": (0, 0.3)},
        "give the passages before the question, in two stages, so that the question does not write the answer",
    ),
    Symptom(
        "fluent and false", "generation",
        {"crs": (0.7, 1), "fcr": (0.7, 1), "ac": (0.35, 0.8), "fci": (0, 0.3)},
        "look whether the prompt says \"only from these passages\"; use FCI as the reward where the writer is trained",
    ),
    Symptom(
        "evades the question", "retrieval",
        {"crs": (0.6, 1), "fcr": (0, 0.3), "ac": (0, 0.2), "fci": (0.4, 0.6)},
        "rewrite the query (\"forbidden\" for \"contraindicated\"); several vectors a document",
    ),
    Symptom(
        "half right", "alignment",
        {"crs": (0.7, 1), "fcr": (0.7, 1), "ac_low": (0, 0.1), "ac_high": (0.7, 1), "fci": (0.3, 0.7)},
        "ask for step-wise reasoning and take AC of each step, to find the step that fails",
    ),
)  # fmt: skip
"""The documents' four rows, the closest one first. "Normal" is above .7 for CRS and FCR and above .35 for AC."""


def symptom_of(signals: Signals) -> str | None:
    """The first row whose every score was measured and lies in its range, or None."""
    for row in SYMPTOMS:
        if all(low <= getattr(signals, name) <= high for name, (low, high) in row.ranges.items()):
            return row.name
    return None
