"""A manual's passage in blocks: paragraphs, lists and tables, so that every format can show it as it was written."""

from __future__ import annotations

import re
from typing import NamedTuple

from rag.templates import clean_text

MAX_TEXT = 4000
_RULE = re.compile(r"^\|?[\s:|-]+\|?$")
_ITEM = re.compile(r"^(?:(?P<number>\d{1,3})[.)]|[-*•])\s+(?P<text>.+)$")
_MARKS = re.compile(r"\*\*(.+?)\*\*|__(.+?)__|`([^`]+)`")


class Paragraph(NamedTuple):
    """Running text on one line."""

    text: str


class Items(NamedTuple):
    """A list; `start` is the number of its first item, None for a list without numbers."""

    start: int | None
    texts: tuple[str, ...]


class Table(NamedTuple):
    """Rows of cells; the first row is the head where `headed`."""

    rows: tuple[tuple[str, ...], ...]
    headed: bool


Block = Paragraph | Items | Table


def parse_passage(text: str) -> tuple[Block, ...]:
    """The blocks of a passage in order. Any text gives blocks; none of them holds markup or control characters."""
    blocks: list[Block] = []
    for line in text[:MAX_TEXT].splitlines():
        line = line.strip()
        item = _ITEM.match(line)
        if line.startswith("|") and line.endswith("|") and len(line) > 1:
            _add_row(blocks, line)
        elif item is not None:
            _add_item(blocks, _plain(item.group("text")), item.group("number"))
        elif _plain(line):
            # Text behind a blank line or another block begins a paragraph of its own; so does every line of a manual.
            blocks.append(Paragraph(_plain(line)))
    return tuple(blocks)


def _add_row(blocks: list[Block], line: str) -> None:
    last = blocks[-1] if blocks else None
    if _RULE.match(line):
        if isinstance(last, Table) and len(last.rows) == 1:
            blocks[-1] = last._replace(headed=True)
        return
    cells = tuple(_plain(cell) for cell in line.strip("|").split("|"))
    if isinstance(last, Table):
        width = len(last.rows[0])
        blocks[-1] = last._replace(rows=(*last.rows, (*cells, *("",) * width)[:width]))
    else:
        blocks.append(Table((cells,), headed=False))


def _add_item(blocks: list[Block], text: str, number: str | None) -> None:
    last = blocks[-1] if blocks else None
    start = int(number) if number is not None else None
    follows = isinstance(last, Items) and (last.start is None) == (start is None)
    if isinstance(last, Items) and follows and (last.start is None or start == last.start + len(last.texts)):
        blocks[-1] = last._replace(texts=(*last.texts, text))
    else:
        blocks.append(Items(start, (text,)))


def _plain(text: str) -> str:
    return clean_text(_MARKS.sub(lambda match: match.group(1) or match.group(2) or match.group(3), text), MAX_TEXT)
