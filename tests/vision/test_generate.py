"""Decoding obeys the grammar whatever the weights, and its confidences are probabilities."""

from __future__ import annotations

import pytest
import torch

from vision.donut import DonutConfig, build_small
from vision.generate import choose, field_choices, generate
from vision.tokens import decode, decode_location
from vision.vocabulary import (
    ANGLE_0,
    FRACTION_0,
    ID,
    VOCABULARY,
)

SMALL = DonutConfig(
    image_size=64, hidden_size=32, encoder_layers=1, decoder_layers=1, feed_forward=32, encoder_heads=2, decoder_heads=2
)


@pytest.fixture(scope="module")
def encoded():  # type: ignore[no-untyped-def]
    torch.manual_seed(0)
    model = build_small(SMALL).eval()
    with torch.inference_mode():
        return model, model.encode(torch.randn(6, 3, 64, 64))


def test_untrained_weights_still_spell_whole_fields(encoded) -> None:  # type: ignore[no-untyped-def]
    model, views = encoded
    for sequence in generate(model, views, "read"):
        decode(sequence.ids)  # raises TokenError where it is malformed
        assert len(sequence.chosen) == len(sequence.ids) - 1
        for choices in field_choices(sequence).values():
            assert all(0.0 <= choice.probability <= 1.0 + 1e-6 for choice in choices)
    for sequence in generate(model, views, "locate"):
        decode_location(sequence.ids)


def test_a_view_decodes_the_same_alone_and_in_a_batch(encoded) -> None:  # type: ignore[no-untyped-def]
    model, views = encoded
    batch = generate(model, views, "read")
    for row in range(3):
        alone = type(views)(last_hidden_state=views.last_hidden_state[row : row + 1])
        assert generate(model, alone, "read")[0].ids == batch[row].ids


def test_an_angle_between_two_bins_is_read_out_between_them() -> None:
    logits = torch.full((len(VOCABULARY),), -9.0)
    logits[ANGLE_0 + 137], logits[ANGLE_0 + 138] = 5.0, 5.0
    chosen = choose(logits, frozenset(range(ANGLE_0, ANGLE_0 + 360)))
    assert chosen.place == pytest.approx(137.5, abs=0.05)
    assert chosen.probability > 0.95


def test_an_angle_at_the_seam_does_not_average_to_the_opposite_side() -> None:
    logits = torch.full((len(VOCABULARY),), -9.0)
    logits[ANGLE_0 + 359], logits[ANGLE_0] = 5.0, 5.2
    chosen = choose(logits, frozenset(range(ANGLE_0, ANGLE_0 + 360)))
    assert chosen.place is not None
    assert min(chosen.place, 360 - chosen.place) < 1.0


def test_a_fraction_at_the_end_of_the_axis_stays_on_it() -> None:
    logits = torch.full((len(VOCABULARY),), -9.0)
    logits[FRACTION_0] = 9.0
    chosen = choose(logits, frozenset(range(FRACTION_0, FRACTION_0 + 401)))
    assert chosen.place == pytest.approx(-0.5, abs=1e-3)


def test_only_allowed_tokens_are_chosen() -> None:
    logits = torch.zeros(len(VOCABULARY))
    logits[ID["unit:bar"]] = 50.0
    assert choose(logits, frozenset({ID["unit:psi"], ID["unit:MPa"]})).token_id in (ID["unit:psi"], ID["unit:MPa"])
