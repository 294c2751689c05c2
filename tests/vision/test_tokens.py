"""The law of the tokens: what is written reads back as the quantised fields, whatever the fields."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.bins import quantise
from vision.fields import KINDS, LAMP_COLORS, Channel, GaugeFields, ScalePoint
from vision.grammar import Grammar, choices_along
from vision.tokens import Located, TokenError, decode, decode_location, encode, encode_location
from vision.units import UNIT_NAMES
from vision.vocabulary import (
    END_ID,
    ID,
    LOCATE_ID,
    PAD_ID,
    READ_ID,
    VOCABULARY,
)

ANGLES = st.floats(0, 360, exclude_max=True, allow_nan=False)
NUMBERS = st.one_of(
    st.floats(-9e14, 9e14, allow_nan=False),
    st.sampled_from([0.0, -0.0, 0.04, 0.4, 1.6, -30.0, 1e-5, 123456.7, 250.0, -1e-7, 1e7]),
)
DIGITS = st.from_regex(r"[+-]?[0-9]{0,9}\.?[0-9]{1,5}", fullmatch=True) | st.from_regex(r"[+-]?[0-9]{1,14}\.", fullmatch=True)
UNITS = st.sampled_from(UNIT_NAMES)


def maybe(strategy: st.SearchStrategy) -> st.SearchStrategy:
    return st.none() | strategy


CHANNELS = st.builds(
    Channel,
    label=maybe(st.text(st.characters(exclude_categories=["Cs"]), max_size=12)),
    color=maybe(st.sampled_from(["red", "black", "绿色"])),
    pointer_angle=maybe(ANGLES),
    scale_min=maybe(NUMBERS),
    scale_max=maybe(NUMBERS),
    unit=maybe(UNITS),
    digital_readout=maybe(DIGITS),
)
FIELDS = st.builds(
    GaugeFields,
    kind=st.sampled_from(KINDS),
    pointer_angle=maybe(ANGLES),
    start_angle=maybe(ANGLES),
    end_angle=maybe(ANGLES),
    clockwise=maybe(st.booleans()),
    scale_fraction=maybe(st.floats(-0.5, 1.5)),
    scale_min=maybe(NUMBERS),
    scale_max=maybe(NUMBERS),
    scale_multiplier=maybe(st.sampled_from([0.001, 0.1, 10.0, 8e14, 1000.0, 2.5])),
    scale_points=st.lists(st.builds(ScalePoint, angle=ANGLES, value=NUMBERS), max_size=4).map(tuple),
    unit=maybe(UNITS),
    warning_light_color=maybe(st.sampled_from(LAMP_COLORS)),
    mode_dial_position=maybe(st.integers(1, 5)),
    digital_readout=maybe(DIGITS),
    channels=st.lists(CHANNELS, max_size=3).map(tuple),
)


@settings(max_examples=300, deadline=None)
@given(FIELDS)
def test_decode_of_encode_is_quantise(fields: GaugeFields) -> None:
    assert decode(encode(fields).ids) == quantise(fields)


@settings(max_examples=100, deadline=None)
@given(FIELDS)
def test_quantise_is_idempotent_and_close(fields: GaugeFields) -> None:
    once = quantise(fields)
    assert quantise(once) == once
    assert once is not None
    if fields.pointer_angle is not None and once.pointer_angle is not None:
        assert abs((once.pointer_angle - fields.pointer_angle + 180) % 360 - 180) <= 0.5 + 1e-9
    if fields.scale_fraction is not None and once.scale_fraction is not None:
        assert abs(once.scale_fraction - fields.scale_fraction) <= 0.0025 + 1e-9
    assert once.digital_readout == fields.digital_readout
    assert once.unit == fields.unit


@pytest.mark.parametrize("unit", UNIT_NAMES)
def test_every_unit_survives(unit: str) -> None:
    fields = GaugeFields(kind="dial", unit=unit)
    assert decode(encode(fields).ids) == fields


@pytest.mark.parametrize("angle", range(360))
def test_every_angle_survives(angle: int) -> None:
    fields = GaugeFields(kind="dial", pointer_angle=float(angle))
    assert decode(encode(fields).ids) == fields


def test_every_digit_string_of_three_survives() -> None:
    for number in range(1000):
        for text in (f"{number:03d}", f"-{number}", f"{number / 10}", f".{number}", f"{number}."):
            fields = GaugeFields(kind="digital", digital_readout=text)
            assert decode(encode(fields).ids) == fields


def test_an_angle_just_below_360_is_bin_zero() -> None:
    fields = quantise(GaugeFields(kind="dial", pointer_angle=359.7))
    assert fields is not None
    assert fields.pointer_angle == 0.0


def test_places_keep_what_the_bins_lose() -> None:
    encoded = encode(GaugeFields(kind="dial", pointer_angle=137.2, scale_fraction=0.3573))
    assert encoded.places[encoded.ids.index(ID["angle:137"])] == pytest.approx(137.2)
    assert encoded.places[encoded.ids.index(ID["fraction:171"])] == pytest.approx((0.3573 + 0.5) / 0.005)


def test_nothing_to_read_has_its_own_sequence() -> None:
    assert decode(encode(None).ids) is None
    assert decode_location(encode_location(None).ids) is None
    assert quantise(None) is None


@given(st.sampled_from(KINDS), st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_locations_survive_within_half_a_bin(kind: str, sides: list[float]) -> None:
    x0, x1 = sorted(sides[:2])
    y0, y1 = sorted(sides[2:])
    located = decode_location(encode_location(Located(kind, (x0, y0, x1, y1))).ids)
    assert located is not None
    assert located.kind == kind
    assert located.box == pytest.approx((x0, y0, x1, y1), abs=0.5 / 256 + 1e-9)


@settings(max_examples=200, deadline=None)
@given(FIELDS)
def test_the_grammar_allows_what_encode_writes(fields: GaugeFields) -> None:
    ids = encode(fields).ids
    sets = choices_along(ids)
    assert len(sets) == len(ids) - 1
    assert all(token in choices for token, choices in zip(ids[1:], sets, strict=True))


@pytest.mark.parametrize("task", ["read", "locate"])
@pytest.mark.parametrize("extras", [True, False])
def test_every_walk_through_the_grammar_decodes(task: str, extras: bool) -> None:
    rng = random.Random(7)
    for _ in range(300):
        grammar = Grammar(task, extras=extras)
        ids = [READ_ID if task == "read" else LOCATE_ID]
        while not grammar.ended:
            # Prefer the end now and then, so that walks stay short.
            token = END_ID if END_ID in grammar.allowed and rng.random() < 0.3 else rng.choice(sorted(grammar.allowed))
            grammar.advance(token)
            ids.append(token)
        if task == "read":
            fields = decode(ids)
            assert fields is None or encode(fields).ids[0] == READ_ID
        else:
            decode_location(ids)


def test_padding_is_ignored_and_tokens_behind_the_end_are_not() -> None:
    ids = encode(GaugeFields(kind="lamp", warning_light_color="red")).ids
    assert decode([*ids, PAD_ID, PAD_ID]) == GaugeFields(kind="lamp", warning_light_color="red")
    with pytest.raises(TokenError, match="follow"):
        decode([*ids, ID["unit:bar"]])


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (["<s_read>", "kind:dial", "<s_unit>", "unit:bar"], "without </s>"),
        (["kind:dial", "</s>"], "expected <s_read>"),
        (["<s_read>", "kind:dial", "<s_unit>", "unit:bar", "<s_unit>", "unit:psi", "</s>"], "stands twice"),
        (["<s_read>", "kind:dial", "<s_scale_min>", "1", ".", ".", "</s>"], "is not a number"),
        (["<s_read>", "kind:dial", "<s_pointer_angle>", "unit:bar", "</s>"], "expected a angle"),
        (["<s_read>", "kind:dial", "unit:bar", "</s>"], "cannot stand"),
        (["<s_read>", "kind:digital", "<s_digital_readout>", "-", "</s>"], "invalid fields"),
    ],
)
def test_malformed_sequences_raise_and_say_where(tokens: list[str], message: str) -> None:
    with pytest.raises(TokenError, match=message):
        decode([ID[token] for token in tokens])


def test_unknown_ids_raise() -> None:
    with pytest.raises(TokenError, match="outside the vocabulary"):
        decode([READ_ID, len(VOCABULARY)])
    with pytest.raises(TokenError, match="not allowed"):
        Grammar("read").advance(READ_ID)


def test_an_inverted_box_raises() -> None:
    ids = [ID[t] for t in ("<s_locate>", "kind:dial", "<s_box>", "location:9", "location:0", "location:3", "location:1", "</s>")]
    with pytest.raises(TokenError, match="inside out"):
        decode_location(ids)
