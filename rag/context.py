"""Fitting the context of a prompt into a model's window: counted as the model itself counts, cut where sentences end."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from rag.errors import WriterError
from rag.evidence import ROLES, Piece
from rag.prompt import Message, Task, report_messages
from rag.templates import clean_text
from rag.tokens import estimate_tokens
from rag.trim import trim
from rag.triples import fact_text

CountMessages = Callable[[Sequence[Message]], int]
_MESSAGE_TOKENS = 8
"""What a chat format puts around a message, at most, in the formats looked at."""


def estimate_messages(messages: Sequence[Message]) -> int:
    """Tokens of a chat without the model's tokenizer, on the safe side."""
    return sum(estimate_tokens(message.content) + _MESSAGE_TOKENS for message in messages) + _MESSAGE_TOKENS


def chat_ids(tokenizer: Any, messages: Sequence[Message]) -> list[int]:
    """The `input_ids` of a chat in the model's own format, up to where its answer begins.

    A format without a system role gets that text in front of the first user's.
    """
    chat = [message.dump() for message in messages]
    try:
        text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    except Exception:  # templates raise what they like; one with a system message is what some of them refuse
        if len(chat) < 2 or chat[0]["role"] != "system":
            raise
        merged = {"role": chat[1]["role"], "content": f"{chat[0]['content']}\n\n{chat[1]['content']}"}
        text = tokenizer.apply_chat_template([merged, *chat[2:]], tokenize=False, add_generation_prompt=True)
    # The chat format writes the special tokens itself.
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def tokenizer_counter(tokenizer: Any) -> CountMessages:
    """Counts a chat with a loaded tokenizer and its chat template."""
    return lambda messages: len(chat_ids(tokenizer, messages))


@lru_cache(maxsize=4)
def template_counter(name: str) -> CountMessages:
    """Counts a chat with the tokenizer of a hub id or folder. Raises WriterError where it cannot be loaded."""
    from transformers import AutoTokenizer

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(name)
    except Exception as error:  # whatever a foreign loader raises
        raise WriterError(f"tokenizer {name!r} cannot be loaded: {clean_text(str(error), 160)}") from None
    if tokenizer.chat_template is None:
        raise WriterError(f"tokenizer {name!r} has no chat template; name that of the instruction-tuned model")
    return tokenizer_counter(tokenizer)


class _Key(NamedTuple):
    query: str
    budget: int
    model: str


class ContextCache:
    """Fitted contexts by query hash, budget and model's name. The hash covers what the query found too: the same question
    over other documents is another one. The oldest of `size` gives way. Safe to share between threads."""

    def __init__(self, size: int = 64) -> None:
        self._size = size
        self._kept: OrderedDict[_Key, tuple[Piece, ...]] = OrderedDict()
        self._lock = threading.Lock()
        self.hits = 0

    def get(self, key: _Key) -> tuple[Piece, ...] | None:
        """The pieces kept under a key, or None."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                self.hits += 1
            return found

    def put(self, key: _Key, pieces: tuple[Piece, ...]) -> None:
        """Keep pieces under a key."""
        with self._lock:
            self._kept[key] = pieces
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)


def query_hash(task: Task) -> str:
    """Hash of all that decides how a task's context is fitted."""
    parts = [task.language, task.question, *task.sentences, "", *task.complaints]
    parts += [f"{piece.chunk.id}\x1f{piece.role}\x1f{piece.score:.6f}\x1f{piece.sent}" for piece in task.pieces]
    return hashlib.sha256("\x1e".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def fit_context(task: Task, budget: int, count: CountMessages, cache: ContextCache, model: str) -> Task:
    """The task with as much of its context as leaves the whole prompt within `budget` tokens.

    Weakest first, a piece gives way in three steps: to its facts alone, to what in them limits, and whole; what warns or
    forbids (CRITICAL) goes after everything else. Raises WriterError where the facts to be put into words do not fit alone.
    """
    key = _Key(query_hash(task), budget, model)
    known = cache.get(key)
    if known is None:
        known = _fitted(task, budget, count)
        cache.put(key, known)
    return task._replace(pieces=known)


def _fitted(task: Task, budget: int, count: CountMessages) -> tuple[Piece, ...]:
    def cost(pieces: Sequence[Piece]) -> int:
        return count(report_messages(task._replace(pieces=tuple(pieces))))

    bare = cost(())
    if bare > budget:
        raise WriterError(f"the facts alone are {bare} tokens; the model has room for {budget}")
    pieces: list[Piece | None] = list(task.pieces)
    order = sorted(range(len(pieces)), key=lambda index: _giving_way(task.pieces[index]))
    for step in (_facts_only, _limits_only, _nothing):
        for index in order:
            left = [piece for piece in pieces if piece is not None and piece.sent]
            if cost(left) <= budget:
                return tuple(left)
            piece = pieces[index]
            pieces[index] = step(piece) if piece is not None else None
    return tuple(piece for piece in pieces if piece is not None and piece.sent)


def _giving_way(piece: Piece) -> tuple[bool, int, float]:
    """Order in which pieces give way: those that warn last, then support before the best, the weaker first."""
    return piece.role == "CRITICAL", -ROLES.index(piece.role), piece.score


def _facts_only(piece: Piece) -> Piece:
    facts = fact_text(piece.sent)
    return replace(piece, sent=facts) if estimate_tokens(facts) < estimate_tokens(piece.sent) else piece


def _limits_only(piece: Piece) -> Piece:
    return replace(piece, sent=trim(piece.sent, (), 0)) if piece.sent else piece


def _nothing(piece: Piece) -> None:
    return None
