"""PDF manuals as Markdown: headings, paragraphs, lists and tables with their headers, and where each page begins.

pdfplumber gives words with their places and tables by their ruled lines; running headers and footers are left out.
What cannot be read is refused: a scan has no text, and nothing here guesses at pictures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from knowledge.intake_lines import TextLine, find_gutter, join_words, page_columns, without_running_lines
from knowledge.intake_types import Converted, IntakeError, markdown_table

MAX_PAGES = 2000
_MOST_UNKNOWN = 0.2
_NUMBERED = re.compile(r"^(\d+(?:\.\d+)*)\.?\s+\S")
_ITEM = re.compile(r"^(?:(?P<bullet>[•·●▪◦‣–-]|\(cid:\d+\))|(?P<number>\d+)[.)、])\s*(?P<text>\S.*)")
_ENDS = (".", "。", "!", "！", "?", "？", ":", "：", ";", "；", "|")


@dataclass
class _Block:
    """A piece of the document; rows for a table, else lines of text."""

    kind: str  # heading, paragraph, item, table
    page: int
    text: str = ""
    level: int = 0
    rows: list[list[str]] = field(default_factory=list)
    number: int = 0
    bottom: float = 0.0
    left: float = 0.0


@dataclass
class _Column:
    """Lines of a column, and its tables with their places from the page's top."""

    lines: list[TextLine]
    tables: list[tuple[float, list[list[str]]]]


@dataclass
class _Page:
    columns: list[_Column]
    height: float

    @property
    def lines(self) -> list[TextLine]:
        """All lines in reading order."""
        return [line for column in self.columns for line in column.lines]

    @property
    def empty(self) -> bool:
        """Whether there is neither text nor table."""
        return not any(column.lines or column.tables for column in self.columns)


def convert_pdf(path: Path) -> Converted:
    """Markdown of a PDF. Raises IntakeError where it needs a password, is broken, or has no text."""
    pages, notes = _read(path)
    _check_letters(pages)
    kept = without_running_lines([page.lines for page in pages], [page.height for page in pages])
    for page, lines in zip(pages, map(set, kept), strict=True):
        for column in page.columns:
            column.lines = [line for line in column.lines if line in lines]
    sizes = Counter[float]()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += len(line.text)
    body_size = sizes.most_common(1)[0][0] if sizes else 10.0
    blocks: list[_Block] = []
    for number, page in enumerate(pages, 1):
        for block in _page_blocks(page, number, body_size):
            _add(blocks, block)
    title = next((block.text for block in blocks if block.kind == "heading"), None)
    body = _markdown(blocks)
    if not body.strip():
        raise IntakeError("", "holds no text outside its headers and footers")
    return Converted(body, title, tuple(notes))


def _check_letters(pages: list[_Page]) -> None:
    """Fonts that do not say which letters they draw give numbers in place of text."""
    for number, page in enumerate(pages, 1):
        text = " ".join(line.text for line in page.lines)
        unknown = sum(len(match) for match in re.findall(r"\(cid:\d+\)", text))
        if unknown > _MOST_UNKNOWN * max(len(text), 1):
            raise IntakeError(f"page {number}", "its fonts do not say which letters they draw; print it to PDF anew")


def _read(path: Path) -> tuple[list[_Page], list[str]]:
    import pdfplumber
    from pdfminer.pdfdocument import PDFPasswordIncorrect

    try:
        with pdfplumber.open(path) as pdf:
            if not pdf.doc.is_extractable:
                raise IntakeError("", "is protected against taking text out of it; ask its maker for an open copy")
            if len(pdf.pages) > MAX_PAGES:
                raise IntakeError("", f"has {len(pdf.pages)} pages, more than {MAX_PAGES}; split it")
            pages = [_read_page(page) for page in pdf.pages]
            pictures = [n for n, page in enumerate(pdf.pages, 1) if not page.chars and page.images]
    except IntakeError:
        raise
    except Exception as error:
        # pdfplumber wraps the parser's errors; what broke may be anything in a damaged file.
        causes = (error, *error.args, error.__cause__, error.__context__)
        if any(isinstance(cause, PDFPasswordIncorrect) for cause in causes):
            raise IntakeError("", "is encrypted and needs a password; save it without one") from error
        raise IntakeError("", f"is no PDF that can be read ({type(error).__name__}: {error or 'damaged'})") from error
    if not pages:
        raise IntakeError("", "has no pages; the file is damaged or empty")
    if all(page.empty for page in pages):
        what = f"pages 1 to {len(pages)}" if len(pages) > 1 else "page 1"
        raise IntakeError(what, "no text, only pictures: a scan; run text recognition over it first")
    notes = [f"page {n} is a picture without text and was left out" for n in pictures]
    return pages, notes


def _read_page(page: Any) -> _Page:
    tables = [(table.bbox, _rows(table.extract())) for table in page.find_tables()]
    # A box around text is found as a table of one cell: it is text.
    tables = [(box, rows) for box, rows in tables if len(rows) > 1 and len(rows[0]) > 1]
    words = page.extract_words(extra_attrs=["size", "fontname"], x_tolerance_ratio=0.2, keep_blank_chars=False)
    outside = [word for word in words if not any(_inside(word, box) for box, _ in tables)]
    gutter = find_gutter(outside, float(page.width))
    columns = [_Column(lines, []) for lines in page_columns(outside, gutter)]
    for box, rows in tables:
        right = gutter is not None and box[0] > gutter
        columns[right].tables.append((float(box[1]), rows))
    return _Page(columns, float(page.height))


def _inside(word: dict[str, Any], box: tuple[float, float, float, float]) -> bool:
    x, y = (word["x0"] + word["x1"]) / 2, (word["top"] + word["bottom"]) / 2
    return bool(box[0] <= x <= box[2] and box[1] <= y <= box[3])


def _rows(cells: list[list[str | None]]) -> list[list[str]]:
    """Cells as text; lines of a cell are joined, columns that are empty throughout are left out."""
    rows = [[join_words((cell or "").split()) for cell in row] for row in cells]
    used = [n for n in range(max(map(len, rows), default=0)) if any(n < len(row) and row[n] for row in rows)]
    return [[row[n] if n < len(row) else "" for n in used] for row in rows if any(row)]


def _page_blocks(page: _Page, number: int, body_size: float) -> Iterator[_Block]:
    tables = count(1)
    for column in page.columns:
        waiting = sorted(column.tables, key=lambda pair: pair[0])
        for line in column.lines:
            while waiting and waiting[0][0] <= line.top:
                yield _Block("table", number, rows=waiting.pop(0)[1], number=next(tables))
            yield _line_block(line, number, body_size)
        for _, rows in waiting:
            yield _Block("table", number, rows=rows, number=next(tables))


def _line_block(line: TextLine, page: int, body_size: float) -> _Block:
    match = _NUMBERED.match(line.text)
    large = line.size > 1.12 * body_size
    short = len(line.text) <= 90 and not line.text.endswith((".", "。", ",", "，", ";", "；"))
    if short and (large or (line.bold and match)):
        level = match.group(1).count(".") + 2 if match else 1 if line.size > 1.5 * body_size else 2
        return _Block("heading", page, line.text, min(level, 6), bottom=line.bottom, left=line.left)
    item = _ITEM.match(line.text)
    if item:
        mark = "-" if item["bullet"] else f"{item['number']}."
        return _Block("item", page, f"{mark} {item['text']}", bottom=line.bottom, left=line.left)
    return _Block("line", page, line.text, bottom=line.bottom, left=line.left, level=round(line.bottom - line.top))


def _add(blocks: list[_Block], block: _Block) -> None:
    """Append a block, or join it to the last one where it goes on from there, over the end of a page too."""
    last = blocks[-1] if blocks else None
    if last is not None and block.kind == "line" and last.kind in ("line", "item") and _goes_on(last, block):
        last.text = _joined(last.text, block.text)
        last.bottom, last.page = block.bottom, last.page
        return
    if last is not None and block.kind == last.kind == "table" and block.page > last.page and _same_table(last, block):
        last.rows += block.rows[1:] if block.rows[0] == last.rows[0] else block.rows
        return
    blocks.append(block)


def _goes_on(last: _Block, block: _Block) -> bool:
    if block.page > last.page and block.bottom < last.bottom:
        return not last.text.endswith(_ENDS)
    gap = block.bottom - last.bottom
    if last.kind == "item":
        return gap < 1.9 * block.level and block.left > last.left + 2
    return gap < 1.7 * block.level


def _same_table(last: _Block, block: _Block) -> bool:
    """A table that goes on over the page: the same header again, or data in its first row where a header would be words."""
    if len(last.rows[0]) != len(block.rows[0]):
        return False
    pairs = zip(block.rows[0], last.rows[0], strict=True)
    return block.rows[0] == last.rows[0] or any(re.search(r"\d", cell) and not re.search(r"\d", head) for cell, head in pairs)


def _joined(text: str, more: str) -> str:
    if text.endswith("-") and more[:1].islower() and text[-2:-1].isalpha():
        return text[:-1] + more
    return join_words([text, more])


def _markdown(blocks: list[_Block]) -> str:
    parts: list[str] = []
    page = 0
    previous = ""
    for block in blocks:
        text = _block_text(block)
        if block.page != page:
            page = block.page
            parts.append(f"\n<!-- page {page} -->\n")
        # Items of one list stand together, a page mark between two of them does not end it.
        parts.append(text if block.kind == "item" and previous == "item" else f"\n{text}")
        previous = block.kind
    return "\n".join(parts).strip("\n") + "\n"


def _block_text(block: _Block) -> str:
    if block.kind == "heading":
        return f"{'#' * block.level} {block.text}"
    if block.kind != "table":
        return block.text
    place = f"page {block.page}, table {block.number}"
    rows, caption = block.rows, ""
    if len(rows) > 2 and sum(bool(cell) for cell in rows[0]) == 1 and rows[0][0]:
        # One cell over the whole width is the table's title.
        caption, rows = f"{rows[0][0]}\n\n", rows[1:]
    return caption + markdown_table(rows, place)
