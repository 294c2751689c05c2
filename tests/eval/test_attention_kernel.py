"""Alignment of written tokens: by hand on small weights, and laws on random ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.attention_kernel import AlignmentOptions, Flags, Floats, align_tokens, excess_attention, find_spans
from eval.score import EvalError

OPTIONS = AlignmentOptions()
SPECIAL = np.array([True, False, False, False, False, False])
SOURCE = np.array([False, True, True, True, False, False])


def align(rows: list[list[list[float]]], options: AlignmentOptions = OPTIONS) -> list[float]:
    return [one.ac for one in align_tokens(np.array(rows), SOURCE, SPECIAL, options)]


def test_each_token_looks_at_its_own_place() -> None:
    # Half of each row lies on the first token. What is left: .8 and .2; .6, .2 and .2. No other token looks at these keys.
    first, second = align_tokens(
        np.array([[[0.5, 0.4, 0.0, 0.0, 0.1, 0.0], [0.5, 0.0, 0.0, 0.3, 0.1, 0.1]]]), SOURCE, SPECIAL, OPTIONS
    )
    assert (first.ac, second.ac) == pytest.approx((0.8, 0.6))
    assert (first.spans, second.spans) == (((1, 2),), ((3, 4),))
    assert first.heads == pytest.approx((0.8,))


def test_a_place_that_all_tokens_look_at_is_no_alignment() -> None:
    # Key 2 is looked at alike by both (below the bound of a sink): position, not content.
    assert align([[[0.1, 0.0, 0.09, 0.0, 0.81, 0.0], [0.1, 0.0, 0.09, 0.0, 0.4, 0.41]]]) == [0, 0]


def test_a_sink_within_the_sources_is_taken_off() -> None:
    # Key 1 takes .5 of every row: a sink. Of the .4 left beside the special key, .3 lie on key 3: .75.
    assert align([[[0.1, 0.5, 0.0, 0.3, 0.1, 0.0], [0.1, 0.5, 0.0, 0.0, 0.2, 0.2]]]) == pytest.approx([0.75, 0])


def test_the_baseline_is_that_of_the_other_tokens() -> None:
    # Shares of key 1: 1/2, 1/4, 0. Beyond the mean of the others: 1/2 - 1/8, 1/4 - 1/4, 0.
    source = np.array([True, False, False, False])
    weights = np.array([[[0.5, 0.5, 0.0, 0.0], [0.25, 0.5, 0.25, 0.0], [0.0, 0.5, 0.25, 0.25]]])
    options = AlignmentOptions(sink=0.9)
    excess, left = excess_attention(weights, source, np.zeros(4, bool), options)
    assert excess[0, :, 0] == pytest.approx([0.375, 0, 0])
    assert left == pytest.approx(np.ones((1, 3)))


def test_heads_that_look_things_up_are_averaged() -> None:
    idle = [[1.0, 0, 0, 0, 0, 0], [1.0, 0, 0, 0, 0, 0]]
    copies = [[0.2, 0.8, 0, 0, 0, 0], [0.2, 0, 0, 0.4, 0.2, 0.2]]
    elsewhere = [[0.2, 0, 0, 0, 0.8, 0], [0.2, 0, 0, 0, 0.4, 0.4]]
    # The idle head, all on the sink, has no say; of the two others the better one (0.34 of 2, at least one) counts.
    assert align([idle, copies, elsewhere]) == pytest.approx([1.0, 0.5])
    assert align([idle, copies, elsewhere], AlignmentOptions(best_heads=1.0)) == pytest.approx([0.5, 0.25])
    assert all(math.isnan(one) for one in align([idle]))


def test_spans_bridge_small_gaps_only() -> None:
    excess = np.zeros(40)
    excess[[3, 8, 30]] = [0.4, 0.3, 0.25]
    excess[20] = 0.1  # below half of the strongest
    assert find_spans(excess, OPTIONS) == ((3, 9), (30, 31))
    assert find_spans(excess, AlignmentOptions(gap=0)) == ((3, 4), (8, 9), (30, 31))
    assert find_spans(np.full(40, 0.01), OPTIONS) == ()
    assert find_spans(np.zeros(0), OPTIONS) == ()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones((1, 1, 6)) / 6, "no baseline"),
        (np.ones((1, 2, 5)) / 5, "does not go with 6 keys"),
        (np.ones((2, 6)) / 6, "does not go with 6 keys"),
        (np.full((1, 2, 6), np.nan), "not finite"),
    ],
)
def test_what_is_no_attention_is_refused(weights: Floats, message: str) -> None:
    with pytest.raises(EvalError, match=message):
        align_tokens(weights, SOURCE, SPECIAL, OPTIONS)


def random_attention(seed: int) -> tuple[Floats, Flags, Flags]:
    rng = np.random.default_rng(seed)
    heads, written, keys = int(rng.integers(1, 5)), int(rng.integers(2, 7)), 20
    weights = rng.dirichlet(np.full(keys, 0.2), (heads, written))
    source = np.zeros(keys, bool)
    source[2:12] = True
    special = np.zeros(keys, bool)
    special[0] = True
    return weights, source, special


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_ac_is_a_share_and_the_order_of_heads_does_not_matter(seed: int) -> None:
    weights, source, special = random_attention(seed)
    tokens = align_tokens(weights, source, special, OPTIONS)
    assert all(math.isnan(one.ac) or 0 <= one.ac <= 1 for one in tokens)
    assert all(source[start] and source[end - 1] for one in tokens for start, end in one.spans)
    turned = align_tokens(weights[::-1], source, special, OPTIONS)
    assert [one.ac for one in turned] == pytest.approx([one.ac for one in tokens], nan_ok=True)


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_tokens_that_all_look_alike_are_not_aligned(seed: int) -> None:
    weights, source, special = random_attention(seed)
    alike = np.repeat(weights[:, :1], 4, axis=1)
    assert all(math.isnan(one.ac) or one.ac < 1e-9 for one in align_tokens(alike, source, special, OPTIONS))
