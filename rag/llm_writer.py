"""A writer with a local language model: the packaged one, a hub id or a folder, through transformers.

One fact a sentence, each in a fresh prompt, all in one greedy batch under the copy guard. The model adds fluency
only; the check behind it decides whether its sentence stands.
"""

from __future__ import annotations

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
    batch: int = 16
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
        texts: list[str | None] = []
        prompts: list[str] = []
        with self._lock:
            before = torch.get_num_threads()
            torch.set_num_threads(self.options.threads)
            try:
                for first in range(0, len(task.sentences), self.options.batch):
                    self._write_batch(loaded, task.sentences[first : first + self.options.batch], texts, prompts)
            finally:
                torch.set_num_threads(before)
        return Draft(tuple(texts), tuple(prompts), time.monotonic() - started)

    def _write_batch(self, loaded: Loaded, facts: Sequence[str], texts: list[str | None], prompts: list[str]) -> None:
        import torch
        from transformers import LogitsProcessorList

        tokenizer, model = loaded
        chats = [[message.dump() for message in rewrite_messages(fact)] for fact in facts]
        rendered = [tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True) for chat in chats]
        # The chat template has written the special tokens already.
        inputs = tokenizer(rendered, return_tensors="pt", padding=True, add_special_tokens=False).to(model.device)  # (B, T)
        length = inputs["input_ids"].shape[1]
        encoded = [self._encode(tokenizer, fact) for fact in facts]
        ends = _end_ids(tokenizer, model)
        guard = CopyGuard([build_tree(fact, lambda text: self._encode(tokenizer, text)) for fact in facts], length, ends)
        with torch.inference_mode():
            output = model.generate(
                **inputs,
                do_sample=False,
                max_new_tokens=int(max(map(len, encoded)) * self.options.length_factor) + self.options.spare_tokens,
                logits_processor=LogitsProcessorList([guard] if self.options.copy_guard else []),
                eos_token_id=ends,
                pad_token_id=tokenizer.pad_token_id,
            )  # (B, T + new)
        for row, real, ids in zip(inputs["input_ids"], inputs["attention_mask"].bool(), output, strict=True):
            prompts.append(tokenizer.decode(row[real]))
            written = tokenizer.decode(ids[length:], skip_special_tokens=True).strip()
            texts.append(written.splitlines()[0].strip() if written else None)

    @staticmethod
    def _encode(tokenizer: Any, text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def _end_ids(tokenizer: Any, model: Any) -> list[int]:
    """Tokens that end an answer: the tokenizer's, the model's own, and the chat format's."""
    configured = model.generation_config.eos_token_id
    own = configured if isinstance(configured, list) else [configured]
    return sorted({one for one in (tokenizer.eos_token_id, *own) if one is not None})
