"""The domain suite of `gauge bench probes`: run over the manuals in force, and written for people."""

from __future__ import annotations

from collections.abc import Sequence

from eval.bench_domain import GRADED, DomainKind, DomainScores, bench_domain
from eval.bench_report_lies import HALVES
from eval.domain_suite import LANGUAGES, SEEDS, build_suite, load_options
from eval.score import Share, share_of
from eval.tables import number, percent, table
from serve.library import open_knowledge
from serve.settings import Settings

AUROC, CAUGHT = 0.98, 0.99
STRICT = ("number", "unit", "negation")
"""Families of which hardly any may be missed."""


def run_domain_suite(settings: Settings, rounds: int) -> DomainScores:
    """Build the suite from the manuals and judge it."""
    kb = open_knowledge(settings)
    try:
        items = build_suite(list(kb.chunks()))
    finally:
        kb.close()
    return bench_domain(items, rounds=rounds)


def domain_text(scores: DomainScores) -> str:
    """AUROC beside the floor, families and kinds by language, for both halves; targets count on the held-out one."""
    rows = [
        (
            one.half,
            one.probe,
            f"{number(one.auroc.value)} [{number(one.auroc.low)}, {number(one.auroc.high)}]",
            str(one.not_scorable),
        )
        for one in scores.aurocs
    ]
    families = load_options().families
    shares = [
        (name, *(_shown(scores.caught([family], half)) for half in HALVES))
        for name, family in (*((one, one) for one in families), ("faithful, borne out", None))
    ]
    strict = scores.caught(STRICT, "held out")
    graded = next(one.auroc.value for one in scores.aurocs if (one.half, one.probe) == ("held out", GRADED))
    goals = [_goal(f"graded FCI, AUROC >= {AUROC}", graded >= AUROC)]
    goals.append(_goal(f"{', '.join(STRICT)} caught >= {CAUGHT:.0%}", strict.value >= CAUGHT))
    seeds = ", ".join(f"{seed} {half}" for half, seed in SEEDS.items())
    return "\n\n".join(
        [
            f"Domain suite: {scores.n} sentences of the manuals, digest {scores.digest}; seeds {seeds}; halves of whole models",
            table(("half", "probe", "AUROC", "not scorable"), rows),
            table(("caught", *HALVES), shares),
            table(("kind", *(f"{language}, {half}" for half in HALVES for language in LANGUAGES)), _kind_rows(scores.kinds)),
            f"held out: {'; '.join(goals)} ({_shown(strict)})",
        ]
    )


def _kind_rows(kinds: Sequence[DomainKind]) -> list[tuple[str, ...]]:
    names = list(dict.fromkeys(one.kind for one in kinds))
    found = {(one.kind, one.half, one.language): one.right for one in kinds}
    none = share_of(0, 0)
    cells = [(name, [found.get((name, half, language), none) for half in HALVES for language in LANGUAGES]) for name in names]
    return [(name, *(f"{one.hits} of {one.n}" if one.n else "-" for one in row)) for name, row in cells]


def _shown(share: Share) -> str:
    return f"{percent(share, interval=True)}, n = {share.n}"


def _goal(name: str, met: bool) -> str:
    return f"target {name}: {'met' if met else 'missed'}"
