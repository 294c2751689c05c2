"""A writer with a local language model: the packaged one, a hub id or a folder, through transformers.

A small model gets one fact a prompt, all of them in one greedy batch under the copy guard: merging facts is what makes it
invent. A big one may write freely from the whole contract. Either way the check behind it decides whether a sentence stands.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from knowledge.articles import Language
from knowledge.embedder import one_thread
from knowledge.sentences import split_sentences
from rag.context import ContextCache, chat_ids, fit_context, tokenizer_counter
from rag.errors import WriterError
from rag.guard import CopyGuard, build_tree
from rag.local_model import (
    Decoding,
    Loaded,
    common_start,
    encode,
    end_ids,
    first_sentences,
    load_model,
    read_start,
    write_batch,
)
from rag.packaged import NAME, load_packaged
from rag.prompt import SentenceFeed, Task, parse_sentences, report_messages, rewrite_messages
from rag.writer import Draft

Prose = Literal["auto", "guarded", "free"]


@dataclass(frozen=True)
class LLMOptions:
    """`model` None is the packaged one, `device` None a GPU where there is one. On the CPU it runs on one thread: on a
    small machine two are slower.

    `prose` "guarded" rewrites fact by fact, without the `copy_guard` where that is off; "free" writes the report in one
    answer; "auto" is free from `free_from` parameters on. `batch`: facts in one call. `seconds`: bound of a call, what is
    not finished by then is left to the templates. `languages` None: English, and Chinese from models other than the packaged.
    """

    model: str | None = None
    device: str | None = None
    prose: Prose = "auto"
    free_from: float = 2e9
    copy_guard: bool = True
    batch: int = 48
    length_factor: float = 1.5
    spare_tokens: int = 8
    seconds: float = 120.0
    window_tokens: int = 8192
    languages: tuple[Language, ...] | None = None


@dataclass(eq=False)
class LocalLLMWriter:
    """Rewrites with a model on this machine; loaded at the first sentence, then kept. Safe to share between threads."""

    home: Path
    options: LLMOptions = field(default_factory=LLMOptions)
    _loaded: Loaded | None = field(default=None, init=False, repr=False)
    _start: tuple[tuple[int, ...], Any] | None = field(default=None, init=False, repr=False)
    _cache: ContextCache = field(default_factory=ContextCache, init=False, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False)

    @property
    def name(self) -> str:
        """`llm:` and the model."""
        return f"llm:{self.options.model or NAME}"

    @property
    def languages(self) -> tuple[Language, ...]:
        """Languages the model is trusted to write."""
        return self.options.languages or (("en",) if self.options.model is None else ("en", "zh"))

    def load(self) -> Loaded:
        """The model, loaded once. Raises WriterError where it cannot be found, converted or loaded."""
        with self._lock:
            if self._loaded is None:
                source = str(load_packaged(self.home)) if self.options.model is None else self.options.model
                self._loaded = load_model(source, self.options.device)
            return self._loaded

    def share(self, other: LocalLLMWriter) -> None:
        """Use the model that `other` has loaded: the same weights under other options."""
        self._loaded = other.load()

    def write(self, task: Task) -> Draft:
        """One sentence a fact, greedily; the prompts are those that the model saw, chat markers included."""
        import torch

        if not task.sentences:
            return Draft(texts=())
        started = time.monotonic()
        loaded = self.load()
        with self._lock, one_thread(torch):
            draft = self._write_report(loaded, task) if self._free(loaded) else self._write_facts(loaded, task)
        return Draft(draft.texts, draft.sent, time.monotonic() - started)

    def _free(self, loaded: Loaded) -> bool:
        if self.options.prose == "auto":
            return bool(loaded.model.num_parameters() >= self.options.free_from)
        return self.options.prose == "free"

    def _write_facts(self, loaded: Loaded, task: Task) -> Draft:
        """One fact a prompt; as many as `batch` in one call."""
        if task.complaints:
            # The same fact gives the same sentence, word for word: asking again would only cost time.
            return Draft((None,) * len(task.sentences))
        if task.language != "en":
            raise WriterError(f"{self.name} rewrites fact by fact, and so only English; a larger model writes other languages")
        texts: list[str | None] = []
        sent: list[str] = []
        for first in range(0, len(task.sentences), self.options.batch):
            facts = task.sentences[first : first + self.options.batch]
            prompts = [chat_ids(loaded.tokenizer, rewrite_messages(fact)) for fact in facts]
            texts += self._write_batch(loaded, facts, prompts, task, first)
            sent += [loaded.tokenizer.decode(ids) for ids in prompts]
        return Draft(tuple(texts), tuple(sent))

    def _write_batch(
        self, loaded: Loaded, facts: Sequence[str], prompts: Sequence[list[int]], task: Task, first: int
    ) -> list[str | None]:
        """Text of each fact. What all prompts begin with is computed once a model and shared."""
        shared = common_start(prompts)
        start = tuple(prompts[0][:shared])
        if shared and (self._start is None or self._start[0] != start):
            self._start = (start, read_start(loaded, start))
        counts = tuple(max(1, len(split_sentences(fact))) for fact in facts)
        longest = max(len(encode(loaded.tokenizer, fact)) for fact in facts)
        trees = [build_tree(fact, lambda text: encode(loaded.tokenizer, text)) for fact in facts]
        guard = CopyGuard(trees, max(len(ids) for ids in prompts), end_ids(loaded)) if self.options.copy_guard else None
        decoding = Decoding(
            new_tokens=int(longest * self.options.length_factor) + self.options.spare_tokens,
            seconds=self.options.seconds,
            # Under the guard a sentence ends at its full stop by construction.
            sentences=None if self.options.copy_guard else counts,
            guard=guard,
            start=self._start[1] if shared and self._start is not None else None,
        )
        on_text = task.on_text
        on_row = None if on_text is None else lambda row, piece: on_text(first + row, piece)
        answers = write_batch(loaded, prompts, decoding, shared, on_row)
        return [first_sentences(answer, count) or None for answer, count in zip(answers, counts, strict=True)]

    def _write_report(self, loaded: Loaded, task: Task) -> Draft:
        """All facts in one prompt under the whole contract, its context fitted into the model's window."""
        tokens = sum(len(encode(loaded.tokenizer, fact)) + self.options.spare_tokens for fact in task.sentences)
        answer = int(tokens * self.options.length_factor) + self.options.spare_tokens
        stated = getattr(loaded.model.config, "max_position_embeddings", None)
        window = min(self.options.window_tokens, stated) if isinstance(stated, int) else self.options.window_tokens
        fitted = fit_context(task, window - answer, tokenizer_counter(loaded.tokenizer), self._cache, self.name)
        ids = chat_ids(loaded.tokenizer, report_messages(fitted))
        feed = SentenceFeed(task.on_text) if task.on_text is not None else None
        on_row = None if feed is None else lambda _, piece: feed.hear(piece)
        (text,) = write_batch(loaded, [ids], Decoding(answer, self.options.seconds), on_row=on_row)
        return Draft(parse_sentences(text, len(task.sentences)), (loaded.tokenizer.decode(ids),))
