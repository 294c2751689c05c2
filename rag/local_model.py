"""A language model on this machine through transformers: loading, one batched greedy call, and its text as it comes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from knowledge.embedder import no_bars
from knowledge.sentences import split_sentences
from rag.errors import WriterError
from rag.templates import clean_text

OnRow = Callable[[int, str], None]
"""Called with a row of the batch and the next piece of its text."""


class Loaded(NamedTuple):
    """A tokenizer and a model on its device."""

    tokenizer: Any
    model: Any


@dataclass(frozen=True)
class Decoding:
    """Bounds of one call. `sentences`: a row ends after that many of its own; None lets the model end it.

    `guard` is a logits processor of the batch, `start` keys and values of the tokens that all prompts begin with.
    """

    new_tokens: int
    seconds: float
    sentences: tuple[int, ...] | None = None
    guard: Any = None
    start: Any = None


def load_model(source: str, device: str | None = None) -> Loaded:
    """A causal model by hub id or folder: half precision on a GPU, single on the CPU.

    Raises WriterError with one line where it cannot be loaded or is not made for chats.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        with no_bars():
            tokenizer: Any = AutoTokenizer.from_pretrained(source, padding_side="left")
            model: Any = AutoModelForCausalLM.from_pretrained(source, dtype=_precision(device)).to(device).eval()
    except Exception as error:  # loaders raise what they like: a missing file, a missing package, a broken tensor
        raise WriterError(f"language model {source!r} cannot be loaded: {clean_text(str(error), 200)}") from error
    if tokenizer.chat_template is None:
        raise WriterError(f"language model {source!r} has no chat template; name an instruction-tuned one")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return Loaded(tokenizer, model)


def _precision(device: str) -> Any:
    import torch

    if not device.startswith("cuda"):
        return torch.float32
    # Models trained in bfloat16 overflow in float16.
    return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16


def encode(tokenizer: Any, text: str) -> list[int]:
    """Token ids of a text, without special tokens."""
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def common_start(prompts: Sequence[Sequence[int]]) -> int:
    """Length of what all prompts begin with; at least one token of each is left to be read."""
    length = min(len(ids) for ids in prompts) - 1
    return next((i for i in range(length) if len({ids[i] for ids in prompts}) > 1), length)


def read_start(loaded: Loaded, ids: Sequence[int]) -> Any:
    """Keys and values of what prompts begin with, for one row."""
    import torch

    with torch.inference_mode():
        return loaded.model(input_ids=torch.tensor([list(ids)], device=loaded.model.device), use_cache=True).cache


def padded(prompts: Sequence[Sequence[int]], shared: int, pad: int) -> tuple[list[list[int]], list[list[int]]]:
    """Prompts of one length (B, T) and their masks. They are padded on the left of what they do not share."""
    longest = max(len(ids) for ids in prompts)
    rows = [[*ids[:shared], *[pad] * (longest - len(ids)), *ids[shared:]] for ids in prompts]
    masks = [[1] * shared + [0] * (longest - len(ids)) + [1] * (len(ids) - shared) for ids in prompts]
    return rows, masks


def write_batch(
    loaded: Loaded, prompts: Sequence[Sequence[int]], decoding: Decoding, shared: int = 0, on_row: OnRow | None = None
) -> list[str]:
    """What the model writes behind each prompt: all rows in one greedy `generate` call."""
    import torch
    from transformers import LogitsProcessorList, StoppingCriteriaList

    tokenizer, model = loaded
    rows, masks = padded(prompts, shared, tokenizer.pad_token_id)
    inputs = torch.tensor(rows, device=model.device)  # (B, T)
    cache = None
    if decoding.start is not None and shared:
        cache = copy.deepcopy(decoding.start)
        cache.batch_repeat_interleave(len(rows))
    ends = end_ids(loaded)
    stops = [] if decoding.sentences is None else [_sentence_stop(tokenizer, inputs.shape[1], decoding.sentences)]
    with torch.inference_mode():
        output = model.generate(
            input_ids=inputs,
            attention_mask=torch.tensor(masks, device=model.device),
            cache=cache,
            do_sample=False,
            max_new_tokens=decoding.new_tokens,
            max_time=decoding.seconds,
            logits_processor=LogitsProcessorList([] if decoding.guard is None else [decoding.guard]),
            stopping_criteria=StoppingCriteriaList(stops),
            streamer=_row_streamer(tokenizer, on_row) if on_row is not None else None,
            eos_token_id=ends,
            pad_token_id=tokenizer.pad_token_id,
        )  # (B, T + new)
    return [tokenizer.decode(ids[inputs.shape[1] :], skip_special_tokens=True).strip() for ids in output]


def end_ids(loaded: Loaded) -> list[int]:
    """Tokens that end an answer: the tokenizer's, the model's own, and the chat format's."""
    configured = loaded.model.generation_config.eos_token_id
    own = configured if isinstance(configured, list) else [configured]
    return sorted({one for one in (loaded.tokenizer.eos_token_id, *own) if one is not None})


def first_sentences(text: str, count: int) -> str:
    """The first line's first `count` sentences."""
    line = text.strip().splitlines()[0] if text.strip() else ""
    return " ".join(split_sentences(line)[:count])


def _sentence_stop(tokenizer: Any, prompt_length: int, counts: Sequence[int]) -> Any:
    """Stops each row once it has begun a sentence or a line more than it was asked for."""
    import torch
    from transformers import StoppingCriteria

    class SentenceStop(StoppingCriteria):  # type: ignore[misc]
        def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
            texts = tokenizer.batch_decode(input_ids[:, prompt_length:], skip_special_tokens=True)
            done = [
                "\n" in text.lstrip() or len(split_sentences(text)) > count for text, count in zip(texts, counts, strict=True)
            ]
            return torch.tensor(done, device=input_ids.device)

    return SentenceStop()


def _row_streamer(tokenizer: Any, on_row: OnRow) -> Any:
    """Gives each row's text as it grows; transformers' own streamer takes a single row."""
    from transformers.generation.streamers import BaseStreamer

    class RowStreamer(BaseStreamer):  # type: ignore[misc]
        def __init__(self) -> None:
            self._ids: list[list[int]] | None = None
            self._said: list[str] = []

        def put(self, value: Any) -> None:
            if self._ids is None:  # the prompts come first
                self._ids = [[] for _ in range(value.shape[0])]
                self._said = [""] * value.shape[0]
                return
            for row, token in enumerate(value.reshape(-1).tolist()):
                self._ids[row].append(token)
                text = tokenizer.decode(self._ids[row], skip_special_tokens=True)
                # Half a character decodes to a replacement mark until its other bytes have come.
                if len(text) > len(self._said[row]) and not text.endswith("\ufffd"):
                    piece, self._said[row] = text[len(self._said[row]) :], text
                    on_row(row, piece)

        def end(self) -> None:
            return None

    return RowStreamer()
