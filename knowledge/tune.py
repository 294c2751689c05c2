"""Tuning the embedder to the domain: pairs that mean the same are drawn together, the rest of the batch apart.

Pairs come from the synonym graph, from the manuals (a heading and its passage) and from logged questions with what was
found for them. The loss is InfoNCE over the batch (van den Oord et al., 2018) with the cosine over a temperature. Of the
small model the last layers learn, as low-rank additions (LoRA, Hu et al., 2021) that are merged before saving, or whole.
Nothing is saved that is not better on pairs held out.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from knowledge.articles import Chunk, KnowledgeError
from knowledge.embedder import TUNING, MiniLM, no_bars, one_thread, packaged_folder
from knowledge.index import embedding_text
from knowledge.synonyms import SynonymGraph, shipped_graph
from vision.fields import Contract

Method = Literal["lora", "full"]


class TuneError(KnowledgeError):
    """Too few pairs, or a folder that cannot be written; the message says which."""


class Pair(NamedTuple):
    """Two texts that mean the same; `source` says where the pair comes from."""

    first: str
    second: str
    source: str


@dataclass(frozen=True)
class TuneOptions:
    """How the embedder is tuned; the only place of these defaults.

    `domain` is the share of the tuned weights in what is saved, the rest stays general (1.0: all tuned).
    """

    method: Method = "lora"
    layers: int = 2
    rank: int = 8
    epochs: int = 3
    batch: int = 16
    learning_rate: float = 1e-3
    temperature: float = 0.07
    max_tokens: int = 96
    held_out: float = 0.2
    most_pairs: int = 3000
    domain: float = 1.0
    seed: int = 0


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


def synonym_pairs(graph: SynonymGraph | None = None) -> list[Pair]:
    """Words of one meaning: the first English one with each other one, Chinese ones too."""
    graph = graph or shipped_graph()
    return [Pair(concept.gloss, word, "synonyms") for concept in graph.concepts for word in (*concept.en[1:], *concept.zh)]


def heading_pairs(chunks: Sequence[Chunk]) -> list[Pair]:
    """Headings asked as questions, and their passages."""
    return [
        Pair(f"{chunk.section_title} {' '.join(chunk.models)}".strip(), embedding_text(chunk), "manuals")
        for chunk in chunks
        if chunk.section_title and len(chunk.text) > 40
    ]


def logged_pairs(log: Path, text_of: Callable[[str], str | None]) -> list[Pair]:
    """Questions of the usage log with the passage found first for them; `text_of` gives a chunk's text, None if it is gone."""
    import sqlite3
    from contextlib import closing

    if not log.is_file():
        return []
    try:
        with closing(sqlite3.connect(f"{log.resolve().as_uri()}?mode=ro", uri=True)) as db:
            rows = db.execute(
                "SELECT DISTINCT query, chunk FROM searches JOIN hits ON hits.search = searches.id WHERE rank = 1"
            ).fetchall()
    except sqlite3.Error as error:
        raise TuneError(f"{log} cannot be read: {error}; remove it to start a new log") from error
    return [Pair(query, text, "log") for query, chunk in rows if query != "inspection" and (text := text_of(chunk)) is not None]


def split_pairs(pairs: Sequence[Pair], share: float) -> tuple[list[Pair], list[Pair]]:
    """Pairs to learn from and pairs held out, by a hash of the first text: all pairs of one word fall on one side."""
    held = [int(hashlib.sha256(pair.first.casefold().encode()).hexdigest()[:8], 16) / 2**32 < share for pair in pairs]
    return [p for p, out in zip(pairs, held, strict=True) if not out], [p for p, out in zip(pairs, held, strict=True) if out]


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
    train, held = split_pairs(pairs, options.held_out)
    if len(train) < 2 * options.batch or len(held) < 4:
        raise TuneError(f"{len(pairs)} pairs are too few: at least {3 * options.batch} are needed; add manuals or questions")
    start = time.perf_counter()
    folder = base or packaged_folder()
    before_model = MiniLM(base)
    before = score_pairs(before_model, held)
    model = _train(folder, train, options, progress)
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


def _train(folder: Path, pairs: Sequence[Pair], options: TuneOptions, progress: bool) -> Any:
    import torch
    from tqdm import tqdm
    from transformers import AutoModel, AutoTokenizer

    torch.manual_seed(options.seed)
    with no_bars():
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModel.from_pretrained(folder, local_files_only=True)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    wrapped = _open_layers(model, options)
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(learning, lr=options.learning_rate, weight_decay=0.01)
    rng = np.random.default_rng(options.seed)
    steps = options.epochs * math.ceil(min(len(pairs), options.most_pairs) / options.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.learning_rate, total_steps=steps + 1)
    graph = shipped_graph()

    def embed(texts: list[str]) -> Any:
        glossed = [graph.gloss(text) for text in texts]
        batch = tokenizer(glossed, padding=True, truncation=True, max_length=options.max_tokens, return_tensors="pt")
        states = model(**batch).last_hidden_state  # (B, T, 384)
        mask = batch["attention_mask"].unsqueeze(-1).to(states.dtype)  # (B, T, 1)
        pooled = (states * mask).sum(1) / mask.sum(1).clamp(min=1e-9)  # (B, 384)
        return torch.nn.functional.normalize(pooled, dim=1)

    with one_thread(torch):
        model.train()
        bar = tqdm(total=steps, desc="tuning", unit="batch", disable=not progress, leave=False)
        for _ in range(options.epochs):
            for batch in _batches(pairs, rng, options):
                a, b = embed([pair.first for pair in batch]), embed([pair.second for pair in batch])
                logits = a @ b.T / options.temperature  # (B, B)
                goal = torch.arange(len(batch))
                cross = torch.nn.functional.cross_entropy
                loss = (cross(logits, goal) + cross(logits.T, goal)) / 2
                if not math.isfinite(float(loss.detach())):
                    raise TuneError("the loss is not finite: lower the learning rate")
                optimiser.zero_grad()
                torch.autograd.backward(loss)
                optimiser.step()
                schedule.step()
                bar.update()
        bar.close()
    model.eval()
    for layer, name, linear in wrapped:
        setattr(layer, name, linear.merged())
    if options.domain < 1.0:
        mixed = {
            name: options.domain * value + (1 - options.domain) * before[name] if value.is_floating_point() else value
            for name, value in model.state_dict().items()
        }
        model.load_state_dict(mixed)
    return model


def _batches(pairs: Sequence[Pair], rng: np.random.Generator, options: TuneOptions) -> Iterator[list[Pair]]:
    """Batches in which no text stands twice: a partner of one pair must not be held against another."""
    waiting = [pairs[int(n)] for n in rng.permutation(len(pairs))[: options.most_pairs]]
    while len(waiting) > 1:
        batch: list[Pair] = []
        seen: set[str] = set()
        rest: list[Pair] = []
        for pair in waiting:
            if len(batch) < options.batch and not {pair.first, pair.second} & seen:
                batch.append(pair)
                seen |= {pair.first, pair.second}
            else:
                rest.append(pair)
        if len(batch) < 2:
            return
        yield batch
        waiting = rest


def _open_layers(model: Any, options: TuneOptions) -> list[tuple[Any, str, Any]]:
    """Let the last layers learn: whole, or through low-rank additions to their attention's query and value."""
    import torch

    for parameter in model.parameters():
        parameter.requires_grad_(False)
    layers = list(model.encoder.layer)[-options.layers :]
    if options.method == "full":
        for layer in layers:
            for parameter in layer.parameters():
                parameter.requires_grad_(True)
        return []

    class LowRank(torch.nn.Module):  # type: ignore[misc,unused-ignore]
        """A frozen linear layer and a low-rank addition that starts at zero."""

        def __init__(self, inner: Any) -> None:
            super().__init__()
            self.inner = inner
            self.down = torch.nn.Parameter(torch.randn(options.rank, inner.in_features) / math.sqrt(inner.in_features))
            self.up = torch.nn.Parameter(torch.zeros(inner.out_features, options.rank))

        def forward(self, x: Any) -> Any:
            return self.inner(x) + (x @ self.down.T) @ self.up.T

        def merged(self) -> Any:
            with torch.no_grad():
                self.inner.weight += self.up @ self.down
            return self.inner

    wrapped: list[tuple[Any, str, Any]] = []
    for layer in layers:
        places = [(layer.attention.self, name) for name in ("query", "value")]
        places += [(layer.intermediate, "dense"), (layer.output, "dense")]
        for owner, name in places:
            linear = LowRank(getattr(owner, name))
            setattr(owner, name, linear)
            wrapped.append((owner, name, linear))
    return wrapped


def _save(model: Any, folder: Path, place: Path) -> None:
    with no_bars():
        model.save_pretrained(place, safe_serialization=True)
    for path in folder.iterdir():
        if path.is_file() and re.search(r"token|vocab|special|modules|sentence_bert|config_sentence", path.name):
            shutil.copy(path, place / path.name)
        elif path.is_dir() and path.name.startswith("1_"):
            shutil.copytree(path, place / path.name)
