"""Alignment probe (AC): whether a model that writes an answer looks at its sources while it writes, claim by claim.

The answer is put to the model as if it had written it: one teacher-forced pass with eager attention over the answer, behind
the prompt's keys, which are read once. What its tokens attend to is scored by `eval.attention_kernel`. Low alignment is a
symptom, no proof: a model may know by heart what its sources say as well.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from eval.attention_kernel import AlignmentOptions, Floats, TokenAlignment, align_tokens
from eval.attention_prompt import Prompt, build_prompt
from eval.claims import Claim, extract_claims
from eval.scorable import answer_fault, context_fault
from eval.score import NAN, EvalError, Mean, Number, Score, graded, mean_of, mean_score, not_scorable
from rag.local_model import Loaded, read_start
from vision.fields import Contract

MOST_ANSWER_TOKENS = 768
_CODE = re.compile(r"\b(?=[A-Za-z-]*\d)[A-Z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+\b")
_WORD = re.compile(r"[A-Za-z]+|[\u3400-\u9fff]")


@dataclass(frozen=True)
class AttentionOptions:
    """`passes` is the AC from which a claim counts as aligned, `key_passes` that which each of its numbers and codes needs.

    `layers`: which part of the model's depth is looked at, as shares from its first layer. The last layers, which the
    source documents use, hardly look at sources any more in small models.
    """

    passes: float = 0.35
    key_passes: float = 0.45
    layers: tuple[float, float] = (0.55, 0.85)
    kernel: AlignmentOptions = field(default_factory=AlignmentOptions)


class AlignedClaim(Contract):
    """A claim of the answer with its place there. `ac`: mean over its `tokens` content tokens; `weakest_key`: the least AC of
    its numbers and codes, NaN where it has none; `spans`: what of the sources its tokens look at most."""

    text: str
    start: int
    end: int
    score: Score
    ac: Number
    weakest_key: Number
    tokens: int
    spans: tuple[str, ...]


class AttentionScores(Contract):
    """`score` is that of the weakest claim; `mean` is over all that could be judged. `cut`: sources that were too long and
    of which only the parts nearest to the question and the answer were put before the model."""

    score: Score
    mean: Mean
    claims: tuple[AlignedClaim, ...]
    cut: bool


class _Token(NamedTuple):
    """A written token's characters [start, end) in the answer and its alignment in the layer that looks most."""

    start: int
    end: int
    ac: float
    spans: tuple[tuple[int, int], ...]


class AttentionProbe:
    """Scores answers by one loaded model. The keys of the last prompt are kept: answers to the same sources share them."""

    def __init__(self, loaded: Loaded, options: AttentionOptions | None = None) -> None:
        self._loaded = loaded
        self._options = options or AttentionOptions()
        self._read: tuple[Prompt, Any] | None = None

    def score(self, question: str, answer: str, sources: Sequence[str]) -> AttentionScores:
        """AC of an answer. Not scorable, with a reason: what `eval.scorable` stops, answers of a single token, without a claim
        or of more than `MOST_ANSWER_TOKENS`. Raises EvalError where the model gives no attentions."""
        fault = answer_fault(answer) or context_fault(sources)
        claims = extract_claims(answer) if fault is None else ()
        if fault is None and not claims:
            fault = "the answer makes no claim"
        if fault is not None:
            return _unscored(fault)
        ids, offsets = encode_with_offsets(self._loaded.tokenizer, answer)
        if not 2 <= len(ids) <= MOST_ANSWER_TOKENS:
            return _unscored(f"the answer has {len(ids)} tokens; between 2 and {MOST_ANSWER_TOKENS} can be scored")
        prompt = build_prompt(self._loaded.tokenizer, question, answer, sources)
        tokens = self._aligned(prompt, ids, offsets)
        scored = tuple(self._claim(claim, tokens, prompt) for claim in claims)
        judged = [claim.score for claim in scored if claim.score.state != "not_scorable"]
        weakest = min(judged, key=lambda score: score.value, default=not_scorable("no claim has a token to look at"))
        return AttentionScores(score=weakest, mean=mean_score(one.score for one in scored), claims=scored, cut=prompt.cut)

    def _aligned(self, prompt: Prompt, ids: Sequence[int], offsets: Sequence[tuple[int, int]]) -> list[_Token]:
        weights = self._attentions(prompt, ids)
        keys = [*prompt.ids, *ids]
        source = np.zeros(len(keys), bool)
        source[prompt.start : prompt.end] = True
        special = np.isin(keys, list(self._loaded.tokenizer.all_special_ids))
        special[0] = True
        layers = [align_tokens(one, source, special, self._options.kernel) for one in weights]
        return [_merged(span, [layer[row] for layer in layers]) for row, span in enumerate(offsets)]

    def _attentions(self, prompt: Prompt, ids: Sequence[int]) -> list[Floats]:
        """Weights (H, A, T) of the layers looked at, from one pass over the answer behind the prompt's keys."""
        import torch

        model = self._loaded.model
        if self._read is None or self._read[0] != prompt:
            self._read = (prompt, read_start(self._loaded, prompt.ids))
        before = getattr(model.config, "_attn_implementation", None)
        _set_attention(model, "eager")
        try:
            with torch.inference_mode():
                output = model(
                    input_ids=torch.tensor([list(ids)], device=model.device),
                    cache=copy.deepcopy(self._read[1]),
                    output_attentions=True,
                )
        finally:
            _set_attention(model, before)
        given = getattr(output, "attentions", None)
        if not given or any(one is None for one in given):
            name = getattr(model.config, "model_type", type(model).__name__)
            raise EvalError(
                f"the model ({name}) gives no attentions, so AC cannot be measured; name one that has eager attention"
            )
        chosen = chosen_layers(len(given), self._options.layers)
        return [given[layer][0].to(torch.float64).cpu().numpy() for layer in chosen]

    def _claim(self, claim: Claim, tokens: Sequence[_Token], prompt: Prompt) -> AlignedClaim:
        content = content_mask(claim, tokens)
        own = [token for token, counts in zip(tokens, content, strict=True) if counts and not np.isnan(token.ac)]
        ac = float(np.mean([token.ac for token in own])) if own else NAN
        keys = [_at(place, own) for place in key_places(claim)]
        weakest = min((value for value in keys if not np.isnan(value)), default=NAN)
        options = self._options
        value = ac if np.isnan(weakest) else min(ac, weakest * options.passes / options.key_passes)
        reason = f"AC {ac:.2f} over {len(own)} tokens" + (
            "" if np.isnan(weakest) else f", {weakest:.2f} of its weakest number or code"
        )
        looked = sorted({span for token in own for span in token.spans})
        return AlignedClaim(
            text=claim.text,
            start=claim.start,
            end=claim.end,
            score=graded(value, options.passes, reason if own else "none of its tokens looks at anything beside sinks"),
            ac=ac,
            weakest_key=weakest,
            tokens=len(own),
            spans=tuple(dict.fromkeys(self._loaded.tokenizer.decode(prompt.ids[start:end]).strip() for start, end in looked)),
        )


def encode_with_offsets(tokenizer: Any, text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """Token ids of a text and the characters [start, end) of each. Raises EvalError where the tokenizer knows no offsets."""
    try:
        found = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    except NotImplementedError as error:
        raise EvalError("the model's tokenizer does not tell where its tokens stand; AC needs a fast one") from error
    return list(found["input_ids"]), [(int(start), int(end)) for start, end in found["offset_mapping"]]


def chosen_layers(count: int, part: tuple[float, float]) -> list[int]:
    """Layers in a part of the depth, at least one. Raises EvalError unless 0 <= from <= to <= 1."""
    start, end = part
    if not 0.0 <= start <= end <= 1.0:
        raise EvalError(f"a part of the depth lies in [0, 1], got {part}")
    first = min(int(start * count), count - 1)
    return list(range(first, max(first + 1, int(np.ceil(end * count)))))


def content_mask(claim: Claim, tokens: Sequence[Any]) -> list[bool]:
    """Which tokens stand for a content word, a number or a code of the claim."""
    from eval.claims_en import stem

    terms = claim.terms | claim.subject_terms
    places = key_places(claim)
    for match in _WORD.finditer(claim.text):
        word = match.group()
        if not word.isascii() or stem(word) in terms:
            places.append((claim.start + match.start(), claim.start + match.end()))
    return [any(token.start < end and token.end > start for start, end in places) for token in tokens]


def key_places(claim: Claim) -> list[tuple[int, int]]:
    """Characters [start, end) of the claim's numbers and codes: what a wrong look costs most."""
    numbers = [(one.start, one.end) for one in claim.quantities]
    codes = [(claim.start + match.start(), claim.start + match.end()) for match in _CODE.finditer(claim.text)]
    return numbers + codes


def _at(place: tuple[int, int], tokens: Sequence[_Token]) -> float:
    """AC at a place: the mean of its tokens, NaN where none of them could be judged."""
    return mean_of(token.ac for token in tokens if token.start < place[1] and token.end > place[0]).value


def _merged(span: tuple[int, int], layers: Sequence[TokenAlignment]) -> _Token:
    spans = tuple(sorted({one for layer in layers for one in layer.spans}))
    ac = max((layer.ac for layer in layers if not np.isnan(layer.ac)), default=NAN)
    return _Token(span[0], span[1], ac, spans)


def _set_attention(model: Any, kind: str | None) -> None:
    if kind is not None and hasattr(model, "set_attn_implementation"):
        model.set_attn_implementation(kind)


def _unscored(reason: str) -> AttentionScores:
    return AttentionScores(score=not_scorable(reason), mean=mean_of(()), claims=(), cut=False)
