"""Intake: what comes in, in which form, and what is refused with file, place and reason while the rest goes in."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from knowledge.articles import Article, Chunk, parse_article
from knowledge.chunks import build_chunks
from knowledge.corpora import default_corpora, read_corpora, user_corpus
from knowledge.intake import add_files, article_text
from knowledge.intake_types import IntakeError
from knowledge.structured import Findings, find_facts

from .conftest import HEAD
from .conftest import article_text as markdown
from .documents import MANUAL, write_docx, write_pdf, write_scan, write_side_car, write_two_columns

POINTS = "Pointer angle (°),Pressure (bar)\n45,0\n180,5\n315,10\n"
ZH_END = "则关闭阻尼阀；否则保持原状，并把读数写入当班记录。"
DECLARED = 'angle_from = 6\nangle_direction = "clockwise"\n'


def taken(path: Path) -> tuple[Article, tuple[Chunk, ...], Findings]:
    text, _ = article_text(path, {})
    article = parse_article(text, path.name)
    chunks = build_chunks(article)
    return article, chunks, find_facts(chunks)


def fault(path: Path) -> tuple[str, str]:
    report = add_files(path.parent / "home", [path])
    assert report.added == ()
    (refusal,) = report.refused
    assert refusal.file == str(path)
    return refusal.place, refusal.reason


def test_pdf_keeps_structure_pages_and_facts(tmp_path: Path) -> None:
    article, chunks, facts = taken(write_pdf(tmp_path / "pt9.pdf"))
    assert [(s.number, s.title) for s in article.sections if s.number] == [
        ("1", "About the instrument"),
        ("2", "Reading"),
        ("2.1", "Unit and angle"),
        ("2.2", "Formula"),
        ("3", "Limits"),
        ("3.1", "Limits of the pressure"),
    ]
    assert article.title == "PT-9 Pressure Transmitter, Manual"
    assert "rights reserved" not in article.body
    assert "of 2" not in article.body
    assert facts.formulas[0].expression == "(angle - 45) / 27"
    assert facts.formulas[0].unit == "bar"
    assert (facts.frames[0].origin_hour, facts.frames[0].clockwise) == (6, True)
    assert [(band.level, band.low, band.high) for band in facts.limits] == [("normal", 0, 8), ("alarm", 8, None)]
    pages = {chunk.section: chunk.page for chunk in chunks}
    assert (pages["1"], pages["2.2"], pages["3.1"]) == (1, 1, 2)
    items = next(chunk for chunk in chunks if chunk.semantic_type == "list")
    assert items.text.splitlines() == [
        "- Dial with a black pointer",
        "- Nameplate with model and number, on the left side of the case",
    ]
    (limits,) = (chunk for chunk in chunks if chunk.section == "3.1" and chunk.semantic_type == "table")
    assert limits.citation == "PT-9 Pressure Transmitter, Manual §3.1 p. 2 (v1.0)"
    assert next(c for c in chunks if "Otherwise" in c.text).text.count("If the pointer trembles") == 1


def test_chinese_pdf_is_joined_without_spaces(tmp_path: Path) -> None:
    story = [
        ("h1", "PT-9 压力表手册"),
        ("h2", "1 读数"),
        (
            "p",
            "压力的单位为 bar。指针角度从 6 点钟方向起，按顺时针方向以度计算。若指针抖动，" + ZH_END,
        ),
        ("p", "校准公式为：压力 = (指针角度 - 45) / 27。"),
        ("table", [["状态", "压力"], ["正常", "0 至 8 bar"], ["报警", "超过 8 bar"]]),
        ("page", None),
        ("p", "完。"),
    ]
    article, chunks, facts = taken(write_pdf(tmp_path / "zh.pdf", story, chinese=True))
    assert "若指针抖动，则关闭阻尼阀；否则保持原状，并把读数写入当班记录。" in article.body
    assert "使用手册" not in article.body
    assert (facts.formulas[0].quantity, facts.formulas[0].unit) == ("压力", "bar")
    assert {chunk.page for chunk in chunks} == {1, 2}


def test_a_table_that_goes_on_over_the_page_is_one(tmp_path: Path) -> None:
    rows = [["Code", "Meaning"], *([f"E{n}", f"Fault number {n} of the pump"] for n in range(70))]
    article, _, facts = taken(write_pdf(tmp_path / "long.pdf", [("h1", "PT-9 Codes"), ("h2", "1 Codes"), ("table", rows)]))
    assert article.body.count("| Code | Meaning |") == 1
    assert [fact.code for fact in facts.codes] == [f"E{n}" for n in range(70)]


def test_a_paragraph_that_goes_on_over_the_page_is_one(tmp_path: Path) -> None:
    story = [("h1", "T"), ("h2", "1 A"), ("p", "The valve opens slowly and"), ("page", None), ("p", "closes at once.")]
    article, _, _ = taken(write_pdf(tmp_path / "over.pdf", story))
    assert "The valve opens slowly and closes at once." in article.body


def test_two_columns_are_read_one_after_the_other_and_a_table_stays_in_its_section(tmp_path: Path) -> None:
    article, chunks, _ = taken(write_two_columns(tmp_path / "two.pdf"))
    assert [section.number for section in article.sections if section.number] == ["1", "2", "3"]
    (table,) = (chunk for chunk in chunks if "| Alarm | above 8 bar |" in chunk.text)
    assert table.section == "2"
    assert "is vented before it is closed again by hand" in " ".join(chunk.text for chunk in chunks if chunk.section == "1")


def test_word_keeps_lists_tables_and_facts(tmp_path: Path) -> None:
    article, chunks, facts = taken(write_docx(tmp_path / "pt9.docx"))
    assert [s.title for s in article.sections] == ["PT-9 Pressure Transmitter, Manual", "Reading", "Steps"]
    assert "1. Close the valve.\n2. Release the pressure." in article.body
    assert {lamp.color for lamp in facts.lamps} == {"red", "green"}
    assert facts.formulas[0].unit == "bar"
    assert {chunk.page for chunk in chunks} == {None}


def test_calibration_points_become_facts(tmp_path: Path) -> None:
    path = tmp_path / "pt9-points.csv"
    path.write_text(POINTS, encoding="utf-8")
    write_side_car(path, extra=DECLARED)
    article, chunks, facts = taken(path)
    (formula,) = facts.formulas
    assert formula.points == ((45, 0), (180, 5), (315, 10))
    assert (formula.quantity, formula.unit) == ("pressure", "bar")
    assert (facts.frames[0].origin_hour, facts.frames[0].clockwise) == (6, True)
    assert (facts.angle_ranges[0].low, facts.angle_ranges[0].high) == (45, 315)
    assert next(c for c in chunks if "|" in c.text).semantic_type == "formula"
    assert article.id == "pt9-points"


def test_calibration_points_with_semicolons_and_decimal_commas_in_chinese(tmp_path: Path) -> None:
    path = tmp_path / "点.csv"
    path.write_bytes("指针角度;压力\n45;0\n180,5;5,25\n315;10\n".encode("gb18030"))
    write_side_car(path, "zh", extra='unit = "kgf/cm2"\nangle_from = 12\nangle_direction = "counter-clockwise"\n')
    article, _, facts = taken(path)
    assert facts.formulas[0].points == ((45, 0), (180.5, 5.25), (315, 10))
    assert facts.units[0].unit == "kgf/cm2"
    assert (facts.frames[0].origin_hour, facts.frames[0].clockwise) == (12, False)
    assert article.id.startswith("document-")


def test_the_batch_goes_in_around_what_is_refused(tmp_path: Path) -> None:
    folder, home = tmp_path / "in", tmp_path / "home"
    folder.mkdir()
    (folder / "good.md").write_text(markdown("# T\n\n## 1 A\n\nText of it.\n", id="good"), encoding="utf-8")
    (folder / "odd.md").write_text(markdown("Text.").replace("kind: dial", "kind: dial\nauthor: me"), encoding="utf-8")
    write_pdf(folder / "good.pdf")
    write_pdf(folder / "locked.pdf", password="secret")
    write_scan(folder / "scan.pdf")
    (folder / "torn.pdf").write_bytes((folder / "good.pdf").read_bytes()[:900])
    write_side_car(folder / "torn.pdf")
    (folder / "readme.txt").write_text("not looked at", encoding="utf-8")
    report = add_files(home, [folder, tmp_path / "missing.pdf"])
    assert {Path(one.file).name for one in report.added} == {"good.md", "good.pdf"}
    refused = {Path(one.file).name: (one.place, one.reason) for one in report.refused}
    assert set(refused) == {"odd.md", "locked.pdf", "scan.pdf", "torn.pdf", "missing.pdf"}
    assert "password" in refused["locked.pdf"][1]
    assert refused["scan.pdf"][0] == "page 1"
    assert "scan" in refused["scan.pdf"][1]
    assert "no PDF that can be read" in refused["torn.pdf"][1]
    assert refused["odd.md"][0] == "front matter"
    assert "author" in refused["odd.md"][1]
    articles = read_corpora(default_corpora(home))
    assert {article.id for article in articles} >= {"good", "xyz-2000-en"}
    kept = hashlib.sha256((folder / "good.pdf").read_bytes()).hexdigest()
    assert [p.name for p in (home / "corpus" / "sources").glob(f"{kept}*")] == [f"{kept}.pdf.original"]


def test_the_same_file_again_is_unchanged_and_another_of_its_id_and_version_refused(tmp_path: Path) -> None:
    path, home = tmp_path / "a.md", tmp_path / "home"
    path.write_text(markdown("# T\n\n## 1 A\n\nText of it.\n", id="a"), encoding="utf-8")
    assert len(add_files(home, [path]).added) == 1
    again = add_files(home, [path])
    assert (len(again.added), len(again.unchanged), len(again.refused)) == (0, 1, 0)
    path.write_text(markdown("# T\n\n## 1 A\n\nOther text.\n", id="a"), encoding="utf-8")
    (refusal,) = add_files(home, [path]).refused
    assert "'a' version '1' is already taken" in refusal.reason
    path.write_text(markdown("# T\n\n## 1 A\n\nOther text.\n", id="a", version="2", date="2025-01-01"), encoding="utf-8")
    assert len(add_files(home, [path]).added) == 1
    assert {article.id for article in read_corpora(user_corpus(home))} == {"a", "a@1"}


def test_a_shipped_id_and_version_cannot_be_taken(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text(markdown("# T\n\n## 1 A\n\nText.\n", id="xyz-2000-en", version="2.0"), encoding="utf-8")
    assert "already taken by xyz-2000.en.md" in fault(path)[1]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("| a | b |\n| 1 | 2 |\n", "no header row"),
        ("The formula is `p = open('/etc/passwd').read()`.\n", "cannot|can be computed|not arithmetic"),
        ("Use `p = __import__('os').system('angle')`.\n", "can be computed"),
        ("The formula is `pressure = pointer angle / 0`.\n", "divides by zero"),
        ("The unit of p is bar. The formula is `p = 100 / (pointer angle - 90)`.\n", "90"),
        ("The formula is `p = sqrt(pointer angle - 900)`.\n", "no value at any angle"),
        (
            "The formula is `p = sqrt(pointer angle - 90)`.\n\nThe formula is valid for pointer angles from 45 to 315 degrees.\n",
            "no value near 45 degrees",
        ),
    ],
)
def test_what_cannot_be_computed_is_refused_with_its_line(tmp_path: Path, body: str, reason: str) -> None:
    path = tmp_path / "bad.md"
    path.write_text(markdown(f"# T\n\n## 1 A\n\n{body}"), encoding="utf-8")
    place, why = fault(path)
    assert place == f"line {HEAD.count(chr(10)) + 5}"
    assert any(word in why for word in reason.split("|"))


def test_tables_without_header_are_refused_in_every_format(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "bare.pdf", [*MANUAL[:3], ("table", [["1", "2"], ["3", "4"]])])
    assert fault(path) == (
        "page 1, table 1",
        "the table has no header: the first row holds numbers, ['1', '2']; name every column",
    )
    csv = tmp_path / "bare.csv"
    csv.write_text("45,0\n180,5\n315,10\n", encoding="utf-8")
    write_side_car(csv)
    assert fault(csv)[0] == "line 1"


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        (POINTS.replace("180,5", "180,five"), "line 3", "'five'"),
        (POINTS.replace("180,5", "180"), "line 3", "has 1 cells"),
        (POINTS.replace("180", "45"), "line 1", "different angles"),
        ("Temperature,Pressure\n1,2\n3,4\n5,6\n", "line 1", "no column of angles"),
    ],
)
def test_bad_points_are_refused_with_their_line(tmp_path: Path, text: str, place: str, reason: str) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text, encoding="utf-8")
    write_side_car(path)
    where, why = fault(path)
    assert where == place
    assert reason in why


def test_metadata_comes_from_side_car_or_options_and_is_not_guessed(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "pt9.pdf")
    side_car = path.with_name("pt9.pdf.toml")
    given = side_car.read_text(encoding="utf-8")
    side_car.unlink()
    assert "language is None" in fault(path)[1]
    assert "status" in add_files(tmp_path / "home", [path], {"language": "en"}).refused[0].reason
    path.with_name("pt9.yaml").write_text(
        "models: [PT-9]\nlanguage: en\nauthority: notice\nstatus: draft\nversion: 3\neffective_date: 2024-02-01\n",
        encoding="utf-8",
    )
    article = taken(path)[0]
    assert (article.authority, article.status, article.version, article.kind) == ("notice", "draft", "3", None)
    assert parse_article(article_text(path, {"status": "valid"})[0], "x").status == "valid"
    side_car.write_text(given + "colour = 3\n", encoding="utf-8")
    assert "colour" in fault(path)[1]
    side_car.write_text("= broken", encoding="utf-8")
    assert fault(path)[0] == "side-car pt9.pdf.toml"


def test_warnings_name_what_the_author_should_mend(tmp_path: Path) -> None:
    path = tmp_path / "warn.md"
    path.write_text(markdown("# T\n\n## 1 A\n\nUse `flow = (pointer angle - 3) / 2`, see section 9.\n"), encoding="utf-8")
    (added,) = add_files(tmp_path / "home", [path]).added
    assert any("formula without unit" in warning for warning in added.warnings)
    assert any("refers to section 9" in warning for warning in added.warnings)


def test_pictures_among_pages_of_text_are_noted(tmp_path: Path) -> None:
    from PIL import Image
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    path = tmp_path / "mixed.pdf"
    canvas = Canvas(str(path))
    canvas.drawString(72, 700, "The relief valve opens at five bar.")
    canvas.showPage()
    canvas.drawImage(ImageReader(Image.new("RGB", (40, 40), "grey")), 50, 100, 400, 500)
    canvas.save()
    write_side_car(path)
    text, notes = article_text(path, {})
    assert "five bar" in text
    assert notes == ("page 2 is a picture without text and was left out",)


def test_unknown_kinds_and_empty_files_are_refused(tmp_path: Path) -> None:
    for name, content in (("a.xlsx", b"x"), ("b.md", b"")):
        (tmp_path / name).write_bytes(content)
    with pytest.raises(IntakeError, match=r"known: \.md"):
        article_text(tmp_path / "a.xlsx", {})
    with pytest.raises(IntakeError, match="0 bytes"):
        article_text(tmp_path / "b.md", {})
