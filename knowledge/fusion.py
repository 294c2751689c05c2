"""How three rankings become one: weighted scores (4 : 3 : 3), or weighted reciprocal ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

Fusion = Literal["weighted", "reciprocal"]
RouteName = Literal["dense", "lexical", "structured"]
ROUTES: tuple[RouteName, ...] = ("dense", "lexical", "structured")


@dataclass(frozen=True)
class SearchOptions:
    """Weights of the routes (they sum to 1) and of the ranking rules; the only place of these defaults.

    A weight of 0 switches its route off. `fusion` "reciprocal" adds 1 / (`reciprocal_constant` + rank) instead of scores
    (Cormack et al., SIGIR 2009). `general` scales documents about every instrument where a model is known, `specific` those
    about one where none is, `overview` a manual's introduction.
    `passages` is the share of the nearest passage in the dense score, `same_cosine` the cosine from which on two texts count
    as saying the same: the embedder's cosines end well below 1, the other routes' scores do not.
    `link` is the share of its score that a hit passes on to what it refers to, `called_link` where
    the very row that the question names does; a target that covers `gain` more of the question than the hit itself comes
    before it. `heading` is what a heading that names all that is asked is worth, `limit` a limit that a value falls under,
    `cause` what a passage that gives a cause is worth to a question that asks why, `datum` what a table of properties is
    worth to one that asks for a property.
    """

    dense: float = 0.4
    lexical: float = 0.3
    structured: float = 0.3
    fusion: Fusion = "weighted"
    reciprocal_constant: int = 20
    other_language: float = 0.6
    general: float = 0.55
    specific: float = 0.85
    overview: float = 0.8
    candidates: int = 40
    duplicate: float = 0.85
    least_score: float = 0.08
    summaries: bool = False
    passages: float = 0.5
    same_cosine: float = 0.8
    heading: float = 0.6
    limit: float = 0.6
    cause: float = 0.15
    datum: float = 0.2
    link: float = 0.2
    called_link: float = 0.8
    gain: float = 0.08
    reranked: int = 20
    rerank_weight: float = 0.5

    def weight(self, route: RouteName) -> float:
        """Weight of a route."""
        return {"dense": self.dense, "lexical": self.lexical, "structured": self.structured}[route]


class RouteScore(NamedTuple):
    """What one route gave a row: score in [0, 1] and rank from 1."""

    score: float
    rank: int


def ranked(scores: Mapping[int, float]) -> dict[int, RouteScore]:
    """Scores with ranks; equal scores are ordered by row, so that a ranking is the same on every run."""
    order = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return {row: RouteScore(min(1.0, max(0.0, score)), rank) for rank, (row, score) in enumerate(order, 1)}


def fuse(routes: Mapping[RouteName, Mapping[int, RouteScore]], options: SearchOptions) -> dict[int, float]:
    """Row -> fused score in [0, 1] over all rows that a route found."""
    fused: dict[int, float] = {}
    for route, found in routes.items():
        weight = options.weight(route)
        for row, (score, rank) in found.items():
            constant = options.reciprocal_constant
            part = score if options.fusion == "weighted" else (constant + 1) / (constant + rank)
            fused[row] = fused.get(row, 0.0) + weight * part
    # Sums of weights may end a rounding above 1, which the contract of a hit refuses.
    return {row: min(1.0, score) for row, score in fused.items()}
