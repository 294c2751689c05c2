"""Pools of witnesses: distributions, weights of nothing, and files that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from vision.fields import LAMP_COLORS
from vision.state_pool import POOLS_FILE, PoolError, StatePool, StatePools, Voice, pool_kind, pool_shares

voices = st.lists(
    st.tuples(st.fixed_dictionaries({color: st.floats(0.0, 1.0) for color in LAMP_COLORS}), st.floats(0.0, 2.0)), max_size=3
)
RED = {"red": 0.7, "yellow": 0.2, "green": 0.1, "off": 0.0}


@given(voices)
def test_a_pool_is_a_distribution_whatever_is_said(said: list[tuple[dict[str, float], float]]) -> None:
    pooled = pool_shares(LAMP_COLORS, [Voice(*one) for one in said])
    assert tuple(pooled) == LAMP_COLORS
    assert sum(pooled.values()) == pytest.approx(1.0)
    assert min(pooled.values()) >= 0.0


def test_a_voice_without_weight_is_not_heard_and_one_with_more_is_heard_more() -> None:
    alone = pool_shares(LAMP_COLORS, [Voice(RED, 1.0)])
    assert pool_shares(LAMP_COLORS, [Voice(RED, 1.0), Voice({"green": 1.0}, 0.0)]) == pytest.approx(alone)
    shares = [pool_shares(LAMP_COLORS, [Voice(RED, 1.0), Voice({"green": 1.0}, weight)])["green"] for weight in (0.2, 0.5, 1.0)]
    assert shares == sorted(shares)


def test_no_voice_alone_rules_a_label_out() -> None:
    pooled = pool_shares(LAMP_COLORS, [Voice({"green": 1.0}, 1.0), Voice(RED, 1.0)])
    assert all(share > 0.0 for share in pooled.values())


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_a_kind_lies_between_its_witnesses(donut: float, states: float) -> None:
    low, high = sorted((donut, states))
    assert max(low - 1e-3, 0.0) <= pool_kind(donut, states) <= min(high + 1e-3, 1.0)


def test_pools_come_back_from_their_file_and_a_broken_one_is_named(tmp_path: Path) -> None:
    assert StatePools.load(tmp_path) == StatePools()
    pools = StatePools(mode_dial_position=StatePool(donut=0.2, states=1.1, examples=300))
    pools.save(tmp_path)
    assert StatePools.load(tmp_path) == pools
    assert pools.of("warning_light_color") is None
    for text in ("{", '{"mode_dial_position": {"donut": -1, "states": 1, "examples": 3}}', '{"other": 1}'):
        (tmp_path / POOLS_FILE).write_text(text)
        with pytest.raises(PoolError, match=f"(?s){POOLS_FILE}.*remove it or fit it anew"):
            StatePools.load(tmp_path)
    (tmp_path / POOLS_FILE).write_bytes(b"\xff\xfe")
    with pytest.raises(PoolError):
        StatePools.load(tmp_path)
    with pytest.raises(ValidationError):
        StatePool(donut=float("nan"), states=1.0, examples=3)
