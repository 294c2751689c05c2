"""One number on two lines is told from two numbers by its unit, and left open where there is none."""

from __future__ import annotations

import pytest

from vision.digits import DigitsWitness
from vision.display_folds import is_folded, unfolded
from vision.text_strips import TextPatch

TOP, FOOT = TextPatch((100.0, 40.0), 120.0, 50.0), TextPatch((100.0, 110.0), 120.0, 52.0)


def two_lines(first: str = "6659", second: str = "149.1", foot: TextPatch = FOOT) -> DigitsWitness:
    return DigitsWitness(first, None, 0.9, None, (first, second), TOP, (foot,))


def test_a_total_on_two_lines_is_one_number() -> None:
    seen = two_lines()
    assert is_folded(seen)
    joined = unfolded(seen, {"kWh"})
    assert (joined.text, joined.unit, joined.rows) == ("6659149.1", "kWh", ("6659149.1",))


def test_without_a_unit_it_is_left_open() -> None:
    left = unfolded(two_lines(), set())
    assert left.text is None
    assert left.reason == "6659 over 149.1 may be two numbers or one on two lines"
    assert unfolded(two_lines(), {"kWh", "V"}).text is None


def test_another_unit_may_be_misread_so_it_does_not_tell() -> None:
    assert unfolded(two_lines(), {"kA"}).text is None


@pytest.mark.parametrize(
    "seen",
    [
        two_lines("66.59"),
        two_lines("0659"),
        two_lines("66591"),
        two_lines(second="1491"),
        two_lines(second="14.91"),
        two_lines(second="049"),
        two_lines(foot=FOOT._replace(height_px=30.0)),
        DigitsWitness(None, rows=("6659", "149.1")),
        DigitsWitness("6659", rows=("6659",), place=TOP),
        DigitsWitness("149.1", rows=("6659", "149.1"), place=FOOT, others=(TOP,)),
        DigitsWitness("6659", rows=("6659", "149.1", "7"), place=TOP, others=(FOOT, FOOT)),
    ],
)
def test_what_is_no_folded_total(seen: DigitsWitness) -> None:
    assert not is_folded(seen)
