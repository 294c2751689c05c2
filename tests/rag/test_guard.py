"""The copy guard: whatever a model prefers, only whole words and numbers of the fact come out."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
import torch

from rag.guard import FUNCTION_WORDS, CopyGuard, FactTree, allowed_tokens, build_tree, step

VOCABULARY = 128
END = 0


def encode(text: str) -> list[int]:
    """One token a character, as small as a tokenizer can be: every number could be taken apart."""
    return [ord(char) for char in text]


def write(fact: str, rng: np.random.Generator, length: int = 60) -> str:
    """What a model with random preferences writes under the guard."""
    guard = CopyGuard([build_tree(fact, encode)], prompt_length=3, end_ids=[END])
    ids = [1, 1, 1]
    for _ in range(length):
        scores = torch.from_numpy(rng.standard_normal((1, VOCABULARY)).astype(np.float32))
        token = int(guard(torch.tensor([ids]), scores).argmax())
        if token == END:
            break
        ids.append(token)
    return "".join(chr(token) for token in ids[3:])


FACT = "The value is 42.88 MPa, see section 5.2."


@pytest.mark.parametrize("seed", range(30))
def test_random_models_invent_neither_numbers_nor_words(seed: int) -> None:
    text = write(FACT, np.random.default_rng(seed))
    whole = text[: text.rfind(" ")] if " " in text else text
    words = {word.strip(".,;:").lower() for word in whole.split()} - {""}
    allowed = {word.strip(".,;:").lower() for word in FACT.split()} | set(FUNCTION_WORDS)
    assert words <= allowed
    assert set(re.findall(r"\d+(?:\.\d+)?", whole)) <= {"42.88", "5.2"}


def test_a_model_that_copies_is_not_disturbed() -> None:
    tree = build_tree(FACT, encode)
    state = (tree.start,)
    for token in encode(FACT):
        assert token in allowed_tokens(state, tree)
        state = step(state, token, tree)
    assert any(node.closes for node in state)


def follow(tree: FactTree, text: str) -> tuple[bool, tuple[object, ...]]:
    state = (tree.start,)
    for token in encode(text):
        if token not in allowed_tokens(state, tree):
            return False, state
        state = step(state, token, tree)
    return True, state


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("The value is 42.88 MPa.", True),
        ("See section 5.2.", True),
        ("The section is see.", True),  # a false relation: the guard cannot judge it, the check does
        ("The value is 42.8 ", False),
        ("The value is 52.88", False),
        ("The value is 42.88.5", False),
        ("The value is 428", False),
        ("The pressure", False),
        ("The value is 42.88 bar", False),
        ("The value. The value", False),
    ],
)
def test_what_can_be_written(text: str, possible: bool) -> None:
    assert follow(build_tree(FACT, encode), text)[0] is possible


def test_after_the_full_stop_only_the_end_is_left() -> None:
    guard = CopyGuard([build_tree("A b.", encode)], prompt_length=0, end_ids=[END])
    ids: list[int] = []
    for token in encode("A b."):
        guard(torch.tensor([ids], dtype=torch.long), torch.zeros(1, VOCABULARY))
        ids.append(token)
    scores = guard(torch.tensor([ids]), torch.zeros(1, VOCABULARY))
    assert torch.isfinite(scores[0]).nonzero().flatten().tolist() == [END]


@pytest.mark.parametrize(
    ("text", "possible"),
    [("Press V1. Then wait.", True), ("Press V1 then wait.", True), ("Press V1.", True), ("Then wait. ", False)],
)
def test_a_fact_of_several_sentences_ends_at_its_last_word(text: str, possible: bool) -> None:
    tree = build_tree("Press V1. Then wait.", encode)
    assert follow(tree, text)[0] is possible
    inner, last = follow(tree, "Press V1.")[1], follow(tree, "Press V1. Then wait.")[1]
    assert all(allowed_tokens((node,), tree) for node in last if not node.closes)  # type: ignore[attr-defined,arg-type]
    assert allowed_tokens(inner, tree)  # type: ignore[arg-type]
    assert not allowed_tokens(tuple(node for node in last if node.closes), tree)  # type: ignore[attr-defined,arg-type]


def test_rows_of_a_batch_do_not_mix() -> None:
    facts: Sequence[str] = ("Qq.", "Zz.")
    guard = CopyGuard([build_tree(fact, encode) for fact in facts], prompt_length=0, end_ids=[END])
    scores = guard(torch.zeros((2, 0), dtype=torch.long), torch.zeros(2, VOCABULARY))
    first, second = (set(torch.isfinite(row).nonzero().flatten().tolist()) for row in scores)
    assert ord("Q") in first - second
    assert ord("Z") in second - first


def test_scores_of_allowed_tokens_are_not_changed() -> None:
    guard = CopyGuard([build_tree("Aa.", encode)], prompt_length=0, end_ids=[END])
    given = torch.arange(VOCABULARY, dtype=torch.float32)[None]
    kept = guard(torch.zeros((1, 0), dtype=torch.long), given)
    allowed = torch.isfinite(kept)
    assert torch.equal(kept[allowed], given[allowed])
