"""Type for the PDF: styles, and text set in whichever font has its characters."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from rag.render.fonts import CHINESE, CHINESE_BOLD, LATIN, LATIN_BOLD, WIDE, covered, cut_font
from rag.templates import clean_text

INK, SOFT, LINE = "#1c2430", "#566072", "#dde1e7"
_REGULAR, _BOLD, _HAN, _HAN_BOLD, _WIDE = "GaugeText", "GaugeTextBold", "GaugeHan", "GaugeHanBold", "GaugeWide"
_LOCK = threading.Lock()
"""The PDF library keeps fonts by name for the whole process; ours hold one document's characters."""


class Style(NamedTuple):
    """How a piece of text is set; sizes and distances in points."""

    size: float = 10.0
    leading: float = 14.0
    color: str = INK
    bold: bool = False
    before: float = 0.0
    after: float = 0.0
    indent: float = 0.0
    keep: bool = False
    align: int = 0


STYLES: dict[str, Style] = {
    "title": Style(20, 25, bold=True),
    "heading": Style(13, 17, bold=True, before=14, after=4, keep=True),
    "part": Style(8.5, 11, SOFT, bold=True, before=8, after=2, keep=True),
    "value": Style(20, 25, bold=True),
    "status": Style(10.5, 14, bold=True, align=2),
    "body": Style(after=2),
    "soft": Style(8.5, 11.5, SOFT),
    "caption": Style(7.5, 10, SOFT, before=3, after=2),
    "foot": Style(7.5, 10, SOFT),
    "place": Style(9.5, 13, before=7, after=2, keep=True),
    "quote": Style(9, 12.5, before=1, indent=12),
    "cell": Style(8.5, 11.5),
    "cell_head": Style(8.5, 11.5, bold=True),
}


class Typesetter:
    """Sets text for one PDF. As a context manager it holds the process's fonts, so that PDFs are made one by one."""

    def __init__(self, text: str) -> None:
        self.text_used = frozenset(text)

    def __enter__(self) -> Typesetter:
        _LOCK.acquire()
        try:
            _forget_cut_fonts()
            self._load_fonts()
        except BaseException:
            _LOCK.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            _forget_cut_fonts()
        finally:
            _LOCK.release()

    def _load_fonts(self) -> None:
        from reportlab.pdfbase.pdfmetrics import registerFont
        from reportlab.pdfbase.ttfonts import TTFont

        for name, font in ((_REGULAR, LATIN), (_BOLD, LATIN_BOLD), (_WIDE, WIDE)):
            registerFont(TTFont(name, str(font.find())))
        self.han = frozenset(one for one in self.text_used if ord(one) not in covered(LATIN) and ord(one) in covered(CHINESE))
        if self.han:
            registerFont(TTFont(_HAN, cut_font(CHINESE, self.han, _HAN)))
            registerFont(TTFont(_HAN_BOLD, cut_font(CHINESE_BOLD, self.han, _HAN_BOLD)))

    def _font_of(self, char: str, bold: bool) -> str:
        if ord(char) in covered(LATIN):
            return _BOLD if bold else _REGULAR
        if char in self.han:
            return _HAN_BOLD if bold else _HAN
        return _WIDE

    def markup(self, text: str, *, bold: bool = False) -> str:
        """Plain text as the library's markup, each run in a font that has it; nothing of the text itself is markup."""
        runs: Iterator[tuple[str, Iterator[str]]] = groupby(text, lambda char: self._font_of(char, bold))
        return "".join(f'<font name="{name}">{escape("".join(chars))}</font>' for name, chars in runs)

    def text(self, text: str, style: str, *, color: str | None = None, bookmark: bool = False) -> Any:
        """A paragraph of plain text. `bookmark` lists it in the outline."""
        line = clean_text(text, 4000)
        paragraph = self.marked(self.markup(line, bold=STYLES[style].bold), style, color=color)
        return _listed(paragraph, line) if bookmark else paragraph

    def marked(self, markup: str, style: str, *, color: str | None = None, bullet: str | None = None) -> Any:
        """A paragraph of the library's own markup."""
        from reportlab.lib.colors import HexColor
        from reportlab.lib.styles import ParagraphStyle
        from reportlab.platypus import Paragraph

        form = STYLES[style]
        made = ParagraphStyle(
            style,
            fontName=_BOLD if form.bold else _REGULAR,
            fontSize=form.size,
            leading=form.leading,
            textColor=HexColor(color or form.color),
            spaceBefore=form.before,
            spaceAfter=form.after,
            leftIndent=form.indent + (12 if bullet else 0),
            bulletIndent=form.indent + 2,
            bulletFontName=_REGULAR,
            keepWithNext=form.keep,
            alignment=form.align,
            wordWrap="CJK" if _HAN in markup else None,
        )
        return Paragraph(markup, made, bulletText=bullet)

    def item(self, markup: str) -> Any:
        """An item of a list."""
        return self.marked(markup, "body", bullet="•")

    def table(self, rows: Sequence[Sequence[Any]], width: float, *, indent: bool = False) -> Any:
        """A table with hairlines, its columns of equal width."""
        from reportlab.lib.colors import HexColor
        from reportlab.platypus import Table

        columns = max(len(row) for row in rows)
        full = width - (12 if indent else 0)
        style = [
            ("LINEBELOW", (0, 0), (-1, -1), 0.5, HexColor(LINE)),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("TOPPADDING", (0, 0), (-1, -1), 2.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
        ]
        return Table(rows, [full / columns] * columns, style=style, hAlign="RIGHT" if indent else "LEFT", spaceBefore=3)

    def band(self, rows: Sequence[Sequence[Any]], widths: Sequence[float], ground: str, ink: str) -> Any:
        """A coloured band with a bar at its left, for a headline."""
        from reportlab.lib.colors import HexColor
        from reportlab.platypus import Table

        style = [
            ("BACKGROUND", (0, 0), (-1, -1), HexColor(ground)),
            ("LINEBEFORE", (0, 0), (0, -1), 3, HexColor(ink), "butt"),
            ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
            ("LEFTPADDING", (0, 0), (-1, -1), 10),
            ("RIGHTPADDING", (0, 0), (-1, -1), 10),
            ("TOPPADDING", (0, 0), (-1, -1), 6),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 8),
        ]
        return Table(rows, widths, style=style, hAlign="LEFT", spaceBefore=2, spaceAfter=4)


def _forget_cut_fonts() -> None:
    """Take the last document's fonts out of the library, which would else keep them and pass over those of the next."""
    from reportlab.pdfbase import pdfmetrics

    for name in (_HAN, _HAN_BOLD):
        pdfmetrics._fonts.pop(name, None)
        pdfmetrics._dynFaceNames.pop(name.encode("ascii"), None)


def _listed(paragraph: Any, title: str) -> Any:
    """The paragraph, entered into the PDF's outline where it is drawn."""
    from reportlab.platypus import Paragraph

    class Listed(Paragraph):  # type: ignore[misc]
        def draw(self) -> None:
            key = f"h{id(self)}"
            self.canv.bookmarkPage(key)
            self.canv.addOutlineEntry(title, key, 0)
            super().draw()

    paragraph.__class__ = Listed
    return paragraph
