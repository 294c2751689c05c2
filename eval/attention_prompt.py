"""The prompt before which an answer's attention is measured: sources and question in the model's own chat format.

Sources that are too long are cut by meaning, not by place: into runs of whole sentences, of which those nearest to question
and answer stay, in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from eval.claims import sentence_spans
from eval.evidence import all_terms
from rag.local_model import encode

MOST_SOURCE_TOKENS = 1024
PART_TOKENS = 256
_ASK = "Answer only from the text above. {question}"


class Prompt(NamedTuple):
    """Token ids, of which [start, end) are the sources; `cut` where parts of these were left out."""

    ids: tuple[int, ...]
    start: int
    end: int
    cut: bool


def build_prompt(tokenizer: Any, question: str, answer: str, sources: Sequence[str]) -> Prompt:
    """The prompt of an answer. The same question and sources give the same prompt, as long as nothing has to be cut."""
    whole = "\n\n".join(source.strip() for source in sources if source.strip())
    text, cut = whole, False
    if len(encode(tokenizer, whole)) > MOST_SOURCE_TOKENS:
        text, cut = nearest_parts(tokenizer, whole, f"{question}\n{answer}"), True
    asked = _ASK.format(question=question.strip()).strip()
    before, after = _around(tokenizer, text, asked)
    head, body, tail = encode(tokenizer, before), encode(tokenizer, text), encode(tokenizer, after)
    # A first token that is never content takes what attention has nowhere else to go.
    head = head or [tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id]
    return Prompt((*head, *body, *tail), len(head), len(head) + len(body), cut)


def _around(tokenizer: Any, text: str, asked: str) -> tuple[str, str]:
    """What stands before and behind the sources."""
    if getattr(tokenizer, "chat_template", None) is None:
        return "", f"\n\n{asked}\n"
    messages = [{"role": "user", "content": f"{text}\n\n{asked}"}]
    rendered: str = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    before, _, after = rendered.partition(text)
    return before, after


def nearest_parts(tokenizer: Any, text: str, about: str) -> str:
    """The parts of a text that share most words with another, in their order, together at most `MOST_SOURCE_TOKENS`."""
    parts = sentence_parts(tokenizer, text)
    wanted = all_terms(about)
    ranked = sorted(range(len(parts)), key=lambda place: (-len(all_terms(parts[place]) & wanted), place))
    kept = sorted(ranked[: MOST_SOURCE_TOKENS // PART_TOKENS])
    return "\n".join(parts[place] for place in kept)


def sentence_parts(tokenizer: Any, text: str) -> list[str]:
    """Runs of whole sentences of at most `PART_TOKENS` tokens; of a longer sentence only that much is kept."""
    parts: list[list[int]] = []
    for span in sentence_spans(text):
        ids = encode(tokenizer, f"{span.text} ")[:PART_TOKENS]
        if parts and len(parts[-1]) + len(ids) <= PART_TOKENS:
            parts[-1] += ids
        else:
            parts.append(ids)
    return [tokenizer.decode(ids).strip() for ids in parts]
