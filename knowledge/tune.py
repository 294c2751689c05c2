"""Tuning the embedder to the domain: pairs that mean the same are drawn together, the rest of the batch apart.

Nothing is saved that is not better on pairs held out.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from knowledge.embedder import TUNING, MiniLM, no_bars, packaged_folder
from knowledge.synonyms import shipped_graph
from knowledge.tuning_pairs import Pair, TuneError, split_pairs
from knowledge.tuning_training import TuneOptions, train
from vision.fields import Contract


class PairScores(Contract):
    """Over held-out pairs: mean cosine of a pair, of non-pairs, hit@1 and mean reciprocal rank of finding the partner."""

    n: int
    cosine: float
    other_cosine: float
    hit1: float
    mrr: float


class Tuning(Contract):
    """What was done and what came of it. `folder` is None where the tuned model was no better and was not kept."""

    pairs: dict[str, int]
    held_out: int
    before: PairScores
    after: PairScores
    by_source: dict[str, tuple[PairScores, PairScores]]
    seconds: float
    folder: str | None


def tune_embedder(
    pairs: Sequence[Pair], out: Path, options: TuneOptions | None = None, *, base: Path | None = None, progress: bool = True
) -> Tuning:
    """Tune the packaged MiniLM (or `base`) on pairs and save it to `out`, a new folder.

    The folder holds safetensors weights, the tokenizer and `tuning.json`; `load_embedder(str(out))` opens it.
    Raises TuneError where there are too few pairs or `out` is taken.
    """
    import time

    options = options or TuneOptions()
    if out.exists() and any(out.iterdir()):
        raise TuneError(f"{out} is not empty: give a new folder")
    # A Chinese word that the graph puts across as the very same English one is no pair: there is nothing to learn.
    gloss = shipped_graph().gloss
    pairs = [pair for pair in dict.fromkeys(pairs) if gloss(pair.first).casefold() != gloss(pair.second).casefold()]
    learnt, held = split_pairs(pairs, options.held_out)
    if len(learnt) < 2 * options.batch or len(held) < 4:
        raise TuneError(f"{len(pairs)} pairs are too few: at least {3 * options.batch} are needed; add manuals or questions")
    start = time.perf_counter()
    folder = base or packaged_folder()
    before_model = MiniLM(base)
    before = score_pairs(before_model, held)
    model = train(folder, learnt, options, progress)
    place = Path(tempfile.mkdtemp(prefix=".tuned-", dir=_parent(out)))
    try:
        _save(model, folder, place)
        (place / TUNING).write_text(json.dumps({"options": asdict(options)}), encoding="utf-8")
        tuned = MiniLM(place)
        after = score_pairs(tuned, held)
        sources = sorted({pair.source for pair in held})
        by_source = {
            source: (score_pairs(before_model, part), score_pairs(tuned, part))
            for source in sources
            if len(part := [pair for pair in held if pair.source == source]) > 1
        }
        better = after.mrr > before.mrr or (after.mrr == before.mrr and after.cosine > before.cosine)
        result = Tuning(
            pairs={source: sum(pair.source == source for pair in pairs) for source in sorted({p.source for p in pairs})},
            held_out=len(held),
            before=before,
            after=after,
            by_source=by_source,
            seconds=time.perf_counter() - start,
            folder=str(out) if better else None,
        )
        if better:
            report = {"options": asdict(options), "result": result.model_dump()}
            (place / TUNING).write_text(json.dumps(report, indent=1), encoding="utf-8")
            place.chmod(0o755)
            if out.exists():
                out.rmdir()
            place.rename(out)
        return result
    finally:
        shutil.rmtree(place, ignore_errors=True)


def score_pairs(model: MiniLM, pairs: Sequence[Pair]) -> PairScores:
    """How well a model finds the partner of each first text among the second texts of all pairs."""
    seconds = list(dict.fromkeys(pair.second for pair in pairs))
    place = {text: n for n, text in enumerate(seconds)}
    a = model.encode([pair.first for pair in pairs])
    b = model.encode(seconds)
    cosines = a @ b.T  # (pairs, seconds)
    right: dict[str, set[int]] = {}
    for pair in pairs:
        right.setdefault(pair.first, set()).add(place[pair.second])
    own = np.array([cosines[n, place[pair.second]] for n, pair in enumerate(pairs)])
    ranks: list[int] = []
    for n, pair in enumerate(pairs):
        # Other partners of the same word do not count against this one.
        rivals = [m for m in range(len(seconds)) if m not in right[pair.first]]
        ranks.append(1 + int((cosines[n, rivals] > own[n]).sum()))
    others = (cosines.sum() - own.sum()) / max(cosines.size - len(own), 1)
    return PairScores(
        n=len(pairs),
        cosine=float(own.mean()),
        other_cosine=float(others),
        hit1=float(np.mean([rank == 1 for rank in ranks])),
        mrr=float(np.mean([1 / rank for rank in ranks])),
    )


def _parent(out: Path) -> Path:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TuneError(f"{out.parent} cannot be written: {error}; give another folder") from error
    return out.parent


def _save(model: Any, folder: Path, place: Path) -> None:
    with no_bars():
        model.save_pretrained(place, safe_serialization=True)
    for path in folder.iterdir():
        if path.is_file() and re.search(r"token|vocab|special|modules|sentence_bert|config_sentence", path.name):
            shutil.copy(path, place / path.name)
        elif path.is_dir() and path.name.startswith("1_"):
            shutil.copytree(path, place / path.name)
