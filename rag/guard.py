"""Copy guard: while a model writes, it may only use whole words and numbers of its fact, and a few function words.

Allowed words become token sequences in a tree; at each step a row may go on in the words it is in, or, at a word's
end, begin another. Masks are precomputed a tree node, so that a step costs a look-up and one vectorised fill.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

Encode = Callable[[str], Sequence[int]]

_FUNCTION_TEXT = "the a an is are of in on at to from by for with and as it its this that"
FUNCTION_WORDS = tuple(_FUNCTION_TEXT.split())
_PAUSES = (",", ";", ":")
_END = "."


@dataclass
class Node:
    """A place in the tree of allowed words. `ends`: a word may end here; `closes`: the sentence ends here."""

    children: dict[int, Node] = field(default_factory=dict)
    ends: bool = False
    closes: bool = False


@dataclass
class FactTree:
    """Allowed words of one fact: those that may begin the sentence, and those that may follow."""

    start: Node
    follow: Node


def build_tree(fact: str, encode: Encode) -> FactTree:
    """The tree of a fact's words, numbers whole, with and without the punctuation behind them.

    Only the last word's full stop ends a fact of several sentences; behind the others the next sentence begins.
    """
    words: dict[str, None] = {}
    for word in fact.split():
        words[word] = None
        words[word.rstrip(".,;:")] = None
    begin = [w[:1].upper() + w[1:] for w in (*words, *FUNCTION_WORDS) if w] + [w for w in words if w]
    going = [f" {variant}" for w in (*words, *FUNCTION_WORDS) if w for variant in (w, w[:1].lower() + w[1:])]
    last = fact.split()[-1] if fact.split() else _END
    tree = FactTree(Node(), Node())
    _add(tree.start, begin, encode, last)
    _add(tree.follow, [*going, *_PAUSES], encode, last)
    _add(tree.follow, [_END], encode, _END)
    return tree


def _add(root: Node, texts: Iterable[str], encode: Encode, last: str) -> None:
    for text in texts:
        node = root
        for token in encode(text):
            node = node.children.setdefault(token, Node())
        if node is not root:
            node.ends = True
            node.closes = node.closes or (text.endswith(_END) and text.strip().lower() == last.lower())


class CopyGuard:
    """A logits processor for transformers' `generate`: one fact a row, prompts of equal (padded) length."""

    def __init__(self, trees: Sequence[FactTree], prompt_length: int, end_ids: Sequence[int]) -> None:
        self._trees = tuple(trees)
        self._prompt_length = prompt_length
        self._end_ids = tuple(end_ids)
        self._states: list[tuple[Node, ...]] = [(tree.start,) for tree in trees]
        self._allowed: dict[tuple[int, ...], Any] = {}

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """`scores` (B, V) with everything that a row may not write at minus infinity."""
        import torch

        written = input_ids.shape[1] - self._prompt_length
        mask = torch.full_like(scores, float("-inf"))
        last = input_ids[:, -1].tolist() if written else []
        for row, tree in enumerate(self._trees):
            if written:
                self._states[row] = step(self._states[row], last[row], tree)
            mask[row, self._ids(self._states[row], tree, scores.device)] = 0.0
        return scores + mask

    def _ids(self, state: tuple[Node, ...], tree: FactTree, device: Any) -> Any:
        import torch

        key = (id(tree), *(id(node) for node in state))
        if key not in self._allowed:
            ids = sorted(allowed_tokens(state, tree)) or list(self._end_ids)
            if any(node.closes for node in state):
                ids = sorted({*ids, *self._end_ids})
            self._allowed[key] = torch.tensor(ids, device=device)
        return self._allowed[key]


def step(state: tuple[Node, ...], token: int, tree: FactTree) -> tuple[Node, ...]:
    """Places in the tree after `token`: within a word, or in a new one where a word could end."""
    reached: list[Node] = []
    for node in state:
        if token in node.children:
            reached.append(node.children[token])
        if node.ends and not _only_closes(node) and token in tree.follow.children:
            reached.append(tree.follow.children[token])
    return tuple({id(node): node for node in reached}.values())


def allowed_tokens(state: tuple[Node, ...], tree: FactTree) -> set[int]:
    """Tokens that may come next; empty after the sentence's end."""
    found: set[int] = set()
    for node in state:
        found |= node.children.keys()
        if node.ends and not _only_closes(node):
            found |= tree.follow.children.keys()
    return found


def _only_closes(node: Node) -> bool:
    return node.closes and not node.children
