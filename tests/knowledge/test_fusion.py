"""Fusion of rankings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.fusion import ROUTES, RouteName, RouteScore, SearchOptions, fuse, ranked

ROUTE_SCORES = st.dictionaries(st.integers(0, 9), st.floats(0, 1), max_size=6)


def test_ranks_follow_scores_and_rows_break_ties() -> None:
    assert ranked({4: 0.5, 2: 0.9, 1: 0.5}) == {2: RouteScore(0.9, 1), 1: RouteScore(0.5, 2), 4: RouteScore(0.5, 3)}
    assert ranked({1: 1.2, 2: -0.1}) == {1: RouteScore(1.0, 1), 2: RouteScore(0.0, 2)}


def test_weights_are_four_three_three() -> None:
    routes: dict[RouteName, dict[int, RouteScore]] = {
        "dense": ranked({1: 0.5}),
        "lexical": ranked({1: 1.0, 2: 0.5}),
        "structured": ranked({2: 1.0}),
    }
    assert fuse(routes, SearchOptions()) == pytest.approx({1: 0.5, 2: 0.45})


def test_reciprocal_ranks_look_at_ranks_alone() -> None:
    options = SearchOptions(fusion="reciprocal", reciprocal_constant=20)
    near = fuse({"dense": ranked({1: 0.9, 2: 0.8})}, options)
    far = fuse({"dense": ranked({1: 0.9, 2: 0.1})}, options)
    assert near == far == pytest.approx({1: 0.4, 2: 0.4 * 21 / 22})


@given(st.tuples(ROUTE_SCORES, ROUTE_SCORES, ROUTE_SCORES), st.sampled_from(["weighted", "reciprocal"]))
def test_fused_scores_stay_in_range_and_cover_every_row(parts: tuple[dict[int, float], ...], fusion: str) -> None:
    routes = dict(zip(ROUTES, map(ranked, parts), strict=True))
    fused = fuse(routes, SearchOptions(fusion=fusion))  # type: ignore[arg-type]
    assert set(fused) == {row for part in parts for row in part}
    assert all(0.0 <= score <= 1.0 for score in fused.values())
