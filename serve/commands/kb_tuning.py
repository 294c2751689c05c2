"""`gauge kb tune-embedder`: tune the embedder on the synonym graph, the manuals and the logged questions."""

from __future__ import annotations

from pathlib import Path

from knowledge.index import embedding_text
from knowledge.manifest import knowledge_root
from knowledge.search import KnowledgeBase, SearchError
from knowledge.tune import PairScores, Tuning, tune_embedder
from knowledge.tuning_pairs import heading_pairs, logged_pairs, synonym_pairs
from knowledge.tuning_training import TuneOptions
from serve.library import open_manuals
from serve.settings import load_settings


def tune(out: Path, *, options: TuneOptions, as_json: bool) -> str:
    """Tune, save where it got better, and say so."""
    manuals = open_manuals()

    def text_of(id: str) -> str | None:
        return _text_of(manuals, id)

    log = knowledge_root(load_settings().home) / "usage.sqlite"
    pairs = [*synonym_pairs(), *heading_pairs(manuals.chunks()), *logged_pairs(log, text_of)]
    result = tune_embedder(pairs, out, options)
    return result.model_dump_json() if as_json else tuning_text(result)


def _text_of(manuals: KnowledgeBase, id: str) -> str | None:
    try:
        return embedding_text(manuals.chunk(id))
    except SearchError:
        return None


def tuning_text(result: Tuning) -> str:
    """Numbers before and after, for people."""
    pairs = ", ".join(f"{count} from {source}" for source, count in result.pairs.items())
    lines = [f"pairs: {pairs}; {result.held_out} held out; {result.seconds:.0f} s", _line("all", result.before, result.after)]
    lines += [_line(source, *scores) for source, scores in result.by_source.items()]
    if result.folder is None:
        lines.append("Not saved: no better on held-out pairs than before.")
    else:
        lines.append(f"Saved to {result.folder}. Use it with GAUGE_EMBEDDER={result.folder}; the index is then built anew.")
    return "\n".join(lines)


def _line(name: str, before: PairScores, after: PairScores) -> str:
    return (
        f"{name} ({before.n}): cosine of pairs {before.cosine:.3f} -> {after.cosine:.3f}, of others {before.other_cosine:.3f}"
        f" -> {after.other_cosine:.3f}; hit@1 {before.hit1:.3f} -> {after.hit1:.3f}; MRR {before.mrr:.3f} -> {after.mrr:.3f}"
    )
