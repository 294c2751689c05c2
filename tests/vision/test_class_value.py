"""Votes of several looks at a lamp or selector: averages, doubt about the kind, and the label that follows."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.vision.test_lamp_color import model as lamp_model
from tests.vision.test_reader import TINY
from vision.class_value import LABELS, ClassVotes, choose_class, class_votes, with_class
from vision.donut import build_small
from vision.fields import GaugeFields
from vision.generate import choice_probabilities, generate
from vision.lamp_color import FEATURES
from vision.state_pool import StatePool, StatePools
from vision.state_reader import StateSeen
from vision.vocabulary import ID, VOCABULARY

RED = ClassVotes(0.9, {"red": 0.6, "yellow": 0.2, "green": 0.1, "off": 0.05})


@pytest.fixture(scope="module")
def looks():  # type: ignore[no-untyped-def]
    torch.manual_seed(3)
    model = build_small(TINY).eval()
    with torch.inference_mode():
        return model, [model.encode(torch.randn(2, 3, TINY.image_size, TINY.image_size)) for _ in range(3)]


def test_the_confidence_is_that_of_the_label_and_of_the_kind() -> None:
    assert choose_class("warning_light_color", RED) == ("red", pytest.approx(0.54), None)


def test_what_the_donut_gives_to_no_colour_stays_doubt() -> None:
    features = np.zeros(FEATURES)
    even = lamp_model(donut_weight=0.0)
    choice = choose_class("warning_light_color", RED, features, even)
    assert choice.confidence == pytest.approx(0.95 * 0.25 * 0.9)
    assert choose_class("warning_light_color", RED, features, None).confidence == pytest.approx(0.54)


def test_pixels_that_say_another_colour_are_told() -> None:
    green = lamp_model(intercepts=(0.0, 0.0, 9.0, 0.0), donut_weight=1.0)
    choice = choose_class("warning_light_color", RED, np.zeros(FEATURES), green)
    assert (choice.label, choice.rival) == ("green", "green")
    red = lamp_model(intercepts=(9.0, 0.0, 0.0, 0.0), donut_weight=1.0)
    sure = choose_class("warning_light_color", RED, np.zeros(FEATURES), red)
    assert (sure.label, sure.rival) == ("red", None)
    assert sure.confidence > choose_class("warning_light_color", RED).confidence


POOLS = StatePools(
    warning_light_color=StatePool(donut=0.2, states=1.0, pixels=0.2, examples=100),
    mode_dial_position=StatePool(donut=0.2, states=1.0, examples=100),
)


def seen(label: int, share: float, kind: int, kind_share: float = 0.98) -> StateSeen:
    """What a state reader sees that is as sure of a label and of a kind as is said."""
    kinds, colors, positions = (np.full(count, 0.0) for count in (3, 4, 5))
    for shares, at, value in ((kinds, kind, kind_share), (colors, label, share), (positions, label, share)):
        shares[:] = (1.0 - value) / (len(shares) - 1)
        shares[at] = value
    return StateSeen(kinds, colors, positions)


def test_the_state_readers_word_counts_where_its_weight_is_known() -> None:
    doubtful = ClassVotes(0.95, {"1": 0.3, "2": 0.4, "3": 0.2, "4": 0.05, "5": 0.0})
    votes = doubtful.with_seen("selector", seen(2, 0.97, 1))
    assert (sum(votes.seen.values()), votes.seen_kind) == (pytest.approx(1.0), pytest.approx(0.98))  # type: ignore[union-attr]
    choice = choose_class("mode_dial_position", votes, pools=POOLS)
    assert choice.label == "3"
    assert choice.confidence > 0.85
    for pools in (None, StatePools()):
        assert choose_class("mode_dial_position", votes, pools=pools) == choose_class("mode_dial_position", doubtful)
    assert choose_class("mode_dial_position", doubtful, pools=POOLS) == choose_class("mode_dial_position", doubtful)


def test_doubt_about_the_kind_and_a_flat_word_take_confidence() -> None:
    votes = ClassVotes(0.95, {"1": 0.3, "2": 0.4, "3": 0.2, "4": 0.05, "5": 0.05})
    sure = choose_class("mode_dial_position", votes.with_seen("selector", seen(1, 0.97, 1)), pools=POOLS)
    other = choose_class("mode_dial_position", votes.with_seen("selector", seen(1, 0.97, 2)), pools=POOLS)
    flat = choose_class("mode_dial_position", votes.with_seen("selector", seen(1, 0.2, 1)), pools=POOLS)
    assert other.confidence < 0.6 * sure.confidence
    assert flat.confidence < 0.5


def test_a_lamps_three_witnesses_are_heard_together() -> None:
    green = lamp_model(intercepts=(0.0, 0.0, 4.0, 0.0))
    votes = RED.with_seen("lamp", seen(0, 0.9, 0))
    with_pixels = choose_class("warning_light_color", votes, np.zeros(FEATURES), green, POOLS)
    without = choose_class("warning_light_color", votes, None, None, POOLS)
    assert (with_pixels.label, with_pixels.rival) == ("red", "green")
    assert without.rival is None
    assert with_pixels.confidence < without.confidence


@pytest.mark.parametrize("kind", ["lamp", "selector"])
def test_votes_are_the_mean_of_the_looks_and_rows_do_not_mix(looks, kind: str) -> None:  # type: ignore[no-untyped-def]
    model, encoded = looks
    together = class_votes(model, encoded, 1, kind)
    alone = [class_votes(model, [look], 1, kind) for look in encoded]
    assert together.kind == pytest.approx(np.mean([one.kind for one in alone]), abs=1e-5)
    for label, share in together.shares.items():
        assert share == pytest.approx(np.mean([one.shares[label] for one in alone]), abs=1e-5)
    assert 0.0 < sum(together.shares.values()) < 1.0
    assert tuple(together.shares) in LABELS.values()
    assert class_votes(model, encoded, 0, kind) != together


def test_the_votes_of_one_look_are_the_probabilities_that_decoding_saw(looks) -> None:  # type: ignore[no-untyped-def]
    """An outside oracle: greedy decoding with a cache gives the kind the same probability as the prefix without one."""
    model, encoded = looks
    first = generate(model, encoded[0], "read")[0]
    assert first.chosen[0] is not None
    kinds = (*(i for i, token in enumerate(VOCABULARY) if token.startswith("kind:")), ID["<nothing>"])
    (found,) = choice_probabilities(model, encoded[0].last_hidden_state, (ID["<s_read>"],), {0: kinds})
    assert float(found[0].max()) == pytest.approx(first.chosen[0].probability, abs=1e-5)
    assert found.sum(-1).tolist() == pytest.approx([1.0, 1.0])


def test_a_label_becomes_a_field() -> None:
    assert with_class(GaugeFields(kind="selector"), "mode_dial_position", "4").mode_dial_position == 4
    assert with_class(GaugeFields(kind="lamp"), "warning_light_color", "off").warning_light_color == "off"
    assert with_class(GaugeFields(kind="lamp", warning_light_color="red"), "warning_light_color", None) == GaugeFields(
        kind="lamp"
    )
