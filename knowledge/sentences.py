"""Sentences and blocks of Markdown, in English and Chinese.

A chunk may only be cut where these say so: at the end of a sentence outside brackets and code, and never
between a condition and its consequence.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

BlockKind = Literal["paragraph", "list", "table", "code"]

_NEVER_END = frozenset({"e.g", "i.e", "fig", "no", "cf", "dr", "eq"})
_MAY_END = frozenset({"approx", "sec", "max", "min", "vs", "etc", "in", "ref", "temp"})
_OPEN, _CLOSE = "([（【「《“", ")]）】」》”"
_CHINESE_END = "。！？；"
_ENGLISH_END = ".!?"

_LAST_WORD = re.compile(r"(?<![A-Za-z.])([A-Za-z.]{1,40})$")
_NOTHING_MORE = re.compile(r"\s*\Z")
_NEW_SENTENCE = re.compile(r"\s+[A-Z][a-z]* ")
WINDOW = 48
"""Characters before a full stop that are looked at for an abbreviation."""

_LIST_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)、])\s+")
_ORDERED_ITEM = re.compile(r"^\s*\d+[.)、]\s+")
_TABLE_ROW = re.compile(r"^\s*\|.*\|\s*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")

CONNECTOR = re.compile(
    r"^\s*(?:otherwise|else|or else|except|unless|in that case|in this case|if not|in either case|but|however|"
    r"否则|不然|但|除外|除非|则|那么|此时|在此情况下|若不|如不|反之|然而)(?![a-z])",
    re.IGNORECASE,
)
"""A sentence that begins so belongs to the one before it: it states the other half of a condition."""

CONDITION = re.compile(
    r"^\s*(?:(?:if|when|whenever|unless|in case|as soon as|as long as)\b|若|如果|如|当|倘若|一旦|除非)", re.IGNORECASE
)
"""A sentence that begins so states a condition."""

_CONTRAST = re.compile(r"^\s*(?:but|however|但(?!.{0,12}除外)|然而)(?![a-z])", re.IGNORECASE)
_ALTERNATIVE = re.compile(r"^\s*(?:otherwise|else|or else|if not|否则|不然|反之)(?![a-z])", re.IGNORECASE)
LOGICAL_BREAK = re.compile(
    r"^\s*(?:therefore|consequently|as a result|in summary|in short|however|因此|所以|综上|总之|然而)(?![a-z])", re.IGNORECASE
)
"""A sentence that begins so opens a new thought: a long block is cut in front of it first."""


class Block(NamedTuple):
    """A paragraph, list, table or code block; `line` is the 0-based line within the text it was found in."""

    kind: BlockKind
    text: str
    line: int

    @property
    def ordered(self) -> bool:
        """True for a list of numbered steps."""
        return self.kind == "list" and any(_ORDERED_ITEM.match(line) for line in self.text.splitlines())


def split_sentences(text: str) -> tuple[str, ...]:
    """Sentences of a paragraph in order, stripped; joining them loses nothing but white space."""
    sentences: list[str] = []
    start, depth, code = 0, 0, False
    for position, char in enumerate(text):
        if char == "`":
            code = not code
        elif char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth = max(0, depth - 1)
        elif not code and depth == 0 and _ends_here(text, position):
            sentences.append(text[start : position + 1].strip())
            start = position + 1
    sentences.append(text[start:].strip())
    return tuple(sentence for sentence in sentences if sentence)


def _ends_here(text: str, position: int) -> bool:
    char = text[position]
    if char in _CHINESE_END:
        # A closing quote or bracket right behind still belongs to the sentence.
        return position + 1 >= len(text) or text[position + 1] not in _CLOSE + "。！？；"
    if char not in _ENGLISH_END:
        return False
    after = position + 1
    if after < len(text) and not text[after].isspace():
        return False
    # Only a window is looked at: copies of all before and behind would make a long paragraph cost its length squared.
    word = _LAST_WORD.search(text[max(0, position - WINDOW) : position]) if char == "." else None
    name = word.group(1).lower() if word else ""
    if name in _MAY_END:
        # `min.` may be an abbreviation or the end; it is the end where a new sentence visibly starts.
        return bool(_NOTHING_MORE.match(text, after) or _NEW_SENTENCE.match(text, after))
    return name not in _NEVER_END


def coupled_sentences(text: str, *, contrasts: bool = True) -> tuple[str, ...]:
    """Like `split_sentences`, but a condition and its "otherwise" stay one piece.

    An "otherwise" closes the whole chain of conditions in front of it. Without `contrasts` a "however" may stand
    apart from a sentence that is no condition, which gives a long block a place to be cut.
    """
    joint = " " if re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}", text) else ""
    pieces: list[list[str]] = []
    for sentence in split_sentences(text):
        if pieces and _belongs_behind(pieces[-1], sentence, contrasts):
            pieces[-1].append(sentence)
            while _ALTERNATIVE.match(sentence) and len(pieces) > 1 and all(CONDITION.match(p[0]) for p in pieces[-2:]):
                pieces[-2:] = [pieces[-2] + pieces[-1]]
        else:
            pieces.append([sentence])
    return tuple(joint.join(piece) for piece in pieces)


def _belongs_behind(piece: list[str], sentence: str, contrasts: bool) -> bool:
    conditional = bool(CONDITION.match(piece[0]))
    if CONNECTOR.match(sentence):
        return contrasts or conditional or not _CONTRAST.match(sentence)
    # 若甲，则乙；若丙，则丁：one sentence with several conditions.
    return conditional and piece[-1].endswith("；") and bool(CONDITION.match(sentence))


def split_blocks(text: str) -> tuple[Block, ...]:
    """Markdown blocks in order. Blank lines inside a list do not end it; a table ends at its last row."""
    blocks: list[Block] = []
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        kind, end = _block_end(lines, at)
        blocks.append(Block(kind, "\n".join(lines[at:end]).rstrip(), at))
        at = end
    return tuple(blocks)


def _block_end(lines: list[str], start: int) -> tuple[BlockKind, int]:
    if _FENCE.match(lines[start]):
        closing = next((n for n in range(start + 1, len(lines)) if _FENCE.match(lines[n])), len(lines) - 1)
        return "code", closing + 1
    if _TABLE_ROW.match(lines[start]):
        end = start
        while end < len(lines) and _TABLE_ROW.match(lines[end]):
            end += 1
        return "table", end
    if _LIST_ITEM.match(lines[start]):
        return "list", _list_end(lines, start)
    end = start
    while end < len(lines) and lines[end].strip() and not _starts_other(lines[end], first=end == start):
        end += 1
    return "paragraph", end


def _starts_other(line: str, *, first: bool) -> bool:
    return not first and bool(_TABLE_ROW.match(line) or _LIST_ITEM.match(line) or _FENCE.match(line))


def _list_end(lines: list[str], start: int) -> int:
    end = start
    while end < len(lines):
        line = lines[end]
        following = next((n for n in lines[end + 1 :] if n.strip()), "")
        if not line.strip() and not (_LIST_ITEM.match(following) or following.startswith((" ", "\t"))):
            break
        if line.strip() and end > start and lines[end - 1].strip() == "" and not _LIST_ITEM.match(line) and line[0] not in " \t":
            break
        end += 1
    return end


class Table(NamedTuple):
    """A Markdown table: header cells and the cells of each row, stripped of emphasis."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def parse_table(text: str) -> Table | None:
    """The first table of a text, or None where there is none with a header and a rule below it."""
    rows = [_cells(line) for line in text.splitlines() if _TABLE_ROW.match(line)]
    if len(rows) < 3 or not all(re.fullmatch(r":?-{2,}:?", cell) for cell in rows[1]):
        return None
    return Table(rows[0], tuple(rows[2:]))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip().strip("*").strip() for cell in line.strip().strip("|").split("|"))
