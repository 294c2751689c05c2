"""FCI on the domain suite: how well it tells corrupted sentences from faithful ones, by kind and language, beside the floor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eval.bench_report_lies import HALVES, Half
from eval.bench_text import overlap_floor
from eval.domain_suite import LANGUAGES, SuiteItem, SuiteOptions, digest, load_options
from eval.fci import score_answer
from eval.probe_scores import FLOOR, Floats, Measured, Rows, measure, with_neutral
from eval.score import Share, area_under_roc, share_true
from knowledge.articles import Language
from vision.fields import Contract

GRADED = "worst support"


class DomainAuroc(Contract):
    """One probe's AUROC of "faithful" on one half, with the interval over documents."""

    probe: str
    half: Half
    auroc: Measured
    not_scorable: int


class DomainKind(Contract):
    """One way of changing sentences in one language and half: judged rightly (corrupted and doubted, faithful and borne out).

    What is not scorable is not judged rightly. `wrong`: up to three sentences that were not.
    """

    kind: str
    family: str | None
    language: Language
    half: Half
    right: Share
    wrong: tuple[str, ...]


class DomainScores(Contract):
    """The suite's size and digest, AUROC by probe and half, and every kind."""

    n: int
    digest: str
    aurocs: tuple[DomainAuroc, ...]
    kinds: tuple[DomainKind, ...]

    def caught(self, families: Sequence[str | None], half: Half | None = None) -> Share:
        """Of the sentences of some families (None: the faithful ones) those judged rightly."""
        chosen = [one.right for one in self.kinds if one.family in families and half in (None, one.half)]
        return share_true([place < share.hits for share in chosen for place in range(share.n)])


class _Judged(Contract):
    item: SuiteItem
    values: dict[str, float]
    right: bool


def bench_domain(
    items: Sequence[SuiteItem], *, rounds: int = 500, progress: bool = True, options: SuiteOptions | None = None
) -> DomainScores:
    """Judge every sentence of a suite."""
    from tqdm import tqdm

    chosen = options or load_options()
    judged = [_judge(item) for item in tqdm(items, desc="domain suite", unit="sentence", disable=not progress)]
    aurocs = [_auroc(judged, probe, half, rounds) for half in HALVES for probe in (FLOOR, "fci", GRADED)]
    return DomainScores(n=len(items), digest=digest(items), aurocs=tuple(aurocs), kinds=tuple(_kinds(judged, chosen)))


def _judge(item: SuiteItem) -> _Judged:
    scores = score_answer(item.text, item.passages)
    values = {FLOOR: overlap_floor(item.text, item.passages), "fci": scores.fci, GRADED: scores.worst_support}
    right = scores.fci == 1 if item.faithful else scores.fci < 1
    return _Judged.model_construct(item=item, values=values, right=right)


def _auroc(judged: Sequence[_Judged], probe: str, half: Half, rounds: int) -> DomainAuroc:
    mine = [one for one in judged if one.item.half == half]
    raw = [one.values[probe] for one in mine]
    values: Floats = with_neutral(raw)
    faithful = np.array([one.item.faithful for one in mine], dtype=bool)
    owners = np.array([one.item.owner for one in mine])

    def statistic(rows: Rows) -> float:
        return area_under_roc(list(values[rows]), list(faithful[rows]))

    groups = [np.flatnonzero(owners == owner) for owner in sorted(set(owners.tolist()))]
    left_out = int(np.isnan(np.array(raw, dtype=float)).sum())
    return DomainAuroc(probe=probe, half=half, auroc=measure(groups, statistic, rounds), not_scorable=left_out)


def _kinds(judged: Sequence[_Judged], options: SuiteOptions) -> list[DomainKind]:
    found: list[DomainKind] = []
    names = list(dict.fromkeys(one.item.kind for one in judged))
    for name in names:
        for half in HALVES:
            for language in LANGUAGES:
                mine = [one for one in judged if (one.item.kind, one.item.half, one.item.language) == (name, half, language)]
                wrong = tuple(one.item.text for one in mine if not one.right)[:3]
                right = share_true([one.right for one in mine])
                family = options.family_of(name)
                found.append(DomainKind(kind=name, family=family, language=language, half=half, right=right, wrong=wrong))
    return found
