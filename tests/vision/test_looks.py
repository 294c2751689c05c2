"""Several looks at one instrument: what agrees is averaged, what stands alone is left out, doubt is told."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.crops import View
from vision.fields import POINT_NAMES
from vision.looks import LOOKS, Look, Places, agree

BASE = ((60.0, 20.0), (50.0, 50.0), (20.0, 80.0), (80.0, 80.0))


def seen(shift: tuple[float, float] = (0.0, 0.0), mass: float = 0.8, *, only: int | None = None) -> Places:
    moved = tuple((x + shift[0], y + shift[1]) if only in (None, i) else (x, y) for i, (x, y) in enumerate(BASE))
    return Places(moved, (mass,) * 4)


def test_one_look_is_taken_as_it_is() -> None:
    agreed = agree([seen()])
    assert agreed.points.needle_tip == pytest.approx(BASE[0])
    assert agreed.confidence == dict.fromkeys(POINT_NAMES, 0.8)


def test_small_differences_average_out_and_cost_little() -> None:
    agreed = agree([seen((0.3, 0.0)), seen((-0.3, 0.0)), seen((0.0, 0.0))])
    assert agreed.points.pivot == pytest.approx((50.0, 50.0), abs=0.2)
    assert 0.7 < agreed.confidence["pivot"] < 0.8


def test_a_look_that_took_the_tail_for_the_tip_is_outvoted_and_doubt_rises() -> None:
    tail = seen((-20.0, 60.0), only=0)
    agreed = agree([seen(), tail, seen((0.2, 0.1))])
    assert math.dist(agreed.points.needle_tip or (0, 0), BASE[0]) < 0.5
    assert agreed.confidence["needle_tip"] < 0.6
    assert agreed.confidence["pivot"] > 0.75


def test_looks_that_all_differ_leave_no_confidence() -> None:
    agreed = agree([seen(), seen((30.0, 0.0), only=0), seen((0.0, 40.0), only=0)])
    assert agreed.confidence["needle_tip"] < 0.3


@given(st.floats(-30, 30), st.floats(0.7, 1.4), st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_a_look_keeps_the_way_back_to_the_photo(roll: float, zoom: float, place: tuple[float, float]) -> None:
    view = Look(roll, zoom).of(View((200.0, 150.0), 120.0, 96))
    assert view.to_view(view.to_photo(place)) == pytest.approx(place, abs=1e-6)
    assert view.center == (200.0, 150.0)


def test_the_looks_turn_both_ways() -> None:
    assert np.mean([look.roll_deg for look in LOOKS]) == pytest.approx(0.0)
    assert all(0.9 < look.zoom < 1.15 for look in LOOKS)
