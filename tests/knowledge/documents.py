"""Documents for the tests of intake, made on the spot: PDF by reportlab, Word by python-docx."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

SIDE_CAR = """models = ["PT-9"]
kind = "dial"
language = "{language}"
authority = "specification"
status = "{status}"
version = "{version}"
effective_date = 2024-02-01
"""

MANUAL: list[Any] = [
    ("h1", "PT-9 Pressure Transmitter, Manual"),
    ("h2", "1 About the instrument"),
    (
        "p",
        "The PT-9 shows the pressure of one line on a dial. If the pointer trembles, close the throttle. Otherwise leave it "
        "as it is and write the reading into the record of the shift.",
    ),
    ("li", ["Dial with a black pointer", "Nameplate with model and number, on the left side of the case"]),
    ("h2", "2 Reading"),
    ("h3", "2.1 Unit and angle"),
    ("p", "The unit of pressure is bar. The pointer angle is counted from 6 o'clock, clockwise, in degrees."),
    ("h3", "2.2 Formula"),
    ("p", "The calibration formula is pressure = (pointer angle - 45) / 27."),
    ("p", "The formula is valid for pointer angles from 45 to 315 degrees. See section 3.1 for the limits."),
    ("page", None),
    ("h2", "3 Limits"),
    ("h3", "3.1 Limits of the pressure"),
    (
        "table",
        [["State", "Pressure", "What to do"], ["Normal", "0 to 8 bar", "Go on."], ["Alarm", "above 8 bar", "Stop the pump."]],
    ),
    ("p", "A value above the alarm limit is reported to the shift leader at once."),
]


def write_side_car(path: Path, language: str = "en", status: str = "valid", version: str = "1.0", extra: str = "") -> None:
    """The side-car of a document, beside it."""
    text = SIDE_CAR.format(language=language, status=status, version=version)
    path.with_name(path.name + ".toml").write_text(text + extra, encoding="utf-8")


def write_pdf(path: Path, story: Sequence[Any] = MANUAL, *, chinese: bool = False, password: str | None = None) -> Path:
    """A PDF with a running header and footer on every page; with its side-car."""
    from reportlab.lib import colors
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

    plain, bold = "Helvetica", "Helvetica-Bold"
    if chinese:
        pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
        plain = bold = "STSong-Light"
    sizes = {"h1": 20, "h2": 14, "h3": 12.5, "p": 10}
    styles = {
        name: ParagraphStyle(
            name, fontName=bold if name[0] == "h" else plain, fontSize=size, leading=1.25 * size, spaceAfter=8,
            wordWrap="CJK" if chinese else None,
        )
        for name, size in sizes.items()
    }  # fmt: skip
    flow: list[Any] = []
    for kind, content in story:
        if kind == "page":
            flow.append(PageBreak())
        elif kind == "table":
            table = Table(content, repeatRows=1)
            table.setStyle(TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("FONT", (0, 0), (-1, -1), plain, 9)]))
            flow += [table, Spacer(1, 10)]
        elif kind == "li":
            flow += [Paragraph(f"• {item}", styles["p"]) for item in content]
        else:
            flow.append(Paragraph(content, styles[kind]))

    def running(canvas: Any, document: Any) -> None:
        canvas.setFont(plain, 8)
        canvas.drawString(60, 810, "使用手册 PT-9" if chinese else "PT-9 Operating Manual, all rights reserved")
        canvas.drawString(280, 30, f"Page {canvas.getPageNumber()} of 2")

    encryption = StandardEncryption(password, canPrint=0) if password else None
    SimpleDocTemplate(str(path), pagesize=A4, encrypt=encryption).build(flow, onFirstPage=running, onLaterPages=running)
    write_side_car(path, "zh" if chinese else "en")
    return path


def write_two_columns(path: Path) -> Path:
    """A PDF of one page in two columns, the table of section 2 at the head of the right one; with its side-car."""
    from reportlab.lib import colors
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import BaseDocTemplate, Frame, FrameBreak, PageTemplate, Paragraph, Table, TableStyle

    heading = ParagraphStyle("heading", fontName="Helvetica-Bold", fontSize=14, leading=18, spaceAfter=6)
    plain = ParagraphStyle("plain", fontName="Helvetica", fontSize=10, leading=13, spaceAfter=6)
    told = "The valve {0} opens when the pump {0} runs, and the line {0} is vented before it is closed again by hand."
    texts = [[told.format(f"{section}{n}") for n in range(6)] for section in range(1, 4)]
    table = Table([["State", "Pressure"], ["Normal", "0 to 8 bar"], ["Alarm", "above 8 bar"]])
    table.setStyle(TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)]))
    flow: list[Any] = [Paragraph("1 Valves", heading), *(Paragraph(text, plain) for text in texts[0])]
    flow += [Paragraph("2 Limits", heading), *(Paragraph(text, plain) for text in texts[1]), FrameBreak(), table]
    flow += [Paragraph("3 Pumps", heading), *(Paragraph(text, plain) for text in texts[2])]
    document = BaseDocTemplate(str(path), pagesize=A4)
    document.addPageTemplates(PageTemplate(frames=[Frame(50, 60, 235, 700), Frame(310, 60, 235, 700)]))
    document.build(flow)
    write_side_car(path)
    return path


def write_scan(path: Path) -> Path:
    """A PDF whose only page is a picture."""
    from PIL import Image
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path))
    canvas.drawImage(ImageReader(Image.new("RGB", (80, 100), "grey")), 50, 100, 400, 500)
    canvas.save()
    write_side_car(path)
    return path


def write_docx(path: Path) -> Path:
    """A Word file with headings, a list, a table and a formula; with its side-car."""
    import docx

    document = docx.Document()
    document.add_heading("PT-9 Pressure Transmitter, Manual", 1)
    document.add_heading("1 Reading", 2)
    document.add_paragraph("The unit of pressure is bar. The pointer angle is counted from 6 o'clock, clockwise, in degrees.")
    document.add_paragraph("The calibration formula is pressure = (pointer angle - 45) / 27.")
    document.add_heading("2 Steps", 2)
    for step in ("Close the valve.", "Release the pressure."):
        document.add_paragraph(step, style="List Number")
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Lamp colour", "Meaning"
    for color, meaning in (("Red", "Over-pressure"), ("Green", "Pressure normal")):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = color, meaning
    document.save(str(path))
    write_side_car(path)
    return path
