"""Word documents as Markdown: headings, paragraphs, lists and tables in the order of the document.

A Word file has no pages before it is printed; its paragraphs are counted instead.
"""

from __future__ import annotations

import re
from pathlib import Path

from knowledge.intake_types import Converted, IntakeError, markdown_table

_HEADING_STYLE = re.compile(r"(?:heading|标题)\s*(\d)", re.IGNORECASE)


def convert_docx(path: Path) -> Converted:
    """Markdown of a .docx file. Raises IntakeError where it is encrypted, broken or empty."""
    import docx
    from docx.table import Table
    from docx.text.paragraph import Paragraph

    if path.read_bytes()[:8] == bytes.fromhex("d0cf11e0a1b11ae1"):
        raise IntakeError("", "is an encrypted or old Word file; save it as .docx without a password")
    try:
        document = docx.Document(str(path))
    except Exception as error:  # The parser lets through whatever zip and XML raise.
        raise IntakeError("", f"is no Word document that can be read ({type(error).__name__}: {error})") from error
    blocks: list[str] = []
    title: str | None = None
    tables = 0
    for item in document.iter_inner_content():
        if isinstance(item, Table):
            tables += 1
            rows = [[cell.text for cell in row.cells] for row in item.rows]
            blocks.append(markdown_table([[" ".join(cell.split()) for cell in row] for row in rows], f"table {tables}"))
        elif isinstance(item, Paragraph) and item.text.strip():
            text = " ".join(item.text.split())
            level = _level(item.style.name if item.style is not None else "")
            title = title or (text if level else None)
            _append(blocks, text, level, item.style.name or "" if item.style is not None else "")
    if not blocks:
        raise IntakeError("", "holds no text; is it a scan?")
    return Converted("\n\n".join(blocks) + "\n", title)


def _level(style: str | None) -> int:
    match = _HEADING_STYLE.search(style or "")
    return min(int(match.group(1)), 6) if match else 1 if (style or "").lower() == "title" else 0


def _append(blocks: list[str], text: str, level: int, style: str) -> None:
    mark = _list_mark(style, blocks)
    if level:
        blocks.append(f"{'#' * level} {text}")
    elif mark:
        # Items of one list stand on lines of their own without a gap.
        item = f"{mark} {text}"
        if blocks and re.match(r"^(?:-|\d+\.) ", blocks[-1]):
            blocks[-1] += f"\n{item}"
        else:
            blocks.append(item)
    else:
        blocks.append(text)


def _list_mark(style: str, blocks: list[str]) -> str | None:
    if "bullet" in style.lower():
        return "-"
    if "list number" not in style.lower():
        return None
    last = blocks[-1].splitlines()[-1] if blocks else ""
    match = re.match(r"^(\d+)\. ", last)
    return f"{int(match.group(1)) + 1}." if match else "1."
