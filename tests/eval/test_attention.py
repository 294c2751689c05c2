"""The alignment probe on models whose attention is known: scripted, uniform by construction, and a random tiny Llama."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from eval.attention import AttentionOptions, AttentionProbe, chosen_layers, encode_with_offsets
from eval.attention_kernel import AlignmentOptions
from eval.attention_prompt import MOST_SOURCE_TOKENS, build_prompt, nearest_parts
from eval.score import EvalError
from rag.local_model import Loaded

SOURCES = ["The pump runs at 4 bar .", "The valve is green ."]
ANSWER = "The pump runs at 4 bar."
QUESTION = "How does the pump run ?"
WORDS = ["The", "pump", "runs", "at", "4", "bar", ".", "valve", "is", "green", "How", "does", "the", "run", "?", "Answer", "only"]
WORDS += ["from", "text", "above"]


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    core = Tokenizer(models.WordLevel({word: n for n, word in enumerate(["<s>", "<unk>", *WORDS])}, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=core, bos_token="<s>", eos_token="<s>", unk_token="<unk>")


def tiny_llama(seed: int = 0, *, zero: bool = False) -> Any:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(WORDS) + 2,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        initializer_range=1.0,
    )
    model = LlamaForCausalLM(config).eval()
    if zero:  # no query, no preference: every row is uniform over what it may see
        with torch.no_grad():
            for layer in model.model.layers:
                layer.self_attn.q_proj.weight.zero_()
    return model


class Scripted:
    """A model that attends as it is told; its prompt leaves nothing behind."""

    def __init__(self, rows: Any) -> None:
        self.rows, self.device, self.config = rows, "cpu", SimpleNamespace(model_type="scripted")
        self.calls = 0

    def __call__(self, input_ids: Any, **options: Any) -> Any:
        import torch

        self.calls += 1
        wants = options.get("output_attentions", False)
        given = None if self.rows is None or not wants else (torch.tensor(self.rows[None, None]),)
        return SimpleNamespace(cache=None, attentions=given)


def pointing(tokenizer: Any, share: float, number_at: str = "4") -> np.ndarray[Any, Any]:
    """Each token of the answer puts `share` on its own word in the sources, the rest on the first token."""
    prompt = build_prompt(tokenizer, QUESTION, ANSWER, SOURCES)
    ids, _ = encode_with_offsets(tokenizer, ANSWER)
    weights = np.zeros((len(ids), len(prompt.ids) + len(ids)))
    for row, token in enumerate(ids):
        word = tokenizer.convert_ids_to_tokens(token)
        wanted = tokenizer.convert_tokens_to_ids(number_at) if word == "4" else token
        at = prompt.start + prompt.ids[prompt.start : prompt.end].index(wanted)
        weights[row, at] = share
        weights[row, 0] = 1 - share
    return weights


def test_a_copy_is_aligned_fully_and_points_at_its_source(tokenizer: Any) -> None:
    scores = AttentionProbe(Loaded(tokenizer, Scripted(pointing(tokenizer, 0.6)))).score(QUESTION, ANSWER, SOURCES)
    (claim,) = scores.claims
    # By hand: beside the first token, all of each row lies on one key that no other row looks at.
    assert (claim.ac, claim.weakest_key) == pytest.approx((1.0, 1.0))
    assert (scores.score.state, scores.mean.n, scores.cut) == ("supported", 1, False)
    assert ANSWER[claim.start : claim.end] == claim.text
    assert {"pump", "bar"} <= set(claim.spans)


def test_half_a_look_is_half_an_ac(tokenizer: Any) -> None:
    weights = pointing(tokenizer, 0.3)
    ids, _ = encode_with_offsets(tokenizer, ANSWER)
    for row in range(len(ids)):
        weights[row, 0], weights[row, len(weights[0]) - len(ids) + row] = 0.4, 0.3  # the other half on itself
    scores = AttentionProbe(Loaded(tokenizer, Scripted(weights))).score(QUESTION, ANSWER, SOURCES)
    assert scores.claims[0].ac == pytest.approx(0.5)
    assert scores.score.state == "supported"
    strict = AttentionOptions(passes=0.6, key_passes=0.6)
    scores = AttentionProbe(Loaded(tokenizer, Scripted(weights)), strict).score(QUESTION, ANSWER, SOURCES)
    assert scores.score.state == "unsupported"


def test_a_number_that_looks_away_fails_its_claim(tokenizer: Any) -> None:
    weights = pointing(tokenizer, 0.6)
    ids, _ = encode_with_offsets(tokenizer, ANSWER)
    row = next(n for n, token in enumerate(ids) if tokenizer.convert_ids_to_tokens(token) == "4")
    weights[row] = 0
    weights[row, 0], weights[row, -len(ids) + row] = 0.4, 0.6
    following = row + 1  # "bar" is of the same quantity
    weights[following] = 0
    weights[following, 0], weights[following, -len(ids) + following] = 0.4, 0.6
    scores = AttentionProbe(Loaded(tokenizer, Scripted(weights))).score(QUESTION, ANSWER, SOURCES)
    assert scores.claims[0].ac > 0.4
    assert scores.claims[0].weakest_key == 0
    assert (scores.score.state, scores.score.value) == ("unsupported", 0)


def test_uniform_attention_is_no_alignment(tokenizer: Any) -> None:
    scores = AttentionProbe(Loaded(tokenizer, tiny_llama(zero=True))).score(QUESTION, ANSWER, SOURCES)
    assert scores.score.value == 0
    assert scores.score.state == "unsupported"
    assert scores.claims[0].spans == ()


def test_weights_are_those_of_one_whole_pass(tokenizer: Any) -> None:
    import torch

    model = tiny_llama(3)
    probe = AttentionProbe(Loaded(tokenizer, model), AttentionOptions(layers=(0.0, 1.0)))
    prompt = build_prompt(tokenizer, QUESTION, ANSWER, SOURCES)
    ids, _ = encode_with_offsets(tokenizer, ANSWER)
    found = probe._attentions(prompt, ids)
    model.set_attn_implementation("eager")
    with torch.inference_mode():
        whole = model(torch.tensor([[*prompt.ids, *ids]]), output_attentions=True).attentions
    assert len(found) == 2
    for ours, theirs in zip(found, whole, strict=True):
        assert ours == pytest.approx(theirs[0, :, -len(ids) :].numpy(), abs=1e-5)
        assert ours.sum(axis=2) == pytest.approx(np.ones(ours.shape[:2]), abs=1e-5)


def test_scores_repeat_bit_for_bit_and_leave_the_model_as_it_was(tokenizer: Any) -> None:
    model = tiny_llama(5)
    before = model.config._attn_implementation
    probe = AttentionProbe(Loaded(tokenizer, model))
    first = probe.score(QUESTION, ANSWER, SOURCES)
    assert (
        first
        == probe.score(QUESTION, ANSWER, SOURCES)
        == AttentionProbe(Loaded(tokenizer, model)).score(QUESTION, ANSWER, SOURCES)
    )
    assert model.config._attn_implementation == before


def test_a_prompt_is_read_once_for_all_its_answers(tokenizer: Any) -> None:
    model = Scripted(pointing(tokenizer, 0.6))
    probe = AttentionProbe(Loaded(tokenizer, model))
    for _ in range(3):
        probe.score(QUESTION, ANSWER, SOURCES)
    assert model.calls == 1 + 3


def test_a_model_without_attentions_fails_loudly(tokenizer: Any) -> None:
    with pytest.raises(EvalError, match=r"model \(scripted\) gives no attentions"):
        AttentionProbe(Loaded(tokenizer, Scripted(None))).score(QUESTION, ANSWER, SOURCES)


@pytest.mark.parametrize(
    ("answer", "sources", "reason"),
    [
        ("", SOURCES, "empty"),
        ("The pump runs at 4 bar", SOURCES, "no sentence end"),
        ("The documents do not state it.", SOURCES, "refusal"),
        (ANSWER, [" "], "context is empty"),
        ("x " * 60_000 + ".", SOURCES, "characters"),
        ("The pump runs at 4 bar and the valve is green. " * 80, SOURCES, "tokens"),
        ("# .\n", SOURCES, "empty"),
    ],
)
def test_what_cannot_be_judged_says_why(tokenizer: Any, answer: str, sources: list[str], reason: str) -> None:
    scores = AttentionProbe(Loaded(tokenizer, tiny_llama())).score(QUESTION, answer, sources)
    assert scores.score.state == "not_scorable"
    assert reason in scores.score.reason
    assert math.isnan(scores.score.value)
    assert (scores.claims, scores.mean.n) == ((), 0)


def test_long_sources_are_cut_to_what_the_answer_is_about(tokenizer: Any) -> None:
    filler = "The valve is green . " * 400
    sources = [filler, "The pump runs at 4 bar .", filler]
    prompt = build_prompt(tokenizer, QUESTION, ANSWER, sources)
    assert prompt.cut
    assert prompt.end - prompt.start <= MOST_SOURCE_TOKENS
    kept = nearest_parts(tokenizer, "\n".join(sources), ANSWER)
    assert "pump runs at 4 bar" in kept
    assert AttentionProbe(Loaded(tokenizer, tiny_llama())).score(QUESTION, ANSWER, sources).cut


def test_layers_are_a_part_of_the_depth() -> None:
    assert chosen_layers(30, (0.55, 0.85)) == list(range(16, 26))
    assert chosen_layers(1, (0.55, 0.85)) == [0]
    assert chosen_layers(4, (1.0, 1.0)) == [3]
    assert chosen_layers(2, (0.0, 1.0)) == [0, 1]
    with pytest.raises(EvalError, match="part of the depth"):
        chosen_layers(4, (0.8, 0.2))


def test_a_slow_tokenizer_is_refused_by_name() -> None:
    def slow(*_: Any, **__: Any) -> None:
        raise NotImplementedError

    with pytest.raises(EvalError, match="fast one"):
        encode_with_offsets(slow, "text")


def test_options_reach_the_kernel(tokenizer: Any) -> None:
    weights = pointing(tokenizer, 0.6)
    blind = AttentionOptions(kernel=AlignmentOptions(least_left=0.7))
    scores = AttentionProbe(Loaded(tokenizer, Scripted(weights)), blind).score(QUESTION, ANSWER, SOURCES)
    assert scores.score.state == "not_scorable"
    assert "sinks" in scores.claims[0].score.reason
