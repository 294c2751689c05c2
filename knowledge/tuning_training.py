"""Training of the embedder on pairs: the last layers learn, as low-rank additions or whole.

The loss is InfoNCE over the batch (van den Oord et al., 2018) with the cosine over a temperature; low-rank additions
(LoRA, Hu et al., 2021) are merged into the weights at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from knowledge.embedder import no_bars, one_thread
from knowledge.synonyms import shipped_graph
from knowledge.tuning_pairs import Pair, TuneError

Method = Literal["lora", "full"]


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


def train(folder: Path, pairs: Sequence[Pair], options: TuneOptions, progress: bool) -> Any:
    """The transformer of `folder` trained on pairs. Raises TuneError where the loss runs away."""
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
            for batch in make_batches(pairs, rng, options):
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


def make_batches(pairs: Sequence[Pair], rng: np.random.Generator, options: TuneOptions) -> Iterator[list[Pair]]:
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
