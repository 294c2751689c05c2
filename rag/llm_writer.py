"""A writer with a local language model: the packaged one, a hub id or a folder, through transformers.

One fact a sentence, each in a fresh prompt, all in one greedy batch under the copy guard. The model adds fluency
only; the check behind it decides whether its sentence stands.
"""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from knowledge.articles import Language
from rag.errors import WriterError
from rag.guard import CopyGuard, build_tree
from rag.packaged import NAME, load_packaged
from rag.prompt import Task, rewrite_messages
from rag.writer import Draft


@dataclass(frozen=True)
class LLMOptions:
    """`model` None is the packaged one. `threads` 1: on a small machine two are slower. `device` None chooses CUDA
    where there is one, with half precision; single precision on the CPU."""

    model: str | None = None
    threads: int = 1
    device: str | None = None
    copy_guard: bool = True
    batch: int = 8
    length_factor: float = 1.5
    spare_tokens: int = 8
    languages: tuple[Language, ...] = ("en",)


class Loaded(NamedTuple):
    """A tokenizer and a model on its device."""

    tokenizer: Any
    model: Any


@dataclass(eq=False)
class LocalLLMWriter:
    """Rewrites with a model on this machine; loaded at the first sentence, then kept. Safe to share between threads."""

    home: Path
    options: LLMOptions = field(default_factory=LLMOptions)
    _loaded: Loaded | None = field(default=None, init=False, repr=False)
    _start: tuple[tuple[int, ...], Any] | None = field(default=None, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @property
    def name(self) -> str:
        """`llm:` and the model."""
        return f"llm:{self.options.model or NAME}"

    @property
    def languages(self) -> tuple[Language, ...]:
        """Languages the model is trusted to write."""
        return self.options.languages

    def load(self) -> Loaded:
        """The model, loaded once. Raises WriterError where it cannot be found, converted or loaded."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> Loaded:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        source = str(load_packaged(self.home)) if self.options.model is None else self.options.model
        device = self.options.device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            tokenizer: Any = AutoTokenizer.from_pretrained(source, padding_side="left")
            precision = torch.float16 if device.startswith("cuda") else torch.float32
            model: Any = AutoModelForCausalLM.from_pretrained(source, dtype=precision).to(device).eval()
        except (OSError, ValueError, RuntimeError, KeyError) as error:
            raise WriterError(f"language model {source!r} cannot be loaded: {error}") from error
        if tokenizer.chat_template is None:
            raise WriterError(f"language model {source!r} has no chat template; name an instruction-tuned one")
        if tokenizer.pad_token_id is None:
            tokenizer.pad_token = tokenizer.eos_token
        return Loaded(tokenizer, model)

    def write(self, task: Task) -> Draft:
        """One sentence a fact, greedily; the prompts are those that the model saw, chat markers included."""
        import torch

        started = time.monotonic()
        loaded = self.load()
        written: dict[int, tuple[str | None, str]] = {}
        with self._lock:
            before = torch.get_num_threads()
            torch.set_num_threads(self.options.threads)
            try:
                # Sentences of like length together: a batch takes as long as its longest.
                order = sorted(range(len(task.sentences)), key=lambda index: len(task.sentences[index]))
                for first in range(0, len(order), self.options.batch):
                    chosen = order[first : first + self.options.batch]
                    written |= zip(chosen, self._write_batch(loaded, [task.sentences[i] for i in chosen]), strict=True)
            finally:
                torch.set_num_threads(before)
        pairs = [written[index] for index in range(len(task.sentences))]
        return Draft(tuple(text for text, _ in pairs), tuple(prompt for _, prompt in pairs), time.monotonic() - started)

    def _write_batch(self, loaded: Loaded, facts: Sequence[str]) -> list[tuple[str | None, str]]:
        """Text and prompt of each fact. What all prompts begin with is computed once and shared."""
        import torch
        from transformers import LogitsProcessorList

        tokenizer, model = loaded
        prompts = [self._prompt_ids(tokenizer, fact) for fact in facts]
        shared = _common_start(prompts)
        longest = max(len(ids) - shared for ids in prompts)
        pad = tokenizer.pad_token_id
        rows = [ids[:shared] + [pad] * (longest + shared - len(ids)) + ids[shared:] for ids in prompts]
        inputs = torch.tensor(rows, device=model.device)  # (B, T)
        mask = torch.ones_like(inputs)
        for row, ids in enumerate(prompts):
            mask[row, shared : shared + longest + shared - len(ids)] = 0
        trees = [build_tree(fact, lambda text: self._encode(tokenizer, text)) for fact in facts]
        ends = _end_ids(tokenizer, model)
        guard = CopyGuard(trees, inputs.shape[1], ends)
        written_tokens = max(len(self._encode(tokenizer, fact)) for fact in facts) * self.options.length_factor
        with torch.inference_mode():
            output = model.generate(
                input_ids=inputs,
                attention_mask=mask,
                cache=self._shared_cache(model, prompts[0][:shared], len(facts)),
                do_sample=False,
                max_new_tokens=int(written_tokens) + self.options.spare_tokens,
                logits_processor=LogitsProcessorList([guard] if self.options.copy_guard else []),
                eos_token_id=ends,
                pad_token_id=pad,
            )  # (B, T + new)
        answers = [tokenizer.decode(ids[inputs.shape[1] :], skip_special_tokens=True).strip() for ids in output]
        said = [answer.splitlines()[0].strip() if answer else None for answer in answers]
        return [(text, tokenizer.decode(ids)) for text, ids in zip(said, prompts, strict=True)]

    def _prompt_ids(self, tokenizer: Any, fact: str) -> list[int]:
        chat = [message.dump() for message in rewrite_messages(fact)]
        # The chat template writes the special tokens itself.
        return self._encode(tokenizer, tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True))

    def _shared_cache(self, model: Any, ids: Sequence[int], rows: int) -> Any:
        """Keys and values of the prompts' common start for `rows` prompts, computed once a model."""
        import torch

        if self._start is None or self._start[0] != tuple(ids):
            with torch.inference_mode():
                start = model(input_ids=torch.tensor([list(ids)], device=model.device), use_cache=True)
            self._start = (tuple(ids), start.cache)
        cache = copy.deepcopy(self._start[1])
        cache.batch_repeat_interleave(rows)
        return cache

    @staticmethod
    def _encode(tokenizer: Any, text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def _common_start(prompts: Sequence[Sequence[int]]) -> int:
    """Length of what all prompts begin with; at least one token of each is left to be read."""
    length = min(len(ids) for ids in prompts) - 1
    return next((i for i in range(length) if len({ids[i] for ids in prompts}) > 1), length)


def _end_ids(tokenizer: Any, model: Any) -> list[int]:
    """Tokens that end an answer: the tokenizer's, the model's own, and the chat format's."""
    configured = model.generation_config.eos_token_id
    own = configured if isinstance(configured, list) else [configured]
    return sorted({one for one in (tokenizer.eos_token_id, *own) if one is not None})
