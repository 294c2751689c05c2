"""How much noise each point of the chain bears: failures per kind of noise, level and module of the manuals.

Noise is put into a chain that works (`eval.planted_faults.find_bases`), so a failure is the noise's. What failed is what
attribution names; noise in the answer that keeps its meaning, and noise in anchors, can only be false alarms of the probes.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from eval.attribution import attribute
from eval.chain_signals import ChainRun, measure
from eval.golden import load_anchors
from eval.noise import LEVELS, NOISE_OF, Corruption, Point, corrupt_anchor, corrupt_answer, corrupt_chunks, corrupt_query
from eval.planted_faults import RETRIEVED, SENT, Base
from eval.retrieval import passage_of
from eval.score import EvalError, Mean, Share, mean_of, share_true
from eval.tables import number, percent, table
from knowledge.articles import Chunk
from knowledge.search import KnowledgeBase
from vision.fields import Contract

WITHOUT_EFFECT = ("stale_metadata",)
"""Noise that nothing behind the search reads: a date in the metadata counts when a corpus is published."""
OTHER_MODULE = "other"


class NoiseRow(Contract):
    """One kind of noise at one point and level, over the `n` cases that it changed. `failed`: those with a broken link.

    `err` and `far`: the share whose exact answer is still among the passages, and whose answer what was sent bears out.
    `layers` counts what was named; `search_ms` is the mean time of the search, NaN where nothing was searched anew.
    """

    point: Point
    kind: str
    level: float
    failed: Share
    err: Share
    far: Share
    layers: dict[str, int]
    modules: dict[str, Share]
    search_ms: Mean


class PerturbationReport(Contract):
    """All rows, the same chain without noise first in `clean`, and what was changed in the first cases as examples."""

    cases: int
    clean: Share
    rows: tuple[NoiseRow, ...]
    examples: tuple[Corruption, ...]


class _Tried(NamedTuple):
    """A case with noise in it, and how it went."""

    run: ChainRun
    log: tuple[Corruption, ...]
    search_ms: float


def perturb(seed: int, kb: KnowledgeBase, bases: Sequence[Base], levels: Sequence[float] = LEVELS) -> PerturbationReport:
    """Every kind of noise at every point and level, in every base.

    Where a noise finds nothing to change there is no case, and no row without a case. The same seed draws the same noise for
    a base whatever the others are. Raises EvalError without bases.
    """
    if not bases:
        raise EvalError("there is no case whose chain works: nothing to put noise into")
    modules = {anchor.document: anchor.module for anchor in load_anchors()}
    clean = share_true(attribute(measure(base.run())).layer != "none" for base in bases)
    rows: list[NoiseRow] = []
    examples: list[Corruption] = []
    for point, kind in ((point, kind) for point, kinds in NOISE_OF.items() for kind in kinds if kind not in WITHOUT_EFFECT):
        for level in levels:
            tried = [(base, one) for base in bases for one in _try(seed, kb, base, point, kind, level)]
            if tried:
                rows.append(_row(point, kind, level, tried, modules))
            examples += [change for _, one in tried[:1] for change in one.log[:1]]
    return PerturbationReport(cases=len(bases), clean=clean, rows=tuple(rows), examples=tuple(examples))


def _try(seed: int, kb: KnowledgeBase, base: Base, point: Point, kind: str, level: float) -> Iterator[_Tried]:
    rng = np.random.default_rng([seed, *base.case.id.encode()])
    language = base.case.language
    if point == "query":
        text, log = corrupt_query(rng, base.case.text, kind, level, language)
        if log:
            chunks, spent = _search(kb, base, text)
            passages = tuple(passage_of(chunk) for chunk in chunks)
            # The answer stays as it was: what the search lost is named as lost by the search.
            yield _Tried(base.run(question=text, retrieved=passages, sent=passages[:SENT]), log, spent)
    elif point == "answer":
        text, log = corrupt_answer(rng, base.sentence, kind, level, language)
        if log:
            yield _Tried(base.run(answer=text), log, float("nan"))
    elif point == "anchors":
        changed = [corrupt_anchor(rng, one.anchor, kind, level, language) for one in base.wanted.answers]
        log = tuple(change for one in changed for change in one.log)
        if log:
            answers = tuple(
                answer.model_copy(update={"anchor": one.text}) for answer, one in zip(base.wanted.answers, changed, strict=True)
            )
            yield _Tried(base.run(wanted=base.wanted._replace(answers=answers)), log, float("nan"))
    else:
        chunks, spent = _search(kb, base, base.case.text)
        noisy, log = corrupt_chunks(rng, chunks, kind, level, kb.chunks())
        if log:
            passages = tuple(passage_of(chunk) for chunk in noisy)
            yield _Tried(base.run(retrieved=passages, sent=passages[:SENT]), log, spent)


def _search(kb: KnowledgeBase, base: Base, text: str) -> tuple[tuple[Chunk, ...], float]:
    started = time.perf_counter()
    hits = kb.search(text, model=base.case.model, language=base.case.language, k=RETRIEVED)
    return tuple(hit.chunk for hit in hits), 1000 * (time.perf_counter() - started)


def _row(point: Point, kind: str, level: float, tried: Sequence[tuple[Base, _Tried]], modules: dict[str, str]) -> NoiseRow:
    layers: Counter[str] = Counter()
    failed: list[bool] = []
    of_module: dict[str, list[bool]] = defaultdict(list)
    hits: list[bool] = []
    faithful: list[bool] = []
    for base, one in tried:
        signals = measure(one.run)
        layer = attribute(signals).layer
        layers[layer] += 1
        failed.append(layer != "none")
        of_module[modules.get(base.case.authority or "", OTHER_MODULE)].append(layer != "none")
        if signals.hit == signals.hit:
            hits.append(signals.hit == 1)
        if signals.fci == signals.fci:
            faithful.append(signals.fci == 1)
    return NoiseRow(
        point=point,
        kind=kind,
        level=level,
        failed=share_true(failed),
        err=share_true(hits),
        far=share_true(faithful),
        layers=dict(sorted(layers.items())),
        modules={name: share_true(flags) for name, flags in sorted(of_module.items())},
        search_ms=mean_of(one.search_ms for _, one in tried),
    )


def perturbation_markdown(report: PerturbationReport) -> str:
    """The report for people: a row a kind of noise and level, then the modules at the highest level."""
    header = ["point", "noise", "level", "failed", "ERR", "FAR", "named", "search ms"]
    rows = [
        [
            one.point, one.kind, number(one.level), percent(one.failed, interval=True), percent(one.err), percent(one.far),
            ", ".join(f"{layer} {count}" for layer, count in one.layers.items()) or "-", number(one.search_ms.value),
        ]
        for one in report.rows
    ]  # fmt: skip
    top = max((one.level for one in report.rows), default=0.0)
    names = sorted({name for one in report.rows for name in one.modules})
    by_module = [
        [f"{one.point}, {one.kind}", *(percent(one.modules[name]) if name in one.modules else "-" for name in names)]
        for one in report.rows
        if one.level == top
    ]
    head = f"{report.cases} questions that the chain answers; without noise {percent(report.clean)} fail."
    return "\n\n".join([head, table(header, rows), table([f"failed at level {top:g}", *names], by_module)])
